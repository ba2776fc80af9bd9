"""Questions by NLPCraft's rules: enlisted, waited for, checked and cancelled."""

from __future__ import annotations

from typing import Any

import pytest

from anaphora import Conflict, Reject
from anaphora.core.request import User
from tests.server.nlpcraft.api_client import BlockingHandler, running_api, weather

USERS = ("user", 1, 2, 7, 8)


@pytest.fixture(scope="module")
def shared():
    """One service for all tests here: to bring a bot to life takes longer than most of them."""
    engine = weather()
    with running_api(engine) as api:
        yield engine, api


@pytest.fixture
def engine(shared):
    """The bot, which has neither handlers nor hooks that do anything."""
    engine, _ = shared
    yield engine
    engine.on("weather")(lambda: None)
    engine.hook("rejection")(lambda reason: None)


@pytest.fixture
def api(shared, engine):
    """The service, which knows nobody."""
    _, api = shared
    for user in USERS:
        engine.forget(user=str(user))
        api.post("cancel", usrId=user)
    return api


class TestAskSync:
    def test_an_answer_is_waited_for(self, api):
        state = api.ask_sync("weather in Tokyo today")
        assert (state["status"], state["resType"]) == ("QRY_READY", "text")
        assert (state["resBody"], state["intentId"]) == ("Tokyo, today", "weather")
        assert state["resMeta"]["slots"]["city"]["value"] == "Tokyo"
        assert state["usrId"] == "user"
        assert state["createTstamp"] <= state["updateTstamp"]
        assert not state.keys() & {"error", "errorCode", "logHolder"}

    def test_an_incomplete_question_is_completed_from_memory(self, api):
        api.ask_sync("weather in Tokyo today")
        state = api.ask_sync("And in Kyoto?")
        assert state["resBody"] == "Kyoto, today"
        assert state["resMeta"]["slots"]["date"]["source"] == "memory"

    def test_a_question_back_is_a_result(self, api):
        state = api.ask_sync("weather")
        assert (state["resBody"], state["resMeta"]["status"]) == ("For which city?", "incomplete")
        assert state["resMeta"]["missing"] == ["city"]

    def test_a_reset_phrase_is_a_result(self, api):
        api.ask_sync("weather in Tokyo")
        state = api.ask_sync("forget it")
        assert (state["resType"], state["resMeta"]["status"]) == ("text", "reset")

    def test_a_rejection_is_error_1_with_its_reason(self, api):
        state = api.ask_sync("hello")
        assert (state["status"], state["errorCode"]) == ("QRY_READY", 1)
        assert state["error"] == "nothing in it is known to this bot"
        assert not state.keys() & {"resType", "resBody", "intentId"}

    def test_what_a_handler_rejects_with_is_the_error(self, api, engine):
        @engine.on("weather")
        def answer() -> str:
            raise Reject("no forecasts on Sundays")

        assert api.ask_sync("weather in Tokyo")["error"] == "no forecasts on Sundays"

    def test_an_answer_of_a_hook_to_a_rejection_is_a_result(self, api, engine):
        @engine.hook("rejection")
        def console(reason: str) -> str:
            return "Sorry."

        state = api.ask_sync("hello")
        assert (state["resBody"], state["resMeta"]["status"]) == ("Sorry.", "rejected")

    def test_data_of_a_handler_are_a_result_of_the_type_json(self, api, engine):
        @engine.on("weather")
        def answer(city: str) -> dict[str, Any]:
            return {"city": city, "celsius": [17, 8.5], "rain": None}

        state = api.ask_sync("weather in Tokyo")
        assert state["resType"] == "json"
        assert state["resBody"] == {"city": "Tokyo", "celsius": [17, 8.5], "rain": None}

    def test_a_handler_that_fails_is_error_100_and_says_nothing_of_its_inside(self, api, engine):
        @engine.on("weather")
        def answer() -> str:
            raise OSError("password 1234")

        state = api.ask_sync("weather in Tokyo")
        assert state["errorCode"] == 100
        assert "1234" not in str(state)

    def test_a_result_that_is_no_json_is_error_100(self, api, engine):
        @engine.on("weather")
        def answer() -> Any:
            return {1, 2}

        assert api.ask_sync("weather in Tokyo")["errorCode"] == 100

    def test_a_result_that_is_too_big_is_error_101(self, api, engine):
        @engine.on("weather")
        def answer() -> str:
            return "rain " * 100_000

        assert api.ask_sync("weather in Tokyo")["errorCode"] == 101

    def test_a_busy_conversation_is_error_102(self, api, engine, monkeypatch):
        def busy(*given: Any, **more: Any) -> None:
            raise Conflict("the conversation of 'ann' has been busy")

        monkeypatch.setattr(engine, "ask", busy)
        state = api.ask_sync("weather in Tokyo")
        assert state["errorCode"] == 102
        assert "ann" not in state["error"]

    def test_an_unforeseen_failure_is_error_102_and_is_logged(
        self, api, engine, monkeypatch, caplog
    ):
        def broken(*given: Any, **more: Any) -> None:
            raise ZeroDivisionError("weather in Tokyo")

        monkeypatch.setattr(engine, "ask", broken)
        state = api.ask_sync("weather in Tokyo")
        assert state["errorCode"] == 102
        assert "Tokyo" not in state["error"]
        assert "ZeroDivisionError" in caplog.text

    def test_the_log_holder_is_the_explanation_if_it_is_asked_for(self, api):
        log = api.ask_sync("weather in Tokyo", enableLog=True)["logHolder"]
        assert log["matches"][0]["intent"] == "weather"
        log = api.ask_sync("quagmire", enableLog=True)["logHolder"]
        assert log["unknown"] == ["quagmire"]

    def test_the_data_that_come_along_reach_the_engine(self, api, engine, monkeypatch):
        found: list[Any] = []
        ask = engine.ask

        def listen(*given: Any, **more: Any) -> Any:
            found.append(more["request"])
            return ask(*given, **more)

        monkeypatch.setattr(engine, "ask", listen)
        state = api.ask_sync("weather in Tokyo", data={"channel": "phone"})
        assert found[0].data == {"channel": "phone"}
        assert found[0].id == state["srvReqId"]

    def test_check_does_not_speak_of_what_was_waited_for(self, api):
        api.ask_sync("weather in Tokyo")
        assert api.check() == []


