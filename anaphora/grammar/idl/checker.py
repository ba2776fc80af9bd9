"""Finds what is wrong with parsed intents before they run: names, types, arity, options.

Types are sets of kinds that a value may have; something is reported only when no kind fits, so
what depends on metadata is left to run time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from typing import assert_never

from anaphora.errors import GrammarError
from anaphora.grammar.functions import FUNCTIONS, UNSUPPORTED_FUNCTIONS
from anaphora.grammar.functions.registry import Function, format_ordinal
from anaphora.grammar.idl.diagnostics import Diagnostics
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
from anaphora.grammar.values import ANYTHING, Kind, Type, describe_type, describe_value, kind_of

__all__ = ["INTENT_OPTIONS", "check_predicate", "check_program", "check_statements"]

INTENT_OPTIONS = (
    "ordered",
    "allow_stm_only",
    "unused_free_words",
    "unused_entities",
    "unused_usr_toks",
    "unused_sys_toks",
)

MAX_VARIABLES = 50  # of one predicate: each may use the one before it, and evaluation is recursive

_BOOLEAN: Type = frozenset({Kind.BOOLEAN})
_NUMERIC: Type = frozenset({Kind.INTEGER, Kind.NUMBER})
_LOGICAL_OPERATORS = ("&&", "||")
_CONSTANTS = {"True": "true", "False": "false", "None": "null", "nil": "null"}
_WORD_OPERATOR_HINTS = {
    "not": "!(…)",
    "and": "… && …",
    "or": "… || …",
    "in": "has(list('a', 'b'), …)",
}
_MIN_SIMILARITY = (
    0.75  # how alike a name without arguments and a function must be: it may be a text
)
_SHORT_FORM_FUNCTIONS = {
    "id": "#",
    "groups": "ent_groups()",
    "parent": "tok_parent()",
    "ancestors": "tok_ancestors()",
    "value": "ent_value()",
}


def check_program(statements: Iterable[Statement], text: str, source: str = "") -> None:
    """Raise one GrammarError with all that is wrong with the statements, in the text's order."""
    findings = Diagnostics(text, source)
    check_statements(statements, findings)
    findings.raise_if_any()


def check_statements(statements: Iterable[Statement], findings: Diagnostics) -> None:
    """Note what is wrong, or looks wrong, with the statements of one text."""
    checker = _Checker(findings)
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
    """Raise GrammarError with all that is wrong with one predicate of ``text``; one that is
    not ``boolean`` may have a value of any kind. ``refused`` are functions that ask about a
    question where there is none."""
    findings = Diagnostics(text, source)
    _Checker(findings, forbidden).check_predicate(predicate, boolean=boolean)
    findings.raise_if_any()


