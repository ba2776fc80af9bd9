"""The smart-home work in Anaphora, hassil and adapt: time and accuracy, in one process and run.

All are asked the same utterances, in rounds that take turns, each round begun by another one, so
that whatever else the machine does falls on each of them alike. No utterance is asked twice: nobody
gains by keeping whole texts. What was built is frozen: the garbage collection of one looks through
what that one has made since, and not through what the others hold.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from time import perf_counter, process_time

from benchmarks.peers.engines.adapt_home import AdaptHome
from benchmarks.peers.engines.anaphora_home import AnaphoraHome
from benchmarks.peers.engines.answers import Answer, Home
from benchmarks.peers.engines.hassil_home import HassilHome
from benchmarks.peers.interleaving import gc_frozen, rotate
from benchmarks.peers.smart_home.utterances import Utterance, utterances
from benchmarks.peers.smart_home.work import Work, smart_home

__all__ = ["ENGINES", "Row", "Score", "compare", "score"]

# Those that are compared, and the variants of each that were tried beside it; see `compare`.
ENGINES: dict[str, Callable[[Work], Home]] = {
    "anaphora": AnaphoraHome,
    "anaphora (one conversation)": lambda work: AnaphoraHome(work, user="one"),
    "adapt": AdaptHome,
    "hassil": HassilHome,
}
VARIANTS: dict[str, Callable[[Work], Home]] = {
    "adapt (100 readings)": lambda work: AdaptHome(work, readings=100),
    "hassil (best)": lambda work: HassilHome(work, find="best"),
}
_BASE = "anaphora"
_ONE_CONVERSATION = "anaphora (one conversation)"
_WARM_UP = 500  # utterances
_OTHER_SEED = 1_000  # more than that of the home in which times are taken
_ELSEWHERE = 1_000  # utterances there


@dataclass(frozen=True, slots=True)
class Score:
    """How many of ``count`` utterances were understood: the intent, all the slots, both."""

    count: int
    intents: float
    slots: float
    both: float


@dataclass(frozen=True, slots=True)
class Row:
    """What one engine took and got right. Times are in seconds, of one utterance but for
    ``build``, which is the processor's, and so is ``worked``, the mean of an utterance: it leaves
    out what other processes took of the machine (they take more of who works longer at a time).
    ``per_second`` are the utterances in one of its seconds, and ``ratio`` is ``worked`` as a
    multiple of Anaphora's. The engine that has one conversation for all has no score: there
    what was said before counts, as it should.
    ``elsewhere`` is the score in another home, whose devices and utterances are others: no format
    was written with them in view."""

    engine: str
    times: tuple[float, ...]
    score: Score | None
    build: float = 0.0
    worked: float = 0.0
    ratio: float = 1.0
    ratio_of_medians: float = 1.0
    elsewhere: Score | None = None
    by_kind: dict[str, Score] = field(default_factory=dict)
    wrong: tuple[tuple[Utterance, Answer], ...] = ()

    @property
    def median(self) -> float:
        return median(self.times)

    @property
    def mean(self) -> float:
        return fmean(self.times)

    @property
    def p99(self) -> float:
        return sorted(self.times)[int(len(self.times) * 0.99)]

    @property
    def per_second(self) -> float:
        return 1 / self.worked


def compare(
    count: int = 2_000,
    *,
    seed: int = 1,
    rounds: int = 3,
    engines: Iterable[str] = tuple(ENGINES),
) -> list[Row]:
    """A row for each engine, of ``rounds`` times ``count`` utterances after a warm-up."""
    work = smart_home(seed)
    warm_up = min(count, _WARM_UP)
    said = utterances(work, count * rounds + warm_up, seed=seed)
    said, warming = said[:-warm_up], said[-warm_up:]
    built: dict[str, tuple[Home, float]] = {}
    for engine in engines:
        begin = process_time()
        home = (ENGINES | VARIANTS)[engine](work)
        built[engine] = home, process_time() - begin
        for utterance in warming:
            home(utterance.text)
    times: dict[str, list[float]] = {engine: [] for engine in built}
    busy = dict.fromkeys(built, 0.0)
    answers: dict[str, list[Answer]] = {engine: [] for engine in built}
    with gc_frozen():
        for number, start in enumerate(range(0, len(said), count)):
            for engine in rotate(list(built), number):
                gc.collect()
                worked = process_time()
                took, given = _asked(built[engine][0], said[start : start + count])
                busy[engine] += process_time() - worked
                times[engine] += took
                answers[engine] += given
    elsewhere = _elsewhere(built, min(count, _ELSEWHERE), seed=seed + _OTHER_SEED)
    base = _BASE if _BASE in built else next(iter(built))
    return [
        replace(
            _row(engine, times[engine], said, answers[engine]),
            build=build,
            worked=busy[engine] / len(said),
            ratio=busy[engine] / busy[base],
            ratio_of_medians=median(times[engine]) / median(times[base]),
            elsewhere=elsewhere.get(engine),
        )
        for engine, (_, build) in built.items()
    ]


def score(said: Sequence[Utterance], answers: Sequence[Answer]) -> Score:
    """The shares that are right. The slots must be those of the utterance and no others."""
    pairs = list(zip(said, answers, strict=True))
    if not pairs:
        return Score(0, 0.0, 0.0, 0.0)
    intents = [one.intent == answer.intent for one, answer in pairs]
    slots = [one.slots == answer.slots for one, answer in pairs]
    both = [intent and slot for intent, slot in zip(intents, slots, strict=True)]
    return Score(len(pairs), fmean(intents), fmean(slots), fmean(both))


def _elsewhere(engines: Iterable[str], count: int, *, seed: int) -> dict[str, Score]:
    """The score of each engine in the home of that seed."""
    work = smart_home(seed)
    said = utterances(work, count, seed=seed)
    scores = {}
    for engine in engines:
        if engine != _ONE_CONVERSATION:
            home = (ENGINES | VARIANTS)[engine](work)
            scores[engine] = score(said, [home(one.text) for one in said])
    return scores


def _asked(home: Home, said: Sequence[Utterance]) -> tuple[list[float], list[Answer]]:
    times, answers = [], []
    for utterance in said:
        begin = perf_counter()
        answer = home(utterance.text)
        times.append(perf_counter() - begin)
        answers.append(answer)
    return times, answers


def _row(
    engine: str, times: Sequence[float], said: Sequence[Utterance], answers: Sequence[Answer]
) -> Row:
    if engine == _ONE_CONVERSATION:
        return Row(engine, tuple(times), None)
    pairs = list(zip(said, answers, strict=True))
    of_kind: dict[str, list[tuple[Utterance, Answer]]] = defaultdict(list)
    for one, answer in pairs:
        of_kind[one.kind].append((one, answer))
    return Row(
        engine,
        tuple(times),
        score(said, answers),
        by_kind={kind: score(*zip(*told, strict=True)) for kind, told in of_kind.items()},
        wrong=tuple(
            (one, answer)
            for one, answer in pairs
            if (one.intent, one.slots) != (answer.intent, answer.slots)
        ),
    )