class TestUsers:
    def test_a_number_and_a_text_name_the_same_user(self, api):
        assert api.ask_sync("weather in Tokyo", usrId=7)["usrId"] == 7
        state = api.ask_sync("And in Kyoto?", usrId="7")
        assert (state["usrId"], state["resBody"]) == ("7", "Kyoto")
        assert api.ask_sync("And in Tokyo?", usrExtId="7")["resBody"] == "Tokyo"

    def test_users_have_conversations_of_their_own(self, api):
        api.ask_sync("weather in Tokyo", usrId=7)
        assert api.ask_sync("And in Kyoto?", usrId=8)["errorCode"] == 1

    def test_two_ids_have_to_be_one_user(self, api):
        assert api.ask_sync("weather in Tokyo", usrId=7, usrExtId="7")["usrId"] == 7
        assert api.refused("ask/sync", txt="weather in Tokyo", usrId=7, usrExtId="8") == (
            400,
            "NC_INVALID_FIELD",
        )


class TestAsk:
    def test_a_question_is_enlisted_at_once_and_ready_later(self, api, engine):
        gate = BlockingHandler(engine)
        gate.close()
        id = api.ask("weather in Tokyo")
        gate.wait()
        (state,) = api.check(srvReqIds=[id])
        assert state == {
            "srvReqId": id,
            "usrId": "user",
            "mdlId": "weather",
            "probeId": state["probeId"],
            "txt": "weather in Tokyo",
            "status": "QRY_ENLISTED",
            "createTstamp": state["createTstamp"],
            "updateTstamp": state["createTstamp"],
        }
        gate.open()
        ready = api.ready(id)
        assert (ready["resBody"], ready["createTstamp"]) == (
            "Tokyo",
            state["createTstamp"],
        )

    def test_questions_of_one_conversation_are_answered_in_their_order(self, api):
        cities = ["Tokyo", "Kyoto", "New York"] * 5
        ids = [api.ask("weather in Tokyo today")] + [api.ask(f"And in {city}?") for city in cities]
        bodies = [api.ready(id)["resBody"] for id in ids]
        assert bodies == [f"{city}, today" for city in ["Tokyo", *cities]]

    def test_a_question_that_is_waited_for_stands_in_line_as_well(self, api, engine):
        gate = BlockingHandler(engine)
        gate.close()
        first = api.ask("weather in Tokyo")
        gate.wait()
        gate.open()
        assert api.ask_sync("And in Kyoto?")["resBody"] == "Kyoto"
        assert api.ready(first)["resBody"] == "Tokyo"

    def test_a_slow_conversation_does_not_hold_up_another(self, api, engine):
        gate = BlockingHandler(engine)
        gate.close()
        api.ask("weather in Tokyo", usrId=1)
        gate.wait()
        assert api.ask_sync("hello", usrId=2)["errorCode"] == 1
        gate.open()

    def test_a_user_has_at_most_twenty_questions_in_line(self, api, engine):
        gate = BlockingHandler(engine)
        gate.close()
        ids = [api.ask("weather in Tokyo", usrId=1) for _ in range(20)]
        response = api.client.post(
            "/nlpcraft/api/v1/ask", json={"txt": "weather", "mdlId": "weather", "usrId": 1}
        )
        assert response.status_code == 429
        assert response.json()["code"] == "NC_TOO_MANY_REQUESTS"
        assert response.headers["retry-after"]
        assert api.refused("ask/sync", txt="weather in Tokyo", usrId=1)[0] == 429
        api.ask("hello", usrId=2)
        gate.open()
        for id in ids:
            api.ready(id, usrId=1)
        assert api.ask_sync("weather in Tokyo", usrId=1)["resBody"] == "Tokyo"

    def test_what_is_refused_leaves_its_place_in_line(self, api):
        for _ in range(30):
            assert api.refused("ask", txt="weather", mdlId="whether") == (400, "NC_INVALID_FIELD")
        api.ready(api.ask("weather in Tokyo"))


