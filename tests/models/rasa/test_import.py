"""Rasa projects become models that answer, with a report of what has no counterpart."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from typer.testing import CliRunner

from anaphora import Engine, ModelError, parse_model
from anaphora.cli import app
from anaphora.engine.samples.runner import run_dialog
from anaphora.models.rasa import read_project, translate_project
from anaphora.models.rasa.examples import ExampleError, parse_example

PROJECTS = Path(__file__).parent / "projects"
NLU = """
nlu:
  - intent: hello
    examples: |
      - hi
      - hello
"""
DOMAIN = """
intents: [hello]
responses:
  utter_hello: [{text: Hello!}]
"""


def imported(name: str, folder: Path) -> tuple[Engine, str]:
    """The engine of an imported project, and the report."""
    file = folder / f"{name}.yaml"
    arguments = ["import", "rasa", str(PROJECTS / name), "--output", str(file)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return Engine(file), result.stderr


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.yml").write_text(dedent(text), encoding="utf-8")
    return folder


def notes_of(folder: Path, kind: str) -> list[str]:
    return [
        note.text for note in translate_project(read_project(folder)).notes if note.kind == kind
    ]


class TestFlowers:
    def test_a_form_asks_for_its_slots_and_submits(self, tmp_path):
        engine, _ = imported("flowers", tmp_path)
        reply = engine.ask("I want to buy lilies")  # of the lookup table
        assert (reply.status, reply.text) == ("incomplete", "Where shall we send the lilies?")
        reply = engine.ask("to the big apple")  # a synonym
        assert (reply.status, reply.text) == ("matched", "Sending lilies to New York.")

    def test_entities_stand_between_the_words_of_an_example(self, tmp_path):
        engine, _ = imported("flowers", tmp_path)
        assert engine.ask("please send daisies to Boston").text == "Sending daisies to Boston."

    def test_rules_give_texts_and_follow_ups_work(self, tmp_path):
        engine, _ = imported("flowers", tmp_path)
        assert engine.ask("Good morning!").text == "Hello!"
        assert engine.ask("When are you open in Boston?").text == "We open at nine in Boston."
        assert engine.ask("nonsense").text == "I only sell flowers."

    def test_a_regex_of_an_entity_is_a_pattern(self, tmp_path):
        engine, _ = imported("flowers", tmp_path)
        assert engine.ask("send roses to JFK").slots["town"].value == "JFK"

    def test_the_report_names_files_lines_and_what_is_code(self, tmp_path):
        _, report = imported("flowers", tmp_path)
        assert "domain.yml:45  action_check_stock is code: answer with a handler" in report
        assert "data/nlu.yml:25  lookup flower: values of the element flower" in report
        assert "slot note: filled by from_text, the whole text of the user" in report
        assert "utter_goodbye: buttons" in report
        assert "utter_greet: the first of 2 texts" in report
        assert report.index("mapped:") < report.index("changed:") < report.index("ignored:")

    def test_the_session_is_the_timeout(self, tmp_path):
        engine, _ = imported("flowers", tmp_path)
        assert engine.model().conversation.timeout.total_seconds() == 1800


class TestBank:
    def test_the_language_and_built_in_entities_are_taken_over(self, tmp_path):
        engine, _ = imported("bank", tmp_path)
        assert engine.model().languages == ("de",)
        assert engine.ask("Ich möchte Geld überweisen").text == "An wen?"
        assert engine.ask("Bernd").text == "Wie viel?"
        reply = engine.ask("50 Euro")
        assert reply.status == "matched"
        assert reply.slots["betrag"].element == "money"

    def test_stories_without_branches_answer_and_branches_are_listed(self, tmp_path):
        engine, report = imported("bank", tmp_path)
        assert engine.ask("Wie ist mein Kontostand?").text == "Der Kontostand folgt."
        assert engine.ask("Karte sperren").text == "Die Karte ist gesperrt."
        assert "it answers karte_sperren with utter_anders, not utter_gesperrt" in report
        assert "story Verzweigt: or: a branch has no counterpart" in report
        assert "rule nur für Kunden: its condition on slots has no counterpart" in report

    def test_what_nothing_carries_is_listed(self, tmp_path):
        _, report = imported("bank", tmp_path)
        assert "the role 'absender' of empfaenger: after von" in report
        assert "regex kontonummer: a feature of no entity" in report
        known = "only the values of its examples are known; add others, or a recognizer"
        assert f"entity konto: {known}" not in report  # a regex finds others
        assert f"entity empfaenger: {known}" not in report  # it has a lookup table
        assert r"regex konto: DE\d{2} \d{4}: only patterns of single words" in report
        assert "the pipeline: words are compared by their forms" in report
        assert "intent nein has no examples" in report


class TestPizzeria:
    def test_a_bool_that_an_intent_sets_is_a_yes_or_no(self, tmp_path):
        engine, _ = imported("pizzeria", tmp_path)
        assert engine.ask("order a pizza").text == "How big?"
        assert engine.ask("jumbo").text == "Extra cheese?"
        assert engine.ask("yes").text == "A large pizza it is."

    def test_signs_of_the_synonym_language_are_texts(self, tmp_path):
        engine, _ = imported("pizzeria", tmp_path)
        reply = engine.ask("show me {everything}")
        assert (reply.intent, reply.text) == ("menu", "We have {everything} [really].")
        asked = engine.ask("a large one with C++ and olives")
        assert asked.slots["toppings"].value == ["c/c++ (special)", "olives"]

    def test_a_synonym_of_no_entity_is_reported(self, tmp_path):
        _, report = imported("pizzeria", tmp_path)
        assert "synonym unheard of: no entity has this value" in report
        assert "synonym large: a value with its synonyms" in report


RENTAL = """
intents: [rent, inform, affirm, deny, price]
slots:
  bike:
    type: categorical
    values: [city bike, road bike, tandem]
    mappings: [{type: from_entity, entity: bike}]
  town: {type: text, mappings: [{type: from_entity, entity: town}]}
