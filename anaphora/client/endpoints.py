"""Create the methods of the clients from the functions that build their requests."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from inspect import Parameter, signature
from typing import Any, TypeVar

__all__ = ["copy_signature"]

_Method = TypeVar("_Method", bound=Callable[..., Any])


def copy_signature(method: _Method, build: Callable[..., Any]) -> _Method:
    """Copy the name, the docstring and the parameters of ``build`` to ``method``, after
    ``self``."""
    update_wrapper(method, build)
    built = signature(build)
    self = Parameter("self", Parameter.POSITIONAL_ONLY)
    parameters = [self, *built.parameters.values()]
    method.__signature__ = built.replace(  # type: ignore[attr-defined]  # which inspect reads
        parameters=parameters, return_annotation=signature(method).empty
    )
    return method
