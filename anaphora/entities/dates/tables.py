"""The tables of a language: how what people say of time is put together.

A table (``tables/en.yaml``) maps categories to rules, and each rule, a text in the macro language
of synonyms, to what it means. ``$weekday`` in a rule stands for an item of that category, the
second of one kind is ``$date2``; ``word*`` for any word that begins so. What it means is one of
the operations of :mod:`~anaphora.entities.dates.operations`, applied to what the categories stand
for: ``"{this|the} $weekday": weekday($weekday, 0)``. Every language also has the rules of
``tables/any.yaml``, after its own, and dateparser's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from anaphora.entities.atoms import atoms
from anaphora.entities.charts import Literal, Make, Rules
from anaphora.entities.dates.operations import KNOWN
from anaphora.entities.dates.vocabulary import Vocabulary, vocabulary
from anaphora.entities.languages import base, normalizer
from anaphora.grammar.macro import expand

__all__ = ["Table", "table"]

_COMMON = "any"
_REFERENCE = re.compile(r"\$([a-z]+?)(\d*)(?![a-z\d])")
_CALL = re.compile(r"\s*(?:(-?\d+(?:\.\d+)?)|(\$[a-z]+\d*)|'([^']*)'|([a-z_\d]+)\s*(\()?|([,)]))")


@dataclass(frozen=True, slots=True)
class Table:
    """What a language says of time.

    ``words`` are the atoms that its rules know, ``prefixes`` the beginnings of others; ``weak``
    are words of which alone no date consists; where words are not ``spaced``, letters of which
    one alone is none. ``months`` are single atoms by number,
    ``between`` the words that may stand between the parts of a date (1 *de* mayo *de* 2024),
    ``suffixes`` those that make ordinals of digits, ``behind`` those behind a year,
    ``apart`` what is no part of a number here, though it may be one elsewhere (三点 is three
    o'clock, not three point …).
    """

    language: str
    rules: Rules
    words: frozenset[str]
    prefixes: frozenset[str]
    weak: frozenset[str]
    months: Mapping[str, int]
    between: frozenset[str]
    suffixes: frozenset[str]
    behind: frozenset[str]
    apart: frozenset[str]
    order: str
    spaced: bool


@lru_cache(maxsize=64)
def table(language: str) -> Table:
    """The table of a language, by its code; made when it is first asked for (20 to 60 ms)."""
    code = base(language)
    known, common = vocabulary(code), _read(_COMMON)
    own = _read(code)
    reader = _Reader(code, {**common.get("macros", {}), **own.get("macros", {})})
    unsafe = frozenset(map(reader.normalize, own.get("unsafe", ())))
    reader.add_rules(own.get("rules", {}))
    reader.add_words(known, unsafe)
    reader.add_rules(common["rules"])
    words, prefixes = reader.rules.finish()
    return Table(
        language=code,
        rules=reader.rules,
        words=words,
        prefixes=prefixes,
        weak=frozenset(map(reader.normalize, (*common["weak"], *own.get("weak", ())))),
        months=reader.months,
        between=frozenset(map(reader.normalize, own.get("between", ()))),
        suffixes=frozenset(map(reader.normalize, own.get("suffixes", ()))),
        behind=frozenset(map(reader.normalize, own.get("behind", ()))),
        apart=frozenset(map(reader.normalize, own.get("apart", ()))),
        order=known.order,
        spaced=known.spaced,
    )


def _read(name: str) -> Mapping[str, Any]:
    path = files(__package__) / "tables" / f"{name}.yaml"
    if not path.is_file():
        return {}
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # all scalars are texts: "on", "no"
    data: Mapping[str, Any] = yaml.load(path.read_text(encoding="utf-8"), loader)
    return data


class _Way(NamedTuple):
    """A way to write a rule, or a part of it: ``steps`` have the names of categories,
    ``references`` are these as they are written, with their ``$``."""

    steps: tuple[Literal | str, ...]
    references: tuple[str, ...]


class _Reader:
    """Fills the rules of one language."""

    def __init__(self, language: str, macros: Mapping[str, str]) -> None:
        self.rules = Rules()
        self.months: dict[str, int] = {}
        self.normalize = normalizer(language)
        self._macros = macros
        self._words: dict[str, _Way] = {}

    def add_rules(self, written: Mapping[str, Mapping[str, Any]]) -> None:
        for category, rules in written.items():
            for text, meaning in rules.items():
                for way in self._ways(str(text)):
                    try:
                        make = _maker(str(meaning), way.references)
                    except ValueError as error:
                        raise ValueError(f"{category}: {text}: {error}") from None
                    self.rules.add(category, way.steps, make)
                    self._note_month(category, way.steps, make)

    def add_words(self, known: Vocabulary, unsafe: frozenset[str]) -> None:
        """dateparser's words; those that are ``unsafe`` only in the categories that rules ask
        for beside other words."""
        for category, texts in (("weekday", known.weekdays), ("month", known.months)):
            for number, words in texts.items():
                for word in words:
                    for kind in (category, f"any{category}"):
                        if kind != category or self.normalize(word) not in unsafe:
                            self._add_text(kind, word, number)
        for unit, words in known.units.items():
            for word in words:
                if self.normalize(word) not in unsafe:
                    self._add_text("unit", word, unit)
        for (unit, amount), words in known.relative.items():
            for word in words:
                self._add_text(
                    "date", word, ("now",) if unit == "second" else ("cell", unit, amount)
                )
        for (unit, sign), words in known.counted.items():
            for word in words:
                duration = f"amount($number, {unit})"
                make = f"ahead({duration})" if sign > 0 else f"ago({duration})"
                self.add_rules({"date": {word: make}})

    def _add_text(self, category: str, text: str, meaning: Any) -> None:
        steps = list(self._literals(text))
        if steps:
            self.rules.add(category, steps, lambda _: meaning)
            if category == "anymonth" and len(steps) == 1:
                self.months.setdefault(steps[0].text, meaning)

    def _note_month(self, category: str, steps: Sequence[Any], make: Make) -> None:
        if category in ("month", "anymonth") and len(steps) == 1:
            (step,) = steps
            if isinstance(step, Literal) and not step.open:
                self.months.setdefault(step.text, make(()))

    def _ways(self, text: str) -> Iterator[_Way]:
        """The ways to write a rule."""
        for phrase in expand(text, self._macros):
            words = [self._word(word) for chunk in phrase for word in str(chunk).split()]
            yield _Way(
                tuple([step for word in words for step in word.steps]),
                tuple([reference for word in words for reference in word.references]),
            )

    def _word(self, written: str) -> _Way:
        """What stands between two blanks: the same words come in rule after rule."""
        word = self._words.get(written)
        if word is None:
            word = self._words[written] = self._read_word(written)
        return word

    def _read_word(self, written: str) -> _Way:
        steps: list[Literal | str] = []
        at = 0
        for match in _REFERENCE.finditer(written):
            steps += self._literals(written[at : match.start()])
            steps.append(match[1])
            at = match.end()
        steps += self._literals(written[at:])
        return _Way(tuple(steps), tuple([match[0] for match in _REFERENCE.finditer(written)]))

    def _literals(self, text: str) -> Iterator[Literal]:
        found = atoms(text, self.normalize)
        for index, atom in enumerate(found):
            if atom.text == "*" and atom.glued and index:
                continue
            following = found[index + 1] if index + 1 < len(found) else None
            is_open = following is not None and following.text == "*" and following.glued
            yield Literal(atom.text, is_open)


@cache
def _maker(text: str, references: tuple[str, ...]) -> Make:
    """What makes the meaning that ``text`` tells of. Raises ValueError for a text that is none:
    the tables are ours."""
    return _built(_meaning(text), _places(references))


def _places(references: Sequence[str]) -> dict[str, int]:
    """Where each stands among the categories of a rule. The second ``$date`` is ``$date2``."""
    places: dict[str, int] = {}
    for place, name in enumerate(references):
        before = references[:place].count(name)
        places.setdefault(f"{name}{before + 1}" if before else name, place)
    return places


@cache
def _meaning(text: str) -> Any:
    """A number, a text, ``("$", name)`` or ``("(", name, arguments)``."""
    tokens = _tokens(text)
    tree, end = _parsed(tokens, 0)
    if end < len(tokens):
        raise ValueError(f"what is {text!r}?")
    return tree


def _tokens(text: str) -> list[re.Match[str]]:
    found, at, end = [], 0, len(text.rstrip())
    while at < end:
        match = _CALL.match(text, at)
        if match is None:
            raise ValueError(f"what is {text[at:]!r}?")
        found.append(match)
        at = match.end()
    return found


def _parsed(tokens: Sequence[re.Match[str]], at: int) -> tuple[Any, int]:
    """What begins with the token ``at``, and the token behind it."""
    number, reference, quoted, name, is_call, _ = tokens[at].groups()
    at += 1
    if number:
        return int(number) if "." not in number else Fraction(number), at
    if reference:
        return ("$", reference), at
    if quoted is not None or not is_call:
        return quoted if quoted is not None else name, at
    arguments = []
    while at < len(tokens) and (mark := tokens[at][6]) != ")":
        if mark == ",":
            at += 1
            continue
        argument, at = _parsed(tokens, at)
        arguments.append(argument)
    if at == len(tokens) or name not in _OPERATIONS:
        raise ValueError(f"there is no operation {name}")
    return ("(", name, arguments), at + 1


def _paired(one: int, other: int) -> int | None:
    """Nineteen eighty-four, as a year; None (there is no such item) if it is none."""
    return one * 100 + other if 16 <= one <= 20 and 10 <= other < 100 else None


_AT_ONCE: Mapping[str, Callable[..., Any]] = {
    "add": lambda one, other: one + other,
    "mul": lambda one, other: one * other,
    "minus": lambda one: -one,
    "paired": _paired,
}
_OPERATIONS = KNOWN | _AT_ONCE.keys()


def _built(tree: Any, places: Mapping[str, int]) -> Make:
    match tree:
        case ("$", name):
            if name not in places:  # optional in the rule, and left out here
                return lambda _: None
            place = places[name]
            return lambda meanings: meanings[place]
        case ("(", name, arguments):
            builds = [_built(argument, places) for argument in arguments]
            if at_once := _AT_ONCE.get(name):
                return lambda meanings: at_once(*[build(meanings) for build in builds])
            return lambda meanings: (name, *[build(meanings) for build in builds])
    return lambda _: tree
