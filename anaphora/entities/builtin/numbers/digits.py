"""Parse numbers in digits with the separators of the locale: 1,234.5 or 1.234,5 or 1 234,5;
fractions, exponents, digits of any script.

Whatever only looks like a number is skipped as a whole: times (5:30), dates (01/05/2024), versions
(1.2.3), telephone numbers (+1 202 555 0100), and anything with more than 30 digits.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from anaphora.entities.builtin.atoms import Atom

__all__ = ["GROUP_SIZE", "VULGAR", "DigitNumber", "DigitParser", "find_groups_end"]

GROUP_SIZE = 3
"""The number of digits between the marks of thousands."""


_MAX_DIGITS = 30
_MAX_NUMBERS = 1_000  # no utterance has more
_BLANKS = " \u00a0\u202f\u2009"
_VULGAR = {
    char: Fraction(unicodedata.numeric(char)).limit_denominator(10) for char in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒"
}
VULGAR = "".join(_VULGAR)

# Marks of other scripts and their equivalents: d is a decimal mark, g separates groups.
_NORMALIZED_MARKS = str.maketrans(
    {"．": ".", "，": ",", "٫": "d", "٬": "g", "’": "'", "_": "'", **dict.fromkeys(_BLANKS, " ")}
)
_USUAL_DENOMINATORS = frozenset({2, 3, 4, 5, 8, 10, 16, 32, 64, 100})

_LOOKALIKES = (
    r"\d+(?::\d+)+(?:[.,]\d+)?"  # 5:30
    r"|\d+(?:/\d+){2,}"  # 01/05/2024
    r"|\d+(?:[-‐‑]\d+){2,}"  # 2024-05-01, 555-12-34
    r"|\d+(?:[-‐‑]\d+)+[-‐‑][A-Z]{3,}"  # 1-800-FLOWERS
    r"|(?:(?<=[°º])|(?<=[°º] ))\d+['’]\d+"  # 48°51'30"
    r"|\d+['’](?:1[2-9]|[2-9]\d)(?!\d)"  # 5'30 is a time, 5'11 a height
    rf"|\+\d[\d{_BLANKS}()-]{{6,}}\d"  # +1 (202) 555-0100
    # 8 (495) 555-01-00
    rf"|(?:\d{{1,3}}[{_BLANKS}-]?)?\(\d{{3,5}}\)[{_BLANKS}]?\d[\d{_BLANKS}-]{{4,}}"
    rf"|0\d(?:[{_BLANKS}.-]?\d){{6,13}}(?!\d)"  # 06 12 34 56 78
    rf"|(?:\d{{1,2}}[{_BLANKS}.-])?\d{{3}}[{_BLANKS}.-](?:\d{{3}}[{_BLANKS}.-](?:\d{{4}}"
    rf"|\d\d[{_BLANKS}.-]\d\d)|\d\d(?:[{_BLANKS}.-]\d\d){{2}})(?!\d)"  # 202 555 0100, 912 34 56 78
)
_RATIO = (
    rf"(?:(?P<whole>\d{{1,9}})[{_BLANKS}])?(?P<above>\d{{1,9}})[/⁄](?P<below>\d{{1,9}})(?![\d/])"
)
_WITH_VULGAR = rf"(?:(?P<count>\d{{1,15}})[{_BLANKS}]?)?(?P<vulgar>[{VULGAR}])"
_MARKS = r"(?:[.,٫٬．，\u00a0\u202f\u2009]|['’](?=\d{3}))"
_CHAIN = rf"\d+(?:{_MARKS}\d+)*"
_LEADING_DECIMAL = r"(?<![\w.,])(?<!\d\s)[{}]\d+"  # .5
# 12 500 in any language: people type blanks if their keyboard has no better mark.
_BLANK_GROUPS = rf"[1-9]\d{{0,2}}(?:[{_BLANKS}]\d{{3}})+(?![\d{_BLANKS[1:]}])(?:{_MARKS}\d+)*(?!\d)"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−", "0123456789+--")
_POWER_OF_TEN = r"10(?:\^(?P<{0}>[+\-−]?\d{{1,3}})(?!\d)|(?P<{0}_raised>[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}}))"
_EXPONENT = (
    r"(?:[eE](?P<e>[+\-−]?\d{1,3})(?![\w.])"
    rf"|\s?[x×·*]\s?{_POWER_OF_TEN.format('times')})?"
)
_EXPONENT_GROUPS = ("e", "times", "times_raised", "alone", "alone_raised")
_FIRST_DIGIT = re.compile(rf"[\d{VULGAR}]")
_MINUS = frozenset("-−–")
_SIGNS = frozenset("-−－+")


@dataclass(frozen=True, slots=True)
class DigitNumber:
    """A number in digits; ``start`` and ``end`` are offsets of characters (half open)."""

    start: int
    end: int
    value: int | Fraction
    signed: bool = False
    fraction: bool = False


class DigitParser:
    """Parses numbers in digits with the decimal mark and the group marks of one language. Blanks
    may separate groups in any language; the caller, who has the words around, decides whether two
    numbers are only adjacent."""

    def __init__(self, decimal: str, groups: str) -> None:
        self.decimal = decimal
        self.groups = groups
        leading = _LEADING_DECIMAL.format(".," if decimal == "," else ".")
        chain = rf"{_BLANK_GROUPS}|{_CHAIN}|{leading}"
        self._pattern = re.compile(
            rf"(?P<skip>{_LOOKALIKES})|{_RATIO}|{_WITH_VULGAR}"
            rf"|{_POWER_OF_TEN.format('alone')}|(?P<chain>{chain}){_EXPONENT}"
        )

    def __call__(self, text: str) -> list[DigitNumber]:
        """The numbers of a text, in order."""
        return [
            number
            for match in islice(self._matches(text), _MAX_NUMBERS)
            if match["skip"] is None and not _is_part_of_longer(text, match.start(), match.end())
            for number in self._parse_match(text, match)
        ]

    def _matches(self, text: str) -> Iterator[re.Match[str]]:
        # Twice as fast as finditer, which tries all alternatives at each character.
        at = 0
        while (digit := _FIRST_DIGIT.search(text, at)) is not None:
            start = digit.start()
            match = None
            if start > at and text[start - 1] in "+(.,":
                match = self._pattern.match(text, start - 1)
            match = match or self._pattern.match(text, start)
            if match is None:
                return
            yield match
            at = match.end()

    def _parse_match(self, text: str, match: re.Match[str]) -> Iterator[DigitNumber]:
        start, end = match.span()
        if match["above"] is not None:
            value = _parse_ratio(match)
            if value is not None:
                yield _with_sign(text, DigitNumber(start, end, value, fraction=True))
        elif match["vulgar"] is not None:
            value = int(match["count"] or 0) + _VULGAR[match["vulgar"]]
            yield _with_sign(text, DigitNumber(start, end, value, fraction=True))
        else:
            chain = match["chain"]
            found = [DigitNumber(start, end, 1)]  # 10^6
            if chain is not None:
                found = list(self._parse_chain(chain, start))
            power = next((match[name] for name in _EXPONENT_GROUPS if match[name]), None)
            if power is not None:
                exponent = int(power.translate(_SUPERSCRIPTS))
                if len(found) != 1 or abs(exponent) > _MAX_DIGITS:
                    return
                value = found[0].value * Fraction(10) ** exponent
                found = [DigitNumber(start, end, value)]
            yield from (_with_sign(text, one) for one in found if one.value < 10**_MAX_DIGITS)

    def _parse_chain(self, chain: str, start: int) -> Iterator[DigitNumber]:
        """The numbers in a run of digits and separators: one; none, if it is something else
        (1.2.3); or several with commas between them (1,2,3)."""
        plain = chain.translate(_NORMALIZED_MARKS)
        value = self._parse_value(plain)
        if value is not None:
            yield DigitNumber(start, start + len(chain), value)
            return
        if "," not in plain:
            return
        at = start
        for piece in plain.split(","):
            value = self._parse_value(piece)
            if value is not None:
                yield DigitNumber(at, at + len(piece), value)
            at += len(piece) + 1

    def _parse_value(self, chain: str) -> int | Fraction | None:
        marks = [char for char in chain if not char.isdigit()]
        if len(chain) - len(marks) > _MAX_DIGITS:
            return None
        if len(chain) == len(marks):
            return None
        if not marks:
            return int(chain)
        pieces = re.split(r"\D", chain)
        decimal = marks[-1] if self._has_decimal_mark(marks, pieces) else None
        if decimal is not None:
            whole, grouped, behind = pieces[:-1], marks[:-1], pieces[-1]
        else:
            whole, grouped, behind = pieces, marks, ""
        if len(set(grouped)) > 1 or decimal in grouped or "d" in grouped:
            return None
        if grouped and not _are_groups(whole):
            return None
        first = whole[0]
        if len(first) > 1 and first[0] == "0":
            return None  # 01.05 is a date
        number = int("".join(whole) or "0")
        if not behind:
            return number
        value = number + Fraction(int(behind), 10 ** len(behind))
        return value.numerator if value.denominator == 1 else value

    def _has_decimal_mark(self, marks: list[str], pieces: list[str]) -> bool:
        """Whether the last mark is a decimal mark."""
        last = marks[-1]
        if last == "d":
            return True
        if last in "g' ":
            return False
        if len(marks) > 1:
            return last not in marks[:-1]
        looks_grouped = _are_groups(pieces)
        return last == self.decimal or last not in self.groups or not looks_grouped


def _are_groups(pieces: list[str]) -> bool:
    """Whether the pieces are groups of thousands, or Indian ones: 12,34,567."""
    first, *middle, last = pieces
    if not 1 <= len(first) <= 3 or len(last) != 3 or first[0] == "0":
        return False
    sizes = {len(piece) for piece in middle}
    return sizes <= {3} or (sizes == {2} and len(first) <= 2)


def _parse_ratio(match: re.Match[str]) -> Fraction | None:
    above, below = int(match["above"]), int(match["below"])
    if match["below"][0] == "0" or (match["above"][0] == "0" and above):
        return None
    if above >= below and below not in _USUAL_DENOMINATORS:
        return None  # 24/7
    return int(match["whole"] or 0) + Fraction(above, below)


def _is_part_of_longer(text: str, start: int, end: int) -> bool:
    """Whether the span is part of a path, a date, a name …"""
    before, after = text[start - 1 : start], text[end : end + 2]
    if before and before in "/\\:@_.":
        return True
    if before in _MINUS and start > 1 and text[start - 2] in "/\\@_":
        return True
    if after[:1] in ("/", "\\", "_", "@") and len(after) > 1 and after[1].isalnum():
        return after[0] != "/" or after[1].isdigit()
    return after[:1] in (":", ".", "/") and after[1:].isdigit()


def _with_sign(text: str, digits: DigitNumber) -> DigitNumber:
    """The number with the sign before it, unless that is a hyphen."""
    at = digits.start - 1
    if at < 0 or (text[at] not in _SIGNS and (text[at] != "–" or at > 0)):
        return digits
    if at > 0 and (text[at - 1].isalnum() or text[at - 1] in "-−+)]½%°"):
        return digits
    value = digits.value if text[at] == "+" else -digits.value
    return DigitNumber(at, digits.end, value, signed=True, fraction=digits.fraction)


def find_groups_end(atoms: Sequence[Atom], at: int, marks: str) -> int:
    """The end of the groups of digits that start at an atom (12 500, 1,000,000); ``at + 1`` if no
    groups follow. They are separated by blanks, or always by the same one of ``marks``."""
    end = at + 1
    if atoms[at].kind != "digits" or len(atoms[at].text) > GROUP_SIZE or atoms[at].text[0] == "0":
        return end
    for mark in ("", *marks):
        if (last := _groups_end(atoms, end, mark)) > end:
            return last
    return end


def _groups_end(atoms: Sequence[Atom], at: int, mark: str) -> int:
    """The end of the groups, each behind ``mark`` (a blank, if it is empty), that start at an atom;
    that atom, if there are none."""
    end, step = at, 2 if mark else 1
    while end + step <= len(atoms) and _is_group(atoms, end, mark):
        end += step
    follows = atoms[end] if end < len(atoms) else None
    if follows is None or follows.kind != "digits":
        return end
    return at  # 12 345 67


def _is_group(atoms: Sequence[Atom], at: int, mark: str) -> bool:
    group = atoms[at + 1] if mark else atoms[at]
    if group.kind != "digits" or len(group.text) != GROUP_SIZE:
        return False
    if not mark:
        return not group.glued
    return atoms[at].text == mark and atoms[at].glued and group.glued
