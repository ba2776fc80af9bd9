"""What templates see of an entity: its value, which has the values of its parts as attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from anaphora.core.utterance import Entity

__all__ = ["EntityText", "to_template_value"]


def to_template_value(entity: Entity) -> str:
    """The value of an entity (its text, if it has none); one that knows of the entity where that
    has parts or metadata of its own."""
    return EntityText(entity) if entity.parts or not entity.own else entity.value_or_text


class EntityText(str):
    """The value of an entity (its text, if it has none) with the entity behind it."""

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
        """The part of that name in its synonym (``^^[name]{…}^^``), else the one of that element;
        a list if there are several, None if there is none."""
        parts = self.entity.parts
        found = [part for part in parts if name in part.aliases]
        found = found or [part for part in parts if part.element == name]
        if len(found) > 1:
            return [to_template_value(part) for part in found]
        return to_template_value(found[0]) if found else None
