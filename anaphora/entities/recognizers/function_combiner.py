"""Combine entities by user-defined functions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.recognizers.recognizer import Combiner
from anaphora.errors import HandlerError
from anaphora.grammar.function_errors import describe_failure

__all__ = ["create_function_combiner"]


def create_function_combiner(element: str, function: Callable[..., Any]) -> Combiner:
    """Create a combiner of the ``combine`` function of an element, which takes the old and the new
    entity and returns the combined entity, its value, or None.

    The combiner raises :class:`HandlerError` if the function fails or returns anything else.
    """
    return partial(_combine, element, function)


def _combine(
    element: str, function: Callable[..., Any], old: Entity, new: Entity, at: datetime
) -> Entity | None:
    try:
        found = function(old, new)
    except Exception as error:
        reason = describe_failure(error, function)
        raise HandlerError(f"'combine' of the element '{element}' failed: {reason}") from error
    match found:
        case None:
            return None
        case str():
            return replace(new, value=found)
        case Entity() if found.element == element:
            # In the place of the new one, whatever the function has copied.
            return replace(
                found, groups=new.groups, tokens=new.tokens, start=new.start, end=new.end
            )
        case Entity():
            returned = f"an entity of '{found.element}'"
        case _:
            returned = repr(found)
    raise HandlerError(
        f"'combine' of the element '{element}' returned {returned}: it must return an entity of "
        "this element, its value as a text, or None"
    )
