"""Load the tables of words and texts: YAML files that can be edited without knowing Python."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from anaphora.entities.languages import load_yaml
from anaphora.entities.words.normalization import base_code

__all__ = ["load_language_table", "load_table", "load_texts"]

_FALLBACK_LANGUAGE = "en"


@lru_cache(maxsize=64)
def load_table(path: str) -> Mapping[str, Any]:
    """The content of a YAML file of this package, cached; empty if there is no such file."""
    return load_yaml(__package__, path)


def load_language_table(path: str, language: str) -> Mapping[str, Any]:
    """The part of a YAML file for ``language``, or for English if it has none for that."""
    tables = load_table(path)
    table: Mapping[str, Any] = tables.get(base_code(language), tables[_FALLBACK_LANGUAGE])
    return table


def load_texts(bot: str, language: str) -> Mapping[str, Any]:
    """The answers of ``bot`` by name, in ``language``, or in English if the bot lacks it."""
    return load_language_table(f"texts/{bot}.yaml", language)
