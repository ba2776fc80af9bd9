"""The entities of an answer: from the model's templates, or from what a handler returns."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from anaphora import Answer, HandlerError, Request, User, parse_model
from anaphora.engine.answering.bot_entities import BotEntities, find_bot_entities
from anaphora.engine.answering.resolution import resolve
from anaphora.engine.bots.bot import Bot
from anaphora.engine.turn import Turn
from anaphora.stm.conversation import Conversation

MODEL = """
id: places
entities: [date, money, number]
elements:
  - {id: find, topic: true}
  - {id: kitchen, values: {Japanese: [sushi], Italian: [pizza]}}
  - {id: name, values: [Kiku, Roma, Sora]}
intents:
  - "intent=find term={# == 'find'} term(kitchen)~{# == 'kitchen'}[0,3] term(day)~{# == 'date'}?"
"""
PLACES = [{"name": "Kiku", "price": 30}, {"name": "Sora", "price": 45}]


def said(
    keys: str, result: Any = None, text: str = "find sushi on Friday"
) -> tuple[list[str], list[list[str]]]:
    """The mentions and offers of the answer to a question, of a model with these further keys."""
    found = find(keys, result, text)
    return [str(one) for one in found.mentions], [list(map(str, one)) for one in found.offers]


def find(keys: str, result: Any = None, text: str = "find sushi on Friday") -> BotEntities:
    bot = Bot(parse_model(MODEL + keys))
    turn = Turn(text, bot, User("ann"), datetime(2026, 11, 23, 15, tzinfo=UTC), Request())
    decision = resolve(turn, bot.read(text, at=turn.now), Conversation.empty(turn.key))
    return find_bot_entities(bot, decision, decision.matches[0].filling, result)


def test_an_answer_says_nothing_unless_the_model_or_the_handler_does():
    assert said("", "a text") == ([], [])
    assert said("", Answer("a text")) == ([], [])


class TestMentions:
    def test_are_written_in_the_model(self):
        keys = "mentions: {find: {name: '{{ result.name }}', money: '${{ result.price }}'}}"
        assert said(keys, PLACES[0]) == (["name=Kiku", "money=30 USD"], [])

    def test_may_be_fixed(self):
        assert said("mentions: {find: {name: Roma}}") == (["name=Roma"], [])

    def test_may_be_slots(self):
        found = find("mentions: {find: [kitchen, day]}", text="find sushi, pizza on Friday")
        assert [one.text for one in found.mentions] == ["sushi", "pizza", "Friday"]
        assert said("mentions: {find: [kitchen, day]}", text="find") == ([], [])

    def test_may_use_slots(self):
        keys = "mentions: {find: {kitchen: '{{ kitchen }}', date: '{{ day }}'}}"
        assert said(keys) == (["kitchen=Japanese", "date=2026-11-27"], [])
        assert said(keys, text="find") == ([], [])

    @pytest.mark.parametrize("template", ["'{{ slots.kitchen }}'", "'{{ kitchen }}'"])
    def test_may_be_several_of_one_element(self, template):
        keys = f"mentions: {{find: {{kitchen: {template}}}}}"
        mentions, _ = said(keys, text="find sushi and pizza")
        assert mentions == ["kitchen=Japanese", "kitchen=Italian"]

    @pytest.mark.parametrize("name", [None, "", " "])
    def test_leave_out_what_is_empty(self, name):
        assert said("mentions: {find: {name: '{{ result.name }}'}}", {"name": name}) == ([], [])

    def test_may_be_conditional(self):
        keys = "mentions: {find: {name: '{% if result %}Kiku{% endif %}'}}"
        assert said(keys, "x") == (["name=Kiku"], [])
        assert said(keys, "") == ([], [])

    def test_may_come_from_the_handler(self):
        answer = Answer("At Kiku.", mentions={"name": "Kiku", "number": 2})
        assert said("", answer) == (["name=Kiku", "number=2"], [])

    def test_of_the_handler_take_the_place_of_the_model_s(self):
        keys = "mentions: {find: {name: Roma}}"
        assert said(keys, Answer(mentions={"name": "Kiku"})) == (["name=Kiku"], [])
        assert said(keys, Answer(mentions={})) == ([], [])
        assert said(keys, Answer("At Roma.")) == (["name=Roma"], [])


class TestOffers:
    EACH = """
