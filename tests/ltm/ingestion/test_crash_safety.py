"""What was added outlives the process, whenever that dies."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.memory import LongTermMemory
from tests.ltm.sample_exchanges import ANN

ROOT = Path(__file__).parents[3]
DEADLINE = 60.0
SETTINGS = "HistorySettings(max_exchanges=10**6, max_size=200)"

# Adds as fast as it can and tells each exchange that it has added; summaries are made meanwhile.
TELLING = f"""
import os, sys
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.summarizers.first_words import FirstWords
from tests.ltm.sample_exchanges import ANN, make_exchange
url, first = sys.argv[1], int(sys.argv[2])
memory = LongTermMemory(url, summarizer=FirstWords(), settings={SETTINGS})
for number in range(first, first + 100_000):
    memory.add(ANN, make_exchange(f"number {{number}}", "so it is"))
    os.write(1, b"%d\\n" % number)
"""


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/memory.db?synchronous=normal"


def run_and_kill(url: str, first: int, told: int) -> int:
    """The last number that a process told which was killed after it had told so many."""
    command = [sys.executable, "-c", TELLING, url, str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        lines = [process.stdout.readline() for _ in range(told)]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
    return max(int(line) for line in lines if line.endswith(b"\n"))


def kept(url: str) -> list[int]:
    settings = HistorySettings(max_exchanges=10**6, max_size=200)
    with LongTermMemory(url, summarizer=None, settings=settings) as memory:
        assert memory.flush(DEADLINE)
        found = memory.latest(ANN, 10**6)
        assert [one.number for one in found] == list(range(len(found), 0, -1))
        return [int(one.question.split()[1]) for one in reversed(found)]


def test_kill_9_neither_loses_nor_duplicates_exchanges(url):
    random.seed(7)
    told = []
    for _ in range(6):
        first = told[-1] + 1_000_000 if told else 0
        last = run_and_kill(url, first, random.randrange(1, 3_000))
        told += range(first, last + 1)
    found = kept(url)
    assert not set(told) - set(found)
    assert max(Counter(found).values()) == 1
    assert found == sorted(found)
    assert len(found) <= len(told) + 6  # what was added and could not be told any more
    print(f"{len(told):,} exchanges were told in 6 processes that were killed: 0 lost, 0 twice")


def test_a_process_that_adds_while_another_takes_over_loses_nothing(url):
    first = [run_and_kill(url, place * 1_000_000, 200) for place in range(2)]
    settings = HistorySettings(max_exchanges=10**6, max_size=200)
    with (
        LongTermMemory(url, summarizer=None, settings=settings) as one,
        LongTermMemory(url, summarizer=None, settings=settings) as other,
    ):
        assert one.flush(DEADLINE)
        assert other.flush(DEADLINE)
        found = Counter(exchange.question for exchange in one.latest(ANN, 10**6))
    assert max(found.values()) == 1
    assert {f"number {number}" for number in range(first[0] + 1)} <= found.keys()
    assert {f"number {number}" for number in range(1_000_000, first[1] + 1)} <= found.keys()
