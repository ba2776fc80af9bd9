"""What ``entities``, ``recognizer`` and ``config`` of a model file stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphora import load_model, parse_model
from anaphora.models.domain import RecognizerSpec
from anaphora.models.schema.builtin_entities import (
    BUILTIN_ENTITIES,
    NLPCRAFT_ENTITIES,
    find_builtin,
    resolve_options,
)
from anaphora.models.schema.json_schema import json_schema
from tests.models.model_texts import START, problems_of

ELEMENT = "id: m\nintents: ['intent=i term~{true}']\nelements:\n  - id: e\n    "


def recognition(text: str) -> RecognizerSpec | None:
    return parse_model(ELEMENT + text).elements[0].recognition


@pytest.mark.parametrize("name", sorted(BUILTIN_ENTITIES))
def test_every_built_in_entity_is_switched_on_by_its_name(name: str) -> None:
    model = parse_model(f"{START}entities: [{name}]\n")
    element = model.element(name)
    assert (element.groups, element.phrases) == ({name}, {})
    assert element.recognition == RecognizerSpec("built-in", name, resolve_options(name, {}))


def test_entities_of_spacy_are_named_by_their_labels() -> None:
    model = parse_model(f"{START}entities: ['spacy:PERSON']\n")
    assert model.element("spacy:PERSON").recognition == RecognizerSpec("spacy", "PERSON")


def test_an_intent_speaks_of_entities_that_are_switched_on() -> None:
    text = "id: m\nentities: [date, 'spacy:GPE']\nintents:\n"
    text += "  - \"intent=i term~{# == 'date'} term~{has(ent_groups(), 'spacy:GPE')}\"\n"
    assert not parse_model(text).warnings


def test_an_element_says_who_finds_it_and_with_which_options() -> None:
    assert recognition("recognizer: date\n    config: {prefer: past}").options["prefer"] == "past"
    assert recognition("recognizer: place\n    config: {kinds: city}").options["kinds"] == ("city",)
    assert recognition("recognizer: spacy:ORG") == RecognizerSpec("spacy", "ORG")
    found = recognition("recognizer: component:mine\n    config: {a: [1, .5]}")
    assert found == RecognizerSpec("component", "mine", {"a": [1, 0.5]})
    assert recognition("synonyms: [x]") is None


def test_it_is_found_by_its_synonyms_as_well_but_not_by_its_id() -> None:
    (element,) = parse_model(f"{ELEMENT}recognizer: date\n    synonyms: [doomsday]").elements
    assert element.phrases == {"": (("doomsday",),)}
    (element,) = parse_model(f"{ELEMENT}recognizer: date\n    id_synonym: true").elements
    assert element.phrases == {"": (("e",),)}


def test_a_function_is_named_with_its_module_also_where_the_file_names_it_once(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.py").write_text("def find(text, size=1): return ()\n")
    path = tmp_path / "m.yaml"
    for reference, code in (("#find", "code: mine\n"), ("mine#find", "")):
        path.write_text(f"{code}{ELEMENT}recognizer: '{reference}'\n    config: {{size: 2}}\n")
        found = load_model(path).elements[0].recognition
        assert (found.kind, found.name, found.options) == ("function", "mine#find", {"size": 2})
        assert found.function is not None


def test_the_module_that_registers_a_component_is_imported(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("raise RuntimeError('imported')\n")
    path = tmp_path / "m.yaml"
    path.write_text(f"code: mine\n{ELEMENT}recognizer: component:x\n")
    with pytest.raises(Exception, match="RuntimeError: imported"):
        load_model(path)


MISTAKES = {
    "unknown entity": ("entities: [dat]", 4, 12, "no built-in entity 'dat'", "mean 'date'?"),
    "a label without a prefix": (
        "entities: [PERSON]",
        *(4, 12, "no built-in entity 'PERSON'", "did you mean 'spacy:PERSON'?"),
    ),
    "a name like no other": ("entities: [xyz]", 4, 12, "no built-in entity", "there are: date, "),
    "no label": ("entities: ['spacy:']", 4, 12, "the label is missing", "spacy:PERSON"),
    "options in the list": (
        "entities:\n  - date: {prefer: past}",
        *(5, 5, "expected the name of an entity, not a mapping", "{id: date, recognizer: date,"),
    ),
    "a blank in a name": (
        "entities:\n  - spacy: PERSON",
        *(5, 5, "expected the name of an entity", "without a blank behind the colon"),
    ),
    "no list": ("entities: date", 4, 11, "expected a list, not text", "[a, b]"),
    "twice": ("entities: [date, date]", 4, 18, "duplicate entity 'date'", ""),
    "twice but for the case": (
        "entities: ['spacy:ORG', 'spacy:org']",
        *(4, 25, "duplicate entity 'spacy:ORG'", ""),
    ),
    "a name of something that another one finds": (
        "entities: [time]",
        *(4, 12, "there is no built-in entity 'time'", "'date' finds such things"),
    ),
    "a person": ("entities: [person]", 4, 12, "no built-in", "'spacy:PERSON' finds such things"),
    "an element": ("entities: [e]", 4, 12, "declares an element 'e' as well", "leave it out"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_errors_in_the_list_of_entities_are_reported_at_their_positions(case: str) -> None:
    text, line, column, message, hint = MISTAKES[case]
    (problem,) = problems_of(START + text)
    assert (problem.line, problem.column) == (line, column)
    assert message in problem.message
    assert hint in problem.hint


OF_ELEMENTS = {
    "unknown": ("recognizer: dates", 5, 17, "no built-in entity 'dates'", "mean 'date'?"),
    "unknown option": (
        "recognizer: date\n    config: {prefr: past}",
        *(6, 14, "'date' has no option 'prefr'", "did you mean 'prefer'?"),
    ),
    "no options at all": (
        "recognizer: email\n    config: {x: 1}",
        *(6, 14, "'email' has no option 'x'", "it has none"),
    ),
    "wrong choice": (
        "recognizer: date\n    config: {prefer: never}",
        *(6, 14, "the option 'prefer': 'never' is not one of future, past", ""),
    ),
    "wrong kind": (
        "recognizer: place\n    config: {population: many}",
        *(6, 14, "the option 'population': expected a whole number, not 'many'", ""),
    ),
    "too few": (
        "recognizer: place\n    config: {ambiguity: 0}",
        *(6, 14, "expected at least 1, not 0", ""),
    ),
    "the name of a currency": (
        "recognizer: money\n    config: {currency: dollars}",
        *(6, 14, "the option 'currency': 'dollars' is not a code of 3 letters such as USD", ""),
    ),
    "the name of a country": (
        "recognizer: phone\n    config: {region: Germany}",
        *(6, 14, "the option 'region': 'Germany' is not a code of 2 letters such as US", ""),
    ),
    "a reference to nothing": (
        "recognizer: limit\n    config: {of: [prodct]}\n    groups: [e, product]",
        *(6, 18, "neither an element nor a group 'prodct'", "did you mean 'product'?"),
    ),
    "an exception of nothing": (
        "recognizer: sort\n    config: {except: [prodct]}\n    groups: [e, product]",
        *(6, 22, "neither an element nor a group 'prodct'", "did you mean 'product'?"),
    ),
    "options of spaCy": (
        "recognizer: spacy:ORG\n    config: {x: 1}",
        *(6, 14, "an entity of spaCy has no option 'x'", "there is: optional"),
    ),
    "an optional entity of spaCy": (
        "recognizer: spacy:ORG\n    config: {optional: 1}",
        *(6, 14, "the option 'optional' must be true or false, not 1", ""),
    ),
    "options of nobody": ("config: {x: 1}", 5, 13, "only a recognizer has options", "recognizer"),
    "a dotted name": ("recognizer: a.b", 5, 17, "no built-in entity 'a.b'", "module#function"),
    "another element": ("recognizer: e", 5, 17, "no built-in entity 'e'", "its synonyms find it"),
    "no component": ("recognizer: 'component:'", 5, 17, "name of the component is missing", "NAME"),
    "no function": ("recognizer: 'json#'", 5, 17, "name of the function is missing", "#function"),
    "no module": ("recognizer: no_such#x", 5, 17, "no Python module 'no_such'", "install it"),
    "no parameter": ("recognizer: json#loads", 5, 17, "requires 's'", "text, doc, at"),
    "an empty name": ("recognizer: ''", 5, 17, "expected a name, not an empty text", ""),
}


@pytest.mark.parametrize("case", OF_ELEMENTS)
def test_errors_in_a_recognizer_are_reported_at_their_positions(case: str) -> None:
    text, line, column, message, hint = OF_ELEMENTS[case]
    (problem,) = problems_of(f"{ELEMENT}{text}\n")
    assert message in problem.message
    assert hint in problem.hint
    assert (problem.line, problem.column) == (line, column)


def test_all_wrong_options_are_reported_at_once() -> None:
    text = f"{ELEMENT}recognizer: place\n    config: {{kinds: [town], population: -1, x: 1}}\n"
    assert [problem.column for problem in problems_of(text)] == [14, 29, 45]


@pytest.mark.parametrize("name", [*BUILTIN_ENTITIES, *NLPCRAFT_ENTITIES])
def test_options_that_were_read_are_read_again_as_they_are(name: str) -> None:
    options = resolve_options(name, {})
    assert resolve_options(name, options) == options


def test_an_element_that_is_switched_on_as_well_names_its_recognizer() -> None:
    text = "id: m\nelements: [{id: date}]\nentities: [date]\nintents: ['intent=i term~{true}']\n"
    (problem,) = problems_of(text)
    assert problem.hint == "give that element 'recognizer: date', and leave this out"


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("date", "the intent 'i' refers to the unknown element 'date'", "entities: [date]"),
        ("nlpcraft:num", "nothing here finds 'nlpcraft:num'", "entities: ['nlpcraft:num']"),
        ("spacy:ORG", "nothing here finds 'spacy:ORG'", "switch it on: entities: ['spacy:ORG']"),
        ("google:x", "nothing here finds 'google:x'", "declare an element of this id"),
        ("spacy:person", "nothing here finds 'spacy:person'", "did you mean 'spacy:PERSON'?"),
    ],
)
def test_an_entity_that_is_not_switched_on_is_reported(name, message, hint) -> None:
    text = f"id: m\nentities: ['spacy:PERSON']\nintents: [\"intent=i term~{{# == '{name}'}}\"]\n"
    found = problems_of(text)
    (problem,) = found or parse_model(text).warnings
    assert bool(found) == (name in BUILTIN_ENTITIES)  # what others may find is only warned of
    assert problem.message == message
    assert hint in problem.hint


def test_editors_complete_the_names_of_entities() -> None:
    schema = json_schema()
    names, of_spacy = schema["properties"]["entities"]["items"]["anyOf"]
    assert names["enum"] == [*BUILTIN_ENTITIES, *NLPCRAFT_ENTITIES]
    assert of_spacy["pattern"] == r"^spacy:\S+$"
    recognizer = schema["$defs"]["ElementSchema"]["properties"]["recognizer"]
    assert recognizer["anyOf"][0] == names


def test_each_entity_of_nlpcraft_has_the_options_of_anaphora_that_it_leaves_open() -> None:
    assert resolve_options("nlpcraft:date", {"prefer": "past"})["prefer"] == "past"
    assert "kinds" not in resolve_options("nlpcraft:city", {})
    assert find_builtin("nlpcraft:city").fixed_options == {"kinds": ("city",)}
    assert find_builtin("nlpcraft:metro") is None


def test_a_folder_with_a_pipeline_lies_beside_the_model(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.yaml").write_text(f"{START}pipeline: {{en: ./ner}}\n")
    assert load_model("m.yaml").pipelines == {"en": str(tmp_path / "ner")}
    assert parse_model(f"{START}pipeline: models/ner\n").pipelines == {
        "en": str(tmp_path / "models" / "ner")
    }
    assert parse_model(f"{START}pipeline: en_core_web_sm\n").pipelines == {"en": "en_core_web_sm"}
    assert parse_model(START).pipelines == {}
