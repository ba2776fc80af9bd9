"""Clients that send anything, too much, too slowly, or leave: they get a clear error, and the
others get their answers."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from wyoming.asr import Transcript
from wyoming.client import AsyncClient
from wyoming.event import async_read_event

from anaphora.wyoming import WyomingServer
from tests.support.real_server import wait_until
from tests.wyoming.conftest import House, request, say, summarize


def header(**fields: object) -> bytes:
    return json.dumps({"type": "transcript", **fields}).encode() + b"\n"


async def connect(server: WyomingServer) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = server.uri.removeprefix("tcp://").split(":")
    return await asyncio.open_connection(host, int(port), limit=1 << 22)


async def until(reached: Callable[[], object]) -> None:
    await asyncio.to_thread(wait_until, reached)


async def still_answers(server: WyomingServer) -> None:
    assert summarize(await say(server.uri, "make tea")) == "handled: Tea is ready."


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "the header of the event is not a JSON object"),
        (b"\n", "is not a JSON object"),
        (b"[]\n", "is not a JSON object"),
        (b"null\n", "is not a JSON object"),
        (b"\xff\xfe\n", "is not a JSON object"),
        (b"[" * 60_000 + b"\n", "is not a JSON object"),
        (b'{"n": ' + b"9" * 60_000 + b"}\n", "is not a JSON object"),
        (b"{}\n", "the header has no type"),
        (b'{"type": 7}\n', "the header has no type"),
        (b'{"type": ""}\n', "the header has no type"),
        (header(data=[]), "the data of the header is not a JSON object"),
        (header(data={"text": "\ud800"}), "is not a JSON object in UTF-8"),
        (header(data_length="7"), "the data_length of the header is not a number"),
        (header(data_length=-1), "the data_length of the header is not a number"),
        (header(data_length=True), "the data_length of the header is not a number"),
        (header(data_length=1.5), "the data_length of the header is not a number"),
        (header(data_length=1 << 40), "the data_length of the header is more than 65,536"),
        (header(payload_length=1 << 40), "the payload_length of the header is more than"),
        (header(data_length=4) + b"null", "the data of the event is not a JSON object"),
        (header(data_length=4) + b"{\xff}\n", "the data of the event is not a JSON object"),
        (header(), "the transcript event has no text"),
        (header(data={"text": None}), "the transcript event has no text"),
        (header(type="recognize", data={"text": ["x"]}), "the recognize event has no text"),
        (header(type="select-program"), "the select-program event has no name"),
        (header(data={"text": "x", "context": []}), "the context is not a JSON object"),
        (
            header(data={"text": "x", "context": {"device_id": "x" * 501}}),
            "the device_id of the context has more than 500 characters",
        ),
        (
            header(data={"text": "x", "context": {"x": json.loads("[" * 60 + "]" * 60)}}),
            "the context is nested more than 50 levels deep",
        ),
        (
            b'{"type": "transcript", "data": {"text": "x", "context": {"x": '
            + b"[" * 900
            + b"]" * 900
            + b"}}}\n",
            "is nested more than 50 levels deep",
        ),
        (b"x" * 200_000, "the header has more than 65,536 bytes"),
        (b'{"type": "' + b"x" * 70_000 + b'"}\n', "the header has more than 65,536 bytes"),
    ],
)
def test_what_is_no_event_gets_an_error_and_the_connection_ends(
    house: House, sent: bytes, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def talk(server: WyomingServer) -> None:
        reader, writer = await connect(server)
        writer.write(sent)
        event = await async_read_event(reader)
        assert event
        assert (event.type, event.data["code"]) == ("error", "bad-event")
        assert said in event.data["text"]
        assert await reader.read() == b""
        writer.close()
        await still_answers(server)

    house.run(talk)
    [line] = caplog.messages
    assert said in line
    assert line.startswith("127.0.0.1:")


def test_the_error_reaches_a_client_that_is_still_sending(house: House) -> None:
    async def talk(server: WyomingServer) -> str:
        reader, writer = await connect(server)
        for _ in range(100):
            writer.write(b"x" * 100_000)
            await writer.drain()
        event = await async_read_event(reader)
        writer.close()
        assert event
        return event.type

    assert house.run(talk) == "error"


@pytest.mark.parametrize(
    "sent", [b"", b"{", header(data_length=100) + b"{", header(payload_length=9)]
)
def test_a_client_that_leaves_half_way_leaves_nothing_behind(house: House, sent: bytes) -> None:
    async def talk(server: WyomingServer) -> None:
        reader, writer = await connect(server)
        writer.write(sent)
        writer.write_eof()
        await reader.read()
        writer.close()
        await until(lambda: server.connections == 0)
        await still_answers(server)

    house.run(talk)


def test_an_event_that_does_not_arrive_in_time_is_an_error(house: House) -> None:
    async def talk(server: WyomingServer) -> str:
        reader, writer = await connect(server)
        writer.write(b'{"type"')
        event = await async_read_event(reader)
        writer.close()
        assert event
        return str(event.data["text"])

    limits = {"event_timeout": 0.01}
    assert house.run(talk, limits=limits) == "the event did not arrive within 0.01 s"


def test_a_client_that_is_silent_may_stay(house: House) -> None:
    async def talk(server: WyomingServer) -> str:
        async with AsyncClient.from_uri(server.uri) as client:
            await request(client, Transcript("make tea"))
            await until(lambda: server.connections == 1)
            return summarize(await request(client, Transcript("make tea")))

    assert house.run(talk, limits={"event_timeout": 0.01}).startswith("handled")


def test_a_client_that_does_not_read_its_answers_is_cut_off(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    async def talk(server: WyomingServer) -> None:
        _, writer = await connect(server)
        context = {"note": "x" * 60_000}
        event = header(data={"text": "make tea", "context": context})

        async def flood() -> None:
            while True:
                writer.write(event)
                await writer.drain()

        with pytest.raises((ConnectionError, TimeoutError)):
            await asyncio.wait_for(flood(), 30)
        writer.transport.abort()
        await until(lambda: server.connections == 0)
        await still_answers(server)

    house.run(talk, limits={"write_timeout": 0.2})
    assert "it does not read its answers: connection closed" in caplog.text


def test_a_new_connection_takes_the_place_of_the_one_that_is_idle_for_longest(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    async def talk(server: WyomingServer) -> list[str]:
        clients = [AsyncClient.from_uri(server.uri) for _ in range(3)]
        for client in clients[:2]:
            await client.connect()
            await request(client, Transcript("make tea"))
        await request(clients[0], Transcript("make tea"))  # now the second is idle for longer
        await clients[2].connect()
        found = [
            summarize(await request(clients[2], Transcript("make tea"))),
            str(await clients[1].read_event()),
            summarize(await request(clients[0], Transcript("make tea"))),
        ]
        for client in clients:
            await client.disconnect()
        return found

    tea = "handled: Tea is ready."
    assert house.run(talk, limits={"max_connections": 2}) == [tea, "None", tea]
    [line] = caplog.messages
    assert line.startswith("there are too many connections")


class Kettle:
    """A handler that waits for the test."""

    def __init__(self, house: House) -> None:
        self.boils, self.asked = threading.Event(), 0
        house.engine.on("tea", model="home")(self._make)

    def _make(self) -> str:
        self.asked += 1
        assert self.boils.wait(60)
        return "Tea."


@pytest.fixture
def kettle(house: House) -> Kettle:
    return Kettle(house)


def test_a_connection_too_many_is_told_so_if_all_are_busy(house: House, kettle: Kettle) -> None:
    async def talk(server: WyomingServer) -> list[str]:
        async with AsyncClient.from_uri(server.uri) as busy:
            await busy.write_event(Transcript("make tea").event())
            await until(lambda: kettle.asked)
            async with AsyncClient.from_uri(server.uri) as refused:
                event = await refused.read_event()
                assert event
                assert await refused.read_event() is None
            kettle.boils.set()
            answer = await busy.read_event()
            assert answer
            return [summarize(event), summarize(answer)]

    assert house.run(talk, limits={"max_connections": 1}) == [
        "error: the server has too many connections",
        "handled: Tea.",
    ]


def test_a_question_whose_client_is_gone_is_remembered(house: House, kettle: Kettle) -> None:
    async def talk(server: WyomingServer) -> str:
        _, writer = await connect(server)
        text = "make tea in the bedroom"
        writer.write(header(data={"text": text, "context": {"conversation_id": "a"}}))
        await until(lambda: kettle.asked)
        writer.transport.abort()
        kettle.boils.set()
        context = {"conversation_id": "a"}
        return str((await say(server.uri, "turn on the light", context)).data["entities"][-1])

    assert house.run(talk) == "{'name': 'area', 'value': 'bedroom'}"


def test_one_conversation_waits_for_its_turn_and_others_do_not(
    house: House, kettle: Kettle
) -> None:
    async def talk(server: WyomingServer) -> list[str]:
        def ask(text: str, conversation: str) -> Awaitable[str]:
            async def answer() -> str:
                context = {"conversation_id": conversation}
                return (await say(server.uri, text, context)).type

            return asyncio.create_task(answer())

        first = ask("make tea in the bedroom", "a")
        await until(lambda: kettle.asked)
        second = [ask("turn on the light", "a") for _ in range(4)]
        others = [await ask("what time is it", str(number)) for number in range(4)]
        kettle.boils.set()
        return [*others, await first, *[await one for one in second]]

    # Two threads: had each waiting question one, none would be left for the others.
    assert house.run(talk, limits={"threads": 2}) == [
        *["not-recognized"] * 4,
        "handled",
        *["intent"] * 4,
    ]


def test_a_question_that_waits_for_too_long_is_told_so(
    house: House, kettle: Kettle, caplog: pytest.LogCaptureFixture
) -> None:
    async def talk(server: WyomingServer) -> str:
        context = {"conversation_id": "a"}
        first = asyncio.create_task(say(server.uri, "make tea", context))
        await until(lambda: kettle.asked)
        second = await say(server.uri, "turn on the light", context)
        kettle.boils.set()
        assert summarize(await first) == "handled: Tea."
        return summarize(second)

    told = house.run(talk, limits={"conversation_timeout": 0.01})
    assert told == "not-handled: Something went wrong."
    assert caplog.messages == ["a conversation was busy for too long"]


def test_closing_finishes_the_answer_in_progress_and_ends_idle_connections(
    house: House, kettle: Kettle
) -> None:
    async def talk(server: WyomingServer) -> list[str]:
        async with (
            AsyncClient.from_uri(server.uri) as idle,
            AsyncClient.from_uri(server.uri) as busy,
        ):
            await request(idle, Transcript("what time is it"))
            for _ in range(2):  # the second has not begun when the server stops
                await busy.write_event(Transcript("make tea").event())
            await until(lambda: kettle.asked)
            closing = asyncio.create_task(server.close())
            assert await idle.read_event() is None
            with pytest.raises(ConnectionRefusedError):
                await connect(server)
            kettle.boils.set()
            answer = await busy.read_event()
            assert answer
            found = [summarize(answer), str(await busy.read_event())]
            await closing
            return found

    assert house.run(talk) == ["handled: Tea.", "None"]
    assert kettle.asked == 1


def test_a_question_that_outlasts_the_grace_changes_nothing(
    house: House, kettle: Kettle, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        async with house.serve(grace=0.01) as server:
            async with AsyncClient.from_uri(server.uri) as client:
                event = Transcript("make tea in the bedroom", {"conversation_id": "a"}).event()
                await client.write_event(event)
                await until(lambda: kettle.asked)
                await server.close()
                assert server.is_busy
                assert server.connections == 0
                with suppress(ConnectionResetError):
                    assert await client.read_event() is None
            kettle.boils.set()
            await until(lambda: not server.is_busy)

    asyncio.run(main())
    assert "gave up 1 connection: the server is stopping" in caplog.text
    assert house.engine.conversation(user="a", model="home").questions == 0


def test_closing_does_not_wait_for_a_client_that_never_reads(house: House) -> None:
    async def main() -> None:
        async with house.serve(grace=0.01) as server:
            reader, writer = await connect(server)
            reader._transport.pause_reading()
            context = {"note": "x" * 60_000}
            event = header(data={"text": "make tea", "context": context})
            for _ in range(200):
                writer.write(event)
            await until(lambda: server.connections == 1)
            await server.close()
            assert server.connections == 0
            writer.transport.abort()

    asyncio.run(main())
