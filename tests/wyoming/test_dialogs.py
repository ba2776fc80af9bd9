"""Dialogs over the protocol: follow-ups, contexts, languages, several satellites."""

from __future__ import annotations

import asyncio

import pytest
from wyoming.asr import Transcript
from wyoming.client import AsyncClient
from wyoming.event import Event

from anaphora import Engine, parse_model
from anaphora.wyoming import WyomingServer
from tests.conftest import Clock
from tests.wyoming.conftest import House, say, send, summarize

IN_A_TALK = {"conversation_id": "01J"}

# What Home Assistant is to do: the intent, the thing and the place; the action is in the intent.
ENGLISH = [
    ("turn on the light", "handled: In which room?"),
    ("in the kitchen", "HassTurnOn light kitchen"),
    ("and in the bedroom?", "HassTurnOn light bedroom"),
    ("the fan too", "HassTurnOn fan bedroom"),
    ("turn off the light", "HassTurnOff light bedroom"),
    ("in the kitchen", "HassTurnOff light kitchen"),
    ("make tea", "handled: Tea is ready in the kitchen."),
    ("forget it", "handled: None"),
    ("and in the bedroom?", "not-recognized"),
    ("switch off the fan in the bedroom", "HassTurnOff fan bedroom"),
]
GERMAN = [
    ("das Licht einschalten", "handled: In welchem Raum?"),
    ("in der Küche", "HassTurnOn light kitchen"),
    ("und im Schlafzimmer?", "HassTurnOn light bedroom"),
    ("den Ventilator auch", "HassTurnOn fan bedroom"),
    ("das Licht ausschalten", "HassTurnOff light bedroom"),
    ("in der Küche", "HassTurnOff light kitchen"),
    ("Tee kochen", "handled: Der Tee ist fertig (kitchen)."),
    ("vergiss es", "handled: None"),
    ("und im Schlafzimmer?", "not-recognized"),
    ("den Ventilator im Schlafzimmer ausmachen", "HassTurnOff fan bedroom"),
]


def outcome(event: Event | None) -> str:
    """An answer without the words of the action, and without the reason of a rejection."""
    assert event
    if event.type == "intent":
        values = {one["name"]: one["value"] for one in event.data["entities"]}
        return f"{event.data['name']} {values['name']} {values['area']}"
    return event.type if event.type == "not-recognized" else summarize(event)


@pytest.mark.parametrize("dialog", [ENGLISH, GERMAN], ids=["English", "German"])
def test_a_dialog_over_a_new_connection_for_each_utterance(
    house: House, dialog: list[tuple[str, str]]
) -> None:
    async def talk(server: WyomingServer) -> list[str]:
        return [outcome(await say(server.uri, text, IN_A_TALK)) for text, _ in dialog]

    assert house.run(talk) == [expected for _, expected in dialog]


@pytest.mark.parametrize("dialog", [ENGLISH, GERMAN], ids=["English", "German"])
def test_a_dialog_over_one_connection_needs_no_context(
    house: House, dialog: list[tuple[str, str]]
) -> None:
    async def talk(server: WyomingServer) -> list[str]:
        answers = await send(server.uri, *(Transcript(text) for text, _ in dialog))
        return [outcome(answer) for answer in answers]

    assert house.run(talk) == [expected for _, expected in dialog]


def test_questions_in_flight_are_answered_in_their_order(house: House) -> None:
    async def talk(server: WyomingServer) -> list[str]:
        async with AsyncClient.from_uri(server.uri) as client:
            for text, _ in ENGLISH:
                await client.write_event(Transcript(text).event())
            return [outcome(await client.read_event()) for _ in ENGLISH]

    assert house.run(talk) == [expected for _, expected in ENGLISH]


def test_satellites_talk_at_once_and_do_not_disturb_each_other(house: House) -> None:
    async def satellite(uri: str, name: str) -> list[str]:
        dialog = ENGLISH if name.endswith("0") else GERMAN
        return [outcome(await say(uri, text, {"conversation_id": name})) for text, _ in dialog]

    async def talk(server: WyomingServer) -> list[list[str]]:
        names = [f"satellite {number}" for number in range(20)]
        return await asyncio.gather(*(satellite(server.uri, name) for name in names))

    english, german = ([expected for _, expected in dialog] for dialog in (ENGLISH, GERMAN))
    assert house.run(talk) == [english, *[german] * 9] * 2


