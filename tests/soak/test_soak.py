"""Eight hours of traffic, compressed by a clock: nothing that the service holds grows with it.

``pytest -m soak -s`` runs the long form, on SQLite and on Redis with PostgreSQL, and shows what it
measures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pytest

from tests.soak.service import SoakService
from tests.soak.traffic import Traffic, visitors
from tests.soak.trends import growth, medians_of_thirds
from tests.support.long_form import is_long_form
from tests.support.postgres_server import postgres_server  # noqa: F401 - a fixture
from tests.support.redis_server import redis_server  # noqa: F401 - a fixture

pytestmark = pytest.mark.soak

_MINUTES = 8 * 60

# A thread that works for the first time opens connections to five databases, each with two files;
# a pool of connections to a server grows when more are wanted at once than ever before.
_COUNTED = {"descriptors": 12, "connections": 8, "threads": 2, "processes": 1}


@dataclass(frozen=True, slots=True)
class Form:
    """``rounds`` with ``visits`` each, of which the first third warms up. After it each request may
    leave so many ``blocks``, and all of them so many ``resident`` bytes. The processor time of a
    request, and what each kind of request takes beside the others, may become ``slower`` times as
    long."""

    rounds: int
    visits: int
    blocks: float
    resident: float
    slower: float


class Measured(NamedTuple):
    """A measurement: from which median to which, by how much it has grown (times: by what factor),
    and by how much it may."""

    name: str
    first: float
    last: float
    grown: float
    allowed: float


_SHORT = Form(rounds=10, visits=1, blocks=15, resident=50e6, slower=inf)
_LONG = Form(rounds=100, visits=3, blocks=2, resident=10e6, slower=3)


@pytest.fixture(params=["files", "servers"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """The URLs of the stores of conversations and of the long-term memory."""
    if request.param == "files":
        return f"sqlite:///{tmp_path}/conversations.db", f"sqlite:///{tmp_path}/memory.db"
    if not is_long_form(request, "soak"):
        pytest.skip("a part of the long form: pytest -m soak")
    redis, postgres = (request.getfixturevalue(f"{name}_server") for name in ("redis", "postgres"))
    return f"{redis.url}?prefix=soak", f"{postgres.url}?schema={postgres.schema()}"


def test_nothing_grows(
    stores: tuple[str, str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    form = _LONG if is_long_form(request, "soak") else _SHORT
    samples: list[dict[str, float]] = []
    with SoakService(tmp_path, stores) as service:
        traffic = Traffic(service.url, service.lamp)
        for number in range(form.rounds):
            traffic.play_round(number, form.visits)
            samples.append(service.let_pass(_MINUTES / form.rounds))
            samples[-1]["requests"] = sum(map(len, traffic.seconds.values()))
        history = traffic.read_history(visitors(1, form.visits)[0])
    measured = [*_measure_held(samples, form), *_measure_seconds(traffic, form)]
    print(f"\n{samples[-1]['requests']} requests")
    for one in measured:
        print(f"{one.name}: {one.first:.6g} → {one.last:.6g}, grown by {one.grown:.3g}")
    assert samples[-1]["summaries"] > 0
    assert history["exchanges"] == []  # they have expired
    assert [one for one in measured if one.grown > one.allowed] == []


def _measure_held(samples: Sequence[dict[str, float]], form: Form) -> Iterator[Measured]:
    warm = samples[form.rounds // 3 :]
    series = {name: [sample[name] for sample in warm] for name in warm[0]}
    first, last = medians_of_thirds(series["requests"])
    allowed = {**_COUNTED, "blocks": form.blocks * (last - first), "resident": form.resident}
    for name, most in allowed.items():
        values = series[name]
        yield Measured(name, *medians_of_thirds(values), growth(values), most)
    spent = [
        (after["processor"] - before["processor"]) / (after["requests"] - before["requests"])
        for before, after in pairwise(warm)
    ]
    first, last = medians_of_thirds(spent)
    yield Measured("processor seconds of a request", first, last, last / first, form.slower)


def _measure_seconds(traffic: Traffic, form: Form) -> Iterator[Measured]:
    """Compare the kinds of requests: what slows down all of them is seen in the processor time, or
    is another program's work."""
    medians = {
        kind: medians_of_thirds(seconds[len(seconds) // 3 :])
        for kind, seconds in traffic.seconds.items()
    }
    usual = median(last / first for first, last in medians.values())
    for kind, (first, last) in medians.items():
        yield Measured(f"seconds of {kind}", first, last, last / first / usual, form.slower)
