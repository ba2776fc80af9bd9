"""What fails in the background is tried again, later each time."""

from __future__ import annotations

import logging
from datetime import timedelta

from anaphora.errors import SummaryError
from anaphora.ltm.background.backoff import Backoff
from tests.ltm.sample_exchanges import NOON


class Clock:
    def __init__(self):
        self.now = NOON

    def __call__(self):
        return self.now

    def passes(self, **delta):
        self.now += timedelta(**delta)


def test_each_consecutive_failure_doubles_the_pause_up_to_ten_minutes():
    clock = Clock()
    failures = Backoff("summarize", clock)
    pauses = []
    for _ in range(12):
        failures.record_failure(SummaryError("no model"))
        pauses.append((failures.retry_at - clock.now).total_seconds())
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]


def test_a_retry_is_allowed_after_the_pause():
    clock = Clock()
    failures = Backoff("summarize", clock)
    assert failures.can_try
    failures.record_failure(SummaryError("no model"))
    assert not failures.can_try
    clock.passes(seconds=1)
    assert failures.can_try


def test_a_success_ends_the_pause_but_keeps_the_last_reason():
    failures = Backoff("summarize", Clock())
    failures.record_failure(SummaryError("no model"))
    failures.record_success()
    assert failures.can_try
    assert (failures.failure_count, failures.consecutive_failures, failures.last_reason) == (
        1,
        0,
        "no model",
    )


def test_an_unexpected_failure_is_logged_with_its_traceback(caplog):
    failures = Backoff("summarize", Clock())
    with caplog.at_level(logging.WARNING):
        failures.record_failure(SummaryError("no model"))
        failures.record_failure(ZeroDivisionError())
    foreseen, unforeseen = caplog.records
    assert (
        foreseen.getMessage() == "the long-term memory could not summarize; it tries again in 1 s"
    )
    assert foreseen.exc_info is None
    assert unforeseen.exc_info is not None
    assert failures.last_reason == "ZeroDivisionError"
