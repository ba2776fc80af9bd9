"""Combine entities by user-defined functions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.errors import HandlerError
from anaphora.grammar.function_errors import describe_failure
from anaphora.grammar.values import describe_value

__all__ = ["FunctionCombiner"]


class FunctionCombiner:
    """Calls the ``combine`` function of an element with the old and the new entity. It returns the
    combined entity, or its value, or None."""

    completes = False

    def __init__(self, element: str, function: Callable[..., Any]) -> None:
        self._element = element
        self._function = function

    def may_combine(self, new: Entity) -> bool:
        return True

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        """The combined entity. Raises :class:`HandlerError` if the function fails or returns
        anything else."""
        name = f"'combine' of the element '{self._element}'"
        try:
            found = self._function(old, new)
        except Exception as error:
            reason = describe_failure(error, self._function)
            raise HandlerError(f"{name} failed: {reason}") from error
        match found:
            case None:
                return None
            case str():
                return replace(new, value=found)
            case Entity() if found.element == new.element:
                # In the place of the new one, whatever the function has copied.
                place = {"tokens": new.tokens, "start": new.start, "end": new.end}
                return replace(found, groups=new.groups, **place)
        raise HandlerError(
            f"{name} returned {describe_value(found)}: it must return an entity of this element, "
            "its value as a text, or None"
        )

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        return None
