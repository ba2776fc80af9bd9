"""An utterance with its tokens, entities and variants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar, overload

from msgspec import Struct
from msgspec.structs import replace

from anaphora.frozen import EMPTY

__all__ = [
    "Entity",
    "LazySequence",
    "LazyTokens",
    "SentenceReading",
    "Token",
    "Utterance",
    "Variant",
    "find_courtesy_words",
]

_PLACES = frozenset(("area", "floor"))
_THINGS = frozenset(("name", "domain", "device_class"))


class Token(Struct, frozen=True, gc=False):
    """A token; ``start`` and ``end`` are its offsets in the text (half open).

    A content word is neither a stop word, punctuation nor white space, nor part of a courtesy
    phrase ("would like"). Words that negate or restrict others (not, only) are content words.
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
    def is_content_word(self) -> bool: ...

    @property
    def qualifier(self) -> bool: ...


def find_courtesy_words(words: Sequence[_WordFlags]) -> frozenset[int]:
    """The indexes of the words in courtesy phrases such as "would like"."""
    lowers = [word.lower for word in words]
    return frozenset(
        index
        for i, word in enumerate(words)
        for place, phrase in word.courtesy
        if i >= place and tuple(lowers[i - place : i - place + len(phrase)]) == phrase
        for index in range(i - place, i - place + len(phrase))
    )


_Item = TypeVar("_Item")


class LazySequence(Sequence[_Item]):
    """A sequence whose items are made on first access."""

    __slots__ = ("_items", "_make")

    def __init__(self, make: Callable[[], Iterable[_Item]]) -> None:
        self._make = make
        self._items: tuple[_Item, ...] | None = None

    def _all(self) -> tuple[_Item, ...]:
        if self._items is None:
            self._items = tuple(self._make())
        return self._items

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[_Item, ...]: ...
    def __getitem__(self, index: int | slice) -> _Item | tuple[_Item, ...]:
        return self._all()[index]

    def __iter__(self) -> Iterator[_Item]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, LazySequence) else other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> tuple[type[tuple[_Item, ...]], tuple[tuple[_Item, ...]]]:
        return tuple, (self._all(),)


class LazyTokens(LazySequence[Token]):
    """The tokens of an utterance: one costs 0.8 µs, and most questions are answered without any.
    ``words`` hold the flags from which the content words are found."""

    __slots__ = ("_content_words", "_words")

    def __init__(self, make: Callable[[], tuple[Token, ...]], words: Sequence[_WordFlags]) -> None:
        super().__init__(make)
        self._words = words
        self._content_words: Sequence[int] | None = None

    def with_text(self, text: str) -> LazyTokens:
        """The same tokens of another text of the same length."""
        return LazyTokens(partial(_retext, self, text), self._words)

    @property
    def content_words(self) -> Sequence[int]:
        """The indexes of the content words."""
        if self._content_words is None:
            content = [i for i, word in enumerate(self._words) if word.is_content_word]
            if [i for i in content if self._words[i].courtesy]:
                courtesy = find_courtesy_words(self._words)
                content = [i for i in content if i not in courtesy]
            self._content_words = content
        return self._content_words

    @property
    def qualifiers(self) -> Sequence[int]:
        """The indexes of the words that negate or restrict others: not, without, only."""
        found = [i for i, word in enumerate(self._words) if word.qualifier]
        return [i for i in found if i in self.content_words] if found else found


def _retext(tokens: Sequence[Token], text: str) -> tuple[Token, ...]:
    return tuple([replace(one, text=text[one.start : one.end]) for one in tokens])


