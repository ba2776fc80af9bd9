"""A bottom-up chart parser over atoms.

A rule is a sequence of literals and categories, and produces an item of a category with a meaning.
Items are processed by length, and of several derivations of the same item the cheapest one counts,
so that longer items are built from the best shorter ones (Knuth 1977, "A Generalization of
Dijkstra's Algorithm"). The rules are stored as a trie: common beginnings are matched once.

A general parser such as lark's Earley finds neither items in parts of a text nor the cheapest
derivation, and does not stop within 20 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple, TypeAlias

from anaphora.entities.builtin.atoms import Atom

__all__ = ["BuildMeaning", "Chart", "ChartGrammar", "Item", "Literal"]

_MAX_EDGES = 5_000  # in one chart (some 20 ms); further items are not found

BuildMeaning: TypeAlias = Callable[[Sequence[Any]], Any]
"""Makes the meaning of an item of the meanings of what the categories of its rule stand for, in
their order; None if there is no such item."""


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom in a rule; if ``is_prefix``, any letters may follow; if ``is_glued``, no blank stands
    before it."""

    text: str
    is_prefix: bool = False
    is_glued: bool = False


class Item(NamedTuple):  # as an edge: a dataclass takes three times as long to create
    """An item from the atom ``start`` up to the atom ``end``, with its ``meaning``."""

    start: int
    end: int
    category: str
    meaning: Any
    cost: int = 0


class _Node:
    """A node in the trie of rules, with edges for words, for words without a blank before them, for
    prefixes of words (by ``lengths``, longest first), and for items of a category."""

    __slots__ = ("categories", "completed", "glued", "lengths", "prefixes", "words")

    def __init__(self) -> None:
        self.words = self.glued = self.prefixes = self.categories = _NO_EDGES
        self.completed: tuple[tuple[str, BuildMeaning, int], ...] = ()
        self.lengths: tuple[int, ...] = ()

    def get_or_add_child(self, step: Literal | str) -> _Node:
        """Return the child to which a step leads, created if no rule has taken that step yet."""
        if isinstance(step, str):
            edges = self.categories = self.categories or {}
        elif step.is_prefix:
            edges = self.prefixes = self.prefixes or {}
        elif step.is_glued:
            edges = self.glued = self.glued or {}
        else:
            edges = self.words = self.words or {}
        name = step if isinstance(step, str) else step.text
        if (child := edges.get(name)) is None:
            child = edges[name] = _Node()
            if edges is self.prefixes and len(name) not in self.lengths:
                self.lengths = tuple(sorted((*self.lengths, len(name)), reverse=True))
        return child


# Shared and always empty: most of thousands of nodes lack two or three kinds of edges.
_NO_EDGES: dict[str, _Node] = {}


class _Edge(NamedTuple):
    """A rule that has been matched up to a node, from ``start`` on."""

    node: _Node
    start: int
    meanings: tuple[Any, ...]
    cost: int


class ChartGrammar:
    """A set of rules. Texts may be parsed while rules are added that match nothing in them."""

    def __init__(self) -> None:
        self._root = _Node()
        self._count = 0

    def add(
        self, category: str, steps: Iterable[Literal | str], make: BuildMeaning, rank: int = 0
    ) -> None:
        """Add a rule: ``steps`` are literals and the names of categories. Of rules that produce the
        same item that of the lowest ``rank`` wins, which is by default the first one."""
        node = self._root
        for step in steps:
            node = node.get_or_add_child(step)
        if node is self._root:
            raise ValueError(f"a rule for '{category}' has no steps")
        self._count += 1
        node.completed += ((category, make, rank or self._count),)

    def parse(self, atoms: Sequence[Atom], items: Iterable[Item]) -> Chart:
        """Parse the atoms, with the given ``items`` on the chart."""
        return Chart(self._root, atoms, items)

    def collect_words(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the words in the literals of the rules, and those that are prefixes."""
        words: set[str] = set()
        prefixes: set[str] = set()
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            words.update(node.words, node.glued)
            prefixes.update(node.prefixes)
            for below in (node.words, node.glued, node.prefixes, node.categories):
                waiting += below.values()
        return frozenset(words), frozenset(prefixes)


class Chart:
    """The items that can be derived from some atoms. ``edges`` is the number of edges followed."""

    def __init__(self, root: _Node, atoms: Sequence[Atom], items: Iterable[Item]) -> None:
        self._root = root
        self._atoms = atoms
        self._queue: list[tuple[int, int, int, Item]] = []
        self._best: dict[tuple[int, int, str], Item] = {}
        self._from: dict[int, list[Item]] = {}
        self._waiting: list[list[_Edge]] = [[] for _ in range(len(atoms) + 1)]
        self.edges = 0
        self._serial = count()
        for item in items:
            self._push(item)
        for start in range(len(atoms)):
            self._follow(_Edge(root, start, (), 0), start)
        while self._queue and self.edges < _MAX_EDGES:
            self._process(heappop(self._queue)[-1])

    def items(self, category: str) -> list[Item]:
        """Return the items of a category, by start, longer ones first."""
        found = [item for item in self._best.values() if item.category == category]
        return sorted(found, key=lambda item: (item.start, -item.end))

    def _process(self, item: Item) -> None:
        key = item.start, item.end, item.category
        if key in self._best:
            return
        self._best[key] = item
        self._from.setdefault(item.start, []).append(item)
        category = item.category
        for edge in self._waiting[item.start]:  # may grow while it is iterated
            if (node := edge.node.categories.get(category)) is not None:
                self._advance(edge, node, item)

    def _advance(self, edge: _Edge, node: _Node, item: Item) -> None:
        meanings = (*edge.meanings, item.meaning)
        self._follow(_Edge(node, edge.start, meanings, edge.cost + item.cost), item.end)

    def _follow(self, edge: _Edge, at: int) -> None:
        """Complete the rules at the edge, and follow every step that matches at ``at``."""
        self.edges += 1
        if self.edges > _MAX_EDGES:
            return
        node = edge.node
        for category, make, rank in node.completed:
            meaning = make(edge.meanings)
            if meaning is not None:
                self._push(Item(edge.start, at, category, meaning, edge.cost + rank))
        if at >= len(self._atoms):
            return
        text = self._atoms[at].text
        if (next_node := node.words.get(text)) is not None:
            self._follow(_Edge(next_node, edge.start, edge.meanings, edge.cost), at + 1)
        if node.glued and self._atoms[at].glued and (next_node := node.glued.get(text)) is not None:
            self._follow(_Edge(next_node, edge.start, edge.meanings, edge.cost), at + 1)
        for length in node.lengths:
            if (next_node := node.prefixes.get(text[:length])) is not None:
                self._follow(_Edge(next_node, edge.start, edge.meanings, edge.cost), at + 1)
                break
        if node.categories:
            self._waiting[at].append(edge)
            for item in self._from.get(at, ()):
                if (next_node := node.categories.get(item.category)) is not None:
                    self._advance(edge, next_node, item)

    def _push(self, item: Item) -> None:
        if (item.start, item.end, item.category) not in self._best:
            place = item.end - item.start, item.cost, next(self._serial), item
            heappush(self._queue, place)
