"""The comparison with peers: every utterance has one right answer, and all get the same work."""

from __future__ import annotations

import gc
import re
from collections import Counter, defaultdict
from dataclasses import replace

import pytest
from hassil.parse_expression import parse_sentence
from hassil.recognize import is_match

from benchmarks.peers import dates, tagging
from benchmarks.peers.compare import compare, score
from benchmarks.peers.engines.adapt_home import AdaptHome
from benchmarks.peers.engines.anaphora_home import AnaphoraHome
from benchmarks.peers.engines.answers import NO_ANSWER, Answer
from benchmarks.peers.engines.hassil_home import HassilHome, document
from benchmarks.peers.interleaving import gc_frozen, rotate
from benchmarks.peers.smart_home.english import gerund, past, plural
from benchmarks.peers.smart_home.longest_reading import LongestReading
from benchmarks.peers.smart_home.utterances import SHARES, Utterance, utterances
from benchmarks.peers.smart_home.work import Verb, clashes, smart_home
from benchmarks.peers.taggers import TAGGERS, Abilities, abilities

WORK = smart_home()
SAID = utterances(WORK, 2_000)


@pytest.fixture(scope="module", params=[AnaphoraHome, AdaptHome, HassilHome])
def home(request):
    """Each of the engines."""
    return request.param(WORK)


def test_the_work_has_the_documented_size():
    assert (len(WORK.names), len(WORK.areas), len(WORK.intents)) == (200, 30, 40)
    assert all(1 <= len(name.others) <= 3 for name in WORK.names)
    assert all(area.others for area in WORK.areas)
    assert all(
        len(intent.verbs) + len(intent.topics) + len(intent.states) > 1
        for intent in WORK.intents
        if intent.id != "unmute"
    )


def test_some_names_hold_another_name_or_an_area():
    areas = tuple(area.value for area in WORK.areas)
    assert sum(name.value.startswith(areas) for name in WORK.names) > 50
    values = {name.value for name in WORK.names}
    assert {"lamp", "corner lamp"} <= values


def test_equal_seeds_give_equal_work():
    assert smart_home() == WORK
    assert utterances(WORK, 2_000) == SAID
    assert utterances(WORK, 100) == SAID[:100]
    assert utterances(WORK, 100, seed=2) != SAID[:100]
    assert smart_home(2).names != WORK.names


def test_the_vocabulary_is_unambiguous():
    assert clashes(WORK) == []


def test_an_ambiguous_phrase_is_reported():
    lamp, other = WORK.names[0], WORK.names[1]
    twice = replace(WORK, names=(lamp, replace(other, others=(lamp.value,))))
    assert any(clash.startswith(f"'{lamp.value}'") for clash in clashes(twice))


def test_an_ambiguous_verb_is_reported():
    first, second = WORK.intents[:2]
    same = replace(WORK, intents=(first, replace(second, verbs=(Verb("turn", "on"),))))
    assert clashes(same) == ["'turn on' of two intents"]


def test_no_text_has_two_answers():
    meant = defaultdict(set)
    for one in utterances(WORK, 10_000, seed=5):
        plain = " ".join(re.findall(r"[\w']+", one.text.lower()))
        meant[plain].add((one.intent, *sorted(one.slots.items())))
    assert [text for text, answers in meant.items() if len(answers) > 1] == []


def test_the_longest_names_in_a_text_are_those_of_its_answer():
    reader = LongestReading(WORK)
    assert all(reader.slots(one.text) == one.slots for one in SAID if one.intent)


def test_two_names_for_one_slot_have_no_answer():
    reader = LongestReading(WORK)
    assert reader.slots("turn on the corner lamp") == {"name": "corner lamp"}
    assert reader.slots("turn on the corner lamp and the fan") is None


def test_the_kinds_of_sentences_have_the_documented_shares():
    counted = Counter(one.kind for one in SAID)
    for kind, share in SHARES.items():
        assert 0.75 * share < counted[kind] / len(SAID) < 1.25 * share, kind


def test_every_intent_is_asked_for_and_some_utterances_for_none():
    counted = Counter(one.intent for one in SAID)
    assert counted.keys() == {None, *(intent.id for intent in WORK.intents)}
    assert min(counted.values()) >= 20
    assert all(one.slots == {} for one in SAID if one.intent is None)


def test_some_utterances_omit_the_name_or_the_area():
    named = Counter(tuple(sorted({"name", "area"} & one.slots.keys())) for one in SAID)
    assert min(named["name",], named["area",], named["area", "name"]) > 100


