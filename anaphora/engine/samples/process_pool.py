"""Sample dialogs side by side in processes of their own.

Each process loads the model and builds its engine once. They are no pool of the standard library:
its one kind cannot be ended at once, the other waits for ever for a process that died.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from pickle import PickleError
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from anaphora.errors import AnaphoraError
from anaphora.models.domain import AskStep, Dialog

if TYPE_CHECKING:
    from anaphora.engine.engine import Engine

__all__ = ["default_jobs", "run_in_processes"]

# In the time that a process takes to start, one answers 6,000 questions (13,000 where there is
# torch, which spaCy imports): two processes win from twice as many on.
_MIN_PARALLEL_QUESTIONS = 20_000
_LARGEST_CHUNK = 100

_Chunk: TypeAlias = Sequence[Dialog]
_Result = TypeVar("_Result")
_Run: TypeAlias = Callable[["Engine", Dialog], _Result]


def default_jobs(dialogs: Sequence[Dialog]) -> int:
    """How many processes to run these dialogs in, if nobody says: one for each core where there
    are so many questions that the time to start them is won back."""
    asked = sum(isinstance(step, AskStep) for dialog in dialogs for step in dialog.steps)
    if asked < _MIN_PARALLEL_QUESTIONS:
        return 1
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1


def run_in_processes(
    source: str, dialogs: Sequence[Dialog], run: _Run[_Result], jobs: int
) -> Generator[_Result, None, None]:
    """What ``run`` gives for each of ``dialogs`` and an engine of the model in the file
    ``source``, in up to ``jobs`` processes, which end with the iterator. The results come in the
    order of the dialogs. Both ``run``, a function of a module, and the results are pickled.

    Raises :class:`AnaphoraError` if a process dies or cannot load the model, and for results
    that cannot be pickled.
    """
    chunks = _split_chunks(dialogs, jobs)
    waiting = deque(enumerate(chunks))
    done: dict[int, Sequence[_Result]] = {}
    turn = 0
    with _workers(source, run, min(jobs, len(chunks))) as workers:
        for worker in workers:
            worker.begin(*waiting.popleft())
        while turn < len(chunks):
            ready = wait([worker.connection for worker in workers if worker.chunk])
            for worker in [worker for worker in workers if worker.connection in ready]:
                index, done[index] = worker.finish()
                if waiting:
                    worker.begin(*waiting.popleft())
            while turn in done:
                yield from done.pop(turn)
                turn += 1


@dataclass(slots=True)
class _Worker:
    """A process, and the dialogs that it is running."""

    process: SpawnProcess
    connection: Connection
    index: int = -1
    chunk: _Chunk = ()

    def begin(self, index: int, chunk: _Chunk) -> None:
        self.index, self.chunk = index, chunk
        try:
            self.connection.send(chunk)
        except OSError:
            raise self._death_error() from None

    def finish(self) -> tuple[int, Sequence[Any]]:
        try:
            answer: Sequence[Any] | str = self.connection.recv()
        except (EOFError, OSError):
            raise self._death_error() from None
        except Exception as error:  # a class that this process does not have
            raise AnaphoraError(_format_pickle_error(error)) from error
        if isinstance(answer, str):
            raise AnaphoraError(answer)
        self.chunk = ()
        return self.index, answer

    def _death_error(self) -> AnaphoraError:
        self.process.join()
        code = self.process.exitcode or 0
        how = f"was ended by signal {-code}" if code < 0 else f"ended with the exit code {code}"
        first, last = self.chunk[0].line, self.chunk[-1].line
        where = f" (those that begin on lines {first} to {last})" if first else ""
        return AnaphoraError(
            f"a process {how} while it ran sample dialogs{where}; "
            "run them in one process (--jobs 1) to see which one it is"
        )


@contextmanager
def _workers(source: str, run: _Run[Any], number: int) -> Iterator[list[_Worker]]:
    """That many processes, ended at once when the block is left."""
    context = get_context("spawn")
    started: list[_Worker] = []
    try:
        with _sigint_blocked():
            started.extend(_start_worker(context, source, run) for _ in range(number))
        yield started
    finally:
        for worker in started:
            worker.process.terminate()
        for worker in started:
            worker.process.join()
            worker.connection.close()


def _start_worker(context: SpawnContext, source: str, run: _Run[Any]) -> _Worker:
    here, there = context.Pipe()
    process = context.Process(target=_run_worker, args=(there, source, run), name="anaphora check")
    process.start()
    there.close()  # so that the end of the process is the end of what comes from it
    return _Worker(process, here)


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Processes that are started in here never hear Ctrl-C, which reaches a whole terminal: the
    one that started them ends them. It hears it itself as soon as the block is left."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starting it, too, would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run_worker(connection: Connection, source: str, run: _Run[Any]) -> None:
    """What a process does: build the engine, then answer each list of dialogs with what came of
    them, or with the text of an error, which is its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_exit_with_parent, daemon=True).start()
    from anaphora.engine.engine import Engine

    try:
        chunk = connection.recv()
        try:
            engine = Engine(source)
        except AnaphoraError as error:
            connection.send(str(error))
            return
        while True:
            done = [run(engine, dialog) for dialog in chunk]
            try:
                connection.send(done)  # pickles all of it before any is sent
            except (TypeError, AttributeError, ValueError, PickleError, RecursionError) as error:
                connection.send(_format_pickle_error(error))
                return
            chunk = connection.recv()
    except (EOFError, OSError):  # nobody is left to answer to
        return


def _format_pickle_error(error: Exception) -> str:
    return (
        f"a reply cannot be handed from one process to another: {error}; let the handlers give "
        "texts, numbers and the like, or run the dialogs in one process"
    )


def _exit_with_parent() -> None:
    """A process whose parent was killed ends in the midst of whatever it does."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _split_chunks(dialogs: Sequence[Dialog], jobs: int) -> list[_Chunk]:
    """The dialogs in portions: several a process, so that all of them end at about one time."""
    size = max(1, min(_LARGEST_CHUNK, len(dialogs) // (jobs * 4)))
    return [dialogs[at : at + size] for at in range(0, len(dialogs), size)]
