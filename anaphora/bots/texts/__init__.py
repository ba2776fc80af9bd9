"""What the bundled bots say: a YAML file for each of them, with all its languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anaphora.bots.tables import load_table
from anaphora.entities.words.normalization import base_code

__all__ = ["FALLBACK", "load_texts"]

FALLBACK = "en"


def load_texts(bot: str, language: str) -> Mapping[str, Any]:
    """The texts of ``bot`` by their names, in ``language``, or in English where it has none."""
    texts = load_table(f"texts/{bot}.yaml")
    said: Mapping[str, Any] = texts.get(base_code(language), texts[FALLBACK])
    return said
