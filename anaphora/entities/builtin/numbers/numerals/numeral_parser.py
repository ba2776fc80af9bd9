"""Parse a numeral from tokens, by one algorithm for all languages.

A numeral is a sum of addends, each smaller than the ``room`` that the one before it leaves; a
multiplier multiplies the addends before it that are smaller than itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.numerals.numeral_vocabulary import (
    NumeralTerm,
    NumeralToken,
    NumeralVocabulary,
    TermRole,
    is_hyphen,
)
from anaphora.entities.words.scripts import is_hangul, starts_unspaced

__all__ = ["Numeral", "NumeralParser"]

_MOST_DIGITS = 30
_LIMIT = 10**_MOST_DIGITS
_DOZEN, _MILLION = 12, 10**6
_LEAST_DECIMAL_SCALE = 1000  # two point five MILLION
_NEIGHBOURS = frozenset({"12", "23", "34", "35", "45", "56", "67", "78", "89"})
_DECIMAL = frozenset({10, 100, 1000})  # две целых пять десятых


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number; ``start`` and ``end`` are indexes of atoms (half open).

    ``decimal`` means that it is a decimal ("two point five") and no fraction; ``scale`` is the
    multiplier at its end (1000 of "two thousand"), 1 if it has none. Both are ignored in
    comparisons.
    """

    start: int
    end: int
    value: int | Fraction
    ordinal: bool = False
    decimal: bool = field(default=False, compare=False)
    scale: int = field(default=1, compare=False)


@dataclass(slots=True)
class _Addend:
    """An addend, with the indexes of its tokens (half open); ``is_product`` means that it has a
    multiplier."""

    value: int | Fraction
    room: int
    start: int
    end: int
    is_product: bool = False


