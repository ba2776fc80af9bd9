"""A sentence that corrects the last question (rule 16)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora import Engine, parse_model
from tests.conftest import Clock
from tests.support.dialog_models import WEATHER
from tests.support.dialogs import check_dialog, describe_turn

TOMORROW, FRIDAY = "2026-01-06", "2026-01-09"


@pytest.mark.parametrize(
    ("question", "correction", "city", "day"),
    [
        ("weather in Oslo tomorrow", "no, Turku", "Turku", TOMORROW),
        ("weather in Oslo tomorrow", "I meant Riga", "Riga", TOMORROW),
        ("weather in Oslo tomorrow", "not Oslo but Riga", "Riga", TOMORROW),
        ("weather in Oslo tomorrow", "sorry, in Turku", "Turku", TOMORROW),
        ("weather in Oslo tomorrow", "instead of tomorrow, on Friday", "Oslo", FRIDAY),
        ("weather in Oslo tomorrow", "make it Friday", "Oslo", FRIDAY),
        ("погода в Осло завтра", "нет, в Турку", "Turku", TOMORROW),
        ("погода в Осло завтра", "я имел в виду Ригу", "Riga", TOMORROW),
        ("погода в Осло завтра", "не в Осло, а в Риге", "Riga", TOMORROW),
        ("погода в Осло завтра", "вместо завтра в пятницу", "Oslo", FRIDAY),
        ("das Wetter in Oslo morgen", "nein, Turku", "Turku", TOMORROW),
        ("das Wetter in Oslo morgen", "ich meinte Riga", "Riga", TOMORROW),
        ("das Wetter in Oslo morgen", "nicht Oslo, sondern Riga", "Riga", TOMORROW),
        ("das Wetter in Oslo morgen", "statt morgen am Freitag", "Oslo", FRIDAY),
        ("das Wetter in Oslo morgen", "nicht morgen, Freitag", "Oslo", FRIDAY),
        ("el tiempo en Oslo mañana", "no, Turku", "Turku", TOMORROW),
        ("el tiempo en Oslo mañana", "quería decir Riga", "Riga", TOMORROW),
        ("el tiempo en Oslo mañana", "no Oslo sino Riga", "Riga", TOMORROW),
    ],
)
def test_the_last_question_is_asked_again_with_the_new_value(bot, question, correction, city, day):
    engine = bot(WEATHER)
    describe_turn(engine, question)
    turn = describe_turn(engine, correction)
    assert turn[""] == f"weather city={city} day={day}"
    assert turn["remembers"] == f"weather, city={city}, date={day}"
    assert "a correction: the last question is asked again" in turn["notes"]


TIMER = """
    id: timer
    dialog_acts: true
    entities: [date, duration]
    elements:
      - {id: ring, synonyms: [ring]}
    intents:
      - "intent=ring term(act)={# == 'ring'} term(time)={# == 'date' || # == 'duration'}[1,9]"
    """


@pytest.mark.parametrize(
    ("question", "correction", "time"),
    [
        ("ring tomorrow at 7 pm", "no, 2 hours", "PT2H"),
        ("ring for 2 hours", "no, tomorrow", TOMORROW),
        ("ring tomorrow at 7 pm", "actually make it 8", "2026-01-06T20:00"),
        ("ring tomorrow at 7", "no, 9", "2026-01-06T09:00"),
    ],
)
def test_a_value_of_another_kind_replaces_what_is_in_its_slot(bot, question, correction, time):
    engine = bot(TIMER)
    engine.ask(question)
    (match,) = engine.ask(correction).slots["time"].entities
    assert match.value == time


def test_the_handler_learns_that_it_is_corrected(bot):
    engine = bot(WEATHER)

    @engine.on("weather")
    def weather(city: str, *, correction: bool) -> str:
        return f"{'rather ' * correction}{city}"

    assert engine.ask("weather in Oslo").text == "Oslo"
    assert engine.ask("no, Riga").text == "rather Riga"
    assert engine.ask("and in Turku?").text == "Turku"


def test_a_value_that_is_taken_back_leaves_the_memory(bot):
    check_dialog(
        bot(WEATHER + "prompts: {weather: {city: Where?}}\n"),
        """
        > weather in Oslo tomorrow
        weather city=Oslo day=2026-01-06
        > not Oslo
        weather? day=2026-01-06, asks for city
        says: Where?
        > Riga
        weather city=Riga day=2026-01-06
        remembers: weather, city=Riga, date=2026-01-06
        """,
    )


def test_a_full_question_after_a_no_is_a_question_of_its_own(bot):
    check_dialog(
        bot(WEATHER),
        """
        > weather in Oslo tomorrow
        weather city=Oslo day=2026-01-06
        > no, the tides in Riga
        tide city=Riga
        remembers: tide, city=Riga
        """,
    )


def test_without_dialog_acts_a_correction_is_read_as_before(bot):
    check_dialog(
        bot(WEATHER.replace("dialog_acts: true", "dialog_acts: false")),
        """
        > weather in Oslo tomorrow
        weather city=Oslo day=2026-01-06
        > no, Turku
        weather city=Turku day=2026-01-06
        remembers: city=Turku, weather, date=2026-01-06
        """,
    )


MODEL = parse_model(WEATHER)
values = st.sampled_from(["Oslo", "Turku", "Riga"]), st.sampled_from(["tomorrow", "on Friday"])
corrections = st.sampled_from(["no, {}", "I meant {}", "sorry, {}", "no no, {}", "make it {}"])


@settings(max_examples=25)
@given(city=values[0], day=values[1], new=values[0] | values[1], correction=corrections)
def test_a_correction_equals_the_corrected_question(city, day, new, correction):
    said = Engine(MODEL, clock=Clock())
    corrected = Engine(MODEL, clock=Clock())
    new_city, new_day = (city, new) if " " in new or new == "tomorrow" else (new, day)
    expected = describe_turn(said, f"weather in {new_city} {new_day}")
    describe_turn(corrected, f"weather in {city} {day}")
    turn = describe_turn(corrected, correction.format(new))
    assert (turn[""], turn["says"]) == (expected[""], expected["says"])
    assert sorted(turn["remembers"].split(", ")) == sorted(expected["remembers"].split(", "))


def test_what_only_another_intent_takes_whole_corrects_nothing():
    """After "heating to 20", "make it 2 degrees warmer" is no new value."""
    engine = Engine(
        parse_model("""
        id: heating
        dialog_acts: true
        elements:
          - {id: heating, synonyms: [radiator]}
          - {id: level, recognizer: number, id_synonym: false}
          - {id: warmth, values: [warmer, colder], id_synonym: false}
        intents:
          - {id: set, slots: {heating: heating, level: level}, response: Set.}
          - id: change
            slots:
              warmth: {from_memory: false}
              by: {element: level, optional: true, from_memory: false}
            response: Changed.
        """)
    )
    said = ("heating to 20", "make it 2 warmer", "heating to 20", "no, 3 warmer")
    assert [engine.ask(one).intent for one in said] == ["set", "change", "set", "change"]