class TestCheck:
    def test_all_questions_of_a_user_come_newest_first(self, api):
        ids = [api.ask("weather in Tokyo", usrId=7) for _ in range(3)]
        api.ask("weather in Tokyo", usrId=8)
        for id in ids:
            api.ready(id, usrId=7)
        found = api.check(usrId=7)
        assert {state["srvReqId"] for state in found} == set(ids)
        stamps = [state["createTstamp"] for state in found]
        assert stamps == sorted(stamps, reverse=True)
        assert api.check(usrId=7, maxRows=2) == found[:2]

    def test_ids_that_are_unknown_are_passed_over(self, api):
        id = api.ask("weather in Tokyo")
        assert [state["srvReqId"] for state in api.check(srvReqIds=["none", id])] == [id]
        assert api.check(srvReqIds=[]) == []

    def test_another_user_does_not_see_them(self, api):
        id = api.ask("weather in Tokyo", usrId=7)
        assert api.check(srvReqIds=[id], usrId=8) == []


class TestCancel:
    def test_a_question_that_waits_is_not_asked_any_more(self, api, engine):
        gate = BlockingHandler(engine)
        gate.close()
        first = api.ask("weather in Tokyo")
        gate.wait()
        second, third = api.ask("weather in Kyoto"), api.ask("weather in New York")
        assert api.post("cancel", srvReqIds=[second]) == {}
        assert {state["srvReqId"] for state in api.check()} == {first, third}
        gate.open()
        api.ready(third)
        assert gate.cities == ["Tokyo", "New York"]
        assert {state["srvReqId"] for state in api.check()} == {first, third}

    def test_the_answer_to_one_that_is_being_answered_is_dropped(self, api, engine):
        gate = BlockingHandler(engine)
        gate.close()
        api.ask("weather in Tokyo")
        gate.wait()
        api.post("cancel")
        gate.open()
        assert api.ask_sync("And in Kyoto?")["resBody"] == "Kyoto"  # it was answered
        assert api.check() == []

    def test_without_ids_all_of_the_user_go_and_nobody_elses(self, api):
        ids = [api.ask("weather in Tokyo", usrId=user) for user in (7, 7, 8)]
        api.ready(ids[1], usrId=7)
        api.post("cancel", usrId=7)
        assert api.check(usrId=7) == []
        assert api.ready(ids[2], usrId=8)

    def test_another_user_cannot_cancel_them(self, api):
        id = api.ask("weather in Tokyo", usrId=7)
        api.post("cancel", srvReqIds=[id], usrId=8)
        assert api.ready(id, usrId=7)["resBody"] == "Tokyo"


class TestClear:
    def test_clearing_the_conversation_forgets_its_entities_and_keeps_the_flow(self, api, engine):
        api.ask_sync("weather in Tokyo", usrId=7)
        assert api.post("clear/conversation", usrId=7) == {}
        conversation = engine.conversation(user=User("7"))
        assert conversation.remembered == ()
        assert [step.intent for step in conversation.flow] == ["weather"]

    def test_clearing_the_dialog_forgets_the_flow_and_keeps_the_entities(self, api, engine):
        api.ask_sync("weather in Tokyo", usrId=7)
        assert api.post("clear/dialog", usrId=7) == {}
        conversation = engine.conversation(user=User("7"))
        assert conversation.flow == ()
        assert len(conversation.remembered) == 2


class TestTheEnd:
    def test_what_is_in_line_is_answered_before_the_service_ends(self, clock):
        engine = weather()
        gate = BlockingHandler(engine)
        gate.close()
        with running_api(engine) as api:
            api.ask("weather in Tokyo")
            gate.wait()
            api.ask("And in Kyoto?")
            gate.open()
        assert gate.cities == ["Tokyo", "Kyoto"]
        with running_api(engine) as api:
            assert {state["resBody"] for state in api.check()} == {
                "Tokyo",
                "Kyoto",
            }

    def test_what_takes_too_long_is_told_so(self):
        engine = weather()
        gate = BlockingHandler(engine)
        gate.close()
        with running_api(engine, shutdown_grace=0) as api:
            id = api.ask("weather in Tokyo")
            gate.wait()
            later = api.ask("And in Kyoto?")
        with running_api(engine) as api:
            gate.open()
            assert api.ready(id)["errorCode"] == 102
            assert "shutting down" in api.ready(later)["error"]
        assert gate.cities == ["Tokyo"]


def test_the_api_is_not_there_if_the_settings_say_so(engine):
    with running_api(engine, nlpcraft=False) as api:
        assert api.client.get("/nlpcraft/api/v1/health").status_code == 404
