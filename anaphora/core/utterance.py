"""What was said, and what of it the model knows: tokens, entities, variants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, overload

from msgspec import Struct

from anaphora.frozen import EMPTY

__all__ = ["Entity", "LazyTokens", "Token", "Utterance", "Variant", "find_courtesy_words"]


class Token(Struct, frozen=True, gc=False):
    """One token. ``start`` and ``end`` are offsets in the text (half open).

    ``free`` says that it is a content word: neither a stop word nor punctuation nor white space,
    nor one of a phrase that is only polite.
    Words that turn the sense of others or bound it (not, only) are content words.
    """

    text: str
    lower: str
    stem: str
    index: int
    start: int
    end: int
    is_content_word: bool = True


class _WordFlags(Protocol):
    @property
    def lower(self) -> str: ...

    @property
    def courtesy(self) -> Sequence[tuple[int, tuple[str, ...]]]: ...

    @property
    def free(self) -> bool: ...

    @property
    def qualifier(self) -> bool: ...


def find_courtesy_words(words: Sequence[_WordFlags]) -> frozenset[int]:
    """The indexes of the words that stand in phrases which are only polite: "would like"."""
    lowers = [word.lower for word in words]
    return frozenset(
        index
        for i, word in enumerate(words)
        for place, phrase in word.courtesy
        if i >= place and tuple(lowers[i - place : i - place + len(phrase)]) == phrase
        for index in range(i - place, i - place + len(phrase))
    )


class LazyTokens(Sequence[Token]):
    """The tokens of an utterance, made when the first of them is asked for (0.8 µs each, and
    most questions are answered without), of ``words`` that tell which of them are free."""

    __slots__ = ("_free", "_made", "_make", "_words")

    def __init__(self, make: Callable[[], tuple[Token, ...]], words: Sequence[_WordFlags]) -> None:
        self._words = words
        self._make = make
        self._made: tuple[Token, ...] | None = None
        self._free: Sequence[int] | None = None

    @property
    def content_words(self) -> Sequence[int]:
        """The indexes of those that are free."""
        if self._free is None:
            free = [i for i, word in enumerate(self._words) if word.free]
            if [i for i in free if self._words[i].courtesy]:
                polite = find_courtesy_words(self._words)
                free = [i for i in free if i not in polite]
            self._free = free
        return self._free

    @property
    def qualifiers(self) -> Sequence[int]:
        """The indexes of those that turn the sense of others or bound it: not, without, only."""
        found = [i for i, word in enumerate(self._words) if word.qualifier]
        return [i for i in found if i in self.content_words] if found else found

    def _all(self) -> tuple[Token, ...]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Token, ...]: ...
    def __getitem__(self, index: int | slice) -> Token | tuple[Token, ...]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Token]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, LazyTokens) else other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> tuple[type[tuple[Token, ...]], tuple[tuple[Token, ...]]]:
        return tuple, (self._all(),)


class Entity(Struct, frozen=True):
    """An element that stands in an utterance.

    ``tokens`` are the indexes of its tokens, ``start`` and ``end`` its offsets in the text
    (half open). ``exact`` says that its words were written as the model writes them, and not
    only with the same stems; ``own`` that the model declares the element itself. ``parts`` are
    the entities that it is composed of, ``aliases`` what the one that it is a part of calls it,
    ``gaps`` counts the words between its own; ``stem``, ``lemma``, ``pos`` and ``marks`` are as
    :class:`~anaphora.grammar.context.EntityView` says.
    """

    element: str
    groups: frozenset[str]
    text: str
    tokens: tuple[int, ...] = ()
    start: int = 0
    end: int = 0
    value: str | None = None
    ancestors: tuple[str, ...] = ()
    meta: Mapping[str, Any] = EMPTY
    topic: bool = False
    exact: bool = True
    own: bool = True
    stem: str = ""
    lemma: str = ""
    pos: str = ""
    aliases: tuple[str, ...] = ()
    parts: tuple[Entity, ...] = ()
    gaps: int = 0
    marks: frozenset[str] = frozenset()

    @property
    def value_or_text(self) -> str:
        """Its value, else its text."""
        return self.text if self.value is None else self.value

    def __str__(self) -> str:
        return self.element if self.value is None else f"{self.element}={self.value}"


class Utterance(Struct, frozen=True, gc=False):
    """A text with its tokens and every entity that could stand in it (they may overlap).

    ``resets`` are the reset phrases in it, each as the indexes of its tokens; ``error`` says
    what a predicate in a synonym could not work with ('' if nothing). ``fallback`` are the entities
    with those that count only where an intent needs them that nothing else completes; none, if
    there are no such ones.
    """

    text: str
    language: str
    tokens: Sequence[Token]
    entities: tuple[Entity, ...] = ()
    resets: tuple[tuple[int, ...], ...] = ()
    error: str = ""
    fallback: tuple[Entity, ...] = ()

    @property
    def content_words(self) -> Sequence[int]:
        """The indexes of the tokens that mean something by themselves."""
        if isinstance(self.tokens, LazyTokens):
            return self.tokens.content_words
        return [token.index for token in self.tokens if token.is_content_word]

    @property
    def qualifiers(self) -> Sequence[int]:
        """The indexes of the tokens that turn the sense of others or bound it."""
        return self.tokens.qualifiers if isinstance(self.tokens, LazyTokens) else ()


class Variant(Struct, frozen=True, gc=False):
    """A maximal set of entities that don't overlap, in the order of the sentence.

    ``uncovered`` counts the free words that no entity covers. ``rank`` is smaller for the
    better of two variants: more words covered, longer entities, more of them written exactly,
    the model's own before built-in ones.
    """

    entities: tuple[Entity, ...]
    uncovered: int = 0
    rank: tuple[int, ...] = ()
