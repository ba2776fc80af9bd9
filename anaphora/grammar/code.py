"""Functions in Python that a model names: ``/module#name/`` in an intent, ``module#name`` of a
value loader.

What a model names is imported, so a model that names code is to be trusted as code is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from anaphora.errors import EvaluationError, GrammarError, Problem
from anaphora.grammar.context import Context
from anaphora.grammar.values import describe

__all__ = ["Code", "FlowCode", "term_test"]


@dataclass(frozen=True, slots=True)
class Code:
    """Finds functions: in installed modules, then in files of ``folder``.

    ``module`` is where a name without a module is looked for.
    """

    module: str = ""
    folder: Path | None = None

    def find(self, module: str, name: str) -> Callable[..., Any]:
        """The function ``name`` of ``module``.

        Raises :class:`GrammarError` when there is none, or when its module cannot be imported.
        """
        where = module or self.module
        if not where:
            raise GrammarError(
                Problem(
                    f"nothing says which module has '{name}'",
                    hint=f"write module#{name}, or name the module under 'code:' in the model",
                )
            )
        found: Any = self._module(where)
        for step in name.split("."):
            known, found = found, getattr(found, step, None)
            if found is None:
                close = get_close_matches(step, dir(known), n=1)
                hint = f"did you mean '{close[0]}'?" if close else ""
                raise GrammarError(
                    Problem(f"the module '{where}' has no function '{name}'", hint=hint)
                )
        if not callable(found):
            raise GrammarError(Problem(f"'{where}#{name}' is not a function but {describe(found)}"))
        function: Callable[..., Any] = found
        return function

    def _module(self, name: str) -> ModuleType:
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise _broken(name, error) from error
        except Exception as error:
            raise _broken(name, error) from error
        file = self.folder / f"{name.replace('.', '/')}.py" if self.folder else None
        if file is None or not file.is_file():
            raise GrammarError(
                Problem(
                    f"there is no Python module '{name}'",
                    hint="install it, or put its file beside the model",
                )
            )
        return _loaded(name, file)


class FlowCode:
    """A function that says whether an intent may follow the dialog so far.

    It is given the past matches, oldest first, each with ``intent`` and ``at``.
    """

    __slots__ = ("_function", "text")

    def __init__(self, function: Callable[..., Any], text: str) -> None:
        self._function = function
        self.text = text

    def allows(self, flow: Sequence[object]) -> bool:
        """Whether the dialog allows it. Raises :class:`EvaluationError` when the function fails
        or says neither true nor false."""
        try:
            result = self._function(flow)
        except Exception as error:
            raise EvaluationError(f"{self.text} failed: {_said(error)}") from error
        if not isinstance(result, bool):
            raise EvaluationError(f"{self.text} must give true or false, not {describe(result)}")
        return result


def term_test(function: Callable[..., Any], text: str) -> Callable[[Context], bool]:
    """The predicate of a term that is a function of the entity or, if it takes two arguments,
    of the entity and what surrounds it (:class:`~anaphora.grammar.context.Surroundings`).

    It gives true or false, or a pair of that and how often the entity was used: with 0 the
    entity fits without being consumed.
    """
    both = _takes_two(function)

    def test(context: Context) -> bool:
        try:
            if both:
                result = function(context.entity, context.surroundings)
            else:
                result = function(context.entity)
        except Exception as error:
            raise EvaluationError(f"{text} failed: {_said(error)}") from error
        uses: object = 1
        if isinstance(result, tuple) and len(result) == 2:
            result, uses = result
        if not isinstance(result, bool) or not isinstance(uses, int):
            raise EvaluationError(f"{text} must give true or false, not {describe(result)}")
        context.used = context.used or uses > 0
        return result

    return test


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a built-in function may have no signature
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in kinds and one.default is one.empty for one in parameters) == 2


def _loaded(name: str, file: Path) -> ModuleType:
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise GrammarError(Problem(f"{file} cannot be read as a Python module"))
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise _broken(name, error) from error
    return module


def _broken(name: str, error: Exception) -> GrammarError:
    return GrammarError(Problem(f"the module '{name}' cannot be imported: {_said(error)}"))


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
