"""Print the tree of a model file as YAML."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import yaml

from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode, to_data
from anaphora.models.schema.model_file import section_keys

__all__ = ["print_model"]

_TEXT = "tag:yaml.org,2002:str"
_LIST = "tag:yaml.org,2002:seq"
_MAP = "tag:yaml.org,2002:map"
_UNUSUAL_LINE_BREAKS = re.compile("[\r\x85\u2028\u2029]")  # escaped only in double quotes
_MAX_LINE_LIST = 70  # characters of a list on one line
_MAX_QUOTED_LENGTH = 80  # characters of a quoted text that contains quotes


def print_model(root: MappingNode) -> str:
    """Print a tree as YAML that loads as the same model.

    Keys are in the order of the schema. Numbers keep their spelling.
    """
    text: str = yaml.serialize(
        _to_yaml_node(root, ()),
        Dumper=_Dumper,
        allow_unicode=True,
        width=math.inf,
        explicit_start=False,
    )
    return text


class _Dumper(yaml.SafeDumper):
    """Indents the items of a list that is the value of a key."""

    def increase_indent(self, flow: Any = False, indentless: Any = False) -> None:
        super().increase_indent(flow, indentless=False)


_RESOLVER: Any = yaml.resolver.Resolver()  # its stubs say nothing of types


def _to_yaml_node(node: Node, path: tuple[str, ...]) -> yaml.Node:
    match node:
        case ScalarNode():
            return _to_scalar(node)
        case SequenceNode():
            items = [_to_yaml_node(item, path) for item in node.items]
            return yaml.SequenceNode(_LIST, items, flow_style=_fits_on_a_line(items))
        case MappingNode():
            pairs = [
                (_to_text_scalar(key), _to_yaml_node(node.items[key], (*path, key)))
                for key in _sort_keys(node.items, path)
            ]
            return yaml.MappingNode(_MAP, pairs, flow_style=not pairs)


def _sort_keys(keys: Iterable[str], path: tuple[str, ...]) -> list[str]:
    order = {key: place for place, key in enumerate(section_keys(path))}
    return sorted(keys, key=lambda key: order.get(key, len(order)))


def _fits_on_a_line(items: list[yaml.Node]) -> bool:
    scalars = [item for item in items if isinstance(item, yaml.ScalarNode)]
    if len(scalars) < len(items) or any(item.style == "|" for item in scalars):
        return False
    return sum(len(item.value) + 4 for item in scalars) <= _MAX_LINE_LIST


def _to_scalar(node: ScalarNode) -> yaml.ScalarNode:
    value = to_data(node)
    if isinstance(value, str):
        return _to_text_scalar(value)
    text = "null" if value is None else node.text
    tag = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))
    return yaml.ScalarNode(tag, text)


def _to_text_scalar(text: str) -> yaml.ScalarNode:
    return yaml.ScalarNode(_TEXT, text, style=_choose_style(text))


def _choose_style(text: str) -> str | None:
    """The most readable style of a text: block, quotes, or plain (None)."""
    if _UNUSUAL_LINE_BREAKS.search(text) or not isinstance(
        to_data(ScalarNode(0, 0, text, "")), str
    ):
        return '"'
    if "\n" in text:
        return "|" if text[0] not in " \n\t" else '"'
    if "'" not in text:
        return '"' if _needs_quotes(text) and '"' not in text and "\\" not in text else None
    if '"' not in text and "\\" not in text:
        return '"' if _needs_quotes(text) else None
    return "|" if len(text) > _MAX_QUOTED_LENGTH and text[0] not in " \t" else None


def _needs_quotes(text: str) -> bool:
    """Whether YAML or a reader could misinterpret the plain text."""
    first = text[:1]
    return not (first.isalnum() or first == "_") or any(mark in text for mark in (": ", " #", "{"))
