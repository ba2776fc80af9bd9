"""The answers of the bundled bots: a YAML file per bot, with all its languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anaphora.bots.tables import load_language_table

__all__ = ["load_texts"]


def load_texts(bot: str, language: str) -> Mapping[str, Any]:
    """The texts of ``bot`` by name, in ``language``, or in English if the bot lacks it."""
    return load_language_table(f"texts/{bot}.yaml", language)
