"""Find the templates that a text satisfies, all at once.

The templates are one automaton over characters. A state is a set of nodes of tries, each with the
places to go on at when a text of the trie has been read; templates that read the same part at the
same time share the node. States are made when a text first leads to them and kept, so that a
further text costs one look-up a character (the lazy determinization of RE2: R. Cox, "Regular
Expression Matching in the Wild", 2010).

The values of slots are not part of a state: after "turn on the kitchen" and "turn on the bedroom"
the automaton is in the same state. What it accepts may therefore be too much, and
:mod:`~anaphora.entities.sentences.capture` has the last word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from anaphora.entities.sentences.segments import (
    Choice,
    Literal,
    Node,
    NumberSlot,
    Path,
    TextSlot,
    WildcardSlot,
)
from anaphora.grammar.sentences.normalization import CJK_RANGES

__all__ = ["Automaton", "Place"]

MAX_MOVES: Final = 50_000
"""The most moves between states that are kept; then they are made anew."""

_UNITS = re.compile(f"[{CJK_RANGES}] ?|[^ {CJK_RANGES}]+ ?| ")

_BREAKS = "-_"

_BLANK = Node()  # a blank must follow
_END = Node()  # the end of a template after which a blank may follow
_NUMBER_START, _SIGN, _DIGITS, _POINT, _FRACTION = (Node() for _ in range(5))
_WORDS = Node()  # a wildcard after which a word begins
_ANY = Node()  # a wildcard after which anything may follow


class Place:
    """A place in a template: an index in a path, and where to go on after the path. There is one
    object for each place. ``template`` is set at the end of a template."""

    __slots__ = ("_inner", "_next", "after", "index", "path", "template")

    def __init__(self, path: Path, index: int, after: Place | None, template: int = -1) -> None:
        self.path, self.index, self.after, self.template = path, index, after, template
        self._inner: dict[tuple[int, int], Place] = {}
        self._next: Place | None = None

    def enter(self, path: Path) -> Place:
        """The place at the beginning of a path that ends here."""
        return self._at(path, 0)

    def next(self) -> Place:
        """The place after the segment here."""
        if self._next is None:
            assert self.after is not None
            is_last = self.index + 1 == len(self.path)
            self._next = self.after if is_last else self.after._at(self.path, self.index + 1)
        return self._next

    def _at(self, path: Path, index: int) -> Place:
        if not path:
            return self
        key = (id(path), index)
        place = self._inner.get(key)
        if place is None:
            place = self._inner[key] = Place(path, index, self)
        return place


_Continuation: TypeAlias = tuple[Place, bool]
"""The place after a segment, and whether the segment began a word: the value of a slot leaves that
as it is."""

_Continuations: TypeAlias = frozenset[_Continuation]


_Waiting: TypeAlias = tuple[Node, _Continuations]
"""A node that waits for a character, and where to go on when a text of its trie has been read."""

_Step: TypeAlias = tuple[dict[_Waiting, None], dict["_Closure", None]]
"""What waits after a character, and the closures that begin there."""


class _Closure:
    """All that may follow at some places: the nodes that wait there, and the templates that end.
    ``steps`` are kept."""

    __slots__ = ("accepted", "steps", "waiting")

    def __init__(self, waiting: tuple[_Waiting, ...], accepted: frozenset[int]) -> None:
        self.waiting, self.accepted = waiting, accepted
        self.steps: dict[str, _Step] = {}


class _State:
    """What may follow between two words. ``moves`` leads on by a word with the blank after it."""

    __slots__ = ("accepted", "closures", "moves", "waiting")

    def __init__(
        self,
        waiting: frozenset[_Waiting],
        closures: frozenset[_Closure],
        accepted: frozenset[int],
    ) -> None:
        self.waiting, self.closures, self.accepted = waiting, closures, accepted
        self.moves: dict[str, _State] = {}


class Automaton:
    """Templates as one automaton.

    Safe for use by several threads: what is kept only grows, and what two of them make at once is
    equal.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self.starts = tuple(
            Place((), 0, None, template=index).enter(path) for index, path in enumerate(paths)
        )
        self._sets: dict[_Continuations, _Continuations] = {}
        self._closures: dict[tuple[_Continuations, bool | None], _Closure] = {}
        self._open: dict[_Waiting, _Closure] = {}
        self._ends: dict[frozenset[int], _Closure] = {}
        start = self._close(frozenset((start, True) for start in self.starts), starts_word=True)
        self._start = _State(frozenset(), frozenset((start,)), start.accepted)
        self._forget_states()

    def _forget_states(self) -> None:
        self._states: dict[
            tuple[frozenset[_Waiting], frozenset[_Closure], frozenset[int]], _State
        ] = {}
        self._moves = 0
        self._start.moves = {}

    def accepted(self, text: str) -> frozenset[int]:
        """The indexes of the templates that a normalized text may satisfy."""
        state = self._start
        for word in _UNITS.findall(f"{text} "):
            following = state.moves.get(word)
            if following is None:
                following = self._move(state, word)
            if not (following.waiting or following.closures or following.accepted):
                return frozenset()
            state = following
        return state.accepted

    def _move(self, state: _State, word: str) -> _State:
        """The state after a word, and after the blank that follows it. A template that ends with
        the word itself counts as one that ends with the blank."""
        waiting: Iterable[_Waiting] = state.waiting
        closures: Iterable[_Closure] = state.closures
        before: Iterable[_Closure] = ()
        for character in word:
            after: dict[_Waiting, None] = {}
            reached: dict[_Closure, None] = {}
            if waiting:
                self._step(waiting, character, (after, reached))
            for closure in closures:
                step = closure.steps.get(character)
                if step is None:
                    step = {}, {}
                    self._step(closure.waiting, character, step)
                    closure.steps[character] = step
                if step[0]:
                    after.update(step[0])
                if step[1]:
                    reached.update(step[1])
            before = closures if character == " " else ()
            waiting, closures = after, reached
        accepted = frozenset[int]().union(*[one.accepted for one in (*closures, *before)])
        key = frozenset(waiting), frozenset(closures), accepted
        following = self._states.get(key)
        if following is None:
            following = self._states[key] = _State(*key)
        self._moves += 1
        if self._moves > MAX_MOVES:
            self._forget_states()
        else:
            state.moves[word] = following
        return following

    def _step(self, waiting: Iterable[_Waiting], character: str, step: _Step) -> None:
        """Add what waits after a character, and the closures that begin there."""
        after, reached = step
        is_blank = character == " " or character in _BREAKS
        for one in waiting:
            node, places = one
            children = node.children
            if not children:
                for closure in self._step_special(node, places, character):
                    reached[closure] = None
                continue
            child = children.get(character)
            if is_blank:
                if child is None:
                    child = children.get(" ")
                if node.skips_blank:
                    after[one] = None
            if child is not None:
                if child.children:
                    after[child, places] = None
                if child.ends:
                    is_literal = child.ends[0] is True
                    starts_word = child.starts_word if is_literal else None
                    reached[self._close(places, starts_word=starts_word)] = None

    def _step_special(
        self, node: Node, places: _Continuations, character: str
    ) -> Iterator[_Closure]:
        """The closures after a node that is no trie."""
        is_blank = character == " " or character in _BREAKS
        if node is _BLANK:
            if is_blank:
                yield self._close(places, starts_word=True)
        elif node is _END:
            if is_blank:
                yield self._end(frozenset(place.template for place, _ in places))
        elif node is _WORDS or node is _ANY:
            yield self._wait(node, places)
            closure = self._close(places, starts_word=True)
            if node is _ANY or not character.isalnum():
                yield closure
            elif closure.accepted:  # nothing may begin within a word, but the text may end there
                yield self._end(closure.accepted)
        elif character.isdecimal() and character.isascii():
            yield self._wait(_FRACTION if node in (_POINT, _FRACTION) else _DIGITS, places)
            yield self._close(places, starts_word=None)
        elif node is _NUMBER_START and character in " -":
            yield self._wait(node if character == " " else _SIGN, places)
        elif node is _DIGITS and character in ".,":
            yield self._wait(_POINT, places)

    def _wait(self, node: Node, places: _Continuations) -> _Closure:
        """The closure of a node that is no trie, within what it stands for."""
        key = (node, places)
        closure = self._open.get(key)
        if closure is None:
            closure = self._open[key] = _Closure((key,), frozenset())
        return closure

    def _end(self, templates: frozenset[int]) -> _Closure:
        """The closure where templates end and nothing goes on."""
        closure = self._ends.get(templates)
        if closure is None:
            closure = self._ends[templates] = _Closure((), templates)
        return closure

    def _close(self, places: _Continuations, *, starts_word: bool | None) -> _Closure:
        """The closure of ``places``. ``starts_word``: whether a word begins there; None: as at
        the beginning of the segment before."""
        key = (places, starts_word)
        closure = self._closures.get(key)
        if closure is None:
            waiting: dict[Node, set[_Continuation]] = {}
            accepted: set[int] = set()
            seen: set[_Continuation] = set()
            for place, began in places:
                begins = began if starts_word is None else starts_word
                _expand((place, begins), waiting, accepted, seen)
            interned = tuple(
                (node, self._sets.setdefault(known := frozenset(found), known))
                for node, found in waiting.items()
            )
            closure = self._closures[key] = _Closure(interned, frozenset(accepted))
        return closure