def test_most_texts_are_not_literal_sentences_of_hassils_file():
    """The templates have no fillers and polite phrases; those are skip words."""
    file = document(WORK)
    literal = {
        text
        for intent in file["intents"].values()
        for sentence in intent["data"][0]["sentences"]
        for text in re.findall(r"[a-z']+", re.sub(r"[<{].*?[>}]", " ", sentence))
    }
    literal |= set(re.findall(r"[a-z']+", " ".join(file["expansion_rules"].values())))
    values = {
        word
        for listed in file["lists"].values()
        for value in listed["values"]
        for word in value["in"].split()
    }
    known = literal | values
    strange = [
        one
        for one in SAID
        if one.intent and not known.issuperset(re.findall(r"[a-z']+", one.text.lower()))
    ]
    assert len(strange) > 0.2 * len(SAID)


def test_sentence_shapes_differ_from_hassils_templates():
    templates = {
        sentence
        for intent in document(WORK)["intents"].values()
        for sentence in intent["data"][0]["sentences"]
    }
    assert templates.isdisjoint(one.shape for one in SAID)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("turn on the corner lamp", Answer("turn_on", {"name": "corner lamp"})),
        ("turn the fan in the kitchen off", Answer("turn_off", {"name": "fan", "area": "kitchen"})),
        ("Set the fan to silent.", Answer("set_mode", {"name": "fan", "mode": "silent"})),
        ("play jazz in the lounge", Answer("play", {"area": "living room", "genre": "jazz"})),
        ("is the gate locked?", Answer("is_locked", {"name": "gate"})),
        ("what is the temperature in the attic", Answer("get_temperature", {"area": "attic"})),
        ("In the kitchen, dim the lamps", Answer("dim", {"name": "lamp", "area": "kitchen"})),
        ("DIM THE LIGHT", Answer("dim", {"name": "lamp"})),
        ("what a lovely evening", NO_ANSWER),
        ("colourless green ideas sleep furiously", NO_ANSWER),
        ("", NO_ANSWER),
    ],
)
def test_every_engine_answers_plain_sentences_only(home, text, expected):
    assert home(text) == expected


def test_every_engine_understands_most_utterances(home):
    said = SAID[:300]
    assert score(said, [home(one.text) for one in said]).both > 0.9


def test_separate_conversations_share_no_memory():
    home = AnaphoraHome(WORK)
    assert home("turn on the corner lamp").intent == "turn_on"
    assert home("and the fan") == NO_ANSWER


def test_one_conversation_shares_its_memory():
    home = AnaphoraHome(WORK, user="one")
    assert home("turn on the corner lamp").intent == "turn_on"
    assert home("and the fan") == Answer("turn_on", {"name": "fan"})


def test_hassil_can_parse_every_template():
    for intent in document(WORK)["intents"].values():
        for sentence in intent["data"][0]["sentences"]:
            assert parse_sentence(sentence).expression
    assert is_match("lamp on", parse_sentence("lamp on"))


def test_the_score_counts_intents_slots_and_both():
    said = [
        Utterance("a", "on", {"name": "lamp"}, "plain", ""),
        Utterance("b", "on", {"name": "lamp"}, "plain", ""),
        Utterance("c", "on", {"name": "lamp"}, "plain", ""),
        Utterance("d", None, {}, "none", ""),
    ]
    answers = [
        Answer("on", {"name": "lamp"}),
        Answer("on", {"name": "lamp", "area": "kitchen"}),  # too much is wrong as well
        Answer("off", {"name": "lamp"}),
        NO_ANSWER,
    ]
    counted = score(said, answers)
    assert (counted.count, counted.intents, counted.slots, counted.both) == (4, 0.75, 0.75, 0.5)


def test_a_score_of_nothing_is_nothing():
    assert score([], []).count == 0


def test_a_comparison_has_a_row_for_each_engine():
    rows = compare(30, rounds=1)
    assert {"anaphora", "adapt", "hassil"} <= {row.engine for row in rows}
    for row in rows:
        assert 0 < row.median <= row.p99
        assert row.per_second > 0
        assert row.build > 0
        if row.score is not None:
            assert row.score.count == 30
            assert len(row.wrong) == round((1 - row.score.both) * 30)
            assert sum(kind.count for kind in row.by_kind.values()) == 30
    assert next(row.ratio for row in rows if row.engine == "anaphora") == 1


