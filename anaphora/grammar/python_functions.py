"""Functions in Python that a model names: ``/module#name/`` in an intent, ``module#name`` of a
value loader.

What a model names is imported, so a model that names code is to be trusted as code is.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from anaphora.errors import EvaluationError, GrammarError, Problem
from anaphora.grammar.context import EntityContext
from anaphora.grammar.values import describe_value
from anaphora.storage.forks import fork_safe_lock

__all__ = ["FlowFunction", "FunctionLoader", "build_term_predicate"]


_IMPORT_LOCK = (
    fork_safe_lock()
)  # a module beside a model has its name in sys.modules while it is run


@dataclass(frozen=True, slots=True)
class FunctionLoader:
    """Finds functions: in installed modules, then in files of ``folder``, each of which is run
    once.

    ``module`` is where a name without a module is looked for.
    """

    module: str = ""
    folder: Path | None = None
    _files: dict[str, ModuleType] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _requested_modules: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    @property
    def requested_modules(self) -> frozenset[str]:
        """The modules that have been looked for so far."""
        return frozenset(self._requested_modules)

    def find(self, module: str, name: str) -> Callable[..., Any]:
        """The function ``name`` of ``module`` (``Class.name`` for one of a class).

        Raises :class:`GrammarError` when there is none, when its module cannot be imported, and
        for what cannot be called plainly: a class, an async function.
        """
        where = module or self.module
        if not where:
            raise GrammarError(
                Problem(
                    f"nothing says which module has '{name}'",
                    hint=f"write module#{name}, or name the module under 'code:' in the model",
                )
            )
        found: Any = self._import(where)
        for step in name.split("."):
            known, found = found, getattr(found, step, None)
            if found is None:
                close = get_close_matches(step, dir(known), n=1)
                hint = f"did you mean '{close[0]}'?" if close else ""
                raise GrammarError(
                    Problem(
                        f"the module '{where}' has no function '{name}'",
                        hint=self._shadowing_hint(where) or hint,
                    )
                )
        if inspect.iscoroutinefunction(found) or inspect.isasyncgenfunction(found):
            raise GrammarError(
                Problem(f"'{where}#{name}' is async: a model names plain functions only")
            )
        if isinstance(found, type) or not callable(found):
            what = "a class" if isinstance(found, type) else describe_value(found)
            raise GrammarError(Problem(f"'{where}#{name}' is not a function but {what}"))
        function: Callable[..., Any] = found
        return function

    def import_default_module(self) -> None:
        """Imports the module of functions that are named without one, for what it does beside
        defining them. Raises :class:`GrammarError` when it cannot be imported."""
        if self.module:
            self._import(self.module)

    def _import(self, name: str) -> ModuleType:
        self._requested_modules.add(name)
        if name in self._files:
            return self._files[name]
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise _import_error(name, error) from error
        except (Exception, SystemExit) as error:
            raise _import_error(name, error) from error
        file = self._find_file(name)
        if file is None:
            raise GrammarError(
                Problem(
                    f"there is no Python module '{name}'",
                    hint="install it, or put its file beside the model",
                )
            )
        return self._files.setdefault(name, _load_file(name, file))

    def _find_file(self, name: str) -> Path | None:
        """The file of that module beside the model, if there is one."""
        file = self.folder / f"{name.replace('.', '/')}.py" if self.folder else None
        try:
            return file if file and file.is_file() else None
        except (OSError, ValueError):  # no name of a file at all
            return None

    def _shadowing_hint(self, name: str) -> str:
        """A hint where an installed module has the name of a file beside the model ('' if not)."""
        file, found = self._find_file(name), getattr(sys.modules.get(name), "__file__", "")
        if file is None or name in self._files or (found and file.samefile(found)):
            return ""
        return f"an installed module '{name}' comes before {file.name} beside the model: rename it"


class FlowFunction:
    """A function that says whether an intent may follow the dialog so far.

    It is given the past matches, oldest first, each with ``intent`` and ``at``.
    """

    __slots__ = ("_function", "text")

    def __init__(self, function: Callable[..., Any], text: str) -> None:
        """Raises :class:`GrammarError` for a function that does not take one argument."""
        if not _accepts_arguments(function, 1):
            raise GrammarError(
                Problem(f"{text} must take one argument", hint="a flow is given the past matches")
            )
        self._function = function
        self.text = text

    def allows(self, flow: Sequence[object]) -> bool:
        """Whether the dialog allows it. Raises :class:`EvaluationError` when the function fails
        or says neither true nor false."""
        try:
            result = self._function(flow)
        except Exception as error:
            raise EvaluationError(f"{self.text} failed: {_format_exception(error)}") from error
        if not isinstance(result, bool):
            raise EvaluationError(
                f"{self.text} must give true or false, not {describe_value(result)}"
            )
        return result


def build_term_predicate(
    function: Callable[..., Any], text: str
) -> Callable[[EntityContext], bool]:
    """The predicate of a term that is a function of the entity or, if it takes two arguments,
    of the entity and what surrounds it (:class:`~anaphora.grammar.context.QuestionContext`).

    It gives true or false, or a pair of that and how often the entity was used: with 0 the
    entity fits without being consumed. Raises :class:`GrammarError` for a function that takes
    neither one argument nor two.
    """
    both = not _accepts_arguments(function, 1)
    if both and not _accepts_arguments(function, 2):
        raise GrammarError(
            Problem(
                f"{text} must take one argument or two",
                hint="a term's function is given the entity, and what surrounds it if it likes",
            )
        )

    def test(context: EntityContext) -> bool:
        try:
            if both:
                result = function(context.entity, context.question)
            else:
                result = function(context.entity)
        except Exception as error:
            raise EvaluationError(f"{text} failed: {_format_exception(error)}") from error
        uses: object = 1
        if isinstance(result, tuple) and len(result) == 2:
            result, uses = result
        if not isinstance(result, bool) or not isinstance(uses, int):
            raise EvaluationError(f"{text} must give true or false, not {describe_value(result)}")
        context.used = context.used or uses > 0
        return result

    return test


def _accepts_arguments(function: Callable[..., Any], count: int) -> bool:
    """Whether the function can be called with so many arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a built-in function may have none; most take one
        return count == 1
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True


def _load_file(name: str, file: Path) -> ModuleType:
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise GrammarError(Problem(f"{file} cannot be read as a Python module"))
    module = module_from_spec(spec)
    with _registered_module(name, module):
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            raise _import_error(name, error) from error
    return module


@contextmanager
def _registered_module(name: str, module: ModuleType) -> Iterator[None]:
    """For as long as the module is run it is found under its name, which dataclasses need; not
    longer, for another model may have a file of that name beside it."""
    with _IMPORT_LOCK:
        sys.modules[name] = module
        try:
            yield
        finally:
            sys.modules.pop(name, None)


def _import_error(name: str, error: BaseException) -> GrammarError:
    hint = ""
    if isinstance(error, ModuleNotFoundError):
        hint = "a module beside the model can import installed modules only"
    elif isinstance(error, SystemExit):
        hint = "what only a program does belongs under: if __name__ == '__main__'"
    return GrammarError(
        Problem(f"the module '{name}' cannot be imported: {_format_exception(error)}", hint=hint)
    )


def _format_exception(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
