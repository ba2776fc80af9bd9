"""The pieces of a Python function that is written for a predicate: expressions of which is known
what kinds of values they have, the statements before them, and the globals that they name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from anaphora.errors import EvaluationError
from anaphora.grammar import python_tree as py
from anaphora.grammar.context import Context
from anaphora.grammar.operators import boolean
from anaphora.grammar.values import ANYTHING, Kind, Type, kind_of

__all__ = ["DEEPEST_EXPRESSION", "Body", "Piece", "Writer", "depth_of"]

# Python's own compiler is recursive and some of its versions allow little nesting, so deep
# expressions are cut into assignments.
DEEPEST_EXPRESSION = 20

_BOOLEAN: Type = frozenset({Kind.BOOLEAN})


@dataclass(slots=True)
class Piece:
    """An expression in Python, and what is known of its value.

    ``depth`` is how deep it is nested; ``value`` is what it always is, if ``constant``.
    """

    python: ast.expr
    type: Type
    depth: int = 0
    constant: bool = False
    value: Any = None


@dataclass(slots=True)
class Body:
    """The statements of a function or branch as they are written.

    ``entity`` says that by here the entity has been read, ``depth`` how many branches this one
    lies in. ``local`` says that variables may be kept in names of the function, ``known`` which
    are by here.
    """

    statements: list[ast.stmt] = field(default_factory=list)
    entity: bool = False
    depth: int = 0
    local: bool = False
    known: dict[str, Piece] = field(default_factory=dict)

    def branch(self) -> Body:
        return Body(entity=self.entity, depth=self.depth + 1, known=self.known)


class Writer:
    """Writes the functions of one predicate; each name in them is made here."""

    def __init__(self) -> None:
        self.globals: dict[str, Any] = {
            "__builtins__": {},
            "Exception": Exception,
            "fail": _fail,
        }
        self.functions: list[ast.stmt] = []
        self.names = 0

    def groups(self, body: Body) -> ast.expr:
        return ast.Attribute(value=self.entity(body), attr="groups", ctx=ast.Load(), **py.AT)

    def entity(self, body: Body) -> ast.expr:
        """The entity in question, which from here on counts as used."""
        if not body.entity:
            body.entity = True
            used = ast.Attribute(value=py.name("ctx"), attr="used", ctx=ast.Store(), **py.AT)
            body.statements += [
                ast.Assign(targets=[used], value=ast.Constant(value=True, **py.AT), **py.AT),
                py.assign("entity", py.path("ctx", "entity")),
            ]
        return py.name("entity")

    def as_boolean(self, code: Piece, body: Body, what: str) -> Piece:
        if code.type <= _BOOLEAN:
            return code
        check = self.helped(boolean, _BOOLEAN, code, self.constant(what))
        return self.spilled(check, body) if check.depth >= DEEPEST_EXPRESSION else check

    def spilled(self, code: Piece, body: Body) -> Piece:
        """The value by a name of its own."""
        if isinstance(code.python, ast.Name | ast.Constant):
            return code
        name = self.name("t")
        body.statements.append(py.assign(name, code.python))
        return Piece(py.name(name), code.type)

    def helped(self, helper: Callable[..., Any], kinds: Type, *arguments: Piece) -> Piece:
        """A call of a Python function."""
        python = py.call(py.name(self.new("g", helper)), *(one.python for one in arguments))
        return Piece(python, kinds or ANYTHING, depth_of(*arguments))

    def folded(self, helper: Callable[..., Any], *arguments: Piece) -> Piece | None:
        """What the helper always gives for these constants; None if it always fails, which is
        an error only where it is evaluated."""
        try:
            return self.constant(helper(*(one.value for one in arguments)))
        except EvaluationError:
            return None

    def constant(self, value: Any) -> Piece:
        python = (
            ast.Constant(value=value, **py.AT)
            if value is None or value is True or value is False
            else py.name(self.new("g", value))
        )
        return Piece(python, frozenset({kind_of(value)}), constant=True, value=value)

    def write(self, name: str, statements: list[ast.stmt]) -> None:
        # Parsed from a text of our own: the fields of a function differ among Python versions.
        written = ast.parse(f"def {name}(ctx): pass").body[0]
        cast("ast.FunctionDef", written).body = statements
        self.functions.append(written)

    def new(self, prefix: str, value: Any) -> str:
        """The name of a new global."""
        name = self.name(prefix)
        self.globals[name] = value
        return name

    def shared(self, name: str, value: Any) -> str:
        """The name of a global that there is once."""
        self.globals[name] = value
        return name

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"


def depth_of(*parts: Piece) -> int:
    return 1 + max((part.depth for part in parts), default=0)


def _fail(ctx: Context, error: Exception) -> None:
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
