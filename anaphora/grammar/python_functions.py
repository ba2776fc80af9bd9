"""Python functions that a model names: ``/module#name/`` in an intent, ``module#name`` elsewhere.

The modules are imported: trust such a model as much as you trust code.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import EvaluationError, GrammarError, HandlerError, Problem
from anaphora.grammar.context import EntityContext
from anaphora.grammar.function_errors import describe_failure, describe_place
from anaphora.grammar.values import describe_value
from anaphora.storage.forks import fork_safe_lock

__all__ = [
    "FlowFunction",
    "FunctionLoader",
    "accepts_arguments",
    "build_entity_check",
    "build_term_predicate",
]


# A module file next to a model is in sys.modules under its name only while it is executed.
_IMPORT_LOCK = fork_safe_lock()


@dataclass(frozen=True, slots=True)
class FunctionLoader:
    """Finds functions in installed modules, then in the files of ``folder``; executes each file
    once.

    ``module`` is the default module, for names without one.
    """

    module: str = ""
    folder: Path | None = None
    _files: dict[str, ModuleType] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _requested_modules: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    @property
    def requested_modules(self) -> frozenset[str]:
        """The modules requested so far."""
        return frozenset(self._requested_modules)

    def find(self, module: str, name: str) -> Callable[..., Any]:
        """The function ``name`` of ``module`` (``Class.name`` for one of a class).

        Raises :class:`GrammarError` if it does not exist, if its module cannot be imported, and
        for anything but a plain function, such as a class or an async function.
        """
        where = module or self.module
        if not where:
            raise GrammarError(
                Problem(
                    f"no module is given for '{name}'",
                    hint=f"write module#{name}, or name the module under 'code:' in the model",
                )
            )
        found: Any = self._import(where)
        for step in name.split("."):
            known, found = found, getattr(found, step, None)
            if found is None:
                raise GrammarError(
                    Problem(
                        f"the module '{where}' has no function '{name}'",
                        hint=self._shadowing_hint(where)
                        or did_you_mean(step, _public_functions(known), label="there is"),
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
        """Import the default module for its side effects. Raises :class:`GrammarError` if that
        fails."""
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
        """The file of that module next to the model, or None."""
        file = self.folder / f"{name.replace('.', '/')}.py" if self.folder else None
        try:
            return file if file and file.is_file() else None
        except (OSError, ValueError):  # not a valid file name
            return None

    def _shadowing_hint(self, name: str) -> str:
        """A hint if an installed module hides a file next to the model; '' if not."""
        file, found = self._find_file(name), getattr(sys.modules.get(name), "__file__", "")
        if file is None or name in self._files or (found and file.samefile(found)):
            return ""
        return f"an installed module '{name}' comes before {file.name} beside the model: rename it"


class FlowFunction:
    """A Python function that decides whether an intent may follow the dialog so far.

    Its argument are the past matches, oldest first, each with ``intent`` and ``at``.
    """

    __slots__ = ("_function", "text")

    def __init__(self, function: Callable[..., Any], text: str) -> None:
        """Wrap a function; raises :class:`GrammarError` unless it accepts one argument."""
        if not accepts_arguments(function, 1):
            raise GrammarError(
                Problem(
                    f"{text} must take one argument",
                    hint="a flow function is called with the past matches",
                )
            )
        self._function = function
        self.text = text

    def allows(self, flow: Sequence[object]) -> bool:
        """The result of the function. Raises :class:`EvaluationError` if it fails or does not
        return a boolean."""
        try:
            result = self._function(flow)
        except Exception as error:
            raise EvaluationError(f"{self.text} failed: {describe_failure(error)}") from error
        if not isinstance(result, bool):
            raise EvaluationError(
                f"{self.text} must give true or false, not {describe_value(result)}"
            )
        return result


def build_term_predicate(
    function: Callable[..., Any], text: str
) -> Callable[[EntityContext], bool]:
    """Build the predicate of a term from a Python function of one argument (the entity) or two
    (the entity and the :class:`~anaphora.grammar.context.QuestionContext`).

    The function returns a boolean, or a pair of a boolean and the number of uses: with 0 the
    entity matches without being consumed. Raises :class:`GrammarError` for any other number of
    arguments.
    """
    call = _build_entity_call(function, text)

    def test(context: EntityContext) -> bool:
        try:
            result, uses = call(context), 1
        except Exception as error:
            raise EvaluationError(f"{text} failed: {describe_failure(error)}") from error
        if isinstance(result, tuple) and len(result) == 2:
            result, uses = result
        if not isinstance(result, bool) or not isinstance(uses, int):
            raise EvaluationError(f"{text} must give true or false, not {describe_value(result)}")
        context.used = context.used or uses > 0
        return result

    return test


def build_entity_check(
    function: Callable[..., Any], text: str
) -> Callable[[EntityContext], bool | str]:
    """Build a check of entities from a Python function like that of a term, which returns a
    boolean, or the text that refuses the entity. The check raises :class:`HandlerError` if the
    function fails or returns anything else.

    Raises :class:`GrammarError` for a wrong number of arguments.
    """
    call = _build_entity_call(function, text)

    def check(context: EntityContext) -> bool | str:
        role = f"the check {text} of {context.entity}"
        try:
            result = call(context)
        except Exception as error:
            raise HandlerError(f"{role} failed: {describe_failure(error, function)}") from error
        if not isinstance(result, bool | str):
            found, place = describe_value(result), describe_place(function)
            raise HandlerError(f"{role} must give true, false or a text, not {found}{place}")
        return result

    return check


def _build_entity_call(function: Callable[..., Any], text: str) -> Callable[[EntityContext], Any]:
    both = not accepts_arguments(function, 1)
    if both and not accepts_arguments(function, 2):
        raise GrammarError(
            Problem(
                f"{text} must take one argument or two",
                hint="it is called with the entity, and optionally the question",
            )
        )

    if both:
        return lambda context: function(context.entity, context.question)
    return lambda context: function(context.entity)


def accepts_arguments(function: Callable[..., Any], count: int) -> bool:
    """Whether the function can be called with ``count`` arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a built-in function may have none; most take one
        return count == 1
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True


def _public_functions(owner: object) -> list[str]:
    return [name for name, one in vars(owner).items() if callable(one) and name[0] != "_"]


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
    """Keep the module in sys.modules while it is executed, as dataclasses require; no longer,
    because another model may have a file with the same name."""
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
        hint = "put what only a script does under: if __name__ == '__main__'"
    return GrammarError(
        Problem(f"the module '{name}' cannot be imported: {describe_failure(error)}", hint=hint)
    )
