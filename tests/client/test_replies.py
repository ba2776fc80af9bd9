"""What the clients make of the answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from anaphora.client import Dialog, ServerError, Slot, UnusedEntity, UnusedPart
from tests.client.conftest import REPLY, Caller, Service

ENTITY = {
    "element": "city",
    "value": "Kyoto",
    "text": "kyoto",
    "groups": ["city"],
    "start": 0,
    "end": 5,
    "misspelt": False,
}
EXPLANATION = {
    "text": "And in Kyoto?",
    "language": "en",
    "status": "matched",
    "reason": "",
    "entities": [ENTITY],
    "reading": [ENTITY],
    "unused": [],
    "unknown": ["hm"],
    "offered": [ENTITY | {"ago": 2}],
    "hidden": [ENTITY | {"by": ["city"]}],
    "matches": [
        {
            "intent": "weather",
            "taken": [ENTITY | {"term": "city", "source": "sentence"}],
            "why": "more words",
            "skipped": False,
        }
    ],
    "misses": [{"intent": "time", "reason": "nothing fills topic"}],
    "untouched": 3,
    "forgotten": [ENTITY | {"rule": "evicted", "by": "city=Kyoto"}],
    "notes": ["a note"],
}


def test_a_reply_has_typed_fields(call: Caller, service: Service) -> None:
    service.answers(REPLY)
    reply = call("ask", "And in Kyoto?")
    assert (reply.status, reply.intent, reply.text, reply.model) == (
        "matched",
        "weather",
        "Fine.",
        "weather",
    )
    assert reply.slots["city"] == Slot("Kyoto", "kyoto", "city", "sentence")
    assert reply.memory[0].groups == ("city",)
    assert reply.unused == (
        UnusedPart("Osaka now", 18, 27, (UnusedEntity("city", "Osaka", "Osaka"),), ("now",)),
    )
    assert reply.explanation is None


def test_a_slot_may_hold_several(call: Caller, service: Service) -> None:
    several = {"value": ["a", "b"], "text": ["A", "B"], "element": ["x", "x"], "source": ["memory"]}
    service.answers(REPLY | {"slots": {"all": several}, "result": {"any": [1, None]}})
    reply = call("ask", "Hi")
    assert reply.slots["all"].value == ["a", "b"]
    assert reply.result == {"any": [1, None]}


def test_what_a_newer_server_says_beside_it_is_in_raw(call: Caller, service: Service) -> None:
    slot = REPLY["slots"]["city"] | {"certainty": 0.5}  # type: ignore[index]  # a plain dictionary
    answer = REPLY | {"mood": "sunny", "slots": {"city": slot}, "raw": "mine"}
    service.answers(answer)
    reply = call("ask", "Hi")
    assert reply.text == "Fine."
    assert reply.raw == answer


def test_an_explanation_has_typed_fields(call: Caller, service: Service) -> None:
    service.answers(REPLY | {"explanation": EXPLANATION}, EXPLANATION)
    reply = call("ask", "Hi", explain=True)
    found = reply.explanation
    assert (found.reading[0].value_or_text, found.unknown, found.untouched) == ("Kyoto", ("hm",), 3)
    assert (found.offered[0].ago, found.hidden[0].by) == (2, ("city",))
    assert (found.matches[0].taken[0].term, found.misses[0].intent) == ("city", "time")
    assert (found.forgotten[0].rule, found.forgotten[0].by) == ("evicted", "city=Kyoto")
    assert call("explain", "Hi") == found


def test_a_dialog_keeps_what_was_answered_before_the_problem(
    call: Caller, service: Service
) -> None:
    failed = {
        "type": "urn:anaphora:problem:handler-failed",
        "title": "Handler failed",
        "status": 500,
        "detail": "It is broken.",
    }
    service.answers({"replies": [REPLY, REPLY], "problem": failed})
    dialog: Dialog = call("dialog", ["a", "b", "c"])
    assert [reply.text for reply in dialog.replies] == ["Fine.", "Fine."]
    assert isinstance(dialog.problem, ServerError)
    assert dialog.problem.slug == "handler-failed"
    assert dialog.replies[0].raw == REPLY


def test_a_conversation_has_times(call: Caller, service: Service) -> None:
    at = "2026-01-05T09:00:00Z"
    held = {
        "element": "city",
        "value": "Kyoto",
        "text": "kyoto",
        "groups": ["city"],
        "meta": {"country": "JP"},
        "stored_at": at,
        "used_at": at,
        "expires_at": "2026-01-05T09:05:00Z",
        "questions_ago": 1,
        "matches_left": 2,
    }
    answer: dict[str, Any] = {
        "user": "ann",
        "model": "weather",
        "language": "en",
        "questions": 2,
        "matches": 2,
        "rejections": 0,
        "now": at,
        "last": at,
        "expires": "2026-01-05T09:05:00Z",
        "timeout": 300.0,
        "depth": 3,
        "remembered": [held],
        "flow": [{"intent": "weather", "at": at}],
        "pending": {
            "intent": "weather",
            "missing": ["city"],
            "at": at,
            "entities": [{k: held[k] for k in ("element", "value", "text", "groups", "meta")}],
        },
        "offer": {
            "question": "And tomorrow?",
            "entities": [{k: held[k] for k in ("element", "value", "text", "groups", "meta")}],
            "said_at": "2026-01-05T07:00:00Z",
            "at": at,
        },
    }
    service.answers(answer)
    found = call("conversation", user="ann")
    moment = datetime(2026, 1, 5, 9, tzinfo=UTC)
    assert (found.now, found.expires) == (moment, moment + timedelta(minutes=5))
    assert found.timeout == timedelta(minutes=5)
    assert (found.remembered[0].stored_at, found.remembered[0].matches_left) == (moment, 2)
    assert found.flow[0].intent == "weather"
    assert (found.pending.missing, found.pending.entities[0].value) == (("city",), "Kyoto")
    assert (found.offer.question, found.offer.entities[0].value) == ("And tomorrow?", "Kyoto")
    assert found.offer.said_at == moment - timedelta(hours=2)


def test_models_keys_and_reports_have_typed_fields(call: Caller, service: Service) -> None:
    term = {"name": "city", "required": True, "conversational": True}
    element = {"id": "city", "groups": ["city"], "topic": False, "values": ["Kyoto"]}
    model = {
        "id": "weather",
        "timeout": 60,
        "elements": [element],
        "intents": [{"id": "weather", "terms": [term]}],
        "samples": [["a", "b"]],
    }
    turn = {"said": "a", "status": None, "text": "", "failures": ["not so"]}
    report = {"passed": False, "dialogs": [{"name": "d", "line": 3, "turns": [turn]}]}
    key = {"id": "k", "scopes": ["ask"], "user": None, "expires": "2026-01-05T09:00:00Z"}
    service.answers({"models": [{"id": "weather", "elements": 3, "default": True}]})
    (listed,) = call("models")
    assert (listed.id, listed.elements, listed.default) == ("weather", 3, True)
    service.requests.clear()
    service.answers(model, report, key)
    found = call("model", "weather")
    assert found.timeout == timedelta(minutes=1)
    assert (found.elements[0].values, found.intents[0].terms[0].name) == (("Kyoto",), "city")
    assert found.samples == (("a", "b"),)
    checked = call("check", "weather")
    assert checked.dialogs[0].turns[0].failures == ("not so",)
    assert call("key").expires == datetime(2026, 1, 5, 9, tzinfo=UTC)
