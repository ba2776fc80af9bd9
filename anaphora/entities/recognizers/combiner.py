"""The protocols of combiners, which make one value of two entities that are parts of it, and of
what changes amounts."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Protocol

from anaphora.core.utterance import Entity
from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["AmountChanger", "Combiner"]


class Combiner(Protocol):
    """Combines entities of one kind. ``at`` is the local time of the user. Unless it ``completes``
    entities, :meth:`complete` finds nothing."""

    @property
    def completes(self) -> bool: ...

    def may_combine(self, new: Entity) -> bool:
        """Whether a new entity may be combined with any old one."""
        ...

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        """Combine an old entity with a new one, in whose place the result stands; None if the new
        one replaces the old one."""
        ...

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        """Find at the start of ``text`` what is no entity by itself, but completes an old one
        ("euros" after "500"): a mention with the value and the metadata of the whole."""
        ...


class AmountChanger(Protocol):
    """Changes amounts: adds to them, and multiplies them."""

    def add(self, old: Entity, new: Entity, sign: int) -> Entity | None:
        """Add a new amount to an old one, or take it away (``sign`` -1); None if it is of another
        kind."""
        ...

    def multiply(self, old: Entity, factor: Fraction) -> Entity | None:
        """Multiply an old amount; None if it cannot be."""
        ...