def test_no_utterance_is_asked_twice():
    assert len({one.text.lower() for one in SAID}) == len(SAID)
    (row,) = compare(10, rounds=2, engines=["adapt"])
    assert row.score
    assert row.score.count == 20


def test_every_engine_starts_one_round():
    assert [rotate("abc", number)[0] for number in range(3)] == ["a", "b", "c"]
    assert all(sorted(rotate("abc", number)) == ["a", "b", "c"] for number in range(7))


def test_objects_of_other_engines_are_frozen_during_a_measurement():
    held = [[]]
    gc.unfreeze()
    with gc_frozen():
        assert not any(one is held for one in gc.get_objects())
    assert any(one is held for one in gc.get_objects())
    gc.freeze()  # the collected tests again
    with gc_frozen():
        pass
    assert not any(one is held for one in gc.get_objects())


def test_the_score_elsewhere_uses_other_names_and_utterances():
    (row,) = compare(30, rounds=1, engines=["adapt"])
    assert row.elsewhere
    assert row.elsewhere.count == 30


@pytest.mark.parametrize(
    ("tagger", "expected"),
    [
        ("anaphora", Abilities(True, True, True, True, True)),
        ("PhraseMatcher (one key)", Abilities(False, True, False, True, True)),
        ("EntityRuler", Abilities(True, True, False, False, True)),
        ("FlashText", Abilities(True, True, False, False, True)),
        ("pyahocorasick", Abilities(True, True, False, True, False)),
    ],
)
def test_abilities_of_taggers_are_found_by_experiment(tagger, expected):
    assert abilities(tagger) == expected


@pytest.mark.parametrize("tagger", TAGGERS)
def test_a_tagger_finds_the_same_in_given_tokens(tagger):
    built = TAGGERS[tagger](["kitchen lamp", "lamp shade"])
    text = "a kitchen lamp and a lamp shade"
    assert built.find(text) == ["kitchen lamp", "lamp shade"]
    assert (built.tokenize is None) == (built.find_in is None)
    if built.tokenize:
        assert built.find_in(built.tokenize(text)) == ["kitchen lamp", "lamp shade"]


def test_every_tagger_finds_exactly_the_names():
    rows = tagging.tagging((50,), count=20, rounds=1)
    assert {row.tagger: row.right for row in rows} == dict.fromkeys(TAGGERS, 1.0)
    assert all(0 < row.median <= row.p99 for row in rows)
    assert [row.skipped for row in rows if row.skipped] == []


def test_a_slow_tagger_is_not_tried_with_more_names(monkeypatch):
    monkeypatch.setattr(tagging, "_TOO_SLOW", 0.0)
    first, second = tagging.tagging((10, 20), count=5, rounds=1, taggers=["FlashText"])
    assert (first.synonyms, first.skipped, first.right) == (10, "", 1.0)
    assert (second.synonyms, second.median) == (20, 0.0)
    assert "with 10 names" in second.skipped


def test_texts_for_taggers_are_distinct_and_have_eight_or_nine_words():
    known = ["bafo deka", "guno pari", "zite molu"]
    texts = tagging.texts(known, 200)
    assert len({one.text for one in texts}) == 200
    assert {len(one.text.split()) for one in texts} == {8, 9}
    assert {len(one.found) for one in texts} == {0, 1, 2}
    assert tagging.texts(known, 200) == texts


def test_date_utterances_are_distinct_and_some_have_no_date():
    for language in dates.LANGUAGES:
        said = dates.utterances(language)
        assert len({one.text for one in said}) == len(said) > 1_000
        assert 0 < sum(one.day is None for one in said) < len(said) / 4


@pytest.mark.parametrize("language", dates.LANGUAGES)
def test_both_date_parsers_find_nearly_all_dates(language):
    rows = dates.dates(rounds=1, languages=[language], count=60)
    assert {row.finder for row in rows} >= {"anaphora", "dateparser.search"}
    assert all(row.right > 0.9 and 0 < row.median <= row.p99 for row in rows)


@pytest.mark.parametrize(
    ("bent", "expected"),
    [
        (plural("kitchen lamp"), "kitchen lamps"),
        (plural("light switch"), "light switches"),
        (plural("blinds"), "blinds"),
        (plural("telly"), "tellies"),
        (gerund("dim"), "dimming"),
        (gerund("close"), "closing"),
        (past("send"), "sent"),
        (past("stop"), "stopped"),
        (past("mute"), "muted"),
        (past("turn"), "turned"),
    ],
)
def test_english_inflection(bent, expected):
    assert bent == expected
