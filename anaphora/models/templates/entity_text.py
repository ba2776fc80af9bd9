"""The value of an entity in templates: a text with the entity's parts as attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from anaphora.core.utterance import Entity

__all__ = ["BundleText", "EntityText", "to_template_value"]


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


class BundleText(str):
    """The name of an offer, with the values of its entities as attributes.

    ``told_by`` is the entity that the name stands for, which filters format; None for several.
    """

    __slots__ = ("_entities", "told_by")
    told_by: Entity | None
    _entities: Sequence[Entity]

    def __new__(cls, name: str, told_by: Entity | None, entities: Sequence[Entity]) -> Self:
        self = super().__new__(cls, name)
        self.told_by, self._entities = told_by, entities
        return self

    def part(self, name: str) -> str | None:
        """The value of that element; None if the offer has none."""
        found = (one for one in self._entities if one.element == name)
        return next(map(to_template_value, found), None)
