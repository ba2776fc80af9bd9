"""Run sample dialogs in parallel processes.

Each process loads the model and builds its engine once. The pools of the standard library do not
fit: ProcessPoolExecutor cannot terminate its processes at once, and multiprocessing.Pool waits for
ever for a process that died.
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

# While a process starts, another one answers 6,000 questions (13,000 if torch is installed, which
# spaCy imports): two processes are faster from twice as many on.
_MIN_PARALLEL_QUESTIONS = 20_000
_LARGEST_CHUNK = 100

_Chunk: TypeAlias = Sequence[Dialog]
_Result = TypeVar("_Result")
_Run: TypeAlias = Callable[["Engine", Dialog], _Result]


def default_jobs(dialogs: Sequence[Dialog]) -> int:
    """Return the default number of processes for these dialogs: one per core if there are enough
    questions to make up for the start of the processes, else one."""
    questions = sum(isinstance(step, AskStep) for dialog in dialogs for step in dialog.steps)
    if questions < _MIN_PARALLEL_QUESTIONS:
        return 1
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1


def run_in_processes(
    source: str, dialogs: Sequence[Dialog], run: _Run[_Result], jobs: int
) -> Generator[_Result, None, None]:
    """Call ``run`` with an engine of the model file ``source`` and each of ``dialogs``, in up to
    ``jobs`` processes, which end with the iterator.

    Yields the results in the order of the dialogs. The results and ``run``, a function of a module,
    must be picklable.

    Raises :class:`AnaphoraError` if a process dies or cannot load the model, and for results
    that cannot be pickled.
    """
    chunks = _split_chunks(dialogs, jobs)
    waiting = deque(enumerate(chunks))
    done: dict[int, Sequence[_Result]] = {}
    next_chunk = 0
    with _workers(source, run, min(jobs, len(chunks))) as workers:
        for worker in workers:
            worker.begin(*waiting.popleft())
        while next_chunk < len(chunks):
            ready = wait([worker.connection for worker in workers if worker.chunk])
            for worker in [worker for worker in workers if worker.connection in ready]:
                index, done[index] = worker.finish()
                if waiting:
                    worker.begin(*waiting.popleft())
            while next_chunk in done:
                yield from done.pop(next_chunk)
                next_chunk += 1


@dataclass(slots=True)
class _Worker:
    """A process, and the chunk of dialogs that it is running."""

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
        except Exception as error:  # for example a class that this process does not have
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
            "run them in one process (--jobs 1) to find the dialog"
        )


@contextmanager
def _workers(source: str, run: _Run[Any], number: int) -> Iterator[list[_Worker]]:
    """Start processes, and terminate them when the block ends."""
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
    there.close()  # so that `here` signals the end of the process
    return _Worker(process, here)


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Block Ctrl-C for processes started within the block: a terminal sends it to all processes,
    but the parent terminates its children. The parent receives it when the block ends."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its own start would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run_worker(connection: Connection, source: str, run: _Run[Any]) -> None:
    """The main function of a process: build the engine, then answer each chunk of dialogs with
    its results, or with the text of an error, and end."""
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
                connection.send(done)  # pickles everything before it sends anything
            except (TypeError, AttributeError, ValueError, PickleError, RecursionError) as error:
                connection.send(_format_pickle_error(error))
                return
            chunk = connection.recv()
    except (EOFError, OSError):  # the parent is gone
        return


def _format_pickle_error(error: Exception) -> str:
    return (
        f"a reply cannot be sent from one process to another: {error}; let the handlers return "
        "plain values such as texts and numbers, or run the dialogs in one process"
    )


def _exit_with_parent() -> None:
    """End the process at once when its parent dies."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _split_chunks(dialogs: Sequence[Dialog], jobs: int) -> list[_Chunk]:
    """Split the dialogs into several chunks per process, so that all processes end at about the
    same time."""
    size = max(1, min(_LARGEST_CHUNK, len(dialogs) // (jobs * 4)))
    return [dialogs[at : at + size] for at in range(0, len(dialogs), size)]