offers:
  find: {each: result, entities: {name: "{{ item.name }}", money: "{{ item.price }} euros"}}
"""

    def test_are_bundles(self):
        keys = "offers: {find: [{name: Kiku, number: 2}, {name: '{{ result }}'}]}"
        assert said(keys, "Sora") == ([], [["name=Kiku", "number=2"], ["name=Sora"]])

    def test_may_be_one_for_each_item_that_the_handler_returned(self):
        expected = [["name=Kiku", "money=30 EUR"], ["name=Sora", "money=45 EUR"]]
        assert said(self.EACH, PLACES) == ([], expected)
        assert said(self.EACH, Answer("Two places.", result=PLACES)) == ([], expected)

    @pytest.mark.parametrize("each", ["result.places", "result.places[:1] + result.places[1:]"])
    def test_may_be_an_expression(self, each):
        keys = f"offers: {{find: {{each: '{each}', entities: {{name: '{{{{ item.name }}}}'}}}}}}"
        assert said(keys, {"places": PLACES}) == ([], [["name=Kiku"], ["name=Sora"]])

    @pytest.mark.parametrize("result", [None, [], ()])
    def test_may_be_none(self, result):
        assert said(self.EACH, result) == ([], [])

    def test_leave_out_empty_bundles(self):
        keys = "offers: {find: [{name: ''}, {name: Kiku}]}".replace("''", "'{{ result }}'")
        assert said(keys) == ([], [["name=Kiku"]])
        assert said("", Answer(offers=[{}, {"name": "Kiku"}, {"name": None}])) == (
            [],
            [["name=Kiku"]],
        )

    def test_may_come_from_the_handler(self):
        answer = Answer(offers=[{"name": one["name"], "money": one["price"]} for one in PLACES])
        assert said(self.EACH, answer) == (
            [],
            [["name=Kiku", "money=30"], ["name=Sora", "money=45"]],
        )

    def test_may_be_a_slot_named_as_the_result(self):
        model = MODEL.replace("term(day)", "term(result)")
        bot = Bot(parse_model(model + "mentions: {find: {date: '{{ result }}'}}"))
        turn = Turn(
            "find on Friday", bot, User("ann"), datetime(2026, 11, 23, tzinfo=UTC), Request()
        )
        decision = resolve(turn, bot.read(turn.text, at=turn.now), Conversation.empty(turn.key))
        found = find_bot_entities(bot, decision, decision.matches[0].filling, "x")
        assert [str(one) for one in found.mentions] == ["date=2026-11-27"]


@pytest.mark.parametrize(
    ("keys", "result", "message"),
    [
        (
            "mentions: {find: {name: '{{ result }}'}}",
            "Kikuu",
            "'mentions' of 'find': 'Kikuu' is no",
        ),
        ("offers: {find: [{name: '{{ result }}'}]}", "Kikuu", "'offers' of 'find': 'Kikuu' is no"),
        (TestOffers.EACH, "Kiku", "'offers' of 'find', 'result': expected a list, not 'Kiku'"),
        (TestOffers.EACH, {"a": 1}, "expected a list"),
        ("offers: {find: {each: 1 // 0, entities: {name: x}}}", None, "cannot be evaluated"),
        ("", Answer(mentions={"name": "Kikuu"}), "the handler of 'find', mentions: 'Kikuu'"),
        ("", Answer(offers={"name": "Kiku"}), "the handler of 'find', offers: expected a list"),
        ("", Answer(offers=["Kiku"]), "the handler of 'find', offers: 'Kiku' is no entity"),
    ],
)
def test_a_mistake_is_reported_with_its_place(keys, result, message):
    with pytest.raises(HandlerError, match=message):
        said(keys, result)


def test_an_answer_has_a_text_and_everything_else_under_its_name():
    with pytest.raises(TypeError, match="the text of an answer is not 5: put it into 'result'"):
        Answer(5)  # type: ignore[arg-type]
