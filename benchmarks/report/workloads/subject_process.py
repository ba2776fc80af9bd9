"""Run subjects of a measurement in fresh processes, round by round.

So the memory of a subject can be measured alone, and the rounds of several subjects can still be
interleaved, so that disturbances from outside affect all alike. A subject is a generator function:
the first value that it yields says that it is ready, each further value is the result of a round.
"""

from __future__ import annotations

import json
import selectors
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from statistics import median
from subprocess import PIPE, Popen
from types import TracebackType
from typing import Any, Self, TypeAlias

import psutil  # type: ignore[import-untyped]

Values: TypeAlias = Mapping[str, Any]  # of JSON; of what has rounds, numbers
Subject: TypeAlias = Callable[..., Iterator[Values]]
Tell: TypeAlias = Callable[[str], None]
"""A function that reports the progress of the measurement."""

PATIENCE = 300.0  # seconds that a process may take to get ready, or for one round


class SubjectError(Exception):
    """A process failed or took too long; the message has the last line of its output."""


class SubjectProcess:
    """A ``subject``, called with the arguments, in its own process; a context manager.

    The process starts at once. Requests raise :class:`SubjectError` if it has ended, or if the
    answer takes longer than ``patience`` seconds, after which the process is killed.
    """

    def __init__(self, subject: Subject, *, patience: float = PATIENCE, **arguments: Any) -> None:
        self._patience = patience
        self._name = f"{subject.__module__}:{subject.__qualname__}"
        self._said = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115 - closed with the process
        command = [sys.executable, "-m", __name__, self._name, json.dumps(arguments)]
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=self._said, text=True)
        self._ready: Values | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def ready(self) -> Values:
        """The first value of the subject; waits for it."""
        if self._ready is None:
            self._ready = self._read()
        return self._ready

    def round(self) -> Values:
        """Run another round, as soon as the subject is ready."""
        assert self._process.stdin is not None
        self.ready  # noqa: B018 - it waits
        try:
            self._process.stdin.write("\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # reading tells why
        return self._read()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._said.close()

    def _read(self) -> Values:
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(self._patience):
                self._process.kill()
                raise SubjectError(f"{self._name} took more than {self._patience:,.0f} s")
        line = self._process.stdout.readline()
        if line:
            values: Values = json.loads(line)
            return values
        code = self._process.wait()
        self._said.seek(0)
        last = self._said.read().strip().rpartition("\n")[2] or "it said nothing"
        raise SubjectError(f"{self._name} ended with code {code}: {last}")


class InlineSubject:
    """A subject in this process."""

    def __init__(self, subject: Subject, **arguments: Any) -> None:
        self._values = subject(**arguments)
        self.ready = next(self._values)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def round(self) -> Values:
        """Run another round."""
        return next(self._values)

    def close(self) -> None:
        """There is no process to end."""


def start_subject(
    subject: Subject, *, apart: bool, **arguments: Any
) -> SubjectProcess | InlineSubject:
    """The subject in its own process; with ``apart=False`` in this one, where it is ready
    sooner."""
    return SubjectProcess(subject, **arguments) if apart else InlineSubject(subject, **arguments)


def run_interleaved(
    subject: Subject,
    sizes: Sequence[int],
    *,
    rounds: int,
    apart: bool = True,
    tell: Tell = lambda text: None,
    patience: float = PATIENCE,
    **arguments: Any,
) -> tuple[dict[int, dict[str, float]], dict[int, str]]:
    """Measure a subject, which takes a ``size``, for several sizes in interleaved rounds.

    Returns by size the first value of the subject with the medians of its rounds, and by size the
    errors of those that failed or were not ready in time.
    """
    if apart:
        arguments["patience"] = patience
    failed: dict[int, str] = {}
    with ExitStack() as at_end:
        subjects: dict[int, SubjectProcess | InlineSubject] = {}
        for size in sizes:
            tell(f"making ready {size:,}")
            one = start_subject(subject, apart=apart, size=size, **arguments)
            at_end.callback(one.close)
            try:
                one.ready  # noqa: B018 - before the next begins, which would disturb it
            except SubjectError as error:
                failed[size] = str(error)
            else:
                subjects[size] = one
        taken: dict[int, list[Values]] = {size: [] for size in subjects}
        for number in range(rounds):
            tell(f"round {number + 1} of {rounds}")
            for size, one in tuple(subjects.items()):
                try:
                    taken[size].append(one.round())
                except SubjectError as error:
                    failed[size] = str(error)
                    del subjects[size]
        found = {size: {**one.ready, **medians(taken[size])} for size, one in subjects.items()}
    return found, failed


def medians(rounds: Sequence[Values]) -> dict[str, float]:
    """The median of the values for each name."""
    return {name: median(one[name] for one in rounds) for name in (rounds[0] if rounds else ())}


def has_room(gigabytes: float) -> bool:
    """Whether the machine has that much memory available."""
    available: int = psutil.virtual_memory().available
    return available > gigabytes * 2**30


def affordable(needs: Mapping[int, float]) -> tuple[int, ...]:
    """The sizes that fit into memory together, given the GB that each needs."""
    sizes = sorted(needs)
    totals = [sum(needs[size] for size in sizes[: count + 1]) for count in range(len(sizes))]
    return tuple(size for size, total in zip(sizes, totals, strict=True) if has_room(total))


def _serve(name: str, arguments: str) -> None:
    """The process's main function: print the first value of the subject, and another for each input
    line."""
    sys.modules["torch"] = None  # type: ignore[assignment]  # a plain install has none: 1 s less
    module, _, function = name.partition(":")
    values = getattr(import_module(module), function)(**json.loads(arguments))
    say = partial(print, file=sys.stdout, flush=True)
    say(json.dumps(next(values)))
    for _ in sys.stdin:
        say(json.dumps(next(values)))


if __name__ == "__main__":
    _serve(*sys.argv[1:])
