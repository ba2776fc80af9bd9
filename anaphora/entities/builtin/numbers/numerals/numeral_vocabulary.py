"""The meanings of words in numerals, from the table of a language.

A :class:`NumeralVocabulary` splits the atoms of a text into tokens: words and phrases of the
table, or parts of a compound word (*vier|und|zwanzig*), each with the terms that it may mean.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from anaphora.entities.builtin.atoms import Atom, split_atoms
from anaphora.entities.builtin.numbers.numerals.adjectives import stands_before_noun
from anaphora.entities.builtin.numbers.phrase_lookup import expand_endings
from anaphora.entities.languages import cached_table
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.entities.words.scripts import FIRST_UNSPACED

__all__ = [
    "NumeralTerm",
    "NumeralToken",
    "NumeralVocabulary",
    "TermRole",
    "TermsByRole",
    "is_hyphen",
    "load_vocabulary",
]

TermRole = Literal[
    "add",  # a value of its own: five, twenty, двести
    "times",  # multiplies the addends before it: hundred, million
    "glue",  # joins an addend: two hundred AND five
    "fraction",  # a fraction by itself: half
    "part",  # a fraction with a count: two THIRDS
    "plus",  # a fraction that is added without glue: zweiEINHALB
    "with",  # joins a fraction: two AND a half, два С половиной
    "article",  # one, before a multiplier or a fraction: A hundred
    "point",  # three POINT five
    "over",  # between a denominator and its numerator: 三分之二
    "vague",  # an indefinite count: SEVERAL hundred
    "ordinal",  # makes an ordinal of the numeral behind or before it: 第五, 五番目
]

_VALUED_ROLES: dict[str, TermRole] = {"fractions": "fraction", "parts": "part", "plus": "plus"}
_PLAIN_ROLES: dict[str, TermRole] = {
    "with": "with", "articles": "article", "point": "point", "over": "over", "vague": "vague",
}  # fmt: skip
_OPENING_ROLES: frozenset[TermRole] = frozenset({"add", "times", "fraction"})
HYPHENS = frozenset("-‐‑–—")
_APOSTROPHES = frozenset("'`")
_MAX_CACHED_WORDS = 20_000
_MAX_COMPOUND_LETTERS = 150
_PREFIX_LETTERS = 2
_UNITS = (10**12, 10**9, 10**6, 1000, 100, 10)
_ACCENTS = {
    code: base
    for code in range(0xC0, 0x180)
    if (base := unicodedata.normalize("NFD", chr(code))[0]) != chr(code) and chr(code).islower()
}
"""The letters of Latin alphabets without their accents."""


class NumeralTerm(NamedTuple):  # a dataclass takes three times as long to make
    """A meaning of a word. An addend behind it must be smaller than ``room``. Glue needs a room
    from ``room`` to ``high`` before it. ``behind`` means that an ordinal word follows the
    number. A ``collective`` multiplies all addends before it (twenty DOZEN), and a ``counted``
    multiplier needs one. A ``single`` fraction is one of a number that ends in one."""

    role: TermRole
    value: int | Fraction = 0
    room: int = 0
    ordinal: bool = False
    high: int | None = None
    behind: bool = False
    collective: bool = False
    counted: bool = False
    single: bool = False


TermsByRole: TypeAlias = Mapping[TermRole, tuple[NumeralTerm, ...]]
"""The meanings of a word by their role."""


class NumeralToken(NamedTuple):
    """A word, a phrase, or a part of a compound (``inner``, unless it is the first part), with the
    indexes of its atoms (half open). ``literal`` marks a number in digits, ``is_prefix`` glue that
    is a prefix of the next token."""

    start: int
    end: int
    terms: TermsByRole
    inner: bool = False
    literal: bool = False
    is_prefix: bool = False

    def first_term(self, role: TermRole) -> NumeralTerm | None:
        """The first term of that role; None if there is none."""
        terms = self.terms.get(role)
        return terms[0] if terms else None


class _WordEntry(NamedTuple):
    """What an atom may start: a single word with its ``terms``; a phrase of at most ``most`` words;
    the ``parts`` of a compound; or a phrase behind a prefix, which is ``glue`` or an ``attached``
    word without a meaning in the numeral."""

    word: str
    terms: TermsByRole | None = None
    most: int = 0
    parts: tuple[TermsByRole, ...] = ()
    glue: TermsByRole | None = None
    attached: str = ""


@lru_cache(maxsize=32)
def load_vocabulary(language: str) -> NumeralVocabulary:
    """The vocabulary of a language; empty if it has no table."""
    return NumeralVocabulary(language, cached_table(base_code(language), "numerals"))


class NumeralVocabulary:
    """The words of numerals in a language, and the features of its numerals."""

    def __init__(self, language: str, written: Mapping[str, Any]) -> None:
        self._normalize = create_normalizer(language)
        accents = {} if written.get("accents") else _ACCENTS
        self.fold: Mapping[int, str] = accents | str.maketrans(written.get("fold", {}))
        self.prefixes = tuple(written.get("prefixes", ()))
        self.attached = tuple(sorted(written.get("attached", ()), key=len, reverse=True))
        self._joined = bool(written.get("apostrophes"))  # п'ять is one word
        self.inverted = bool(written.get("inverted"))
        self.positional = bool(written.get("positional"))
        self.never_positional = frozenset(written.get("never_positional", ()))
        self.row_breaks = frozenset(written.get("row_breaks", ()))
        self.apart = frozenset(written.get("apart", ()))
        self.never_ordinal = frozenset(written.get("never_ordinal", ()))
        self.short_tail = bool(written.get("short_tail"))
        self.ordinal_chain = bool(written.get("ordinal_chain"))
        self.loose_ordinals = frozenset(
            self._key(word) for word in written.get("loose_ordinals", ())
        )
        self.weak = frozenset(self._key(word) for word in written.get("weak", ()))
        self._longest_weak = max(map(len, self.weak), default=0)
        self._language = base_code(language)
        self.adjectives = frozenset(written.get("adjectives", ()))
        self._never = frozenset(self._key(phrase) for phrase in written.get("never", ()))
        # 万一 is "in case", but 十万一 a number.
        self._never_first = frozenset(
            self._key(phrase) for phrase in written.get("never_first", ())
        )
        self._still = frozenset(self._key(phrase) for phrase in written.get("still", ()))
        self._phrases = self._load_phrases(written)
        self._most: dict[str, int] = {}
        for key in (*self._phrases, *self._never, *self._never_first, *self._still):
            self._most[key[0]] = max(len(key), self._most.get(key[0], 1))
        single = {key[0]: terms for key, terms in self._phrases.items() if len(key) == 1}
        self._single = single
        self.compounds = _CompoundSplitter(single) if written.get("compounds") else None
        # The same few words occur again and again.
        self._known = lru_cache(maxsize=_MAX_CACHED_WORDS)(self._look_up)

    @property
    def openers(self) -> frozenset[tuple[str, ...]]:
        """The words and phrases with a value, of which each numeral has at least one."""
        return frozenset(
            key
            for key, terms in self._phrases.items()
            if any(not one.counted for role in _OPENING_ROLES for one in terms.get(role, ()))
        )

    @property
    def binders(self) -> frozenset[str]:
        """The words that join others within a compound (*und*)."""
        return frozenset(
            word
            for word, terms in self._single.items()
            if terms.keys() & {"glue", "with", "plus", "point"}
        )

    def tokenize(self, atoms: Sequence[Atom]) -> list[NumeralToken]:
        """The tokens of the atoms, in order, without unknown words."""
        tokens: list[NumeralToken] = []
        known, joined = self._known, self._joined
        index, count = 0, len(atoms)
        while index < count:
            atom = atoms[index]
            if atom.kind == "digits":
                index += 1
                continue
            after = index + 1
            if joined and after < count and atoms[after].text in _APOSTROPHES:
                text, after = self._word(atoms, index)
                word = known(text)
            else:
                word = known(atom.text)
            if word is not None and word.terms is not None:
                tokens.append(NumeralToken(index, after, word.terms))
            elif word is not None:
                after = self._add_tokens(tokens, atoms, word, index, after)
            index = after
        return tokens

    def has_word(self, text: str) -> bool:
        """Whether the word has a meaning in numerals by itself."""
        if text in self._single:
            return True
        return self.compounds is not None and bool(text and self.compounds.split(text))

    def may_start(self, text: str) -> bool:
        """Whether the word, or a phrase that begins with it, is in the table."""
        return self._known(text) is not None

    def is_weak(self, atoms: Sequence[Atom]) -> bool:
        """Whether these atoms alone usually mean something else (*un*, the article)."""
        if len(atoms) > self._longest_weak:
            return False
        words = [atom.text.translate(self.fold) for atom in atoms]
        if self.attached and words:
            words[0] = words[0].removeprefix(self.attached_prefix(atoms[0].text))
        return tuple(words) in self.weak

    def _look_up(self, text: str) -> _WordEntry | None:
        """The entry of the word or phrase that an atom may start."""
        word = text.translate(self.fold) if self.fold and len(text) > 1 else text
        if word in self._most:
            alone = self._most[word] == 1 and (word,) not in self._never
            return _WordEntry(word, self._single.get(word) if alone else None, self._most[word])
        if self.compounds is not None and (parts := self.compounds.split(word)):
            return _WordEntry(word, parts=tuple(self._single[part] for part in parts))
        if self.prefixes and word.startswith(self.prefixes) and word[1:] in self._most:
            return _WordEntry(word[1:], most=self._most[word[1:]], glue=self._single.get(word[:1]))
        rests = {one: word[len(one) :] for one in self.attached if word.startswith(one)}
        for words in (self._single, self._most):
            for prefix, rest in rests.items():
                if rest in words:
                    return _WordEntry(rest, most=self._most[rest], attached=prefix)
        return None

    def attached_prefix(self, text: str) -> str:
        """The word that is attached to the numeral at the start of an atom (לחמש); '' if none
        is."""
        word = self._known(text) if self.attached else None
        return word.attached if word is not None else ""

    def numeral_prefix(self, text: str) -> str:
        """What is attached to the numeral in an atom, a word or a joint (לחמש, وخمسة)."""
        word = self._known(text) if self.attached or self.prefixes else None
        if word is None:
            return ""
        return text[:1] if word.glue is not None else word.attached

    def _add_tokens(
        self,
        tokens: list[NumeralToken],
        atoms: Sequence[Atom],
        word: _WordEntry,
        index: int,
        after: int,
    ) -> int:
        """Append the tokens that start at an atom; returns the index of the next atom."""
        for number, part in enumerate(word.parts):
            tokens.append(NumeralToken(index, after, part, inner=number > 0))
        if not word.most:
            return after
        follows = bool(tokens) and tokens[-1].end == index
        end, terms = self._longest_phrase(atoms, after, word, follows=follows)
        if terms is not None and word.glue is not None:
            tokens.append(NumeralToken(index, index + 1, word.glue, is_prefix=True))
        if terms is not None:
            tokens.append(NumeralToken(index, end, terms, inner=word.glue is not None))
        return end

    def _longest_phrase(
        self, atoms: Sequence[Atom], after: int, word: _WordEntry, *, follows: bool
    ) -> tuple[int, TermsByRole | None]:
        """The end and the terms of the longest phrase that starts with a word; the terms are None
        if there is none or it is no numeral. The word ends at ``after``; ``follows`` means that a
        token touches it from the left."""
        key: tuple[str, ...] = (word.word,)
        if word.word in self.adjectives and stands_before_noun(atoms, after - 1, self._language):
            return after, None
        first = after, self._phrases.get(key)
        best = (after, None) if key in self._never else first
        at = after
        while len(key) < word.most and at < len(atoms):
            if is_hyphen(atoms, at):
                at += 1
                continue
            if atoms[at].kind == "digits":
                break
            text, at = self._word(atoms, at)
            key = (*key, text)
            if key in self._still:
                best = first
            elif key in self._never or (key in self._never_first and not follows):
                best = at, None
            elif key in self._phrases:
                best = at, self._phrases[key]
        return best

    def _word(self, atoms: Sequence[Atom], index: int) -> tuple[str, int]:
        """The word that starts at an atom, and the index of the atom after it."""
        text, after = atoms[index].text, index + 1
        if self._joined and text.isalpha():
            while (
                after + 1 < len(atoms)
                and atoms[after].text in _APOSTROPHES
                and atoms[after].glued
                and atoms[after + 1].glued
                and atoms[after + 1].kind == "word"
            ):
                text, after = f"{text}'{atoms[after + 1].text}", after + 2
        return text.translate(self.fold), after

    def _load_phrases(
        self, written: Mapping[str, Any]
    ) -> dict[tuple[str, ...], dict[TermRole, tuple[NumeralTerm, ...]]]:
        """The terms of the phrases of the table."""
        phrases: dict[tuple[str, ...], dict[TermRole, tuple[NumeralTerm, ...]]] = {}
        for phrase, term in _iter_terms(written):
            terms = phrases.setdefault(self._key(phrase), {})
            known = terms.get(term.role, ())
            if term not in known:
                terms[term.role] = (*known, term)
        return phrases

    def _key(self, phrase: str) -> tuple[str, ...]:
        if phrase.isalpha() and max(phrase) < FIRST_UNSPACED:
            return (self._normalize(phrase).translate(self.fold),)  # a single word, as most are
        found = [atom for atom in split_atoms(phrase, self._normalize) if atom.text not in HYPHENS]
        key, index = [], 0
        while index < len(found):
            word, index = self._word(found, index)
            key.append(word)
        return tuple(key)


class _CompoundSplitter:
    """Splits compound numerals (*vierundzwanzig*, двадцатипятитысячный) into known words."""

    def __init__(self, words: Mapping[str, TermsByRole]) -> None:
        self._words = frozenset(words)
        self._longest = max(map(len, self._words), default=0)
        # A single letter starts a compound only if it is a number, as in Korean.
        self._starts = frozenset(
            word[:_PREFIX_LETTERS]
            for word, terms in words.items()
            if len(word) > 1 or _OPENING_ROLES & terms.keys()
        )

    def split(self, word: str) -> list[str]:
        """The known words that ``word`` consists of, at each position the longest possible one;
        none, if there is any remainder."""
        starts = self._starts
        if word[:_PREFIX_LETTERS] not in starts and word[0] not in starts:
            return []
        if len(word) > _MAX_COMPOUND_LETTERS:
            return []
        # From the end: the longest word at each position after which the rest can be split.
        size, longest = len(word), [0] * len(word)
        for at in range(size - 1, -1, -1):
            for end in range(min(size, at + self._longest), at, -1):
                if (end == size or longest[end]) and word[at:end] in self._words:
                    longest[at] = end - at
                    break
        parts, at = [], 0
        while at < size and longest[at]:
            parts.append(word[at : at + longest[at]])
            at += longest[at]
        return parts


def is_hyphen(atoms: Sequence[Atom], index: int) -> bool:
    """Whether an atom is a hyphen that touches both neighbours."""
    return (
        atoms[index].text in HYPHENS
        and atoms[index].glued
        and index + 1 < len(atoms)
        and atoms[index + 1].glued
    )


def _iter_terms(written: Mapping[str, Any]) -> Iterator[tuple[str, NumeralTerm]]:
    """The phrases of a table with their terms."""
    rooms = written.get("rooms", {})
    has_apostrophes = written.get("apostrophes", False)
    ordinal_rooms = {**rooms, **written.get("ordinal_rooms", {})}

    def forms(key: str) -> Iterator[tuple[int | Fraction, str]]:
        for value, listed in written.get(key, {}).items():
            number = value if isinstance(value, int) else Fraction(value)
            for form in listed if isinstance(listed, list) else [listed]:
                for phrase in expand_endings(str(form), written.get("endings", {})):
                    yield number, phrase
                    if has_apostrophes and "'" in phrase:
                        yield number, phrase.replace("'", "")  # as many write it

    for value, phrase in forms("values"):
        yield phrase, NumeralTerm("add", value, _room_after(value, rooms))
    for value, phrase in forms("closed"):
        yield phrase, NumeralTerm("add", value)
    counted = frozenset(written.get("counted", ()))
    for key in ("multipliers", "collectives"):
        for value, phrase in forms(key):
            is_collective = key == "collectives"
            is_counted = phrase in counted
            yield (
                phrase,
                NumeralTerm("times", value, collective=is_collective, counted=is_counted),
            )
    for value, phrase in forms("ordinals"):
        yield phrase, NumeralTerm("add", value, _room_after(value, ordinal_rooms), ordinal=True)
    for value, phrase in forms("ordinal_multipliers"):
        yield phrase, NumeralTerm("times", value, ordinal=True)
    single = frozenset(written.get("single_parts", ()))
    for key, role in _VALUED_ROLES.items():
        for value, phrase in forms(key):
            yield phrase, NumeralTerm(role, value, single=phrase in single)
    for below, denominator in forms("denominators"):
        for above, numerator in forms("numerators"):
            if above < below:
                value = Fraction(above) / below
                yield f"{denominator} {numerator}", NumeralTerm("fraction", value)
    for value, form in forms("persons"):
        for before in written.get("before_persons", ()):
            yield f"{before} {form}", NumeralTerm("add", value)
    for phrase, (low, high) in written.get("glue", {}).items():
        yield phrase, NumeralTerm("glue", room=low, high=high)
    for key, role in _PLAIN_ROLES.items():
        for phrase in written.get(key, ()):
            yield phrase, NumeralTerm(role)
    for key in ("ordinal_before", "ordinal_after"):
        for phrase in written.get(key, ()):
            yield phrase, NumeralTerm("ordinal", ordinal=True, behind=key.endswith("after"))


def _room_after(value: int | Fraction, rooms: Mapping[int, int]) -> int:
    """The bound below which an addend behind this value must be."""
    if isinstance(value, int) and value in rooms:
        return rooms[value]
    if value == 0:
        return 10  # zero five
    if value < 20 or isinstance(value, Fraction):
        return 0
    return next((unit for unit in _UNITS if value % unit == 0), 0)
