"""Check the shapes of what the files of a Rasa project declare: lists, mappings, names."""

from __future__ import annotations

from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode, to_data
from anaphora.models.reading.source import FileDiagnostics

__all__ = ["check_form", "check_response", "check_slot", "check_story"]


def check_slot(node: Node, name: str, report: FileDiagnostics) -> None:
    """A slot is a mapping; its ``mappings`` are a list of mappings."""
    if _is_mapping(node, f"the slot '{name}'", report):
        _check_list(node, "mappings", "a mapping", MappingNode, report)


def check_form(node: Node, name: str, report: FileDiagnostics) -> None:
    """A form is a mapping; its ``required_slots`` are names, or a mapping from them."""
    if not _is_mapping(node, f"the form '{name}'", report):
        return
    assert isinstance(node, MappingNode)
    if not isinstance(node.items.get("required_slots"), MappingNode):
        _check_list(node, "required_slots", "the name of a slot", ScalarNode, report)


def check_response(node: Node, name: str, report: FileDiagnostics) -> None:
    """A response is a list of variants, each a mapping."""
    if to_data(node) is None:
        return
    if not isinstance(node, SequenceNode):
        report.add_error(node.start, f"the response '{name}' is a list", "write - text: Hello!")
        return
    for item in node.items:
        _is_mapping(item, f"a variant of '{name}'", report)


def check_story(node: Node, report: FileDiagnostics) -> None:
    """A rule or a story is a mapping; its ``steps`` and ``condition`` are lists of mappings."""
    if _is_mapping(node, "a rule or a story", report):
        for key in ("steps", "condition"):
            _check_list(node, key, "a mapping", MappingNode, report)


def _is_mapping(node: Node, what: str, report: FileDiagnostics) -> bool:
    """Whether a node is a mapping; reports what is neither that nor empty."""
    if isinstance(node, MappingNode):
        return True
    if to_data(node) is not None:
        report.add_error(node.start, f"{what} is a mapping")
    return False


def _check_list(
    node: Node,
    key: str,
    what: str,
    kind: type[ScalarNode] | type[MappingNode],
    report: FileDiagnostics,
) -> None:
    """Report what is no list of nodes of a ``kind`` under the key of a mapping."""
    listed = node.items.get(key) if isinstance(node, MappingNode) else None
    if listed is None or to_data(listed) is None:
        return
    if not isinstance(listed, SequenceNode):
        report.add_error(listed.start, f"'{key}' is a list")
        return
    for item in listed.items:
        if not isinstance(item, kind):
            report.add_error(item.start, f"each of '{key}' is {what}")