forms:
  rent_form: {required_slots: [bike, town]}
responses:
  utter_ask_bike: [{text: "A city bike, a road bike or a tandem?"}]
  utter_ask_town: [{text: "In which town?"}]
  utter_rented: [{text: "A {bike} in {town}."}]
  utter_price: [{text: "20 euros a day."}]
nlu:
  - intent: rent
    examples: |
      - I want to rent a bike
  - intent: inform
    examples: |
      - a [road bike](bike) would be good
      - in [Bern](town)
      - my town is [Basel](town)
  - intent: affirm
    examples: |
      - aye
  - intent: deny
    examples: |
      - nope
  - intent: price
    examples: |
      - how much is it
stories:
  - story: all the way
    steps:
      - {intent: rent}
      - {action: rent_form}
      - {active_loop: rent_form}
      - {intent: inform}
      - {action: rent_form}
      - {active_loop: null}
      - {action: utter_rented}
  - story: price
    steps: [{intent: price}, {action: utter_price}]
"""


class TestAnswersWithinForms:
    def engine(self, folder: Path) -> Engine:
        project = write(folder, rental=RENTAL)
        result = CliRunner().invoke(
            app, ["import", "rasa", str(project), "-o", str(folder / "r.yaml")]
        )
        assert result.exit_code == 0, result.output
        return Engine(folder / "r.yaml")

    def test_a_no_with_another_value_stays_in_the_form(self, tmp_path):
        engine = self.engine(tmp_path)
        engine.ask("I want to rent a bike")
        engine.ask("a road bike")
        reply = engine.ask("nope, a tandem")
        assert (reply.intent, reply.text) == ("rent", "In which town?")
        assert engine.ask("my town is Basel").text == "A tandem in Basel."

    def test_an_option_is_chosen_by_its_place(self, tmp_path):
        engine = self.engine(tmp_path)
        engine.ask("I want to rent a bike")
        assert engine.ask("the first one").slots["bike"].value == "city bike"

    def test_what_only_answers_a_form_begins_none(self, tmp_path):
        engine = self.engine(tmp_path)
        assert engine.ask("a road bike would be good").status == "rejected"
        assert [intent.id for intent in engine.model().intents] == ["rent", "price"]

    def test_the_values_of_a_categorical_slot_are_known(self, tmp_path):
        engine = self.engine(tmp_path)
        engine.ask("I want to rent a bike")
        assert engine.ask("tandem").slots["bike"].value == "tandem"

    def test_the_report_says_what_became_of_them(self, tmp_path):
        notes = notes_of(write(tmp_path, rental=RENTAL), "mapped")
        assert "intent affirm: words of dialog_acts" in notes
        assert "intent inform: its examples complete a form" in notes


TRAVEL = """
intents: [greet, fly, faq, order, sad, affirm, deny]
entities: [city, number]
slots:
  name: {type: text, initial_value: friend, mappings: [{type: custom}]}
  seats: {type: float, mappings: [{type: from_entity, entity: number}]}
  outside: {type: bool, mappings: [
    {type: from_entity, entity: seating}, {type: from_intent, intent: affirm, value: true}]}
  departure: {type: text, mappings: [{type: from_entity, entity: city, role: departure}]}
  destination: {type: text, mappings: [{type: from_entity, entity: city, role: destination}]}
