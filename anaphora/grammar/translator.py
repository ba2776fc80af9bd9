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
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias, assert_never, cast

from anaphora.grammar import python_tree as py
from anaphora.grammar.comparisons import (
    EXPECTED_CLASSES,
    expected_class,
    native,
    with_fast_path,
)
from anaphora.grammar.context import Context
from anaphora.grammar.functions import FUNCTIONS, collections, entities, metadata
from anaphora.grammar.functions.registry import Function
from anaphora.grammar.operators import BINARY, UNARY, binary_type, unary_type
from anaphora.grammar.python_writer import DEEPEST_EXPRESSION, Body, Piece, Writer, depth_of
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
from anaphora.grammar.tree_facts import (
    has_parts,
    is_leaf,
    is_list,
    literal_texts,
    reads_groups,
    variables_in,
)
from anaphora.grammar.values import ANYTHING, Kind, Type, plain

__all__ = ["translate", "translate_value"]

Test: TypeAlias = Callable[[Context], bool]

_DEEPEST_BRANCH = 10  # in one function: as with expressions, Python allows little nesting

_BOOLEAN: Type = frozenset({Kind.BOOLEAN})
_TEXT: Type = frozenset({Kind.TEXT})
_LIST: Type = frozenset({Kind.LIST})
_SETS = frozenset({set, frozenset})

_ATTRIBUTES = {
    entities.ent_type: "element",
    entities.ent_value: "value",
    entities.ent_text: "text",
}


def translate(node: PredicateNode) -> Test:
    """The predicate as a function of a context, which raises nothing but EvaluationError."""
    return cast("Test", _Translator(node).function(boolean=True))


def translate_value(node: PredicateNode) -> Callable[[Context], Any]:
    """As :func:`translate`, for an expression that may have a value of any kind."""
    return _Translator(node).function(boolean=False)


