"""What many tests share: a clock that they set, and bots from a few lines of YAML."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, settings

from tests.support.examples import SHORT, THOROUGH
from tests.support.shared_commands import share_commands
from tests.support.without_torch import leave_out_torch, processes_without_torch

# For NumPy and PyTorch, which are imported later, and the processes that tests start: with a test
# on each core, threads that share the work on a matrix wait for each other, and are busy meanwhile.
os.environ.setdefault("OMP_NUM_THREADS", "1")

with leave_out_torch():
    from anaphora import Engine, parse_model
    from tests.support.shared_tokenizers import own_blank, share_tokenizers

# How long anything takes is for benchmarks: a busy machine must not fail a test.
for name, count in (("short", SHORT), ("thorough", THOROUGH)):
    settings.register_profile(
        name, max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("short")

# Collecting makes objects that stay: to look for garbage among them again and again takes seconds.
gc.set_threshold(100_000, 20, 1_000)


def pytest_collection_finish() -> None:
    """Keep the collected tests out of the garbage collection, and let it look at everything rarely:
    there are so many objects that a full collection takes a second."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 20, 50)


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One worker more than there are cores, unless their number is given: many tests wait, for
    processes that they have started, for locks, for a disk."""
    cores = yield
    return cores if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else cores + 1


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Find the garbage once: pytest and Python look for it several times more, a second each."""
    gc.collect()
    gc.freeze()


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_time(self, **duration: float) -> None:
        self.now += timedelta(**duration)


@pytest.fixture(scope="session", autouse=True)
def quick_starts() -> Iterator[None]:
    with share_tokenizers(), share_commands(), processes_without_torch():
        yield


@pytest.fixture
def own_tokenizers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines with tokenizers and vocabularies of their own, as they are elsewhere."""
    monkeypatch.setattr("spacy.blank", own_blank)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def bot(clock: Clock) -> Callable[..., Engine]:
    """Makes an engine of the models whose YAML is given; its time is the ``clock`` fixture."""

    def make(*texts: str) -> Engine:
        return Engine(*(parse_model(dedent(text)) for text in texts), clock=clock)

    return make


@pytest.fixture
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty folder, and no settings of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith("ANAPHORA_"):
            monkeypatch.delenv(name)
