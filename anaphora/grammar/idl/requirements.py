"""Static analysis of predicates: which elements, groups and ancestors they require.

The solver skips intents whose terms cannot match; the loader reports references to unknown
elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from anaphora.grammar.functions import FUNCTIONS, collections
from anaphora.grammar.functions.entity import positions, properties
from anaphora.grammar.functions.registry import Function, collect_functions
from anaphora.grammar.idl.intent import EntitySelector
from anaphora.grammar.idl.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    ListNode,
    LiteralNode,
    PredicateNode,
    VariableNode,
    iter_nodes,
)

__all__ = [
    "find_elements",
    "find_mentions",
    "find_neighbours",
    "find_requirements",
    "reads_negation",
    "reads_position",
]

# The kind of selector that the result of a function names (one text, or a list of texts).
_SINGLE_VALUE_FUNCTIONS: Mapping[Function, str] = {
    properties.ent_type: "element",
    properties.tok_parent: "ancestor",
}
_LIST_FUNCTIONS: Mapping[Function, str] = {
    properties.ent_groups: "group",
    properties.tok_ancestors: "ancestor",
}
_KIND_BY_SUFFIX = {"type": "element", "group": "group", "parent": "ancestor"}
# Functions whose arguments name other entities of the sentence, with the kind of selector.
_NEIGHBOUR_FUNCTIONS: Mapping[Function, str] = {
    function: _KIND_BY_SUFFIX[function.names[0].rpartition("_")[2].removesuffix("s")]
    for function in (*positions.selecting_functions, *positions.ordering_functions)
}
_POSITION_FUNCTIONS = frozenset(collect_functions(positions).values())


def find_requirements(node: PredicateNode) -> frozenset[EntitySelector] | None:
    """Selectors of which an entity must satisfy at least one to match; None if unknown."""
    return _RequirementAnalyzer(node).find_requirements(node.expression)


def find_elements(node: PredicateNode) -> frozenset[str] | None:
    """Elements that satisfy the predicate, if it tests only the element id
    (``# == 'a' || has(list('b', 'c'), #)``); else None. Such a predicate need not be evaluated."""
    return _RequirementAnalyzer(node).find_elements(node.expression)


def find_mentions(node: PredicateNode) -> dict[EntitySelector, int]:
    """The elements, groups and ancestors that the predicate names, with their first offset."""
    reader = _RequirementAnalyzer(node)
    found: dict[EntitySelector, int] = {}
    for part in _iter_all_nodes(node):
        for key, at in reader.iter_mentions(part):
            found[key] = min(at, found.get(key, at))
    return found


def find_neighbours(node: PredicateNode) -> frozenset[EntitySelector]:
    """The elements, groups and ancestors that functions on other entities of the sentence name."""
    reader = _RequirementAnalyzer(node)
    return frozenset(
        key
        for part in _iter_all_nodes(node)
        if isinstance(part, CallNode) and FUNCTIONS.get(part.name) in _NEIGHBOUR_FUNCTIONS
        for key, _ in reader.iter_mentions(part)
    )


def reads_position(node: PredicateNode) -> bool:
    """Whether the predicate calls a function on the entities of the sentence and their order."""
    return any(
        isinstance(part, CallNode) and FUNCTIONS.get(part.name) in _POSITION_FUNCTIONS
        for part in _iter_all_nodes(node)
    )


def reads_negation(node: PredicateNode) -> bool:
    """Whether the predicate asks if an entity is negated."""
    return any(
        isinstance(part, CallNode) and FUNCTIONS.get(part.name) is properties.ent_negated
        for part in _iter_all_nodes(node)
    )


def _iter_all_nodes(node: PredicateNode) -> Iterator[Expression]:
    return iter_nodes((*(one.value for one in node.variables), node.expression))


class _RequirementAnalyzer:
    """Analyzes one predicate; caches the requirements of its variables."""

    def __init__(self, node: PredicateNode) -> None:
        self.values = {variable.name: variable.value for variable in node.variables}
        self.known: dict[str, frozenset[EntitySelector] | None] = {}

    def find_requirements(self, node: Expression) -> frozenset[EntitySelector] | None:
        if isinstance(node, VariableNode):
            if node.name not in self.known:
                value = self.values.get(node.name)
                self.known[node.name] = None  # ends the recursion of one that uses itself
                self.known[node.name] = None if value is None else self.find_requirements(value)
            return self.known[node.name]
        if isinstance(node, CallNode):
            return self.from_membership(node)
        if not isinstance(node, BinaryNode):
            return None
        if node.operator == "==":
            return self.from_equality(node)
        if node.operator not in ("&&", "||"):
            return None
        left, right = self.find_requirements(node.left), self.find_requirements(node.right)
        if node.operator == "||":
            return None if left is None or right is None else left | right
        if left is None or right is None:
            return right if left is None else left
        return min(left, right, key=len)

    def find_elements(self, node: Expression) -> frozenset[str] | None:
        if isinstance(node, CallNode) or (isinstance(node, BinaryNode) and node.operator == "=="):
            keys = self.find_requirements(node) or ()
            return frozenset(id for kind, id in keys if kind == "element") or None
        if not isinstance(node, BinaryNode):
            return None
        if node.operator != "||":
            return None
        left, right = self.find_elements(node.left), self.find_elements(node.right)
        return None if left is None or right is None else left | right

    def from_equality(self, node: BinaryNode) -> frozenset[EntitySelector] | None:
        for one, other in ((node.left, node.right), (node.right, node.left)):
            kind = self.selector_kind(one, _SINGLE_VALUE_FUNCTIONS)
            literal = self.resolve(other)
            if kind and isinstance(literal, LiteralNode) and isinstance(literal.value, str):
                return frozenset({(kind, literal.value)})
        return None

    def from_membership(self, node: CallNode) -> frozenset[EntitySelector] | None:
        function = FUNCTIONS.get(node.name)
        if len(node.arguments) != 2:
            return None
        items, value = node.arguments
        if function is collections.has:
            kind = self.selector_kind(items, _LIST_FUNCTIONS)
            literal = self.resolve(value)
            if kind:
                return _to_selectors(kind, (literal,))
            kind = self.selector_kind(value, _SINGLE_VALUE_FUNCTIONS)
            return _to_selectors(kind, self.list_items(items)) if kind else None
        if function is collections.has_any:
            for one, other in ((items, value), (value, items)):
                if kind := self.selector_kind(one, _LIST_FUNCTIONS):
                    return _to_selectors(kind, self.list_items(other))
        if function is collections.has_all and (kind := self.selector_kind(items, _LIST_FUNCTIONS)):
            each = (_to_selectors(kind, (one,)) for one in self.list_items(value) or ())
            return next((keys for keys in each if keys), None)
        return None

    def iter_mentions(self, node: Expression) -> Iterator[tuple[EntitySelector, int]]:
        """The selectors that a node itself, without its parts, compares with literal texts."""
        kind: str | None = None
        texts: tuple[Expression, ...] = ()
        if isinstance(node, BinaryNode) and node.operator in ("==", "!="):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if kind := self.selector_kind(one, _SINGLE_VALUE_FUNCTIONS, of_any=True):
                    texts = (self.resolve(other),)
                    break
                if kind := self.selector_kind(one, _LIST_FUNCTIONS, of_any=True):
                    texts = self.list_items(other) or ()
                    break
        elif isinstance(node, CallNode):
            function = FUNCTIONS.get(node.name)
            if function and function in _NEIGHBOUR_FUNCTIONS:
                kind = _NEIGHBOUR_FUNCTIONS[function]
                texts = tuple(self.resolve(argument) for argument in node.arguments)
            elif function in _MEMBERSHIP_FUNCTIONS and len(node.arguments) == 2:
                for one, other in (node.arguments, node.arguments[::-1]):
                    if kind := self.selector_kind(one, _LIST_FUNCTIONS, of_any=True):
                        texts = self.list_items(other) or (self.resolve(other),)
                        break
                    if kind := self.selector_kind(one, _SINGLE_VALUE_FUNCTIONS, of_any=True):
                        texts = self.list_items(other) or ()
                        break
        for literal in texts:
            if kind and isinstance(literal, LiteralNode) and isinstance(literal.value, str):
                yield (kind, literal.value), literal.at

    def selector_kind(
        self, node: Expression, sources: Mapping[Function, str], *, of_any: bool = False
    ) -> str | None:
        """The kind of selector that the expression reads from the entity under test (with
        ``of_any``: from any entity), or None."""
        call = self.resolve(node)
        if not isinstance(call, CallNode) or (call.arguments and not of_any):
            return None
        function = FUNCTIONS.get(call.name)
        return sources.get(function) if function else None

    def list_items(self, node: Expression) -> tuple[Expression, ...] | None:
        """The elements of a literal list, or None."""
        resolved = self.resolve(node)
        if isinstance(resolved, ListNode):
            return tuple(self.resolve(item) for item in resolved.items)
        if isinstance(resolved, CallNode) and FUNCTIONS.get(resolved.name) is collections.list_of:
            return tuple(self.resolve(item) for item in resolved.arguments)
        return None

    def resolve(self, node: Expression) -> Expression:
        """The value of a variable, or the expression itself."""
        for _ in self.values:
            if not isinstance(node, VariableNode):
                break
            node = self.values.get(node.name, node)
        return node


_MEMBERSHIP_FUNCTIONS = frozenset({collections.has, collections.has_any, collections.has_all})


def _to_selectors(
    kind: str, items: tuple[Expression, ...] | None
) -> frozenset[EntitySelector] | None:
    """The selectors of literal ``items``; None unless all are literals and one is a text.

    Numbers and booleans never equal an id or a group. Null is the parent of an element without
    one.
    """
    literals = [item.value for item in items or () if isinstance(item, LiteralNode)]
    if items is None or len(literals) < len(items) or None in literals:
        return None
    return frozenset((kind, text) for text in literals if isinstance(text, str)) or None
