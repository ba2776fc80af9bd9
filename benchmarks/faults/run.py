"""Run a service with users and faults, and check the result."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from benchmarks.faults.checker import Trace, Violation, check
from benchmarks.faults.injection import Fault, Injection, possible_faults
from benchmarks.faults.operations import Exchange, Operation, serials_in
from benchmarks.faults.service import (
    History,
    Layout,
    Service,
    Store,
    run_service,
    wait_until_ready,
)
from benchmarks.faults.user import SimulatedUser, read_history

__all__ = ["Plan", "Result", "run"]

_TIMEOUT = httpx.Timeout(90.0, connect=10.0)
_SETTLING = 60.0  # seconds in which what was answered must be in the history at last


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a run. ``faults`` are names of faults, all possible ones if None; ``pace`` scales
    their frequency. A user waits ``think`` seconds between two questions."""

    questions: int = 10_000
    users: int = 100
    workers: int = 2
    store: Store = "redis"
    history: History = "sqlite"
    layout: Layout = "supervised"
    faults: Sequence[str] | None = None
    pace: float = 1.0
    think: float = 0.5
    seed: int = 1
    minutes: float = 30.0


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a run: the ``trace`` with its ``violations``, the ``faults`` that happened, and
    other ``failures`` (such as a user who was refused for too long)."""

    trace: Trace
    violations: Sequence[Violation]
    faults: Sequence[Fault]
    failures: Sequence[str]
    is_complete: bool
    seconds: float
    logged: Counter[str] = field(default_factory=Counter)

    @property
    def outcomes(self) -> Counter[str]:
        """The number of attempts by outcome."""
        return Counter(one.outcome for one in self.trace.operations if one.kind == "ask")

    @property
    def questions(self) -> int:
        """The number of different questions."""
        return len({one.serial for one in self.trace.operations if one.serial})


def run(plan: Plan, folder: Path, *, report: Callable[[str], None] = print) -> Result:
    """Run the service in ``folder`` with users and faults, and check the trace."""
    begin = time.monotonic()
    with run_service(
        folder,
        workers=plan.workers,
        store=plan.store,
        history=plan.history,
        layout=plan.layout,
    ) as service:
        names = possible_faults(service) if plan.faults is None else list(plan.faults)
        report(f"{plan.users} users, {plan.questions:,} questions, faults: {', '.join(names)}")
        operations: list[Operation] = []
        answers: list[Operation] = []

        def record(operation: Operation) -> None:
            operations.append(operation)
            if operation.kind == "ask" and operation.outcome == "answered":
                answers.append(operation)

        with Injection(
            service, names, seed=plan.seed, pace=plan.pace, answered=lambda: len(answers)
        ) as injection:
            failures, is_complete = asyncio.run(
                _run_users(plan, service, operations, record, report)
            )
        report("all is asked; the service is healed and started anew")
        service.heal()
        service.flush()
        report("all servers run again")
        wait_until_ready(service, seconds=60)
        kept = asyncio.run(_await_histories(service, operations))
        report("the history is read; the servers end")
        logged = Counter(
            _normalize_event(line) for line in service.logged() if '"level":"error"' in line
        )
        service.stop()
        residue = service.files_with(_erased_serials(operations))
    trace = Trace(operations, kept, residue)
    return Result(
        trace,
        check(trace),
        injection.faults,
        [*failures, *injection.failures],
        is_complete,
        time.monotonic() - begin,
        logged,
    )


async def _run_users(
    plan: Plan,
    service: Service,
    operations: Sequence[Operation],
    record: Callable[[Operation], None],
    report: Callable[[str], None],
) -> tuple[list[str], bool]:
    """Let all users ask; return the failures, and whether all finished in time."""
    # A connection serves one request: another worker may get the next one.
    limits = httpx.Limits(max_connections=plan.users * 2, max_keepalive_connections=0)
    async with httpx.AsyncClient(timeout=_TIMEOUT, limits=limits, trust_env=False) as http:
        talks = [
            SimulatedUser(
                f"u{number:03}",
                plan.questions // plan.users + (number < plan.questions % plan.users),
                service.urls,
                http,
                record,
                random.Random(f"{plan.seed} user {number}"),
                plan.think,
            )
            for number in range(plan.users)
        ]
        running = [asyncio.create_task(talk.run()) for talk in talks]
        progress = asyncio.create_task(_progress(talks, operations, report))
        try:
            _, late = await asyncio.wait(running, timeout=plan.minutes * 60)
        finally:  # of the time, or because it was interrupted
            progress.cancel()
            for task in running:
                task.cancel()
            ended = await asyncio.gather(*running, return_exceptions=True)
    errors = [one for one in ended if isinstance(one, Exception)]
    if errors:
        raise errors[0]
    return [failure for talk in talks for failure in talk.failures], not late


async def _progress(
    talks: Sequence[SimulatedUser], operations: Sequence[Operation], report: Callable[[str], None]
) -> None:
    while True:
        await asyncio.sleep(5.0)
        outcomes = Counter(one.outcome for one in operations if one.kind == "ask")
        counts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items())
        report(f"{sum(talk.asked for talk in talks):,} questions: {counts}")


async def _await_histories(
    service: Service, operations: Sequence[Operation]
) -> dict[str, list[Exchange]]:
    """The history of every user, as soon as nothing is missing, or at the time limit."""
    users = sorted({one.user for one in operations})
    deadline = time.monotonic() + _SETTLING
    async with httpx.AsyncClient(timeout=_TIMEOUT, trust_env=False) as http:
        while True:
            kept: dict[str, list[Exchange]] = {}
            for user in users:
                found = await read_history(http, service.urls()[0], user)
                kept[user] = [Exchange(number, question) for number, question in found]
            violations = check(Trace(operations, kept, {}))
            is_lost = any(
                one.kind == "lost" and one.detail.endswith("in the history") for one in violations
            )
            if not is_lost or time.monotonic() > deadline:
                return kept
            await asyncio.sleep(2.0)


def _erased_serials(operations: Sequence[Operation]) -> list[str]:
    """The serials of which a correct erasure has left nothing."""
    last: dict[str, float] = {}
    for one in operations:
        if one.kind == "erase" and one.outcome == "answered":
            last[one.user] = max(last.get(one.user, 0.0), one.begin)
    ends: dict[str, float] = {}
    for one in operations:
        for serial in serials_in(one.text)[:1]:
            ends[serial] = max(ends.get(serial, 0.0), one.end)
    return [serial for serial, end in ends.items() if end < last.get(serial[:4], 0.0)]


def _normalize_event(line: str) -> str:
    """The message of a log line, without its variable parts."""
    _, _, rest = line.partition('"event":"')
    return rest.partition('"')[0] or line[:80]
