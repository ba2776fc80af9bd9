"""Build the syntax trees of intents that are written as mappings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from anaphora.errors import GrammarError
from anaphora.grammar.idl.parsing.parser import parse_predicate
from anaphora.grammar.idl.parsing.transformer import MAX_REPETITIONS
from anaphora.grammar.idl.printer import print_predicate
from anaphora.grammar.idl.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    IntentNode,
    LiteralNode,
    PredicateNode,
    PythonFunctionNode,
    TermNode,
)
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.reading.nodes import NodePath
from anaphora.models.schema.intents import IntentSchema, SlotField, SlotSchema

__all__ = ["build_intent_tree"]

_FUNCTION = re.compile(r"([\w.$]*)#([^\W\d]\w*)")


def build_intent_tree(
    draft: ModelDraft, path: NodePath, written: IntentSchema
) -> IntentNode | None:
    """The syntax tree of the intent at ``path``, whose offsets are those of the file.

    None if a condition cannot be parsed, which is reported to ``draft``.
    """
    terms = [
        _build_term(draft, (*path, "slots", name), name, slot)
        for name, slot in written.slots.items()
    ]
    flow_at = draft.offset_of((*path, "flow"))
    function = _FUNCTION.fullmatch(written.flow)
    tree = IntentNode(
        id=written.id,
        terms=tuple(term for term in terms if term is not None),
        options=written.options.model_dump(exclude_none=True),
        flow=PythonFunctionNode(function[1], function[2], flow_at)
        if function
        else written.flow or None,
        meta=written.meta,
        at=draft.offset_of((*path, "id")),
        flow_at=flow_at,
    )
    return tree if len(tree.terms) == len(terms) else None


def _build_term(
    draft: ModelDraft, path: NodePath, name: str, written: SlotField
) -> TermNode | None:
    if not isinstance(written, SlotSchema):
        written = SlotSchema(element=written) if written else SlotSchema()
    at = draft.offset_of_key(path)
    condition = _build_element_test(draft, path, name, written.element)
    predicate: PredicateNode | None = PredicateNode((), condition, at=at)
    if "where" in written.model_fields_set:
        predicate = _add_condition(draft, (*path, "where"), condition, written.where)
    if predicate is None:
        return None
    return TermNode(
        id=name,
        predicate=replace(predicate, text=print_predicate(predicate)),
        conversational=written.from_memory,
        min=0 if written.optional else 1,
        max=MAX_REPETITIONS if written.several else 1,
        at=at,
    )


def _build_element_test(
    draft: ModelDraft, path: NodePath, name: str, elements: str | Sequence[str]
) -> Expression:
    """``# == 'name'``, or ``has(list('a', 'b'), #)`` for several elements."""
    at = draft.offset_of_key(path)
    if not elements:
        return BinaryNode("==", CallNode("#", (), at), LiteralNode(name, at), at)
    place = draft.offset_of((*path, "element"))
    if isinstance(elements, str):
        return BinaryNode("==", CallNode("#", (), place), LiteralNode(elements, place), place)
    names = tuple(
        LiteralNode(one, draft.offset_of((*path, "element", index)))
        for index, one in enumerate(elements)
    )
    return CallNode("has", (CallNode("list", names, place), CallNode("#", (), place)), place)


def _add_condition(
    draft: ModelDraft, path: NodePath, condition: Expression, text: str
) -> PredicateNode | None:
    try:
        further = parse_predicate(text)
    except GrammarError as error:
        draft.add_nested("error", path, error.problems)
        return None
    further = _relocate(further, draft, path)
    both = BinaryNode("&&", condition, further.expression, further.at)
    return replace(further, expression=both)


def _relocate(predicate: PredicateNode, draft: ModelDraft, path: NodePath) -> PredicateNode:
    """The predicate with its offsets in the file instead of those in the text at ``path``."""

    def relocate(data: Any) -> Any:
        if isinstance(data, list | tuple):
            return [relocate(item) for item in data]
        if not isinstance(data, dict):
            return data
        return {
            key: draft.offset_of(path, value) if key == "at" else relocate(value)
            for key, value in data.items()
        }

    return msgspec.convert(relocate(msgspec.to_builtins(predicate)), PredicateNode)