forms:
  flight_form: {required_slots: [departure, destination]}
  order_form: {required_slots: [seats, outside]}
responses:
  utter_greet: [{text: "Hello {name}, {title}!"}]
  utter_ask_departure: [{text: From where?}]
  utter_ask_destination: [{text: "{departure} to where?"}]
  utter_flight:
    - {text: "{name} flies.", condition: [{type: slot, name: name, value: Bo}]}
    - {text: "{departure} to {destination}."}
  utter_ask_seats: [{text: How many?}]
  utter_ask_outside: [{text: Outside?}]
  utter_order: [{text: "{seats} seats, {outside}, to {destination}"}]
  utter_faq/hours: [{text: From 9 to 5.}]
  utter_faq/price: [{text: It is free.}]
  utter_help: [{text: Did a cat help?}]
  utter_happy: [{text: Great!}]
  utter_bye: [{text: Bye}]
nlu:
  - {intent: greet, examples: ["hi"]}
  - intent: fly
    examples: |
      - fly from [Rome]{"entity": "city", "role": "departure"}
      - fly to [Oslo]{"entity": "city", "role": "destination"}
      - I need a flight to [Bern]{"entity": "city", "role": "destination"}
  - {intent: order, examples: ["get me seats"]}
  - intent: inform
    examples: |
      - for [three](number) people
      - [in the garden]{"entity": "seating", "value": "true"}
      - a room in [Oslo](city)
  - {intent: faq/hours, examples: ["when are you open"]}
  - {intent: faq/price, examples: ["how much is it"]}
  - {intent: sad, examples: ["I am sad"]}
  - {intent: affirm, examples: ["yes"]}
  - {intent: deny, examples: ["no"]}
rules:
  - {rule: greet, steps: [{intent: greet}, {action: utter_greet}]}
  - {rule: faq, steps: [{intent: faq}, {action: utter_faq}]}
  - {rule: fly, steps: [{intent: fly}, {action: flight_form}, {active_loop: flight_form}]}
  - rule: flown
    condition: [{active_loop: flight_form}]
    steps: [{action: flight_form}, {active_loop: null}, {action: utter_flight}]
  - {rule: order, steps: [{intent: order}, {action: order_form}, {active_loop: order_form}]}
  - rule: ordered
    condition: [{active_loop: order_form}]
    steps: [{action: order_form}, {active_loop: null}, {action: utter_order}]
stories:
  - story: glad
    steps: [{intent: sad}, {action: utter_help}, {intent: affirm}, {action: utter_happy}]
  - story: bad
    steps: [{intent: sad}, {action: utter_help}, {intent: deny}, {action: utter_bye}]
