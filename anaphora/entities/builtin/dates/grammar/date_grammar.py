"""Compile the date rules of a language for the chart parser.

A table (``languages/en/dates.yaml``) maps categories to rules. A rule maps a text in the macro
language of synonyms to a time expression: ``"{this|the} $weekday": weekday($weekday, 0)``.
``$weekday`` in the text stands for an item of that category (a second date is ``$date2``),
``word*`` for any word with that beginning, ``&word`` for one
without a blank before it. A table that lists ``accents`` matches its words without them as well,
other than the ``distinct`` ones. The expression applies one of the operations of
:mod:`~anaphora.entities.builtin.dates.operations` to the meanings of these items. Every language
also has the rules of ``languages/xx/dates.yaml``, after its own, and the words of dateparser.
A grammar of recurrences has the rules of ``recurrences.yaml`` besides, which use those of dates.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from itertools import product
from typing import Any, NamedTuple

import msgspec
from dateparser import __version__ as dateparser_version

from anaphora.entities.builtin.atoms import split_atoms
from anaphora.entities.builtin.chart_parser import BuildMeaning, ChartGrammar, Literal
from anaphora.entities.builtin.dates.grammar.dateparser_vocabulary import (
    DateVocabulary,
    load_vocabulary,
)
from anaphora.entities.builtin.dates.grammar.zone_names import load_zone_names
from anaphora.entities.builtin.dates.named_days.calendars import ISLAMIC_YEARS
from anaphora.entities.builtin.dates.operations import OPERATION_NAMES
from anaphora.entities.builtin.dates.operations.clock_times import CLOCK_OPERATIONS, HALF_DAY
from anaphora.entities.builtin.dates.operations.durations import duration_seconds, evaluate_duration
from anaphora.entities.builtin.dates.operations.expression_analysis import assumed_unit
from anaphora.entities.builtin.dates.operations.recurrence_patterns import RECURRENCE_OPERATIONS
from anaphora.entities.builtin.dates.operations.registry import (
    TimeExpression,
    iter_expressions,
)
from anaphora.entities.languages import ANY, TableName, load_table
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.grammar.synonyms.expansion import expand_synonym
from anaphora.storage.cache import Cache, CachedParts, digest
from anaphora.storage.forks import fork_safe_lock

__all__ = ["DATE_TABLES", "RECURRENCE_TABLES", "DateGrammar", "load_grammar"]

DATE_TABLES: tuple[TableName, ...] = ("dates",)
"""The tables whose rules form a grammar of dates."""
RECURRENCE_TABLES: tuple[TableName, ...] = ("dates", "recurrences")
"""The tables whose rules form a grammar of recurrences."""

_WORD, _GLUED, _PREFIX, _CATEGORY = "= ", "& ", "* ", "$ "  # markers of the steps of a rule
_REFERENCE = re.compile(r"\$([a-z]+?)(\d*)(?![a-z\d])")
_ZONE_PLACE = "zoneplace"
_FIRST_EVENING_HOUR = 5
_FIRST_BARE_HOUR = 5
_LAST_SHORT_YEAR = 49  # of this century
_FIRST_WORKING_HOUR = 8
_WEEK = 7  # days
# What "not" makes of an open interval: not after five is until five.
_NEGATED: Mapping[str, str] = {"after": "until", "before": "onward", "until": "onward"}
# What a refusal behind it makes of one: if it won't do until Friday, it will after that.
_REFUSED: Mapping[str, str] = {**_NEGATED, "until": "after", "onward": "before"}
_PARTS_OF_DAYS = ("part", "within")  # operations
_START_OF_DAY: TimeExpression = ("clock24", 0, 0)
_OPEN_INTERVALS = frozenset(
    {"until", "since", "since_or_from", "onward", "before", "after", "both"}
)  # operations
_NO_DAYS = _OPEN_INTERVALS | {"later_weekday", "earlier_weekday"}
_NO_OFFSET = 99  # hours
_CONSTANTS = (str, int, float)
_NO_NAME = re.compile(r"\$|\b(?=from\()")  # what is part of a name here, but not in Python

_lock = fork_safe_lock()
_grammars: dict[tuple[str, str], DateGrammar] = {}
_MAX_GRAMMARS = 64
# The keys of a table that list words, and the fields of a grammar that hold these words.
_WORD_LISTS: Mapping[str, str] = {
    "weak": "weak", "between": "connectors", "suffixes": "ordinal_suffixes",
    "behind": "year_suffixes", "apart": "number_breaks", "before_names": "prepositions",
    "joining": "conjunctions", "zone_words": "zone_words",
    "endings": "endings", "openings": "openings", "marked": "marked_words",
    "street_words": "street_words", "articles": "articles", "uncounted": "uncounted",
    "first_names": "first_names", "moving": "moving_words",
    "honorifics": "honorifics", "contacts": "contact_words", "epithets": "epithet_articles",
    "books": "books", "titles": "titles",
}  # fmt: skip
# The operations for the names in a category; a name of a weekday has precedence over a month.
_NAME_OPERATIONS: Mapping[str, str] = {
    "shortday": "weekday", "anyweekday": "weekday", "dayname": "weekday", "anymonth": "month",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DateGrammar:
    """The compiled date rules of a language.

    ``words`` are the atoms in its rules, ``prefixes`` the beginnings of open words. ``weak`` words
    never form a date by themselves; without spaces between words (``has_spaces``), a single weak
    letter does not. ``months`` maps names of one atom to numbers. ``connectors`` stand between the
    parts of a date (1 *de* mayo *de* 2024), ``ordinal_suffixes`` behind digits, ``year_suffixes``
    behind a year. ``number_breaks`` end a number here, although they continue one elsewhere (三点
    is three o'clock, not three point …). ``names`` are the weekdays and months of one atom,
    ``prepositions`` and ``conjunctions`` the words beside them. ``zone_places`` are the words of
    cities that have a time zone, which are parts of a date only in a text with one of the
    ``zone_words`` (Tokyo *time*). A number before the name of a street, which ends or begins with
    one of the ``street_words``, is no part of a date, nor is an ordinal in digits between one of
    the ``articles`` and a content word (the 3rd candidate). ``honorifics``, ``contact_words``,
    ``epithet_articles``, ``books`` and ``titles`` are words of names: see
    :class:`~anaphora.entities.builtin.dates.disambiguation.non_date_names.NonDateNames`.
    ``endings`` may stand behind words, ``openings`` before words of dates that are written as one
    with them (내일|일곱시), ``plain_letters`` for letters with marks, also in the numerals
    ``marked_words``: see
    :class:`~anaphora.entities.builtin.dates.grammar.word_endings.WordSplitter`. ``uncounted`` are
    endings of words that no number before them counts: a plain number before such a word may be an
    hour. ``first_names`` are the beginnings of first names and titles: a capitalized weekday behind
    one is a surname. In a text with a word that begins as one of the ``moving_words`` does, "from
    Saturday to Sunday" is no night. ``order`` is that of day, month and year: ``DMY``.
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
    zone_places: frozenset[str]
    zone_words: frozenset[str]
    street_words: frozenset[str]
    articles: frozenset[str]
    honorifics: frozenset[str]
    contact_words: frozenset[str]
    epithet_articles: frozenset[str]
    books: frozenset[str]
    titles: frozenset[str]
    uncounted: frozenset[str]
    first_names: frozenset[str]
    moving_words: frozenset[str]
    endings: frozenset[str]
    openings: frozenset[str]
    marked_words: frozenset[str]
    plain_letters: Mapping[str, str]
    order: str
    has_spaces: bool


def load_grammar(
    language: str, cache: Cache | None = None, tables: tuple[TableName, ...] = DATE_TABLES
) -> DateGrammar:
    """The grammar of a language, by its code. The first call compiles it (20 to 60 ms) or loads it
    from its ``cache``."""
    code = base_code(language)
    key = code, tables[-1]
    with _lock:  # other threads wait instead of compiling it again
        if key not in _grammars:
            if len(_grammars) >= _MAX_GRAMMARS:
                _grammars.clear()
            _grammars[key] = _load_through_cache(code, cache, tables)
        return _grammars[key]


def _load_through_cache(
    code: str, cache: Cache | None, tables: tuple[TableName, ...]
) -> DateGrammar:
    if cache is None:
        return _build_grammar(_compile_language(code, tables))
    kept = CachedParts(cache, tables[-1], digest(code, dateparser_version, version("babel")))
    data = kept("table", lambda: msgspec.to_builtins(_compile_language(code, tables)))
    try:
        return _build_grammar(msgspec.convert(data, _CompiledLanguage))
    except (LookupError, TypeError, ValueError, msgspec.MsgspecError):  # foreign data
        return _build_grammar(_compile_language(code, tables))


def _compile_language(code: str, tables: tuple[TableName, ...]) -> _CompiledLanguage:
    vocabulary = load_vocabulary(code)
    # As texts: "on" and "no" are words.
    common = [load_table(ANY, table, as_text=True) for table in tables]
    own = [{} if code == ANY else load_table(code, table, as_text=True) for table in tables]
    macros: dict[str, str] = {}
    for table in (*common, *own):
        macros |= table.get("macros", {})
    compiler = _RuleCompiler(code, macros, own[0].get("accents", {}), own[0].get("distinct", ()))
    unsafe, foreign = (
        frozenset(map(compiler.normalize, own[0].get(key, ()))) for key in ("unsafe", "foreign")
    )
    compiler.add_rules(own[0].get("rules", {}))
    compiler.add_words(vocabulary, unsafe, foreign)
    compiler.add_rules(common[0]["rules"])
    compiler.add_zones(load_zone_names(code))
    for table in (*own[1:], *common[1:]):  # after all rules of dates, whose order they keep
        compiler.add_rules(table.get("rules", {}))
    word_lists = {
        field: tuple(
            [
                spelling
                for table in (*common, *own)
                for word in table.get(key, ())
                for spelling in compiler.spell(compiler.normalize(word))
            ]
        )
        for key, field in _WORD_LISTS.items()
    }
    strong = {compiler.normalize(word) for table in own for word in table.get("strong", ())}
    word_lists["weak"] = tuple([word for word in word_lists["weak"] if word not in strong])
    return _CompiledLanguage(
        code,
        compiler.rules,
        word_lists,
        own[0].get("plain_letters", {}),
        vocabulary.order,
        vocabulary.has_spaces,
    )


def _build_grammar(compiled: _CompiledLanguage) -> DateGrammar:
    rules = ChartGrammar()
    months: dict[str, int] = {}
    names: dict[str, TimeExpression] = {}
    literals: dict[str, Literal] = {}
    places: set[str] = set()
    others: set[str] = set()
    for category, steps, meaning, references in compiled.rules:
        words_of = places if category == _ZONE_PLACE else others
        words_of.update(map(_strip_marker, steps))
        make = _build_action(meaning, references)
        rules.add(category, [_to_step(step, literals) for step in steps], make)
        if category in ("month", "anymonth") and len(steps) == 1 and steps[0].startswith(_WORD):
            months.setdefault(_strip_marker(steps[0]), make(()))
        if category in _NAME_OPERATIONS and len(steps) == 1 and steps[0].startswith(_WORD):
            names.setdefault(_strip_marker(steps[0]), (_NAME_OPERATIONS[category], make(())))
    words, prefixes = rules.compile()
    return DateGrammar(
        language=compiled.language,
        rules=rules,
        words=words - (places - others),
        zone_places=frozenset(places - others),
        prefixes=tuple(prefixes),
        months=months,
        names=names,
        plain_letters=compiled.plain_letters,
        order=compiled.order,
        has_spaces=compiled.has_spaces,
        **{field: frozenset(listed) for field, listed in compiled.word_lists.items()},
    )


def _to_step(written: str, literals: dict[str, Literal]) -> Literal | str:
    if written.startswith(_CATEGORY):
        return _strip_marker(written)
    if (literal := literals.get(written)) is None:
        literal = literals[written] = Literal(
            _strip_marker(written),
            is_prefix=written.startswith(_PREFIX),
            is_glued=written.startswith(_GLUED),
        )
    return literal


def _strip_marker(step: str) -> str:
    return step[len(_WORD) :]


class _RuleVariant(NamedTuple):
    """One expansion of a rule or of a part of it: its steps, each with its marker, and the
    categories that it references, with their ``$``."""

    steps: tuple[str, ...]
    references: tuple[str, ...]


class _CompiledRule(NamedTuple):
    """One expansion of a rule, with its category and the text of its expression."""

    category: str
    steps: tuple[str, ...]
    meaning: str
    references: tuple[str, ...]


class _CompiledLanguage(msgspec.Struct, frozen=True):
    """The compiled rules of a language, as cached on disk; the ``word_lists`` are those of
    :class:`DateGrammar`, by field."""

    language: str
    rules: list[_CompiledRule]
    word_lists: dict[str, tuple[str, ...]]
    plain_letters: dict[str, str]
    order: str
    has_spaces: bool


class _RuleCompiler:
    """Expands and collects the rules of one language."""

    def __init__(
        self,
        language: str,
        macros: Mapping[str, str],
        accents: Mapping[str, str],
        distinct: Iterable[str],
    ) -> None:
        self.rules: list[_CompiledRule] = []
        self.normalize = create_normalizer(language)
        self._macros = macros
        self._plain = str.maketrans(dict(accents))
        self._distinct = frozenset(map(self.normalize, distinct))
        self._known: set[tuple[str, tuple[str, ...]]] = set()
        self._parse_word_cached = cache(self._parse_word)  # the same words occur in many rules

    def add_rules(self, written: Mapping[str, Mapping[str, Any]]) -> None:
        for category, rules in written.items():
            for text, meaning in rules.items():
                for variant in self._expand_rule(str(text)):
                    try:
                        _build_action(str(meaning), variant.references)
                    except ValueError as error:
                        raise ValueError(f"{category}: {text}: {error}") from None
                    self._add(category, variant.steps, str(meaning), variant.references)

    def add_words(
        self, known: DateVocabulary, unsafe: frozenset[str], foreign: frozenset[str]
    ) -> None:
        """Add the words of dateparser, other than those that are ``foreign`` to dates. Those that
        are ``unsafe``, because they are also other words, get only the categories that rules use
        beside other words."""
        for category, texts in (("weekday", known.weekdays), ("month", known.months)):
            for number, words in texts.items():
                for word in words:
                    if self.normalize(word) in foreign:
                        continue
                    for kind in (category, f"any{category}"):
                        if kind != category or self.normalize(word) not in unsafe:
                            self._add_text(kind, word, str(number))
        for unit, words in known.units.items():
            for word in words:
                if self.normalize(word) not in unsafe:
                    self._add_text("unit", word, unit)
        for (unit, amount), words in known.relative.items():
            for word in words:
                shift = f", {amount}" if amount else ""
                meaning = "now()" if unit == "second" else f"cell({unit}{shift})"
                self._add_text("date", word, meaning)
        for (unit, sign), words in known.counted_relative.items():
            for word in words:
                category = "aheadby" if sign > 0 else "agoby"
                self.add_rules({category: {word: f"amount($number, {unit})"}})

    def add_zones(self, names: Mapping[str, str]) -> None:
        """Add the names of the cities of time zones."""
        for name, key in names.items():
            self._add_text(_ZONE_PLACE, name, repr(key))

    def _add_text(self, category: str, text: str, meaning: str) -> None:
        if steps := tuple(self._to_literals(text)):
            self._add(category, steps, meaning, ())

    def _add(
        self, category: str, steps: tuple[str, ...], meaning: str, references: tuple[str, ...]
    ) -> None:
        """Add a rule, also without the accents of its words unless these are a rule already."""
        for spelled in product(*[self._spell_step(step) for step in steps]):
            key = category, spelled
            if spelled == steps or key not in self._known:
                self.rules.append(_CompiledRule(category, spelled, meaning, references))
                self._known.add(key)

    def _spell_step(self, step: str) -> Iterator[str]:
        for text in self.spell(_strip_marker(step)):
            yield step[: len(_WORD)] + text

    def spell(self, word: str) -> Iterator[str]:
        """The spellings of a word: as it is, and without its accents."""
        yield word
        plain = word.translate(self._plain)
        if plain != word and word not in self._distinct:
            yield plain

    def _expand_rule(self, text: str) -> Iterator[_RuleVariant]:
        """The expansions of the text of a rule."""
        for phrase in expand_synonym(text, self._macros):
            words = [
                self._parse_word_cached(word) for chunk in phrase for word in str(chunk).split()
            ]
            yield _RuleVariant(
                tuple([step for word in words for step in word.steps]),
                tuple([reference for word in words for reference in word.references]),
            )

    def _parse_word(self, written: str) -> _RuleVariant:
        """The steps of what stands between two blanks of a rule."""
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
        is_glued = len(text) > 1 and text.startswith("&")
        atoms = split_atoms(text[1:] if is_glued else text, self.normalize)
        for index, atom in enumerate(atoms):
            if atom.text == "*" and atom.glued and index:
                continue
            following = atoms[index + 1] if index + 1 < len(atoms) else None
            is_open = following is not None and following.text == "*" and following.glued
            word = _GLUED if is_glued and not index else _WORD
            yield (_PREFIX if is_open else word) + atom.text


@cache
def _build_action(text: str, references: tuple[str, ...]) -> BuildMeaning:
    """The function that builds the time expression written in ``text``: one of Python, with
    ``_date`` for ``$date`` and ``_from`` for ``from``. Raises ValueError for a text that is
    none."""
    try:
        tree = ast.parse(_NO_NAME.sub("_", text), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"cannot parse {text!r}") from error
    places: dict[str, int] = {}  # the second $date is $date2
    for place, reference in enumerate(references):
        before = references[:place].count(reference)
        name = reference.replace("$", "_")
        places.setdefault(f"{name}{before + 1}" if before else name, place)
    return _compile_action(tree, places)


def _to_paired_year(one: int, other: int) -> int | None:
    """The year of "nineteen eighty-four"; None if the two numbers form no year."""
    return one * 100 + other if 16 <= one <= 20 and 10 <= other < 100 else None


def _to_duration_range(least: Any, most: TimeExpression) -> TimeExpression | None:
    """3 to 4 days, 3 days to a week; None if the ends are not in ascending order."""
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


def _to_sum(one: TimeExpression, other: TimeExpression) -> TimeExpression | None:
    """An hour and ten minutes; None unless the units descend (24 hours a day)."""
    try:
        units = [
            [duration_seconds(((Fraction(1), unit),)) for _, unit in evaluate_duration(part)]
            for part in (one, other)
        ]
    except ValueError:
        return None
    return ("sum", one, other) if min(units[0]) > max(units[1]) else None


def _place_in_year(date_: TimeExpression, period: TimeExpression) -> TimeExpression | None:
    """May 5 of next year; None if the date has a year already or ``period`` is no year."""
    is_year = period[:2] == ("cell", "year") and date_[0] != "in_year"
    is_open = assumed_unit(date_) == "year" or date_ == ("missing",)
    return ("in_year", date_, period) if is_year and is_open else None


def _place_on_weekday(day: int, date_: TimeExpression) -> TimeExpression | None:
    """Friday, November 13; None if the date has a weekday of its own (Friday, Saturday)."""
    has_own = any("weekday" in str(part[0]) for part in iter_expressions(date_))
    return None if has_own else ("on_weekday", day, date_)


def _to_islamic_year(year: int) -> int | None:
    """A year of the Islamic calendar that needs no word for that; None for others."""
    return year if year in ISLAMIC_YEARS else None


def _place_weekday_in(day: int, period: TimeExpression) -> TimeExpression | None:
    """The Friday of that week; None if ``period`` is a day (Friday, all day)."""
    return None if period[:2] == ("cell", "day") else ("weekday_in", day, period)


def _place_in_week(days: TimeExpression, period: TimeExpression) -> TimeExpression | None:
    """Monday to Wednesday of next week; None if ``period`` is no week."""
    return ("in_week", days, period) if _is_week(period) else None


def _place_weekday_in_week(day: int, period: TimeExpression) -> TimeExpression | None:
    """Next week, Friday; None if ``period`` is no week."""
    return ("weekday_in", day, period) if _is_week(period) else None


def _is_week(period: TimeExpression) -> bool:
    return "week" in period[:2] or period[0] == "week_of_year"


def _to_two_days(one: TimeExpression, other: TimeExpression) -> TimeExpression | None:
    """December 25 and 26; None if the two days of a month are no neighbours."""
    return ("span", one, other) if other[2] == one[2] + 1 else None


def _accept_several_days(days: TimeExpression) -> TimeExpression | None:
    """Several days, other than a range, that can have daily hours; None for anything else."""
    is_weekend = days[:2] == ("cell", "weekend")
    return days if is_weekend or days[0] in ("weekend", "workweek") else None


def _to_bare_hours(first: int, last: int) -> TimeExpression | None:
    """From 22 to 2, from 9 to 5; from 9 to 18, unless something follows that is counted. None if
    the two may be a range of numbers."""
    if first > HALF_DAY > last or first > last == 0:
        return ("times", ("clock24", first), ("clock24", last))
    if first > last and first >= _FIRST_BARE_HOUR:
        return ("times", ("time", first), ("time", last))
    if _FIRST_BARE_HOUR <= first <= HALF_DAY < last:
        return ("plain", ("times", ("clock24", first), ("clock24", last)))
    return None


def _to_night(first: int, last: int, evening: TimeExpression) -> TimeExpression | None:
    """The night behind an ``evening``, from one weekday or day of a month to the next; None if the
    two do not follow each other."""
    is_next = last - first == 1 or (evening[0] == "weekday" and last - first == 1 - _WEEK)
    return ("within", evening, "night") if is_next else None


def _to_working_hours(first: int, last: int) -> tuple[TimeExpression, TimeExpression] | None:
    """Nine to five; None if the two may be a score."""
    is_late = first >= _FIRST_WORKING_HOUR and first != last
    return (("time", first), ("time", last)) if is_late else None


def _negate(
    interval: TimeExpression, opposites: Mapping[str, str] = _NEGATED
) -> TimeExpression | None:
    """Not before eight, not after five on Friday; None for an interval that "not" does not
    change."""
    match interval:
        case ("at_times", day, first, last) if first == _START_OF_DAY:  # before five on that day
            return "onward", ("at", day, last)
        case ("after", ("at", day, clock)) if day[0] not in _PARTS_OF_DAYS:
            return "at_times", day, _START_OF_DAY, clock
        case (str(name), tuple(date_)) if name in opposites:
            return opposites[name], date_
    return None


def _place_bound_on(day: TimeExpression, interval: TimeExpression) -> TimeExpression | None:
    """Tomorrow not before eight; None if the bound is no time of day."""
    match interval:
        case ("onward" | "after", ("clock", clock)):
            return "onward", ("at", day, ("by_day", clock))
        case ("until" | "before", ("clock", clock)):
            return "at_times", day, _START_OF_DAY, ("by_day", clock)
    return None


def _place_in_part(part: TimeExpression, clock: TimeExpression) -> TimeExpression | None:
    """Eight tonight; None if the number is one of people (a table for two tonight)."""
    is_evening = part[-1] in ("tonight", "evening")
    is_number = is_evening and clock[0] == "time" and clock[1] < _FIRST_EVENING_HOUR
    return None if is_number else ("at", part, clock)


def _place_at(date_: TimeExpression, clock: TimeExpression) -> TimeExpression | None:
    """Tomorrow at eight; None if the date has a time of its own (from midnight at two) or no day of
    its own (until Thursday), and for "Friday after five"."""
    has_day = date_[0] not in _NO_DAYS and not _has_time(date_)
    return ("at", date_, clock) if has_day else None


def _shift_recurring(
    date_: TimeExpression, duration: TimeExpression, sign: int
) -> TimeExpression | None:
    """Christmas in three years, March a year ago; None for a date that does not recur."""
    if assumed_unit(date_) not in ("week", "month", "year"):
        return None
    return ("shifted_ahead" if sign > 0 else "shifted_back", date_, duration)


def _to_offset(hours: int | Fraction) -> str:
    """The offset of a zone from UTC: GMT+5.5. One of too many hours is that of no zone."""
    minutes = round(max(-_NO_OFFSET, min(hours, _NO_OFFSET)) * 60)
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _clock_to_offset(clock: TimeExpression, sign: int = 1) -> str | None:
    """The offset of a zone from UTC as it is written: +05:30, -0800."""
    if clock[0] not in ("time", "clock24"):
        return None
    hours, minutes = (*clock[1:], 0)[:2]
    return _to_offset(sign * (hours + Fraction(minutes, 60)))


def _place_in_zone(time: TimeExpression, zone: str) -> TimeExpression | None:
    """Nine o'clock in Tokyo's time; None without a time, and with a zone of its own."""
    is_free = all(part[0] != "in_zone" for part in iter_expressions(time))
    return ("in_zone", time, zone) if is_free and _has_time(time) else None


def _has_time(meaning: TimeExpression) -> bool:
    return any(
        part[0] in CLOCK_OPERATIONS or part[0] == "now" for part in iter_expressions(meaning)
    )


_EAGER_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "add": lambda one, other: one + other,
    "mul": lambda one, other: one * other,
    "minus": lambda one: -one,
    "atleast": lambda number, least: number if number >= least else None,
    "paired": _to_paired_year,
    "upto": _to_duration_range,
    "inyear": _place_in_year,
    "inweek": _place_in_week,
    "weekdayof": _place_weekday_in_week,
    "islamicyear": _to_islamic_year,
    "on_weekday": _place_on_weekday,
    "weekday_in": _place_weekday_in,
    "daily": lambda days, hours: ("daily", days, *hours),
    "hoursof": lambda day, hours: ("at_times", day, *hours),
    "twodays": _to_two_days,
    "several": _accept_several_days,
    "barehours": _to_bare_hours,
    "overnight": _to_night,
    "sum": _to_sum,
    "workhours": _to_working_hours,
    "negated": _negate,
    "refused": lambda interval: _negate(interval, _REFUSED),
    "boundon": _place_bound_on,
    "at": _place_at,
    "evening_at": _place_in_part,
    "shift": _shift_recurring,
    "inzone": _place_in_zone,
    "ides": lambda month: ("monthday", month, 15 if month in (3, 5, 7, 10) else 13),
    "offset": _to_offset,
    "offset_ahead": _clock_to_offset,
    "offset_back": lambda clock: _clock_to_offset(clock, -1),
    "shortyear": lambda n: n + (1900 if n > _LAST_SHORT_YEAR else 2000),
    "pair": lambda one, other: (one, other),
    "timesof": lambda hours: ("times", *hours),
    # Before a date the first Friday is, like the last one, the nearest; after it none is the last,
    # which has the invalid rank 0.
    "back": lambda rank: -abs(rank),
    "forth": lambda rank: max(rank, 0),
    **RECURRENCE_OPERATIONS,
}
_CALLABLE_NAMES = OPERATION_NAMES | _EAGER_OPERATIONS.keys()


def _compile_action(tree: ast.expr, places: Mapping[str, int]) -> BuildMeaning:
    constant: Any
    match tree:
        case ast.Name(id=name) if name.startswith("_"):
            if name not in places:  # optional in the rule and absent here
                return lambda _: None
            place = places[name]
            return lambda meanings: meanings[place]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            name = name.removeprefix("_")
            if name not in _CALLABLE_NAMES:
                raise ValueError(f"unknown operation {name!r}")
            builds = [_compile_action(argument, places) for argument in arguments]
            if eager := _EAGER_OPERATIONS.get(name):
                return lambda meanings: eager(*[build(meanings) for build in builds])
            return lambda meanings: (name, *[build(meanings) for build in builds])
        case ast.Name(id=constant) | ast.Constant(value=constant) if type(constant) in _CONSTANTS:
            pass
        case ast.UnaryOp(ast.USub(), ast.Constant(value=constant)) if type(constant) in _CONSTANTS:
            constant = ast.literal_eval(tree)
        case _:
            raise ValueError(f"cannot parse {ast.unparse(tree)!r}")
    if isinstance(constant, float):
        constant = Fraction(str(constant))
    return lambda _: constant
