"""The service under attack: latency of good clients and memory of the worker, with and without
hostile clients.

    python -m benchmarks.server.hostile_clients [--minutes N] [--clients N] [--connections N]

The good clients are wrk with questions of a thousand users. The hostile clients, in one process,
are idle connections, senders of slow headers, slow readers, clients that read nothing, pipeliners,
smugglers with Upgrade and senders of broken chunks. They check that each of their requests gets
exactly the right answer. All traffic stays on the loopback interface.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import multiprocessing
import re
import shutil
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from urllib.request import urlopen

from benchmarks.server.load import LoadResult, measure_load, run_service, write_script

SLICE = 10  # seconds of wrk for one row
MAX_RATIO = 3.0  # of the latency under attack to that without
MAX_GROWTH = 1.2  # of the memory under attack, from its first fifth to its end

NOT_FOUND = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
BIG = NOT_FOUND.replace(b"/nothing", b"/openapi.json")
POST = b"POST /nothing HTTP/1.1\r\nHost: localhost\r\n"
UPGRADE = POST + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: %d\r\n\r\n" % len(BIG)
BROKEN = (
    POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    POST + b"Transfer-Encoding: chunked\r\n\r\n0xd\r\n",
    POST + b"Transfer-Encoding: chunked\r\n\r\n3\nabc\n0\n\n",
    POST + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
    POST + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
)

Address: TypeAlias = tuple[str, int]
Client: TypeAlias = Callable[[Address, Counter[str]], Awaitable[None]]


async def be_idle(address: Address, counts: Counter[str]) -> None:
    reader, _ = await connect(address)
    await reader.read()


async def send_slow_head(address: Address, counts: Counter[str]) -> None:
    _, writer = await connect(address)
    for byte in NOT_FOUND * 10:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.5)


async def read_slowly(address: Address, counts: Counter[str]) -> None:
    reader, writer = await connect(address)
    writer.write(BIG * 100)
    while await reader.read(1_024):
        await asyncio.sleep(0.5)


async def read_nothing(address: Address, counts: Counter[str]) -> None:
    reader, writer = await connect(address)
    reader._transport.pause_reading()  # type: ignore[attr-defined]  # asyncio reads ahead by itself
    writer.write(BIG * 100)
    while True:
        writer.write(b"\r\n")
        await writer.drain()
        await asyncio.sleep(1)


async def pipeline(address: Address, counts: Counter[str]) -> None:
    reader, writer = await connect(address)
    reader._transport.pause_reading()  # type: ignore[attr-defined]
    while True:
        writer.write(NOT_FOUND * 1_000)
        await writer.drain()
        await asyncio.sleep(0.01)


async def smuggle(address: Address, counts: Counter[str]) -> None:
    reader, writer = await connect(address)
    writer.write(UPGRADE)
    await writer.drain()
    await asyncio.sleep(0.1)
    writer.write(BIG + NOT_FOUND.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    check(await reader.read(), [404, 404], counts)


async def break_chunks(address: Address, counts: Counter[str]) -> None:
    for sent in BROKEN:
        reader, writer = await connect(address)
        writer.write(sent)
        check(await reader.read(), [400], counts)
        writer.close()
        await asyncio.sleep(0.1)


KINDS: dict[str, tuple[Client, int]] = {
    "idle": (be_idle, 10),  # with its share
    "slow head": (send_slow_head, 1),
    "slow reader": (read_slowly, 1),
    "no reader": (read_nothing, 1),
    "pipeliner": (pipeline, 1),
    "smuggler": (smuggle, 1),
    "broken chunks": (break_chunks, 1),
}


async def connect(address: Address) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    one.setblocking(False)
    await asyncio.get_running_loop().sock_connect(one, address)
    return await asyncio.open_connection(sock=one, limit=65_536)


def check(answers: bytes, expected: list[int], counts: Counter[str]) -> None:
    statuses = [int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3}) ", answers)]
    counts["checked"] += 1
    if statuses not in (expected, [503]):  # which is what a full server says
        counts[f"wrong: {statuses} instead of {expected}"] += 1


def attack(address: Address, clients: int, results: Any) -> None:
    """Run all hostile clients until the process is stopped; send counts every second."""

    async def repeat(kind: str, client: Client, counts: Counter[str]) -> None:
        while True:
            counts[kind] += 1
            try:
                await client(address, counts)
            except OSError:
                counts["ended by the server"] += 1
            await asyncio.sleep(0.1)

    async def run() -> None:
        counts: Counter[str] = Counter()
        tasks = [
            asyncio.create_task(repeat(kind, client, counts))
            for kind, (client, share) in KINDS.items()
            for _ in range(clients * share)
        ]
        while not any(task.done() for task in tasks):
            results.send(dict(counts))
            await asyncio.sleep(1)
        await asyncio.gather(*tasks)  # raises what one has raised

    asyncio.run(run())


@contextmanager
def attackers(url: str, clients: int) -> Iterator[Callable[[], dict[str, int]]]:
    """Run hostile clients in their own process; yield a function that returns their last counts."""
    parts = urlsplit(url)
    ours, theirs = multiprocessing.Pipe(duplex=False)
    arguments = ((str(parts.hostname), int(parts.port or 80)), clients, theirs)
    process = multiprocessing.Process(target=attack, args=arguments, daemon=True)
    process.start()
    counts: dict[str, int] = {}

    def last_counts() -> dict[str, int]:
        while ours.poll():
            counts.update(ours.recv())
        if not process.is_alive():
            sys.exit("the hostile clients have failed")
        return counts

    try:
        yield last_counts
    finally:
        process.terminate()
        process.join()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=0.5, help="under attack, at most 60")
    parser.add_argument("--clients", type=int, default=20, help="of each hostile kind, at most 50")
    parser.add_argument("--connections", type=int, default=16, help="of wrk")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    chosen = parser.parse_args()
    if not 0 < chosen.minutes <= 60 or not 0 < chosen.clients <= 50:
        parser.error("--minutes is at most 60 and --clients at most 50")
    if shutil.which("wrk") is None:
        sys.exit("wrk is needed to make the load: apt install wrk")
    seconds = max(1, min(SLICE, math.floor(chosen.minutes * 60 / 2)))
    print("| seconds | clients beside | questions a second | median | 99 % | errors | memory |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    with (
        tempfile.TemporaryDirectory() as folder,
        run_service("cafe", "memory:", 1) as url,
    ):
        script = write_script(Path(folder), "cafe")

        def measure(beside: str, second: int) -> tuple[LoadResult, float]:
            found = measure_load(url, script, connections=chosen.connections, seconds=seconds)
            memory = resident(url)
            print(
                f"| {second} | {beside} | {found.per_second:,.0f} | {found.median:.2f} ms | "
                f"{found.tail:.2f} ms | {found.errors} | {memory:,.0f} MB |",
                flush=True,
            )
            return found, memory

        measure("none, to warm up", 0)
        before = [measure("none", number * seconds) for number in range(1, 4)]
        begin = 4 * seconds
        with attackers(url, chosen.clients) as last_counts:
            number = max(2, round(chosen.minutes * 60 / seconds))
            under = [measure("hostile", begin + one * seconds) for one in range(number)]
            counts = last_counts()
        after = [measure("none, after", begin + (number + one) * seconds) for one in range(3)]
        ended = ended_connections(url)
    summarize(chosen, before, under, after, counts, ended)


def summarize(
    chosen: argparse.Namespace,
    before: list[tuple[LoadResult, float]],
    under: list[tuple[LoadResult, float]],
    after: list[tuple[LoadResult, float]],
    counts: dict[str, int],
    ended: dict[str, int],
) -> None:
    alone, attacked = (median(one.tail for one, _ in rows) for rows in (before, under))
    worst = max(one.tail for one, _ in under)
    first = max(memory for _, memory in under[: max(1, len(under) // 5)])
    last = max(memory for _, memory in under[-max(1, len(under) // 5) :])
    wrong = {what: number for what, number in counts.items() if what.startswith("wrong")}
    is_fast, is_level = attacked < MAX_RATIO * alone, last < MAX_GROWTH * first
    print(
        f"\n99 % of the good clients: {alone:.2f} ms alone, {attacked:.2f} ms under attack"
        f" ({attacked / alone:.1f} times; at worst {worst:.2f} ms, {worst / alone:.1f} times):"
        f" {'met' if is_fast else 'missed'}\nmemory of the worker: {before[-1][1]:,.0f} MB alone,"
        f" {first:,.0f} MB at the beginning of the attack, {last:,.0f} MB at its end,"
        f" {after[-1][1]:,.0f} MB after it: {'level' if is_level else 'it grows'}"
        f"\nhostile clients: {counts}\nended by the server: {ended}"
        f"\nwrong answers to broken requests: {wrong or 'none'}"
    )
    if chosen.json:
        figures = {
            "alone": alone,
            "attacked": attacked,
            "worst": worst,
            "memory": [memory for _, memory in before + under + after],
            "errors": sum(one.errors for one, _ in before + under + after),
            "counts": counts,
            "ended": ended,
            "wrong": wrong,
        }
        chosen.json.write_text(json.dumps(figures))


def resident(url: str) -> float:
    """The memory of the worker in MB."""
    return _metric(url, r"process_resident_memory_bytes ([\d.e+]+)") / 1e6


def ended_connections(url: str) -> dict[str, int]:
    pattern = r'anaphora_connections_ended_total{reason="([a-z ]+)"} ([\d.e+]+)'
    return {reason: round(float(number)) for reason, number in re.findall(pattern, _metrics(url))}


def _metric(url: str, pattern: str) -> float:
    found = re.search(pattern, _metrics(url))
    if found is None:
        sys.exit(f"the metrics lack {pattern}")
    return float(found[1])


def _metrics(url: str) -> str:
    with urlopen(f"{url}/metrics", timeout=60) as answer:
        text: str = answer.read().decode()
        return text


if __name__ == "__main__":
    main()