"""


@pytest.mark.parametrize("name", ["bank", "flowers", "pizzeria"])
def test_what_the_examples_say_is_understood(name, tmp_path):
    engine, _ = imported(name, tmp_path)
    samples = engine.model().samples
    assert len(samples) > 2
    failed = [
        result for result in (run_dialog(engine, one) for one in samples) if not result.passed
    ]
    assert not failed, [step.failures for result in failed for step in result.steps]


class TestTravel:
    """What Rasa's own examples and its documentation are full of."""

    @pytest.fixture
    def engine(self, tmp_path) -> Engine:
        project = write(tmp_path, travel=TRAVEL)
        arguments = ["import", "rasa", str(project), "-o", str(tmp_path / "t.yaml")]
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
        return Engine(tmp_path / "t.yaml")

    @pytest.mark.parametrize(
        "dialog",
        [
            "fly to Oslo from Rome -> Rome to Oslo.",
            "I need a flight to Bern -> From where? -> Oslo -> Oslo to Bern.",
            "fly from Rome -> Rome to where? -> Bern -> Rome to Bern.",
            "fly to Oslo from Rome -> Rome to Oslo. -> no, from Bern -> Bern to Oslo.",
        ],
    )
    def test_roles_are_told_apart_by_the_word_before_them(self, engine, dialog):
        said = dialog.split(" -> ")
        assert [engine.ask(text).text for text in said[::2]] == said[1::2]

    def test_each_question_of_a_retrieval_intent_has_its_answer(self, engine):
        assert engine.ask("When are you open?").text == "From 9 to 5."
        assert engine.ask("How much is it?").text == "It is free."

    def test_what_only_code_fills_is_as_at_first_or_left_out(self, engine, tmp_path):
        assert engine.ask("Hi").text == "Hello friend!"
        notes = notes_of(tmp_path, "changed")
        assert "utter_greet: nothing fills name: it is 'friend', as at first" in notes
        assert "utter_greet: nothing fills title: it is left out" in notes

    def test_a_text_under_a_condition_is_not_the_usual_one(self, tmp_path):
        notes = notes_of(write(tmp_path, travel=TRAVEL), "changed")
        assert "utter_flight: the general one of 2 texts; the others are left out" in notes

    def test_answers_stay_in_the_form_and_texts_know_earlier_slots(self, engine):
        engine.ask("fly to Oslo from Rome")
        assert engine.ask("get me seats").text == "How many?"
        assert engine.ask("for 12 people").text == "Outside?"  # a number of no example
        assert engine.ask("yes").text == "12 seats, true, to Oslo"
        engine.forget()
        engine.ask("get me seats")
        engine.ask("two")
        assert engine.ask("in the garden").text == "2 seats, true, to "

    def test_a_yes_of_a_story_answers_what_came_before(self, engine):
        assert engine.ask("yes").status == "rejected"
        for answer, text in (("yes", "Great!"), ("no", "Bye")):
            assert engine.ask("I am sad").text == "Did a cat help?"
            assert engine.ask(answer).text == text


PIZZA = """
intents: [pizza]
entities: [size, topping, time]
slots:
  size: {type: categorical, values: [small, large]}
  topping: {type: list, mappings: [{type: from_entity, entity: topping}]}
  pickup: {type: unfeaturized}
forms:
  pizza_form: {size: [{type: from_entity, entity: size}], topping: [], pickup: [
    {type: from_entity, entity: time}, {type: from_text}]}
responses:
  utter_ask_size: [{text: What size?}]
  utter_ask_topping: [{text: Which toppings?}]
  utter_ask_pickup: [{text: When?}]
  utter_pizza: [{text: "A {size} pizza with {topping}: {pickup}."}]
nlu:
  - intent: pizza
    examples: |
      - a pizza please
      - get me a [small](size) pizza with [ham](topping) and [olives](topping)
  - {synonym: large, examples: [huge]}
stories:
  - story: pizza
    steps:
      - intent: pizza
      - action: pizza_form
      - active_loop: pizza_form
      - active_loop: null
      - action: utter_pizza
      - bot: Enjoy!
"""


