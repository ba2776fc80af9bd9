"""What a collection tells without saying it: words for domains, units, combinations of slots."""

from __future__ import annotations

from anaphora.models.hassil.analysis.combinations import find_combinations
from anaphora.models.hassil.analysis.domain_words import find_domain_words
from anaphora.models.hassil.analysis.units import find_units
from anaphora.models.hassil.analysis.vocabulary import find_first_words
from anaphora.models.hassil.elements import build_elements
from anaphora.models.hassil.summary import summarize
from tests.entities.sentences.sentence_files import HOME, build

COLLECTION = build("""
intents:
  TurnOn:
    data:
      - sentences: ["<turn> on [the] (light|lamp)[s] in {area}", "<turn> {area} lights on"]
        slots: {domain: light}
      - sentences: ["<turn> on [the] fan[s] in {area}"]
        slots: {domain: fan}
      - sentences: ["<turn> on {name} [in {area}]"]
  TurnOff:
    data:
      - sentences: ["<turn> off [the] (light|lamp)[s] in {area}"]
        slots: {domain: light}
      - sentences: ["<turn> off [the] fan[s] in {area}"]
        slots: {domain: fan}
  Set:
    data:
      - sentences: ["set {area} to {level:brightness}[([ ]%)| percent]"]
        slots: {domain: light}
        requires_context: {floor: {slot: true}}
      - sentences: ["wait {minutes} minute[s]"]
lists:
  level: {range: {from: 0, to: 100}}
  minutes: {range: {from: 1, to: 60}}
expansion_rules: {turn: (turn|switch)}
""")


def test_the_words_for_a_domain_are_learned() -> None:
    words = find_domain_words(COLLECTION)
    assert words == {"light": ("lights",), "fan": ("fan", "fans")}


def test_the_units_of_numbers_are_learned() -> None:
    assert find_units(COLLECTION) == {
        "brightness": {"%", "percent"},
        "minutes": {"minute", "minutes"},
    }


def test_the_combinations_of_slots() -> None:
    found = [
        (one.intent, sorted(one.required), sorted(one.optional), dict(one.fixed))
        for one in find_combinations(COLLECTION)
    ]
    assert found == [
        ("TurnOn", ["area"], [], {"domain": "light"}),
        ("TurnOn", ["area"], [], {"domain": "fan"}),
        ("TurnOn", ["name"], ["area"], {}),
        ("TurnOff", ["area"], [], {"domain": "light"}),
        ("TurnOff", ["area"], [], {"domain": "fan"}),
        ("Set", ["area", "brightness", "floor"], [], {"domain": "light"}),
        ("Set", ["minutes"], [], {}),
    ]


def test_slots_are_elements_with_groups() -> None:
    written = build_elements(COLLECTION, summarize(COLLECTION), HOME.to_lists())
    elements = {one["id"]: one for one in written}
    groups = {id: one["groups"] for id, one in elements.items()}
    assert groups == {
        "intent": ["intent"],
        "area": ["place"],
        "domain": ["target"],
        "name": ["target"],
        "brightness": ["value"],
        "floor": ["place"],
        "minutes": ["value"],
    }
    assert elements["area"]["values"]["Living Room"] == ["living room", "lounge"]


def test_the_words_that_sentences_begin_with_are_learned() -> None:
    collection = build("""
intents:
  Ask: {data: [{sentences: ["[please] (is|are) {name} on", "<what> is {name}"]}]}
  Set: {data: [{sentences: ["(now; set) {name}", "{name} on"]}]}
expansion_rules: {what: "what[ever]"}
""")
    assert find_first_words(collection) == {
        "Ask": {"please", "is", "are", "what"},
        "Set": {"now", "set"},
    }
