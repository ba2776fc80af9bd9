"""What users say to imported bots in other words than those of the examples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from typer.testing import CliRunner

from anaphora import Engine
from anaphora.cli import app

Import = Callable[[str], tuple[Engine, str]]

FLIGHTS = """
intents: [greet, bye, thank, affirm, deny, book_flight, inform, status, complain, bot, weather]
slots:
  destination: {type: text, mappings: [{type: from_entity, entity: city}]}
  day: {type: any, mappings: [{type: from_entity, entity: time}]}
  meal: {type: bool, mappings: [
    {type: from_intent, intent: affirm, value: true, conditions: [{requested_slot: meal}]},
    {type: from_intent, intent: deny, value: false, conditions: [{requested_slot: meal}]}]}
  name: {type: text, mappings: [{type: from_text}]}
entities: [city, time, number]
forms:
  flight_form: {ignored_intents: [greet], required_slots: [destination, day, meal, name]}
responses:
  utter_greet: [{text: Hello!}]
  utter_bye: [{text: Bye.}]
  utter_thank: [{text: You are welcome.}]
  utter_ask_destination: [{text: Where to?}]
  utter_ask_day: [{text: When?}]
  utter_ask_meal: [{text: A meal?}]
  utter_booked: [{text: "To {destination}, {meal}. Thanks {name}."}]
  utter_status: [{text: All is well.}]
  utter_sorry: [{text: I am sorry.}]
  utter_bot: [{text: I am a bot.}]
  utter_weather: [{text: Ask the weather bot.}]
  utter_ask_rephrase: [{text: Please say that again.}]
session_config: {session_expiration_time: 20, carry_over_slots_to_new_session: true}
nlu:
  - {intent: greet, examples: [hi, hello, moin]}
  - {intent: bye, examples: [bye, see you later]}
  - {intent: thank, examples: [thanks, thank you so much]}
  - {intent: affirm, examples: ["yes", sure]}
  - {intent: deny, examples: ["no", not really]}
  - intent: book_flight
    examples: |
      - I want to book a flight
      - I need to fly to [Paris](city) on [Friday](time)
      - get me a ticket to [Oslo](city) for [2](number) people
  - {intent: inform, examples: ["to [Rome](city)", "[tomorrow](time)"]}
  - {intent: status, examples: [what is the status of my booking]}
  - {intent: complain, examples: [I want to complain, my luggage was lost, "terrible service!"]}
  - {intent: bot, examples: ["are you a human?", am I talking to a bot]}
  - {intent: weather, examples: ["what's the weather"]}
rules:
  - {rule: a, steps: [{intent: greet}, {action: utter_greet}]}
  - {rule: b, steps: [{intent: bye}, {action: utter_bye}]}
  - {rule: c, steps: [{intent: thank}, {action: utter_thank}]}
  - {rule: d, steps: [{intent: book_flight}, {action: flight_form}, {active_loop: flight_form}]}
  - rule: e
    condition: [{active_loop: flight_form}]
    steps: [{action: flight_form}, {active_loop: null}, {action: utter_booked}]
  - {rule: f, steps: [{intent: status}, {action: utter_status}]}
  - {rule: g, steps: [{intent: complain}, {action: utter_sorry}]}
  - {rule: h, steps: [{intent: bot}, {action: utter_bot}]}
  - {rule: i, steps: [{intent: weather}, {action: utter_weather}]}
stories:
  - story: stop
    steps:
      - intent: book_flight
      - action: flight_form
      - active_loop: flight_form
      - intent: deny
      - action: utter_bye
"""

MOOD = """
intents: [greet, affirm, deny, glad, unhappy]
responses:
  utter_greet: [{text: How are you?}]
  utter_happy: [{text: Carry on!}]
  utter_cheer_up: [{text: Did that help?}]
  utter_bye: [{text: Bye}]
