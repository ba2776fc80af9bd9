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

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import product
from typing import Any, NamedTuple

import msgspec
from dateparser import __version__ as dateparser_version

from anaphora.entities.builtin.atoms import split_atoms
from anaphora.entities.builtin.chart_parser import ChartGrammar, Literal
from anaphora.entities.builtin.dates.grammar.dateparser_vocabulary import (
    DateVocabulary,
    load_vocabulary,
)
from anaphora.entities.builtin.dates.grammar.measured_words import MeasuredWords
from anaphora.entities.builtin.dates.grammar.rule_expressions import compile_expression
from anaphora.entities.builtin.dates.grammar.zone_names import load_zone_names
from anaphora.entities.builtin.dates.operations.registry import TimeExpression
from anaphora.entities.languages import ANY, TableName, load_table
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.grammar.synonyms.expansion import SynonymExpander
from anaphora.storage.cache import Cache
from anaphora.storage.forks import fork_safe_lock
from anaphora.storage.shipped_tables import table_parts

__all__ = ["DATE_TABLES", "RECURRENCE_TABLES", "DateGrammar", "compile_grammar", "load_grammar"]

DATE_TABLES: tuple[TableName, ...] = ("dates",)
"""The tables whose rules form a grammar of dates."""
RECURRENCE_TABLES: tuple[TableName, ...] = ("dates", "recurrences")
"""The tables whose rules form a grammar of recurrences."""

_WORD, _GLUED, _PREFIX, _CATEGORY = "= ", "& ", "* ", "$ "  # markers of the steps of a rule
_REFERENCE = re.compile(r"\$([a-z]+?)(\d*)(?![a-z\d])")
_ZONE_PLACE = "zoneplace"

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
    "first_names": "first_names", "moving": "moving_words", "counters": "counters",
    "honorifics": "honorifics", "contacts": "contact_words", "deeds": "deed_words",
    "addressing": "addressing_words", "addressees": "addressee_prepositions",
    "meetings": "meeting_words", "companions": "companion_prepositions",
    "scores": "score_words", "against": "score_separators", "hour_words": "hour_words",
    "attributive": "attributive",
    "epithets": "epithet_articles",
    "books": "books", "titles": "titles", "pronouns": "pronouns", "choosing": "choosing_words",
    "collectives": "collectives",
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
    ``near_days`` days counted from today (tomorrow, tonight), ``prepositions`` and
    ``conjunctions`` the words beside them. ``zone_places`` are the words of cities that have a time
    zone, which are parts of a date only in a text with one of the ``zone_words`` (Tokyo *time*). A
    number before the name of a street, which ends or begins with one of the ``street_words``, is no
    part of a date, nor is an ordinal in digits between one of
    the ``articles`` and a content word (the 3rd candidate). ``honorifics``, ``contact_words``,
    ``deed_words``, ``addressing_words``, ``addressee_prepositions``, ``meeting_words``,
    ``companion_prepositions``, ``epithet_articles``, ``books`` and ``titles`` are words of names:
    see
    :class:`~anaphora.entities.builtin.dates.disambiguation.non_date_names.NonDateNames`.
    ``endings`` may stand behind words, ``openings`` before words of dates that are written as one
    with them (내일|일곱시), ``plain_letters`` for letters with marks, also in the numerals
    ``marked_words``: see
    :class:`~anaphora.entities.builtin.dates.grammar.word_endings.WordSplitter`. ``uncounted`` are
    endings of words that no number before them counts: a plain number before such a word may be an
    hour. A number before one of the ``counters`` is no part of a date. ``pronouns`` are numerals
    that stand for a thing behind one of the ``choosing_words`` (the second *one* to 2 pm).
    ``collectives`` are numerals that count people or days, and no hours (нас двое). Two numbers
    with one of the ``score_separators`` between them and one of the ``score_words`` beside them are
    no times (lost 5 to 4). Behind the ``hour_words`` an article is no minute (15 Uhr ein Taxi);
    a day behind an ``attributive`` preposition is that of a thing (the party of Friday).
    ``first_names`` are the beginnings of first names and titles: a capitalized weekday behind one
    is a surname. In a text with a word that begins as one of the ``moving_words`` does, "from
    Saturday to Sunday" is no night, and "by an hour" is later. ``measured_words`` finds adjectives
    such as *dreistündig*. ``order`` is that of day, month and year: ``DMY``.
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
    collectives: frozenset[str]
    names: Mapping[str, TimeExpression]
    near_days: Mapping[str, TimeExpression]
    prepositions: frozenset[str]
    conjunctions: frozenset[str]
    zone_places: frozenset[str]
    zone_words: frozenset[str]
    street_words: frozenset[str]
    articles: frozenset[str]
    honorifics: frozenset[str]
    contact_words: frozenset[str]
    deed_words: frozenset[str]
    addressing_words: frozenset[str]
    addressee_prepositions: frozenset[str]
    meeting_words: frozenset[str]
    companion_prepositions: frozenset[str]
    epithet_articles: frozenset[str]
    books: frozenset[str]
    titles: frozenset[str]
    uncounted: frozenset[str]
    pronouns: frozenset[str]
    choosing_words: frozenset[str]
    first_names: frozenset[str]
    counters: frozenset[str]
    score_words: frozenset[str]
    score_separators: frozenset[str]
    hour_words: frozenset[str]
    attributive: frozenset[str]
    moving_words: frozenset[str]
    endings: frozenset[str]
    openings: frozenset[str]
    marked_words: frozenset[str]
    plain_letters: Mapping[str, str]
    measured_words: MeasuredWords
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