class NumeralParser:
    """Parses one numeral in the tokens from ``position`` on; afterwards ``position`` is the index
    of the next token."""

    def __init__(
        self,
        words: NumeralVocabulary,
        atoms: Sequence[Atom],
        tokens: Sequence[NumeralToken],
        position: int,
    ) -> None:
        self.position = position
        self._words = words
        self._atoms = atoms
        self._tokens = tokens
        self._parts: list[_Addend] = []
        self._ordinal = False
        self._has_prefix = False  # an ordinal one: 第
        self._decimal = False
        self._scale = 1
        self._comma = 0  # the number of parts before the last comma
        self._leading_zeros = 0
        self._least_scale = _LIMIT  # multipliers from this one on are not parsed

    def parse(self) -> Numeral | None:
        """The numeral that starts at the position; None if there is none."""
        first = self.position
        if self._tokens[first].first_term("vague"):
            self._skip_vague()
            return None
        value = self._parse_ordinal_prefix()
        if value is None and (fraction := self._parse_fraction()) is not None:
            value = self._parse_scale(fraction)
        if value is None:
            value = self._parse_sum()
            if value is not None and not self._ordinal:
                value = self._parse_fraction_after(value)
                self._parse_ordinal_suffix(value)
        if value is None or value >= _LIMIT:
            return None
        if self.position < len(self._tokens) and self._tokens[self.position].inner:
            return None
        if isinstance(value, Fraction) and value.denominator == 1:
            value = value.numerator
        end = self._tokens[self.position - 1].end
        start = self._tokens[first].start
        return Numeral(start, end, value, self._ordinal, self._decimal, self._scale)

    def _skip_vague(self) -> None:
        """Skip "several hundred thousand" and "several thousand five hundred": with a vague word
        neither the multipliers nor the addends form a number."""
        self.position += 1
        times: int | Fraction = 1
        while (term := self._next_term(self.position, "times")) is not None:
            self.position += 1
            times *= term.value
        at = (
            self.position + 1
            if self._next_term(self.position, "glue") is not None
            else self.position
        )
        if times == 1 or not self._touches(at) or self._tokens[at].literal:
            return
        added = NumeralParser(self._words, self._atoms, self._tokens, at)
        value = added._parse_sum()
        if value is not None and not added._ordinal and value < times:
            self.position = added.position

    def _touches(self, at: int) -> bool:
        """Whether a token follows the one before it directly or after a hyphen."""
        if at >= len(self._tokens):
            return False
        before, here = self._tokens[at - 1], self._tokens[at]
        if here.inner or before.end == here.start:
            return True
        return before.end + 1 == here.start and is_hyphen(self._atoms, before.end)

    def _next_term(self, at: int, role: TermRole) -> NumeralTerm | None:
        """The term of that role at a token, if the token touches the one before it."""
        return self._tokens[at].first_term(role) if self._touches(at) else None

    # Sums

    def _parse_sum(self) -> int | Fraction | None:
        """Parse a sum of addends and products; None if there is none."""
        first = self.position
        times = self._next_term(first + 1, "times")
        if self._tokens[first].first_term("article") and times and not times.counted:
            self.position += 1
        elif self._words.positional and self._parse_digit_row():
            first = self.position
        glue: NumeralTerm | None = None
        while self.position < len(self._tokens):
            if self._parts and not (self._touches(self.position) or self._passes_comma()):
                break
            if self._parts and self._is_apart(self._tokens[self.position].start):
                break
            token = self._tokens[self.position]
            if self._add_token(token, glue) or self._multiply_by_token(token):
                glue = None
                self.position += 1
                if self._ordinal and not self._words.ordinal_chain:
                    break
                continue
            glue = token.first_term("glue") if glue is None else None
            if glue is None or not self._parts or not self._can_bind(glue):
                break
            self.position += 1
        return self._total_of_parts(first)

    def _is_apart(self, at: int) -> bool:
        """Whether the word at an atom is a unit behind a blank, and a digit without one: 백 일."""
        return self._atoms[at].text in self._words.apart and not self._atoms[at].glued

    def _total_of_parts(self, first: int) -> int | Fraction | None:
        parts = self._parts
        if self._comma and sum(part.value for part in parts[self._comma :]) < 100:
            del parts[self._comma :]  # "one thousand, five" are two
        while len(parts) > 1 and self._is_loose_literal(parts[-1], parts[-2]):
            parts.pop()
        self.position = parts[-1].end if parts else first
        if not parts:
            return None
        if len(parts) == 1 and parts[0].is_product:
            self._scale = parts[0].room
        if self._words.short_tail:
            self._lengthen_tail()
        return parts[0].value if len(parts) == 1 else sum([part.value for part in parts])

    def _is_loose_literal(self, part: _Addend, product: _Addend) -> bool:
        """Whether the part is a number in digits that is another one, as after "5 million". Written
        as one with the part before it, in a script without blanks, it belongs to it: 1万2800; in
        Korean also behind a blank: 1만 2800."""
        token = self._tokens[part.start]
        if not token.literal or part.is_product:
            return False
        first = self._atoms[token.start]
        before = self._atoms[token.start - 1].text
        if first.glued and starts_unspaced(before):
            return False
        return not is_hangul(before) or product.end - product.start == 1  # 만 19세

    def _can_bind(self, glue: NumeralTerm) -> bool:
        room = self._parts[-1].room
        if self._parts[-1].value == 0:
            return False
        if self._words.inverted and 1 <= self._parts[-1].value <= 9:
            return True
        return glue.room <= room and (glue.high is None or room <= glue.high)

    def _add_token(self, token: NumeralToken, glue: NumeralTerm | None) -> bool:
        for term in token.terms.get("add", ()):
            if self._ordinal and not term.ordinal:
                continue
            if term.ordinal and self._is_loose(token):
                continue
            if self._is_inverted(term, glue):
                last = self._parts[-1]
                last.value, last.room, last.end = last.value + term.value, 0, self.position + 1
            elif self._can_add(term, token):
                self._parts.append(_Addend(term.value, term.room, self.position, self.position + 1))
            else:
                continue
            self._ordinal = term.ordinal
            return True
        return False

    def _is_loose(self, token: NumeralToken) -> bool:
        """Whether an ordinal is a word of its own behind a cardinal: *treinta segundos*, *vingt
        premiers*."""
        loose = self._words.loose_ordinals
        if not loose or not self._parts or self._ordinal:
            return False
        word = self._atoms[token.start].text.translate(self._words.fold)
        return token.end == token.start + 1 and (word,) in loose

    def _can_add(self, term: NumeralTerm, token: NumeralToken) -> bool:
        if not self._parts:
            return True
        last = self._parts[-1]
        if token.literal and not (last.is_product and last.room >= 1000):
            return False
        if last.value == 0 and term.value < last.room and not term.ordinal:
            self._leading_zeros += 1  # zero zero seven
            return True
        return 0 < term.value < last.room

    def _is_inverted(self, term: NumeralTerm, glue: NumeralTerm | None) -> bool:
        """Whether tens follow ones, as in *vierundzwanzig*."""
        if not self._words.inverted or glue is None:
            return False
        last = self._parts[-1]
        room = self._parts[-2].room if len(self._parts) > 1 else 100
        return (
            not last.is_product
            and 1 <= last.value <= 9
            and 20 <= term.value <= 90
            and term.value < room
        )

    def _multiply_by_token(self, token: NumeralToken) -> bool:
        term = token.first_term("times")
        if term is None or (self._ordinal and not term.ordinal):
            return False
        if self._has_prefix and self._atoms[token.start].text in self._words.never_ordinal:
            return False
        if (term.counted and not self._parts) or term.value >= self._least_scale:
            return False
        kept = 0 if term.collective else len(self._parts)
        while kept and self._parts[kept - 1].value < term.value:
            kept -= 1
        multiplied = self._parts[kept:]
        if self._words.short_tail and len(multiplied) > 1:
            self._lengthen_tail()  # 百二万 is 1,200,000
        value = (sum(part.value for part in multiplied) if multiplied else 1) * term.value
        if kept and not value < self._parts[kept - 1].room:
            del self._parts[kept:]  # the multiplied addends belong to the next numeral
            return False
        start = multiplied[0].start if multiplied else self.position
        self._parts[kept:] = [
            _Addend(value, int(term.value), start, self.position + 1, is_product=True)
        ]
        self._ordinal = term.ordinal
        return True

    def _passes_comma(self) -> bool:
        """Whether a comma precedes the next token, after thousands or more: "one thousand,
        two hundred"."""
        before, here = self._tokens[self.position - 1].end, self._tokens[self.position]
        last = self._parts[-1]
        if not last.is_product or last.room < 1000 or here.literal or before + 1 != here.start:
            return False
        if self._atoms[before].text != "," or self._atoms[here.start].glued:
            return False
        self._comma = len(self._parts)
        return True

    def _parse_digit_row(self) -> bool:
        """Parse 二〇二四; returns whether there is such a row of two digits or more."""
        end = self.position
        digits: list[str] = []
        first = self._tokens[end].start
        if first and self._atoms[first - 1].text in self._words.row_breaks:
            return False
        while end < len(self._tokens) and (end == self.position or self._touches(end)):
            token = self._tokens[end]
            term = None if token.literal else token.first_term("add")
            if term is None or term.ordinal or not 0 <= term.value <= 9:
                break
            if digits and self._atoms[token.start].text in self._words.never_positional:
                break  # 二两
            digits.append(str(term.value))
            end += 1
        after = self._next_term(end, "times")
        if "".join(digits) in _NEIGHBOURS:
            return False  # 两三天 is two or three days
        if len(digits) < 2 or (after is not None and after.value < 10_000):
            return False
        value = int("".join(digits[: _MOST_DIGITS + 1]))
        self._leading_zeros = len(digits) - len(str(value))
        self._parts.append(_Addend(value, 0, self.position, end))
        self.position = end
        return True

    def _lengthen_tail(self) -> None:
        """Turn the total of 二百五 into 250 in Chinese, where 205 is 二百零五."""
        if len(self._parts) < 2:
            return
        before, last = self._parts[-2:]
        if (
            before.is_product
            and not last.is_product
            and before.end == last.start
            and before.room >= 100
            and last.value < 10
        ):
            last.value *= before.room // 10

    # Ordinals with a separate word

    def _parse_ordinal_prefix(self) -> int | Fraction | None:
        """Parse 第五."""
        first = self.position
        term = self._tokens[first].first_term("ordinal")
        if term is None or term.behind or not self._touches(first + 1):
            return None
        self.position += 1
        self._has_prefix = True
        value = self._parse_sum()
        if value is None:
            self.position = first
        else:
            self._ordinal = True
        return value

    def _parse_ordinal_suffix(self, value: int | Fraction) -> None:
        """Parse the suffix of 五番目."""
        term = self._next_term(self.position, "ordinal")
        if term is not None and term.behind and isinstance(value, int):
            self._ordinal = True
            self.position += 1

    # Fractions

    def _parse_fraction(self) -> int | Fraction | None:
        """Parse "half", "a half"."""
        at = self.position
        if self._tokens[at].first_term("article") and self._next_term(at + 1, "fraction"):
            at += 1
        term = self._tokens[at].first_term("fraction")
        if term is None:
            return None
        self.position = at + 1
        return term.value

    def _parse_fraction_after(self, value: int | Fraction) -> int | Fraction:
        """Parse the words behind a number that turn it into a fraction or add one to it."""
        start = self.position
        if not self._touches(start):
            return value
        for read in (
            self._parse_counted_fraction,
            self._parse_inverted_fraction,
            self._parse_mixed_fraction,
            self._parse_decimal,
        ):
            changed = read(value)
            if changed is not None:
                return self._parse_scale(changed)
            self.position = start
        return value

    def _parse_scale(self, value: int | Fraction) -> int | Fraction:
        """Parse the multipliers behind a fraction: "half a million"."""
        if self._next_term(self.position, "article") and self._next_term(
            self.position + 1, "times"
        ):
            self.position += 1
        while (term := self._next_term(self.position, "times")) is not None and not term.ordinal:
            value *= term.value
            self._scale = int(term.value)
            self.position += 1
            if value >= _LIMIT:
                break
        return value

    def _parse_counted_fraction(self, value: int | Fraction) -> Fraction | None:
        """Parse "two thirds", "one half"; "a dozen and a half", if nothing stands between them."""
        part, half = (self._next_term(self.position, role) for role in ("part", "fraction"))
        term = part or half
        if term is None:
            return None
        if term.single and (value % 10 != 1 or value % 100 == 11):
            return None  # «десять пята» is no fraction
        self.position += 1
        if part is None and self._scale == _DOZEN:
            return value + term.value * Fraction(_DOZEN)  # 1ダース半
        return Fraction(value) * term.value

    def _parse_inverted_fraction(self, value: int | Fraction) -> Fraction | None:
        """Parse 三分の二, where the denominator comes first."""
        if self._next_term(self.position, "over") is None or not self._touches(self.position + 1):
            return None
        inner = NumeralParser(self._words, self._atoms, self._tokens, self.position + 1)
        above = inner._parse_sum()
        if above is None or inner._ordinal or not value:
            return None
        self.position = inner.position
        return Fraction(above) / Fraction(value)

    def _parse_mixed_fraction(self, value: int | Fraction) -> int | Fraction | None:
        """Parse "two and a half", *zweieinhalb*, «две целых и три десятых», 一又二分之一."""
        plus = self._next_term(self.position, "plus")
        if plus is not None:
            self.position += 1
            return Fraction(value) + plus.value
        at = self.position
        while self._next_term(at, "with") is not None:
            at += 1
        if at == self.position or not self._touches(at):
            return None
        inner = NumeralParser(self._words, self._atoms, self._tokens, at)
        added = inner._parse_fraction()
        if added is None and (count := inner._parse_sum()) is not None and not inner._ordinal:
            added = inner._parse_counted_fraction(count) or inner._parse_inverted_fraction(count)
        if added is None and self._tokens[at].first_term("article"):
            part = self._next_term(at + 1, "part")  # two and a third
            added, inner.position = part and part.value, at + 2
        if added is None or not added < 1:
            return None
        self.position = inner.position
        if self._scale == _DOZEN or self._scale >= _MILLION:
            return value + added * self._scale  # un millón y medio
        part = self._tokens[inner.position - 1].first_term("part")
        self._decimal = part is not None and part.value.denominator in _DECIMAL
        return Fraction(value) + added

    def _parse_decimal(self, value: int | Fraction) -> Fraction | None:
        """Parse "three point one four", *deux virgule vingt-cinq*."""
        if self._next_term(self.position, "point") is None or not isinstance(value, int):
            return None
        before, point = self._tokens[self.position - 1], self._tokens[self.position]
        if before.literal and starts_unspaced(self._atoms[point.start].text):
            return None  # 7点四 is a time, and 9点15分
        at, digits = self.position + 1, ""
        while self._touches(at) and len(digits) < _MOST_DIGITS:
            inner = NumeralParser(self._words, self._atoms, self._tokens, at)
            inner._least_scale = _LEAST_DECIMAL_SCALE
            read = inner._parse_sum()
            if not isinstance(read, int) or inner._ordinal or (digits and read > 9):
                break
            token = self._tokens[at]
            written = self._atoms[token.start].text if token.literal else str(read)
            digits, at = f"{digits}{'0' * inner._leading_zeros}{written}", inner.position
            if read > 9:
                break
        if not digits:
            return None
        self.position, self._decimal = at, True
        return value + Fraction(int(digits), 10 ** len(digits))