class Entity(Struct, frozen=True):
    """A mention of an element in an utterance.

    ``tokens`` are the indexes of its tokens, ``start`` and ``end`` its offsets in the text
    (half open). ``exact``: its words are spelled as in the model, rather than only having the
    same stems. ``is_from_phrase``: it was found by a phrase of the model, not by a recognizer.
    ``parts`` are the entities that it is composed of, ``aliases`` its names as a part of another
    entity. ``gaps`` is the number of other words between its own. ``ancestors`` are the ids of its
    element's parent, the parent's parent and so on. ``stem`` has the stems of its words, separated
    by blanks; ``lemma`` the lemmas, or the words in lower case if the pipeline has no lemmatizer;
    ``pos`` the parts of speech, or '' if the pipeline has no tagger. ``marks`` are flags of the
    mention: "abstract", "bracketed", "compound", "misspelt", "permuted", "quoted", "stem",
    "swear". A ``negated`` entity is excluded by the user ("without onions"). ``quantity`` is the
    number that counts it in the text ("two pizzas"); None without one.
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
    is_from_phrase: bool = True
    stem: str = ""
    lemma: str = ""
    pos: str = ""
    aliases: tuple[str, ...] = ()
    parts: tuple[Entity, ...] = ()
    gaps: int = 0
    marks: frozenset[str] = frozenset()
    negated: bool = False
    quantity: float | int | None = None

    @property
    def value_or_text(self) -> str:
        """The value, or the text of an entity without a value."""
        return self.text if self.value is None else self.value

    @property
    def modifiers(self) -> dict[str, Any]:
        """``quantity`` and ``negated`` by name, only those that are set: JSON-able data."""
        found: dict[str, Any] = {} if self.quantity is None else {"quantity": self.quantity}
        return found | {"negated": True} if self.negated else found

    def __str__(self) -> str:
        return self.element if self.value is None else f"{self.element}={self.value}"

    def __repr__(self) -> str:
        place = f", {self.start}:{self.end}" if self.end else ""
        value = "" if self.value is None else f", value={self.value!r}"
        modifiers = "".join(f", {name}={value!r}" for name, value in self.modifiers.items())
        return f"Entity({self.element!r}, {self.text!r}{place}{value}{modifiers})"


class SentenceReading(Struct, frozen=True, gc=False):
    """An intent with the entities of its slots, as a sentence template reads an utterance.

    ``entities`` are those that were said, and those that the sentence itself fixes; the latter have
    no tokens. ``references`` are the slots that a reference word fills ("it", "there"), and
    ``missing`` those that the sentence leaves to the context: both must come from the memory.
    ``accepts`` are the values that the sentence allows of the context, by key: a device of the
    domain light. ``response`` is the key of the answer, ``template`` the syntax tree of the
    sentence. ``elliptical``: its object is not said ("turn off"), but one of the ``references``.
    ``quantity``: which things it is about besides: ``both``, the ``other`` one, ``all`` of the kind
    that is said or of that object, or ``everything`` that takes the command. ``kind`` is a word
    that all of these have in their names ("all DOORS"). ``rest`` are the words of the utterance
    about other things, which the reading leaves out; ``following`` are the readings of these, in
    their order. ``names_only``: it is no more than the name of a thing ("and
    the radio"), which rather goes on with the last command; so does one with ``value_only`` ("40").
    ``excluded`` are the things, kinds and places for which it is not meant ("all BUT THE KITCHEN").
    ``corrected``: the utterance corrects itself, and this is what it says at last.
    """

    intent: str
    entities: tuple[Entity, ...]
    references: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()
    accepts: Mapping[str, tuple[Any, ...] | None] = EMPTY
    response: str = ""
    template: Any = None
    elliptical: bool = False
    quantity: str = ""
    kind: str = ""
    rest: str = ""
    names_only: bool = False
    value_only: bool = False
    following: tuple[SentenceReading, ...] = ()
    excluded: tuple[Entity, ...] = ()
    corrected: bool = False

    @property
    def needs_memory(self) -> bool:
        """Whether what was said before may be part of it."""
        return bool(self.references or self.missing or self.names_only or self.value_only)

    @property
    def is_bare(self) -> bool:
        """Whether it says nothing of what it is about: at most a place comes from the context."""
        return not any(one.end or one.element not in _PLACES for one in self.entities)

    @property
    def leaves_place(self) -> bool:
        """Whether it names nothing, and is about a place of the context: "louder", "pause"."""
        things = [one for one in self.entities if one.element in _THINGS or one.element in _PLACES]
        if self.references or any(one.end for one in things):
            return False
        says_value = self.is_bare or any(one.end for one in self.entities)
        return says_value and any(one.element in _PLACES for one in things)


class Utterance(Struct, frozen=True, gc=False):
    """A text with its tokens and all candidate entities (they may overlap).

    ``resets`` are the reset phrases in it, each as the indexes of its tokens. ``error`` is the
    message of a predicate in a synonym that failed ('' if none did). ``fallback_entities`` are the
    entities including those that count only if an intent needs them and nothing else completes
    it; empty if there are none of the latter. ``understood`` are the tokens that no entity needs to
    cover, because they do something in the dialog ("no, I meant"). ``void`` are the places that
    name what does not exist (February 30): they are no entities, but nothing remembered of their
    groups is meant either. ``sentences`` are the whole sentences that it satisfies, best first.
    """

    text: str
    language: str
    tokens: Sequence[Token]
    entities: tuple[Entity, ...] = ()
    resets: tuple[tuple[int, ...], ...] = ()
    error: str = ""
    fallback_entities: tuple[Entity, ...] = ()
    understood: frozenset[int] = frozenset()
    void: tuple[Entity, ...] = ()
    sentences: tuple[SentenceReading, ...] = ()

    @property
    def content_words(self) -> Sequence[int]:
        """The indexes of the content words."""
        if isinstance(self.tokens, LazyTokens):
            content = self.tokens.content_words
        else:
            content = [token.index for token in self.tokens if token.is_content_word]
        return self._without_understood(content) if self.understood else content

    @property
    def qualifiers(self) -> Sequence[int]:
        """The indexes of the tokens that negate or restrict others."""
        if not isinstance(self.tokens, LazyTokens):
            return ()
        found = self.tokens.qualifiers
        return self._without_understood(found) if self.understood else found

    def _without_understood(self, indexes: Sequence[int]) -> Sequence[int]:
        return [index for index in indexes if index not in self.understood]


class Variant(Struct, frozen=True, gc=False):
    """A maximal set of entities that don't overlap, in sentence order.

    ``uncovered`` is the number of content words that no entity covers. The better of two
    variants has the smaller ``rank``: more tokens covered, longer entities, fewer gaps, fewer
    misspelt ones, fewer found by a stem or a compound head, more exact ones, those of
    phrases before those of recognizers.
    """

    entities: tuple[Entity, ...]
    uncovered: int = 0
    rank: tuple[int, ...] = ()
