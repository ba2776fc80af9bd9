"""A service in a process of its own, whose clock the test moves: models, a long-term memory, and an
agent with a scripted chat model."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Self

import psutil

from anaphora import Engine, LongTermMemory
from anaphora.agents.agent import Agent
from anaphora.chat_model import token_counter
from anaphora.chat_model.chat_model import ChatModel
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.server.settings.model import Settings
from tests.conftest import Clock
from tests.server.app_server import AppServer
from tests.server.sample_bots import LAMP, TEA, WAIT_LIMIT
from tests.soak.chat_script import ChatScript
from tests.support.chat_endpoint import ScriptedEndpoint

__all__ = ["SoakService"]


class SoakService:
    """A context manager: the service runs inside the block. ``stores`` are the URLs of the
    conversations and of the long-term memory; its ``log`` and all else lie in ``folder``."""

    def __init__(self, folder: Path, stores: tuple[str, str]) -> None:
        self.lamp, self.log = folder / "lamp.yaml", folder / "log"
        self.lamp.write_text(LAMP, encoding="utf-8")
        (folder / "tea.yaml").write_text(TEA, encoding="utf-8")
        self._arguments = (str(folder), *stores)
        self._endpoint = ScriptedEndpoint(ChatScript())

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            log = stack.enter_context(self.log.open("w"))
            url = stack.enter_context(self._endpoint).url
            self._process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", __name__, *self._arguments, url],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                )
            )
            stack.callback(self._process.kill)
            self.url = self._read()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def let_pass(self, minutes: float) -> dict[str, float]:
        """Wait until nothing works in the background, let time pass, and return what the service
        held before."""
        assert self._process.stdin is not None
        print(minutes, file=self._process.stdin, flush=True)
        self._endpoint.requests.clear()
        self._endpoint.headers.clear()
        held: dict[str, float] = json.loads(self._read())
        return held

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self.log.read_text("utf-8")
        return line.strip()


def main() -> None:
    """Serve: print the URL, and for each line of minutes what is held before they pass."""
    folder, (conversations, recall, endpoint) = Path(sys.argv[1]), sys.argv[2:]
    clock = Clock()
    with ExitStack() as stack:
        memory = LongTermMemory(
            recall,
            settings=HistorySettings(max_size=30, segment=3, verbatim=2),
            retention=timedelta(hours=1),
            journal=folder / "journal",
            clock=clock,
            monotonic=lambda: clock().timestamp(),
        )
        stack.enter_context(memory)
        model = ChatModel(endpoint, "small", window=8_192, max_retries=0)
        agent = Agent(model, name="ada", memory=memory, graph="beside", graph_every=3, clock=clock)
        stack.enter_context(agent)
        files = (folder / "tea.yaml", folder / "lamp.yaml")
        engine = Engine(*files, store=conversations, long_term=memory, clock=clock)
        stack.enter_context(engine)
        settings = Settings(fallback="ada", threads=4)
        server = AppServer(agents=[agent], engine=engine, settings=settings, clock=clock)
        url = stack.enter_context(server)
        gc.freeze()  # to collect all of what was loaded each time would take longer than to serve
        print(url, flush=True)
        for line in sys.stdin:
            assert agent.flush(WAIT_LIMIT)
            held = _measure() | {"summaries": memory.status().summarized}
            clock.pass_time(minutes=float(line))
            print(json.dumps(held), flush=True)


def _measure() -> dict[str, float]:
    """Return what this process holds: ``blocks`` are exactly what Python's allocator has given to
    objects, ``resident`` is what the system gives, child processes included."""
    gc.collect()
    process = psutil.Process()
    children = process.children(recursive=True)
    return {
        "blocks": sys.getallocatedblocks(),
        "resident": sum(one.memory_info().rss for one in (process, *children)),
        "descriptors": process.num_fds(),
        "connections": len(process.net_connections("all")),
        "threads": process.num_threads(),
        "processes": len(children),
        "processor": time.process_time(),
    }


if __name__ == "__main__":
    # Prompts have times in them, so that this cache, which is bounded, would grow for hours.
    token_counter._CACHED_COUNTS = 200
    main()
