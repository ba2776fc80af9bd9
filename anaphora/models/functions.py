"""Whether a Python function can be called as a recognizer of an element."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from anaphora.models.hints import did_you_mean

__all__ = ["GIVEN", "Misfit", "misfits", "takes"]

GIVEN = ("text", "doc", "at", "language", "options")
"""What a recognizer may take, beside each of its options by name."""

_HINT = f"a recognizer is given {', '.join(GIVEN)}, and what stands under its 'config'"


class Misfit(NamedTuple):
    """Why a function and its options don't fit; ``option`` is the one to blame ('' for none)."""

    message: str
    hint: str = ""
    option: str = ""


def takes(function: Callable[..., Any], name: str) -> bool:
    """Whether the function has a parameter of that name, or takes whatever there is."""
    parameters = inspect.signature(function).parameters
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return True
    return name in parameters and parameters[name].kind is not inspect.Parameter.VAR_POSITIONAL


def misfits(
    name: str, function: Callable[..., Any], options: Mapping[str, Any]
) -> Iterator[Misfit]:
    """Why ``function``, which the model calls ``name``, cannot be called with ``options``;
    nothing if it can."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        yield Misfit(f"{name} does not tell its parameters", "wrap it in a function of your own")
        return
    known = (*GIVEN, *options)
    for one in parameters:
        if one.kind is one.POSITIONAL_ONLY:
            yield Misfit(
                f"{name} takes '{one.name}' by position",
                "a recognizer is called by the names of its parameters",
            )
        elif one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL):
            continue
        elif one.name not in known and one.default is one.empty:
            meant = did_you_mean(one.name, GIVEN)
            hint = f"{meant} {_HINT}" if meant else _HINT
            yield Misfit(f"{name} asks for '{one.name}', which nothing gives", hint)
    for option in options:
        if option in GIVEN:
            message = f"no option can be called '{option}': that is given to every recognizer"
            yield Misfit(message, "choose another name", option)
        elif not takes(function, option) and not takes(function, "options"):
            own = [one.name for one in parameters if one.name not in GIVEN]
            hint = did_you_mean(option, own, what="it takes") or "give it a parameter of that name"
            yield Misfit(f"{name} takes no option '{option}'", hint, option)
