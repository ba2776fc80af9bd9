"""Tell days and months in digits from fractions and numbers: 12/25, but version 3.11."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.dates.absolute_dates import find_absolute_dates
from anaphora.entities.builtin.dates.disambiguation.ambiguous_names import AmbiguousName
from anaphora.entities.builtin.dates.grammar.date_grammar import DateGrammar
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.words.function_words import load_stop_words
from anaphora.entities.words.normalization import create_normalizer

__all__ = ["ShortDateFinder"]

_HOURS = range(24)
_LAST_MONTH = 12
_WRITTEN = re.compile(r"\d[./-]\d")


class ShortDateFinder:
    """Finds the days and months in digits in texts of a language, outside longer dates.

    Joined by a slash they are dates, unless a word of no date is right behind them ("the 9/11
    attacks"): then they are fallbacks. Joined by a dot they are dates where the day comes first and
    a dot is no decimal mark, if they are no time ("5.30") and no such word is before them either
    ("Python 3.11"); so are they with a hyphen, if they are no range ("10-12"). Several are dates
    whatever is beside them.
    """

    def __init__(self, language: str, grammar: DateGrammar, order: str) -> None:
        self._grammar, self._order = grammar, order
        day_first = (order or grammar.order).startswith("D")
        has_dots = day_first and load_number_phrases(language).digits.decimal == ","
        self._marks = {"/", "-", "."} if has_dots else {"/", "-"}
        self._words = grammar.words.union(
            map(create_normalizer(language), load_stop_words(language))
        )

    def find(
        self, text: str, atoms: Sequence[Atom], known: Sequence[AmbiguousName]
    ) -> list[AmbiguousName]:
        """The dates in a text, which consists of these atoms, outside those that are known."""
        if not _WRITTEN.search(text):
            return []
        found = [
            (atoms[one.start : one.end], one)
            for one in find_absolute_dates(atoms, self._grammar, self._order)
            if one.category == "suredate"
            or (one.category == "loosedate" and atoms[one.start + 1].text == "-")
        ]
        dates = []
        for written, one in found:
            has_slash = written[1].text == "/"
            beside = [*atoms[one.end : one.end + 1]]
            beside += [] if has_slash else atoms[max(one.start - 1, 0) : one.start]
            is_sure = len(found) > 1 or all(map(self._is_known, beside))
            if written[1].text in self._marks and (
                has_slash or (is_sure and _is_day_and_month(written))
            ):
                start, end = written[0].start, written[-1].end
                dates.append(AmbiguousName(start, end, one.meaning, fallback=not is_sure))
        ends = [one.end for one in known]
        return [one for one in dates if _is_outside(one, known, bisect_right(ends, one.start))]

    def _is_known(self, atom: Atom) -> bool:
        return atom.kind != "word" or atom.text in self._words


def _is_outside(date: AmbiguousName, known: Sequence[AmbiguousName], following: int) -> bool:
    """Whether a date ends before the ``following`` known one, which ends behind its start."""
    return following == len(known) or date.end <= known[following].start


def _is_day_and_month(written: Sequence[Atom]) -> bool:
    """Whether two numbers are no time, with a dot, and no range or score, with a hyphen: 25.12,
    5.10., 26-12; with a year they are a date."""
    first, mark, last, *rest = (atom.text for atom in written)
    if mark == "-":
        return bool(rest) or (int(first) > _LAST_MONTH >= int(last) and len(last) > 1)
    return bool(rest) or int(first) not in _HOURS
