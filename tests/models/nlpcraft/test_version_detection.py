"""Whose file is it?"""

from __future__ import annotations

import pytest

from anaphora.models import catalog
from anaphora.models.nlpcraft import assume_version, detect_version
from tests.models.model_texts import GOOD, START
from tests.models.nlpcraft.translation_helpers import DRINKS, KIOSK, LAMPS, TICKETS, tree, tree_of

ELEMENT = "elements: [{id: e, synonyms: [x]}]\n"


def test_files_of_both_versions_are_recognised() -> None:
    assert detect_version(tree_of(LAMPS)) == "0.9"
    assert detect_version(tree_of(TICKETS)) == "0.9"
    assert detect_version(tree_of(DRINKS)) == "1.0"
    assert detect_version(tree_of(KIOSK)) == "1.0"


@pytest.mark.parametrize("name", catalog.model_names())
def test_the_bundled_models_are_ours(name: str) -> None:
    assert detect_version(tree_of(catalog.model_path(name))) is None


@pytest.mark.parametrize("text", [GOOD, START])
def test_a_file_of_anaphora_is_ours(text: str) -> None:
    assert detect_version(tree(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "enabledBuiltInTokens: []\n" + ELEMENT,
        "conversationTimeout: 1000\n" + ELEMENT,
        "isSparse: true\n" + ELEMENT,
        "macros: [{name: <A>, macro: x}]\n" + ELEMENT,
        "macros: []\n" + ELEMENT,
        "elements: [{id: e, parentId: f}]",
        "elements: [{id: e, values: [{name: x, synonyms: [y]}]}]",
        "elements: [{id: e, values: [{value: x}]}]",
        "metadata: {a: 1}\nminWords: 2\n" + ELEMENT,
    ],
)
def test_one_mark_is_enough_where_nothing_speaks_for_anaphora(text: str) -> None:
    assert detect_version(tree(text)) == "0.9"


def test_what_is_the_same_in_both_is_ours() -> None:
    text = "id: m\nname: M\nversion: 1\nsparse: true\nintents: ['intent=i term={true}']\n"
    assert detect_version(tree(text + ELEMENT)) is None


def test_metadata_alone_is_a_slip_in_a_file_of_anaphora() -> None:
    assert detect_version(tree("metadata: {a: 1}\n" + ELEMENT)) is None
    assert detect_version(tree("elements: [{id: e, metadata: {a: 1}}]")) is None


@pytest.mark.parametrize(
    "slip",
    [
        "metadata: {a: 1}",
        "conversationTimeout: 5",
        "maxWords: 3",
        "macros: [{name: a, macro: b}]",
        "macros: []",
    ],
)
def test_one_slip_beside_keys_of_anaphora_leaves_the_file_ours(slip: str) -> None:
    assert detect_version(tree(f"language: en\n{slip}\n{ELEMENT}")) is None


def test_a_key_of_anaphora_in_a_file_full_of_theirs_leaves_it_theirs() -> None:
    text = "language: en\nmaxWords: 3\nminTokens: 1\n"
    assert detect_version(tree(text + ELEMENT)) == "0.9"


def test_elements_of_which_only_some_have_a_type_are_ours() -> None:
    assert detect_version(tree("elements: [{type: a}, {id: b}]")) is None
    assert detect_version(tree("elements: [{type: a}, {type: b}]")) == "1.0"
    assert detect_version(tree("elements: [{properties: {a: 1}}]")) is None
    assert detect_version(tree("id: m\nlanguage: en\nelements: [{type: a}]")) is None


@pytest.mark.parametrize(
    "text", ["elements: 5", "elements: [a, 5, [b]]", "macros: [a, [b]]", "elements: {id: 5}"]
)
def test_shapes_that_are_nobodys_are_ours(text: str) -> None:
    assert detect_version(tree(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "elements: [{id: e, synonyms: ['{wind||hurricane} alert']}]",
        "intents: [\"intent=i term={# == 'nlpcraft:num'}\"]\n" + ELEMENT,
        "elements: [{id: e, synonyms: [\"^^{# == 'google:person'}^^\"]}]",
    ],
)
def test_what_anaphora_would_refuse_speaks_for_nlpcraft(text: str) -> None:
    assert detect_version(tree(text)) == "0.9"


def test_entities_that_the_file_declares_are_no_mark() -> None:
    text = (
        "intents: [\"intent=i term={# == 'nlpcraft:num'}\"]\n"
        "elements: [{id: 'nlpcraft:num', synonyms: [x]}]"
    )
    assert detect_version(tree(text)) is None
    assert detect_version(tree("entities: ['nlpcraft:num']\n" + text)) is None


def test_a_file_that_is_said_to_be_of_nlpcraft_needs_no_mark() -> None:
    assert assume_version(tree("id: m\nname: M\n" + ELEMENT)) == "0.9"
    assert assume_version(tree("elements: [{id: e, metadata: {a: 1}}]")) == "0.9"
    assert assume_version(tree("elements: []\nintents: ['intent=all term={true}']")) == "0.9"
    assert assume_version(tree("language: en\n" + ELEMENT)) is None
    assert assume_version(tree("id: m\n")) is None
