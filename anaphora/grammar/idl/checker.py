"""Check parsed intents before they run: names, types, arity, options.

A type is a set of kinds. An error is reported only if no kind fits; anything that depends on
metadata is checked at run time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import assert_never

from anaphora.core.name_hints import closest_match, did_you_mean
from anaphora.core.plurals import pluralize
from anaphora.errors import GrammarError
from anaphora.grammar.diagnostics import Diagnostics
from anaphora.grammar.functions import FUNCTIONS, UNSUPPORTED_FUNCTIONS
from anaphora.grammar.functions.registry import Function, format_ordinal
from anaphora.grammar.idl.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    FragmentNode,
    IntentNode,
    IntentPartNode,
    ListNode,
    LiteralNode,
    PredicateNode,
    Statement,
    TermNode,
    UnaryNode,
    VariableNode,
)
from anaphora.grammar.operators import binary_type, unary_type
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.values import (
    ANYTHING,
    BOOLEAN,
    LIST,
    NUMERIC,
    Kind,
    Type,
    describe_type,
    describe_value,
    kind_of,
)

__all__ = ["INTENT_OPTIONS", "check_predicate", "check_statements"]

INTENT_OPTIONS = (
    "ordered",
    "allow_stm_only",
    "unused_free_words",
    "unused_entities",
    "unused_usr_toks",
    "unused_sys_toks",
)

MAX_VARIABLES = 50  # per predicate: each may use the previous one, and evaluation is recursive

_LOGICAL_OPERATORS = ("&&", "||")
_CONSTANTS = {"True": "true", "False": "false", "None": "null", "nil": "null"}
_WORD_OPERATOR_HINTS = {
    "not": "!(…)",
    "and": "… && …",
    "or": "… || …",
    "in": "has(list('a', 'b'), …)",
}
_MIN_SIMILARITY = 0.75  # for suggesting a function: a name without arguments may be a text
_PROPERTY_FUNCTIONS = {
    "id": "#",
    "groups": "ent_groups()",
    "parent": "tok_parent()",
    "ancestors": "tok_ancestors()",
    "value": "ent_value()",
    **{  # metadata of built-in entities
        key: f"meta_ent('{key}')"
        for key in ("amount", "country", "currency", "end", "grain", "seconds", "start", "unit")
    },
}


def check_statements(
    statements: Iterable[Statement], diagnostics: Diagnostics, *, lenient: bool = False
) -> None:
    """Add the errors and warnings of the statements of one text to ``diagnostics``.

    With ``lenient``, values of a wrong type are warnings: NLPCraft finds them only when it
    evaluates the predicate.
    """
    checker = _Checker(diagnostics, lenient=lenient)
    known: set[str] = set()
    for statement in statements:
        if isinstance(statement, IntentNode):
            if statement.id in known:
                checker.add_error(statement.at, f"there is already an intent '{statement.id}'")
            known.add(statement.id)
            checker.check_options(statement)
            checker.check_flow(statement)
        if isinstance(statement, IntentNode | FragmentNode):
            checker.check_terms(statement.terms)


def check_predicate(
    predicate: PredicateNode,
    text: str = "",
    source: str = "",
    *,
    boolean: bool = True,
    forbidden: AbstractSet[Function] = frozenset(),
) -> None:
    """Check one predicate of ``text``; raises GrammarError with all its errors.

    With ``boolean`` its value must be true or false. ``forbidden`` are functions that are not
    available in the place of the predicate.
    """
    diagnostics = Diagnostics(text, source)
    _Checker(diagnostics, forbidden).check_predicate(predicate, boolean=boolean)
    diagnostics.raise_if_any()


class _Checker:
    """Checks the parts of one text. ``variables`` are the types of those declared so far."""

    def __init__(
        self,
        diagnostics: Diagnostics,
        forbidden: AbstractSet[Function] = frozenset(),
        *,
        lenient: bool = False,
    ) -> None:
        self.diagnostics = diagnostics
        self.forbidden = forbidden
        self.add_error = diagnostics.add_error
        self.add_type_error = diagnostics.add_warning if lenient else diagnostics.add_error
        self.variables: dict[str, Type] = {}
        self.declared: frozenset[str] = frozenset()

    def check_options(self, node: IntentNode) -> None:
        for name, value in node.options.items():
            if name not in INTENT_OPTIONS:
                self.add_error(
                    node.options_at,
                    f"there is no option '{name}'",
                    did_you_mean(name, INTENT_OPTIONS),
                )
            elif not isinstance(value, bool):
                self.add_error(
                    node.options_at,
                    f"the option '{name}' must be true or false, not {describe_value(value)}",
                )

    def check_flow(self, node: IntentNode) -> None:
        if not isinstance(node.flow, str):
            return
        try:
            Pattern(node.flow)
        except GrammarError as error:
            self.add_error(node.flow_at, error.message, error.hint)

    def check_terms(self, parts: Sequence[IntentPartNode]) -> None:
        known: set[str] = set()
        for part in parts:
            if not isinstance(part, TermNode):
                continue
            if part.id is not None and part.id in known:
                self.add_error(part.at, f"there is already a term '{part.id}' here")
            known.add(part.id or "")
            if isinstance(part.predicate, PredicateNode):
                self.check_predicate(part.predicate)

    def check_predicate(self, node: PredicateNode, *, boolean: bool = True) -> None:
        self.variables = {}
        self.declared = frozenset(variable.name for variable in node.variables)
        if len(node.variables) > MAX_VARIABLES:
            beyond = node.variables[MAX_VARIABLES]
            self.add_error(beyond.at, f"a term has {MAX_VARIABLES} variables at most")
            return
        for variable in node.variables:
            if variable.name in self.variables:
                self.add_error(variable.at, f"the variable '@{variable.name}' is declared twice")
            self.variables[variable.name] = self.type_of(variable.value)
        result = self.type_of(node.expression)
        if boolean and Kind.BOOLEAN not in result:
            self.add_type_error(
                _start_offset(node.expression),
                f"a term must be true or false, not {describe_type(result)}",
            )

    def type_of(self, node: Expression) -> Type:
        """The type of an expression; ``ANYTHING`` after an error."""
        match node:
            case LiteralNode():
                return frozenset({kind_of(node.value)})
            case ListNode():
                for item in node.items:
                    self.type_of(item)
                return LIST
            case VariableNode():
                return self.type_of_variable(node)
            case UnaryNode():
                return self.type_of_unary(node, self.type_of(node.operand))
            case BinaryNode():
                return self.type_of_binary(node, self.type_of(node.left), self.type_of(node.right))
            case CallNode():
                return self.type_of_call(node)
            case _:
                assert_never(node)

    def type_of_variable(self, node: VariableNode) -> Type:
        found = self.variables.get(node.name)
        if found is not None:
            return found
        if node.name in self.declared:
            self.add_error(node.at, f"the variable '@{node.name}' is used before it is declared")
        else:
            hint = did_you_mean(node.name, self.declared, prefix="@")
            if not self.declared:
                hint = f"declare it before the condition: @{node.name} = …"
            self.add_error(node.at, f"there is no variable '@{node.name}'", hint)
        return ANYTHING

    def type_of_unary(self, node: UnaryNode, operand: Type) -> Type:
        result = unary_type(node.operator, operand)
        if result:
            return result
        if node.operator == "!":
            hint = "'!' binds tighter than '==': write !(a == b), or a != b"
            self.add_type_error(node.at, f"'!' needs a boolean, not {describe_type(operand)}", hint)
            return BOOLEAN
        self.add_type_error(node.at, f"'-' needs a number, not {describe_type(operand)}")
        return ANYTHING

    def type_of_binary(self, node: BinaryNode, left: Type, right: Type) -> Type:
        operator = node.operator
        self.warn_about_precedence(node)
        if operator in ("/", "%") and _is_zero(node.right):
            self.diagnostics.add_warning(node.at, f"'{operator}' divides by zero")
        result = binary_type(operator, left, right)
        if operator in ("==", "!="):
            self.warn_if_never_equal(node, left, right)
        if result:
            return result
        if operator in ("&&", "||"):
            for side, kinds in ((node.left, left), (node.right, right)):
                if Kind.BOOLEAN not in kinds:
                    message = f"'{operator}' needs booleans, not {describe_type(kinds)}"
                    self.add_type_error(_start_offset(side), message)
            return BOOLEAN
        if operator in ("<", "<=", ">", ">="):
            what = f"'{operator}' cannot compare {describe_type(left)} with {describe_type(right)}"
            self.add_type_error(node.at, what)
            return BOOLEAN
        self.add_type_error(
            node.at,
            f"'{operator}' cannot work with {describe_type(left)} and {describe_type(right)}",
        )
        return ANYTHING

    def warn_if_never_equal(self, node: BinaryNode, left: Type, right: Type) -> None:
        """Warn if the two sides can never be equal."""
        if left & right or (left & NUMERIC and right & NUMERIC):
            return
        always = "false" if node.operator == "==" else "true"
        hint = ""
        if Kind.LIST in left | right:
            inside = "has(list, value)"
            hint = f"to test whether a list contains a value, use {inside}"
        self.diagnostics.add_warning(
            node.at,
            f"this is always {always}: {describe_type(left)} against {describe_type(right)}",
            hint,
        )

    def warn_about_precedence(self, node: BinaryNode) -> None:
        """Warn where precedence differs from that of most languages."""
        first = node.left
        if (
            node.operator in _LOGICAL_OPERATORS
            and isinstance(first, BinaryNode)
            and first.operator in _LOGICAL_OPERATORS
            and first.operator != node.operator
            and not first.grouped
        ):
            self.diagnostics.add_warning(
                node.at,
                "'&&' and '||' have the same precedence and group from left to right",
                f"write (a {first.operator} b) {node.operator} c, or "
                f"a {first.operator} (b {node.operator} c)",
            )
        negated = isinstance(first, UnaryNode) and first.operator == "!" and not first.grouped
        if node.operator in ("==", "!=") and negated:
            self.diagnostics.add_warning(
                first.at,
                f"'!' binds tighter than '{node.operator}': this is (!a) {node.operator} b",
                f"write !(a {node.operator} b), or (!a) {node.operator} b",
            )

    def type_of_call(self, node: CallNode) -> Type:
        function = FUNCTIONS.get(node.name)
        if function is None:
            for argument in node.arguments:
                self.type_of(argument)
            self.report_unknown_function(node)
            return ANYTHING
        if function in self.forbidden:
            message = f"'{node.name}' reads the question and is not available in a synonym"
            self.add_error(node.at, message, "use it in a term of the intent")
        fits = self.check_argument_count(node, function)
        for index, argument in enumerate(node.arguments):
            kinds = self.type_of(argument)
            if fits:
                self.check_argument(node, function, index, kinds)
        return function.returns

    def report_unknown_function(self, node: CallNode) -> None:
        message = f"there is no function '{node.name}'"
        if node.name in UNSUPPORTED_FUNCTIONS:
            self.add_error(node.at, f"{message}: {UNSUPPORTED_FUNCTIONS[node.name]}")
            return
        if node.name in _CONSTANTS:
            hint = f"write {_CONSTANTS[node.name]}"
        elif not node.arguments and node.name in _PROPERTY_FUNCTIONS:
            hint = f"write {_PROPERTY_FUNCTIONS[node.name]}"
        elif node.name.lower() in _WORD_OPERATOR_HINTS:
            hint = f"write {_WORD_OPERATOR_HINTS[node.name.lower()]}"
        elif node.arguments:
            hint = did_you_mean(node.name, FUNCTIONS)
        else:
            close = closest_match(node.name, FUNCTIONS, min_similarity=_MIN_SIMILARITY)
            hint = f"texts need quotes: '{node.name}'"
            hint = f"did you mean '{close}'? {hint}" if close else hint
        self.add_error(node.at, message, hint)

    def check_argument_count(self, node: CallNode, function: Function) -> bool:
        given, fewest, most = len(node.arguments), function.min_arguments, function.max_arguments
        if fewest <= given and (most is None or given <= most):
            return True
        if most == 0:
            takes = "no arguments"
        elif most == fewest:
            takes = pluralize(most, "argument")
        elif most is None:
            takes = f"at least {fewest} arguments"
        else:
            takes = f"{fewest} to {most} arguments"
        self.add_error(node.at, f"'{node.name}' takes {takes}, not {given}")
        return False

    def check_argument(self, node: CallNode, function: Function, index: int, kinds: Type) -> None:
        parameter = function.parameter(index)
        argument = node.arguments[index]
        if not kinds & parameter.type:
            self.add_type_error(
                _start_offset(argument),
                f"'{node.name}' needs {describe_type(parameter.type)} as its "
                f"{format_ordinal(index)} argument, not {describe_type(kinds)}",
            )
        elif parameter.passing == "pattern" and isinstance(argument, LiteralNode):
            try:
                Pattern(str(argument.value))
            except GrammarError as error:
                self.add_error(argument.at, error.message, error.hint)


def _start_offset(node: Expression) -> int:
    """The offset of the first character (the offset of an operator is between its operands)."""
    while isinstance(node, BinaryNode):
        node = node.left
    return node.at


def _is_zero(node: Expression) -> bool:
    while isinstance(node, UnaryNode) and node.operator == "-":
        node = node.operand
    return (
        isinstance(node, LiteralNode)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
        and node.value == 0
    )
