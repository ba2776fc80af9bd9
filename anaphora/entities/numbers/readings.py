"""The reading of one numeral in words, out of what its words may mean.

One algorithm for all languages. A numeral is a sum of parts, each smaller than the part before
it leaves room for; a multiplier multiplies the parts before it that are smaller than itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from anaphora.entities.atoms import Atom
from anaphora.entities.numbers.terms import Role, Slot, Term, Vocabulary, is_hyphen

__all__ = ["Numeral", "Reading"]

_MOST_DIGITS = 30
_LIMIT = 10**_MOST_DIGITS
_DOZEN, _MILLION = 12, 10**6
_NEIGHBOURS = frozenset({"12", "23", "34", "35", "45", "56", "67", "78", "89"})
_DECIMAL = frozenset({10, 100, 1000})  # две целых пять десятых


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number; ``start`` and ``end`` are indexes of atoms (half open).

    How it was said does not count when two are compared: ``decimal`` says that it was said digit
    by digit ("two point five") and not as a fraction; ``scale`` is the multiplier at its end (1000
    of "two thousand"), 1 if it has none.
    """

    start: int
    end: int
    value: int | Fraction
    ordinal: bool = False
    decimal: bool = field(default=False, compare=False)
    scale: int = field(default=1, compare=False)


@dataclass(slots=True)
class _Part:
    """A part of the sum, with the slots in which it stands (half open); ``made`` says that a
    multiplier made it."""

    value: int | Fraction
    room: int
    start: int
    end: int
    made: bool = False


