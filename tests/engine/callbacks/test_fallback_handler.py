"""A function that answers when nothing else does."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Engine, HandlerError, Reject, UnknownModel, parse_model

MODEL = """\
id: tea
elements:
  - {id: order, groups: [verb], synonyms: ["{want|get}"]}
  - {id: drink, values: {tea: [], coffee: []}}
intents:
  - "intent=order term(verb)~{# == 'order'} term(drink)~{# == 'drink'}"
responses: {order: "{{ drink }}"}
fallback: {text: Sorry?, examples: [Get me a tea!]}
"""

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def engine():
    return Engine(parse_model(MODEL))


def ask(engine, *questions):
    return [engine.ask(question, at=NOW).text for question in questions]


def test_what_it_returns_is_said(engine):
    @engine.on_fallback
    def phone(unknown, failures):
        return f"No {unknown} ({failures})."

    reply = engine.ask("a pink elephant")
    assert (reply.status, reply.text) == ("rejected", "No pink elephant (1).")
    assert reply.reason == "nothing in it is known to this bot"


def test_if_it_returns_nothing_the_texts_of_the_model_are_said(engine):
    engine.on_fallback(lambda failures: "A person will help you." if failures > 1 else None)
    assert ask(engine, "elephant", "elephant") == ["Sorry?", "A person will help you."]


def test_a_model_without_texts_may_have_one():
    engine = Engine(parse_model(MODEL.split("fallback:")[0]))
    engine.on_fallback(lambda kind: None if kind == "unknown" else kind)
    assert ask(engine, "elephant", "tea") == ["nothing in it is known to this bot", "incomplete"]


def test_it_gets_what_it_asks_for(engine):
    seen = {}
    engine.on_fallback(lambda **given: seen.update(given))
    engine.ask("Tea!", user="ann", at=NOW)
    assert seen.pop("conversation").user == "ann"
    assert seen == {
        "text": "Tea!",
        "reason": "for order it lacks: verb",
        "kind": "incomplete",
        "unknown": (),
        "examples": ("Get me a tea!",),
        "failures": 1,
        "user": "ann",
        "language": "en",
        "at": NOW,
        "data": {},
    }


def test_it_sees_the_memory_and_may_forget_and_keep_data(engine):
    @engine.on_fallback
    def hand_over(conversation, data):
        data["times"] = data.get("times", 0) + 1
        known = [entity.value_or_text for entity in conversation.entities]
        conversation.forget(lambda entity: entity.element == "drink")
        return f"{known} {data['times']}"

    assert ask(engine, "get me a tea", "elephant") == ["tea", "['get', 'tea'] 1"]
    assert ask(engine, "elephant") == ["['get'] 2"]
    assert engine.conversation(at=NOW).rejections == 2


def test_it_is_not_called_for_what_a_handler_rejects_in_words(engine):
    called = []
    engine.on_fallback(lambda text: called.append(text))

    @engine.on("order")
    def order():
        raise Reject("We are closed.")

    assert ask(engine, "get me a tea") == ["We are closed."]
    assert not called


def test_the_hook_of_rejections_comes_first(engine):
    engine.hook("rejection")(lambda reason: "Hook.")
    engine.on_fallback(lambda: "Fallback.")
    assert ask(engine, "elephant") == ["Hook."]


def test_explaining_does_not_call_it(engine):
    called = []
    engine.on_fallback(lambda text: called.append(text))
    explanation = engine.explain("elephant")
    assert explanation.reason == "nothing in it is known to this bot"
    assert not called


def test_something_else_than_a_text_is_the_result(engine):
    engine.on_fallback(lambda: {"ticket": 7})
    reply = engine.ask("elephant")
    assert (reply.result, reply.text) == ({"ticket": 7}, "")


def test_one_that_fails_is_an_error_and_changes_nothing(engine):
    ask(engine, "get me a tea")
    before = engine.conversation(at=NOW)

    @engine.on_fallback
    def broken(conversation, data):
        conversation.forget()
        data["half"] = "done"
        raise OSError("no route")

    with pytest.raises(HandlerError, match="the fallback handler failed: OSError: no route"):
        ask(engine, "elephant")
    assert engine.conversation(at=NOW) == before


def test_data_that_is_no_json_is_an_error(engine):
    engine.on_fallback(lambda data: data.update(at=NOW))
    with pytest.raises(HandlerError, match="the fallback handler left something in 'data'"):
        engine.ask("elephant")


async def later(text):
    return text


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (later, "is async"),
        (lambda question: None, "has a parameter 'question', which is not known; there are: text"),
        (lambda text, /: None, "takes 'text' by position"),
        (dict, "cannot be a handler"),
    ],
)
def test_a_function_that_does_not_fit_is_refused(engine, function, message):
    with pytest.raises(HandlerError, match=message):
        engine.on_fallback(function)
    assert ask(engine, "elephant") == ["Sorry?"]


def test_it_serves_one_model_or_all():
    engine = Engine(parse_model(MODEL), parse_model(MODEL.replace("id: tea", "id: other", 1)))
    engine.on_fallback(lambda: "All.")
    engine.on_fallback(lambda: "Other.", model="other")
    assert [engine.ask("x", model=model).text for model in ("tea", "other")] == ["All.", "Other."]
    with pytest.raises(UnknownModel):
        engine.on_fallback(lambda: "Nobody.", model="nobody")


def test_it_stays_when_the_model_is_reloaded(tmp_path):
    file = tmp_path / "tea.yaml"
    file.write_text(MODEL)
    engine = Engine(file)
    engine.on_fallback(lambda unknown: f"No {unknown}.")
    file.write_text(MODEL.replace("Sorry?", "Pardon?"))
    engine.reload()
    assert ask(engine, "elephant") == ["No elephant."]


def test_a_bot_with_one_may_block(engine):
    assert not engine.may_block("tea")
    engine.on_fallback(lambda: None)
    assert engine.may_block("tea")
