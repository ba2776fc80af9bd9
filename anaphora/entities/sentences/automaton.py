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
from typing import Final, NamedTuple, TypeAlias

from anaphora.entities.sentences.segments import (
    Choice,
    Literal,
    Node,
    NumberSlot,
    Path,
    TextSlot,
    WildcardSlot,
)

__all__ = ["Automaton", "Place"]

MAX_MOVES: Final = 50_000
"""The most moves between states that are kept; then they are made anew."""

_UNITS = re.compile(r"[一-鿿㐀-䶿぀-ヿ가-힯] ?|[^ 一-鿿㐀-䶿぀-ヿ가-힯]+ ?| ")

_BREAKS = "-_"

_BLANK = Node()  # a blank must follow
_END = Node()  # the end of a template after which a blank may follow
_NUMBER_START, _SIGN, _DIGITS, _POINT, _FRACTION = (Node() for _ in range(5))
_WORDS = Node()  # a wildcard after which a word begins
_ANY = Node()  # a wildcard after which anything may follow
_SPECIAL = frozenset((_BLANK, _END, _NUMBER_START, _SIGN, _DIGITS, _POINT, _FRACTION, _WORDS, _ANY))


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


_Waiting: TypeAlias = dict[Node, _Continuations]
"""The nodes that wait for a character, with their continuations."""


class _Closure(NamedTuple):
    """What waits after some places, and the templates that end there."""

    waiting: _Waiting
    accepted: frozenset[int]


class _State:
    """What waits between two words. ``moves`` leads on by a word with the blank after it."""

    __slots__ = ("accepted", "moves", "waiting")

    def __init__(self, waiting: _Waiting, accepted: frozenset[int]) -> None:
        self.waiting, self.accepted = waiting, accepted
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
        start = self._close(frozenset((start, True) for start in self.starts), True)
        self._start = _State(*start)
        self._forget_states()

    def _forget_states(self) -> None:
        self._states: dict[tuple[frozenset[object], frozenset[int]], _State] = {}
        self._moves = 0
        self._start.moves = {}

    def accepted(self, text: str) -> frozenset[int]:
        """The indexes of the templates that a normalized text may satisfy."""
        state = self._start
        for word in _UNITS.findall(f"{text} "):
            following = state.moves.get(word)
            if following is None:
                following = self._move(state, word)
            if not following.waiting and not following.accepted:
                return frozenset()
            state = following
        return state.accepted

    def _move(self, state: _State, word: str) -> _State:
        """The state after a word, and after the blank that follows it. A template that ends with
        the word itself counts as one that ends with the blank."""
        waiting, accepted = state.waiting, frozenset[int]()
        for character in word:
            ended = accepted if character == " " else frozenset[int]()
            waiting, accepted = self._step(waiting, character)
            accepted |= ended
        key = frozenset((node, id(places)) for node, places in waiting.items()), accepted
        following = self._states.get(key)
        if following is None:
            following = self._states[key] = _State(waiting, accepted)
        self._moves += 1
        if self._moves > MAX_MOVES:
            self._forget_states()
        else:
            state.moves[word] = following
        return following

    def _step(self, waiting: _Waiting, character: str) -> _Closure:
        """What waits after a character."""
        is_blank = character == " " or character in _BREAKS
        after: _Waiting = {}
        closures: list[_Closure] = []
        merged: set[Node] = set()
        for node, places in waiting.items():
            if node in _SPECIAL:
                for follower, closure in self._step_special(node, places, character, is_blank):
                    if follower is not None:
                        _join(after, follower, places, merged)
                    if closure is not None:
                        closures.append(closure)
                continue
            child = node.children.get(character)
            if child is None and is_blank:
                child = node.children.get(" ")
            if child is not None:
                if child.children:
                    _join(after, child, places, merged)
                if child.ends:
                    is_literal = child.ends[0] is True
                    closures.append(self._close(places, child.starts_word if is_literal else None))
            if is_blank and node.skips_blank:
                _join(after, node, places, merged)
        if len(closures) == 1 and not after:
            return closures[0]
        accepted = frozenset[int]()
        for closure in closures:
            accepted |= closure.accepted
            for node, places in closure.waiting.items():
                _join(after, node, places, merged)
        for node in merged:
            after[node] = self._intern(after[node])
        return _Closure(after, accepted)

    def _step_special(
        self, node: Node, places: _Continuations, character: str, is_blank: bool
    ) -> Iterator[tuple[Node | None, _Closure | None]]:
        """The nodes that wait after a node that is no trie, and what follows it."""
        if node is _BLANK:
            if is_blank:
                yield None, self._close(places, True)
        elif node is _END:
            if is_blank:
                yield None, _Closure({}, frozenset(place.template for place, _ in places))
        elif node is _WORDS or node is _ANY:
            closure = self._close(places, True)
            if node is _WORDS and character.isalnum():
                # Nothing may begin within a word, but the text may end there.
                closure = _Closure({}, closure.accepted)
            yield node, closure
        elif character.isdecimal() and character.isascii():
            following = _FRACTION if node in (_POINT, _FRACTION) else _DIGITS
            yield following, self._close(places, None)
        elif node is _NUMBER_START and character in " -":
            yield (node if character == " " else _SIGN), None
        elif node is _DIGITS and character in ".,":
            yield _POINT, None

    def _intern(self, places: _Continuations) -> _Continuations:
        return self._sets.setdefault(places, places)

    def _close(self, places: _Continuations, starts_word: bool | None) -> _Closure:
        """What waits after ``places``. ``starts_word``: whether a word begins there; None: as at
        the beginning of the segment before."""
        key = (places, starts_word)
        closure = self._closures.get(key)
        if closure is None:
            waiting: dict[Node, set[_Continuation]] = {}
            accepted: set[int] = set()
            seen: set[_Continuation] = set()
            for place, began in places:
                begins = began if starts_word is None else starts_word
                _expand(place, begins, waiting, accepted, seen)
            interned = {node: self._intern(frozenset(found)) for node, found in waiting.items()}
            closure = self._closures[key] = _Closure(interned, frozenset(accepted))
        return closure


def _join(after: _Waiting, node: Node, places: _Continuations, merged: set[Node]) -> None:
    known = after.get(node)
    if known is None:
        after[node] = places
    elif known is not places:
        after[node] = known | places
        merged.add(node)


def _expand(
    place: Place,
    begins: bool,
    waiting: dict[Node, set[_Continuation]],
    accepted: set[int],
    seen: set[_Continuation],
) -> None:
    """Add what waits at a place, where a word ``begins`` or not."""
    if (place, begins) in seen:
        return
    seen.add((place, begins))
    if place.template >= 0:
        accepted.add(place.template)
        if begins:
            waiting.setdefault(_END, set()).add((place, True))
        return
    segment, after = place.path[place.index], place.next()
    if isinstance(segment, Literal):
        if segment.is_optional or (segment.is_blank and begins):
            _expand(after, begins, waiting, accepted, seen)
        if segment.is_blank and not begins:
            waiting.setdefault(_BLANK, set()).add((after, True))
        root = segment.word_start if begins else segment.mid_word
        if root.children:
            waiting.setdefault(root, set()).add((after, begins))
    elif isinstance(segment, Choice):
        for path in segment.paths:
            _expand(after.enter(path), begins, waiting, accepted, seen)
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
