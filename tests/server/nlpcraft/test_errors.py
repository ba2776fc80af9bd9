"""What is refused, and how: NLPCraft's limits, its codes, its form."""

from __future__ import annotations

from typing import Any

import pytest

from anaphora import Engine, StoreError
from anaphora.server.nlpcraft import PREFIX
from tests.server.nlpcraft.api_client import running_api, weather

FIELD = (400, "NC_INVALID_FIELD")


@pytest.fixture(scope="module")
def engine() -> Engine:
    return weather()


@pytest.fixture(scope="module")
def api(engine):
    with running_api(engine, max_body=10_000) as api:
        yield api


@pytest.mark.parametrize("path", ["ask", "ask/sync"])
@pytest.mark.parametrize(
    "body",
    [
        {"txt": ""},
        {"txt": "x" * 1_025},
        {"txt": None},
        {"txt": 7},
        {"txt": "weather", "mdlId": ""},
        {"txt": "weather", "mdlId": "x" * 33},
        {"txt": "weather", "mdlId": None},
        {"txt": "weather", "mdlId": "whether"},
        {"txt": "weather", "data": []},
        {"txt": "weather", "data": "{}"},
        {"txt": "weather", "enableLog": "true"},
        {"txt": "weather", "usrId": ""},
        {"txt": "weather", "usrId": 1.5},
        {"txt": "weather", "usrId": True},
        {"txt": "weather", "usrId": 2**63},
        {"txt": "weather", "usrId": "x" * 257},
        {"txt": "weather", "usrExtId": 7},
        {"txt": "weather", "acsTok": 7},
    ],
    ids=str,
)
def test_an_invalid_question_is_refused(api, path, body):
    assert api.refused(path, **body) == FIELD


@pytest.mark.parametrize(
    "body",
    [
        {"srvReqIds": "a"},
        {"srvReqIds": [1]},
        {"srvReqIds": [""]},
        {"srvReqIds": ["x" * 65]},
        {"maxRows": 0},
        {"maxRows": "1"},
        {"maxRows": 2**31},
    ],
    ids=str,
)
def test_an_invalid_check_is_refused(api, body):
    assert api.refused("check", **body) == FIELD


def test_the_longest_texts_are_taken(api):
    assert api.ask_sync("weather in Tokyo " + "x" * 1_007)["resBody"] == "Tokyo"
    assert api.refused("clear/dialog", mdlId="x" * 32) == FIELD  # for it is unknown


def test_null_stands_for_what_is_left_out(api):
    nothing = dict.fromkeys(["data", "enableLog", "usrId", "usrExtId"])
    assert api.ask_sync("weather in Tokyo", **nothing)["resBody"] == "Tokyo"
    assert api.check(srvReqIds=None, maxRows=None) == []


def test_fields_that_are_unknown_are_passed_over(api):
    assert api.ask_sync("weather in Tokyo", sync=True)["resBody"] == "Tokyo"


def test_a_message_names_the_field_and_nothing_of_its_content(api):
    body = {"txt": "secret " * 200, "mdlId": "weather"}
    message = api.client.post(f"{PREFIX}/ask", json=body).json()["msg"]
    assert "txt" in message
    assert "secret" not in message


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        (b"", "application/json", FIELD),
        (b"{", "application/json", FIELD),
        (b"[]", "application/json", FIELD),
        (b"null", "application/json", FIELD),
        (b'{"txt": NaN}', "application/json", FIELD),
        (b'{"txt": "a", "txt": "b"}', "application/json", FIELD),
        (b'{"txt": "\xff"}', "application/json", FIELD),
        (b'{"txt": "\\ud800", "mdlId": "weather"}', "application/json", FIELD),
        (b"[" * 4_000, "application/json", FIELD),
        (b'{"data": ' * 1_000, "application/json", FIELD),
        (b"{}", "text/plain", (415, "NC_ERROR")),
        (b"{}", "", (415, "NC_ERROR")),
    ],
    ids=lambda value: str(value)[:20],
)
@pytest.mark.parametrize("path", ["ask", "check", "signin"])
def test_an_invalid_body_is_refused(api, path, body, kind, expected):
    response = api.client.post(f"{PREFIX}/{path}", content=body, headers={"content-type": kind})
    assert (response.status_code, response.json()["code"]) == expected


def test_a_body_that_is_too_large_even_if_it_does_not_say_so(api):
    def pieces() -> Any:
        for _ in range(20):
            yield b" " * 1_000

    json = {"content-type": "application/json"}
    response = api.client.post(f"{PREFIX}/ask", content=pieces(), headers=json)
    assert (response.status_code, response.json()["code"]) == (413, "NC_ERROR")
    response = api.client.post(f"{PREFIX}/ask", content=b" " * 20_000, headers=json)
    assert response.status_code == 413


@pytest.mark.parametrize("path", ["ask", "ask/sync", "check", "signin"])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_other_methods_are_told_which_there_are(api, path, method):
    response = api.client.request(method, f"{PREFIX}/{path}")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert response.json()["code"] == "NC_ERROR"
    response = api.client.post(f"{PREFIX}/health")
    assert (response.status_code, response.headers["allow"]) == (405, "GET")


@pytest.mark.parametrize(
    "path", ["model/sugsyn", "probe/all", "user/add", "company/get", "feedback/all"]
)
def test_what_is_left_out_of_nlpcraft_is_told_so(api, path):
    response = api.client.post(f"{PREFIX}/{path}", json={})
    assert (response.status_code, response.json()["code"]) == (501, "NC_NOT_IMPLEMENTED")


def test_other_paths_are_not_found(api):
    response = api.client.post(f"{PREFIX}/asks", json={})
    assert (response.status_code, response.json()["code"]) == (404, "NC_ERROR")


@pytest.mark.parametrize("path", ["ask", "check", "cancel"])
def test_a_store_that_is_away_is_told_so(api, engine, monkeypatch, path):
    def away(*given: Any) -> None:
        raise StoreError("redis://secret@host is away")

    for name in ("list_notes", "get_note", "put_note"):
        monkeypatch.setattr(engine.store, name, away)
    body = {"txt": "weather in Tokyo", "mdlId": "weather"}
    response = api.client.post(f"{PREFIX}/{path}", json=body)
    assert (response.status_code, response.json()["code"]) == (503, "NC_ERROR")
    assert response.headers["retry-after"]
    assert "secret" not in response.text


def test_an_answer_that_the_store_does_not_take_at_once_is_not_lost(api, engine, monkeypatch):
    put, failed = engine.store.put_note, []

    def away_for_a_moment(shelf: str, name: str, *more: Any) -> None:
        if name.endswith("=") and not failed:
            failed.append(name)
            raise StoreError("away")
        put(shelf, name, *more)

    monkeypatch.setattr(engine.store, "put_note", away_for_a_moment)
    assert api.ready(api.ask("weather in Tokyo"))["resBody"] == "Tokyo"
    assert failed