class TestPizzaOfRasa2:
    """Forms say what fills their slots, lists have several values."""

    @pytest.fixture
    def engine(self, tmp_path) -> Engine:
        data = translate_project(read_project(write(tmp_path, pizza=PIZZA))).data
        return Engine(parse_model(yaml.safe_dump(data, sort_keys=False)))

    def test_a_list_takes_several_values(self, engine):
        assert engine.ask("a pizza please").text == "What size?"
        assert engine.ask("huge").text == "Which toppings?"
        assert engine.ask("ham and olives").text == "When?"
        at = datetime(2026, 1, 5, 9, tzinfo=UTC)
        assert engine.ask("tomorrow at 7 pm", at=at).status == "matched"

    def test_the_and_of_a_list_is_no_word_of_the_intent(self, engine):
        asked = engine.ask("Get me a large pizza with olives")
        assert (asked.slots["topping"].value, asked.text) == (["olives"], "When?")

    def test_the_examples_are_samples(self, engine):
        steps = [
            (one.text, one.status) for dialog in engine.model().samples for one in dialog.steps
        ]
        assert steps == [
            ("a pizza please", "incomplete"),
            ("get me a small pizza with ham and olives", "incomplete"),
        ]
        results = [run_dialog(engine, dialog) for dialog in engine.model().samples]
        assert all(result.passed for result in results)

    def test_dates_are_written_for_people(self, engine):
        at = datetime(2026, 1, 5, 9, tzinfo=UTC)
        engine.ask("Get me a large pizza with olives", at=at)
        told = engine.ask("tomorrow at 7 pm", at=at).text
        assert told.startswith("A large pizza with olives: January 6, 2026")

    def test_an_entity_that_only_examples_name_is_reported(self, tmp_path):
        notes = notes_of(write(tmp_path, pizza=PIZZA), "changed")
        known = "only the values of its examples are known; add others, or a recognizer"
        assert f"entity topping: {known}" in notes
        assert f"entity size: {known}" not in notes

    def test_texts_in_stories_are_reported(self, tmp_path):
        notes = notes_of(write(tmp_path, pizza=PIZZA), "ignored")
        assert "story pizza: a text in a story: make it a response" in notes
        taken = "the whole text of the user, which no element takes: use a handler"
        assert f"slot pickup: also filled by from_text, {taken}" in notes


class TestExamples:
    def test_annotations_are_read_in_all_forms(self):
        example = parse_example('from [NYC](city:New York) to [L.A.]{"entity": "city"}, [x](y)!')
        assert [(one.text, one.entity, one.value) for one in example.annotations] == [
            ("NYC", "city", "New York"),
            ("L.A.", "city", "L.A."),
            ("x", "y", "x"),
        ]
        assert example.words == "from to"
        assert example.is_split

    def test_brackets_alone_are_text(self):
        assert parse_example("what is [this]").words == "what is [this]"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("to [Rome](city", "not closed"),
            ('to [Rome]{"entity": "city"', "not closed"),
            ("to [Rome]{entity: city}", "not JSON"),
            ('to [Rome]{"value": "x"}', 'does not name its "entity"'),
        ],
    )
    def test_broken_annotations_are_refused(self, text, message):
        with pytest.raises(ExampleError, match=message):
            parse_example(text)


