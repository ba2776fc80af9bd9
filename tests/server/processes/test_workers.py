"""The distributed form: several services on one Redis answer one conversation as if they were one,
whoever of them is killed when."""

from __future__ import annotations

import itertools
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
import uvicorn
from uvicorn.supervisors.multiprocess import Process

from anaphora.server.processes.workers import _WorkerHealth
from tests.server.server_process import WAIT_LIMIT, ServerProcess, wait_until, write_bot
from tests.support.redis_server import RedisServer

CLIENTS, QUESTIONS, FAULTS = 5, 40, 2


@pytest.fixture(scope="module")
def trio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ServerProcess]]:
    """Three services on one Redis, each at a port of its own."""
    folder = tmp_path_factory.mktemp("trio")
    write_bot(folder)
    with RedisServer() as redis, ExitStack() as stack:
        arguments = ("sales", "counter.yaml", "--store", f"{redis.url}?lease=1")
        servers = [ServerProcess(folder, *arguments).start() for _ in range(3)]
        for server in servers:
            stack.push(server)
            server.wait_until_ready()
        yield servers


def kill_and_start_again(server: ServerProcess) -> None:
    server.stop(signal.SIGKILL)
    server.start().wait_until_ready()


def test_a_dialog_goes_on_at_other_workers_when_one_is_killed_in_the_middle(
    trio: list[ServerProcess],
) -> None:
    dialog = [
        *[("sales", "sale"), ("who was the best?", "sale_best"), ("and purchases?", "buy")],
        *[("who was the best?", "buy_best"), ("sales again", "sale"), ("the best?", "sale_best")],
    ]
    workers = itertools.cycle(trio)
    for number, (text, intent) in enumerate(dialog):
        if number == 3:
            trio[0].stop(signal.SIGKILL)
            workers = itertools.cycle(trio[1:])
        reply = next(workers).ask(text, user="Ann")
        assert (reply["status"], reply["intent"]) == ("matched", intent), text
    trio[0].start().wait_until_ready()
    (best, sale) = trio[0].get("/v1/conversation?user=Ann").json()["remembered"]
    assert {best["element"], sale["element"]} == {"best_employee", "sale"}


@dataclass
class Talk:
    """What one client saw of its conversation: a bot that counts its questions."""

    user: str
    sent: int = 0
    failed: int = 0
    counted: int = 0
    lost: list[str] = field(default_factory=list)

    def go_on(
        self, servers: list[ServerProcess], chance: random.Random, client: httpx.Client
    ) -> None:
        """Ask one question of any of the workers."""
        body = {"text": "apples" if self.counted == 0 else "again", "user": self.user}
        self.sent += 1
        url = f"{chance.choice(servers).url}/v1/ask"
        try:
            answer = client.post(url, json={**body, "model": "counter"})
            answer.raise_for_status()
        except httpx.HTTPError:  # the worker is gone, and the question with it or its answer
            self.failed += 1
            time.sleep(0.02)  # as a client does; else it would only ask those that are down
            return
        reply = answer.json()
        if reply["status"] != "matched":
            self.lost.append(f"question {self.sent}: {reply['status']}")
            return
        count = reply["result"]["questions"]
        # A question of which the answer never came may have been remembered or not.
        if not self.counted < count <= self.sent:
            self.lost.append(f"question {self.sent}: {count} after {self.counted}")
        self.counted = count


@pytest.mark.thorough
def test_no_memory_is_lost_though_workers_are_killed_under_load(
    trio: list[ServerProcess],
) -> None:
    talks = [Talk(f"user {number}") for number in range(CLIENTS)]
    done = threading.Event()

    def talk(one: Talk) -> None:
        chance = random.Random(one.user)
        with httpx.Client(timeout=WAIT_LIMIT) as client:
            while one.sent < QUESTIONS or not done.is_set():
                one.go_on(trio, chance, client)

    with ThreadPoolExecutor(CLIENTS) as pool:
        running = [pool.submit(talk, one) for one in talks]
        try:
            for number in range(FAULTS):
                before = sum(one.counted for one in talks)
                wait_until(
                    lambda before=before: sum(one.counted for one in talks) > before + 20, "answers"
                )
                kill_and_start_again(trio[number % 3])
        finally:
            done.set()  # or the clients would talk for ever
        for one in running:
            one.result(WAIT_LIMIT)

    sent, failed = sum(one.sent for one in talks), sum(one.failed for one in talks)
    lost = [f"{one.user}: {what}" for one in talks for what in one.lost]
    print(f"{sent} questions sent, {FAULTS} workers killed, {failed} without answer, lost: {lost}")
    assert lost == []
    assert sent - failed >= CLIENTS * QUESTIONS // 2  # or nothing was shown
    for one in talks:
        remembered = trio[0].get(f"/v1/conversation?user={one.user}&model=counter").json()
        assert [held["value"] for held in remembered["remembered"] if held["element"] == "thing"]


def test_workers_are_started_again_and_counted_together_and_end_with_the_one_that_starts_them(
    tmp_path: Path,
) -> None:
    write_bot(tmp_path)
    arguments = ("counter.yaml", "--store", "sqlite:///kept.db", "--workers", "2")
    with ServerProcess(tmp_path, *arguments) as server:
        for number in range(10):
            assert server.ask("apples")["result"]["questions"] == number + 1
        first, _ = workers_of(server)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: len(set(workers_of(server)) - {first}) == 2, "a new worker")
        for number in range(10, 20):
            assert server.ask("again")["result"]["questions"] == number + 1
        metrics = server.get("/metrics").text
        assert 'anaphora_question_seconds_count{model="counter",status="matched"} 20.0' in metrics
        server.stop(signal.SIGKILL)
        wait_until(server.is_down, "the end of the workers")


def test_a_worker_may_load_its_modules_for_minutes_but_not_fall_silent() -> None:
    seconds = iter([0.0, 11.0, 60.0, 300.0, 300.0, 305.0, 309.0, 311.0])
    worker = Process(uvicorn.Config("nothing:app"), [])
    pulse = _WorkerHealth(worker, clock=lambda: next(seconds))
    assert [pulse.is_responsive() for _ in range(4)] == [True] * 4
    worker.child_conn.send(True)
    assert [pulse.is_responsive() for _ in range(4)] == [True, True, True, False]


def test_a_worker_that_cannot_even_be_told_to_end_is_killed(tmp_path: Path) -> None:
    write_bot(tmp_path)
    arguments = ("counter.yaml", "--store", "sqlite:///kept.db", "--workers", "2")
    with ServerProcess(tmp_path, *arguments, env={"ANAPHORA_SHUTDOWN_GRACE": "0"}) as server:
        os.kill(workers_of(server)[0], signal.SIGSTOP)
        assert server.stop(signal.SIGTERM) == 0


def workers_of(server: ServerProcess) -> list[int]:
    """The processes that answer for a server."""
    pid = server.process.pid
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(one) for one in started if "spawn_main" in Path(f"/proc/{one}/cmdline").read_text()]
