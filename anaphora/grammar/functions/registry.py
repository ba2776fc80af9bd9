"""Declaration of functions of the intent language, as decorated Python functions.

    @function("text", "trim", "strip")
    def trim(text: str) -> str:
        \"\"\"The text without the white space around it.\"\"\"
        return text.strip()

``examples`` are expressions of the language that are true: the reference page shows them, and a
test evaluates them.

The annotations give the types of the language, with three special cases: a first parameter of
type ``EntityContext`` gets the context and is not an argument; a :data:`LazyArgument` is passed
unevaluated; a ``Pattern`` is compiled from a text. An entity with the default
:data:`CURRENT_ENTITY` is optional and defaults to the entity under test.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType, ModuleType
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from anaphora.core.utterance import Entity
from anaphora.errors import EvaluationError, GrammarError
from anaphora.grammar.context import EntityContext
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.values import ANYTHING, Kind, Type, describe_type, describe_value, kind_of

__all__ = [
    "CURRENT_ENTITY",
    "UNSUPPORTED_FUNCTIONS",
    "Function",
    "LazyArgument",
    "Parameter",
    "collect_functions",
    "declare_attributes",
    "format_ordinal",
    "function",
]

CURRENT_ENTITY: Final[Any] = object()
"""The default of a parameter that means the entity under test."""

LazyArgument: TypeAlias = Callable[[], Any]
"""An argument that the function evaluates itself, if needed."""

UNSUPPORTED_FUNCTIONS: Mapping[str, str] = MappingProxyType(
    {
        "tok_is_wordnet": "there is no WordNet dictionary in this package",
        "tok_req_id": "an entity does not keep the id of the question that it comes from",
    }
)
"""Functions of NLPCraft that this language lacks, each with the reason."""

_TYPE_BY_ANNOTATION: Mapping[Any, Type] = {
    str: frozenset({Kind.TEXT}),
    int: frozenset({Kind.INTEGER}),
    float: frozenset({Kind.NUMBER}),
    bool: frozenset({Kind.BOOLEAN}),
    type(None): frozenset({Kind.NULL}),
    list: frozenset({Kind.LIST}),
    tuple: frozenset({Kind.LIST}),
    Sequence: frozenset({Kind.LIST}),
    dict: frozenset({Kind.MAP}),
    Mapping: frozenset({Kind.MAP}),
    Entity: frozenset({Kind.ENTITY}),
    Pattern: frozenset({Kind.TEXT}),
    LazyArgument: ANYTHING,
    Any: ANYTHING,
    object: ANYTHING,
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function: its type, and how the argument is passed."""

    name: str
    type: Type
    passing: Literal["value", "lazy", "pattern"] = "value"
    variadic: bool = False
    defaults_to_current: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of the language; compared by identity.

    ``python`` is the implementation, called with the context if ``takes_context``, then with the
    arguments. ``reads_entity``: a call without an entity reads the entity under test.
    ``is_pure``: the result depends on the arguments alone. ``examples`` are true expressions.
    """

    names: tuple[str, ...]
    group: str
    parameters: tuple[Parameter, ...]
    returns: Type
    doc: str
    python: Callable[..., Any]
    takes_context: bool = False
    reads_entity: bool = False
    is_pure: bool = False
    examples: tuple[str, ...] = ()

    @property
    def min_arguments(self) -> int:
        """The minimum number of arguments."""
        return sum(not (one.variadic or one.defaults_to_current) for one in self.parameters)

    @property
    def max_arguments(self) -> int | None:
        """The maximum number of arguments; None if unlimited."""
        if any(one.variadic for one in self.parameters):
            return None
        return len(self.parameters)

    def parameter(self, index: int) -> Parameter:
        """The parameter for the argument at an index (from 0)."""
        return self.parameters[min(index, len(self.parameters) - 1)]

    def call(self, name: str, *arguments: Any) -> Any:
        """Check the arguments and call the implementation. ``name`` is the spelling for messages.

        Raises EvaluationError for an argument of the wrong kind and for a failure.
        """
        first = int(self.takes_context)
        given = list(arguments)
        for index in range(first, len(given)):
            given[index] = self.convert_argument(name, index - first, given[index])
        return self.python(*given)

    def convert_argument(self, name: str, index: int, value: Any) -> Any:
        """Check and convert the argument at an index; raises EvaluationError."""
        parameter = self.parameter(index)
        if parameter.passing == "lazy" or isinstance(value, Pattern):
            return value
        if parameter.type is not ANYTHING and kind_of(value) not in parameter.type:
            raise EvaluationError(
                f"'{name}' needs {describe_type(parameter.type)} as its "
                f"{format_ordinal(index)} argument, not {describe_value(value)}"
            )
        return _compile_pattern(value) if parameter.passing == "pattern" else value


def function(
    group: str,
    *names: str,
    reads_entity: bool = False,
    examples: Sequence[str] = (),
    doc: str = "",
) -> Callable[[Callable[..., Any]], Function]:
    """Declare a Python function as a function of the language.

    ``names`` are its spellings in the language, by default its name in Python. ``reads_entity``
    is for a function that takes the context and reads the entity under test. ``examples`` are
    expressions that are true. ``doc`` replaces the docstring.
    """

    def declare(python: Callable[..., Any]) -> Function:
        hints = get_type_hints(python)
        signature = list(inspect.signature(python).parameters.values())
        takes_context = bool(signature) and hints[signature[0].name] is EntityContext
        parameters = tuple(
            _build_parameter(one, hints[one.name]) for one in signature[int(takes_context) :]
        )
        reads = reads_entity or any(one.defaults_to_current for one in parameters)
        lazy = any(one.passing == "lazy" for one in parameters)
        return Function(
            names=names or (python.__name__,),
            group=group,
            parameters=parameters,
            returns=_type_of_annotation(hints["return"], widen=False),
            doc=doc or (inspect.getdoc(python) or "").replace("``", "`"),
            python=python,
            takes_context=takes_context,
            reads_entity=reads,
            is_pure=not (takes_context or reads or lazy),
            examples=tuple(examples),
        )

    return declare


def declare_attributes(
    group: str,
    rows: Iterable[tuple[str, Type, str, str, Any]],
    get_reader: Callable[[Any], Callable[[EntityContext], Any]],
) -> tuple[Function, ...]:
    """Declare functions that read an attribute of the context and take no arguments.

    A row has the name, the type, the description, an example, and what ``get_reader`` converts to
    the implementation.
    """
    return tuple(
        Function(
            names=(name,),
            group=group,
            parameters=(),
            returns=returns,
            doc=doc,
            python=get_reader(source),
            takes_context=True,
            examples=(example,),
        )
        for name, returns, doc, example, source in rows
    )


def collect_functions(*modules: ModuleType) -> Mapping[str, Function]:
    """The functions that the modules declare, singly or in tuples, by each of their spellings.

    Raises ValueError if two functions share a spelling.
    """
    found: dict[str, Function] = {}
    for module in modules:
        for value in vars(module).values():
            for declared in value if isinstance(value, tuple) else (value,):
                for name in declared.names if isinstance(declared, Function) else ():
                    if found.setdefault(name, declared) is not declared:
                        raise ValueError(f"two functions are called '{name}'")
    return MappingProxyType(found)


def format_ordinal(index: int) -> str:
    """The ordinal of an argument index (from 0): "1st"."""
    number = index + 1
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number if number < 20 else number % 10, "th")
    return f"{number}{suffix}"


def _build_parameter(declared: inspect.Parameter, hint: Any) -> Parameter:
    return Parameter(
        name=declared.name,
        type=_type_of_annotation(hint, widen=True),
        passing="lazy" if hint == LazyArgument else "pattern" if hint is Pattern else "value",
        variadic=declared.kind is inspect.Parameter.VAR_POSITIONAL,
        defaults_to_current=declared.default is CURRENT_ENTITY,
    )


def _type_of_annotation(hint: Any, *, widen: bool) -> Type:
    """The type of an annotation; ``widen`` adds integers to floats."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return frozenset[Kind]().union(
            *(_type_of_annotation(one, widen=widen) for one in get_args(hint))
        )
    kinds = (
        _TYPE_BY_ANNOTATION[hint] if hint in _TYPE_BY_ANNOTATION else _TYPE_BY_ANNOTATION[origin]
    )
    if widen and Kind.NUMBER in kinds and kinds != ANYTHING:
        return kinds | {Kind.INTEGER}
    return kinds


@lru_cache(maxsize=256)
def _compile_pattern(text: str) -> Pattern:
    try:
        return Pattern(text)
    except GrammarError as error:
        raise EvaluationError(error.message) from None
