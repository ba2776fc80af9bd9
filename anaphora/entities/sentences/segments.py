"""Compile sentence templates to segments.

A template becomes a path of segments: literal texts, slots, and choices between paths. A part of a
template without slots ("[all] the (light|lamp)[s]") is one segment, a trie of the texts that it
stands for; equal parts share it. Rules are compiled once.

White space follows hassil: whether a segment begins at the start of a word depends on what was
matched before it. There, blanks of the text and of the template are skipped; elsewhere they must
agree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

from msgspec.msgpack import Decoder

from anaphora.entities.sentences.number_words import spell_numbers
from anaphora.entities.sentences.word_trie import Lazy, Node
from anaphora.grammar.sentences.expansion import TextExpander, join_texts
from anaphora.grammar.sentences.normalization import CJK_SPACE
from anaphora.grammar.sentences.parser import INLINE_RANGE
from anaphora.grammar.sentences.syntax import (
    Alternative,
    Expression,
    ListReference,
    Permutation,
    RuleReference,
    Sequence,
)
from anaphora.models.hassil.collection import (
    RangeList,
    SlotList,
    TextList,
    TextValue,
)
from anaphora.storage.cache import UNCACHED, Cache, CachedParts, digest

__all__ = [
    "MAX_VALUE_TEXTS",
    "Choice",
    "Compiler",
    "ListValue",
    "Literal",
    "NumberSlot",
    "Path",
    "Segment",
    "SlotBuilder",
    "SlotKey",
    "TextSlot",
    "TextValues",
    "WildcardSlot",
    "iter_texts",
    "may_be_value",
]

MAX_VALUE_TEXTS = 5_000
"""The most texts that one value of a list may stand for."""

_MAX_SEGMENT_TEXTS = 32  # of a segment: with more, the first texts of a process are slow to match

_WORD_ENDS = (" ", "'")

_WORDS = Decoder(list[tuple[str, int | float]])


class Segment:
    """A part of a template."""

    __slots__ = ()


class Literal(Segment, Lazy):
    """Texts of which one must follow. ``is_optional``: nothing may follow as well; ``is_blank``: a
    mere blank may. After an apostrophe a blank may be left out ("nell'ingresso")."""

    __slots__ = ("_ends_word", "is_blank", "is_optional", "mid_word", "texts", "word_start")

    word_start: Node
    mid_word: Node

    def __init__(self, texts: Collection[str], *, ends_word: bool = False) -> None:
        self.texts = texts
        self.is_optional = "" in texts
        self.is_blank = " " in texts
        self._ends_word = ends_word

    def _compute(self, name: str) -> None:
        texts = {*self.texts} - {"", " "}
        texts |= {text.replace("' ", "'") for text in texts if "' " in text}
        if name == "word_start":
            entries = [(text.lstrip(" "), True) for text in texts]
            self.word_start = Node(entries, starts_word=self._starts_word, skips_blank=True)
        else:
            entries = [(text, True) for text in texts]
            self.mid_word = Node(entries, starts_word=self._starts_word)

    def _starts_word(self, text: str) -> bool:
        return self._ends_word or text.endswith(_WORD_ENDS)


class ListValue:
    """A value of a text list, and one of the texts that it is found by."""

    __slots__ = ("source", "text")

    def __init__(self, source: TextValue, text: str) -> None:
        self.source, self.text = source, text


class TextValues(Lazy):
    """The trie of the values of a text list, which ``find_values`` finds."""

    __slots__ = ("_find_values", "mid_word", "values", "word_start")

    values: tuple[ListValue, ...]
    word_start: Node
    mid_word: Node

    def __init__(self, find_values: Callable[[], Iterable[ListValue]]) -> None:
        self._find_values = find_values

    def _compute(self, name: str) -> None:
        values = tuple(self._find_values())
        entries = [(value.text.lstrip(" "), value) for value in values]
        self.word_start = Node(entries, skips_blank=True)
        self.mid_word = Node([(value.text, value) for value in values])
        self.values = values


class TextSlot(Segment):
    """A value of a text list."""

    __slots__ = ("capture", "slot", "trie")

    def __init__(self, slot: str, trie: TextValues, *, capture: bool) -> None:
        self.slot, self.capture, self.trie = slot, capture, trie


class NumberSlot(Segment, Lazy):
    """A number of a range. ``words`` is the trie of those that are written out."""

    __slots__ = ("_spell", "capture", "numbers", "slot", "words")

    words: Node

    def __init__(
        self, slot: str, numbers: RangeList, spell: Callable[[], Node], *, capture: bool
    ) -> None:
        self.slot, self.capture, self.numbers, self._spell = slot, capture, numbers, spell

    def _compute(self, name: str) -> None:
        self.words = self._spell()


class WildcardSlot(Segment):
    """Any text. ``ends_word``: what follows it begins at a word."""

    __slots__ = ("capture", "ends_word", "slot")

    def __init__(self, slot: str, *, capture: bool, ends_word: bool) -> None:
        self.slot, self.capture, self.ends_word = slot, capture, ends_word


class Choice(Segment):
    """One of several paths."""

    __slots__ = ("paths",)

    def __init__(self, paths: tuple[Path, ...]) -> None:
        self.paths = paths


Path: TypeAlias = tuple[Segment, ...]

SlotKey: TypeAlias = tuple[str, str, bool, bool]
"""What a segment of a slot is made from: the list, the slot, whether it is a mere capture, and
whether it ends a word."""


def iter_texts(paths: Iterable[Path]) -> Iterator[str]:
    """The literal texts in paths, and those of the lists of their slots."""
    waiting, seen = list(paths), set()
    while waiting:
        for segment in waiting.pop():
            if id(segment) in seen:
                continue
            seen.add(id(segment))
            if isinstance(segment, Literal):
                yield from segment.texts
            elif isinstance(segment, TextSlot):
                yield from (value.text for value in segment.trie.values)
            elif isinstance(segment, Choice):
                waiting += segment.paths


def may_be_value(path: Path, slot: str) -> bool:
    """Whether a path can be read with nothing but a value of a slot."""
    return any(
        _is_value(segment, slot) and all(map(_may_be_nothing, (*path[:at], *path[at + 1 :])))
        for at, segment in enumerate(path)
    )


def _is_value(segment: Segment, slot: str) -> bool:
    if isinstance(segment, Choice):
        return any(may_be_value(path, slot) for path in segment.paths)
    return isinstance(segment, TextSlot) and segment.slot == slot


def _may_be_nothing(segment: Segment) -> bool:
    if isinstance(segment, Choice):
        return any(all(map(_may_be_nothing, path)) for path in segment.paths)
    return isinstance(segment, Literal) and (segment.is_optional or segment.is_blank)


class SlotBuilder:
    """Makes the segments of slots. ``rules`` are those of the values of ``lists``.

    ``number_words`` are the words for ranges of numbers that are known already; ``cache`` keeps
    those of other processes.
    """

    def __init__(
        self,
        rules: Mapping[str, Expression],
        lists: Mapping[str, SlotList],
        language: str,
        *,
        ignores_spaces: bool = False,
        number_words: dict[str, Node] | None = None,
        cache: Cache | None = None,
    ) -> None:
        self._cache = cache
        self._lists, self._language = lists, language
        self._ignores_spaces = ignores_spaces
        self._number_words = {} if number_words is None else number_words
        self._texts = TextExpander(rules, MAX_VALUE_TEXTS)
        self._tries: dict[str, TextValues] = {}
        self._values: dict[str, tuple[ListValue, ...]] = {}
        self._slots: dict[SlotKey, Segment] = {}

    @property
    def slots(self) -> Mapping[SlotKey, Segment]:
        """The segments that were made."""
        return self._slots

    def build(self, key: SlotKey) -> Segment:
        """The segment of a slot; the same for the same key."""
        segment = self._slots.get(key)
        if segment is None:
            segment = self._slots[key] = self._build(key)
        return segment

    def _build(self, key: SlotKey) -> Segment:
        name, slot, capture, ends_word = key
        listed = self._list(name)
        if isinstance(listed, TextList):
            return TextSlot(slot, self._trie(name, listed), capture=capture)
        if isinstance(listed, RangeList):
            return NumberSlot(slot, listed, partial(self._words, listed), capture=capture)
        return WildcardSlot(slot, capture=capture, ends_word=ends_word)

    def _list(self, name: str) -> SlotList:
        listed = self._lists.get(name)
        if listed is None:
            found = INLINE_RANGE.fullmatch(name)
            assert found is not None, name
            return RangeList(int(found[1]), int(found[2]), int(found[3] or 1))
        return listed

    def _trie(self, name: str, listed: TextList) -> TextValues:
        if name not in self._tries:
            self._tries[name] = TextValues(partial(self._find_values, name, listed))
        return self._tries[name]

    def _find_values(self, name: str, listed: TextList) -> tuple[ListValue, ...]:
        found: dict[tuple[str, int], ListValue] = {}
        for index, value in enumerate(listed.values):
            texts = self._texts.expand(value.phrase) or ()
            for text in texts:
                if self._ignores_spaces:
                    text = CJK_SPACE.sub("", text)
                if text.strip():
                    found.setdefault((text, index), ListValue(value, text))
        return self._values.setdefault(name, tuple(found.values()))  # the same for all threads

    def _words(self, numbers: RangeList) -> Node:
        """The trie of the words for numbers."""
        if not numbers.words:
            return Node()
        language = numbers.language or self._language
        key = f"{language} {numbers.start} {numbers.stop} {numbers.step} {numbers.fractions}"
        if key not in self._number_words:
            parts = UNCACHED
            if self._cache is not None:
                parts = CachedParts(self._cache, "numbers", digest(key))
            words = parts.load_or_make(
                "words", _WORDS, lambda: list(spell_numbers(numbers, language).items())
            )
            self._number_words[key] = Node(words, skips_blank=True)
        return self._number_words[key]


class Compiler:
    """Compiles the templates of one scope: its ``rules`` and ``slots``.

    ``literals`` are the segments of literal texts that scopes share.
    """

    def __init__(
        self,
        rules: Mapping[str, Expression],
        slots: SlotBuilder,
        literals: dict[frozenset[str], Literal],
        *,
        ignores_spaces: bool = False,
    ) -> None:
        self._rules, self._slots, self._literals = rules, slots, literals
        self._ignores_spaces = ignores_spaces
        self._texts = TextExpander(rules, _MAX_SEGMENT_TEXTS)
        self._rule_paths: dict[str, Path] = {}

    def compile(self, sentence: Expression) -> Path:
        """The path of a template. Its rules and lists must exist, and no rule contain itself."""
        path = self._path(sentence)
        return path if path else (self._literal(frozenset(("",))),)

    def _path(self, expression: Expression) -> Path:
        texts = self._texts.expand(expression)
        if texts is not None:
            return () if texts == {""} else (self._literal(texts),)
        match expression:
            case Sequence(items):
                return self._sequence(items)
            case Alternative(items):
                return (Choice(tuple(self._path(item) for item in items)),)
            case Permutation(items):
                return (self._permutation(items, {}),)
            case RuleReference(rule):
                if rule not in self._rule_paths:
                    self._rule_paths[rule] = self._path(self._rules[rule])
                return self._rule_paths[rule]
            case ListReference():
                one = expression
                return (self._slots.build((one.list, one.slot, one.capture, one.ends_word)),)
        raise TypeError(expression)  # pragma: no cover

    def _sequence(self, items: tuple[Expression, ...]) -> Path:
        """The path of a sequence; its neighbours without slots become one segment."""
        path: list[Segment] = []
        run: frozenset[str] | None = None
        for item in items:
            texts = self._texts.expand(item)
            joined = join_texts(run, texts, _MAX_SEGMENT_TEXTS)
            if texts is not None and (run is None or joined is not None):
                run = texts if run is None else joined
                continue
            if run is not None and run != {""}:
                path.append(self._literal(run))
            run = texts
            if texts is None:
                path += self._path(item)
        if run is not None and run != {""}:
            path.append(self._literal(run))
        return tuple(path)

    def _permutation(
        self, items: tuple[Expression, ...], known: dict[tuple[Expression, ...], Choice]
    ) -> Choice:
        if items not in known:
            blank = self._literal(frozenset((" ",)))
            paths: list[Path] = []
            for index, item in enumerate(items):
                path = (blank, *self._path(item), blank)
                rest = (*items[:index], *items[index + 1 :])
                paths.append((*path, self._permutation(rest, known)) if rest else path)
            known[items] = Choice(tuple(paths))
        return known[items]

    def _literal(self, texts: frozenset[str]) -> Literal:
        if self._ignores_spaces:
            texts = frozenset(CJK_SPACE.sub("", text).strip() for text in texts)
        literal = self._literals.get(texts)
        if literal is None:
            literal = Literal(texts, ends_word=self._ignores_spaces)
            self._literals[texts] = literal
        return literal
