"""The value of an entity in templates: a text with the entity's parts as attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from anaphora.core.utterance import Entity

__all__ = ["EntityText", "to_template_value"]


def to_template_value(entity: Entity) -> str:
    """The value of an entity (or its text); an :class:`EntityText` if the entity has parts or is
    built in."""
    return EntityText(entity) if entity.parts or not entity.is_from_phrase else entity.value_or_text


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
