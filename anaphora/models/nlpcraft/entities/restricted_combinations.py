"""Translate ``restrictedCombinations``: what limits, sorts and relations must not refer to."""

from __future__ import annotations

from anaphora.core.name_hints import did_you_mean
from anaphora.models.nlpcraft.entities.target_elements import (
    add_element,
    enabled_names,
    group_names,
    remove_entity,
)
from anaphora.models.nlpcraft.rules.rule import SourceEntry, TranslationTarget
from anaphora.models.reading.nodes import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    elements_by_id,
    scalars_in,
    to_data,
)
from anaphora.models.schema.field_types import describe_value

__all__ = ["restrict_combinations"]

_RESTRICTIONS_KEY = "restrictedCombinations"
_REFERRING_ENTITIES = ("nlpcraft:limit", "nlpcraft:sort", "nlpcraft:relation")


def restrict_combinations(context: TranslationTarget) -> None:
    """Forbid the targets of limits, sorts and relations that ``restrictedCombinations`` lists.

    Call this when all elements and entities are in the target.
    """
    node = context.source.items.get(_RESTRICTIONS_KEY)
    at = context.source.key_offsets.get(_RESTRICTIONS_KEY, 0)
    if not isinstance(node, MappingNode):
        if node is not None:
            reason = f"expected a mapping to lists of ids, not {describe_value(to_data(node))}"
            context.notes.add("ignored", _RESTRICTIONS_KEY, at, reason)
        return
    for name, listed in node.items.items():
        entry = SourceEntry(f"{_RESTRICTIONS_KEY}.{name}", node.key_offsets[name], listed)
        if name not in _REFERRING_ENTITIES or not isinstance(listed, SequenceNode):
            reason = f"expected a list of ids for one of {', '.join(_REFERRING_ENTITIES)}"
            context.add_note("ignored", entry, reason)
        elif name in enabled_names(context):
            _restrict(context, entry, name, listed)


def _restrict(
    context: TranslationTarget, entry: SourceEntry, name: str, listed: SequenceNode
) -> None:
    known = {*enabled_names(context), *group_names(context)}
    targets: list[Node] = []
    for index, node in enumerate(listed.items):
        if isinstance(node, ScalarNode) and node.text in known:
            targets.append(node)
            continue
        hint = did_you_mean(node.text, sorted(known)) if isinstance(node, ScalarNode) else ""
        shown = f"'{node.text}'" if isinstance(node, ScalarNode) else "this value"
        where = SourceEntry(f"{entry.key}[{index}]", node.start, node)
        context.add_note(
            "ignored", where, f"there is no element {shown}{'; ' if hint else ''}{hint}"
        )
    if not targets:
        return
    element = elements_by_id(context.target).get(name)
    if element is None:
        remove_entity(context, name)
        element = add_element(context, ScalarNode(entry.at, entry.at, name, '"'), name)
    at = entry.at
    config = MappingNode(at, {"except": SequenceNode(at, targets)}, {"except": at})
    element.items["config"] = config
    element.key_offsets["config"] = at
    names = ", ".join(scalars_in(config.items["except"]))
    context.add_note("mapped", entry, f"→ config: except: {names}")
