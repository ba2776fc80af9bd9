"""The words for the numbers of a range, in the languages of ``unicode-rbnf``."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from anaphora.grammar.sentences.normalization import fold_case
from anaphora.models.hassil.collection import RangeList

__all__ = ["spell_numbers"]

_SCRIPTS = {"zh_HK": "zh_Hant", "zh_MO": "zh_Hant", "zh_TW": "zh_Hant"}
_BREAKS = str.maketrans("-_", "  ")


def spell_numbers(numbers: RangeList, language: str) -> dict[str, float]:
    """The words for each number of a range, in every form that the language's rules have, with the
    number. Empty for a language without rules."""
    if not numbers.words:
        return {}
    found: dict[str, float] = {}
    for number in numbers:
        for words in _spell(numbers.language or language, number):
            for spelling in {words, words.replace("ß", "ss")}:
                found.setdefault(spelling, number)
                found.setdefault(spelling.translate(_BREAKS), number)
    return found


@lru_cache(maxsize=16_384)
def _spell(language: str, number: float) -> tuple[str, ...]:
    engine = _engine(language)
    if engine is None:
        return ()
    forms = engine.format_number(number).text_by_ruleset.values()
    return tuple(dict.fromkeys(fold_case(form) for form in forms))


@lru_cache(maxsize=64)
def _engine(language: str) -> Any:
    try:
        from unicode_rbnf import RbnfEngine
    except ImportError:  # only digits are understood
        return None
    tag = language.replace("-", "_")
    for code in (tag, _SCRIPTS.get(tag, tag), tag.partition("_")[0]):
        try:
            return RbnfEngine.for_language(code)
        except ValueError:
            continue
    return None