nlu:
  - {intent: greet, examples: [hey, good morning, hey dude]}
  - {intent: affirm, examples: ["yes", indeed]}
  - {intent: deny, examples: ["no", never]}
  - {intent: glad, examples: [great, amazing, I am feeling very good]}
  - {intent: unhappy, examples: [my day was horrible, I am sad, not good]}
stories:
  - story: glad
    steps: [{intent: greet}, {action: utter_greet}, {intent: glad}, {action: utter_happy}]
  - story: sad
    steps: [{intent: unhappy}, {action: utter_cheer_up}, {intent: deny}, {action: utter_bye}]
"""


@pytest.fixture
def import_project(tmp_path: Path) -> Import:
    """Imports a project that stands in one file: its engine, and the report."""

    def run(project: str) -> tuple[Engine, str]:
        (tmp_path / "domain.yml").write_text(dedent(project), encoding="utf-8")
        file = tmp_path / "bot.yaml"
        result = CliRunner().invoke(app, ["import", "rasa", str(tmp_path), "-o", str(file)])
        assert result.exit_code == 0, result.output
        return Engine(file), result.stderr

    return run


@pytest.mark.parametrize(
    "dialog",
    [
        # Small talk beside a request, and in the middle of it.
        "hi, I want to book a flight to Rome -> When?",
        "book a flight to Rome, thanks -> When?",
        "hello, hi -> Hello!",
        "book a flight -> Where to? -> thank you -> You are welcome. Where to? -> Rome -> When?",
        "thanks a lot -> You are welcome.",
        # A yes that answers nothing.
        "okay, book a flight to Rome -> When? -> tomorrow, please -> A meal?",
        "I'd like to book a flight -> Where to? -> yes, to Rome -> When? -> Friday -> A meal?",
        # Other words between those that matter.
        "I need to fly to Paris -> When?",
        "book me the flight to Rome please -> When?",
        "get us a ticket to Oslo -> When?",
        "we would like to fly to Oslo tomorrow -> A meal?",
        "are you human -> I am a bot.",
        "what is the weather -> Ask the weather bot.",
        "status of the booking -> All is well.",
        "my luggage is lost -> I am sorry.",
        "what terrible service -> I am sorry.",
        # What the bot does not know.
        "sing a song -> Please say that again.",
        "are you hungry -> Please say that again.",
    ],
)
def test_users_of_the_flights_are_understood(dialog, import_project):
    engine, _ = import_project(FLIGHTS)
    said = dialog.split(" -> ")
    assert [engine.ask(text).text for text in said[::2]] == said[1::2]


def test_a_slot_that_is_left_out_leaves_no_gap_in_a_text(import_project):
    engine, _ = import_project(FLIGHTS)
    for text in ("book a flight to Rome", "tomorrow"):
        engine.ask(text)
    assert engine.ask("no, thanks").text == "To Rome, false. Thanks."
    assert engine.ask("no").status == "rejected"  # nothing was asked


def test_no_thanks_drops_a_form(import_project):
    engine, _ = import_project(FLIGHTS)
    engine.ask("book a flight")
    engine.ask("no thanks")
    assert engine.ask("to Rome").text == "Please say that again."


def test_the_report_tells_what_is_lost(import_project):
    _, report = import_project(FLIGHTS)
    for note in (
        "slot name: filled by from_text, the whole text of the user, which no element takes",
        "slot meal: a yes or no (entity boolean), as the answer to its question",
        "slot meal: its conditions are left out",
        "form flight_form: ignored_intents greet: any intent may interrupt a form",
        "carry_over_slots_to_new_session: a conversation that is over is forgotten",
        "utter_booked: nothing fills name: it is left out",
        "story stop: deny within flight_form: a yes or a no within a form answers its question",
    ):
        assert note in report
    assert "no response says that nothing fits" not in report


@pytest.mark.parametrize(
    "dialog",
    [
        "hey, I'm great -> Carry on!",
        "good morning -> How are you? -> feeling good -> Carry on!",
        "I'm not great -> Sorry, I did not understand that.",
        "I am not sad -> Sorry, I did not understand that.",
        "I'm not very good -> Did that help? -> no -> Bye",
        "no -> Sorry, I did not understand that.",
        "I'm really sad today -> Did that help?",
    ],
)
def test_moods_can_be_denied_and_no_reason_of_the_engine_is_said(dialog, import_project):
    engine, report = import_project(MOOD)
    said = dialog.split(" -> ")
    assert [engine.ask(text).text for text in said[::2]] == said[1::2]
    assert "no response says that nothing fits: 'Sorry, I did not understand that.'" in report


def test_a_shorter_form_that_could_stand_for_another_intent_is_not_taken(import_project):
    engine, _ = import_project("""
    intents: ["on", "off", login]
    entities: [device]
    responses: {utter_on: [{text: "On."}], utter_off: [{text: "Off."}], utter_in: [{text: "In."}]}
    nlu:
      - {intent: "on", examples: ["turn on the [lamp](device)", "turn the [lamp](device) on"]}
      - {intent: "off", examples: ["turn off the [lamp](device)", "turn the [lamp](device) off"]}
      - {intent: login, examples: [log in]}
    rules:
      - {rule: a, steps: [{intent: "on"}, {action: utter_on}]}
      - {rule: b, steps: [{intent: "off"}, {action: utter_off}]}
      - {rule: c, steps: [{intent: login}, {action: utter_in}]}
    """)
    assert engine.ask("turn the lamp off").text == "Off."
    assert engine.ask("please turn on my lamp").text == "On."
    engine.forget()
    assert engine.ask("turn the lamp").status == "rejected"
    assert engine.ask("I'd like to log in").text == "In."
    assert engine.ask("the log").status == "rejected"


def test_each_yes_answers_its_own_question(import_project):
    engine, _ = import_project("""
    intents: [order, affirm, deny]
    slots:
      cheese: {type: bool, mappings: [{type: from_intent, intent: affirm, value: true}]}
      olives: {type: bool, mappings: [{type: from_intent, intent: affirm, value: true}]}
    forms: {pizza_form: {required_slots: [cheese, olives]}}
    responses:
      utter_ask_cheese: [{text: Cheese?}]
      utter_ask_olives: [{text: Olives?}]
      utter_done: [{text: "cheese {cheese}, olives {olives}"}]
    nlu:
      - {intent: order, examples: [I want to order a pizza]}
      - {intent: affirm, examples: ["yes"]}
      - {intent: deny, examples: ["no"]}
    rules:
      - {rule: a, steps: [{intent: order}, {action: pizza_form}, {active_loop: pizza_form}]}
      - rule: b
        condition: [{active_loop: pizza_form}]
        steps: [{action: pizza_form}, {active_loop: null}, {action: utter_done}]
    """)
    for answers, text in (
        (["yes", "no, thanks"], "cheese true, olives false"),
        (["no", "sure"], "cheese false, olives true"),
    ):
        assert engine.ask("okay, order a pizza please").text == "Cheese?"
        assert engine.ask(answers[0]).text == "Olives?"
        assert engine.ask(answers[1]).text == text
        engine.forget()


def test_other_languages_have_their_own_words(import_project):
    engine, _ = import_project("""
    language: de
    intents: [gruss, bestellen]
    entities: [essen]
    responses: {utter_gruss: [{text: Hallo!}], utter_gut: [{text: "{essen} kommt."}]}
    nlu:
      - {intent: gruss, examples: [hallo, guten Tag]}
      - {intent: bestellen, examples: ["ich möchte gern eine [Pizza](essen) bestellen"]}
    rules:
      - {rule: a, steps: [{intent: gruss}, {action: utter_gruss}]}
      - {rule: b, steps: [{intent: bestellen}, {action: utter_gut}]}
    """)
    assert engine.ask("Hallo, wir wollen eine Pizza bestellen").text == "Pizza kommt."
    assert engine.ask("Guten Morgen").text == "Hallo!"
    assert engine.ask("Unsinn").text == "Das habe ich leider nicht verstanden."
