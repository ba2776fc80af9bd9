"""What a bot says becomes entities of its model, as if a user had said it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from anaphora import Entity, HandlerError, Mention, parse_model
from anaphora.engine.answering.entity_builder import build_bundle
from anaphora.engine.bots.bot import Bot

MONDAY = datetime(2026, 11, 23, 15, tzinfo=UTC)


def find_code_names(text: str) -> list[Mention]:
    """A recognizer of names in capitals, which are in no list."""
    return [Mention(0, len(text), "known")] if text.isupper() else []


MODEL = f"""
id: m
language: [en, de]
entities: [date, duration, number, money, boolean, place]
elements:
  - id: kitchen
    groups: [food]
    meta: {{spicy: false}}
    values: {{Japanese: [sushi], Italian: {{en: [pizza], de: [Nudeln]}}, Sushi: []}}
  - {{id: seat, id_synonym: false, parent: kitchen, values: {{window: [], 2: [two]}}}}
  - {{id: vegan, topic: true}}
  - {{id: part, abstract: true, values: [x]}}
  - {{id: code, recognizer: "{__name__}#find_code_names"}}
intents:
  - "intent=i term(t)~{{# == 'kitchen'}}"
"""


@pytest.fixture(scope="module")
def bot() -> Bot:
    return Bot(parse_model(MODEL))


def build(bot: Bot, spec: Any, language: str = "en") -> tuple[Entity, ...]:
    return build_bundle(bot, spec, language, MONDAY, source="the handler of 'i'")


def value_of(bot: Bot, element: str, value: Any, language: str = "en") -> str | None:
    (entity,) = build(bot, {element: value}, language)
    assert entity.element == element
    return entity.value


class TestAnEntity:
    def test_is_what_a_user_would_have_said(self, bot):
        (entity,) = build(bot, {"kitchen": "Japanese"})
        assert entity == bot.read("Japanese", "en").entities[0]

    def test_has_the_groups_and_more_of_its_element(self, bot):
        (entity,) = build(bot, {"seat": "window"})
        assert (entity.groups, entity.ancestors) == ({"seat"}, ("kitchen",))
        (topic,) = build(bot, {"vegan": "vegan"})
        assert topic.topic
        assert topic.value is None

    @pytest.mark.parametrize("language", ["en", "de"])
    @pytest.mark.parametrize(
        ("said", "value"), [("pizza", "Italian"), ("Nudeln", "Italian"), ("italian", "Italian")]
    )
    def test_may_be_said_by_a_synonym_in_any_language(self, bot, said, value, language):
        assert value_of(bot, "kitchen", said, language) == value

    def test_is_found_by_the_name_of_a_value_before_the_synonym_of_another(self, bot):
        assert value_of(bot, "kitchen", "Sushi") == "Sushi"

    def test_is_never_one_of_which_only_a_part_was_said(self, bot):
        with pytest.raises(HandlerError, match="'pizza and beer' is no value of 'kitchen'"):
            build(bot, {"kitchen": "pizza and beer"})

    @pytest.mark.parametrize(
        ("element", "value", "expected"),
        [
            ("date", date(2026, 11, 27), "2026-11-27"),
            ("date", datetime(2026, 11, 27, 19), "2026-11-27T19:00"),
            (
                "date",
                datetime(2026, 11, 27, 19, tzinfo=timezone(timedelta(hours=2))),
                "2026-11-27T17:00",
            ),
            ("date", time(19, 30), "2026-11-23T19:30"),
            ("date", "Friday", "2026-11-27"),
            ("duration", timedelta(hours=1, minutes=30), "PT1H30M"),
            ("number", 3, "3"),
            ("number", 2.5, "2.5"),
            ("number", -2, "-2"),
            ("money", Decimal("25.00"), "25"),
            ("money", "$25", "25 USD"),
            ("money", "25 euros", "25 EUR"),
            ("boolean", True, "true"),
            ("boolean", "no", "false"),
            ("seat", 2, "2"),
            ("code", "ABC", "known"),
        ],
    )
    def test_may_be_a_value_of_python(self, bot, element, value, expected):
        assert value_of(bot, element, value) == expected

    @pytest.mark.parametrize("language", ["en", "de"])
    @pytest.mark.parametrize("number", [1.234, Decimal("1.234"), 1234, 1234.5])
    def test_has_the_same_number_in_every_language(self, bot, number, language):
        assert value_of(bot, "number", number, language) == str(number)

    def test_keeps_the_details_of_what_is_recognized(self, bot):
        (entity,) = build(bot, {"date": "tomorrow at 7 pm"})
        assert entity.meta["grain"] == "hour"
        assert not entity.is_from_phrase

    def test_of_an_open_element_is_whatever_it_is_called(self, bot):
        (entity,) = build(bot, {"code": "Project X"})
        assert (entity.value, entity.text) == ("Project X", "Project X")
        assert not entity.is_from_phrase

    def test_has_a_duration_in_a_language_that_has_no_words_for_it(self):
        sv = Bot(
            parse_model(
                MODEL.replace("[en, de]", "[sv]")
                .replace("de: [Nudeln]", "sv: []")
                .replace("en: [pizza], ", "")
            )
        )
        (entity,) = build(sv, {"duration": timedelta(minutes=90)}, "sv")
        assert (entity.value, entity.meta) == ("PT5400S", {"seconds": 5400})

    def test_without_values_is_there_or_not(self, bot):
        assert value_of(bot, "vegan", True) is None
        assert build(bot, {"vegan": False}) == ()

    def test_may_be_described_in_detail(self, bot):
        given = {"value": "Japanese", "text": "a ramen bar", "meta": {"stars": 2}}
        (entity,) = build(bot, {"kitchen": given})
        assert (entity.value, entity.text) == ("Japanese", "a ramen bar")
        assert entity.meta == {"spicy": False, "stars": 2}
        assert entity.groups == {"food"}

    def test_that_is_recognized_may_be_described_though_nothing_finds_it(self, bot):
        given = {"value": "Kiku Town", "text": "there", "meta": {"kind": "city"}}
        (entity,) = build(bot, {"place": given})
        assert (entity.value, entity.text, entity.meta) == ("Kiku Town", "there", {"kind": "city"})

    def test_may_be_taken_from_the_question(self, bot):
        asked = bot.read("sushi tomorrow", "en").entities
        assert build(bot, asked) == asked
        assert build(bot, {"date": asked[-1]}) == (asked[-1],)
        (number,) = build(bot, {"number": bot.read("two", "en").entities[-1]})
        assert number.value == "2"


class TestABundle:
    def test_has_the_entities_in_the_given_order(self, bot):
        spec = {"money": 25, "kitchen": ["sushi", "pizza"], "date": "Friday"}
        assert [str(one) for one in build(bot, spec)] == [
            *("money=25", "kitchen=Japanese", "kitchen=Italian", "date=2026-11-27")
        ]

    @pytest.mark.parametrize(
        "spec", [None, {}, [], {"kitchen": ""}, {"kitchen": None}, {"kitchen": []}, {"kitchen": {}}]
    )
    def test_leaves_out_what_is_empty(self, bot, spec):
        assert build(bot, spec) == ()

    def test_may_be_put_together(self, bot):
        spec = [{"kitchen": "sushi"}, bot.read("pizza", "en").entities[0], {"number": 2}]
        assert [one.element for one in build(bot, spec)] == ["kitchen", "kitchen", "number"]


MISTAKES: dict[str, tuple[Any, str]] = {
    "misspelt element": ({"kitchn": "x"}, "no element 'kitchn'; did you mean 'kitchen'?"),
    "part of others": ({"part": "x"}, "no element 'part'"),
    "misspelt value": ({"kitchen": "Japanes"}, "did you mean 'Japanese'?"),
    "unknown value": ({"seat": "in the cellar"}, "its values are: window, 2"),
    "no date": ({"date": "soonish"}, "the recognizer 'date' does not find it"),
    "no number": ({"number": float("nan")}, "nan is not a finite number"),
    "a thing": ({"kitchen": object()}, "is no value of 'kitchen'"),
    "yes": ({"kitchen": True}, "True is no value of 'kitchen'"),
    "unknown detail": ({"kitchen": {"val": "x"}}, "unknown key 'val'; did you mean 'value'?"),
    "details in a text": ({"kitchen": {"value": "sushi", "meta": "x"}}, "a mapping as 'meta'"),
    "text": ("sushi", "give a mapping from elements to values"),
    "entity of another model": (Entity("car", frozenset({"car"}), "car"), "no element 'car'"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_what_cannot_be_an_entity_is_named_with_a_way_out(bot, case):
    spec, message = MISTAKES[case]
    with pytest.raises(HandlerError) as error:
        build(bot, spec)
    assert str(error.value).startswith("the handler of 'i': ")
    assert message in str(error.value)
