"""Test doubles of a long-term memory: clocks, summarizers and unreliable stores."""

from __future__ import annotations

import threading
from datetime import timedelta

from anaphora.errors import StoreError, SummaryError
from anaphora.ltm.exchange import Summary
from anaphora.ltm.history.working_history import HistorySettings
from tests.ltm.sample_exchanges import ANN, NOON

SMALL = HistorySettings(max_size=100, max_exchanges=30)


DEADLINE = 60.0  # seconds: a machine may be busy


class Clock:
    """One on the wall, which may be set, and the seconds that really pass."""

    def __init__(self):
        self.now = NOON
        self.seconds = 0.0

    def __call__(self):
        return self.now

    def monotonic(self):
        return self.seconds

    def passes(self, **delta):
        self.now += timedelta(**delta)
        self.seconds += timedelta(**delta).total_seconds()

    def is_set(self, **delta):
        self.now += timedelta(**delta)


class Summarizer:
    """Keeps the first word of each part. ``fails`` says for which texts it cannot be had; while
    ``may_go`` is not set it takes its time."""

    name = "first words"

    def __init__(self):
        self.fails = ()
        self.calls = []
        self.may_go = threading.Event()
        self.may_go.set()
        self.came = threading.Event()

    def summarize(self, segments):
        self.came.set()
        assert self.may_go.wait(DEADLINE)
        self.calls.append(len(segments))
        texts = [
            " ".join(
                (part.text if isinstance(part, Summary) else part.question).split()[0]
                for part in segment.parts
            )
            for segment in segments
        ]
        if any(word in text for word in self.fails for text in texts):
            raise SummaryError("the model is not there")
        return texts


def settled(memory):
    assert memory.flush(DEADLINE)
    return memory


class Away:
    """A store that can be away for a while."""

    def __init__(self, store):
        self._store = store
        self.is_away = self.is_full = False

    def __getattr__(self, name):
        if self.is_full and name == "add":
            raise StoreError("the disk is full")
        if self.is_away and name in ("add", "ping", "latest"):
            raise StoreError("the store is away")
        return getattr(self._store, name)


def questions(memory, key=ANN):
    return [one.question for one in memory.latest(key, 1000)]


class Failing:
    """A store whose ``add`` fails as the errors in ``fails`` say, one after another: ``before``
    it has kept something, or ``after``."""

    def __init__(self, store):
        self._store = store
        self.fails = []

    def __getattr__(self, name):
        return getattr(self._store, name)

    def add(self, new, *, mark=None):
        when, error = self.fails.pop(0) if self.fails and new else ("", None)
        if when != "before":
            self._store.add(new, mark=mark)
        if error is not None:
            raise error
