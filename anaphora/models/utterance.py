"""What was said, and what of it the model knows: tokens, entities, variants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Entity", "Token", "Utterance", "Variant"]


@dataclass(frozen=True, slots=True)
class Token:
    """One token. ``start`` and ``end`` are offsets in the text (half open).

    ``free`` says that it is a word that means something by itself: neither a stop word nor
    punctuation nor white space.
    """

    text: str
    lower: str
    stem: str
    index: int
    start: int
    end: int
    free: bool = True


@dataclass(frozen=True, slots=True)
class Entity:
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
    meta: Mapping[str, Any] = field(default_factory=dict)
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
    def said(self) -> str:
        """Its value, else its text."""
        return self.text if self.value is None else self.value

    def __str__(self) -> str:
        return self.element if self.value is None else f"{self.element}={self.value}"


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text with its tokens and every entity that could stand in it (they may overlap).

    ``resets`` are the reset phrases in it, each as the indexes of its tokens; ``error`` says
    what a predicate in a synonym could not work with ('' if nothing).
    """

    text: str
    language: str
    tokens: tuple[Token, ...]
    entities: tuple[Entity, ...] = ()
    resets: tuple[tuple[int, ...], ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """A maximal set of entities that don't overlap, in the order of the sentence.

    ``uncovered`` counts the free words that no entity covers. ``rank`` is smaller for the
    better of two variants: more words covered, longer entities, more of them written exactly,
    the model's own before built-in ones.
    """

    entities: tuple[Entity, ...]
    uncovered: int = 0
    rank: tuple[int, ...] = ()
