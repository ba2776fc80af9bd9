"""Find absolute dates: May 1, 2024, 01/05/2024, 2024-05-01, 5 мая, 2024-05.

The order of day, month and year is that of the language, unless only another one makes a date.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Item
from anaphora.entities.builtin.dates.grammar.date_grammar import DateGrammar

__all__ = ["find_absolute_dates"]

# A letter for each atom: n a day or a month, y a year, m the name of a month, o an ordinal suffix,
# d a word between the parts, g the word "year" behind one, marks as they are, x anything else.
_NAMED = re.compile(r"n([-/.])m\1[yn]|no?\.?d?m(?:\.?,?d?y(?:d?g)?)?|m[./]?no?(?:,?y)?")
_NUMERIC = re.compile(r"n([./-])n\1(?:y|n)|y([./-])n\2n")
_DAY_MONTH = re.compile(r"n([./])n\1?")
# With blanks, or with a hyphen and no year; with a dot where the day comes first.
_LOOSE = re.compile(r"n([-/])n(?:\1[yn])?|nny")
_LOOSE_DAY_FIRST = re.compile(rf"{_LOOSE.pattern}|n\.n\.?")
_YEAR_MONTH = re.compile(r"y-n|n/y")
_YEAR_MONTH_DAY_FIRST = re.compile(r"y-n|n[./]y")  # elsewhere 12.2024 is a number
_YEAR_MONTH_YEAR_FIRST = re.compile(r"y[-/.]n|n/y")
# Two dates joined by a mark without blanks: 24.-26.12., 12/24-12/26.
_JOINED_DATES = (
    re.compile(r"n\.?(?P<joint>-)(?=n([./])n)"),
    re.compile(r"n([./-])n(?:\1[yn]?)?(?P<joint>[-/])(?=n\1n)"),
    re.compile(r"y([./-])n\1n(?P<joint>/)(?=y\1n\1n)"),
    re.compile(r"n/n(?P<joint>-)(?=n(?![./-]?[nyx]))"),
)
_MONTHS = range(1, 13)
_YEAR_DIGITS = 4
_LONGEST_MONTH = 31  # days
_LEAP_YEAR = 2000  # with a February 29
_FIRST_SHORT_YEAR = 69  # 69 to 99 are in the 20th century, 00 to 68 in the 21st (POSIX, strptime)


def find_absolute_dates(
    atoms: Sequence[Atom], grammar: DateGrammar, order: str = ""
) -> Iterator[Item]:
    """The longest date at each atom where one begins, as an item of the category ``calendar``;
    ``shortdate`` for a day and a month in digits, which may be something else (``suredate`` if
    that is unlikely); ``loosedate`` for numbers that are a date only as a whole answer (2 / 15,
    2-15); ``yearmonth`` for a month and a year (``dottedmonth`` for what may be a version: 2024.3).
    ``order`` is that of day, month and year, if not the one of the language.

    A date that does not exist (February 30) has the meaning ``("missing",)``, so that nothing else
    is found in it.
    """
    order = order or grammar.order
    letters = "".join([_shape_letter(atom, grammar) for atom in atoms])
    atoms = _separate_joined_dates(atoms, letters)
    for start, letter in enumerate(letters):
        if letter not in "nmy":
            continue
        yield from _find_loose_date(letters, start, atoms, order)
        kind, match = _match_date(letters, start, atoms, grammar)
        if match is None:
            yield from _find_year_month(letters, start, atoms, order, grammar)
            continue
        written = atoms[start : match.end()]
        if kind == "shortdate":
            one, other = (int(atom.text) for atom in written if atom.kind == "digits")
            if (short := _parse_day_month(one, other, order)) is not None:
                yield Item(start, match.end(), kind, short)
                if _is_unambiguous(match.group(), written, order):
                    yield Item(start, match.end(), "suredate", short)
            continue
        numbers = [atom.text for atom in written if atom.kind == "digits"]
        if "m" in match.group():
            month = next(
                grammar.months[atom.text]
                for atom, letter in zip(written, match.group(), strict=True)
                if letter == "m"
            )
            meaning = _to_month_date(month, numbers)
        else:
            meaning = _to_numeric_date(numbers, order)
        yield Item(start, match.end(), kind, meaning or ("missing",))


def _separate_joined_dates(atoms: Sequence[Atom], letters: str) -> Sequence[Atom]:
    """Unglue the marks that join two dates from both."""
    joints = {
        match.start("joint")
        for pattern in _JOINED_DATES
        for match in pattern.finditer(letters)
        if all(atom.glued for atom in atoms[match.start() + 1 : match.end() + 1])
    }
    if not joints:
        return atoms
    return [
        atom._replace(glued=atom.glued and not {at, at - 1} & joints)
        for at, atom in enumerate(atoms)
    ]


def _is_unambiguous(letters: str, written: Sequence[Atom], order: str) -> bool:
    """Whether a day and a month are unlikely to be a number or a fraction: 12/24, 24.12. Round the
    clock is neither: 24/7."""
    first, last = (atom.text for atom in written if atom.kind == "digits")
    if "/" in letters:
        return (len(first) > 1 or len(last) > 1) and (first, last) != ("24", "7")
    return order.startswith("D") and (letters.endswith(".") or len(last) > 1)


def _parse_day_month(one: int, other: int, order: str) -> tuple[object, ...] | None:
    """The expression of a day and a month in digits; None for a time (15.45) or a number."""
    day, month = (one, other) if order.index("D") < order.index("M") else (other, one)
    if month not in _MONTHS:
        day, month = month, day
    if month not in _MONTHS or not 1 <= day <= _LONGEST_MONTH:
        return None
    return ("monthday", month, day) if _exists(_LEAP_YEAR, month, day) else ("missing",)


def _find_loose_date(letters: str, start: int, atoms: Sequence[Atom], order: str) -> Iterator[Item]:
    pattern = _LOOSE_DAY_FIRST if order.startswith("D") else _LOOSE
    match = pattern.match(letters, start)
    if match is None:
        return
    numbers = [atom.text for atom in atoms[start : match.end()] if atom.kind == "digits"]
    if len(numbers) > 2:
        meaning = _to_numeric_date(numbers, order)
    else:
        meaning = _parse_day_month(int(numbers[0]), int(numbers[1]), order)
    if meaning is not None:
        yield Item(start, match.end(), "loosedate", meaning)


def _find_year_month(
    letters: str, start: int, atoms: Sequence[Atom], order: str, grammar: DateGrammar
) -> Iterator[Item]:
    patterns = {"D": _YEAR_MONTH_DAY_FIRST, "Y": _YEAR_MONTH_YEAR_FIRST}
    match = patterns.get(order[0], _YEAR_MONTH).match(letters, start)
    if match is None or not _is_contiguous(atoms, start, match.end(), grammar):
        return
    first, last = atoms[start].text, atoms[match.end() - 1].text
    year, month = (first, last) if match.group().startswith("y") else (last, first)
    if not 1900 <= int(year) < 2100:  # 3.1415
        return
    is_dotted = match.group() == "y.n" and len(month) == 1
    if int(month) in _MONTHS:
        category = "dottedmonth" if is_dotted else "yearmonth"
        yield Item(start, match.end(), category, ("month_of", int(month), int(year)))
    elif not is_dotted:
        yield Item(start, match.end(), "calendar", ("missing",))


def _match_date(
    letters: str, start: int, atoms: Sequence[Atom], grammar: DateGrammar
) -> tuple[str, re.Match[str] | None]:
    if match := _NAMED.match(letters, start):
        return "calendar", match
    for kind, pattern in (("calendar", _NUMERIC), ("shortdate", _DAY_MONTH)):
        match = pattern.match(letters, start)
        if match and (
            _is_contiguous(atoms, start, match.end(), grammar)
            or _is_evenly_spaced(letters, atoms, start, match.end())
        ):
            return kind, match
    return "", None


def _shape_letter(atom: Atom, grammar: DateGrammar) -> str:
    if atom.kind == "digits":
        if len(atom.text) <= 2:
            return "n"
        return "y" if len(atom.text) == 4 and atom.text[0] != "0" else "x"
    if atom.text in grammar.months:
        return "m"
    if atom.text in grammar.ordinal_suffixes and atom.glued:
        return "o"
    if atom.text in grammar.connectors:
        return "d"
    if atom.text in grammar.year_suffixes:
        return "g"
    return atom.text if atom.text in ".,/-" else "x"


def _is_contiguous(atoms: Sequence[Atom], start: int, end: int, grammar: DateGrammar) -> bool:
    """Whether the atoms are contiguous and not part of a longer number, nor of a name (X-5.12);
    a preposition may be joined to them by a hyphen (ב-5.12)."""
    if not all(atoms[at].glued for at in range(start + 1, end)):
        return False
    before = atoms[start - 1] if start else None
    begins_with_year = len(atoms[start].text) == _YEAR_DIGITS
    is_end = begins_with_year and before is not None and before.text == "/"  # of an interval
    if atoms[start].glued and before is not None and before.text in ".,/-" and not is_end:
        is_joined = before.text == "-" and before.glued and start > 1
        if not (is_joined and atoms[start - 2].text in grammar.prepositions):
            return False
    behind = atoms[end : end + 2]
    if (
        begins_with_year
        and [one.kind for one in behind] == ["mark", "digits"]
        and (behind[0].text == "/")
    ):
        return len(behind[1].text) == _YEAR_DIGITS
    goes_on = [atom.glued and (atom.kind == "digits" or atom.text in "./-") for atom in behind]
    return not (goes_on == [True, True] and behind[1].kind == "digits") and not (
        goes_on and goes_on[0] and behind[0].kind == "digits"
    )


def _is_evenly_spaced(letters: str, atoms: Sequence[Atom], start: int, end: int) -> bool:
    """Whether the atoms are a day, a month and a year with the same blanks at both points: 5 . 6 .
    2027, 05. 06. 2027."""
    if not letters.startswith(("n.n.y", "n/n/y"), start) or end != start + 5:
        return False
    first, second = ([one.glued for one in atoms[at : at + 2]] for at in (start + 1, start + 3))
    return first == second


def _to_month_date(month: int, numbers: Sequence[str]) -> tuple[object, ...] | None:
    """The expression of a day in a named month, with its year or without; None if there is none."""
    if len(numbers) == 1:
        day = int(numbers[0])
        return ("monthday", month, day) if _exists(_LEAP_YEAR, month, day) else None
    number, year = reversed(numbers) if int(numbers[0]) > _LONGEST_MONTH else numbers
    return _to_date(year, month, int(number))


def _to_numeric_date(numbers: Sequence[str], order: str) -> tuple[object, ...] | None:
    """The expression of a day, a month and a year in digits; None if there is no such day."""
    # Where the year comes first: 10/31/74 is no day of the year 10, and 31.10.1974 a day.
    others = ("DMY", "MDY") if len(numbers[2]) == _YEAR_DIGITS else ("MDY", "DMY")
    for one in ("YMD",) if len(numbers[0]) == _YEAR_DIGITS else (order, *others):
        year, month, day = (numbers[one.index(part)] for part in "YMD")
        if len(day) <= 2 and (found := _to_date(year, int(month), int(day))):
            return found
    return None


def _to_date(year: str, month: int, day: int) -> tuple[object, ...] | None:
    number = int(year)
    if len(year) == 2:
        number += 1900 if number >= _FIRST_SHORT_YEAR else 2000
    elif len(year) != _YEAR_DIGITS:
        return None
    return ("ymd", number, month, day) if _exists(number, month, day) else None


def _exists(year: int, month: int, day: int) -> bool:
    return month in _MONTHS and 1 <= day <= monthrange(year, month)[1]
