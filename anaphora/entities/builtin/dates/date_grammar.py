"""The tables of a language: how what people say of time is put together.

A table (``languages/en/dates.yaml``) maps categories to rules, and each rule, a text in the macro
language of synonyms, to what it means. ``$weekday`` in a rule stands for an item of that category,
the second of one kind is ``$date2``; ``word*`` for any word that begins so. What it means is one of
the operations of :mod:`~anaphora.entities.builtin.dates.operations`, applied to what the categories
stand for: ``"{this|the} $weekday": weekday($weekday, 0)``. Every language also has the rules of
``languages/xx/dates.yaml``, after its own, and dateparser's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import msgspec
from dateparser import __version__ as dateparser_version

from anaphora.entities.builtin.atoms import split_atoms
from anaphora.entities.builtin.chart_parser import BuildMeaning, ChartGrammar, Literal
from anaphora.entities.builtin.dates.dateparser_vocabulary import DateVocabulary, load_vocabulary
from anaphora.entities.builtin.dates.operations import OPERATION_NAMES, TimeExpression, assumed_unit
from anaphora.entities.builtin.dates.operations.durations import duration_seconds, evaluate_duration
from anaphora.entities.languages import ANY, load_table
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.grammar.synonyms.expansion import expand_synonym
from anaphora.storage.cache import Cache, CachedParts, digest
from anaphora.storage.forks import fork_safe_lock

__all__ = ["DateGrammar", "load_grammar"]

_WORD, _PREFIX, _CATEGORY = "= ", "* ", "$ "  # what the steps of a rule begin with
_REFERENCE = re.compile(r"\$([a-z]+?)(\d*)(?![a-z\d])")
_CALL = re.compile(r"\s*(?:(-?\d+(?:\.\d+)?)|(\$[a-z]+\d*)|'([^']*)'|([a-z_\d]+)\s*(\()?|([,)]))")

_lock = fork_safe_lock()
_grammars: dict[str, DateGrammar] = {}
_MAX_GRAMMARS = 64
# What the names of a category stand for; the names of weekdays go before those of months.
_NAME_OPERATIONS: Mapping[str, str] = {
    "shortday": "weekday", "anyweekday": "weekday", "dayname": "weekday", "anymonth": "month",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DateGrammar:
    """What a language says of time.

    ``words`` are the atoms that its rules know, ``prefixes`` the beginnings of others; ``weak``
    are words of which alone no date consists; where words are not ``spaced``, letters of which
    one alone is none. ``months`` are single atoms by number,
    ``between`` the words that may stand between the parts of a date (1 *de* mayo *de* 2024),
    ``suffixes`` those that make ordinals of digits, ``behind`` those behind a year,
    ``apart`` what is no part of a number here, though it may be one elsewhere (三点 is three
    o'clock, not three point …). ``names`` are the weekdays and months of one atom,
    ``before_names`` the prepositions and ``joining`` the conjunctions beside them.
    """

    language: str
    rules: ChartGrammar
    words: frozenset[str]
    prefixes: tuple[str, ...]
    weak: frozenset[str]
    months: Mapping[str, int]
    connectors: frozenset[str]
    ordinal_suffixes: frozenset[str]
    year_suffixes: frozenset[str]
    number_breaks: frozenset[str]
    names: Mapping[str, TimeExpression]
    prepositions: frozenset[str]
    conjunctions: frozenset[str]
    order: str
    has_spaces: bool


def load_grammar(language: str, cache: Cache | None = None) -> DateGrammar:
    """The table of a language, by its code; made when it is first asked for (20 to 60 ms), from
    what the ``cache`` has that is given then."""
    code = base_code(language)
    with _lock:  # who comes second waits, and does not make it as well
        if code not in _grammars:
            if len(_grammars) >= _MAX_GRAMMARS:
                _grammars.clear()
            _grammars[code] = _load_through_cache(code, cache)
        return _grammars[code]


def _load_through_cache(code: str, cache: Cache | None) -> DateGrammar:
    if cache is None:
        return _build_grammar(_compile_language(code))
    kept = CachedParts(cache, "dates", digest(code, dateparser_version))
    data = kept("table", lambda: msgspec.to_builtins(_compile_language(code)))
    try:
        return _build_grammar(msgspec.convert(data, _CompiledLanguage))
    except (LookupError, TypeError, ValueError, msgspec.MsgspecError):  # not written by us
        return _build_grammar(_compile_language(code))


def _compile_language(code: str) -> _CompiledLanguage:
    """What is written of a language."""
    known = load_vocabulary(code)
    # As texts, for "on" and "no" are words.
    common = load_table(ANY, "dates", as_text=True)
    own = {} if code == ANY else load_table(code, "dates", as_text=True)
    reader = _RuleCompiler(code, {**common.get("macros", {}), **own.get("macros", {})})
    unsafe = frozenset(map(reader.normalize, own.get("unsafe", ())))
    reader.add_rules(own.get("rules", {}))
    reader.add_words(known, unsafe)
    reader.add_rules(common["rules"])

    def words(name: str, *others: str) -> tuple[str, ...]:
        return tuple(map(reader.normalize, (*others, *own.get(name, ()))))

    return _CompiledLanguage(
        language=code,
        rules=reader.rules,
        weak=words("weak", *common["weak"]),
        between=words("between"),
        suffixes=words("suffixes"),
        behind=words("behind"),
        apart=words("apart"),
        before_names=words("before_names"),
        joining=words("joining"),
        order=known.order,
        spaced=known.has_spaces,
    )


def _build_grammar(written: _CompiledLanguage) -> DateGrammar:
    rules = ChartGrammar()
    months: dict[str, int] = {}
    names: dict[str, TimeExpression] = {}
    literals: dict[str, Literal] = {}
    for category, steps, meaning, references in written.rules:
        make = _build_action(meaning, references)
        rules.add(category, [_to_step(step, literals) for step in steps], make)
        if category in ("month", "anymonth") and len(steps) == 1 and steps[0].startswith(_WORD):
            months.setdefault(_strip_marker(steps[0]), make(()))
        if category in _NAME_OPERATIONS and len(steps) == 1 and steps[0].startswith(_WORD):
            names.setdefault(_strip_marker(steps[0]), (_NAME_OPERATIONS[category], make(())))
    words, prefixes = rules.compile()
    return DateGrammar(
        language=written.language,
        rules=rules,
        words=words,
        prefixes=tuple(prefixes),
        weak=frozenset(written.weak),
        months=months,
        connectors=frozenset(written.between),
        ordinal_suffixes=frozenset(written.suffixes),
        year_suffixes=frozenset(written.behind),
        number_breaks=frozenset(written.apart),
        names=names,
        prepositions=frozenset(written.before_names),
        conjunctions=frozenset(written.joining),
        order=written.order,
        has_spaces=written.spaced,
    )


def _to_step(written: str, literals: dict[str, Literal]) -> Literal | str:
    if written.startswith(_CATEGORY):
        return _strip_marker(written)
    if (literal := literals.get(written)) is None:
        literal = literals[written] = Literal(_strip_marker(written), written.startswith(_PREFIX))
    return literal


def _strip_marker(step: str) -> str:
    return step[len(_WORD) :]


class _RuleVariant(NamedTuple):
    """A way to write a rule, or a part of it: each of the ``steps`` begins with what it is,
    ``references`` are the categories as they are written, with their ``$``."""

    steps: tuple[str, ...]
    references: tuple[str, ...]


class _CompiledRule(NamedTuple):
    """A rule as it is written, with its category and the text of its meaning."""

    category: str
    steps: tuple[str, ...]
    meaning: str
    references: tuple[str, ...]


class _CompiledLanguage(msgspec.Struct, frozen=True):
    """All that is written of a language, see :class:`DateGrammar`."""

    language: str
    rules: list[_CompiledRule]
    weak: tuple[str, ...]
    between: tuple[str, ...]
    suffixes: tuple[str, ...]
    behind: tuple[str, ...]
    apart: tuple[str, ...]
    before_names: tuple[str, ...]
    joining: tuple[str, ...]
    order: str
    spaced: bool


class _RuleCompiler:
    """Collects the rules of one language."""

    def __init__(self, language: str, macros: Mapping[str, str]) -> None:
        self.rules: list[_CompiledRule] = []
        self.normalize = create_normalizer(language)
        self._macros = macros
        self._words: dict[str, _RuleVariant] = {}

    def add_rules(self, written: Mapping[str, Mapping[str, Any]]) -> None:
        for category, rules in written.items():
            for text, meaning in rules.items():
                for way in self._expand_rule(str(text)):
                    try:
                        _build_action(str(meaning), way.references)
                    except ValueError as error:
                        raise ValueError(f"{category}: {text}: {error}") from None
                    self.rules.append(
                        _CompiledRule(category, way.steps, str(meaning), way.references)
                    )

    def add_words(self, known: DateVocabulary, unsafe: frozenset[str]) -> None:
        """dateparser's words; those that are ``unsafe`` only in the categories that rules ask
        for beside other words."""
        for category, texts in (("weekday", known.weekdays), ("month", known.months)):
            for number, words in texts.items():
                for word in words:
                    for kind in (category, f"any{category}"):
                        if kind != category or self.normalize(word) not in unsafe:
                            self._add_text(kind, word, str(number))
        for unit, words in known.units.items():
            for word in words:
                if self.normalize(word) not in unsafe:
                    self._add_text("unit", word, unit)
        for (unit, amount), words in known.relative.items():
            for word in words:
                meaning = "now()" if unit == "second" else f"cell({unit}, {amount})"
                self._add_text("date", word, meaning)
        for (unit, sign), words in known.counted_relative.items():
            for word in words:
                duration = f"amount($number, {unit})"
                make = f"ahead({duration})" if sign > 0 else f"ago({duration})"
                self.add_rules({"date": {word: make}})

    def _add_text(self, category: str, text: str, meaning: str) -> None:
        if steps := tuple(self._to_literals(text)):
            self.rules.append(_CompiledRule(category, steps, meaning, ()))

    def _expand_rule(self, text: str) -> Iterator[_RuleVariant]:
        """The ways to write a rule."""
        for phrase in expand_synonym(text, self._macros):
            words = [
                self._parse_word_cached(word) for chunk in phrase for word in str(chunk).split()
            ]
            yield _RuleVariant(
                tuple([step for word in words for step in word.steps]),
                tuple([reference for word in words for reference in word.references]),
            )

    def _parse_word_cached(self, written: str) -> _RuleVariant:
        """What stands between two blanks: the same words come in rule after rule."""
        word = self._words.get(written)
        if word is None:
            word = self._words[written] = self._parse_word(written)
        return word

    def _parse_word(self, written: str) -> _RuleVariant:
        steps: list[str] = []
        at = 0
        for match in _REFERENCE.finditer(written):
            steps += self._to_literals(written[at : match.start()])
            steps.append(_CATEGORY + match[1])
            at = match.end()
        steps += self._to_literals(written[at:])
        return _RuleVariant(
            tuple(steps), tuple([match[0] for match in _REFERENCE.finditer(written)])
        )

    def _to_literals(self, text: str) -> Iterator[str]:
        found = split_atoms(text, self.normalize)
        for index, atom in enumerate(found):
            if atom.text == "*" and atom.glued and index:
                continue
            following = found[index + 1] if index + 1 < len(found) else None
            is_open = following is not None and following.text == "*" and following.glued
            yield (_PREFIX if is_open else _WORD) + atom.text


@cache
def _build_action(text: str, references: tuple[str, ...]) -> BuildMeaning:
    """What makes the meaning that ``text`` tells of. Raises ValueError for a text that is none:
    the tables are ours."""
    return _compile_action(_parse_expression(text), _reference_positions(references))


def _reference_positions(references: Sequence[str]) -> dict[str, int]:
    """Where each stands among the categories of a rule. The second ``$date`` is ``$date2``."""
    places: dict[str, int] = {}
    for place, name in enumerate(references):
        before = references[:place].count(name)
        places.setdefault(f"{name}{before + 1}" if before else name, place)
    return places


@cache
def _parse_expression(text: str) -> Any:
    """A number, a text, ``("$", name)`` or ``("(", name, arguments)``."""
    tokens = _tokenize(text)
    tree, end = _parse_tokens(tokens, 0)
    if end < len(tokens):
        raise ValueError(f"what is {text!r}?")
    return tree


def _tokenize(text: str) -> list[re.Match[str]]:
    found, at, end = [], 0, len(text.rstrip())
    while at < end:
        match = _CALL.match(text, at)
        if match is None:
            raise ValueError(f"what is {text[at:]!r}?")
        found.append(match)
        at = match.end()
    return found


def _parse_tokens(tokens: Sequence[re.Match[str]], at: int) -> tuple[Any, int]:
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
        argument, at = _parse_tokens(tokens, at)
        arguments.append(argument)
    if at == len(tokens) or name not in _CALLABLE_NAMES:
        raise ValueError(f"there is no operation {name}")
    return ("(", name, arguments), at + 1


def _to_paired_year(one: int, other: int) -> int | None:
    """Nineteen eighty-four, as a year; None (there is no such item) if it is none."""
    return one * 100 + other if 16 <= one <= 20 and 10 <= other < 100 else None


def _to_duration_range(least: Any, most: TimeExpression) -> TimeExpression | None:
    """3 to 4 days, 3 days to a week; None if the ends are not in their order."""
    if not isinstance(least, tuple):
        if most[0] != "amount":
            return None
        least = ("amount", least, *most[2:])
    try:
        is_range = duration_seconds(evaluate_duration(least)) < duration_seconds(
            evaluate_duration(most)
        )
    except ValueError:
        return None
    return ("range", least, most) if is_range and "range" not in (least[0], most[0]) else None


def _place_in_year(date_: TimeExpression, cell: TimeExpression) -> TimeExpression | None:
    """May 5 of next year; None if the year is told already, or if the cell is none."""
    is_year = cell[:2] == ("cell", "year") and date_[0] != "in_year"
    is_open = assumed_unit(date_) == "year" or date_ == ("missing",)
    return ("in_year", date_, cell) if is_year and is_open else None


def _place_in_week(days: TimeExpression, cell: TimeExpression) -> TimeExpression | None:
    """Monday to Wednesday of next week; None if the cell is no week."""
    is_week = "week" in cell[:2] or cell[0] == "week_of_year"
    return ("in_week", days, cell) if is_week else None


def _to_daily_hours(
    days: TimeExpression, hours: tuple[TimeExpression, TimeExpression]
) -> TimeExpression:
    return ("daily", days, *hours)


def _to_hours_of_day(
    day: TimeExpression, hours: tuple[TimeExpression, TimeExpression]
) -> TimeExpression:
    return ("at_times", day, *hours)


def _accept_several_days(days: TimeExpression) -> TimeExpression | None:
    """Days that hours may be said of, other than ranges; None for what is no such thing."""
    is_weekend = days[:2] == ("cell", "weekend")
    return days if is_weekend or days[0] in ("weekend", "workweek") else None


def _to_overnight_hours(first: int, last: int) -> TimeExpression | None:
    """From 22 to 2; None for what may be a range of numbers."""
    return ("times", ("clock24", first), ("clock24", last)) if first > last else None


def _to_backward_rank(rank: int) -> int:
    """The first Friday before it, or the last one, is the nearest."""
    return -abs(rank)


def _to_forward_rank(rank: int) -> int:
    """0 for the last one of what has no end."""
    return max(rank, 0)


_EAGER_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "add": lambda one, other: one + other,
    "mul": lambda one, other: one * other,
    "minus": lambda one: -one,
    "paired": _to_paired_year,
    "upto": _to_duration_range,
    "inyear": _place_in_year,
    "inweek": _place_in_week,
    "daily": _to_daily_hours,
    "hoursof": _to_hours_of_day,
    "several": _accept_several_days,
    "overnight": _to_overnight_hours,
    "pair": lambda one, other: (one, other),
    "back": _to_backward_rank,
    "forth": _to_forward_rank,
}
_CALLABLE_NAMES = OPERATION_NAMES | _EAGER_OPERATIONS.keys()


def _compile_action(tree: Any, places: Mapping[str, int]) -> BuildMeaning:
    match tree:
        case ("$", name):
            if name not in places:  # optional in the rule, and left out here
                return lambda _: None
            place = places[name]
            return lambda meanings: meanings[place]
        case ("(", name, arguments):
            builds = [_compile_action(argument, places) for argument in arguments]
            if at_once := _EAGER_OPERATIONS.get(name):
                return lambda meanings: at_once(*[build(meanings) for build in builds])
            return lambda meanings: (name, *[build(meanings) for build in builds])
    return lambda _: tree
