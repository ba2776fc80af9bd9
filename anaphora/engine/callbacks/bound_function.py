"""Functions whose parameters are filled by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from anaphora.errors import HandlerError
from anaphora.grammar.function_errors import describe_failure

__all__ = ["BoundFunction"]


@dataclass(frozen=True, slots=True)
class BoundFunction:
    """A callback with the names and defaults of its parameters.

    ``role`` is what messages call it, ``parameters`` has None for a parameter without a default.
    """

    function: Callable[..., Any]
    role: str
    parameters: Mapping[str, Any]
    has_keyword_parameter: bool

    @classmethod
    def bind(
        cls, function: Callable[..., Any], role: str, known: Iterable[str], *, kind: str
    ) -> BoundFunction:
        """Check the parameters of ``function`` against the ``known`` names, which messages call
        by their ``kind`` ("one of its slots").

        Raises :class:`HandlerError` for a parameter that nothing can fill, and for anything but a
        plain function.
        """
        name = getattr(function, "__name__", repr(function))
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise HandlerError(f"{role}, {name}, is async: a handler is a plain function")
        known = list(known)
        parameters: dict[str, Any] = {}
        takes_all = False
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError) as error:
            raise HandlerError(f"{name} cannot be a handler: {error}") from error
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                takes_all = True
            elif parameter.kind is parameter.VAR_POSITIONAL:
                continue
            elif parameter.kind is parameter.POSITIONAL_ONLY:
                raise HandlerError(
                    f"{role}, {name}, takes '{parameter.name}' by position: "
                    "a handler is called by the names of its parameters"
                )
            elif parameter.name not in known:
                raise HandlerError(
                    f"{role}, {name}, has a parameter '{parameter.name}', "
                    f"which is not {kind}; there are: {', '.join(known)}"
                )
            else:
                empty = parameter.default is parameter.empty
                parameters[parameter.name] = None if empty else parameter.default
        return cls(function, role, parameters, takes_all)

    def __call__(
        self,
        given: Mapping[str, Any],
        further: Mapping[str, Any],
        passing: tuple[type[Exception], ...] = (),
    ) -> Any:
        """Call the function with its parameters from ``given``; a ``**keyword`` parameter also
        gets the ``further`` ones.

        Raises exceptions of the ``passing`` classes as they are, and :class:`HandlerError` for
        every other one, which is its cause.
        """
        arguments = {name: given.get(name, default) for name, default in self.parameters.items()}
        if self.has_keyword_parameter:
            arguments = {**further, **arguments}
        try:
            result = self.function(**arguments)
        except passing:
            raise
        except (Exception, SystemExit) as error:  # a handler may not end the program
            reason = describe_failure(error, self.function)
            raise HandlerError(f"{self.role} failed: {reason}") from error
        if inspect.iscoroutine(result) or inspect.isgenerator(result):
            result.close()
            raise HandlerError(f"{self.role} returned a {type(result).__name__}, not run yet")
        return result
