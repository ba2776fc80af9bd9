"""A summarizer in a process of its own, so that what it computes takes nothing from the answers.

Python runs one thread at a time: a summarizer that computes in Python would have each answer wait
for up to 5 ms whenever both want to run (measured: 99 of 100 answers came in 0.3 ms beside a
summarizer in another process, and in 5.5 ms beside one in another thread).
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
from collections.abc import Sequence
from typing import IO, Any
from weakref import finalize

from anaphora.errors import AnaphoraError, SummaryError
from anaphora.ltm.summarizers.summarizer import Segment, Summarizer
from anaphora.storage.forks import fork_safe_lock

__all__ = ["ProcessSummarizer", "serve"]

_LENGTH = struct.Struct("<Q")
_NICENESS = 5  # answers come before summaries
_SCRIPT = (
    "import sys; sys.path[:] = {path!r}; "
    "from anaphora.ltm.summarizers.process_summarizer import serve; serve({idle!r})"
)


class ProcessSummarizer:
    """``summarizer``, which must be one that can be pickled, in another process. That is started
    when the first segment comes, and ends by itself when none has come for ``idle`` seconds.

    Only one thread may call it at a time.
    """

    def __init__(self, summarizer: Summarizer, *, idle: float = 60.0) -> None:
        self._summarizer, self._idle = summarizer, idle
        self._process: _Process | None = None
        self._close_lock = fork_safe_lock()
        self._finalizer: finalize[..., Any] | None = None

    @property
    def name(self) -> str:
        return self._summarizer.name

    def summarize(self, segments: Sequence[Segment]) -> Sequence[str]:
        """What the summarizer makes of the segments. Raises :class:`SummaryError` if it fails,
        or if its process does."""
        try:
            question = pickle.dumps(tuple(segments))
            for process in (self._find_running(), None):  # an idle one may just have ended
                with contextlib.suppress(_ProcessEnded):
                    return self._ask(process or self._start(), question)
        except OSError as error:
            raise SummaryError(
                f"the process that summarizes could not be started: {error}"
            ) from error
        raise SummaryError(f"the process that summarizes ended: {self._exit_reason()}")

    def close(self) -> None:
        """End the process, whatever it is doing."""
        with self._close_lock:
            process, self._process = self._process, None
            if self._finalizer is not None:
                self._finalizer.detach()
                self._finalizer = None
        if process is not None:
            process.kill()

    def _ask(self, process: _Process, question: bytes) -> Sequence[str]:
        kind, answer = process.request(question)
        if kind == "texts":
            texts: Sequence[str] = answer
            return texts
        raise SummaryError(answer)

    def _find_running(self) -> _Process | None:
        process = self._process
        return process if process is not None and process.is_usable else None

    def _start(self) -> _Process:
        self.close()
        try:
            pickled = pickle.dumps(self._summarizer)
        except Exception as error:  # whatever pickling comes upon
            raise SummaryError(
                f"the summarizer '{self.name}' cannot work in a process of its own: {error}"
            ) from error
        process = _Process(pickled, self._idle)
        with self._close_lock:
            self._process = process
            self._finalizer = finalize(self, process.kill)
        return process

    def _exit_reason(self) -> str:
        process = self._process
        return process.exit_reason() if process is not None else "it was closed"


class _ProcessEnded(Exception):  # noqa: N818 - what happened, and no fault of anybody
    """The process is gone."""


class _Process:
    def __init__(self, summarizer: bytes, idle: float) -> None:
        self._owner = os.getpid()
        script = _SCRIPT.format(path=sys.path, idle=idle)
        self._popen = subprocess.Popen(
            [sys.executable, "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # a buffer has a lock, which a fork may leave locked for ever
        )
        with contextlib.suppress(OSError):  # asking it will tell
            _write_message(self._in, summarizer)

    @property
    def is_usable(self) -> bool:
        """Whether it is alive, and was started by this process and not by one that forked it."""
        return self._owner == os.getpid() and self._popen.poll() is None

    def request(self, message: bytes) -> tuple[str, Any]:
        try:
            _write_message(self._in, message)
            answer = _read_message(self._out)
        except OSError as error:
            raise _ProcessEnded from error
        if answer is None:
            raise _ProcessEnded
        kind, content = pickle.loads(answer)
        return kind, content

    def exit_reason(self) -> str:
        """What it said of its end."""
        self._popen.wait()
        errors = self._popen.stderr
        said = errors.read().decode(errors="replace").strip() if errors else ""
        return said.splitlines()[-1] if said else f"exit status {self._popen.returncode}"

    def kill(self) -> None:
        if self._owner == os.getpid():
            self._popen.kill()
            self._popen.wait()
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    @property
    def _in(self) -> IO[bytes]:
        assert self._popen.stdin is not None
        return self._popen.stdin

    @property
    def _out(self) -> IO[bytes]:
        assert self._popen.stdout is not None
        return self._popen.stdout


def serve(idle: float) -> None:
    """Be the process: summarize what comes in, until nothing comes any more."""
    with contextlib.suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who asks
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(_NICENESS)
    # Unbuffered: what is read ahead of its time cannot be waited for.
    source, sink = open(0, "rb", buffering=0, closefd=False), sys.stdout.buffer  # noqa: SIM115
    sys.stdout = sys.stderr  # nobody else may write between the answers
    loaded = _read_message(source)
    if loaded is None:
        return
    summarizer: Summarizer = pickle.loads(loaded)
    with contextlib.suppress(OSError):
        while _wait_for_input(source, idle) and (question := _read_message(source)) is not None:
            _write_message(sink, pickle.dumps(_summarize(summarizer, pickle.loads(question))))


def _summarize(summarizer: Summarizer, segments: Sequence[Segment]) -> tuple[str, Any]:
    try:
        return "texts", list(summarizer.summarize(segments))
    except AnaphoraError as error:
        return "error", str(error)
    except Exception as error:  # a summarizer may be anybody's code
        return "error", f"{type(error).__name__}: {error}"


def _wait_for_input(source: IO[bytes], idle: float) -> bool:
    """Whether anything comes within ``idle`` seconds; the end is something too."""
    if sys.platform == "win32":  # which cannot wait for a pipe
        return True
    return bool(select.select([source], [], [], idle)[0])


def _write_message(sink: IO[bytes], message: bytes) -> None:
    left = memoryview(_LENGTH.pack(len(message)) + message)
    while left:  # what is not buffered may go in part
        left = left[sink.write(left) :]
    sink.flush()


def _read_message(source: IO[bytes]) -> bytes | None:
    """The next message, None at the end."""
    head = _read_exactly(source, _LENGTH.size)
    return None if head is None else _read_exactly(source, _LENGTH.unpack(head)[0])


def _read_exactly(source: IO[bytes], count: int) -> bytes | None:
    """So many bytes, None if there are less."""
    message = bytearray()
    while len(message) < count:
        some = source.read(count - len(message))
        if not some:
            return None
        message += some
    return bytes(message)
