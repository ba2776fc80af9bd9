"""Processes that hammer conversations and are killed meanwhile, and what must be true afterwards.

Each process writes down what it does before it goes on, so that its log tells what it had been
promised when it died.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from random import Random

from msgspec.structs import replace

from anaphora.errors import Conflict, StoreError
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.stores.store import Session, Store, async_store_of
from anaphora.stm.stores.urls import store_at

_ROOT = Path(__file__).parents[3]
_TIMEOUT = timedelta(hours=1)
_LONGEST_ANSWER = 0.1  # seconds
_PATIENCE = 60.0


class Hammer:
    """Processes that ask in ``conversations`` conversations of the store at ``url``, as fast as
    they can, until the block ends. Each runs ``first`` before, and asks in an event loop if it has
    ``tasks``."""

    def __init__(
        self,
        url: str,
        folder: Path,
        *,
        conversations: int = 4,
        seed: int = 0,
        first: str = "",
        tasks: int = 0,
    ) -> None:
        self.url, self.folder, self.conversations = url, folder, conversations
        self.tasks = tasks
        self.script = f"{first}\nfrom tests.stm.stores.crash_stress import main\nmain()"
        self.random = Random(seed)
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self.started = self.killed = 0

    def start(self, processes: int) -> None:
        for _ in range(processes):
            self.started += 1
            arguments = (self.url, self.folder, self.conversations, self.started, self.tasks)
            command = [sys.executable, "-c", self.script, *map(str, arguments)]
            self.processes[self.started] = subprocess.Popen(command, cwd=_ROOT)

    def kill_one(self, *, answering: bool = False) -> None:
        """End one of them, whatever it is doing, or once it is ``answering`` in a conversation,
        and start another in its stead."""
        serial = self.random.choice(list(self.processes))
        victim, log = self.processes.pop(serial), self.folder / f"{serial}.log"
        deadline = time.monotonic() + _PATIENCE
        while answering and not (log.exists() and _last(log).startswith("begin ")):
            assert time.monotonic() < deadline, "it answers nothing any more"
        assert victim.poll() is None, f"it has ended by itself: {victim.returncode}"
        victim.send_signal(signal.SIGKILL)
        victim.wait(_PATIENCE)
        self.killed += 1
        self.start(1)

    def go_on(self, questions: int) -> None:
        """Wait until so many more have been answered."""
        aim, deadline = self.answered() + questions, time.monotonic() + _PATIENCE
        while self.answered() < aim:
            assert time.monotonic() < deadline, "nothing is answered any more"
            time.sleep(0.001)

    def answered(self) -> int:
        return sum(log.read_bytes().count(b"kept ") for log in self.folder.glob("*.log"))

    def stop(self) -> None:
        """Let them end after the question that they are at."""
        (self.folder / "stop").touch()
        ended = [process.wait(_PATIENCE) for process in self.processes.values()]
        assert set(ended) <= {0}, f"some have failed: {ended}"

    def __enter__(self) -> Hammer:
        return self

    def __exit__(self, *exc: object) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait(_PATIENCE)

    def report(self, store: Store) -> Report:
        """What the logs say, against what the store holds now."""
        report = Report(faults=self.killed)
        for log in sorted(self.folder.glob("*.log")):
            for line in log.read_text().splitlines():
                report.read(*line.split())
        for number in range(self.conversations):
            report.compare(store.peek(_key(number)) or Conversation.empty(_key(number)))
        return report


@dataclass
class Report:
    """What has become of every question. ``lost`` were promised to be kept and are not, ``twice``
    are kept twice, ``invented`` have never been asked, ``miscounted`` conversations don't hold
    what they count."""

    faults: int
    asked: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)
    begun: dict[str, tuple[str, int]] = field(default_factory=dict)
    ended: dict[str, int] = field(default_factory=dict)
    stored: list[str] = field(default_factory=list)
    miscounted: list[str] = field(default_factory=list)

    def read(self, what: str, question: str, detail: str = "", time: str = "0") -> None:
        """Take a line of a log."""
        match what:
            case "ask":
                self.asked.add(question)
            case "begin":
                self.answers[question] += 1
                self.begun[question] = (detail, int(time))
            case "end":
                self.ended[question] = int(time)
            case "kept":
                self.kept.add(question)
            case "failed":
                self.failed[question] = detail

    def compare(self, conversation: Conversation) -> None:
        """Take what a conversation holds."""
        asked = conversation.data.get("asked", [])
        self.stored += asked
        if conversation.questions != len(asked):
            self.miscounted.append(conversation.user)

    @property
    def lost(self) -> set[str]:
        return self.kept - set(self.stored)

    @property
    def twice(self) -> list[str]:
        return [question for question, times in Counter(self.stored).items() if times > 1]

    @property
    def invented(self) -> set[str]:
        return set(self.stored) - self.asked

    @property
    def answered_twice(self) -> list[str]:
        return [question for question, times in self.answers.items() if times > 1]

    @property
    def died_answering(self) -> int:
        """How many processes were killed while they held a conversation."""
        return len(self.begun.keys() - self.ended.keys())

    @property
    def at_once(self) -> list[tuple[str, str]]:
        """Questions of one conversation that were answered at the same time, both with
        success: one that lost its conversation meanwhile has failed."""
        by_conversation = defaultdict(list)
        for question, (conversation, begin) in self.begun.items():
            if question not in self.failed:
                by_conversation[conversation].append((begin, question))
        return [
            (earlier, later)
            for answers in by_conversation.values()
            for (_, earlier), (begin, later) in pairwise(sorted(answers))
            if self.ended.get(earlier, 0) > begin
        ]

    @property
    def side_by_side(self) -> int:
        """How many answers began while one in another conversation was being given."""
        spans = sorted(
            (begin, self.ended.get(question, begin), conversation)
            for question, (conversation, begin) in self.begun.items()
        )
        return sum(
            later[0] < earlier[1] and later[2] != earlier[2] for earlier, later in pairwise(spans)
        )

    def check(self) -> None:
        """Print the counts, and raise if anything was lost or done twice."""
        reasons = dict(Counter(self.failed.values()))
        print(
            f"{len(self.asked)} questions, {len(self.kept)} kept, {len(self.failed)} failed "
            f"{reasons}, {self.faults} faults, {self.died_answering} of them while a conversation "
            f"was held, {self.side_by_side} side by side, {len(self.lost)} lost"
        )
        assert self.lost == set()
        assert self.twice == []
        assert self.invented == set()
        assert self.miscounted == []
        assert self.answered_twice == []
        assert self.at_once == []
        assert self.side_by_side > 0


def _last(log: Path) -> str:
    return (log.read_text().splitlines() or [""])[-1]


def _key(number: int) -> ConversationKey:
    return ConversationKey(f"user {number}", "hammered", "acme")


def main() -> None:
    """Be one of the processes: ask until told to stop, in an event loop if there are tasks."""
    url, folder, conversations, serial, tasks = sys.argv[1:]
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    log = os.open(Path(folder) / f"{serial}.log", flags, 0o600)
    with closing(store_at(url)) as store:
        asker = _Asker(store, int(conversations), serial, log, Path(folder) / "stop")
        if int(tasks):
            asyncio.run(asker.ask_in_loop(int(tasks)))
        else:
            asker.ask()


class _Asker:
    def __init__(self, store: Store, conversations: int, serial: str, log: int, stop: Path) -> None:
        self.store, self.conversations, self.serial = store, conversations, serial
        self.log, self.stop = log, stop
        self.random, self.number = Random(int(serial)), 0

    def ask(self) -> None:
        while not self.stop.exists():
            question, key = self.choose()
            with self.logged(question), self.store.open(key, _TIMEOUT) as session:
                self.begin(question, key)
                time.sleep(self.duration())
                self.answer(question, session)

    async def ask_in_loop(self, tasks: int) -> None:
        side = async_store_of(self.store)
        assert side is not None

        async def ask() -> None:
            while not self.stop.exists():
                question, key = self.choose()
                with self.logged(question):
                    async with side.open(key, _TIMEOUT) as session:
                        self.begin(question, key)
                        await asyncio.sleep(self.duration())
                        self.answer(question, session)

        await asyncio.gather(*(ask() for _ in range(tasks)))
        await side.close()

    def choose(self) -> tuple[str, ConversationKey]:
        self.number += 1
        question = f"{self.serial}-{self.number}"
        self.write("ask", question)
        return question, _key(self.random.randrange(self.conversations))

    def duration(self) -> float:
        return self.random.random() ** 8 * _LONGEST_ANSWER  # most are short

    def begin(self, question: str, key: ConversationKey) -> None:
        self.write("begin", question, key.user.replace(" ", "-"), time.monotonic_ns())

    def answer(self, question: str, session: Session) -> None:
        found = session.conversation
        asked = [*found.data.get("asked", []), question]
        session.commit(replace(found, questions=found.questions + 1, data={"asked": asked}))
        self.write("end", question, "-", time.monotonic_ns())

    @contextmanager
    def logged(self, question: str) -> Iterator[None]:
        try:
            yield
        except (Conflict, StoreError) as error:
            self.write("failed", question, type(error).__name__)
        else:
            self.write("kept", question)

    def write(self, *words: object) -> None:
        os.write(self.log, (" ".join(map(str, words)) + "\n").encode())
