"""An entity that short words complete or change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Token

__all__ = ["Completed", "place_entity"]


class Completed(NamedTuple):
    """An entity that short words complete or change, and the old one. If it ``is_certain``, it is
    no mere fallback for other readings of its words. ``base`` is what has been changed (50 more, an
    hour later): the old entity, or what that was before its last change."""

    entity: Entity
    old: Entity
    is_certain: bool = False
    base: Entity | None = None


def place_entity(entity: Entity, tokens: Sequence[Token], text: str) -> Entity:
    """The entity as if these tokens said it."""
    return replace(
        entity,
        text=text,
        tokens=tuple([one.index for one in tokens]),
        start=tokens[0].start,
        end=tokens[-1].end,
        stem=" ".join([one.stem for one in tokens]),
        lemma=" ".join([one.lower for one in tokens]),
    )
