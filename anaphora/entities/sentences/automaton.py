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
from collections.abc import Iterable
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
_BLANKS = " -_"

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

_Reached: TypeAlias = "list[dict[_Closure, None]]"
"""The closures that begin at each position of a word."""

_FEW = 8


class _Closure:
    """All that may follow at some places: the nodes that wait there, and the templates that end."""

    __slots__ = ("_by_first", "accepted", "waiting")

    def __init__(self, waiting: tuple[_Waiting, ...], accepted: frozenset[int]) -> None:
        self.waiting, self.accepted = waiting, accepted
        self._by_first: dict[str, tuple[_Waiting, ...]] = {}

    def wait_for(self, character: str) -> tuple[_Waiting, ...]:
        """The nodes that a character may lead on from; of few, all."""
        if len(self.waiting) <= _FEW:
            return self.waiting
        found = self._by_first.get(character)
        if found is None:
            is_blank = character in _BLANKS
            found = self._by_first[character] = tuple(
                one
                for one in self.waiting
                if is_blank or not one[0].children or character in one[0].children
            )
        return found


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
        size = len(word)
        after: dict[_Waiting, None] = {}
        reached: _Reached = [dict.fromkeys(state.closures), *({} for _ in word)]
        for node, places in state.waiting:
            self._read(node, places, word, 0, after, reached)
        for position, character in enumerate(word):
            for closure in reached[position]:
                for node, places in closure.wait_for(character):
                    self._read(node, places, word, position, after, reached)
        closures = reached[size]
        before = reached[size - 1] if word[-1] == " " else ()
        accepted = frozenset[int]().union(*[one.accepted for one in (*closures, *before)])
        key = frozenset(after), frozenset(closures), accepted
        following = self._states.get(key)
        if following is None:
            following = self._states[key] = _State(*key)
        self._moves += 1
        if self._moves > MAX_MOVES:
            self._forget_states()
        else:
            state.moves[word] = following
        return following

    def _read(
        self,
        node: Node,
        places: _Continuations,
        word: str,
        position: int,
        after: dict[_Waiting, None],
        reached: _Reached,
    ) -> None:
        """Read a word from a position on: add what waits ``after`` it, and the closures that are
        ``reached`` in it."""
        size = len(word)
        if not node.children:
            self._read_special(node, places, word, position, after, reached)
            return
        if node.skips_blank and word[position] in _BLANKS:
            if position + 1 < size:
                self._read(node, places, word, position + 1, after, reached)
            else:
                after[node, places] = None
        while position < size:
            child = node.children.get(word[position])
            if child is None:
                if word[position] not in _BREAKS:
                    return
                child = node.children.get(" ")
                if child is None:
                    return
            position += 1
            node = child
            if node.ends:
                starts_word = node.starts_word if node.ends[0] is True else None
                reached[position][self._close(places, starts_word=starts_word)] = None
        if node.children:
            after[node, places] = None

    def _read_special(
        self,
        node: Node,
        places: _Continuations,
        word: str,
        position: int,
        after: dict[_Waiting, None],
        reached: _Reached,
    ) -> None:
        """Like :meth:`_read`, for a node that is no trie."""
        if node is _BLANK or node is _END:
            if word[position] in _BLANKS:
                closure = (
                    self._close(places, starts_word=True)
                    if node is _BLANK
                    else self._end(frozenset(place.template for place, _ in places))
                )
                reached[position + 1][closure] = None
        elif node is _WORDS or node is _ANY:
            after[node, places] = None
            closure = self._close(places, starts_word=True)
            # Nothing may begin within a word, but the text may end there.
            within = closure if node is _ANY else self._end(closure.accepted)
            for index in range(position, len(word)):
                one = within if word[index].isalnum() else closure
                reached[index + 1][one] = None
        else:
            for index in range(position, len(word)):
                following = _next_of_number(node, word[index])
                if following is None:
                    return
                node = following
                if node is _DIGITS or node is _FRACTION:
                    reached[index + 1][self._close(places, starts_word=None)] = None
            after[node, places] = None

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


def _next_of_number(node: Node, character: str) -> Node | None:
    """The node of a number after a further character; None if the number cannot go on with it."""
    if character.isdecimal() and character.isascii():
        return _FRACTION if node in (_POINT, _FRACTION) else _DIGITS
    if node is _NUMBER_START and character in " -":
        return node if character == " " else _SIGN
    return _POINT if node is _DIGITS and character in ".," else None


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
