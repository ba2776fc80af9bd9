"""A translation as a file of ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.models.loader import load_model, parse_model
from anaphora.models.nlpcraft import detect_version, print_model, translate
from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode, to_data
from tests.models.model_texts import GOOD
from tests.models.nlpcraft.translation_helpers import DRINKS, KIOSK, LAMPS, tree, tree_of
from tests.support.examples import examples


def printed(path: Path) -> str:
    root = tree_of(path)
    version = detect_version(root)
    assert version is not None
    return print_model(translate(root, version, name=path.stem).root)


@pytest.mark.parametrize("path", [LAMPS, DRINKS, KIOSK])
def test_the_file_of_anaphora_is_the_same_model(path: Path) -> None:
    intents = ["intent=any term={ent_index() >= 0}"]
    theirs = load_model(path, intents=intents)
    ours = parse_model(printed(path), intents=intents)
    # Whether terms may take free words depends on the intents that are given.
    ours = replace(ours, free_words=theirs.free_words)
    assert replace(ours, source="") == replace(theirs, source="")


def test_a_file_of_anaphora_is_printed_as_the_same_model() -> None:
    printed = parse_model(print_model(tree(GOOD)))
    model = parse_model(GOOD)
    assert replace(printed, samples=()) == replace(model, samples=())
    assert [one.name for one in printed.samples] == [one.name for one in model.samples]


def test_keys_have_the_order_of_the_schema() -> None:
    lines = [line.split(":")[0] for line in printed(LAMPS).splitlines() if line[:1].isalpha()]
    assert lines == [
        "id", "name", "version", "description", "meta", "conversation", "sparse", "permute",
        "stop_words", "limits", "options", "macros", "elements", "intents",
    ]  # fmt: skip


def test_it_reads_well() -> None:
    text = printed(LAMPS)
    assert 'version: "1.0"' in text
    assert '  "<STOP>": "{turn|switch|put|shut} {off|down}"' in text
    assert "  - id: room\n" in text
    assert '      kitchen: ["{cooking|kitchen} corner"]\n' in text
    assert "\n      intent=on" not in text
    assert "intent=off term(action)={tok_id() == 'lamp:off'}" in text


TEXTS = st.text(max_size=30) | st.text(st.sampled_from("ab '\"\\:{}#\n-?,[]|>&*!%@~0.1e_x\t"))
SCALARS = TEXTS.map(lambda text: ScalarNode(0, 0, text, '"')) | st.sampled_from(
    ["1", "1.50", "007", "0o17", "0x1F", ".5", "-.inf", "true", "FALSE", "null", "~", "", "1e5"]
).map(lambda text: ScalarNode(0, 0, text, ""))


def listed(items: list[Node]) -> Node:
    node = SequenceNode(0)
    node.items = items
    return node


def mapped(items: dict[str, Node]) -> MappingNode:
    node = MappingNode(0)
    node.items = items
    node.key_offsets = dict.fromkeys(items, 0)
    return node


KEYS = TEXTS.filter(bool) | st.sampled_from(["id", "elements", "<<", "on", "y", "=", "?"])
NODES: st.SearchStrategy[Node] = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4).map(listed)
        | st.dictionaries(KEYS, inner, max_size=4).map(mapped)
    ),
    max_leaves=12,
)


@settings(max_examples=examples(300), deadline=None)
@given(st.dictionaries(KEYS, NODES, min_size=1, max_size=4).map(mapped))
def test_whatever_a_tree_holds_is_parsed_again(root: MappingNode) -> None:
    again = tree_of_yaml(print_model(root))
    assert repr(to_data(again)) == repr(ordered(to_data(root), to_data(again)))


def ordered(data: object, like: object) -> object:
    """``data`` with the keys of its mappings in the order of ``like``."""
    if isinstance(data, dict) and isinstance(like, dict):
        assert data.keys() == like.keys()
        return {key: ordered(data[key], like[key]) for key in like}
    if isinstance(data, list) and isinstance(like, list) and len(data) == len(like):
        return [ordered(one, other) for one, other in zip(data, like, strict=True)]
    return data


def tree_of_yaml(text: str) -> MappingNode:
    from anaphora.models.reading.source import FileDiagnostics, SourceText
    from anaphora.models.reading.yaml_reader import read_yaml

    report = FileDiagnostics(SourceText("", text))
    root = read_yaml(report)
    report.raise_if_any()
    assert isinstance(root, MappingNode)
    return root
