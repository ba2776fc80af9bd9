"""Check what the templates of a collection refer to: rules and lists that exist."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Literal, TypeAlias

from anaphora.core.name_hints import did_you_mean
from anaphora.grammar.sentences.parser import INLINE_RANGE
from anaphora.grammar.sentences.syntax import (
    Alternative,
    Expression,
    ListReference,
    Permutation,
    RuleReference,
    Sequence,
)
from anaphora.models.hassil.collection import SentenceCollection
from anaphora.models.hassil.nesting import MAX_DEPTH, NestingDepth

__all__ = ["IDENTIFIER", "KeyPath", "Level", "Report", "check_references"]

IDENTIFIER = re.compile(r"[^\W\d][\w-]*")
"""The names of intents and slots."""

KeyPath: TypeAlias = tuple[str | int, ...]
Level: TypeAlias = Literal["error", "warning"]
Report: TypeAlias = Callable[[Level, KeyPath, str, str, int | None], None]
"""Takes a level, the path of the key, a message, a hint, and the offset in the text there."""

_RESERVED_SLOTS = frozenset(("intent",))
"""Names that no slot can have: the memory keeps the intent under it."""


def check_references(
    collection: SentenceCollection, known_lists: Collection[str], report: Report
) -> None:
    """Report rules and lists that do not exist, rules that contain themselves, and templates that
    are nested too deeply. ``known_lists`` are those that come from elsewhere."""
    lists = (*collection.lists, *known_lists)
    shared = NestingDepth(collection.rules)
    for name, rule in collection.rules.items():
        _check_rule(report, name, rule, collection.rules, lists, ("expansion_rules", name))
    counts: dict[str, int] = {}
    for block in collection.blocks:
        index = counts.get(block.intent, 0)
        counts[block.intent] = index + 1
        path = ("intents", block.intent, "data", index)
        rules = {**collection.rules, **block.rules}
        known = (*lists, *block.lists)
        for name, rule in block.rules.items():
            _check_rule(report, name, rule, rules, known, (*path, "expansion_rules", name))
        depth = NestingDepth(rules) if block.rules else shared
        for at, sentence in enumerate(block.sentences):
            where = (*path, "sentences", at)
            _check_expression(report, sentence, rules, known, where)
            if depth.of(sentence) > MAX_DEPTH:
                message = "the template and its rules are nested too deeply"
                report("error", where, message, "split it into several templates", None)


def _check_rule(
    report: Report,
    name: str,
    rule: Expression,
    rules: Mapping[str, Expression],
    lists: Collection[str],
    path: KeyPath,
) -> None:
    _check_expression(report, rule, rules, lists, path)
    seen, waiting = set(), [rule]
    while waiting:
        for one in _references(waiting.pop()):
            if isinstance(one, ListReference) or one.rule in seen:
                continue
            if one.rule == name:
                report("error", path, f"the rule <{name}> contains itself", "", None)
                return
            seen.add(one.rule)
            if one.rule in rules:
                waiting.append(rules[one.rule])


def _check_expression(
    report: Report,
    expression: Expression,
    rules: Mapping[str, Expression],
    lists: Collection[str],
    path: KeyPath,
) -> None:
    for one in _references(expression):
        if isinstance(one, RuleReference):
            if one.rule not in rules:
                hint = did_you_mean(one.rule, rules) or "define it under expansion_rules"
                message = f"there is no rule <{one.rule}>"
                report("error", path, message, hint, one.offset)
        elif one.list not in lists and (found := INLINE_RANGE.fullmatch(one.list)):
            if int(found[1]) > int(found[2]) or int(found[3] or 1) < 1:
                message = f"the range {{{one.list}}} has no numbers"
                report("error", path, message, "write {0..100,5}", one.offset)
        elif one.list not in lists:
            hint = did_you_mean(one.list, lists) or "define it under lists"
            message = f"there is no list {{{one.list}}}"
            report("error", path, message, hint, one.offset)
        if isinstance(one, ListReference) and not _is_slot_name(one.slot):
            hint = "name the slot otherwise: {list:slot}"
            message = f"'{one.slot}' cannot be the name of a slot"
            report("error", path, message, hint, one.offset)


def _references(expression: Expression) -> Iterator[ListReference | RuleReference]:
    match expression:
        case ListReference() | RuleReference():
            yield expression
        case Sequence(items) | Alternative(items) | Permutation(items):
            for item in items:
                yield from _references(item)


def _is_slot_name(name: str) -> bool:
    return name not in _RESERVED_SLOTS and IDENTIFIER.fullmatch(name) is not None
