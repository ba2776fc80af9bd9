"""What the clients send."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from anaphora.client import AsyncClient, Client
from anaphora.errors import AnaphoraError
from anaphora.version import __version__
from tests.client.conftest import REPLY, Caller, Service

CONVERSATION = {"user": "ann", "model": "weather"}
MODEL = {"id": "weather"}

CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any], dict[str, Any], tuple[str, str, Any]]] = [
    ("ask", ("Hi",), {}, REPLY, ("POST", "/v1/ask", {"text": "Hi"})),
    (
        "ask",
        ("Hi",),
        {
            "user": "ann",
            "model": "weather",
            "at": datetime(2026, 1, 5, 9, tzinfo=UTC),
            "language": "en",
            "time_zone": "Asia/Tokyo",
            "data": {"k": [1]},
            "explain": True,
        },
        REPLY,
        (
            "POST",
            "/v1/ask",
            {
                "text": "Hi",
                "user": "ann",
                "model": "weather",
                "at": "2026-01-05T09:00:00+00:00",
                "language": "en",
                "time_zone": "Asia/Tokyo",
                "data": {"k": [1]},
                "explain": True,
            },
        ),
    ),
    (
        "dialog",
        (("a", "b"),),
        {"user": "ann"},
        {"replies": [], "problem": None},
        ("POST", "/v1/dialog", {"texts": ["a", "b"], "user": "ann"}),
    ),
    (
        "explain",
        ("Hi",),
        {"model": "weather"},
        {"text": "Hi", "status": "matched"},
        ("POST", "/v1/explain", {"text": "Hi", "model": "weather"}),
    ),
    (
        "conversation",
        (),
        {"user": "a/b&c=d?", "model": "x y"},
        CONVERSATION,
        ("GET", "/v1/conversation?user=a%2Fb%26c%3Dd%3F&model=x+y", None),
    ),
    ("conversation", (), {}, CONVERSATION, ("GET", "/v1/conversation", None)),
    (
        "forget",
        (),
        {"user": "ann", "what": "entities"},
        CONVERSATION,
        ("DELETE", "/v1/conversation?user=ann&what=entities", None),
    ),
    (
        "forget",
        (),
        {"group": "city"},
        CONVERSATION,
        ("DELETE", "/v1/conversation?group=city", None),
    ),
    ("active_model", (), {"user": "ann"}, CONVERSATION, ("GET", "/v1/active-model?user=ann", None)),
    (
        "switch",
        ("sales",),
        {"user": "ann"},
        CONVERSATION,
        ("PUT", "/v1/active-model", {"user": "ann", "model": "sales"}),
    ),
    (
        "switch",
        (None,),
        {"user": "ann"},
        CONVERSATION,
        ("DELETE", "/v1/active-model?user=ann", None),
    ),
    ("history", (), {"user": "ann"}, CONVERSATION, ("GET", "/v1/history?user=ann", None)),
    ("recall", (), {}, {"user": "ann"}, ("GET", "/v1/recall", None)),
    (
        "recall",
        ("tea & cake",),
        {
            "user": "ann",
            "model": "weather",
            "how": "text",
            "language": "en",
            "since": datetime(2026, 1, 5, tzinfo=UTC),
            "until": datetime(2026, 1, 6, tzinfo=UTC),
            "intent": "order",
            "slots": {"size": "large"},
            "page": 2,
            "size": 5,
            "neighbours": 0,
        },
        {"user": "ann"},
        (
            "GET",
            "/v1/recall?user=ann&text=tea+%26+cake&model=weather&how=text&language=en"
            "&since=2026-01-05T00%3A00%3A00%2B00%3A00&until=2026-01-06T00%3A00%3A00%2B00%3A00"
            "&intent=order&slots=%7B%22size%22%3A+%22large%22%7D&page=2&size=5&neighbours=0",
            None,
        ),
    ),
    ("erase", (), {"user": "ann"}, {"user": "ann"}, ("DELETE", "/v1/user?user=ann", None)),
    ("models", (), {}, {"models": [MODEL]}, ("GET", "/v1/models", None)),
    ("model", ("../x",), {}, MODEL, ("GET", "/v1/model?id=..%2Fx", None)),
    ("reload", ("weather",), {}, MODEL, ("POST", "/v1/model/reload?id=weather", None)),
    ("check", ("weather",), {}, {"passed": True}, ("POST", "/v1/model/check?id=weather", None)),
    ("key", (), {}, {"id": None}, ("GET", "/v1/key", None)),
    ("health", (), {}, {"status": "ok"}, ("GET", "/health", None)),
    ("ready", (), {}, {"status": "ok"}, ("GET", "/ready", None)),
]


@pytest.mark.parametrize(("method", "arguments", "options", "answer", "sent"), CALLS)
def test_each_method_sends_its_request(
    call: Caller,
    service: Service,
    method: str,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    answer: dict[str, Any],
    sent: tuple[str, str, Any],
) -> None:
    service.answers(answer)
    call(method, *arguments, **options)
    assert service.sent == [sent]


def test_every_method_is_sent_somewhere_above_or_in_the_tests_of_events() -> None:
    methods = {
        name for name, found in vars(Client).items() if not name.startswith("_") and callable(found)
    }
    assert methods == {method for method, *_ in CALLS} | {"events", "close", "agent", "agents"}


def test_health_tells_how_many_items_are_in_quarantine(call: Caller, service: Service) -> None:
    counts = {"quarantined": 3, "quarantined_conversations": 2}
    service.answers({"status": "ok", "version": "1.0", **counts})
    health = call("health")
    assert (health.quarantined, health.quarantined_conversations) == (3, 2)


def test_both_clients_have_the_same_methods() -> None:
    def public(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    assert public(Client) - {"close"} == public(AsyncClient) - {"aclose"}


def test_the_key_and_the_version_of_the_client_go_with_every_request(
    call: Caller, service: Service
) -> None:
    service.answers({"status": "ok"})
    call.on(call.make(key="ana_a_b"), "health")
    headers = service.requests[0].headers
    assert headers["authorization"] == "Bearer ana_a_b"
    assert headers["user-agent"] == f"anaphora/{__version__}"


def test_without_a_key_none_is_sent(call: Caller, service: Service) -> None:
    service.answers({"status": "ok"})
    call("health")
    assert "authorization" not in service.requests[0].headers


@pytest.mark.parametrize("url", ["http://server/bots", "http://server/bots/"])
def test_a_service_below_a_path_is_found_there(call: Caller, service: Service, url: str) -> None:
    service.answers({"status": "ok"})
    call.on(call.make(url), "health")
    assert str(service.requests[0].url) == "http://server/bots/health"


@pytest.mark.parametrize("text", ["", "\u2028", "日本語 🌧️", "\0", "\ud800", '"}{'])
def test_any_text_arrives_as_it_was_given(call: Caller, service: Service, text: str) -> None:
    service.answers(REPLY)
    call("ask", text)
    assert service.sent[0][2] == {"text": text}
    assert service.requests[0].headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("method", "arguments", "options", "error", "said"),
    [
        ("ask", ("Hi",), {"at": datetime(2026, 1, 5)}, ValueError, "no time zone"),
        ("ask", ("Hi",), {"usr": "ann"}, TypeError, "usr"),
        ("ask", ("Hi",), {"data": {"k": object()}}, TypeError, "JSON"),
        ("ask", ("Hi",), {"data": {"k": float("nan")}}, ValueError, "JSON"),
        ("recall", ("Hi",), {"usr": "ann"}, TypeError, "usr"),
        ("recall", ("Hi",), {"since": datetime(2026, 1, 5)}, ValueError, "no time zone"),
        ("dialog", ("one text",), {}, TypeError, r"ask\(\) takes a single one"),
        ("events", ("one text",), {}, TypeError, r"ask\(\) takes a single one"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_sent(
    call: Caller,
    service: Service,
    method: str,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    error: type[Exception],
    said: str,
) -> None:
    with pytest.raises(error, match=said):
        call(method, *arguments, **options)
    assert not service.requests


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("localhost:8080", "write http://"),
        ("", "write http://"),
        ("ftp://server", "write http://"),
        ("http://", "write http://"),
        ("http://[::1", "not a URL"),
        ("http://ann:pw@server", "give key="),
        ("http://server?key=x", "remove what follows"),
    ],
)
@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_an_invalid_address_is_an_error(kind: type, url: str, said: str) -> None:
    with pytest.raises(AnaphoraError, match=said) as told:
        kind(url)
    assert "pw" not in str(told.value)


@pytest.mark.parametrize("key", ["", "a b", "a\nX-Evil: 1", "ключ"])
def test_a_key_that_cannot_be_one_is_told_without_being_shown(key: str) -> None:
    with pytest.raises(AnaphoraError, match="invalid API key") as told:
        Client("http://server", key)
    assert not key or key not in str(told.value)


def test_the_key_is_in_no_text_of_the_client(call: Caller) -> None:
    assert "secret" not in repr(call.make(key="ana_a_secret"))
