"""Hooks around the answering of a question."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from anaphora import Engine, HandlerError, Reject, Skip, parse_model

MODEL = """
id: tea
elements:
  - {id: order, groups: [verb], synonyms: ["{want|get}"]}
  - {id: drink, values: {tea: [], coffee: []}}
  - {id: size, values: {small: [], large: []}}
intents:
  - "intent=order term(verb)~{# == 'order'} term(drink)~{# == 'drink'} term(size)~{# == 'size'}?"
responses:
  order: "{{ drink }}{% if size %}, {{ size }}{% endif %}"
"""


NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)

TOPICS = MODEL.replace("groups: [verb],", "groups: [verb], topic: true,").replace(
    "intents:",
    """  - {id: sell, groups: [verb], topic: true}
intents:
  - "intent=sell term={# == 'sell'} term(drink)~{# == 'drink'}"
""".rstrip(),
)


@pytest.fixture
def engine():
    return Engine(parse_model(MODEL))


class TestContext:
    def test_it_may_answer_before_any_intent_is_looked_for(self, engine):
        @engine.hook("context")
        def greet(utterance, conversation):
            return "Hello!" if utterance.text == "hi" else None

        reply = engine.ask("hi")
        assert (reply.status, reply.intent, reply.text) == ("matched", None, "Hello!")
        assert engine.ask("get me a tea").text == "tea"

    def test_such_an_answer_changes_nothing_in_memory_but_may_forget(self, engine):
        engine.ask("get me a large tea")

        @engine.hook("context")
        def forgetful(utterance, conversation):
            if utterance.text == "any size":
                conversation.forget(lambda entity: entity.element == "size")
                return "Any size, then."
            return None

        engine.ask("any size")
        assert [held.entity.element for held in engine.memory()] == ["order", "drink"]
        assert engine.ask("coffee").text == "coffee"

    def test_what_it_forgets_is_forgotten_for_the_intents_too(self, engine):
        engine.ask("get me a large tea")

        @engine.hook("context")
        def any_size(utterance, conversation):
            conversation.forget(lambda entity: entity.element == "size")

        assert engine.ask("a coffee").text == "coffee"

    def test_it_sees_the_memory_that_a_change_of_topic_would_wipe_out_and_keeps_it(self):
        engine = Engine(parse_model(TOPICS))
        engine.ask("get me a large tea")

        @engine.hook("context")
        def not_now(utterance, conversation):
            return (
                f"{len(conversation.entities)} things first" if "sell" in utterance.text else None
            )

        assert engine.ask("sell coffee").text == "3 things first"
        assert len(engine.memory()) == 3


class TestIntent:
    def test_it_may_forget_and_have_the_question_matched_again(self, engine):
        engine.ask("get me a large tea")

        @engine.hook("intent")
        def one_size_a_drink(match, conversation):
            if match.slots["drink"].source == "sentence" and "size" in match.slots:
                conversation.forget(lambda entity: entity.element == "size")
                return False
            return True

        reply = engine.ask("and a coffee", explain=True)
        assert reply.text == "coffee"
        assert "size" not in reply.slots
        assert "forgotten: size=large, because the conversation was reset" in str(reply.explanation)

    def test_one_that_always_says_no_is_stopped(self, engine):
        calls = []

        @engine.hook("intent")
        def never(match, conversation):
            calls.append(match)
            return False

        reply = engine.ask("get me a tea")
        assert (reply.status, reply.reason) == (
            "rejected",
            "the hook 'intent' sent back 10 matches",
        )
        assert len(calls) == 10
        assert not engine.memory()

    def test_a_topic_that_it_refuses_for_good_leaves_the_memory_as_it_was(self):
        engine = Engine(parse_model(TOPICS))
        engine.ask("get me a large tea")
        before = engine.conversation()
        engine.hook("intent")(lambda match, conversation: False)
        assert engine.ask("sell coffee").status == "rejected"
        assert engine.conversation().remembered == before.remembered
        assert engine.conversation().flow == before.flow

    def test_it_must_say_yes_or_no(self, engine):
        engine.hook("intent")(lambda match, conversation: None)
        with pytest.raises(HandlerError, match="must return True or False, not None"):
            engine.ask("get me a tea")


class TestVariant:
    def test_it_may_drop_a_way_to_read_the_sentence(self):
        text = MODEL.replace("intents:", "  - {id: brand, synonyms: [tea]}\nintents:")
        engine = Engine(parse_model(text, intents=["intent=ad term={# == 'brand'}"]))
        assert engine.ask("get me a tea").intent == "order"

        @engine.hook("variant")
        def without_drinks(variant):
            return all(entity.element != "drink" for entity in variant.entities)

        assert engine.ask("get me a tea", user="another").intent == "ad"
        reply = engine.ask("get me a coffee")
        assert (reply.status, reply.reason) == ("rejected", "every reading of it was rejected")

    def test_silence_is_over_even_where_every_way_to_read_the_question_is_refused(self):
        engine = Engine(parse_model(MODEL), clock=lambda: NOW + timedelta(minutes=7))
        engine.ask("get me a large tea", at=NOW)
        engine.hook("variant")(lambda variant: False)
        engine.ask("coffee", at=NOW + timedelta(minutes=6))
        assert not engine.conversation().flow
        assert not engine.memory()

    def test_a_question_whose_readings_are_all_refused_can_be_explained(self, engine):
        engine.ask("get me a large tea")
        engine.hook("variant")(lambda variant: False)
        asked = engine.ask("small coffee", explain=True).explanation
        for explanation in (asked, engine.explain("small coffee")):
            assert (explanation.status, explanation.reading) == ("rejected", ())
            assert explanation.unknown == ("small", "coffee")
            assert {one.entity.text for one in explanation.offered} == {"get", "large", "tea"}

    def test_an_answer_to_its_failure_can_be_explained(self, engine):
        engine.hook("variant")(lambda variant: 1 / 0)
        engine.hook("error")(lambda error: "Something went wrong.")
        for explanation in (
            engine.ask("get me a tea", explain=True).explanation,
            engine.explain("get me a tea"),
        ):
            assert (explanation.status, explanation.reading) == ("rejected", ())
            assert "the hook 'variant' failed" in explanation.reason

    def test_its_failure_too_may_be_answered(self, engine):
        engine.hook("variant")(lambda variant: 1 / 0)
        with pytest.raises(HandlerError, match="the hook 'variant' failed: ZeroDivisionError"):
            engine.ask("get me a tea")
        engine.hook("error")(lambda error: "Something went wrong.")
        assert engine.ask("get me a tea").text == "Something went wrong."


class TestResult:
    def test_it_may_change_what_is_answered(self, engine):
        engine.hook("result")(lambda match, result: f"{match.intent.id}: {result}")
        assert engine.ask("get me a tea").text == "order: tea"

    def test_none_leaves_the_answer_as_it_is(self, engine):
        engine.hook("result")(lambda match, result: None)
        assert engine.ask("get me a tea").text == "tea"


class TestRejection:
    def test_it_may_answer_what_was_rejected(self, engine):
        engine.hook("rejection")(lambda reason: f"Sorry: {reason}")

        @engine.on("order")
        def closed(drink):
            raise Reject("we are closed")

        reply = engine.ask("get me a tea")
        assert (reply.status, reply.text) == ("rejected", "Sorry: we are closed")
        assert reply.reason == "we are closed"
        assert engine.ask("blue").text.startswith("Sorry: nothing in it")

    def test_explaining_calls_no_hook_of_an_answer(self, engine):
        called = []
        engine.hook("rejection")(called.append)
        engine.explain("blue")
        assert not called


class TestError:
    def test_it_may_answer_what_failed_and_the_memory_is_as_before(self, engine):
        engine.ask("get me a large tea")
        before = engine.conversation()

        @engine.on("order")
        def broken(drink):
            raise ZeroDivisionError

        engine.hook("error")(lambda error: "Something went wrong.")
        reply = engine.ask("a coffee")
        assert (reply.status, reply.text) == ("rejected", "Something went wrong.")
        assert "ZeroDivisionError" in reply.reason
        assert engine.conversation().remembered == before.remembered

    def test_without_an_answer_the_error_comes_out(self, engine):
        engine.hook("error")(lambda error: None)

        @engine.on("order")
        def broken(drink):
            raise ZeroDivisionError

        with pytest.raises(HandlerError, match="ZeroDivisionError"):
            engine.ask("get me a tea")


def test_a_hook_that_fails_is_an_error_of_the_question(engine):
    @engine.hook("context")
    def broken(utterance, conversation):
        return 1 / 0

    with pytest.raises(HandlerError, match="the hook 'context' failed: ZeroDivisionError"):
        engine.ask("get me a tea")


@pytest.mark.parametrize("name", ["context", "intent", "result"])
def test_a_hook_may_reject_as_a_handler_may(engine, name):
    def closed(*arguments):
        raise Reject("we are closed")

    engine.hook(name)(closed)
    engine.hook("rejection")(lambda reason: f"Sorry: {reason}")
    reply = engine.ask("get me a tea")
    assert (reply.status, reply.reason, reply.text) == (
        "rejected",
        "we are closed",
        "Sorry: we are closed",
    )
    assert not engine.memory()


@pytest.mark.parametrize("name", ["intent", "result"])
def test_a_hook_after_a_match_may_leave_the_question_to_the_next_one(name):
    engine = Engine(parse_model(MODEL, intents=["intent=any term={# == 'drink'}"]))

    def not_orders(match, other):
        if match.intent.id == "order":
            raise Skip
        return True if name == "intent" else "any drink"

    engine.hook(name)(not_orders)
    assert engine.ask("get me a tea").intent == "any"


def test_an_async_hook_is_refused(engine):
    async def later(match, result):
        return result

    with pytest.raises(HandlerError, match="the hook 'result' is async"):
        engine.hook("result")(later)


def test_an_unknown_hook_is_reported(engine):
    with pytest.raises(HandlerError, match="did you mean 'context'"):
        engine.hook("contxt")(print)


class TestTheConversationOfAHandler:
    def test_a_handler_sees_what_was_remembered_before_its_question(self, engine):
        seen = []

        @engine.on("order")
        def order(drink, conversation):
            seen.append([entity.value_or_text for entity in conversation.entities])
            assert [step.intent for step in conversation.flow] == ["order"] * len(seen[:-1])
            return drink

        engine.ask("get me a tea")
        engine.ask("large")
        assert seen == [[], ["get", "tea"]]

    def test_it_may_forget_entities_and_flow_but_what_it_answered_stays(self, engine):
        @engine.on("order")
        def order(drink, conversation):
            conversation.forget()
            conversation.forget_flow(lambda step: step.intent == "order")
            return drink

        engine.ask("get me a large tea")
        engine.ask("get me a coffee")
        assert {held.entity.value_or_text for held in engine.memory()} == {"get", "coffee"}
        assert len(engine.conversation().flow) == 1

    def test_nothing_is_forgotten_if_it_fails(self, engine):
        engine.ask("get me a large tea")

        @engine.on("order")
        def order(drink, conversation):
            conversation.forget()
            raise ValueError

        with pytest.raises(HandlerError):
            engine.ask("a coffee")
        assert len(engine.memory()) == 3