class TestMistakes:
    def message(self, folder: Path) -> str:
        with pytest.raises(ModelError) as caught:
            translate_project(read_project(folder))
        return str(caught.value)

    def test_a_broken_annotation_is_shown_in_its_line(self, tmp_path):
        nlu = NLU + "  - intent: go\n    examples: |\n      - fly\n      - to [Rome](city\n"
        message = self.message(write(tmp_path, domain=DOMAIN, nlu=nlu))
        assert "nlu.yml:10" in message
        assert "- to [Rome](city" in message
        assert "intent 'go': this annotation is not closed" in message

    def test_a_form_with_an_unknown_slot(self, tmp_path):
        domain = (
            DOMAIN + "slots: {city: {type: text}}\nforms:\n  trip:\n    required_slots: [citty]\n"
        )
        message = self.message(write(tmp_path, domain=domain, nlu=NLU))
        assert "requires the slot 'citty', which the domain lacks" in message
        assert "did you mean 'city'?" in message
        assert "domain.yml:7" in message

    def test_a_rule_with_an_unknown_response_or_intent(self, tmp_path):
        rules = """
        rules:
          - rule: one
            steps: [{intent: hello}, {action: utter_helo}]
          - rule: two
            steps: [{intent: helo}, {action: utter_hello}]
        """
        message = self.message(write(tmp_path, domain=DOMAIN, nlu=NLU, rules=rules))
        assert "there is no response 'utter_helo'" in message
        assert "the domain has no intent 'helo'" in message
        assert "rules.yml:3" in message

    def test_wrong_blocks_are_reported_together(self, tmp_path):
        nlu = NLU + "  - intents: a\n  - intent: b\n  - intent: c\n    examples: |\n      one\n"
        message = self.message(write(tmp_path, domain="slots: [a]\n", nlu=nlu))
        assert "'slots' is a mapping" in message
        assert "an item of 'nlu' has one of the keys intent, synonym, regex, lookup" in message
        assert "the intent 'b' has no 'examples'" in message
        assert "'c': this line is not an example" in message

    def test_yaml_mistakes_have_their_line(self, tmp_path):
        message = self.message(write(tmp_path, domain="intents: [a\nslots: {", nlu=NLU))
        assert "domain.yml:" in message

    def test_declarations_of_another_shape_are_reported_together(self, tmp_path):
        domain = """
        slots: {size: [a], color: {mappings: 3}, kind: {mappings: [x]}}
        forms: {one: [size], two: {required_slots: {size: []}}, three: {required_slots: [[size]]}}
        responses: {utter_a: Hello, utter_b: [Hello], utter_c: 5}
        """
        rules = "rules: [one, {rule: a, steps: go}, {rule: b, steps: [go], condition: {a: b}}]\n"
        message = self.message(write(tmp_path, domain=domain, nlu=NLU, rules=rules))
        for part in (
            "the slot 'size' is a mapping",
            "'mappings' is a list",
            "each of 'mappings' is a mapping",
            "the form 'one' is a mapping",
            "each of 'required_slots' is the name of a slot",
            "the response 'utter_a' is a list",
            "a variant of 'utter_b' is a mapping",
            "the response 'utter_c' is a list",
            "a rule or a story is a mapping",
            "'steps' is a list",
            "each of 'steps' is a mapping",
            "'condition' is a list",
        ):
            assert part in message
        assert "rules.yml:1:" in message

    def test_another_folder_is_no_project(self, tmp_path):
        assert "this is not a Rasa project" in self.message(write(tmp_path, other="a: 1"))

    def test_the_command_prints_mistakes_without_a_traceback(self, tmp_path):
        folder = write(tmp_path, domain=DOMAIN, nlu="nlu: 3")
        result = CliRunner().invoke(app, ["import", "rasa", str(folder)])
        assert result.exit_code == 1
        assert "'nlu' is a list" in result.output

    def test_an_existing_file_is_kept(self, tmp_path):
        (tmp_path / "mine.yaml").write_text("mine")
        arguments = ["import", "rasa", str(PROJECTS / "flowers"), "-o", str(tmp_path / "mine.yaml")]
        assert CliRunner().invoke(app, arguments).exit_code == 2
        assert (tmp_path / "mine.yaml").read_text() == "mine"


def test_an_example_of_two_intents_decides_nothing(tmp_path):
    nlu = NLU + "  - intent: bye\n    examples: |\n      - hi\n      - bye\n"
    folder = write(tmp_path, domain="intents: [hello, bye]", nlu=nlu)
    assert "intent hello: 'hi' also stands for bye" in notes_of(folder, "changed")


def test_articles_before_and_in_entities_are_left_out(tmp_path):
    write(
        tmp_path,
        domain="intents: [find]\nentities: [bike, town]",
        nlu="""
        nlu:
          - intent: find
            examples: |
              - show me the [city bike](bike)
              - I want to ride a [trek](bike)
              - ride to [the big apple]{"entity": "town", "value": "New York"}
              - ride to [The Hague](town)
        """,
    )
    data = translate_project(read_project(tmp_path)).data
    find, _, town = data["elements"]
    assert find["synonyms"] == ["show me", "I want to ride", "ride to"]
    assert town["values"] == {"New York": ["big apple"], "The Hague": []}