class Reading:
    """The reading of one numeral in the slots from ``at`` on; when it is done, ``at`` is the slot
    after what has been read."""

    def __init__(
        self, words: Vocabulary, found: Sequence[Atom], slots: Sequence[Slot], at: int
    ) -> None:
        self.at = at
        self._words = words
        self._found = found
        self._slots = slots
        self._parts: list[_Part] = []
        self._ordinal = False
        self._decimal = False
        self._scale = 1
        self._comma = 0  # how many parts stood before the last one

    def numeral(self) -> Numeral | None:
        """The numeral that starts at this slot, None if there is none."""
        first = self.at
        if self._slots[first].term("vague"):
            self._skip_vague()
            return None
        value = self._ordinal_in_front()
        if value is None and (fraction := self._fraction_alone()) is not None:
            value = self._scaled(fraction)
        if value is None:
            value = self._sum()
            if value is not None and not self._ordinal:
                value = self._with_fraction(value)
                self._ordinal_behind(value)
        if value is None or value >= _LIMIT or self._is_within_word():
            return None
        if isinstance(value, Fraction) and value.denominator == 1:
            value = value.numerator
        end = self._slots[self.at - 1].end
        start = self._slots[first].start
        return Numeral(start, end, value, self._ordinal, self._decimal, self._scale)

    def _skip_vague(self) -> None:
        """Skip "several hundred thousand" and "several thousand five hundred": with a vague word
        they make no number, the multipliers as little as what is added to them."""
        self.at += 1
        times: int | Fraction = 1
        while (term := self._next(self.at, "times")) is not None:
            self.at += 1
            times *= term.value
        at = self.at + 1 if self._next(self.at, "glue") is not None else self.at
        if times == 1 or not self._touches(at) or self._slots[at].literal:
            return
        added = Reading(self._words, self._found, self._slots, at)
        value = added._sum()
        if value is not None and not added._ordinal and value < times:
            self.at = added.at

    def _is_within_word(self) -> bool:
        return self.at < len(self._slots) and self._slots[self.at].inner

    def _touches(self, at: int) -> bool:
        """Whether nothing but a hyphen stands between a slot and the one before it."""
        if at >= len(self._slots):
            return False
        before, here = self._slots[at - 1], self._slots[at]
        if here.inner or before.end == here.start:
            return True
        return before.end + 1 == here.start and is_hyphen(self._found, before.end)

    def _next(self, at: int, role: Role) -> Term | None:
        """The term of that role at a slot, if it touches what stands before it."""
        return self._slots[at].term(role) if self._touches(at) else None

    # Sums

    def _sum(self) -> int | Fraction | None:
        """The value of what is added and multiplied."""
        first = self.at
        if self._slots[first].term("article") and self._next(first + 1, "times"):
            self.at += 1
        elif self._words.positional and self._digit_by_digit():
            first = self.at
        glue: Term | None = None
        while self.at < len(self._slots):
            if self._parts and not (self._touches(self.at) or self._passes_comma()):
                break
            slot = self._slots[self.at]
            if self._adds(slot, glue) or self._multiplies(slot):
                glue = None
                self.at += 1
                if self._ordinal and not self._words.ordinal_chain:
                    break
                continue
            glue = slot.term("glue") if glue is None else None
            if glue is None or not self._parts or not self._binds(glue):
                break
            self.at += 1
        return self._total(first)

    def _total(self, first: int) -> int | Fraction | None:
        parts = self._parts
        if self._comma and sum(part.value for part in parts[self._comma :]) < 100:
            del parts[self._comma :]  # "one thousand, five" are two
        while len(parts) > 1 and self._slots[parts[-1].start].literal and not parts[-1].made:
            parts.pop()
        self.at = parts[-1].end if parts else first
        if not parts:
            return None
        if len(parts) == 1 and parts[0].made:
            self._scale = parts[0].room
        if self._words.short_tail:
            self._lengthen_tail()
        return parts[0].value if len(parts) == 1 else sum([part.value for part in parts])

    def _binds(self, glue: Term) -> bool:
        room = self._parts[-1].room
        if self._words.inverted and 1 <= self._parts[-1].value <= 9:
            return True
        return glue.room <= room and (glue.high is None or room <= glue.high)

    def _adds(self, slot: Slot, glue: Term | None) -> bool:
        for term in slot.terms.get("add", ()):
            if self._ordinal and not term.ordinal:
                continue
            if self._inverts(term, glue):
                last = self._parts[-1]
                last.value, last.room, last.end = last.value + term.value, 0, self.at + 1
            elif self._fits(term, slot):
                self._parts.append(_Part(term.value, term.room, self.at, self.at + 1))
            else:
                continue
            self._ordinal = term.ordinal
            return True
        return False

    def _fits(self, term: Term, slot: Slot) -> bool:
        if not self._parts:
            return True
        last = self._parts[-1]
        if slot.literal and not (last.made and last.room >= 1000):
            return False
        return 0 < term.value < last.room

    def _inverts(self, term: Term, glue: Term | None) -> bool:
        """Whether tens follow ones, as in *vierundzwanzig*."""
        if not self._words.inverted or glue is None:
            return False
        last = self._parts[-1]
        room = self._parts[-2].room if len(self._parts) > 1 else 100
        return (
            not last.made and 1 <= last.value <= 9 and 20 <= term.value <= 90 and term.value < room
        )

    def _multiplies(self, slot: Slot) -> bool:
        term = slot.term("times")
        if term is None or (self._ordinal and not term.ordinal):
            return False
        kept = len(self._parts)
        while kept and self._parts[kept - 1].value < term.value:
            kept -= 1
        multiplied = self._parts[kept:]
        value = (sum(part.value for part in multiplied) if multiplied else 1) * term.value
        if kept and not value < self._parts[kept - 1].room:
            del self._parts[kept:]  # what is to be multiplied belongs to the next numeral
            return False
        start = multiplied[0].start if multiplied else self.at
        self._parts[kept:] = [_Part(value, int(term.value), start, self.at + 1, made=True)]
        self._ordinal = term.ordinal
        return True

    def _passes_comma(self) -> bool:
        """Whether a comma stands before the next slot, after thousands or more: "one thousand,
        two hundred"."""
        before, here = self._slots[self.at - 1].end, self._slots[self.at]
        last = self._parts[-1]
        if not last.made or last.room < 1000 or here.literal or before + 1 != here.start:
            return False
        if self._found[before].text != "," or self._found[here.start].glued:
            return False
        self._comma = len(self._parts)
        return True

    def _digit_by_digit(self) -> bool:
        """Reads 二〇二四; whether there was such a row of two digits or more."""
        end = self.at
        digits: list[str] = []
        while end < len(self._slots) and (end == self.at or self._touches(end)):
            slot = self._slots[end]
            term = None if slot.literal else slot.term("add")
            if term is None or term.ordinal or not 0 <= term.value <= 9:
                break
            digits.append(str(term.value))
            end += 1
        after = self._next(end, "times")
        if "".join(digits) in _NEIGHBOURS:
            return False  # 两三天 are two or three days
        if len(digits) < 2 or (after is not None and after.value < 10_000):
            return False
        value = int("".join(digits[: _MOST_DIGITS + 1]))
        self._parts.append(_Part(value, 0, self.at, end))
        self.at = end
        return True

    def _lengthen_tail(self) -> None:
        """Makes 250 of 二百五 in Chinese, where 205 is 二百零五."""
        if len(self._parts) < 2:
            return
        before, last = self._parts[-2:]
        if before.made and not last.made and before.end == last.start and before.room >= 100:
            last.value *= before.room // 10

    # Ordinals by a word of their own

    def _ordinal_in_front(self) -> int | Fraction | None:
        """Reads 第五."""
        first = self.at
        term = self._slots[first].term("ordinal")
        if term is None or term.behind or not self._touches(first + 1):
            return None
        self.at += 1
        value = self._sum()
        if value is None:
            self.at = first
        else:
            self._ordinal = True
        return value

    def _ordinal_behind(self, value: int | Fraction) -> None:
        """Reads what stands behind in 五番目."""
        term = self._next(self.at, "ordinal")
        if term is not None and term.behind and isinstance(value, int):
            self._ordinal = True
            self.at += 1

    # Fractions

    def _fraction_alone(self) -> int | Fraction | None:
        """Reads "half", "a half"."""
        at = self.at
        if self._slots[at].term("article") and self._next(at + 1, "fraction"):
            at += 1
        term = self._slots[at].term("fraction")
        if term is None:
            return None
        self.at = at + 1
        return term.value

    def _with_fraction(self, value: int | Fraction) -> int | Fraction:
        """Reads what makes a fraction of a number, or adds one to it."""
        start = self.at
        if not self._touches(start):
            return value
        for read in (self._counted, self._turned, self._added, self._pointed):
            changed = read(value)
            if changed is not None:
                return self._scaled(changed)
            self.at = start
        return value

    def _scaled(self, value: int | Fraction) -> int | Fraction:
        """Reads the multipliers behind a fraction: "half a million"."""
        if self._next(self.at, "article") and self._next(self.at + 1, "times"):
            self.at += 1
        while (term := self._next(self.at, "times")) is not None and not term.ordinal:
            value *= term.value
            self._scale = int(term.value)
            self.at += 1
            if value >= _LIMIT:
                break
        return value

    def _counted(self, value: int | Fraction) -> Fraction | None:
        """Reads "two thirds", "one half"."""
        term = self._next(self.at, "part") or self._next(self.at, "fraction")
        if term is None:
            return None
        self.at += 1
        return Fraction(value) * term.value

    def _turned(self, value: int | Fraction) -> Fraction | None:
        """Reads 三分の二, where the denominator comes first."""
        if self._next(self.at, "over") is None or not self._touches(self.at + 1):
            return None
        inner = Reading(self._words, self._found, self._slots, self.at + 1)
        above = inner._sum()
        if above is None or inner._ordinal or not value:
            return None
        self.at = inner.at
        return Fraction(above) / Fraction(value)

    def _added(self, value: int | Fraction) -> int | Fraction | None:
        """Reads "two and a half", *zweieinhalb*, «две целых и три десятых»."""
        plus = self._next(self.at, "plus")
        if plus is not None:
            self.at += 1
            return Fraction(value) + plus.value
        at = self.at
        while self._next(at, "with") is not None:
            at += 1
        if at == self.at or not self._touches(at):
            return None
        inner = Reading(self._words, self._found, self._slots, at)
        added = inner._fraction_alone()
        if added is None and (count := inner._sum()) is not None and not inner._ordinal:
            added = inner._counted(count)
        if added is None or not added < 1:
            return None
        self.at = inner.at
        if self._scale == _DOZEN or self._scale >= _MILLION:
            return value + added * self._scale  # un millón y medio
        part = self._slots[inner.at - 1].term("part")
        self._decimal = part is not None and part.value.denominator in _DECIMAL
        return Fraction(value) + added

    def _pointed(self, value: int | Fraction) -> Fraction | None:
        """Reads "three point one four", *deux virgule vingt-cinq*."""
        if self._next(self.at, "point") is None or not isinstance(value, int):
            return None
        at, digits = self.at + 1, ""
        while self._touches(at) and len(digits) < _MOST_DIGITS:
            inner = Reading(self._words, self._found, self._slots, at)
            read = inner._sum()
            if not isinstance(read, int) or inner._ordinal or (digits and read > 9):
                break
            digits, at = f"{digits}{read}", inner.at
            if read > 9:
                break
        if not digits:
            return None
        self.at, self._decimal = at, True
        return value + Fraction(int(digits), 10 ** len(digits))