class _Checker:
    """Looks at the parts of one text. ``variables`` are those declared so far."""

    def __init__(self, findings: Diagnostics, refused: AbstractSet[Function] = frozenset()) -> None:
        self.findings = findings
        self.forbidden = refused
        self.add_error = findings.add_error
        self.variables: dict[str, Type] = {}
        self.declared: frozenset[str] = frozenset()

    def check_options(self, node: IntentNode) -> None:
        for name, value in node.options.items():
            if name not in INTENT_OPTIONS:
                self.add_error(
                    node.options_at,
                    f"there is no option '{name}'",
                    _did_you_mean(name, INTENT_OPTIONS),
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
            self.add_error(
                _start_offset(node.expression),
                f"a term must be true or false, not {describe_type(result)}",
            )

    def type_of(self, node: Expression) -> Type:
        """The kinds that the expression may have; anything, where it is wrong."""
        match node:
            case LiteralNode():
                return frozenset({kind_of(node.value)})
            case ListNode():
                for item in node.items:
                    self.type_of(item)
                return frozenset({Kind.LIST})
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
            hint = _did_you_mean(node.name, self.declared, "@")
            if not self.declared:
                hint = f"it is declared before the condition: @{node.name} = …"
            self.add_error(node.at, f"there is no variable '@{node.name}'", hint)
        return ANYTHING

    def type_of_unary(self, node: UnaryNode, operand: Type) -> Type:
        result = unary_type(node.operator, operand)
        if result:
            return result
        if node.operator == "!":
            hint = "'!' comes before '==' and the like: write !(a == b), or a != b"
            self.add_error(node.at, f"'!' needs a boolean, not {describe_type(operand)}", hint)
            return _BOOLEAN
        self.add_error(node.at, f"'-' needs a number, not {describe_type(operand)}")
        return ANYTHING

    def type_of_binary(self, node: BinaryNode, left: Type, right: Type) -> Type:
        operator = node.operator
        self.warn_about_precedence(node)
        if operator in ("/", "%") and _is_zero(node.right):
            self.findings.add_warning(node.at, f"'{operator}' divides by zero")
        result = binary_type(operator, left, right)
        if operator in ("==", "!="):
            self.warn_if_never_equal(node, left, right)
        if result:
            return result
        if operator in ("&&", "||"):
            for side, kinds in ((node.left, left), (node.right, right)):
                if Kind.BOOLEAN not in kinds:
                    message = f"'{operator}' needs booleans, not {describe_type(kinds)}"
                    self.add_error(_start_offset(side), message)
            return _BOOLEAN
        if operator in ("<", "<=", ">", ">="):
            what = f"'{operator}' cannot compare {describe_type(left)} with {describe_type(right)}"
            self.add_error(node.at, what)
            return _BOOLEAN
        self.add_error(
            node.at,
            f"'{operator}' cannot work with {describe_type(left)} and {describe_type(right)}",
        )
        return ANYTHING

    def warn_if_never_equal(self, node: BinaryNode, left: Type, right: Type) -> None:
        """Warns where the two sides are never equal, whatever they are."""
        if left & right or (left & _NUMERIC and right & _NUMERIC):
            return
        always = "false" if node.operator == "==" else "true"
        hint = ""
        if Kind.LIST in left | right:
            inside = "has(list, value)"
            hint = f"whether a list holds something is asked with {inside}"
        self.findings.add_warning(
            node.at,
            f"this is always {always}: {describe_type(left)} against {describe_type(right)}",
            hint,
        )

    def warn_about_precedence(self, node: BinaryNode) -> None:
        """Warns where the operators bind otherwise than most languages have it."""
        first = node.left
        if (
            node.operator in _LOGICAL_OPERATORS
            and isinstance(first, BinaryNode)
            and first.operator in _LOGICAL_OPERATORS
            and first.operator != node.operator
            and not first.grouped
        ):
            self.findings.add_warning(
                node.at,
                "'&&' and '||' bind alike, from left to right",
                f"write (a {first.operator} b) {node.operator} c, or "
                f"a {first.operator} (b {node.operator} c)",
            )
        negated = isinstance(first, UnaryNode) and first.operator == "!" and not first.grouped
        if node.operator in ("==", "!=") and negated:
            self.findings.add_warning(
                first.at,
                f"'!' comes before '{node.operator}': this is (!a) {node.operator} b",
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
            message = f"'{node.name}' asks about the question, of which a synonym knows nothing"
            self.add_error(node.at, message, "ask for it in a term of the intent")
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
        elif not node.arguments and node.name in _SHORT_FORM_FUNCTIONS:
            hint = f"here it is written {_SHORT_FORM_FUNCTIONS[node.name]}"
        elif node.name.lower() in _WORD_OPERATOR_HINTS:
            hint = f"write {_WORD_OPERATOR_HINTS[node.name.lower()]}"
        elif node.arguments:
            hint = _did_you_mean(node.name, FUNCTIONS)
        else:
            close = get_close_matches(node.name, FUNCTIONS, n=1, cutoff=_MIN_SIMILARITY)
            hint = f"a text stands in quotes: '{node.name}'"
            hint = f"did you mean '{close[0]}'? {hint}" if close else hint
        self.add_error(node.at, message, hint)

    def check_argument_count(self, node: CallNode, function: Function) -> bool:
        given, fewest, most = len(node.arguments), function.min_arguments, function.max_arguments
        if fewest <= given and (most is None or given <= most):
            return True
        if most == 0:
            takes = "no arguments"
        elif most == fewest:
            takes = f"{most} argument{'s' if most > 1 else ''}"
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
            self.add_error(
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
    """Where the expression begins (an operator's own place is between its sides)."""
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


def _did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> str:
    close = get_close_matches(name, list(known), n=1)
    return f"did you mean '{prefix}{close[0]}'?" if close else ""