def test_a_conversation_may_change_its_language(house: House) -> None:
    async def talk(server: WyomingServer) -> list[str]:
        texts = ["turn on the light in the kitchen", "und im Schlafzimmer?", "and in the kitchen"]
        return [outcome(await say(server.uri, text, IN_A_TALK)) for text in texts]

    expected = ["HassTurnOn light " + area for area in ("kitchen", "bedroom", "kitchen")]
    assert house.run(talk) == expected


def test_five_minutes_are_remembered_and_a_moment_longer_is_not(house: House, clock: Clock) -> None:
    async def talk(server: WyomingServer) -> list[str]:
        found = [await say(server.uri, "turn on the light in the kitchen", IN_A_TALK)]
        clock.pass_time(minutes=5)
        found.append(await say(server.uri, "and in the bedroom?", IN_A_TALK))
        clock.pass_time(minutes=5, seconds=1)
        found.append(await say(server.uri, "and in the kitchen?", IN_A_TALK))
        return [outcome(one) for one in found]

    assert house.run(talk) == [
        "HassTurnOn light kitchen",
        "HassTurnOn light bedroom",
        "not-recognized",
    ]


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ("conversation_id=a", "conversation_id=a", True),
        ("conversation_id=a", "conversation_id=b", False),
        ("conversation_id=a device_id=x", "conversation_id=b device_id=x", False),
        ("conversation_id=a device_id=x", "conversation_id=a device_id=y", True),
        ("satellite_id=a", "satellite_id=a", True),
        ("satellite_id=a", "satellite_id=b", False),
        ("satellite_id=a", "device_id=a", False),
        ("device_id=7 user_id=ann", "device_id=7 user_id=bob", True),
        ("area=kitchen user_id=ann", "area=bath user_id=ann", False),
        ("user_id=ann", "user_id=ann", True),
        ("conversation_id= device_id=x", "device_id=x", True),
        ("", "", False),
    ],
)
def test_the_context_tells_whose_conversation_it_is(
    house: House,
    first: dict[str, object],
    second: dict[str, object],
    is_same: bool,  # noqa: FBT001
) -> None:
    async def talk(server: WyomingServer) -> str:
        texts = ("turn on the light in the kitchen", "and in the bedroom?")
        contexts = [dict(pair.split("=") for pair in one.split()) for one in (first, second)]
        answers = [await say(server.uri, *pair) for pair in zip(texts, contexts, strict=True)]
        return outcome(answers[-1])

    assert house.run(talk) == ("HassTurnOn light bedroom" if is_same else "not-recognized")


def test_a_client_without_a_conversation_gets_one_that_it_may_continue(house: House) -> None:
    async def talk(server: WyomingServer) -> str:
        first = await say(server.uri, "turn on the light in the kitchen", {"color": "red"})
        context = first.data["context"]
        assert context["color"] == "red"
        return outcome(await say(server.uri, "and in the bedroom?", context))

    assert house.run(talk) == "HassTurnOn light bedroom"


def test_the_context_of_an_answer_has_its_status_and_what_is_missing(house: House) -> None:
    async def talk(server: WyomingServer) -> list[object]:
        texts = ["turn on the light", "in the kitchen", "forget it", "blah"]
        answers = [
            await say(server.uri, text, {"conversation_id": "01J", "area": "hall"})
            for text in texts
        ]
        return [answer.data["context"] for answer in answers]

    given = {"conversation_id": "01J", "area": "hall"}
    assert house.run(talk) == [
        given | {"anaphora": {"status": "incomplete", "missing": ["area"]}},
        given | {"anaphora": {"status": "matched"}},
        given | {"anaphora": {"status": "reset"}},
        given | {"anaphora": {"status": "rejected"}},
    ]


def test_predicates_and_handlers_read_the_context(clock: Clock) -> None:
    model = parse_model(
        "id: here\nelements: [{id: light}]\nintents:\n"
        "  - \"intent=on term(light)={# == 'light' && meta_req('area') == 'bath'}\"\n"
    )
    with Engine(model, clock=clock) as engine:

        async def talk(server: WyomingServer) -> list[str]:
            areas = ("bath", "hall")
            return [(await say(server.uri, "light", {"area": area})).type for area in areas]

        assert House(engine).run(talk) == ["intent", "not-recognized"]


def test_the_language_of_a_transcript_is_used_if_the_model_has_it(house: House) -> None:
    async def talk(server: WyomingServer) -> list[str]:
        events = [
            Transcript("Tee kochen", language="de-AT"),
            Transcript("Tee kochen", language="en"),
            Transcript("make tea", language="no"),  # as a guess of speech-to-text may be
        ]
        return [summarize(event).split(":")[0] for event in await send(server.uri, *events)]

    assert house.run(talk) == ["handled", "not-recognized", "handled"]
