"""Separable verbs are found with their prefix apart: "schalte das Licht aus" for ausschalten."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.models.domain import Element
from anaphora.storage.cache import Cache
from tests.entities.helpers.model_builders import element, model, part

GERMAN = (
    element("on", "einschalten", "anmachen", "aufdrehen"),
    element("off", "ausschalten", "ausmachen"),
    element("call", "anrufen"),
    element("arrive", "ankommen"),
    element("start", "anfangen"),
    element("think", "überlegen"),
    element("order", "bestellen"),
    element("change", "umsteigen"),
    element("quieter", "runterdrehen"),
    element("cancel", "absagen"),
)
DUTCH = (
    element("on", "aanzetten", "inschakelen"),
    element("off", "uitzetten", "uitdoen"),
    element("call", "opbellen"),
    element("pay", "terugbetalen"),
    element("discuss", "overleggen"),
    element("bring", "meenemen"),
    element("ask", "navragen"),
    element("warm", "opwarmen"),
    element("read", "voorlezen"),
)


def found(text: str, elements: Iterable[Element], language: str = "de") -> list[str]:
    pipeline = Pipeline(model(*elements, languages=(language,)))
    best = find_variants(pipeline(text))[0]
    return [f"{entity} {entity.text!r}" for entity in best.entities]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Schalte bitte das Licht im Bad aus", ["off 'Schalte aus'"]),
        ("schalt das Licht aus.", ["off 'schalt aus'"]),
        ("Mach doch mal das Licht aus!", ["off 'Mach aus'"]),
        ("MACH DAS LICHT AUS", ["off 'MACH AUS'"]),
        ("Dreh die Heizung auf", ["on 'Dreh auf'"]),
        ("dreh die Musik runter", ["quieter 'dreh runter'"]),
        ("ruf Anna an", ["call 'ruf an'"]),
        ("Rufst du Anna an?", ["call 'Rufst an'"]),
        ("Ruf bitte Anna, Ben und Clara an", ["call 'Ruf an'"]),
        ("Ruf, wenn du gehst, Anna an", ["call 'Ruf an'"]),
        ("ruf Anna an bitte", ["call 'ruf an'"]),
        ("ruf mich an wenn du da bist", ["call 'ruf an'"]),
        ("Ruf mich heute an, und danach Ben.", ["call 'Ruf an'"]),
        ("Mach das Licht aus im Bad", ["off 'Mach aus'"]),
        ("Wann fängt der Film an?", ["start 'fängt an'"]),
        ("Sag den Termin am Montag ab", ["cancel 'Sag ab'"]),
        ("Wo steige ich um?", ["change 'steige um'"]),
        ("Schalte, wenn ich gehe, das Licht aus", ["off 'Schalte aus'"]),
    ],
)
def test_a_german_verb_is_found_with_its_prefix_at_the_end(text: str, expected: list[str]) -> None:
    assert found(text, GERMAN) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ich will das Licht ausschalten", ["off 'ausschalten'"]),
        ("Vergiss nicht, das Licht auszuschalten", ["off 'auszuschalten'"]),
        ("Ist das Licht ausgeschaltet?", ["off 'ausgeschaltet'"]),
        ("wenn du das Licht ausschaltest", ["off 'ausschaltest'"]),
        ("vergiss nicht, die Musik runterzudrehen", ["quieter 'runterzudrehen'"]),
        ("hast du die Musik runtergedreht", ["quieter 'runtergedreht'"]),
        ("wenn du die Musik runterdrehst", ["quieter 'runterdrehst'"]),
        ("kannst du das Licht aus machen", ["off 'aus machen'"]),
        ("vergiss nicht das Licht aus zu schalten", ["off 'aus zu schalten'"]),
        ("hast du das Licht aus gemacht", ["off 'aus gemacht'"]),
    ],
)
def test_a_german_verb_is_found_in_its_other_forms(text: str, expected: list[str]) -> None:
    assert found(text, GERMAN) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ruf an Weihnachten Oma an", ["call 'Ruf an'"]),
        ("Kommt der Zug an Gleis 3 an?", ["arrive 'Kommt an'"]),
        ("Ruf am Montag an der Ecke an", ["call 'Ruf an'"]),
        ("Ich steige um sieben um", ["change 'steige um'"]),
    ],
)
def test_the_last_prefix_of_a_clause_counts(text: str, expected: list[str]) -> None:
    assert found(text, GERMAN) == expected
    (entity,) = Pipeline(model(*GERMAN, languages=("de",)))(text).entities
    assert entity.end == len(text.rstrip("?"))


@pytest.mark.parametrize(
    "text",
    [
        "Kommt der Zug an Gleis 3?",
        "Ruf an Weihnachten Oma",
        "Dreh die Heizung auf 22 Grad",
        "Mach ein Foto",
        "Ruf Anna. Danach kommt der Zug an Gleis 3.",
        "Ruf Anna! An wen denkst du",
        "Das Licht ist aus, ruf Anna",
        "Bestell Pizza und lege sie auf den Tisch",
        "Ich lege das Brot über",
        "Er stellt das be",
        "aus Versehen schalte ich",
        "Schalte das Licht nicht aus",
        "Mach kein Licht aus",
        "Ruf mich nie wieder an",
        "Schalte das\nLicht aus",
    ],
)
def test_another_word_is_no_prefix(text: str) -> None:
    assert "off" not in "".join(found(text, GERMAN))
    assert [one for one in found(text, GERMAN) if not one.startswith("order")] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Schalte das Licht ein und die Heizung aus", ["on 'Schalte ein'", "off 'aus'"]),
        ("schalt die Heizung aus und das Licht ein", ["off 'schalt aus'", "on 'ein'"]),
        ("Mach das Licht an, die Heizung aus", ["on 'Mach an'", "off 'aus'"]),
        ("Mach das Licht an und schalte die Heizung aus", ["on 'Mach an'", "off 'schalte aus'"]),
        ("Ruf Anna an und mach das Licht aus", ["call 'Ruf an'", "off 'mach aus'"]),
        ("Mach das Licht an und ruf Anna an", ["on 'Mach an'", "call 'ruf an'"]),
        ("Ruf Anna an. Mach dann das Licht aus.", ["call 'Ruf an'", "off 'mach aus'"]),
        ("Mach das Licht aus und wieder an", ["off 'Mach aus'", "on 'an'"]),
        ("Mach das Licht an und die Heizung nicht aus", ["on 'Mach an'"]),
        ("Mach die Heizung aus und komm gut an", ["off 'Mach aus'", "arrive 'komm an'"]),
    ],
)
def test_each_clause_has_its_own_prefix(text: str, expected: list[str]) -> None:
    assert [one.lower() for one in found(text, GERMAN)] == [one.lower() for one in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Licht aus!", ["off 'aus'"]),
        ("und das Licht im Bad bitte aus", ["off 'aus'"]),
        ("Heizung an", ["on 'an'", "call 'an'"]),
        ("Lampe aus", ["off 'aus'"]),
        ("Ton aus", ["off 'aus'"]),
        ("Nein, Licht in der Küche aus", ["off 'aus'"]),
        ("Ruf mich an, das Licht ist aus", ["call 'Ruf an'"]),
        ("Wir machen Urlaub und das Licht ist an", []),
        ("Sag mir, ab wann ich kommen kann", []),
        ("ob das Licht an ist", []),
        ("auf und ab", []),
        ("Noch ein", []),
        ("Preise ab?", []),
        ("Licht an?", []),
        ("Das Licht ist aus", []),
        ("Ist das Licht aus?", []),
        ("Die Kosten fallen heute an", []),
        ("Was steht heute an?", []),
        ("Licht nicht aus", []),
        ("an Anna", []),
        ("Wo kommst du her, aus Berlin?", []),
        ("Der Zug fährt um acht Uhr ab", []),
    ],
)
def test_a_prefix_without_any_verb_is_a_command(text: str, expected: list[str]) -> None:
    pipeline = Pipeline(model(*GERMAN, languages=("de",)))
    entities = pipeline(text).entities
    assert {f"{one.element} {one.text!r}" for one in entities} >= set(expected)
    assert bool(entities) is bool(expected)


def test_a_dutch_prefix_without_any_verb_is_a_command() -> None:
    assert found("Lamp uit!", DUTCH, "nl") == ["off 'uit'"]
    assert found("Licht uit", DUTCH, "nl") == ["off 'uit'"]
    assert found("De lamp is uit", DUTCH, "nl") == []
    assert found("zet thee, het licht is uit", DUTCH, "nl") == []


def test_a_verb_with_a_prefix_that_is_none_stays_whole() -> None:
    assert found("ik stop", (element("stop", "stoppen"),), "nl") == ["stop 'stop'"]


def test_a_phrase_with_a_verb_is_found_with_its_other_words_between() -> None:
    said = (
        element("light_on", "Licht einschalten"), element("light_off", "Licht ausschalten"),
        element("heating_off", "Heizung ausschalten", "ausschalten Heizung"),
    )  # fmt: skip
    assert found("Schalte bitte das Licht im Bad aus", said) == ["light_off 'Schalte Licht aus'"]
    assert found("Das Licht schaltest du aus", said) == ["light_off 'Licht schaltest aus'"]
    assert found("Schalte das Licht ein und die Heizung aus", said) == [
        "light_on 'Schalte Licht ein'", "heating_off 'Heizung aus'",
    ]  # fmt: skip
    assert found("Schalte das Radio aus", said) == []
    assert found("Licht! Schalte das Radio aus", said) == []


def test_a_part_may_stand_between_verb_and_prefix() -> None:
    said = (
        element("device", values={"light": ["Licht"], "heating": ["Heizung"]}),
        element("off", (part("# == 'device'", "which"), "ausschalten")),
    )
    (off,) = [
        one
        for one in Pipeline(model(*said, languages=("de",)))("Schalte das Licht aus").entities
        if one.element == "off"
    ]
    assert [f"{one}" for one in off.parts] == ["device=light"]
    assert off.text == "Schalte Licht aus"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bel mama op", ["call 'bel op'"]),
        ("Bel je mama vanavond op?", ["call 'Bel op'"]),
        ("zet de lamp uit", ["off 'zet uit'"]),
        ("Zet de lamp op tafel uit.", ["off 'Zet uit'"]),
        ("Zet de lamp uit in de keuken", ["off 'Zet uit'"]),
        ("doe het licht uit", ["off 'doe uit'"]),
        ("Schakel het alarm in", ["on 'Schakel in'"]),
        ("vergeet niet de lamp uit te zetten", ["off 'uit te zetten'"]),
        ("ik wil dat je de lamp uit kunt zetten", ["off 'uit zetten'"]),
        ("kun je de lamp uit zetten", ["off 'uit zetten'"]),
        ("de lamp is uitgezet", ["off 'uitgezet'"]),
        ("Wanneer betaal je mij terug?", ["pay 'betaal terug'"]),
        ("neem je paraplu mee naar huis", ["bring 'neem mee'"]),
        ("zet de lamp aan en de verwarming uit", ["on 'zet aan'", "off 'uit'"]),
        ("vraag het bij de baas na", ["ask 'vraag na'"]),
        ("warm de soep op", ["warm 'warm op'"]),
        ("Wanneer leest hij het voor?", ["read 'leest voor'"]),
        ("zet de lamp op rood", []),
        ("zet de lamp in de keuken", []),
        ("ik leg het over", []),
        ("zet de lamp niet uit", []),
    ],
)
def test_a_dutch_verb_is_found_with_its_prefix_separated(text: str, expected: list[str]) -> None:
    assert found(text, DUTCH, "nl") == expected


def test_a_misspelt_verb_is_found_if_typos_are_allowed() -> None:
    said = (element("off", "ausschalten", typos=1), element("call", "anrufen"))
    assert found("schlate das licht aus", said) == ["off 'schlate aus'"]
    assert found("rfue Anna an", said) == ["call 'an'"]  # by its prefix alone


def test_a_separated_verb_is_inexact_and_may_be_a_reset_phrase() -> None:
    pipeline = Pipeline(model(*GERMAN, languages=("de",), reset=["abbrechen"]))
    (entity,) = pipeline("Schalte das Licht aus").entities
    assert (entity.exact, entity.gaps, entity.tokens) == (False, 2, (0, 3))
    (reset,) = pipeline("brich das ab").resets
    assert reset == (0, 1, 2)


def test_other_languages_have_no_separable_verbs() -> None:
    assert found("schalte das Licht aus", [element("off", "ausschalten")], "en") == []


def test_the_index_cache_stores_separable_verbs(tmp_path: Path) -> None:
    said = model(element("off", "ausschalten", "Licht ausmachen"), languages=("de",))
    for _ in range(2):
        pipeline = Pipeline(said, cache=Cache(tmp_path))
        assert [one.text for one in pipeline("schalte es aus, mach Licht aus").entities] == [
            "schalte aus", "mach Licht aus",
        ]  # fmt: skip
