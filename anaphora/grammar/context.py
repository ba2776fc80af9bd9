"""What a predicate can see while it is evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

__all__ = ["Context", "EntityView", "Surroundings"]


class EntityView(Protocol):
    """An entity as the language sees it, whoever found it."""

    @property
    def element(self) -> str: ...
    @property
    def groups(self) -> frozenset[str]: ...
    @property
    def ancestors(self) -> tuple[str, ...]:
        """The ids of its element's parent, the parent's parent and so on."""
        ...

    @property
    def tokens(self) -> tuple[int, ...]:
        """The indexes of its tokens in the utterance, in their order."""
        ...

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def value(self) -> str | None: ...
    @property
    def meta(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stays the same for all the entities of one question and one intent."""

    entities: Sequence[EntityView] = ()
    text: str = ""
    user: str = ""
    model_id: str = ""
    model_name: str = ""
    model_version: str = ""
    model_meta: Mapping[str, Any] = field(default_factory=dict)
    intent_meta: Mapping[str, Any] = field(default_factory=dict)
    conversation_data: Mapping[str, Any] = field(default_factory=dict)


class Context:
    """The entity in question and what surrounds it.

    ``used`` becomes true as soon as the predicate reads the entity: a predicate that is true
    without having looked at it makes its term match without consuming the entity.
    ``variables`` keeps what the variables of the predicate have been found to be.
    """

    __slots__ = ("entity", "surroundings", "used", "variables")

    def __init__(self, entity: EntityView | None, surroundings: Surroundings) -> None:
        self.entity = entity
        self.surroundings = surroundings
        self.used = False
        self.variables: dict[str, Any] = {}
