"""Compile a checked predicate to a Python function, by way of Python source text.

Every name in the source is made here and every literal reaches the function through its
globals: no text of a model is ever parsed as Python. Facts proven by the types of the language
need no check at run time, and common reads of an entity are inlined. ``# == 'city'`` becomes ::

    def test(ctx):
        try:
            ctx.used = True
            entity = ctx.entity
            return (entity.element == g1)
        except Exception as error:
            fail(ctx, error)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias, assert_never, cast

from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions import FUNCTIONS, collections
from anaphora.grammar.functions.entity import metadata, properties
from anaphora.grammar.functions.registry import Function
from anaphora.grammar.idl.codegen.comparisons import (
    EXPECTED_CLASSES,
    expected_class,
    native_operator,
)
from anaphora.grammar.idl.codegen.function_writer import (
    MAX_EXPRESSION_DEPTH,
    CodeBlock,
    FunctionWriter,
    TypedExpression,
    indent,
    nesting_depth,
)
from anaphora.grammar.idl.codegen.tree_analysis import (
    find_literal_texts,
    find_variables,
    is_leaf,
    needs_functions,
    reads_groups,
    returns_list,
)
from anaphora.grammar.idl.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    ListNode,
    LiteralNode,
    PredicateNode,
    UnaryNode,
    VariableNode,
)
from anaphora.grammar.operators import BINARY_OPERATORS, UNARY_OPERATORS, binary_type, unary_type
from anaphora.grammar.values import ANYTHING, BOOLEAN, LIST, TEXT, Kind, Type, to_language_value

__all__ = ["translate_expression", "translate_predicate"]

Test: TypeAlias = Callable[[EntityContext], bool]

_MAX_BRANCH_DEPTH = 10  # per function: some Python versions allow little nesting

_SET_CLASSES = frozenset({set, frozenset})

_ATTRIBUTE_BY_FUNCTION = {
    properties.ent_type: "element",
    properties.ent_value: "value",
    properties.ent_text: "text",
}


def translate_predicate(node: PredicateNode) -> Test:
    """Compile a predicate to a function that raises nothing but EvaluationError."""
    return cast("Test", _Translator(node).build_function(boolean=True))


def translate_expression(node: PredicateNode) -> Callable[[EntityContext], Any]:
    """As :func:`translate_predicate`, for an expression that may have a value of any kind."""
    return _Translator(node).build_function(boolean=False)


class _Translator(FunctionWriter):
    """Writes the functions of one predicate: the test, one per shared variable, one per lazy
    argument."""

    def __init__(self, node: PredicateNode) -> None:
        super().__init__()
        self.node = node
        self.values = {variable.name: variable.value for variable in node.variables}
        # Variables that other variables use.
        self.shared_variables = find_variables(self.values.values())
        self.variable_functions: dict[str, tuple[str, str, Type]] = {}

    def build_function(self, *, boolean: bool) -> Callable[[EntityContext], Any]:
        body = CodeBlock(allows_locals=not needs_functions(self.node, _MAX_BRANCH_DEPTH))
        result = self.visit(self.node.expression, body)
        if boolean:
            result = self.ensure_boolean(result, body, "a term")
        clear = ["ctx.variables.clear()"] if self.variable_functions else []
        lines = [*clear, *body.lines, f"return {result.python}"]
        handler = ["except Exception as error:", " fail(ctx, error)"]
        self.add_definition("test", ["try:", *indent(lines), *handler])
        exec("\n".join(self.lines), self.globals)  # source made here, without text of the model
        return cast("Callable[[EntityContext], Any]", self.globals["test"])

    # -- one method for each kind of node ------------------------------------------------------

    def visit(self, node: Expression, body: CodeBlock) -> TypedExpression:
        """Translate an expression; statements that must precede it are added to ``body``."""
        match node:
            case LiteralNode():
                return self.constant(node.value)
            case ListNode():
                code = self.visit_list(node, body)
            case VariableNode():
                code = self.visit_variable(node, body)
            case UnaryNode():
                code = self.visit_unary(node, body)
            case BinaryNode(operator="&&" | "||"):
                code = self.visit_logical(node, body)
            case BinaryNode():
                code = self.visit_binary(node, body)
            case CallNode():
                code = self.visit_call(node, body)
            case _:
                assert_never(node)
        return self.assign_to_name(code, body) if code.depth >= MAX_EXPRESSION_DEPTH else code

    def visit_list(self, node: ListNode, body: CodeBlock) -> TypedExpression:
        items: list[TypedExpression] = []
        for item in node.items:
            items.append(self.visit(item, body))  # noqa: PERF401 - a comprehension is a frame more
        if all(item.constant for item in items):
            return self.constant(tuple(item.value for item in items))
        python = f"({''.join(f'{item.python}, ' for item in items)})"
        return TypedExpression(python, LIST, nesting_depth(*items))

    def visit_variable(self, node: VariableNode, body: CodeBlock) -> TypedExpression:
        """The value of a variable. One that is always needed is evaluated at its first use; others
        by a function that caches the value in the context."""
        if node.name in body.known_variables:
            return body.known_variables[node.name]
        if (
            body.allows_locals
            and node.name not in self.variable_functions
            and node.name not in self.shared_variables
        ):
            found = self.assign_to_name(self.visit(self.values[node.name], body), body)
            body.known_variables[node.name] = found
            return found
        key, function, kinds = self.variable_functions.get(node.name) or self.add_variable_function(
            node.name
        )
        python = f"(ctx.variables[{key}] if {key} in ctx.variables else {function}(ctx))"
        return TypedExpression(python, kinds, 1)

    def add_variable_function(self, name: str) -> tuple[str, str, Type]:
        """Add a function that evaluates a variable and caches the value; returns the key in the
        cache, the name of the function, and the type of the value."""
        body = CodeBlock()
        result = self.assign_to_name(self.visit(self.values[name], body), body)
        key, function = self.add_global(name), self.new_name("variable")
        body.lines += [f"ctx.variables[{key}] = {result.python}", f"return {result.python}"]
        self.add_definition(function, body.lines)
        self.variable_functions[name] = key, function, result.type
        return self.variable_functions[name]

    def visit_unary(self, node: UnaryNode, body: CodeBlock) -> TypedExpression:
        operand = self.visit(node.operand, body)
        helper = UNARY_OPERATORS[node.operator]
        if folded := self.fold_constant(helper, operand):
            return folded
        kinds = unary_type(node.operator, operand.type)
        if node.operator == "!" and operand.type <= BOOLEAN:
            return TypedExpression(f"(not {operand.python})", kinds, nesting_depth(operand))
        return self.call_helper(helper, kinds, operand)

    def visit_binary(self, node: BinaryNode, body: CodeBlock) -> TypedExpression:
        operator = node.operator
        left, right = self.visit(node.left, body), self.visit(node.right, body)
        helper = BINARY_OPERATORS[operator]
        if folded := self.fold_constant(helper, left, right):
            return folded
        kinds = binary_type(operator, left.type, right.type)
        with_null = any(side.constant and side.value is None for side in (left, right))
        compared = native_operator(operator, left.type, right.type, with_null=with_null)
        if compared is not None:
            python = f"({left.python} {compared} {right.python})"
            return TypedExpression(python, kinds, nesting_depth(left, right))
        classes = expected_class(operator, left.type, right.type) if right.constant else None
        if classes is None:
            return self.call_helper(helper, kinds, left, right)
        left = self.assign_to_name(left, body)
        slow = self.call_helper(helper, kinds, left, right)
        kind_of = self.add_shared_global("type", type)
        expected = self.add_shared_global(classes, EXPECTED_CLASSES[classes])
        is_expected = f"{kind_of}({left.python}) in {expected}"
        fast = f"{left.python} {operator} {right.python}"
        python = f"({fast} if {is_expected} else {slow.python})"
        return TypedExpression(python, kinds, slow.depth + 1)

    def visit_logical(self, node: BinaryNode, body: CodeBlock) -> TypedExpression:
        """Translate ``&&`` or ``||``; a right side that needs statements gets its own branch."""
        what = f"each side of '{node.operator}'"
        left = self.ensure_boolean(self.visit(node.left, body), body, what)
        branch = body.branch()
        if branch.depth > _MAX_BRANCH_DEPTH:
            python = f"{self.add_function(node.right, what)}(ctx)"
            right = TypedExpression(python, BOOLEAN, 1)
        else:
            right = self.ensure_boolean(self.visit(node.right, branch), branch, what)
        is_and = node.operator == "&&"
        if not branch.lines:
            python = f"({left.python} {'and' if is_and else 'or'} {right.python})"
            return TypedExpression(python, BOOLEAN, nesting_depth(left, right))
        result = self.new_name("t")
        body.lines += [
            f"{result} = {left.python}",
            f"if {result}:" if is_and else f"if not {result}:",
            *indent([*branch.lines, f"{result} = {right.python}"]),
        ]
        return TypedExpression(result, BOOLEAN)

    def visit_call(self, node: CallNode, body: CodeBlock) -> TypedExpression:
        function = FUNCTIONS[node.name]
        inlined = self.inline_call(function, node, body)
        if inlined is not None:
            return inlined
        arguments: list[TypedExpression] = []
        proven = True
        for index, argument in enumerate(node.arguments):
            parameter = function.parameter(index)
            if parameter.passing == "lazy":
                python = f"{self.add_global(partial)}({self.add_function(argument)}, ctx)"
                arguments.append(TypedExpression(python, ANYTHING, 1))
                continue
            code = self.visit(argument, body)
            fits = code.type <= parameter.type
            if parameter.passing == "pattern" and fits and code.constant:
                code = self.constant(function.convert_argument(node.name, index, code.value))
            elif parameter.passing == "pattern":
                fits = False
            arguments.append(code)
            proven = proven and fits
        helper = function.python if proven else partial(function.call, node.name)
        if function.is_pure and (folded := self.fold_constant(helper, *arguments)):
            return folded
        if function.reads_entity and len(arguments) < len(function.parameters):
            arguments.append(TypedExpression(self.read_entity(body), frozenset({Kind.ENTITY})))
        elif function.reads_entity and not any(
            one.defaults_to_current for one in function.parameters
        ):
            self.read_entity(body)
        if function.takes_context:
            arguments.insert(0, TypedExpression("ctx", ANYTHING))
        return self.call_helper(helper, function.returns, *arguments)

    # -- inlined calls -------------------------------------------------------------------------

    def inline_call(
        self, function: Function, node: CallNode, body: CodeBlock
    ) -> TypedExpression | None:
        """Inline common reads of the entity under test; None for other calls."""
        attribute = _ATTRIBUTE_BY_FUNCTION.get(function)
        if attribute is not None and not node.arguments:
            python = f"{self.read_entity(body)}.{attribute}"
            return TypedExpression(python, function.returns, 1)
        if function is metadata.meta_ent:
            return self.inline_meta(node.arguments[0], body)
        if function is collections.has:
            return self.inline_has(node, body)
        if function is collections.has_any:
            items, values = node.arguments
            return self.inline_has_any(items, values, body) or self.inline_has_any(
                values, items, body
            )
        if function is collections.has_all and reads_groups(node.arguments[0]):
            wanted = find_literal_texts(node.arguments[1])
            if wanted is not None:
                subset = f"({self.add_global(wanted)} <= {self.read_entity(body)}.groups)"
                return TypedExpression(subset, BOOLEAN, 2)
        return None

    def inline_meta(self, key: Expression, body: CodeBlock) -> TypedExpression | None:
        """Read a literal key without a colon directly from the metadata."""
        if not isinstance(key, LiteralNode) or not isinstance(key.value, str) or ":" in key.value:
            return None
        entity, name = self.read_entity(body), self.constant(key.value).python
        found = self.assign_to_name(TypedExpression(f"{entity}.meta.get({name})", ANYTHING), body)
        kind_of = self.add_shared_global("type", type)
        sets = self.add_shared_global("sets", _SET_CLASSES)
        convert = self.add_shared_global("plain", to_language_value)
        is_set = f"{kind_of}({found.python}) in {sets}"
        python = f"({convert}({found.python}) if {is_set} else {found.python})"
        return TypedExpression(python, ANYTHING, 1)

    def inline_has(self, node: CallNode, body: CodeBlock) -> TypedExpression | None:
        items, value = node.arguments
        of_groups = reads_groups(items)
        texts = None if of_groups else find_literal_texts(items)
        # Only visit a leaf here: if the call is not inlined after all, it is visited again.
        if not (of_groups or texts is not None) or not is_leaf(value):
            return None
        code = self.visit(value, body)
        if code.type != TEXT:
            return None
        among = f"{self.read_entity(body)}.groups" if of_groups else self.add_global(texts)
        return TypedExpression(f"({code.python} in {among})", BOOLEAN, nesting_depth(code) + 1)

    def inline_has_any(
        self, items: Expression, values: Expression, body: CodeBlock
    ) -> TypedExpression | None:
        wanted = find_literal_texts(values) if reads_groups(items) else None
        if wanted is None:
            return self.inline_has_any_text(items, values, body)
        disjoint = f"{self.read_entity(body)}.groups.isdisjoint({self.add_global(wanted)})"
        return TypedExpression(f"(not {disjoint})", BOOLEAN, 3)

    def inline_has_any_text(
        self, items: Expression, values: Expression, body: CodeBlock
    ) -> TypedExpression | None:
        """Inline the case of one literal list of texts and any other list."""
        wanted = find_literal_texts(items)
        # Decide before visiting: if the call is not inlined after all, it is visited again.
        if wanted is None or find_literal_texts(values) is not None or not returns_list(values):
            return None
        texts = TypedExpression(self.add_global(wanted), ANYTHING)
        return self.call_helper(_has_text, BOOLEAN, texts, self.visit(values, body))

    def add_function(self, node: Expression, boolean_for: str | None = None) -> str:
        """Add a function that evaluates the expression; returns its name."""
        body = CodeBlock()
        result = self.visit(node, body)
        if boolean_for is not None:
            result = self.ensure_boolean(result, body, boolean_for)
        name = self.new_name("part")
        self.add_definition(name, [*body.lines, f"return {result.python}"])
        return name


def _has_text(wanted: frozenset[str], values: Sequence[Any]) -> bool:
    """Whether one of the values is one of the texts."""
    return any(isinstance(value, str) and value in wanted for value in values)
