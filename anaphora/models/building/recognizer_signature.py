"""Check that a Python function can be called as the recognizer of an element."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from anaphora.core.name_hints import did_you_mean

__all__ = ["RECOGNIZER_PARAMETERS", "SignatureMismatch", "accepts_parameter", "find_mismatches"]

RECOGNIZER_PARAMETERS = ("text", "doc", "at", "language", "options")
"""The parameters that a recognizer may have, apart from one for each option."""

_PARAMETERS_HINT = (
    f"a recognizer can take {', '.join(RECOGNIZER_PARAMETERS)} and the keys of its 'config'"
)


class SignatureMismatch(NamedTuple):
    """A mismatch between a function and its options; ``option`` is the cause ('' for none)."""

    message: str
    hint: str = ""
    option: str = ""


def accepts_parameter(function: Callable[..., Any], name: str) -> bool:
    """Whether the function has a parameter with that name, or ``**kwargs``."""
    parameters = inspect.signature(function).parameters
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return True
    return name in parameters and parameters[name].kind is not inspect.Parameter.VAR_POSITIONAL


def find_mismatches(
    name: str, function: Callable[..., Any], options: Mapping[str, Any]
) -> Iterator[SignatureMismatch]:
    """The reasons why ``function``, called ``name`` in messages, does not accept ``options``."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        yield SignatureMismatch(
            f"{name} has no readable signature", "wrap it in a function of your own"
        )
        return
    known = (*RECOGNIZER_PARAMETERS, *options)
    for one in parameters:
        if one.kind is one.POSITIONAL_ONLY:
            yield SignatureMismatch(
                f"{name} takes '{one.name}' only by position",
                "a recognizer is called by the names of its parameters",
            )
        elif one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL):
            continue
        elif one.name not in known and one.default is one.empty:
            meant = did_you_mean(one.name, RECOGNIZER_PARAMETERS)
            hint = f"{meant} {_PARAMETERS_HINT}" if meant else _PARAMETERS_HINT
            yield SignatureMismatch(f"{name} requires '{one.name}', which is not available", hint)
    for option in options:
        if option in RECOGNIZER_PARAMETERS:
            message = (
                f"no option can be called '{option}': every recognizer can take that parameter"
            )
            yield SignatureMismatch(message, "choose another name", option)
        elif not accepts_parameter(function, option) and not accepts_parameter(function, "options"):
            own = [one.name for one in parameters if one.name not in RECOGNIZER_PARAMETERS]
            hint = did_you_mean(option, own, label="it takes") or "give it a parameter of that name"
            yield SignatureMismatch(f"{name} takes no option '{option}'", hint, option)