def compile_grammar(
    language: str, cache: Cache | None, tables: tuple[TableName, ...] = DATE_TABLES
) -> Any:
    """Compile the tables of a language, or load them from the cache, where they are kept; return
    them as plain data."""
    kept = table_parts(cache, tables[-1], language, dateparser_version, version("babel"))
    return kept("table", lambda: msgspec.to_builtins(_compile_language(language, tables)))


def _load_through_cache(
    code: str, cache: Cache | None, tables: tuple[TableName, ...]
) -> DateGrammar:
    data = compile_grammar(code, cache, tables)
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
        own[0].get("measures", {}),
        vocabulary.order,
        vocabulary.has_spaces,
    )


def _build_grammar(compiled: _CompiledLanguage) -> DateGrammar:
    rules = ChartGrammar()
    months: dict[str, int] = {}
    names: dict[str, TimeExpression] = {}
    near_days: dict[str, TimeExpression] = {}
    literals: dict[str, Literal] = {}
    places: set[str] = set()
    others: set[str] = set()
    for category, steps, meaning, references in compiled.rules:
        words_of = places if category == _ZONE_PLACE else others
        words_of.update(map(_strip_marker, steps))
        make = compile_expression(meaning, references)
        rules.add(category, [_to_step(step, literals) for step in steps], make)
        if category in ("month", "anymonth") and len(steps) == 1 and steps[0].startswith(_WORD):
            months.setdefault(_strip_marker(steps[0]), make(()))
        if category in _NAME_OPERATIONS and len(steps) == 1 and steps[0].startswith(_WORD):
            names.setdefault(_strip_marker(steps[0]), (_NAME_OPERATIONS[category], make(())))
        if len(steps) == 1 and steps[0].startswith(_WORD) and _is_near_day(make(())):
            near_days.setdefault(_strip_marker(steps[0]), make(()))
    words, prefixes = rules.collect_words()
    return DateGrammar(
        language=compiled.language,
        rules=rules,
        words=words - (places - others),
        zone_places=frozenset(places - others),
        prefixes=tuple(prefixes),
        months=months,
        names=names,
        near_days=near_days,
        plain_letters=compiled.plain_letters,
        measured_words=MeasuredWords(compiled.language, compiled.measures),
        order=compiled.order,
        has_spaces=compiled.has_spaces,
        **{field: frozenset(listed) for field, listed in compiled.word_lists.items()},
    )


def _is_near_day(meaning: Any) -> bool:
    """Whether a meaning is counted from today: tomorrow, tonight, the weekend."""
    match meaning:
        case ("cell", "day", *_) | ("within", ("cell", "day", *_), _) | ("weekend",):
            return True
    return False


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
    measures: dict[str, str]
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
        self._expander = SynonymExpander(macros)
        self._plain = str.maketrans(dict(accents))
        self._distinct = frozenset(map(self.normalize, distinct))
        self._known: set[tuple[str, tuple[str, ...]]] = set()
        self._parse_word_cached = cache(self._parse_word)  # the same words occur in many rules

    def add_rules(self, written: Mapping[str, Mapping[str, Any]]) -> None:
        for category, rules in written.items():
            for text, meaning in rules.items():
                for variant in self._expand_rule(str(text)):
                    try:
                        compile_expression(str(meaning), variant.references)
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
        for phrase in self._expander.expand(text):
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
