"""From one checked predicate to one Python function, by way of a Python syntax tree.

Every name in the function is made here and every literal reaches it through its globals, so
that no text of a model is ever read as Python. What the types of the language prove needs no
check at run time, and the usual reads of an entity stand in the code itself:
``# == 'city'`` becomes ::

    def test(ctx):
        try:
            ctx.used = True
            entity = ctx.entity
            return entity.element == g0
        except Exception as error:
            fail(ctx, error)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias, assert_never, cast

from anaphora.errors import EvaluationError
from anaphora.grammar import python_tree as py
from anaphora.grammar.context import Context
from anaphora.grammar.functions import FUNCTIONS, collections, entities
from anaphora.grammar.functions.registry import Function
from anaphora.grammar.operators import BINARY, UNARY, binary_type, boolean, unary_type
from anaphora.grammar.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    ListNode,
    LiteralNode,
    PredicateNode,
    UnaryNode,
    VariableNode,
)
from anaphora.grammar.values import ANYTHING, Kind, Type, kind_of

__all__ = ["translate", "translate_value"]

Test: TypeAlias = Callable[[Context], bool]

# Python's own compiler is recursive and some of its versions allow little nesting, so deep
# expressions are cut into assignments and deep branches into functions.
_DEEPEST_EXPRESSION = 20
_DEEPEST_BRANCH = 10

_BOOLEAN: Type = frozenset({Kind.BOOLEAN})
_TEXT: Type = frozenset({Kind.TEXT})
_LIST: Type = frozenset({Kind.LIST})
_NUMERIC: Type = frozenset({Kind.INTEGER, Kind.NUMBER})
_PLAINLY_COMPARED: Type = frozenset({Kind.TEXT, Kind.NULL, Kind.BOOLEAN})

_ATTRIBUTES = {
    entities.ent_type: "element",
    entities.ent_value: "value",
    entities.ent_text: "text",
}
_COMPARISONS: dict[str, Callable[[], ast.cmpop]] = {
    "==": ast.Eq,
    "!=": ast.NotEq,
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
}


def translate(node: PredicateNode) -> Test:
    """The predicate as a function of a context, which raises nothing but EvaluationError."""
    return cast("Test", _Translator(node).function(boolean=True))


def translate_value(node: PredicateNode) -> Callable[[Context], Any]:
    """As :func:`translate`, for an expression that may have a value of any kind."""
    return _Translator(node).function(boolean=False)


@dataclass(slots=True)
class _Code:
    """An expression in Python, and what is known of its value.

    ``depth`` is how deep it is nested; ``value`` is what it always is, if ``constant``.
    """

    python: ast.expr
    type: Type
    depth: int = 0
    constant: bool = False
    value: Any = None


@dataclass(slots=True)
class _Body:
    """The statements of a function or branch as they are written.

    ``entity`` says that by here the entity has been read, ``depth`` how many branches this one
    lies in.
    """

    statements: list[ast.stmt] = field(default_factory=list)
    entity: bool = False
    depth: int = 0

    def branch(self) -> _Body:
        return _Body(entity=self.entity, depth=self.depth + 1)


class _Translator:
    """Writes the functions of one predicate: the test, one for each variable, one for each
    argument that is evaluated only when it is needed."""

    def __init__(self, node: PredicateNode) -> None:
        self.node = node
        self.globals: dict[str, Any] = {
            "__builtins__": {},
            "Exception": Exception,
            "fail": _fail,
        }
        self.functions: list[ast.stmt] = []
        self.variables: dict[str, tuple[str, str, Type]] = {}
        self.names = 0

    def function(self, *, boolean: bool) -> Callable[[Context], Any]:
        for variable in self.node.variables:
            self.declare(variable.name, variable.value)
        body = _Body()
        if self.node.variables:
            body.statements.append(py.statement(py.call(py.path("ctx", "variables", "clear"))))
        result = self.visit(self.node.expression, body)
        if boolean:
            result = self.as_boolean(result, body, "a term")
        self.write("test", py.guarded([*body.statements, py.returned(result.python)]))
        code = compile(ast.Module(body=self.functions, type_ignores=[]), "<predicate>", "exec")
        exec(code, self.globals)  # of a tree made here, without any text of the model
        return cast("Callable[[Context], Any]", self.globals["test"])

    def declare(self, name: str, value: Expression) -> None:
        """A function that evaluates the variable and keeps what it found."""
        body = _Body()
        result = self.spilled(self.visit(value, body), body)
        key, function = self.new("g", name), self.name("variable")
        kept = ast.Subscript(
            value=py.path("ctx", "variables"), slice=py.name(key), ctx=ast.Store(), **py.AT
        )
        body.statements += [
            ast.Assign(targets=[kept], value=result.python, **py.AT),
            py.returned(result.python),
        ]
        self.write(function, body.statements)
        self.variables[name] = key, function, result.type

    # -- one method for each kind of node ------------------------------------------------------

    def visit(self, node: Expression, body: _Body) -> _Code:
        """The value of the expression; what must be done before it is added to ``body``."""
        match node:
            case LiteralNode():
                return self.constant(node.value)
            case ListNode():
                code = self.listing(node, body)
            case VariableNode():
                code = self.variable(node)
            case UnaryNode():
                code = self.unary(node, body)
            case BinaryNode(operator="&&" | "||"):
                code = self.logical(node, body)
            case BinaryNode():
                code = self.binary(node, body)
            case CallNode():
                code = self.call(node, body)
            case _:
                assert_never(node)
        return self.spilled(code, body) if code.depth >= _DEEPEST_EXPRESSION else code

    def listing(self, node: ListNode, body: _Body) -> _Code:
        items: list[_Code] = []
        for item in node.items:
            items.append(self.visit(item, body))  # noqa: PERF401 - a comprehension is a frame more
        if all(item.constant for item in items):
            return self.constant(tuple(item.value for item in items))
        python = ast.Tuple(elts=[item.python for item in items], ctx=ast.Load(), **py.AT)
        return _Code(python, _LIST, _depth(*items))

    def variable(self, node: VariableNode) -> _Code:
        key, function, kinds = self.variables[node.name]
        kept = ast.Subscript(
            value=py.path("ctx", "variables"), slice=py.name(key), ctx=ast.Load(), **py.AT
        )
        python = ast.IfExp(
            test=py.compare(py.name(key), ast.In(), py.path("ctx", "variables")),
            body=kept,
            orelse=py.call(py.name(function), py.name("ctx")),
            **py.AT,
        )
        return _Code(python, kinds, 1)

    def unary(self, node: UnaryNode, body: _Body) -> _Code:
        operand = self.visit(node.operand, body)
        helper = UNARY[node.operator]
        if operand.constant:
            folded = self.folded(helper, operand)
            if folded is not None:
                return folded
        kinds = unary_type(node.operator, operand.type)
        if node.operator == "!" and operand.type <= _BOOLEAN:
            return _Code(py.negated(operand.python), kinds, _depth(operand))
        return self.helped(helper, kinds, operand)

    def binary(self, node: BinaryNode, body: _Body) -> _Code:
        operator = node.operator
        left, right = self.visit(node.left, body), self.visit(node.right, body)
        helper = BINARY[operator]
        if left.constant and right.constant:
            folded = self.folded(helper, left, right)
            if folded is not None:
                return folded
        kinds = binary_type(operator, left.type, right.type)
        compared = _plain_comparison(operator, left, right)
        if compared is not None:
            python = py.compare(left.python, compared, right.python)
            return _Code(python, kinds, _depth(left, right))
        return self.helped(helper, kinds, left, right)

    def logical(self, node: BinaryNode, body: _Body) -> _Code:
        """The right side gets a branch of its own if anything must be done before it."""
        what = f"each side of '{node.operator}'"
        left = self.as_boolean(self.visit(node.left, body), body, what)
        branch = body.branch()
        if branch.depth > _DEEPEST_BRANCH:
            python = py.call(py.name(self.part(node.right, what)), py.name("ctx"))
            right = _Code(python, _BOOLEAN, 1)
        else:
            right = self.as_boolean(self.visit(node.right, branch), branch, what)
        operator: ast.boolop = ast.And() if node.operator == "&&" else ast.Or()
        if not branch.statements:
            python = ast.BoolOp(op=operator, values=[left.python, right.python], **py.AT)
            return _Code(python, _BOOLEAN, _depth(left, right))
        result = self.name("t")
        body.statements += [
            py.assign(result, left.python),
            ast.If(
                test=py.name(result) if node.operator == "&&" else py.negated(py.name(result)),
                body=[*branch.statements, py.assign(result, right.python)],
                orelse=[],
                **py.AT,
            ),
        ]
        return _Code(py.name(result), _BOOLEAN)

    def call(self, node: CallNode, body: _Body) -> _Code:
        function = FUNCTIONS[node.name]
        inlined = self.inlined(function, node, body)
        if inlined is not None:
            return inlined
        arguments: list[_Code] = []
        proven = True
        for index, argument in enumerate(node.arguments):
            parameter = function.parameter(index)
            if parameter.form == "lazy":
                part = py.name(self.part(argument))
                python = py.call(py.name(self.new("g", partial)), part, py.name("ctx"))
                arguments.append(_Code(python, ANYTHING, 1))
                continue
            code = self.visit(argument, body)
            fits = code.type <= parameter.type
            if parameter.form == "pattern" and fits and code.constant:
                code = self.constant(function.accepted(node.name, index, code.value))
            elif parameter.form == "pattern":
                fits = False
            arguments.append(code)
            proven = proven and fits
        helper = function.python if proven else partial(function.call, node.name)
        if function.constant and all(argument.constant for argument in arguments):
            folded = self.folded(helper, *arguments)
            if folded is not None:
                return folded
        if function.reads_entity and len(arguments) < len(function.parameters):
            arguments.append(_Code(self.entity(body), frozenset({Kind.ENTITY})))
        elif function.reads_entity and not any(one.current for one in function.parameters):
            self.entity(body)
        if function.takes_context:
            arguments.insert(0, _Code(py.name("ctx"), ANYTHING))
        return self.helped(helper, function.returns, *arguments)

    # -- what is written without a call --------------------------------------------------------

    def inlined(self, function: Function, node: CallNode, body: _Body) -> _Code | None:
        """The usual reads of the entity in question, written out."""
        attribute = _ATTRIBUTES.get(function)
        if attribute is not None and not node.arguments:
            python = ast.Attribute(value=self.entity(body), attr=attribute, ctx=ast.Load(), **py.AT)
            return _Code(python, function.returns, 1)
        if function is collections.has:
            return self.inlined_has(node, body)
        if function is collections.has_any:
            items, values = node.arguments
            return self.inlined_has_any(items, values, body) or self.inlined_has_any(
                values, items, body
            )
        if function is collections.has_all and _reads_groups(node.arguments[0]):
            wanted = self.literal_texts(node.arguments[1])
            if wanted is not None:
                subset = py.compare(py.name(self.new("g", wanted)), ast.LtE(), self.groups(body))
                return _Code(subset, _BOOLEAN, 2)
        return None

    def inlined_has(self, node: CallNode, body: _Body) -> _Code | None:
        items, value = node.arguments
        of_groups = _reads_groups(items)
        texts = None if of_groups else self.literal_texts(items)
        # Only a leaf may be visited here: what is not inlined after all is visited again.
        if not (of_groups or texts is not None) or not _is_leaf(value):
            return None
        code = self.visit(value, body)
        if code.type != _TEXT:
            return None
        among = self.groups(body) if of_groups else py.name(self.new("g", texts))
        return _Code(py.compare(code.python, ast.In(), among), _BOOLEAN, _depth(code) + 1)

    def inlined_has_any(self, items: Expression, values: Expression, body: _Body) -> _Code | None:
        wanted = self.literal_texts(values) if _reads_groups(items) else None
        if wanted is None:
            return None
        disjoint = ast.Attribute(
            value=self.groups(body), attr="isdisjoint", ctx=ast.Load(), **py.AT
        )
        return _Code(py.negated(py.call(disjoint, py.name(self.new("g", wanted)))), _BOOLEAN, 3)

    def literal_texts(self, node: Expression) -> frozenset[str] | None:
        """The elements of a list that is written out and holds texts only, or None."""
        written: tuple[Expression, ...] | None = None
        if isinstance(node, ListNode):
            written = node.items
        elif isinstance(node, CallNode) and FUNCTIONS[node.name] is collections.list_of:
            written = node.arguments
        texts = [item.value for item in written or () if isinstance(item, LiteralNode)]
        found = frozenset(text for text in texts if isinstance(text, str))
        if written is None or not all(isinstance(text, str) for text in texts):
            return None
        return found if len(texts) == len(written) else None

    def groups(self, body: _Body) -> ast.expr:
        return ast.Attribute(value=self.entity(body), attr="groups", ctx=ast.Load(), **py.AT)

    def entity(self, body: _Body) -> ast.expr:
        """The entity in question, which from here on counts as used."""
        if not body.entity:
            body.entity = True
            used = ast.Attribute(value=py.name("ctx"), attr="used", ctx=ast.Store(), **py.AT)
            body.statements += [
                ast.Assign(targets=[used], value=ast.Constant(value=True, **py.AT), **py.AT),
                py.assign("entity", py.path("ctx", "entity")),
            ]
        return py.name("entity")

    # -- the pieces ----------------------------------------------------------------------------

    def part(self, node: Expression, boolean_for: str | None = None) -> str:
        """The name of a function that evaluates the expression when it is called."""
        body = _Body()
        result = self.visit(node, body)
        if boolean_for is not None:
            result = self.as_boolean(result, body, boolean_for)
        name = self.name("part")
        self.write(name, [*body.statements, py.returned(result.python)])
        return name

    def as_boolean(self, code: _Code, body: _Body, what: str) -> _Code:
        if code.type <= _BOOLEAN:
            return code
        check = self.helped(boolean, _BOOLEAN, code, self.constant(what))
        return self.spilled(check, body) if check.depth >= _DEEPEST_EXPRESSION else check

    def spilled(self, code: _Code, body: _Body) -> _Code:
        """The value by a name of its own."""
        if isinstance(code.python, ast.Name | ast.Constant):
            return code
        name = self.name("t")
        body.statements.append(py.assign(name, code.python))
        return _Code(py.name(name), code.type)

    def helped(self, helper: Callable[..., Any], kinds: Type, *arguments: _Code) -> _Code:
        """A call of a Python function."""
        python = py.call(py.name(self.new("g", helper)), *(one.python for one in arguments))
        return _Code(python, kinds or ANYTHING, _depth(*arguments))

    def folded(self, helper: Callable[..., Any], *arguments: _Code) -> _Code | None:
        """What the helper always gives for these constants; None if it always fails, which is
        an error only where it is evaluated."""
        try:
            return self.constant(helper(*(one.value for one in arguments)))
        except EvaluationError:
            return None

    def constant(self, value: Any) -> _Code:
        python = (
            ast.Constant(value=value, **py.AT)
            if value is None or value is True or value is False
            else py.name(self.new("g", value))
        )
        return _Code(python, frozenset({kind_of(value)}), constant=True, value=value)

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

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"


def _plain_comparison(operator: str, left: _Code, right: _Code) -> ast.cmpop | None:
    """Python's own operator, where it says the same as the language's."""
    make = _COMPARISONS.get(operator)
    if make is None:
        return None
    numbers = left.type <= _NUMERIC and right.type <= _NUMERIC
    if operator in ("==", "!="):
        if any(side.constant and side.value is None for side in (left, right)):
            return ast.Is() if operator == "==" else ast.IsNot()
        plain = left.type <= _PLAINLY_COMPARED and right.type <= _PLAINLY_COMPARED
        return make() if plain or numbers else None
    return make() if numbers or left.type == right.type == _TEXT else None


def _reads_groups(node: Expression) -> bool:
    return (
        isinstance(node, CallNode)
        and not node.arguments
        and FUNCTIONS[node.name] is entities.ent_groups
    )


def _is_leaf(node: Expression) -> bool:
    if isinstance(node, CallNode):
        return not node.arguments
    return isinstance(node, LiteralNode | VariableNode)


def _fail(ctx: Context, error: Exception) -> None:
    """Raise what went wrong as EvaluationError, in plain words."""
    if isinstance(error, EvaluationError):
        raise error
    if ctx.entity is None:
        message = "there is no entity in question"
    elif isinstance(error, RecursionError):
        message = "the values are nested too deeply"
    else:
        message = f"it cannot be evaluated: {str(error) or type(error).__name__}"
    raise EvaluationError(message) from error


def _depth(*parts: _Code) -> int:
    return 1 + max((part.depth for part in parts), default=0)
