"""Which event answers which reply, and how a server describes itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from wyoming.asr import Transcript
from wyoming.event import Event
from wyoming.handle import NotHandled
from wyoming.info import Describe, Info, SelectProgram
from wyoming.intent import Intent, Recognize
from wyoming.ping import Ping

from anaphora import Engine, Reject, Reply, parse_model
from anaphora.wyoming import WyomingServer
from anaphora.wyoming.answers import to_recognize_answer, to_transcript_answer
from tests.wyoming.conftest import House, say, send, summarize

LIGHT_ON = "turn on the light in the kitchen"


def answer(house: House, *events: object, **options: object) -> list[Event]:
    async def talk(server: WyomingServer) -> list[Event]:
        return await send(server.uri, *events)

    return house.run(talk, **options)


def test_describe_lists_the_models_as_programs_that_recognize_and_handle(house: House) -> None:
    [event] = answer(house, Describe())
    info = Info.from_event(event)
    for programs in (info.intent, info.handle):
        assert [program.name for program in programs] == ["Home", "clock"]
        home = programs[0]
        assert (home.installed, home.description) == (True, "Lights and tea.")
        [model] = home.models
        assert (model.name, model.version, model.languages) == ("home", "1.2.0", ["en", "de"])
        assert model.installed
    assert info.asr == info.tts == info.wake == []


@pytest.mark.parametrize(
    ("mode", "intents", "handlers"),
    [("auto", 2, 2), ("intent", 2, 0), ("handled", 0, 2)],
)
def test_describe_lists_only_what_the_answers_are(
    house: House, mode: str, intents: int, handlers: int
) -> None:
    [event] = answer(house, Describe(), answers=mode)
    info = Info.from_event(event)
    assert (len(info.intent), len(info.handle)) == (intents, handlers)


def test_models_with_the_same_name_are_programs_named_by_their_ids(house: House) -> None:
    same = "name: Home\nelements: [{id: x}]\nintents: [\"intent=x term={# == 'x'}\"]\n"
    with Engine(parse_model(f"id: a\n{same}"), parse_model(f"id: b\n{same}")) as engine:
        [event] = answer(House(engine), Describe())
    assert [program.name for program in Info.from_event(event).intent] == ["a", "b"]


@pytest.mark.parametrize("name", ["clock", "home", "Home"])
def test_a_client_selects_a_program_by_its_name_or_model(house: House, name: str) -> None:
    async def talk(server: WyomingServer) -> list[str]:
        from wyoming.client import AsyncClient

        async with AsyncClient.from_uri(server.uri) as client:
            await client.write_event(SelectProgram(name).event())
            found = []
            for text in ("what time is it", "make tea"):
                await client.write_event(Transcript(text).event())
                event = await client.read_event()
                assert event
                found.append(event.type)
            return found

    known = ["handled", "not-recognized"]
    assert house.run(talk) == (known if name == "clock" else known[::-1])


def test_a_program_that_is_not_there_is_an_error(house: House) -> None:
    [event] = answer(house, SelectProgram("clok"))
    assert event.type == "error"
    assert "there is no program with this name" in event.data["text"]
    assert "clock" in event.data["text"]


def test_a_transcript_without_a_handler_or_response_is_an_intent_for_the_client(
    house: House,
) -> None:
    [event] = answer(house, Transcript(LIGHT_ON))
    intent = Intent.from_event(event)
    assert intent.name == "HassTurnOn"
    assert {one.name: one.value for one in intent.entities} == {
        "action": "turn on",
        "name": "light",
        "area": "kitchen",
    }
    assert intent.text is None


def test_a_handler_makes_it_handled(house: House) -> None:
    switched: list[str] = []

    @house.engine.on("HassTurnOn", model="home")
    def switch(area: str) -> str:
        switched.append(area)
        return "" if area == "bedroom" else f"It is bright in the {area}."

    events = answer(house, Transcript(LIGHT_ON), Transcript("and in the bedroom"))
    assert [summarize(one) for one in events] == [
        "handled: It is bright in the kitchen.",
        "handled: None",
    ]
    assert switched == ["kitchen", "bedroom"]


def test_a_response_is_spoken_by_home_assistant_only_if_its_own_intent_says_nothing() -> None:
    matched = Reply("matched", "HassGetState", text="It is on.")
    event = to_transcript_answer(matched, {}, mode="auto", has_handler=False).event()
    assert (event.type, event.data["text"]) == ("intent", "It is on.")
    other = Reply("matched", "ask_oven", text="It is on.")
    event = to_transcript_answer(other, {}, mode="auto", has_handler=False).event()
    assert (event.type, event.data["text"]) == ("handled", "It is on.")


@pytest.mark.parametrize(
    ("mode", "types"),
    [
        ("auto", ["intent", "handled", "handled", "not-recognized", "handled"]),
        ("intent", ["intent", "intent", "handled", "not-recognized", "handled"]),
        ("handled", ["handled", "handled", "handled", "not-handled", "handled"]),
    ],
)
def test_the_mode_decides_who_carries_out_an_intent(
    house: House, mode: str, types: list[str]
) -> None:
    texts = [LIGHT_ON, "make tea", "forget it", "blah", "turn on the fan"]
    events = answer(house, *map(Transcript, texts), answers=mode)
    assert [event.type for event in events] == types


def test_recognize_gets_an_intent_or_not_recognized_whatever_the_mode(house: House) -> None:
    texts = [LIGHT_ON, "make tea", "forget it", "blah", "turn on the fan"]
    events = answer(house, *map(Recognize, texts), answers="handled")
    assert [event.type for event in events] == ["intent", "intent", *["not-recognized"] * 3]
    spoken = [event.data.get("text") for event in events]
    assert spoken[:3] == [None, "Tea is ready in the kitchen.", None]
    assert spoken[4] == "In which room?"


def test_a_slot_of_several_entities_is_a_list() -> None:
    model = parse_model(
        "id: shop\nelements: [{id: thing, id_synonym: false, values: [tea, cake]}]\n"
        "intents: [\"intent=buy term(thing)={# == 'thing'}[1,2]\"]\n"
    )
    with Engine(model) as engine:
        [event] = answer(House(engine), Transcript("tea and cake"))
    assert summarize(event) == "buy thing=['tea', 'cake']"


def test_what_a_handler_refuses_is_spoken(house: House) -> None:
    @house.engine.on("tea", model="home")
    def tea() -> None:
        raise Reject("The kettle is empty.")

    async def talk(server: WyomingServer) -> str:
        return summarize(await say(server.uri, "make tea"))

    assert house.run(talk) == "not-recognized: The kettle is empty."
    assert house.run(talk, answers="handled") == "not-handled: The kettle is empty."


def test_what_an_agent_answers_is_handled() -> None:
    written = Reply("rejected", text="I don't know, but I like it.", answered_by="ada")
    event = to_transcript_answer(written, {}, mode="auto", has_handler=False).event()
    assert (event.type, event.data["text"]) == ("handled", "I don't know, but I like it.")
    assert to_recognize_answer(written, {}).event().type == "not-recognized"


@pytest.mark.parametrize(
    ("make", "type"), [(Transcript, "not-handled"), (Recognize, "not-recognized")]
)
def test_a_handler_that_fails_tells_the_client_and_the_log(
    house: House, make: Callable[[str], object], type: str, caplog: pytest.LogCaptureFixture
) -> None:
    @house.engine.on("tea", model="home")
    def tea() -> str:
        raise RuntimeError("no water")

    events = answer(house, make("make tea"), Transcript("what time is it"))
    assert (events[0].type, events[0].data["text"]) == (type, "Something went wrong.")
    assert "conversation_id" in events[0].data["context"]
    assert events[1].type == "not-recognized"  # the connection goes on
    assert "a handler failed" in caplog.text
    assert "no water" in caplog.text
    assert "make tea" not in caplog.text


def test_a_ping_gets_its_text_back(house: House) -> None:
    events = answer(house, Ping("hello"), Ping())
    assert [(event.type, event.data.get("text")) for event in events] == [
        ("pong", "hello"),
        ("pong", None),
    ]


def test_an_intent_is_not_handled(house: House) -> None:
    [event] = answer(house, Intent("HassTurnOn"))
    assert NotHandled.is_type(event.type)


def test_events_that_mean_nothing_to_a_bot_are_ignored(house: House) -> None:
    async def talk(server: WyomingServer) -> str:
        from wyoming.client import AsyncClient

        async with AsyncClient.from_uri(server.uri) as client:
            await client.write_event(Event("audio-chunk", {"rate": 16_000}, b"\0" * 100_000))
            await client.write_event(Event("no-such-event"))
            await client.write_event(Transcript("make tea").event())
            event = await client.read_event()
            assert event
            return summarize(event)

    assert house.run(talk) == "handled: Tea is ready."


def test_an_acknowledged_no_is_an_answer() -> None:
    declined = Reply("rejected", text="All right, not that then.", reason="the offer was declined")
    event = to_transcript_answer(declined, {}, mode="auto", has_handler=False).event()
    assert (event.type, event.data["text"]) == ("handled", "All right, not that then.")
    refused = Reply("rejected", text="Which one?", reason="nothing in it is known to this bot")
    event = to_transcript_answer(refused, {}, mode="auto", has_handler=False).event()
    assert event.type == "not-recognized"
