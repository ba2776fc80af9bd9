"""The value of an entity in templates: a text with the entity's parts as attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from anaphora.core.utterance import Entity

__all__ = ["EntityText", "to_template_value"]


def to_template_value(entity: Entity) -> str:
    """The value of an entity (or its text); an :class:`EntityText` if the entity has parts, is
    built in, counted or negated."""
    is_plain = entity.is_from_phrase and not (entity.parts or entity.modifiers)
    return entity.value_or_text if is_plain else EntityText(entity)


class EntityText(str):
    """The value of an entity (or its text), with a reference to the entity."""

    __slots__ = ("entity",)
    entity: Entity

    def __new__(cls, entity: Entity) -> Self:
        self = super().__new__(cls, entity.value_or_text)
        self.entity = entity
        return self

    @property
    def meta(self) -> Mapping[str, Any]:
        return self.entity.meta

    @property
    def quantity(self) -> float | None:
        return self.entity.quantity

    @property
    def negated(self) -> bool:
        return self.entity.negated

    def part(self, name: str) -> str | list[str] | None:
        """The value of the part with that alias (``^^[name]{…}^^``), or else with that element.

        A list if there are several; None if there is none.
        """
        parts = self.entity.parts
        found = [part for part in parts if name in part.aliases]
        found = found or [part for part in parts if part.element == name]
        if len(found) > 1:
            return [to_template_value(part) for part in found]
        return to_template_value(found[0]) if found else None
