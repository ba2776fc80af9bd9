"""What is said now and what was said before may be parts of one value."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import ModuleType

import pytest
from msgspec.structs import replace as replace_entity

from anaphora import Engine, HandlerError, Model, parse_model
from anaphora.models.domain import DialogActSettings

MONDAY = datetime(2026, 11, 23, 15, tzinfo=UTC)

ONE_VALUE = """
id: m
language: {language}
{entities}
elements:
  - {{id: act, synonyms: ["{act}"]}}
{elements}
intents: ["intent=do term(act)~{{# == 'act'}} term(value)~{{# == '{element}'}}"]
"""


def model(
    act: str,
    element: str,
    *,
    language: str = "en",
    elements: str = "",
    entities: str = "",
    is_on: bool = True,
) -> Model:
    """A model of one intent, with an action that is remembered and a value."""
    text = ONE_VALUE.format(
        language=language, act=act, element=element, elements=elements, entities=entities
    )
    return replace(parse_model(text), dialog_acts=DialogActSettings() if is_on else None)


def talk(bot: Model, *questions: str) -> list:
    engine = Engine(bot)
    times = (MONDAY + timedelta(minutes=number) for number in range(len(questions)))
    return [
        engine.ask(text, at=at, explain=True) for text, at in zip(questions, times, strict=True)
    ]


def values(replies: list) -> list[str | None]:
    """The value after each question; None for one that was not understood."""
    return [one.slots["value"].value if one.status == "matched" else None for one in replies]


class TestDates:
    def test_an_alarm_is_set_bit_by_bit(self):
        alarm = model("wake me", "date", entities="entities: [date]")
        replies = talk(
            alarm,
            "wake me on Friday",
            "at eight",
            "no, at nine",
            "on Saturday",
            "in the evening",
            "no, in the morning",
        )
        assert values(replies) == [
            "2026-11-27",
            "2026-11-27T08:00",
            "2026-11-27T09:00",
            "2026-11-28T09:00",
            "2026-11-28T21:00",
            "2026-11-28T09:00",
        ]

    def test_half_of_something_is_no_half_hour(self):
        alarm = model("wake me", "date", entities="entities: [date]")
        replies = talk(alarm, "wake me on Friday at 9", "half of that", "half past")
        assert values(replies) == ["2026-11-27T09:00", None, "2026-11-27T09:30"]

    def test_the_second_is_a_day_and_the_second_one_is_none(self):
        alarm = model("wake me", "date", entities="entities: [date]")
        replies = talk(alarm, "wake me on May 3", "no, the second one", "no, the fourth")
        assert values(replies) == ["2027-05-03", None, "2027-05-04"]

    def test_in_german(self):
        alarm = model("weck mich", "date", entities="entities: [date]", language="de")
        replies = talk(
            alarm, "weck mich am Freitag", "um acht", "nein, um neun", "am Samstag", "abends"
        )
        assert values(replies)[1:] == [
            "2026-11-27T08:00",
            "2026-11-27T09:00",
            "2026-11-28T09:00",
            "2026-11-28T21:00",
        ]

    def test_in_russian_where_an_hour_is_a_time_only_beside_a_day(self):
        alarm = model("разбуди меня", "date", entities="entities: [date]", language="ru")
        replies = talk(
            alarm, "разбуди меня в пятницу", "в восемь", "нет, в девять", "в субботу", "вечером"
        )
        assert values(replies)[1:] == [
            "2026-11-27T08:00",
            "2026-11-27T09:00",
            "2026-11-28T09:00",
            "2026-11-28T21:00",
        ]

    @pytest.mark.parametrize(
        ("language", "texts", "expected"),
        [
            ("en", ["book tomorrow at 5 pm", "no, 6"], ["17:00", "18:00"]),
            ("en", ["book tomorrow 1pm to 3pm", "no, 2 to 4"], ["13:00-15:00", "14:00-16:00"]),
            (
                "en",
                ["book tomorrow 9 to 11am", "no, make it 1 to 3"],
                ["09:00-11:00", "13:00-15:00"],
            ),
            ("en", ["book tomorrow 1pm to 3pm", "from 4 to 6"], ["13:00-15:00", "16:00-18:00"]),
            ("en", ["book at 5 pm tomorrow", "for 8", "no, 7"], ["17:00", "17:00 8", "17:00 7"]),
            ("en", ["book tomorrow at 5 pm", "6"], ["17:00", "17:00 6"]),
            ("de", ["buche morgen um 17 uhr", "nein, 18"], ["17:00", "18:00"]),
            ("de", ["buche morgen 13 bis 15 uhr", "nein, 2 bis 4"], ["13:00-15:00", "14:00-16:00"]),
            ("ru", ["бронь завтра с 9 до 11", "нет, с 2 до 4"], ["09:00-11:00", "14:00-16:00"]),
        ],
    )
    def test_a_number_corrects_the_time_if_nothing_was_counted(self, language, texts, expected):
        """A new number without a no is one, and so is one that corrects a number."""
        rooms = f"""
            id: rooms
            language: {language}
            entities: [date, number]
            elements: [{{id: book, synonyms: [buche, бронь]}}]
            intents:
              - "intent=book term(act)~{{# == 'book'}} term(when)~{{# == 'date'}}
                 term(seats)~{{# == 'number'}}?"
        """
        replies = talk(replace(parse_model(rooms), dialog_acts=DialogActSettings()), *texts)
        said = []
        for reply in replies:
            hours = [one.partition("T")[2] for one in reply.slots["when"].value.split("/")]
            seats = reply.slots.get("seats")
            said.append(" ".join(["-".join(hours), *([seats.value] if seats else [])]))
        assert said == expected

    def test_the_explanation_says_what_was_combined(self):
        alarm = model("wake me", "date", entities="entities: [date]")
        *_, reply = talk(alarm, "wake me on Friday", "at eight")
        note = "'at eight' is combined with 'Friday' (2026-11-27): date=2026-11-27T08:00"
        assert note in str(reply.explanation)

    def test_a_question_that_is_complete_by_itself_does_not_look_back(self):
        alarm = model("wake me", "date", entities="entities: [date]")
        replies = talk(alarm, "wake me on Friday", "wake me at eight")
        assert values(replies)[1] == "2026-11-23T20:00"

    def test_a_pending_question_is_combined_with_its_answer(self):
        table = replace(
            parse_model("""
                id: table
                entities: [date, number]
                elements: [{id: table}]
                intents:
                  - "intent=book term(act)={# == 'table'} term(when)={# == 'date'}
                     term(guests)={# == 'number'}"
                prompts: {book: {guests: For how many?}}
            """),
            dialog_acts=DialogActSettings(),
        )
        *_, asked, answered = talk(table, "a table on Friday", "at eight", "4")
        assert asked.status == "incomplete"
        assert answered.slots["when"].value == "2026-11-27T08:00"
        assert answered.slots["guests"].value == "4"

    def test_what_was_forgotten_is_not_combined(self):
        engine = Engine(model("wake me", "date", entities="entities: [date]"))
        engine.ask("wake me on Friday", at=MONDAY)
        reply = engine.ask("wake me at nine", at=MONDAY + timedelta(hours=1))
        assert reply.slots["value"].value == "2026-11-23T21:00"

    def test_a_model_without_dialog_acts_takes_the_new_value_alone(self):
        alarm = model("wake me", "date", entities="entities: [date]", is_on=False)
        assert values(talk(alarm, "wake me on Friday", "at eight"))[1] == "2026-11-23T20:00"

    def test_the_entities_of_nlpcraft_keep_their_metadata(self):
        alarm = model("wake me", "nlpcraft:date", entities="entities: ['nlpcraft:date']")
        *_, reply = talk(alarm, "wake me on Friday", "at eight")
        meta = reply.slots["value"].meta
        end = datetime.fromisoformat(meta["end"]).timestamp() * 1000
        assert meta["to"] == end - 1


class TestAmounts:
    @pytest.mark.parametrize(
        ("language", "act", "questions", "expected"),
        [
            ("en", "send", ["send 500", "euros"], "500 EUR"),
            ("en", "send", ["send 500", "in euros, please"], "500 EUR"),
            ("en", "send", ["send 500 euros", "no, 600"], "600 EUR"),
            ("en", "send", ["send 500 euros", "no, dollars"], "500 USD"),
            ("en", "send", ["send 500 euros", "$700"], "700 USD"),
            ("de", "überweise", ["überweise 500", "in Franken bitte"], "500 CHF"),
            ("ru", "переведи", ["переведи 500", "рублей"], "500 RUB"),
            ("ru", "переведи", ["переведи 500 рублей", "нет, 600"], "600 RUB"),
        ],
    )
    def test_an_amount_and_a_currency_are_money(self, language, act, questions, expected):
        bank = model(act, "money", entities="entities: [money]", language=language)
        assert values(talk(bank, *questions))[-1] == expected

    def test_a_currency_that_was_only_assumed_gives_way(self):
        elements = "  - {id: sum, recognizer: money, config: {currency: USD}}"
        replies = talk(model("send", "sum", elements=elements), "send 500", "euros", "600")
        assert values(replies) == ["500 USD", "500 EUR", "600 EUR"]

    @pytest.mark.parametrize(
        ("questions", "expected"),
        [
            (["find 5", "kilometers"], "5 km"),
            (["find 5 km", "no, 7"], "7 km"),
            (["find 5 km", "miles"], "5 mi"),
            (["find 5 km", "more than 3"], ">3 km"),
            (["find 5 km", "the second"], "2"),
        ],
    )
    def test_a_number_and_a_unit_are_a_quantity(self, questions, expected):
        bot = model("find", "number", entities="entities: [number]")
        reply = talk(bot, *questions)[-1]
        assert reply.slots["value"].value == expected

    def test_words_that_are_no_unit_complete_nothing(self):
        bank = model("send", "money", entities="entities: [money]")
        assert values(talk(bank, "send 500", "elephants", "500 what?", "euros")) == [
            "500",
            None,
            "500",
            "500 EUR",
        ]


class TestPlaces:
    @pytest.mark.parametrize(
        ("questions", "name", "region"),
        [
            (["weather in Springfield", "Illinois"], "Springfield", "Illinois"),
            (["weather in Illinois", "Springfield"], "Springfield", "Illinois"),
            (["weather in Portland", "no, Maine"], "Portland", "Maine"),
            (["weather in Munich", "and in Bavaria?"], "Bavaria", "Bavaria"),
            (["weather in Paris", "and in Texas?"], "Texas", "Texas"),
            (["weather in London", "and in Paris?"], "Paris", "Île-de-France"),
        ],
    )
    def test_a_region_tells_which_city_is_meant(self, questions, name, region):
        weather = model("weather", "place", entities="entities: [place]")
        slot = talk(weather, *questions)[-1].slots["value"]
        assert (slot.value, slot.meta["region"]) == (name, region)

    def test_where_only_cities_are_entities_the_region_is_a_part(self):
        elements = "  - {id: city, recognizer: place, config: {kinds: [city]}}"
        weather = model("weather", "city", elements=elements)
        slot = talk(weather, "weather in Springfield", "in Illinois")[-1].slots["value"]
        assert (slot.value, slot.meta["region"]) == ("Springfield", "Illinois")


@pytest.fixture
def functions(monkeypatch):
    """A module whose functions a model names."""
    module = ModuleType("combining_bot")
    monkeypatch.setitem(sys.modules, "combining_bot", module)
    return module


CLOTHES = "  - {{id: colour, values: [red, blue, dark, light], combine: 'combining_bot#{}'}}"


def shop(name: str, *, is_on: bool = True) -> Model:
    return model("shirt", "colour", elements=CLOTHES.format(name), is_on=is_on)


class TestFunctions:
    def test_a_function_may_return_the_value(self, functions):
        functions.mix = lambda old, new: f"{new.value} {old.value}"
        assert values(talk(shop("mix"), "a red shirt", "dark")) == ["red", "dark red"]

    def test_or_an_entity(self, functions):
        functions.mix = lambda old, new: replace_entity(old, value="x", meta={"tone": new.value})
        *_, reply = talk(shop("mix"), "a red shirt", "dark")
        assert reply.slots["value"].value == "x"
        assert reply.slots["value"].meta == {"tone": "dark"}

    def test_or_nothing_if_the_new_one_replaces_the_old_one(self, functions):
        functions.mix = lambda old, new: None
        assert values(talk(shop("mix"), "a red shirt", "dark")) == ["red", "dark"]

    def test_it_combines_elements_of_one_group(self, functions):
        functions.mix = lambda old, new: f"{old.value} {new.value}"
        elements = (
            "  - {id: colour, values: [red, blue], groups: [look], combine: 'combining_bot#mix'}\n"
            "  - {id: tone, values: [dark, light], groups: [look]}"
        )
        bot = model("shirt", "colour", elements=elements)
        intent = "intent=tone term(act)~{# == 'act'} term(value)~{# == 'tone'}"
        bot = replace(bot, intents=(*bot.intents, *parse_model(_with(elements, intent)).intents))
        assert values(talk(bot, "a dark shirt", "red")) == ["dark", "dark red"]

    def test_it_needs_no_dialog_acts(self, functions):
        functions.mix = lambda old, new: f"{new.value} {old.value}"
        assert values(talk(shop("mix", is_on=False), "a red shirt", "dark"))[1] == "dark red"

    @pytest.mark.parametrize(
        ("function", "message"),
        [
            (lambda old, new: 1 / 0, "'combine' of the element 'colour' failed: ZeroDivision"),
            (lambda old, new: 5, "'combine' of the element 'colour' returned the integer 5"),
            (
                lambda old, new: replace_entity(old, element="size"),
                "it must return an entity of this element, its value as a text, or None",
            ),
        ],
    )
    def test_its_failure_says_what_is_wrong(self, functions, function, message):
        functions.mix = function
        engine = Engine(shop("mix"))
        engine.ask("a red shirt", at=MONDAY)
        with pytest.raises(HandlerError, match=message):
            engine.ask("dark", at=MONDAY)


def _with(elements: str, intent: str) -> str:
    return (
        f'id: m\nelements:\n  - {{id: act, synonyms: [shirt]}}\n{elements}\nintents: ["{intent}"]'
    )


BOOKING = """
id: booking
dialog_acts: true
elements:
  - {id: table, topic: true}
  - {id: date, recognizer: date, config: {hours: 10-24}, id_synonym: false}
  - {id: people, recognizer: number}
intents:
  - id: book
    slots: {table: table, people: {ask: For how many?}, date: {ask: When?}}
    confirm: "{{ people }}, {{ date }}?"
"""


class TestBareNumbers:
    """A bare number that fits several values corrects the one that was said last."""

    @pytest.mark.parametrize(
        ("questions", "people", "date"),
        [
            (["a table", "4", "tomorrow at 8", "no, 9"], "4", "2026-11-24T21:00"),
            (["a table", "4", "tomorrow not before 8", "no, 9"], "4", "2026-11-24T21:00/.."),
            (["a table tomorrow at 8", "4", "no, 9"], "9", "2026-11-24T20:00"),
            (["a table for 4 tomorrow at 8", "no, 9"], "4", "2026-11-24T21:00"),
            (["a table tomorrow at 8 for 4", "no, 9"], "9", "2026-11-24T20:00"),
            (["a table", "4", "tomorrow at 8", "for 5", "no, 6"], "6", "2026-11-24T20:00"),
        ],
    )
    def test_it_is_the_newest_value(self, questions, people, date):
        slots = talk(parse_model(BOOKING), *questions)[-1].slots
        assert (slots["people"].value, slots["date"].value) == (people, date)

    @pytest.mark.parametrize(
        ("questions", "people", "date"),
        [
            (["a table for 4", "tomorrow at 8", "no, 9", "no, 10"], "4", "2026-11-24T22:00"),
            (["a table tomorrow at 8", "4", "no, 6", "no, 7"], "7", "2026-11-24T20:00"),
            (["a table tomorrow at 8", "4", "no, at 9", "no, 10"], "4", "2026-11-24T22:00"),
        ],
    )
    def test_it_is_so_after_a_correction_too(self, questions, people, date):
        unconfirmed = BOOKING.replace("confirm:", "response:")
        slots = talk(parse_model(unconfirmed), *questions)[-1].slots
        assert (slots["people"].value, slots["date"].value) == (people, date)


PAYING = """
id: paying
dialog_acts: true
elements:
  - {id: send, topic: true}
  - {id: amount, recognizer: money, config: {currency: EUR}}
  - {id: payee, values: [Ann, Mary]}
intents:
  - id: send
    slots: {send: send, amount: {ask: How much?}, payee: {ask: To whom?}}
    confirm: "{{ amount }} to {{ payee }}?"
"""


def test_a_bare_number_behind_a_no_corrects_what_was_said_though_the_bot_asks_for_more():
    *_, asked, named = talk(parse_model(PAYING), "send 100 euros", "no, 150", "to Ann")
    assert asked.missing == ("payee",)
    assert named.slots["amount"].value == "150 EUR"


@pytest.mark.parametrize(("said", "length"), [("три", "P3D"), ("трое", None), ("нас трое", None)])
def test_a_numeral_that_counts_people_is_no_length(said, length):
    stay = model("номер", "duration", language="ru", entities="entities: [duration]")
    assert values(talk(stay, "номер на два дня", said)) == ["P2D", length]
