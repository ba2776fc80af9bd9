"""A predicate in a synonym: a word that is an entity found already."""

from __future__ import annotations

from dataclasses import dataclass, field

from anaphora.grammar.idl.intent import Predicate

__all__ = ["EntityPart"]


@dataclass(frozen=True, slots=True)
class EntityPart:
    """``^^[alias]{predicate}^^`` in a synonym: an entity for which the predicate is true.

    ``alias`` is what the composed entity calls it ('' for no name); two are equal when they are
    written alike.
    """

    alias: str
    text: str
    predicate: Predicate = field(compare=False, repr=False)

    def __str__(self) -> str:
        return f"^^{f'[{self.alias}]' if self.alias else ''}{{{self.text}}}^^"
