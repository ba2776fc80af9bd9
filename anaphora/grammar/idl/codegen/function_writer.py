"""The pieces of a Python function that is written for a predicate: expressions of which is known
what kinds of values they have, the statements before them, and the globals that they name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext
from anaphora.grammar.idl.codegen import ast_nodes as py
from anaphora.grammar.operators import require_boolean
from anaphora.grammar.values import ANYTHING, Kind, Type, kind_of

__all__ = [
    "MAX_EXPRESSION_DEPTH",
    "CodeBlock",
    "FunctionWriter",
    "TypedExpression",
    "nesting_depth",
]

# Python's own compiler is recursive and some of its versions allow little nesting, so deep
# expressions are cut into assignments.
MAX_EXPRESSION_DEPTH = 20

_BOOLEAN: Type = frozenset({Kind.BOOLEAN})


@dataclass(slots=True)
class TypedExpression:
    """An expression in Python, and what is known of its value.

    ``depth`` is how deep it is nested; ``value`` is what it always is, if ``constant``.
    """

    python: ast.expr
    type: Type
    depth: int = 0
    constant: bool = False
    value: Any = None


@dataclass(slots=True)
class CodeBlock:
    """The statements of a function or branch as they are written.

    ``entity`` says that by here the entity has been read, ``depth`` how many branches this one
    lies in. ``local`` says that variables may be kept in names of the function, ``known`` which
    are by here.
    """

    statements: list[ast.stmt] = field(default_factory=list)
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
    """Writes the functions of one predicate; each name in them is made here."""

    def __init__(self) -> None:
        self.globals: dict[str, Any] = {
            "__builtins__": {},
            "Exception": Exception,
            "fail": _raise_evaluation_error,
        }
        self.functions: list[ast.stmt] = []
        self.name_count = 0

    def entity_groups(self, body: CodeBlock) -> ast.expr:
        return ast.Attribute(
            value=self.read_entity(body), attr="groups", ctx=ast.Load(), **py.POSITION
        )

    def read_entity(self, body: CodeBlock) -> ast.expr:
        """The entity in question, which from here on counts as used."""
        if not body.reads_entity:
            body.reads_entity = True
            used = ast.Attribute(value=py.name("ctx"), attr="used", ctx=ast.Store(), **py.POSITION)
            body.statements += [
                ast.Assign(
                    targets=[used], value=ast.Constant(value=True, **py.POSITION), **py.POSITION
                ),
                py.assign("entity", py.attribute_path("ctx", "entity")),
            ]
        return py.name("entity")

    def ensure_boolean(self, code: TypedExpression, body: CodeBlock, what: str) -> TypedExpression:
        if code.type <= _BOOLEAN:
            return code
        check = self.call_helper(require_boolean, _BOOLEAN, code, self.constant(what))
        return self.assign_to_name(check, body) if check.depth >= MAX_EXPRESSION_DEPTH else check

    def assign_to_name(self, code: TypedExpression, body: CodeBlock) -> TypedExpression:
        """The value by a name of its own."""
        if isinstance(code.python, ast.Name | ast.Constant):
            return code
        name = self.new_name("t")
        body.statements.append(py.assign(name, code.python))
        return TypedExpression(py.name(name), code.type)

    def call_helper(
        self, helper: Callable[..., Any], kinds: Type, *arguments: TypedExpression
    ) -> TypedExpression:
        """A call of a Python function."""
        python = py.call(py.name(self.add_global("g", helper)), *(one.python for one in arguments))
        return TypedExpression(python, kinds or ANYTHING, nesting_depth(*arguments))

    def fold_constant(
        self, helper: Callable[..., Any], *arguments: TypedExpression
    ) -> TypedExpression | None:
        """What the helper always gives for these constants; None if it always fails, which is
        an error only where it is evaluated."""
        try:
            return self.constant(helper(*(one.value for one in arguments)))
        except EvaluationError:
            return None

    def constant(self, value: Any) -> TypedExpression:
        python = (
            ast.Constant(value=value, **py.POSITION)
            if value is None or value is True or value is False
            else py.name(self.add_global("g", value))
        )
        return TypedExpression(python, frozenset({kind_of(value)}), constant=True, value=value)

    def add_definition(self, name: str, statements: list[ast.stmt]) -> None:
        # Parsed from a text of our own: the fields of a function differ among Python versions.
        written = ast.parse(f"def {name}(ctx): pass").body[0]
        cast("ast.FunctionDef", written).body = statements
        self.functions.append(written)

    def add_global(self, prefix: str, value: Any) -> str:
        """The name of a new global."""
        name = self.new_name(prefix)
        self.globals[name] = value
        return name

    def add_shared_global(self, name: str, value: Any) -> str:
        """The name of a global that there is once."""
        self.globals[name] = value
        return name

    def new_name(self, prefix: str) -> str:
        self.name_count += 1
        return f"{prefix}{self.name_count}"


def nesting_depth(*parts: TypedExpression) -> int:
    return 1 + max((part.depth for part in parts), default=0)


def _raise_evaluation_error(ctx: EntityContext, error: Exception) -> None:
    """Raise what went wrong as EvaluationError, in plain words."""
    if isinstance(error, EvaluationError):
        raise error
    if ctx.entity is None and isinstance(error, AttributeError):
        message = "there is no entity in question"
    elif isinstance(error, RecursionError):
        message = "the values are nested too deeply"
    else:
        message = f"it cannot be evaluated: {str(error) or type(error).__name__}"
    raise EvaluationError(message) from error
