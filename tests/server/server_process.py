"""``anaphora serve`` as a process of its own, and a bot that it can serve."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx

from tests.support.without_torch import PYTHONPATH

WAIT_LIMIT = 60.0  # seconds; a loaded machine is slow, what is broken never comes
ROOT = Path(__file__).parent.parent.parent

_BOT = """\
id: counter
code: counter
elements:
  - {id: thing, values: [apples, pears]}
  - {id: again, synonyms: ["{and|_} again"]}
  - {id: slowly, synonyms: [slowly]}
intents:
  - intent=slow term(slowly)={# == 'slowly'} term(thing)~{# == 'thing'}
  - intent=count term(thing)~{# == 'thing'} term(again)={# == 'again'}?
handlers:
  count: "#count"
  slow: "#wait"
"""
_CODE = """\
import os
import time
from pathlib import Path


def count(thing, data):
    data["questions"] = data.get("questions", 0) + 1
    return {"thing": thing, "questions": data["questions"]}


def wait(thing, data):
    Path("waiting").touch()
    while not Path("go on").exists():
        time.sleep(0.01)
    return count(thing, data)
"""


def write_bot(folder: Path) -> Path:
    """The file of a bot in ``folder`` that counts the questions of a conversation. Asked
    "apples slowly", it makes the file "waiting" where it runs, and waits for the file "go on"."""
    (folder / "counter.py").write_text(_CODE, encoding="utf-8")
    file = folder / "counter.yaml"
    file.write_text(_BOT, encoding="utf-8")
    return file


def wait_until(reached: Callable[[], object], what: str = "it") -> None:
    """Wait for something to become true."""
    deadline = time.monotonic() + WAIT_LIMIT
    while not reached():
        assert time.monotonic() < deadline, f"{what} never came"
        time.sleep(0.01)


class ServerProcess:
    """A server that runs inside of the block, in ``folder``. ``port`` is the one that it took."""

    def __init__(self, folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.arguments = arguments
        self.env = {"PYTHONPATH": PYTHONPATH, **(env or {})}
        self.port = 0
        self._outputs = tempfile.TemporaryDirectory()
        self._out, self._errors = (Path(self._outputs.name) / name for name in ("out", "errors"))

    def start(self) -> ServerProcess:
        """Start the process; :meth:`wait_for` waits until it answers. After it has ended it may
        be started again, on the same port."""
        port = [] if "--port" in self.arguments else ["--port", str(self.port)]
        with self._out.open("wb") as out, self._errors.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "anaphora", "serve", *self.arguments, *port],
                cwd=self.folder,
                env={**_without_settings(os.environ), **self.env},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                start_new_session=True,
            )
        return self

    def wait_until_ready(self) -> ServerProcess:
        """Wait until it listens and its application answers."""
        wait_until(lambda: self.announced or self.process.poll() is not None, "the address")
        assert self.process.poll() is None, self.errors
        self.port = int(self.announced.rpartition(":")[2])
        assert self.get("/health").status_code == 200
        return self

    def __enter__(self) -> ServerProcess:
        return self.start().wait_until_ready()

    def __exit__(self, *exc: object) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(WAIT_LIMIT)
        self._outputs.cleanup()

    @property
    def announced(self) -> str:
        """The URL that it printed, '' before."""
        found = re.search(r"http://\S+", self._out.read_text("utf-8"))
        return found[0] if found else ""

    @property
    def output(self) -> str:
        return self._out.read_text("utf-8")

    @property
    def errors(self) -> str:
        """What it has logged."""
        return self._errors.read_text("utf-8")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, timeout=WAIT_LIMIT)

    def ask(self, text: str, **rest: Any) -> dict[str, Any]:
        """The reply to a question."""
        answer = self.try_ask(text, **rest)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def try_ask(self, text: str, **rest: Any) -> httpx.Response:
        return httpx.post(f"{self.url}/v1/ask", json={"text": text, **rest}, timeout=WAIT_LIMIT)

    def is_down(self) -> bool:
        """Whether nobody listens any more."""
        try:
            self.get("/health")
        except httpx.ConnectError:
            return True
        except httpx.TransportError:
            return False
        return False

    def send(self, sign: signal.Signals) -> None:
        os.kill(self.process.pid, sign)

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal to end and wait; the exit code."""
        self.send(sign)
        return self.process.wait(WAIT_LIMIT)


def _without_settings(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if not name.startswith("ANAPHORA_")}
