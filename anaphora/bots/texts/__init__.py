"""What the bundled bots say: a YAML file for each of them, with all its languages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from anaphora.entities.languages import base

__all__ = ["said_in"]

_FALLBACK = "en"


def said_in(bot: str, language: str) -> Mapping[str, Any]:
    """The texts of ``bot`` by their names, in ``language``, or in English where it has none."""
    texts = _read(bot)
    return texts.get(base(language), texts[_FALLBACK])


@cache
def _read(bot: str) -> dict[str, Mapping[str, Any]]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = files(__name__).joinpath(f"{bot}.yaml").read_text(encoding="utf-8")
    read: dict[str, Mapping[str, Any]] = yaml.load(text, Loader=loader)
    return read
