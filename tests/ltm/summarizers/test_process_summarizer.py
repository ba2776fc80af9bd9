"""A summarizer in a process of its own."""

from __future__ import annotations

import os
import signal
import time

import pytest

from anaphora.errors import SummaryError
from anaphora.ltm.summarizers.extractive.summarizer import Extractive
from anaphora.ltm.summarizers.process_summarizer import ProcessSummarizer
from anaphora.ltm.summarizers.summarizer import Segment
from tests.ltm.sample_exchanges import make_exchanges

SEGMENTS = [Segment(tuple(make_exchanges(5)), 12), Segment(tuple(make_exchanges(3, words=30)), 20)]
DEADLINE = 60.0


class Telling:
    """Tells what it is asked to tell: of the process that it is in, or of what went wrong."""

    name = "telling"

    def __init__(self, what="pid"):
        self.what = what

    def summarize(self, segments):
        if self.what == "pid":
            return [str(os.getpid())] * len(segments)
        if self.what == "foreseen":
            raise SummaryError("the model is not there")
        if self.what == "unforeseen":
            raise ZeroDivisionError("by zero")
        if self.what == "noise":
            print("a library that talks")
            return ["quiet"] * len(segments)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


@pytest.fixture
def apart():
    made = []

    def apart(summarizer, **options):
        one = ProcessSummarizer(summarizer, **options)
        made.append(one)
        return one

    yield apart
    for one in made:
        one.close()


def ended(pid):
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        try:
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return True
        except ChildProcessError:
            return True
        time.sleep(0.01)
    return False


def test_summaries_equal_those_of_the_summarizer(apart):
    one = apart(Extractive())
    assert one.summarize(SEGMENTS) == Extractive().summarize(SEGMENTS)
    assert one.summarize([]) == []
    assert one.name == "extractive"


def test_the_process_is_reused(apart):
    one = apart(Telling())
    (first,) = one.summarize(SEGMENTS[:1])
    assert int(first) != os.getpid()
    assert one.summarize(SEGMENTS) == [first, first]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("foreseen", "the model is not there"),
        ("unforeseen", "ZeroDivisionError: by zero"),
    ],
)
def test_errors_of_the_process_are_reported(apart, what, message):
    with pytest.raises(SummaryError, match=message):
        apart(Telling(what)).summarize(SEGMENTS)


def test_printed_output_does_not_disturb_messages(apart):
    assert apart(Telling("noise")).summarize(SEGMENTS) == ["quiet", "quiet"]


def test_a_process_killed_during_work_is_reported(apart):
    with pytest.raises(SummaryError, match="the summarizer process ended"):
        apart(Telling("kill")).summarize(SEGMENTS)


def test_a_killed_process_is_restarted(apart):
    one = apart(Telling())
    (pid,) = one.summarize(SEGMENTS[:1])
    os.kill(int(pid), signal.SIGKILL)
    (other,) = one.summarize(SEGMENTS[:1])
    assert other != pid


def test_an_idle_process_ends_and_is_restarted_when_needed(apart):
    one = apart(Telling(), idle=0.01)
    (pid,) = one.summarize(SEGMENTS[:1])
    assert ended(int(pid))
    (other,) = one.summarize(SEGMENTS[:1])
    assert other != pid


def test_closing_ends_the_process(apart):
    one = apart(Telling())
    (pid,) = one.summarize(SEGMENTS[:1])
    one.close()
    assert ended(int(pid))


def test_a_summarizer_that_cannot_be_pickled_is_reported(apart):
    one = Telling()
    one.what = lambda: None
    with pytest.raises(SummaryError, match="'telling' cannot run in a separate process"):
        apart(one).summarize(SEGMENTS)


def test_a_forked_process_starts_one_of_its_own(apart):
    one = apart(Telling())
    (pid,) = one.summarize(SEGMENTS[:1])
    child = os.fork()
    if child == 0:
        (other,) = one.summarize(SEGMENTS[:1])
        one.close()
        os._exit(0 if other != pid else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert one.summarize(SEGMENTS[:1]) == [pid]
