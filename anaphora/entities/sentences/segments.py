"""Compile sentence templates to segments.

A template becomes a path of segments: literal texts, slots, and choices between paths. A part of a
template without slots ("[all] the (light|lamp)[s]") is one segment, a trie of the texts that it
stands for; equal parts share it. Rules are compiled once.

White space follows hassil: whether a segment begins at the start of a word depends on what was
matched before it. There, blanks of the text and of the template are skipped; elsewhere they must
agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from anaphora.entities.sentences.number_words import spell_numbers
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

__all__ = [
    "MAX_VALUE_TEXTS",
    "Choice",
    "Compiler",
    "ListValue",
    "Literal",
    "Node",
    "NumberSlot",
    "Path",
    "Segment",
    "TextSlot",
    "TextValues",
    "WildcardSlot",
]

MAX_VALUE_TEXTS = 5_000
"""The most texts that one value of a list may stand for."""

_MAX_SEGMENT_TEXTS = 32  # of a segment: with more, the first texts of a process are slow to match

_WORD_ENDS = (" ", "'")


class Node:
    """A node of a trie of texts.

    ``ends`` are what ends here: nothing, a mark that a literal does, or the values of a list.
    ``starts_word``: whether the next segment begins at the start of a word.
    """

    __slots__ = ("children", "ends", "skips_blank", "starts_word")

    def __init__(self) -> None:
        self.children: dict[str, Node] = {}
        self.ends: list[Any] = []
        self.starts_word = False
        self.skips_blank = False

    def insert(self, text: str, value: Any, *, ends_word: bool = False) -> None:
        """Add a text. ``ends_word``: a word ends after it, whatever its last character."""
        node = self
        for character in text:
            child = node.children.get(character)
            if child is None:
                child = node.children[character] = Node()
            node = child
        if value not in node.ends:
            node.ends.append(value)
        node.starts_word = ends_word or text.endswith(_WORD_ENDS)


class Segment:
    """A part of a template."""

    __slots__ = ()


class Literal(Segment):
    """Texts of which one must follow. ``is_optional``: nothing may follow as well; ``is_blank``: a
    mere blank may. After an apostrophe a blank may be left out ("nell'ingresso")."""

    __slots__ = ("is_blank", "is_optional", "mid_word", "texts", "word_start")

    def __init__(self, texts: frozenset[str], *, ends_word: bool = False) -> None:
        self.texts = texts
        self.is_optional = "" in texts
        self.is_blank = " " in texts
        self.word_start, self.mid_word = Node(), Node()
        self.word_start.skips_blank = True
        elided = {text.replace("' ", "'") for text in texts if "' " in text}
        for text in sorted((texts | elided) - {"", " "}):
            self.word_start.insert(text.lstrip(" "), True, ends_word=ends_word)
            self.mid_word.insert(text, True, ends_word=ends_word)


class ListValue:
    """A value of a text list, and one of the texts that it is found by."""

    __slots__ = ("source", "text")

    def __init__(self, source: TextValue, text: str) -> None:
        self.source, self.text = source, text


class TextValues:
    """The trie of the values of a text list."""

    __slots__ = ("mid_word", "values", "word_start")

    def __init__(self, values: Iterable[ListValue]) -> None:
        self.values = tuple(values)
        self.word_start, self.mid_word = Node(), Node()
        self.word_start.skips_blank = True
        for value in self.values:
            self.word_start.insert(value.text.lstrip(" "), value)
            self.mid_word.insert(value.text, value)


class TextSlot(Segment):
    """A value of a text list."""

    __slots__ = ("capture", "slot", "trie")

    def __init__(self, slot: str, trie: TextValues, *, capture: bool) -> None:
        self.slot, self.capture, self.trie = slot, capture, trie


class NumberSlot(Segment):
    """A number of a range. ``words`` is the trie of those that are written out."""

    __slots__ = ("capture", "numbers", "slot", "words")

    def __init__(self, slot: str, numbers: RangeList, words: Node, *, capture: bool) -> None:
        self.slot, self.capture, self.numbers, self.words = slot, capture, numbers, words


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


class Compiler:
    """Compiles the templates of one scope: the rules and lists that they may refer to.

    ``shared`` is the compiler of the collection, whose segments are used again where the scope of a
    block does not change them.
    """

    def __init__(
        self,
        rules: Mapping[str, Expression],
        lists: Mapping[str, SlotList],
        language: str,
        *,
        ignores_spaces: bool = False,
        shared: Compiler | None = None,
    ) -> None:
        self._rules, self._lists, self._language = rules, lists, language
        self._ignores_spaces = ignores_spaces
        self._literals: dict[frozenset[str], Literal] = shared._literals if shared else {}
        self._tries: dict[str, TextValues] = {}
        self._number_words: dict[tuple[object, ...], Node] = shared._number_words if shared else {}
        self._segment_texts = TextExpander(rules, _MAX_SEGMENT_TEXTS)
        self._value_texts = TextExpander(rules, MAX_VALUE_TEXTS)
        self._rule_paths: dict[str, Path] = {}
        self._slots: dict[tuple[object, ...], Segment] = {}

    def compile(self, sentence: Expression) -> Path:
        """The path of a template. Its rules and lists must exist, and no rule contain itself."""
        path = self._path(sentence)
        return path if path else (self._literal(frozenset(("",))),)

    def _path(self, expression: Expression) -> Path:
        texts = self._segment_texts.expand(expression)
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
                return (self._slot(expression),)
        raise TypeError(expression)  # pragma: no cover

    def _sequence(self, items: tuple[Expression, ...]) -> Path:
        """The path of a sequence; its neighbours without slots become one segment."""
        path: list[Segment] = []
        run: frozenset[str] | None = None
        for item in items:
            texts = self._segment_texts.expand(item)
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

    def _slot(self, reference: ListReference) -> Segment:
        listed = self._list(reference.list)
        key = (reference.list, reference.slot, reference.capture, reference.ends_word)
        segment = self._slots.get(key)
        if segment is not None:
            return segment
        slot, capture = reference.slot, reference.capture
        if isinstance(listed, TextList):
            segment = TextSlot(slot, self._trie(reference.list, listed), capture=capture)
        elif isinstance(listed, RangeList):
            segment = NumberSlot(slot, listed, self._words(listed), capture=capture)
        else:
            segment = WildcardSlot(slot, capture=capture, ends_word=reference.ends_word)
        self._slots[key] = segment
        return segment

    def _list(self, name: str) -> SlotList:
        listed = self._lists.get(name)
        if listed is None:
            found = INLINE_RANGE.fullmatch(name)
            assert found is not None, name
            return RangeList(int(found[1]), int(found[2]), int(found[3] or 1))
        return listed

    def _trie(self, name: str, listed: TextList) -> TextValues:
        if name not in self._tries:
            found: dict[tuple[str, int], ListValue] = {}
            for index, value in enumerate(listed.values):
                texts = self._value_texts.expand(value.phrase) or ()
                for text in texts:
                    if self._ignores_spaces:
                        text = CJK_SPACE.sub("", text)
                    if text.strip():
                        found.setdefault((text, index), ListValue(value, text))
            self._tries[name] = TextValues(found.values())
        return self._tries[name]

    def _words(self, numbers: RangeList) -> Node:
        language = numbers.language or self._language
        key = (language, numbers.start, numbers.stop, numbers.step, numbers.fractions)
        if not numbers.words:
            return Node()
        if key not in self._number_words:
            root = Node()
            root.skips_blank = True
            for words, number in spell_numbers(numbers, language).items():
                root.insert(words, number)
            self._number_words[key] = root
        return self._number_words[key]
