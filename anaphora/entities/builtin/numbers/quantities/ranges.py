"""Find ranges of two numbers: "from 2 to 4", "2-4", "two to four hundred"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.number_phrases import NumberPhrases
from anaphora.entities.builtin.numbers.quantities.amounts import HYPHENS, Amount, Bound, Quantity
from anaphora.entities.words.scripts import is_hangul, starts_unspaced

__all__ = ["find_ranges"]

_DASHES = frozenset("–—~〜～")
_SPECIAL_NEIGHBOURS = (3, 5)  # 三五个
_TEN = 10
_DIGITS = frozenset("123456789")
_PAIR_ATOMS = 3  # 2,3
_PHONE_GROUPS = (3, 4)  # digits: 555-1234


def find_ranges(
    phrases: NumberPhrases,
    atoms: Sequence[Atom],
    amounts: Sequence[Amount],
    prefix_of: Callable[[str], str],
) -> list[Quantity]:
    """The amounts as quantities, with both ends of a range as one. ``prefix_of`` gives what is
    attached to the numeral in a word."""
    quantities: list[Quantity] = []
    index, reach = 0, 0
    while index < len(amounts):
        one = amounts[index]
        index += 1
        quantity = None
        if index < len(amounts):
            other = amounts[index]
            if _is_phone_number(atoms, one, other):
                index += 1
                reach = other.end
                continue
            quantity = _build_range(phrases, atoms, one, other, reach, prefix_of)
        if quantity is None:
            quantity = _read_pair(phrases, atoms, one) or _to_quantity(one)
        else:
            index += 1
        quantities.append(quantity)
        reach = amounts[index - 1].end
    return quantities


def _build_range(
    phrases: NumberPhrases,
    atoms: Sequence[Atom],
    one: Amount,
    other: Amount,
    reach: int,
    prefix_of: Callable[[str], str],
) -> Quantity | None:
    if one.unit is not None and other.unit is not None and one.unit != other.unit:
        return None
    one, other = _share_tens(one, other)
    one = _share_scale(atoms, one, other)
    opening = phrases.range_openings.find_before(atoms, one.start)
    if opening is not None and opening[0] < reach:
        opening = None
    end = phrases.skip_counter(atoms, other.end, other.unit)
    closing = phrases.range_closings.find_after(atoms, end)
    is_dash = _is_dash_between(atoms, one.end, other.start)
    is_open = is_dash or _are_neighbours(phrases, atoms, one, other)
    if is_dash and one.weak:
        return None  # 15時半〜17時
    if not is_open and not _are_listed_neighbours(phrases, atoms, one, other):
        end = _skip_suspended_hyphen(atoms, phrases.skip_counter(atoms, one.end, one.unit))
        middle = phrases.range_connectors.match_between(atoms, end, other.start)
        if middle is None and end == other.start:
            middle = phrases.range_connectors.get(prefix_of(atoms[end].text))  # בין חמש לעשר
        if middle is None:
            return None
        if opening is not None and opening[1] not in middle.openings:
            opening = None
        if opening is None and "" not in middle.openings:
            return None
        if opening is None and not middle.closings & {"", closing[1] if closing else ""}:
            return None
        if opening is None and (one.value >= other.value or one.weak):
            return None  # "five to four" is a time, and "quarter to six"
    elif one.value >= other.value:
        return None  # 555-123
    low, high = sorted((one.value, other.value))
    return Quantity(
        one.start if opening is None else opening[0],
        other.end if closing is None else closing[0],
        "percent" if "percent" in (one.kind, other.kind) else other.kind,
        one.unit or other.unit,
        low=Bound(low, included=True),
        high=Bound(high, included=True),
        comparison="between",
    )


def _read_pair(phrases: NumberPhrases, atoms: Sequence[Atom], one: Amount) -> Quantity | None:
    """The range that two digits with a comma are in East Asia: 2,3人 are two or three people; None
    if they are none."""
    if not one.literal or one.end - one.start not in (_PAIR_ATOMS, _PAIR_ATOMS + 1):
        return None
    low, comma, high = (atom.text for atom in atoms[one.start : one.start + _PAIR_ATOMS])
    is_pair = comma == "," and low in _DIGITS and high == str(int(low) + 1)
    counted = _find_counted(phrases, atoms, one) if is_pair and high in _DIGITS else ""
    if not (is_hangul(counted) or starts_unspaced(counted)):
        return None
    first, last = Bound(int(low), included=True), Bound(int(high), included=True)
    return Quantity(one.start, one.end, one.kind, one.unit, None, first, last, "between")


def _to_quantity(one: Amount) -> Quantity:
    start, end, value, kind, unit, weak, _, about, _ = one
    return Quantity(start, end, kind, unit, value, None, None, "about" if about else None, weak)


def _is_dash_between(atoms: Sequence[Atom], end: int, start: int) -> bool:
    """Whether there is only a dash between two numbers, or a hyphen that touches both."""
    if start != end + 1:
        return False
    if atoms[end].text in HYPHENS:
        return atoms[end].glued and atoms[start].glued
    return atoms[end].text in _DASHES


def _skip_suspended_hyphen(atoms: Sequence[Atom], end: int) -> int:
    """The index behind a suspended hyphen (*zwei- bis dreihundert*), or ``end``."""
    is_open = (
        end + 1 < len(atoms)
        and atoms[end].text in HYPHENS
        and atoms[end].glued
        and not atoms[end + 1].glued
    )
    return end + 1 if is_open else end


def _are_neighbours(
    phrases: NumberPhrases, atoms: Sequence[Atom], one: Amount, other: Amount
) -> bool:
    """Whether two adjacent numbers are consecutive ones: 两三天 is two or three days."""
    if one.end != other.start or one.literal or other.literal or one.kind != "cardinal":
        return False
    is_one_word = atoms[one.end - 1].end == atoms[other.start].start  # 두세
    is_close = is_one_word or starts_unspaced(atoms[one.start].text)
    # 이십일이 is 21 as a subject.
    may_be_particle = other.weak and other.scale == 1 and one.value > _TEN
    if (not is_close or may_be_particle) and not is_hangul(_find_counted(phrases, atoms, other)):
        return False
    return other.value - one.value == other.scale or (one.value, other.value) == _SPECIAL_NEIGHBOURS


def _are_listed_neighbours(
    phrases: NumberPhrases, atoms: Sequence[Atom], one: Amount, other: Amount
) -> bool:
    """Whether two consecutive digits count one thing: 二、三人 and 2、3人 are two or three
    people, as are 2, 3명."""
    if other.start != one.end + 1 or one.unit is not None or one.literal != other.literal:
        return False
    counted, mark = _find_counted(phrases, atoms, other), atoms[one.end].text
    return (
        (mark == "、" or (mark == "," and is_hangul(counted)))
        and counted != ""
        and (not one.literal or other.value < _TEN * other.scale)
        and one.kind == other.kind == "cardinal"
        and other.value - one.value == other.scale
        and one.value % other.scale == 0 != one.value % (_TEN * other.scale)
    )


def _find_counted(phrases: NumberPhrases, atoms: Sequence[Atom], one: Amount) -> str:
    """The word or the last part of what a number counts; nothing if there is none."""
    if one.unit is not None:
        return atoms[one.end - 1].text
    return atoms[one.end].text if phrases.skip_counter(atoms, one.end, None) > one.end else ""


def _share_tens(one: Amount, other: Amount) -> tuple[Amount, Amount]:
    """The amounts, the second one with the tens of the first if its digit continues that of the
    first: 十五六 and 十五、六 are fifteen to sixteen."""
    is_digit = other.kind == one.kind == "cardinal" and 1 < other.value < _TEN < one.value
    if not is_digit or one.literal or other.literal or one.unit is not None:
        return one, other
    if other.start - one.end > 1 or one.value % _TEN != other.value - 1:
        return one, other
    return one, other._replace(value=one.value + 1)


def _share_scale(atoms: Sequence[Atom], one: Amount, other: Amount) -> Amount:
    """The first amount with the multiplier that it shares with the second: two to four HUNDRED."""
    if other.scale == 1 or one.scale != 1 or not 0 < one.value * other.scale < other.value:
        return one
    has_own_unit = one.unit is not None and atoms[one.end - 1].kind != "digits"
    return one if has_own_unit else one._replace(value=one.value * other.scale)


def _is_phone_number(atoms: Sequence[Atom], one: Amount, other: Amount) -> bool:
    """Whether two numbers are a phone number (555-1234) and no range: they have that length, are
    not both round, and have no unit."""
    if other.start != one.end + 1 or not (one.literal and other.literal):
        return False
    if one.unit is not None or other.unit is not None or "percent" in (one.kind, other.kind):
        return False
    sizes = len(atoms[one.start].text), len(atoms[other.start].text)
    if sizes != _PHONE_GROUPS or (one.end, other.end) != (one.start + 1, other.start + 1):
        return False
    if atoms[one.end].text not in HYPHENS or not _is_dash_between(atoms, one.end, other.start):
        return False
    return one.value % 10 != 0 or other.value % 10 != 0
