"""Find the templates that a text satisfies, all at once.

The templates are one automaton over words. A state is a set of nodes of tries, each with the places
to go on at when a text of the trie has been read; templates that read the same part at the same
time share the node. States are made when a text first leads to them and kept, so that a further
text costs one look-up a word (the lazy determinization of RE2: R. Cox, "Regular Expression Matching
in the Wild", 2010).

The values of slots are not part of a state: after "turn on the kitchen" and "turn on the bedroom"
the automaton is in the same state. What it accepts may therefore be too much, and
:mod:`~anaphora.entities.sentences.capture` has the last word.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from string import digits
from typing import Final, TypeAlias

from anaphora.entities.sentences.segments import (
    Choice,
    Literal,
    NumberSlot,
    Path,
    TextSlot,
    WildcardSlot,
)
from anaphora.entities.sentences.word_trie import BLANKS, UNIT, Node

__all__ = ["Automaton", "Place"]

MAX_MOVES: Final = 50_000
"""The most moves between states that are kept; then they are made anew."""

_BREAKS = BLANKS.strip()

_DIGITS = re.compile(r"\s*-?\d+(?:(?P<fraction>[.,]\d+))?", re.ASCII)

_FEW = 8  # nodes that are as quickly tried one by one


class _Special:
    """What is waited for besides the texts of a trie. ``firsts``: what it may begin with."""

    __slots__ = ("firsts",)

    def __init__(self, firsts: Container[str]) -> None:
        self.firsts = firsts


class _Everything:
    def __contains__(self, _: object) -> bool:
        return True


_BLANK = _Special(BLANKS)
_NUMBER = _Special(f"{digits} -")
_WORDS = _Special(_Everything())  # any words, after which a word begins
_ANYTHING = _Special(_Everything())  # any words, after which anything may follow


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


_Waiting: TypeAlias = tuple[Node | _Special, _Continuations]
"""What is waited for, and where to go on after it."""


class _Closure:
    """All that may follow at some places: what is waited for, and the templates that end."""

    __slots__ = ("_by_first", "accepted", "after_blank", "waiting")

    def __init__(self, waiting: tuple[_Waiting, ...], accepted: frozenset[int]) -> None:
        self.waiting, self.accepted = waiting, accepted
        self.after_blank: _Step | None = None
        self._by_first: dict[str, list[_Waiting]] = {}

    def before(self, character: str) -> Sequence[_Waiting]:
        """What is waited for before a character, and perhaps more."""
        if len(self.waiting) <= _FEW:
            return self.waiting
        found = self._by_first.get(character)
        if found is None:
            found = [one for one in self.waiting if character in one[0].firsts]
            self._by_first[character] = found
        return found


class _State:
    """What may follow between two words. ``moves`` leads on by a word."""

    __slots__ = ("accepted", "closures", "moves", "waiting")

    def __init__(
        self,
        waiting: frozenset[_Waiting],
        closures: frozenset[_Closure],
        accepted: frozenset[int],
    ) -> None:
        self.waiting, self.closures, self.accepted = waiting, closures, accepted
        self.moves: dict[str, _State] = {}


class _Step:
    """What follows after a word: what is waited for, what may begin, and which templates end."""

    __slots__ = ("accepted", "closures", "waiting")

    def __init__(self) -> None:
        self.waiting: dict[_Waiting, None] = {}
        self.closures: dict[_Closure, None] = {}
        self.accepted: set[int] = set()

    def add(self, other: _Step) -> None:
        self.waiting.update(other.waiting)
        self.closures.update(other.closures)
        self.accepted |= other.accepted


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
        for word in UNIT.findall(f"{text} "):
            following = state.moves.get(word)
            if following is None:
                following = self._move(state, word)
            if not (following.waiting or following.closures or following.accepted):
                return frozenset()
            state = following
        return state.accepted

    def _move(self, state: _State, word: str) -> _State:
        """The state after a word and the blank that follows it."""
        step = _Step()
        for form in (word, f"{word[:-1]} ") if word[-1] in _BREAKS else (word,):
            self._advance(state.waiting, form, step)
            for closure in state.closures:
                self._advance(closure.before(form[0]), form, step)
        key = frozenset(step.waiting), frozenset(step.closures), frozenset(step.accepted)
        following = self._states.get(key)
        if following is None:
            following = self._states[key] = _State(*key)
        self._moves += 1
        if self._moves > MAX_MOVES:
            self._forget_states()
        else:
            state.moves[word] = following
        return following

    def _advance(self, waiting: Iterable[_Waiting], text: str, step: _Step) -> None:
        """Add what follows after a word, or the rest of one."""
        first = text[0]
        for one in waiting:
            node, places = one
            if first not in node.firsts:
                continue
            if isinstance(node, _Special):
                self._advance_special(node, places, text, step)
                continue
            for length in node.lengths.get(first, ()):
                end = node.ends.get(text[:length])
                if end is not None and length <= len(text):
                    closure = self._close(places, starts_word=end.starts_word)
                    self._reach(closure, text[length:], step)
            following = node.following.get(text)
            if following is not None:
                step.waiting[following, places] = None
            elif first in BLANKS and node.skips_blank:
                step.waiting[one] = None

    def _advance_special(
        self, node: _Special, places: _Continuations, text: str, step: _Step
    ) -> None:
        closure = self._close(places, starts_word=None if node is _NUMBER else True)
        if node is _BLANK:
            self._reach(closure, text[1:], step)
        elif node is _NUMBER:
            number = _DIGITS.match(text)
            if number is not None:
                self._reach(closure, text[number.end() :], step)
                if number["fraction"]:
                    self._reach(closure, text[number.start("fraction") :], step)
            elif text == " ":
                step.waiting[node, places] = None
        else:
            is_word = node is _WORDS and text[:-1].isalnum()
            for at in (len(text),) if is_word else range(1, len(text) + 1):
                if node is _ANYTHING or not text[at - 1].isalnum():
                    self._reach(closure, text[at:], step)
            step.accepted |= closure.accepted  # nothing begins within a word, but the text may end
            step.waiting[node, places] = None

    def _reach(self, closure: _Closure, rest: str, step: _Step) -> None:
        """Add a closure, or what follows after the rest of the word that begins there. A template
        that ends before a last blank counts as one that ends with it."""
        if not rest:
            step.closures[closure] = None
            step.accepted |= closure.accepted
        elif rest == " ":
            if closure.after_blank is None:
                after_blank = _Step()
                self._advance(closure.waiting, rest, after_blank)
                closure.after_blank = after_blank
            step.add(closure.after_blank)
            step.accepted |= closure.accepted
        else:
            self._advance(closure.before(rest[0]), rest, step)

    def _close(self, places: _Continuations, *, starts_word: bool | None) -> _Closure:
        """The closure of ``places``. ``starts_word``: whether a word begins there; None: as at
        the beginning of the segment before."""
        key = (places, starts_word)
        closure = self._closures.get(key)
        if closure is None:
            waiting: dict[Node | _Special, set[_Continuation]] = {}
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
    waiting: dict[Node | _Special, set[_Continuation]],
    accepted: set[int],
    seen: set[_Continuation],
) -> None:
    """Add what is waited for at a place, where a word begins or not."""
    if continuation in seen:
        return
    seen.add(continuation)
    place, begins = continuation
    if place.template >= 0:
        accepted.add(place.template)
        return
    segment, after = place.path[place.index], place.next()
    if isinstance(segment, Literal):
        if segment.is_optional or (segment.is_blank and begins):
            _expand((after, begins), waiting, accepted, seen)
        if segment.is_blank and not begins:
            waiting.setdefault(_BLANK, set()).add((after, True))
        root = segment.word_start if begins else segment.mid_word
        if not root.is_empty:
            waiting.setdefault(root, set()).add((after, begins))
    elif isinstance(segment, Choice):
        for path in segment.paths:
            _expand((after.enter(path), begins), waiting, accepted, seen)
    elif isinstance(segment, TextSlot):
        root = segment.trie.word_start if begins else segment.trie.mid_word
        waiting.setdefault(root, set()).add((after, begins))
    elif isinstance(segment, NumberSlot):
        if segment.numbers.digits:
            waiting.setdefault(_NUMBER, set()).add((after, begins))
        if not segment.words.is_empty:
            waiting.setdefault(segment.words, set()).add((after, begins))
    else:
        assert isinstance(segment, WildcardSlot)
        special = _WORDS if segment.ends_word else _ANYTHING
        waiting.setdefault(special, set()).add((after, begins))
