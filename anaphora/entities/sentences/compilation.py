"""Compile the templates of a collection, or restore them from a cache.

What is cached is the same for every home: the literal texts, and by which lists slots are filled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.msgpack import Decoder

from anaphora.entities.sentences.segments import (
    Choice,
    Compiler,
    Literal,
    Path,
    Segment,
    SlotBuilder,
    SlotKey,
)
from anaphora.entities.sentences.word_trie import Node
from anaphora.models.hassil.collection import SentenceCollection, SlotList
from anaphora.storage.cache import UNCACHED, Cache, CachedParts

__all__ = ["compile_paths"]


class _Slot(Struct, frozen=True, array_like=True):
    """A slot of a scope: that of a block, by its index, or (-1) that of the collection."""

    scope: int
    key: SlotKey


class _CompiledPaths(Struct, frozen=True, array_like=True):
    """Paths as numbers of segments: first the ``literals``, then the ``slots``, then the
    ``choices``, each of which has only segments before it."""

    literals: tuple[tuple[str, ...], ...]
    slots: tuple[_Slot, ...]
    choices: tuple[tuple[tuple[int, ...], ...], ...]
    paths: tuple[tuple[int, ...], ...]


_DECODER = Decoder(_CompiledPaths)


def compile_paths(
    collection: SentenceCollection,
    lists: Mapping[str, SlotList],
    parts: CachedParts = UNCACHED,
) -> tuple[Path, ...]:
    """The path of each template of a collection, in order. ``lists`` are those of the home."""
    scopes = _Scopes(collection, lists, parts.cache)
    if parts.cache is None:
        return tuple(scopes.compile())
    compiled: list[Path] = []

    def compile_and_pack() -> _CompiledPaths:
        compiled.extend(scopes.compile())
        return _pack(compiled, scopes)

    packed = parts.load_or_make("paths", _DECODER, compile_and_pack)
    if compiled:
        return tuple(compiled)
    try:
        paths = _unpack(packed, scopes)
    except (LookupError, AssertionError):  # foreign data
        paths = ()
    count = sum(len(block.sentences) for block in collection.blocks)
    return paths if len(paths) == count else tuple(scopes.compile())


class _Scopes:
    """The slots that the blocks of a collection may have: those of all, or of their own lists."""

    def __init__(
        self, collection: SentenceCollection, lists: Mapping[str, SlotList], cache: Cache | None
    ) -> None:
        self._collection, self._cache = collection, cache
        self._lists = {**collection.lists, **lists}
        self._number_words: dict[str, Node] = {}
        self.builders: dict[int, SlotBuilder] = {}

    def compile(self) -> Iterator[Path]:
        """Compile all templates."""
        literals: dict[frozenset[str], Literal] = {}
        shared = self._compiler(-1, literals)
        for index, block in enumerate(self._collection.blocks):
            has_scope = block.rules or block.lists
            compiler = self._compiler(index, literals) if has_scope else shared
            yield from map(compiler.compile, block.sentences)

    def _compiler(self, scope: int, literals: dict[frozenset[str], Literal]) -> Compiler:
        spaceless = self._collection.ignores_spaces
        return Compiler(self._rules(scope), self.builder(scope), literals, ignores_spaces=spaceless)

    def builder(self, scope: int) -> SlotBuilder:
        """The builder of the slots of a block, or (-1) of those of the collection."""
        if scope not in self.builders:
            own = {} if scope < 0 else self._collection.blocks[scope].lists
            self.builders[scope] = SlotBuilder(
                self._rules(scope),
                {**self._lists, **own},
                self._collection.language,
                ignores_spaces=self._collection.ignores_spaces,
                number_words=self._number_words,
                cache=self._cache,
            )
        return self.builders[scope]

    def literal(self, texts: tuple[str, ...]) -> Literal:
        return Literal(texts, ends_word=self._collection.ignores_spaces)

    def _rules(self, scope: int) -> Mapping[str, Any]:
        own = {} if scope < 0 else self._collection.blocks[scope].rules
        return {**self._collection.rules, **own} if own else self._collection.rules


def _pack(paths: Iterable[Path], scopes: _Scopes) -> _CompiledPaths:
    paths = tuple(paths)
    literals: dict[int, Literal] = {}
    choices: dict[int, Choice] = {}
    for path in paths:
        _collect(path, literals, choices)
    slots = [
        (id(segment), _Slot(scope, key))
        for scope, builder in scopes.builders.items()
        for key, segment in builder.slots.items()
    ]
    order = (*literals, *(one for one, _ in slots), *choices)
    numbers = {one: number for number, one in enumerate(order)}

    def pack(path: Path) -> tuple[int, ...]:
        return tuple(numbers[id(segment)] for segment in path)

    return _CompiledPaths(
        literals=tuple(tuple(sorted(one.texts)) for one in literals.values()),
        slots=tuple(slot for _, slot in slots),
        choices=tuple(tuple(map(pack, one.paths)) for one in choices.values()),
        paths=tuple(map(pack, paths)),
    )


def _collect(path: Path, literals: dict[int, Literal], choices: dict[int, Choice]) -> None:
    """Collect the segments of a path, those of a choice before itself."""
    for segment in path:
        if isinstance(segment, Literal):
            literals[id(segment)] = segment
        elif isinstance(segment, Choice) and id(segment) not in choices:
            for one in segment.paths:
                _collect(one, literals, choices)
            choices[id(segment)] = segment


def _unpack(compiled: _CompiledPaths, scopes: _Scopes) -> tuple[Path, ...]:
    """Restore paths. Raises LookupError or AssertionError for those of another collection."""
    segments: list[Segment] = [scopes.literal(texts) for texts in compiled.literals]
    segments += [scopes.builder(slot.scope).build(slot.key) for slot in compiled.slots]

    def unpack(path: tuple[int, ...]) -> Path:
        return tuple([segments[number] for number in path])

    for paths in compiled.choices:
        segments.append(Choice(tuple(map(unpack, paths))))
    return tuple(map(unpack, compiled.paths))
