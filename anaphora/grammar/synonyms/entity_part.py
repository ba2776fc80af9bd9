"""A predicate in a synonym, which matches an entity."""

from __future__ import annotations

from dataclasses import dataclass, field

from anaphora.grammar.idl.intent import Predicate

__all__ = ["EntityPart"]


@dataclass(frozen=True, slots=True)
class EntityPart:
    """``^^[alias]{predicate}^^`` in a synonym: an entity that satisfies the predicate.

    ``alias`` is its name within the composed entity ('' for none). Parts are equal if their
    aliases and texts are.
    """

    alias: str
    text: str
    predicate: Predicate = field(compare=False, repr=False)

    def __str__(self) -> str:
        return f"^^{f'[{self.alias}]' if self.alias else ''}{{{self.text}}}^^"
