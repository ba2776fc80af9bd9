"""Compounds are found by their heads where an element asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphora import ModelError, parse_model
from anaphora.entities.languages import languages_with
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.entities.words.normalization import base_code
from anaphora.entities.words.orthography import load_orthography
from anaphora.models.building.elements import COMPOUND_LANGUAGES
from anaphora.storage.cache import Cache
from tests.entities.helpers.model_builders import element, model


def found(text: str, *elements, language: str = "de") -> list[str]:
    best = find_variants(Pipeline(model(*elements, languages=(language,)))(text))[0]
    return [f"{entity} {entity.text!r}" for entity in best.entities]


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ("Lampe", "Deckenlampe"),
        ("Lampe", "WOHNZIMMERLAMPEN"),
        ("Lampe", "Wohnzimmertischlampe"),
        ("Lampe", "Öllampe"),
        ("Lampe", "LED-Lampe"),
        ("Lampe", "Außenlampe"),
        ("Licht", "Arbeitslicht"),
        ("Buch", "Schulbücher"),
        ("Tür", "Haustuer"),
        ("Maschine", "Spülmaschine"),
        ("rot", "dunkelrote"),
        ("Bar", "Hotelbar"),
    ],
)
def test_a_german_compound_is_found_by_its_head(head: str, text: str) -> None:
    (entity,) = Pipeline(model(element("it", head, compounds=True), languages=("de",)))(
        text
    ).entities
    assert (entity.text, entity.exact, "compound" in entity.marks) == (text, False, True)
    assert found(text, element("it", head)) == []


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ("Lampe", "Klampe"),
        ("Lampe", "Schlampe"),
        ("Trag", "Vertrag"),
        ("Ruch", "Geruch"),
        ("Tür", "Temperatur"),
        ("Tür", "Partitur"),
        ("Tisch", "romantisch"),
        ("Tisch", "dramatische"),
        ("Bar", "wunderbar"),
        ("Bar", "programmierbar"),
        ("Eis", "Hühnereis"),
        ("Zug", "Anzug"),
        ("Zug", "Trainingsanzug"),
        ("Tor", "Generator"),
        ("Uhr", "Abfuhren"),
        ("Licht", "veröffentlicht"),
        ("Raum", "Traum"),
        ("Lampe", "Lampenschirm"),
    ],
)
def test_a_word_that_ends_alike_is_no_compound(head: str, text: str) -> None:
    assert found(text, element("it", head, compounds=True)) == []


@pytest.mark.parametrize(
    ("language", "head", "text"),
    [
        ("nl", "lamp", "plafondlamp"),
        ("nl", "kamer", "slaapkamers"),
        ("nl", "kast", "koelkasten"),
        ("nl", "rekening", "elektriciteitsrekening"),
        ("sv", "lampa", "köksbordslampa"),
        ("da", "lampe", "køkkenlampe"),
        ("nb", "dør", "kjøkkendøren"),
        ("fi", "lamppu", "kattolamput"),
    ],
)
def test_other_languages_have_compounds(language: str, head: str, text: str) -> None:
    said = element("it", head, compounds=True)
    assert found(text, said, language=language) == [f"it {text!r}"]


def test_a_compound_that_the_model_knows_is_itself() -> None:
    said = (element("door", "Tür", compounds=True), element("front_door", "Haustür"))
    assert found("Haustür und Gartentür", *said) == ["front_door 'Haustür'", "door 'Gartentür'"]


def test_only_elements_that_ask_for_it_are_found_by_heads() -> None:
    said = (element("lamp", "Lampe", compounds=True), element("door", "Tür"))
    assert found("Stehlampe an der Haustür", *said) == ["lamp 'Stehlampe'"]


def test_a_compound_may_be_one_of_several_words() -> None:
    said = (
        element("red", "rote Lampe", compounds=True),
        element("off", "Lampe aus", sparse=True, compounds=True),
        element("strict", "Lampe an", sparse=True),
    )
    assert found("rote Stehlampe", *said) == ["red 'rote Stehlampe'"]
    assert found("Stehlampe bitte aus", *said) == ["off 'Stehlampe aus'"]
    assert found("Stehlampe bitte an", *said) == []


def test_a_separated_verb_may_enclose_a_compound() -> None:
    said = element("off", "Lampe ausschalten", compounds=True)
    assert found("Schalte die Stehlampe aus", said) == ["off 'Schalte Stehlampe aus'"]
    assert found("Schalte die Stehlampe aus", element("off", "Lampe ausschalten")) == []


def test_spelling_and_lemma_take_precedence_over_the_head_of_a_compound() -> None:
    said = (
        element("lamp", "Lampe", compounds=True),
        element("reading", "Leselampen"),
    )
    assert found("Leselampe", *said) == ["reading 'Leselampe'"]


def test_a_cache_keeps_heads(tmp_path: Path) -> None:
    said = model(element("lamp", "Lampe", compounds=True), languages=("de",))
    for _ in range(2):
        pipeline = Pipeline(said, cache=Cache(tmp_path))
        assert [one.text for one in pipeline("Stehlampe").entities] == ["Stehlampe"]


def test_compounds_in_a_model_of_other_languages_are_reported() -> None:
    said = (
        "id: m\nelements:\n  - {id: door, compounds: true}\n"
        "intents: [\"intent=i term={# == 'door'}\"]\n"
    )
    with pytest.raises(ModelError) as caught:
        parse_model(said)
    (problem,) = caught.value.problems
    assert (problem.line, problem.message) == (
        3, "no compounds are known in the languages of the model: en",
    )  # fmt: skip
    assert parse_model(f"language: [en, de]\n{said}").elements[0].compounds


def test_models_know_the_languages_with_compounds() -> None:
    listed = languages_with("orthography")
    codes = {code for code in listed if load_orthography(code).compounds}
    assert {base_code(code) for code in COMPOUND_LANGUAGES} == codes
