"""The keys of elements for what users say about earlier ones: refers, several, fresh, counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphora import load_model, parse_model
from anaphora.models.checking.unreachable import find_unreachable_elements
from anaphora.models.domain import Element
from anaphora.storage.cache import Cache
from tests.models.model_texts import problems_of

INTENT = "id: m\nintents: [\"intent=i term~{# == 'e'}\"]\n"
ELEMENT = f"{INTENT}elements:\n  - id: e\n    "
COUNTED = f"{INTENT}entities: [number, date]\nelements:\n  - {{id: e, counts: "


def element(text: str) -> Element:
    return parse_model(ELEMENT + text).elements[0]


def test_an_element_uses_none_of_them_by_default() -> None:
    plain = element("synonyms: [x]")
    assert (plain.refers, plain.several, plain.fresh, plain.counts) == (frozenset(), False, "", "")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("thing", {"thing"}),
        ("[thing, person]", {"thing", "person"}),
        ("[]", set()),
    ],
)
def test_an_element_says_which_words_refer_to_it(written: str, expected: set[str]) -> None:
    assert element(f"refers: {written}").refers == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("date", {"time"}),
        ("duration", {"time"}),
        ("nlpcraft:date", {"time"}),
        ("place", {"place"}),
        ("nlpcraft:city", {"place"}),
        ("spacy:PERSON", {"person"}),
        ("spacy:GPE", {"place"}),
        ("spacy:ORG", set()),
        ("number", set()),
    ],
)
def test_words_refer_to_what_a_recognizer_finds(name: str, expected: set[str]) -> None:
    assert element(f"recognizer: '{name}'").refers == expected
    assert element(f"recognizer: '{name}'\n    refers: []").refers == set()
    assert parse_model(f"{ELEMENT}topic: true\nentities: ['{name}']").elements[1].refers == expected


@pytest.mark.parametrize(("written", "fresh"), [("true", "always"), ("ask", "ask"), ("false", "")])
def test_a_topic_may_begin_afresh(written: str, fresh: str) -> None:
    assert element(f"topic: true\n    fresh: {written}").fresh == fresh


def test_only_a_topic_begins_afresh() -> None:
    model = parse_model(f"{ELEMENT}fresh: true")
    assert [str(warning.message) for warning in model.warnings] == [
        "'e' is no topic: 'fresh' has no effect"
    ]


def test_an_element_may_be_named_several_times() -> None:
    assert element("several: true").several


@pytest.mark.parametrize("number", ["number", "nlpcraft:num"])
def test_an_element_is_counted_by_numbers(number: str) -> None:
    text = f"{INTENT}entities: ['{number}']\nelements: [{{id: e, counts: '{number}'}}]"
    assert parse_model(text).elements[0].counts == number
    text = f"{INTENT}elements: [{{id: e, counts: n}}, {{id: n, recognizer: '{number}'}}]"
    model = parse_model(text)
    assert model.elements[0].counts == "n"
    assert find_unreachable_elements(model) == ()


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (f"{COUNTED}numbers}}", "unknown element 'numbers'", "did you mean 'number'?"),
        (f"{COUNTED}date}}", "'date' finds no numbers that count 'e'", "these do: number"),
        (
            f"{INTENT}elements: [{{id: e, counts: number}}]",
            "unknown element 'number'",
            "switch it on: entities: [number]",
        ),
        (
            f"{ELEMENT}counts: e",
            "'e' finds no numbers that count 'e'",
            "switch it on: entities: [number]",
        ),
        (
            f"{ELEMENT}refers: thign",
            "expected 'thing', 'place', 'time' or 'person', not 'thign'",
            "did you mean 'thing'?",
        ),
        (f"{ELEMENT}fresh: always", "expected true, false or ask, not 'always'", ""),
        (f"{ELEMENT}several: ask", "expected true or false, not text", ""),
    ],
)
def test_a_mistake_is_reported_with_a_hint(text: str, message: str, hint: str) -> None:
    assert [(one.message, one.hint) for one in problems_of(text)] == [(message, hint)]


def test_a_broken_number_is_one_mistake() -> None:
    text = f"{INTENT}elements: [{{id: e, counts: n}}, {{id: n, recognizer: nunber}}]"
    assert len(problems_of(text)) == 1


def test_they_are_cached(tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(
        f"{ELEMENT}topic: true\n    refers: [thing, place]\n    several: true\n    fresh: ask\n"
        "    counts: number\nentities: [number]"
    )
    cache = Cache(tmp_path / "cache")
    assert load_model(file, cache=cache) == load_model(file, cache=cache) == load_model(file)