class _Translator(Writer):
    """Writes the functions of one predicate: the test, one for each variable, one for each
    argument that is evaluated only when it is needed."""

    def __init__(self, node: PredicateNode) -> None:
        super().__init__()
        self.node = node
        self.values = {variable.name: variable.value for variable in node.variables}
        self.needed = variables_in(self.values.values())  # by others, also where these are kept
        self.kept: dict[str, tuple[str, str, Type]] = {}

    def function(self, *, boolean: bool) -> Callable[[Context], Any]:
        body = Body(local=not has_parts(self.node, _DEEPEST_BRANCH))
        result = self.visit(self.node.expression, body)
        if boolean:
            result = self.as_boolean(result, body, "a term")
        clear = [py.statement(py.call(py.path("ctx", "variables", "clear")))] if self.kept else []
        self.write("test", py.guarded([*clear, *body.statements, py.returned(result.python)]))
        code = compile(ast.Module(body=self.functions, type_ignores=[]), "<predicate>", "exec")
        exec(code, self.globals)  # of a tree made here, without any text of the model
        return cast("Callable[[Context], Any]", self.globals["test"])

    # -- one method for each kind of node ------------------------------------------------------

    def visit(self, node: Expression, body: Body) -> Piece:
        """The value of the expression; what must be done before it is added to ``body``."""
        match node:
            case LiteralNode():
                return self.constant(node.value)
            case ListNode():
                code = self.listing(node, body)
            case VariableNode():
                code = self.variable(node, body)
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
        return self.spilled(code, body) if code.depth >= DEEPEST_EXPRESSION else code

    def listing(self, node: ListNode, body: Body) -> Piece:
        items: list[Piece] = []
        for item in node.items:
            items.append(self.visit(item, body))  # noqa: PERF401 - a comprehension is a frame more
        if all(item.constant for item in items):
            return self.constant(tuple(item.value for item in items))
        python = ast.Tuple(elts=[item.python for item in items], ctx=ast.Load(), **py.AT)
        return Piece(python, _LIST, depth_of(*items))

    def variable(self, node: VariableNode, body: Body) -> Piece:
        """What the variable was found to be. One that is always needed is found where it is
        first used; others by a function that keeps the value in the context."""
        if node.name in body.known:
            return body.known[node.name]
        if body.local and node.name not in self.kept and node.name not in self.needed:
            found = self.spilled(self.visit(self.values[node.name], body), body)
            body.known[node.name] = found
            return found
        key, function, kinds = self.kept.get(node.name) or self.keep(node.name)
        kept = ast.Subscript(
            value=py.path("ctx", "variables"), slice=py.name(key), ctx=ast.Load(), **py.AT
        )
        python = ast.IfExp(
            test=py.compare(py.name(key), ast.In(), py.path("ctx", "variables")),
            body=kept,
            orelse=py.call(py.name(function), py.name("ctx")),
            **py.AT,
        )
        return Piece(python, kinds, 1)

    def keep(self, name: str) -> tuple[str, str, Type]:
        """A function that evaluates the variable and keeps what it found: the key under which
        it does, its own name, and the kinds of the value."""
        body = Body()
        result = self.spilled(self.visit(self.values[name], body), body)
        key, function = self.new("g", name), self.name("variable")
        kept = ast.Subscript(
            value=py.path("ctx", "variables"), slice=py.name(key), ctx=ast.Store(), **py.AT
        )
        body.statements += [
            ast.Assign(targets=[kept], value=result.python, **py.AT),
            py.returned(result.python),
        ]
        self.write(function, body.statements)
        self.kept[name] = key, function, result.type
        return self.kept[name]

    def unary(self, node: UnaryNode, body: Body) -> Piece:
        operand = self.visit(node.operand, body)
        helper = UNARY[node.operator]
        if operand.constant:
            folded = self.folded(helper, operand)
            if folded is not None:
                return folded
        kinds = unary_type(node.operator, operand.type)
        if node.operator == "!" and operand.type <= _BOOLEAN:
            return Piece(py.negated(operand.python), kinds, depth_of(operand))
        return self.helped(helper, kinds, operand)

    def binary(self, node: BinaryNode, body: Body) -> Piece:
        operator = node.operator
        left, right = self.visit(node.left, body), self.visit(node.right, body)
        helper = BINARY[operator]
        if left.constant and right.constant:
            folded = self.folded(helper, left, right)
            if folded is not None:
                return folded
        kinds = binary_type(operator, left.type, right.type)
        with_null = any(side.constant and side.value is None for side in (left, right))
        compared = native(operator, left.type, right.type, with_null=with_null)
        if compared is not None:
            python = py.compare(left.python, compared, right.python)
            return Piece(python, kinds, depth_of(left, right))
        classes = expected_class(operator, left.type, right.type) if right.constant else None
        if classes is None:
            return self.helped(helper, kinds, left, right)
        left = self.spilled(left, body)
        slow = self.helped(helper, kinds, left, right)
        python = with_fast_path(
            operator,
            left.python,
            right.python,
            kind_of=self.shared("type", type),
            classes=self.shared(classes, EXPECTED_CLASSES[classes]),
            slow=slow.python,
        )
        return Piece(python, kinds, slow.depth + 1)

    def logical(self, node: BinaryNode, body: Body) -> Piece:
        """The right side gets a branch of its own if anything must be done before it."""
        what = f"each side of '{node.operator}'"
        left = self.as_boolean(self.visit(node.left, body), body, what)
        branch = body.branch()
        if branch.depth > _DEEPEST_BRANCH:
            python = py.call(py.name(self.part(node.right, what)), py.name("ctx"))
            right = Piece(python, _BOOLEAN, 1)
        else:
            right = self.as_boolean(self.visit(node.right, branch), branch, what)
        operator: ast.boolop = ast.And() if node.operator == "&&" else ast.Or()
        if not branch.statements:
            python = ast.BoolOp(op=operator, values=[left.python, right.python], **py.AT)
            return Piece(python, _BOOLEAN, depth_of(left, right))
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
        return Piece(py.name(result), _BOOLEAN)

    def call(self, node: CallNode, body: Body) -> Piece:
        function = FUNCTIONS[node.name]
        inlined = self.inlined(function, node, body)
        if inlined is not None:
            return inlined
        arguments: list[Piece] = []
        proven = True
        for index, argument in enumerate(node.arguments):
            parameter = function.parameter(index)
            if parameter.form == "lazy":
                part = py.name(self.part(argument))
                python = py.call(py.name(self.new("g", partial)), part, py.name("ctx"))
                arguments.append(Piece(python, ANYTHING, 1))
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
            arguments.append(Piece(self.entity(body), frozenset({Kind.ENTITY})))
        elif function.reads_entity and not any(one.current for one in function.parameters):
            self.entity(body)
        if function.takes_context:
            arguments.insert(0, Piece(py.name("ctx"), ANYTHING))
        return self.helped(helper, function.returns, *arguments)

    # -- what is written without a call --------------------------------------------------------

    def inlined(self, function: Function, node: CallNode, body: Body) -> Piece | None:
        """The usual reads of the entity in question, written out."""
        attribute = _ATTRIBUTES.get(function)
        if attribute is not None and not node.arguments:
            python = ast.Attribute(value=self.entity(body), attr=attribute, ctx=ast.Load(), **py.AT)
            return Piece(python, function.returns, 1)
        if function is metadata.meta_ent:
            return self.inlined_meta(node.arguments[0], body)
        if function is collections.has:
            return self.inlined_has(node, body)
        if function is collections.has_any:
            items, values = node.arguments
            return self.inlined_has_any(items, values, body) or self.inlined_has_any(
                values, items, body
            )
        if function is collections.has_all and reads_groups(node.arguments[0]):
            wanted = literal_texts(node.arguments[1])
            if wanted is not None:
                subset = py.compare(py.name(self.new("g", wanted)), ast.LtE(), self.groups(body))
                return Piece(subset, _BOOLEAN, 2)
        return None

    def inlined_meta(self, key: Expression, body: Body) -> Piece | None:
        """A key without a colon is read off the metadata as it stands."""
        if not isinstance(key, LiteralNode) or not isinstance(key.value, str) or ":" in key.value:
            return None
        meta = ast.Attribute(value=self.entity(body), attr="meta", ctx=ast.Load(), **py.AT)
        get = ast.Attribute(value=meta, attr="get", ctx=ast.Load(), **py.AT)
        read = Piece(py.call(get, self.constant(key.value).python), ANYTHING)
        found = self.spilled(read, body)
        kind = py.call(py.name(self.shared("type", type)), found.python)
        python = ast.IfExp(
            test=py.compare(kind, ast.In(), py.name(self.shared("sets", _SETS))),
            body=py.call(py.name(self.shared("plain", plain)), found.python),
            orelse=found.python,
            **py.AT,
        )
        return Piece(python, ANYTHING, 1)

    def inlined_has(self, node: CallNode, body: Body) -> Piece | None:
        items, value = node.arguments
        of_groups = reads_groups(items)
        texts = None if of_groups else literal_texts(items)
        # Only a leaf may be visited here: what is not inlined after all is visited again.
        if not (of_groups or texts is not None) or not is_leaf(value):
            return None
        code = self.visit(value, body)
        if code.type != _TEXT:
            return None
        among = self.groups(body) if of_groups else py.name(self.new("g", texts))
        return Piece(py.compare(code.python, ast.In(), among), _BOOLEAN, depth_of(code) + 1)

    def inlined_has_any(self, items: Expression, values: Expression, body: Body) -> Piece | None:
        wanted = literal_texts(values) if reads_groups(items) else None
        if wanted is None:
            return self.inlined_has_any_of_texts(items, values, body)
        disjoint = ast.Attribute(
            value=self.groups(body), attr="isdisjoint", ctx=ast.Load(), **py.AT
        )
        return Piece(py.negated(py.call(disjoint, py.name(self.new("g", wanted)))), _BOOLEAN, 3)

    def inlined_has_any_of_texts(
        self, items: Expression, values: Expression, body: Body
    ) -> Piece | None:
        """One list is written out and holds texts only; the other one is any list."""
        wanted = literal_texts(items)
        # What is not inlined after all is visited again, so the kind must be known before.
        if wanted is None or literal_texts(values) is not None or not is_list(values):
            return None
        texts = Piece(py.name(self.new("g", wanted)), ANYTHING)
        return self.helped(_has_text, _BOOLEAN, texts, self.visit(values, body))

    def part(self, node: Expression, boolean_for: str | None = None) -> str:
        """The name of a function that evaluates the expression when it is called."""
        body = Body()
        result = self.visit(node, body)
        if boolean_for is not None:
            result = self.as_boolean(result, body, boolean_for)
        name = self.name("part")
        self.write(name, [*body.statements, py.returned(result.python)])
        return name


def _has_text(wanted: frozenset[str], values: Sequence[Any]) -> bool:
    """Whether one of the values is one of the texts."""
    return any(isinstance(value, str) and value in wanted for value in values)
