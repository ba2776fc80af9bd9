"""Subjects are measured in rounds, in this process or in others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.report.workloads import timing
from benchmarks.report.workloads.subject_process import (
    InlineSubject,
    SubjectError,
    SubjectProcess,
    Values,
    affordable,
    run_interleaved,
)

ROOT = Path(__file__).parent.parent.parent.parent
each = pytest.mark.parametrize


def counting(size: int, step: int = 1) -> Iterator[Values]:
    yield {"ready": size}
    while True:
        size += step
        yield {"at": size}


def up_to_a_hundred(size: int) -> Iterator[Values]:
    for at in count(size):
        if at > 100:
            raise ValueError(f"{at} are too many")
        yield {"ready": at} if at == size else {"at": size}


def never_ready() -> Iterator[Values]:
    Event().wait()
    yield {}


def failing() -> Iterator[Values]:
    yield {}
    raise ValueError("no more of that")


def test_a_subject_runs_in_its_own_process():
    with SubjectProcess(counting, size=10, step=5) as process:
        assert process.ready == {"ready": 10}
        assert [process.round(), process.round()] == [{"at": 15}, {"at": 20}]


def test_a_subject_runs_in_this_process():
    here = InlineSubject(counting, size=10)
    assert (here.ready, here.round()) == ({"ready": 10}, {"at": 11})


def test_a_process_that_fails_says_why():
    with (
        SubjectProcess(failing) as process,
        pytest.raises(SubjectError, match="ValueError: no more of that"),
    ):
        process.round()


@each("apart", [True, False])
def test_rounds_of_several_sizes_give_medians(apart):
    found, failed = run_interleaved(counting, (1, 100), rounds=3, apart=apart)
    assert found == {1: {"ready": 1, "at": 3}, 100: {"ready": 100, "at": 102}}
    assert failed == {}


def test_a_failing_size_does_not_affect_the_others():
    found, failed = run_interleaved(up_to_a_hundred, (1, 1_000), rounds=1)
    assert found == {1: {"ready": 1, "at": 1}}
    assert failed.keys() == {1_000}
    assert "1000 are too many" in failed[1_000]


def test_a_size_that_fails_in_a_round_is_dropped():
    found, failed = run_interleaved(up_to_a_hundred, (1, 99), rounds=3)
    assert found.keys() == {1}
    assert failed.keys() == {99}


def test_a_process_that_is_not_ready_in_time_is_killed():
    with (
        SubjectProcess(never_ready, patience=0.1) as process,
        pytest.raises(SubjectError, match="more than 0 s"),
    ):
        process.ready  # noqa: B018 - it waits


def test_sizes_that_do_not_fit_into_memory_are_skipped():
    assert affordable({1: 0.0, 10: 0.0, 100: 1e9}) == (1, 10)


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=300))
def test_quantiles_are_sorted_and_end_with_the_maximum(times):
    points = timing.quantiles(times)
    assert points == tuple(sorted(points))
    assert points[-1] == (1.0, max(times))
    for share, seconds in points:
        assert sum(one <= seconds for one in times) >= share * len(times)


def test_peak_memory_excludes_the_parent_process():
    held = bytearray(500_000_000)
    code = "from benchmarks.process_memory import peak; print(peak())"
    command = [sys.executable, "-c", f"import sys; sys.modules['torch'] = None; {code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert 10_000_000 < int(done.stdout) < len(held)
