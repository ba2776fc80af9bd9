"""What the bundled bots say: a YAML file for each of them, with all its languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anaphora.bots.tables import read_table
from anaphora.entities.languages import base

__all__ = ["FALLBACK", "said_in"]

FALLBACK = "en"


def said_in(bot: str, language: str) -> Mapping[str, Any]:
    """The texts of ``bot`` by their names, in ``language``, or in English where it has none."""
    texts = read_table(f"texts/{bot}.yaml")
    said: Mapping[str, Any] = texts.get(base(language), texts[FALLBACK])
    return said
