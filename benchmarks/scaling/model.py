"""Simulate a network of processes on machines, event by event.

A question visits processes in turn (a load generator, a worker, a store), each of which computes
for a while. A process computes for one question at a time, as a Python worker, Redis or the backend
of a database do, and needs one of the cores of its machine for that. Between machines a message
takes the time of the network. Times are exponential: real ones vary less, so that waiting times are
rather too long.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from itertools import count
from random import Random

__all__ = ["Load", "Machine", "Process", "Visit", "simulate"]

_WARM_UP = 0.2  # the share of the questions that is not counted


@dataclass(slots=True, eq=False)
class Machine:
    """A machine with ``cores``."""

    cores: int
    idle: int = 0
    ready: deque[Process] = field(default_factory=deque)


@dataclass(slots=True, eq=False)
class Process:
    """A process on a machine; ``busy`` are the seconds that it has computed."""

    machine: Machine
    waiting: deque[tuple[_Question, float]] = field(default_factory=deque)
    active: bool = False
    busy: float = 0.0


@dataclass(frozen=True, slots=True)
class Visit:
    """``seconds`` of computing by a process, after ``delay`` seconds of the network or a disk."""

    process: Process
    seconds: float
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Load:
    """The result: questions ``per_second``, ``median`` and ``tail`` (99 %) of their seconds, and
    the shares of the time for which processes computed."""

    per_second: float
    median: float
    tail: float
    utilization: tuple[float, ...]


@dataclass(slots=True, eq=False)
class _Question:
    begun: float
    route: Iterator[Visit]


def simulate(
    route: Callable[[int], Sequence[Visit]],
    processes: Sequence[Process],
    *,
    questions: int = 20_000,
    connections: int = 0,
    per_second: float = 0.0,
    seed: int = 1,
) -> Load:
    """Answer questions: either each of ``connections`` asks the next one as soon as it has its
    answer, or ``per_second`` of them arrive at random. ``route`` returns the visits of the question
    with a number."""
    random, order, numbers = Random(seed), count(), count()
    events: list[tuple[float, int, Callable[[float], None]]] = []
    taken: list[float] = []
    counted_from = 0.0
    for machine in {id(each.machine): each.machine for each in processes}.values():
        machine.idle = machine.cores

    def at(time: float, action: Callable[[float], None]) -> None:
        heappush(events, (time, next(order), action))

    def ask(now: float) -> None:
        advance(_Question(now, iter(route(next(numbers)))), now)
        if per_second:
            at(now + random.expovariate(per_second), ask)

    def advance(question: _Question, now: float) -> None:
        nonlocal counted_from
        visit = next(question.route, None)
        if visit is None:
            taken.append(now - question.begun)
            if len(taken) == int(questions * _WARM_UP):
                counted_from = now
                for process in processes:
                    process.busy = 0.0
            if connections:
                ask(now)
        elif visit.delay:
            at(now + visit.delay, lambda now: arrive(visit, question, now))
        else:
            arrive(visit, question, now)

    def arrive(visit: Visit, question: _Question, now: float) -> None:
        process = visit.process
        process.waiting.append((question, visit.seconds))
        if not process.active:
            process.active = True
            process.machine.ready.append(process)
            dispatch(process.machine, now)

    def dispatch(machine: Machine, now: float) -> None:
        while machine.idle and machine.ready:
            machine.idle -= 1
            process = machine.ready.popleft()
            question, mean = process.waiting.popleft()
            seconds = random.expovariate(1 / mean) if mean else 0.0
            process.busy += seconds
            at(now + seconds, partial(finish, process, question))

    def finish(process: Process, question: _Question, now: float) -> None:
        machine = process.machine
        machine.idle += 1
        process.active = bool(process.waiting)
        if process.waiting:
            machine.ready.append(process)
        advance(question, now)
        dispatch(machine, now)

    for _ in range(connections or 1):
        at(0.0, ask)
    now = 0.0
    while len(taken) < questions:
        now, _, action = heappop(events)
        action(now)
    measured = sorted(taken[int(questions * _WARM_UP) :])
    seconds = now - counted_from
    return Load(
        len(measured) / seconds,
        measured[len(measured) // 2],
        measured[len(measured) * 99 // 100],
        tuple(process.busy / seconds for process in processes),
    )
