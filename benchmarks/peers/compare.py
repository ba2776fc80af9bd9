"""The smart-home work in Anaphora, hassil and adapt: time and accuracy, in one process and run.

All engines answer the same utterances in interleaved rounds, each started by another engine, so
that disturbances from outside affect all alike. No utterance occurs twice, so that caches of whole
texts do not help. Built objects are frozen: the garbage collector does not traverse those of the
other engines.
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

# The compared engines, and the variants of each that were tried as well; see `compare`.
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
    """The number of ``count`` utterances with the right intent, the right slots, and both."""

    count: int
    intents: float
    slots: float
    both: float


@dataclass(frozen=True, slots=True)
class Row:
    """The times and the accuracy of one engine. Times are in seconds per utterance, except
    ``build``. ``build`` and ``worked``, the mean per utterance, are CPU times, which exclude other
    processes of the machine. ``per_second`` is the number of utterances per CPU second, ``ratio``
    is ``worked`` as a multiple of Anaphora's. The engine with one conversation for all utterances
    has no score, because earlier utterances affect its answers. ``elsewhere`` is the score in
    another home with other devices and utterances, which no author of the formats has seen."""

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
    """Measure each engine with ``rounds`` times ``count`` utterances after a warm-up."""
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
    """The shares of right answers. The slots must be exactly those of the utterance."""
    pairs = list(zip(said, answers, strict=True))
    if not pairs:
        return Score(0, 0.0, 0.0, 0.0)
    intents = [one.intent == answer.intent for one, answer in pairs]
    slots = [one.slots == answer.slots for one, answer in pairs]
    both = [intent and slot for intent, slot in zip(intents, slots, strict=True)]
    return Score(len(pairs), fmean(intents), fmean(slots), fmean(both))


def _elsewhere(engines: Iterable[str], count: int, *, seed: int) -> dict[str, Score]:
    """The score of each engine in the home of another seed."""
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
