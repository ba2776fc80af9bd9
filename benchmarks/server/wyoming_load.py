"""The Wyoming server under load, compared with a server of the same package that answers a
constant: questions per second and latency for 1, 10 and 100 satellites, all in one run.

    python -m benchmarks.server.wyoming_load [--seconds N] [--satellites N …] [--model NAME]

A satellite asks as Home Assistant does: over a new connection for each question, in a conversation
of its own, the next one when it has the answer. The other rows keep the connection. The satellites
share a core with the client's work, which is the same for both servers.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from statistics import quantiles

from wyoming.asr import Transcript
from wyoming.client import AsyncClient
from wyoming.event import Event
from wyoming.handle import Handled
from wyoming.server import AsyncEventHandler, AsyncServer

QUESTIONS = {
    "cafe": ("How much is a coffee at Starbucks?", "And a large tea?"),
    "lights": ("Turn on the light in the kitchen", "And in the bedroom?"),
}
_ANSWERS = ("handled", "intent")


@dataclass(frozen=True, slots=True)
class LoadResult:
    """The latencies of the questions of one run, in milliseconds."""

    per_second: float
    median: float
    tail: float


class ConstantHandler(AsyncEventHandler):
    """Answers each transcript with the same text."""

    async def handle_event(self, event: Event) -> bool:
        if Transcript.is_type(event.type):
            context = Transcript.from_event(event).context
            await self.write_event(Handled("A large tea is 3.50.", context).event())
        return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--satellites", type=int, nargs="*", default=[1, 10, 100])
    parser.add_argument("--model", default="cafe", choices=list(QUESTIONS))
    parser.add_argument("--constant", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.constant:
        asyncio.run(_serve_constant())
        return
    print(
        "| satellites | connection | server | questions a second | to the constant | 50 % | 99 % |"
    )
    print("| ---: | --- | --- | ---: | ---: | ---: | ---: |")
    constant = [sys.executable, "-m", "benchmarks.server.wyoming_load", "--constant"]
    anaphora = [sys.executable, "-m", "anaphora", "wyoming", chosen.model]
    anaphora += ["--uri", "tcp://127.0.0.1:0", "--log-level", "warning"]
    with _running(constant) as constant_uri, _running(anaphora) as anaphora_uri:
        for satellites in chosen.satellites:
            for keeps in (False, True):
                measure = _Measurement(QUESTIONS[chosen.model], satellites, keeps_connection=keeps)
                bare = measure.run(constant_uri, chosen.seconds)
                own = measure.run(anaphora_uri, chosen.seconds)
                _print_row(measure, "constant", bare, bare)
                _print_row(measure, chosen.model, own, bare)


@dataclass(frozen=True, slots=True)
class _Measurement:
    """Satellites that ask the first question once, and then the second one again and again."""

    questions: tuple[str, str]
    satellites: int
    keeps_connection: bool

    def run(self, uri: str, seconds: float) -> LoadResult:
        asyncio.run(self._ask_all(uri, min(1.0, seconds)))  # warm
        begin = time.perf_counter()
        took = asyncio.run(self._ask_all(uri, seconds))
        per_second = len(took) / (time.perf_counter() - begin)
        percentiles = quantiles(took, n=100)
        return LoadResult(per_second, 1_000 * percentiles[49], 1_000 * percentiles[98])

    async def _ask_all(self, uri: str, seconds: float) -> list[float]:
        end = time.perf_counter() + seconds
        found = await asyncio.gather(
            *(self._ask(uri, f"satellite {number}", end) for number in range(self.satellites))
        )
        return [one for times in found for one in times]

    async def _ask(self, uri: str, name: str, end: float) -> list[float]:
        text, follow_up = self.questions
        took = []
        client = AsyncClient.from_uri(uri)
        if self.keeps_connection:
            await client.connect()
        while (begin := time.perf_counter()) < end:
            if not self.keeps_connection:
                await client.connect()
            await client.write_event(Transcript(text, {"conversation_id": name}).event())
            answer = await client.read_event()
            took.append(time.perf_counter() - begin)
            if answer is None or answer.type not in _ANSWERS:
                sys.exit(f"the server answers something else than expected: {answer}")
            if not self.keeps_connection:
                await client.disconnect()
            text = follow_up
        if self.keeps_connection:
            await client.disconnect()
        return took


def _print_row(measure: _Measurement, name: str, one: LoadResult, bare: LoadResult) -> None:
    connection = "kept" if measure.keeps_connection else "new"
    print(
        f"| {measure.satellites} | {connection} | {name} | {one.per_second:,.0f} | "
        f"1 / {bare.per_second / one.per_second:.2f} | {one.median:.2f} ms | {one.tail:.2f} ms |",
        flush=True,
    )


async def _serve_constant() -> None:
    """Serve at a free port, and print its URI."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        uri = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    await AsyncServer.from_uri(uri).start(ConstantHandler)
    print(uri, flush=True)
    await asyncio.Event().wait()


@contextmanager
def _running(command: list[str]) -> Iterator[str]:
    """Run a server in its own process; yield the address that it prints."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        line = process.stdout.readline()
        try:
            yield next(word for word in line.split() if word.startswith("tcp://"))
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
