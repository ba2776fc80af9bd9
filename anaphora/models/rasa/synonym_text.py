"""Texts as synonyms of a model file."""

from __future__ import annotations

import re

__all__ = ["escape_synonym"]

_SPECIAL = re.compile(r"[{}\\_\[\]|,/<>?*+^]")


def escape_synonym(text: str) -> str:
    """Escape the signs of the synonym language."""
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", text)