def _expand(
    continuation: _Continuation,
    waiting: dict[Node, set[_Continuation]],
    accepted: set[int],
    seen: set[_Continuation],
) -> None:
    """Add what waits at a place, where a word begins or not."""
    if continuation in seen:
        return
    seen.add(continuation)
    place, begins = continuation
    if place.template >= 0:
        accepted.add(place.template)
        if begins:
            waiting.setdefault(_END, set()).add((place, True))
        return
    segment, after = place.path[place.index], place.next()
    if isinstance(segment, Literal):
        if segment.is_optional or (segment.is_blank and begins):
            _expand((after, begins), waiting, accepted, seen)
        if segment.is_blank and not begins:
            waiting.setdefault(_BLANK, set()).add((after, True))
        root = segment.word_start if begins else segment.mid_word
        if root.children:
            waiting.setdefault(root, set()).add((after, begins))
    elif isinstance(segment, Choice):
        for path in segment.paths:
            _expand((after.enter(path), begins), waiting, accepted, seen)
    elif isinstance(segment, TextSlot):
        root = segment.trie.word_start if begins else segment.trie.mid_word
        waiting.setdefault(root, set()).add((after, begins))
    elif isinstance(segment, NumberSlot):
        if segment.numbers.digits:
            waiting.setdefault(_NUMBER_START, set()).add((after, begins))
        if segment.words.children:
            waiting.setdefault(segment.words, set()).add((after, begins))
    else:
        assert isinstance(segment, WildcardSlot)
        node = _WORDS if segment.ends_word else _ANY
        waiting.setdefault(node, set()).add((after, begins))
