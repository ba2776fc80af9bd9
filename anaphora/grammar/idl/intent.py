"""Compiled intents and terms, as the solver uses them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from anaphora.frozen import freeze
from anaphora.grammar.context import EntityContext
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.python_functions import FlowFunction

__all__ = ["EntitySelector", "Intent", "IntentOptions", "Predicate", "Term"]

EntitySelector = tuple[str, str]
"""Selects entities: ``("element", id)``, ``("group", name)`` or ``("ancestor", id)``."""


@dataclass(frozen=True, slots=True)
class IntentOptions:
    """The options of an intent: what it may leave unused, whether memory alone may fill it.

    User entities belong to the model's own elements, system entities are the built-in ones.
    """

    ordered: bool = False
    allow_stm_only: bool = False
    unused_free_words: bool = True
    unused_user_entities: bool = True
    unused_system_entities: bool = True


@dataclass(frozen=True, slots=True)
class Predicate:
    """A compiled predicate of one term.

    ``test`` takes an :class:`EntityContext` and returns whether the entity matches; it raises
    ``EvaluationError``. ``requires`` are selectors of which a matching entity has at least one;
    None if unknown. ``elements`` are the elements whose entities match if the predicate tests
    only the element; else None. ``reads_negation``: it calls ``ent_negated``; all others are
    false for negated entities, which the solver does not offer to them. ``reads_position``: it
    calls a function on the entities of the sentence; ``neighbours`` are the selectors of those that
    it names.
    """

    test: Callable[[EntityContext], bool] = field(compare=False)
    text: str
    requires: frozenset[EntitySelector] | None = None
    elements: frozenset[str] | None = None
    reads_negation: bool = False
    reads_position: bool = False
    neighbours: frozenset[EntitySelector] = frozenset()


@dataclass(frozen=True, slots=True)
class Term:
    """A part of an intent that entities fill; a named term is a slot.

    ``arguments`` are those of the fragment reference that the term comes from.
    """

    id: str | None
    predicate: Predicate
    conversational: bool
    min: int
    max: int
    position: int
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The id, or else the predicate, for messages."""
        return self.id or f"{{{self.predicate.text}}}"


@dataclass(frozen=True, slots=True)
class Intent:
    """A compiled intent. ``at`` is its offset in the text that declares it, ``flow_at`` that of its
    flow."""

    id: str
    terms: tuple[Term, ...]
    options: IntentOptions = IntentOptions()
    flow: Pattern | FlowFunction | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    mentions: Mapping[EntitySelector, int] = field(default_factory=dict, compare=False)
    at: int = field(default=0, compare=False)
    flow_at: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "meta", freeze(self.meta))

    def term(self, name: str) -> Term | None:
        """The term with that id, or None."""
        return next((term for term in self.terms if term.id == name), None)
