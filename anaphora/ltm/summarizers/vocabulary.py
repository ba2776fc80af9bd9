"""What is known of the words of languages: the tables of words.yaml, and spaCy's stop words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Literal

import yaml

__all__ = ["Vocabulary", "of_all_languages", "vocabulary"]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words of a language, in lower case: those that are numbers, and those that tell nothing."""

    numbers: frozenset[str]
    empty: frozenset[str]


@lru_cache(maxsize=32)
def vocabulary(language: str) -> Vocabulary:
    """The vocabulary of a language ("en", "pt-BR"), empty if nothing is known of it."""
    code = language.replace("_", "-").partition("-")[0].lower()
    own = _tables().get(code, {})
    courtesy = frozenset(own.get("courtesy", "").split())
    return Vocabulary(frozenset(own.get("numbers", "").split()), courtesy | _stop_words(code))


@lru_cache(maxsize=8)
def of_all_languages(
    kind: Literal["abbreviations", "before numbers", "conjunctions", "openers"],
) -> frozenset[str]:
    """The words of a kind of all languages together."""
    return frozenset(word for own in _tables().values() for word in own.get(kind, "").split())


@lru_cache(maxsize=1)
def _tables() -> Mapping[str, Mapping[str, str]]:
    text = Path(__file__).with_name("words.yaml").read_text("utf-8")
    tables: Mapping[str, Mapping[str, str]] = yaml.load(text, yaml.CSafeLoader)
    return tables


def _stop_words(code: str) -> frozenset[str]:
    if not code.isalpha():
        return frozenset()
    try:
        return frozenset(import_module(f"spacy.lang.{code}.stop_words").STOP_WORDS)
    except ImportError:
        return frozenset()
