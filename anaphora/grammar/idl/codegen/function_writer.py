"""Building blocks for generated functions: typed expressions, code blocks, the function writer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext
from anaphora.grammar.operators import require_boolean
from anaphora.grammar.values import ANYTHING, BOOLEAN, Type, kind_of

__all__ = [
    "MAX_EXPRESSION_DEPTH",
    "CodeBlock",
    "FunctionWriter",
    "TypedExpression",
    "indent",
    "nesting_depth",
]

# Python's own compiler is recursive, and some of its versions allow little nesting: deep
# expressions are split into assignments.
MAX_EXPRESSION_DEPTH = 20


@dataclass(slots=True)
class TypedExpression:
    """A Python expression (in parentheses if it is compound) and the kinds of its value.

    ``depth`` is its nesting depth; ``value`` is its value if it is ``constant``.
    """

    python: str
    type: Type
    depth: int = 0
    constant: bool = False
    value: Any = None


@dataclass(slots=True)
class CodeBlock:
    """The lines of a function or branch under construction.

    ``reads_entity``: the entity is already in a local variable. ``depth``: the number of
    enclosing branches. ``allows_locals``: variables of the predicate may be local variables;
    ``known_variables`` are those that already are.
    """

    lines: list[str] = field(default_factory=list)
    reads_entity: bool = False
    depth: int = 0
    allows_locals: bool = False
    known_variables: dict[str, TypedExpression] = field(default_factory=dict)

    def branch(self) -> CodeBlock:
        return CodeBlock(
            reads_entity=self.reads_entity,
            depth=self.depth + 1,
            known_variables=self.known_variables,
        )


class FunctionWriter:
    """Writes the functions of one predicate and makes every name in them."""

    def __init__(self) -> None:
        self.globals: dict[str, Any] = {
            "__builtins__": {},
            "Exception": Exception,
            "fail": _raise_evaluation_error,
        }
        self.lines: list[str] = []
        self.name_count = 0

    def read_entity(self, body: CodeBlock) -> str:
        """The entity under test, which counts as used from here on."""
        if not body.reads_entity:
            body.reads_entity = True
            body.lines += ["ctx.used = True", "entity = ctx.entity"]
        return "entity"

    def ensure_boolean(self, code: TypedExpression, body: CodeBlock, what: str) -> TypedExpression:
        if code.type <= BOOLEAN:
            return code
        check = self.call_helper(require_boolean, BOOLEAN, code, self.constant(what))
        return self.assign_to_name(check, body) if check.depth >= MAX_EXPRESSION_DEPTH else check

    def assign_to_name(self, code: TypedExpression, body: CodeBlock) -> TypedExpression:
        """The value under a name of its own."""
        if code.python.isidentifier():
            return code
        name = self.new_name("t")
        body.lines.append(f"{name} = {code.python}")
        return TypedExpression(name, code.type)

    def call_helper(
        self, helper: Callable[..., Any], kinds: Type, *arguments: TypedExpression
    ) -> TypedExpression:
        """A call of a Python function."""
        python = f"{self.add_global(helper)}({', '.join(one.python for one in arguments)})"
        return TypedExpression(python, kinds or ANYTHING, nesting_depth(*arguments))

    def fold_constant(
        self, helper: Callable[..., Any], *arguments: TypedExpression
    ) -> TypedExpression | None:
        """The result of the helper for constants; None for other arguments, and if it fails, which
        is an error only where it is evaluated."""
        if not all(one.constant for one in arguments):
            return None
        try:
            return self.constant(helper(*(one.value for one in arguments)))
        except EvaluationError:
            return None

    def constant(self, value: Any) -> TypedExpression:
        is_keyword = value is None or value is True or value is False
        python = str(value) if is_keyword else self.add_global(value)
        return TypedExpression(python, frozenset({kind_of(value)}), constant=True, value=value)

    def add_definition(self, name: str, lines: Sequence[str]) -> None:
        self.lines += [f"def {name}(ctx):", *indent(lines)]

    def add_global(self, value: Any) -> str:
        """The name of a new global."""
        name = self.new_name("g")
        self.globals[name] = value
        return name

    def add_shared_global(self, name: str, value: Any) -> str:
        """The name of a global that all expressions share."""
        self.globals[name] = value
        return name

    def new_name(self, prefix: str) -> str:
        self.name_count += 1
        return f"{prefix}{self.name_count}"


def indent(lines: Sequence[str]) -> list[str]:
    return [f" {line}" for line in lines]


def nesting_depth(*parts: TypedExpression) -> int:
    return 1 + max((part.depth for part in parts), default=0)


def _raise_evaluation_error(ctx: EntityContext, error: Exception) -> None:
    """Raise a failure of a predicate as EvaluationError with a readable message."""
    if isinstance(error, EvaluationError):
        raise error
    if ctx.entity is None and isinstance(error, AttributeError):
        message = "there is no entity under test"
    elif isinstance(error, RecursionError):
        message = "the values are nested too deeply"
    else:
        message = f"it cannot be evaluated: {str(error) or type(error).__name__}"
    raise EvaluationError(message) from error
