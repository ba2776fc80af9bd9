"""The service under load compared with a bare FastAPI echo of the same body: questions per second
and latency, for each store, with one worker and with two, all in one run.

    python -m benchmarks.server.load [--seconds N] [--connections N] [--model NAME]

``wrk`` (the Debian package with that name) makes the load; its questions alternate between a
thousand conversations. Two workers and wrk share the cores of a machine with two.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.request import urlopen

from fastapi import FastAPI
from pydantic import BaseModel

from tests.support.postgres_server import PostgresServer, with_pgvector
from tests.support.redis_server import RedisServer

SCRIPT = """
local users = 1000
local asked = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
request = function()
  asked = asked + 1
  local text = (asked <= users) and "FIRST" or "NEXT"
  local body = '{"user": "user ' .. asked % users .. '", "text": "' .. text .. '"}'
  return wrk.format(nil, nil, nil, body)
end
done = function(summary, latency, requests)
  print(string.format("errors %d p50 %d p99 %d", summary.errors.status,
    latency:percentile(50), latency:percentile(99)))
end
"""
QUESTIONS = {
    "cafe": ("How much is a coffee at Starbucks?", "And a large tea?"),
    "weather": ("What is the weather in Tokyo today?", "And in Kyoto?"),
}


class Question(BaseModel):
    """The request and the response of the echo."""

    user: str
    text: str


echo = FastAPI()


@echo.post("/v1/ask")
async def echo_question(question: Question) -> Question:
    return question


@dataclass(frozen=True, slots=True)
class LoadResult:
    """The result of wrk; ``median`` and ``tail`` (99th percentile) are in milliseconds."""

    per_second: float
    median: float
    tail: float
    errors: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--model", default="cafe", choices=list(QUESTIONS))
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    chosen = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is needed to make the load: apt install wrk")
    print("| service | workers | questions a second | to the echo | median | 99 % | errors |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    postgres_server = PostgresServer(
        with_pgvector(), autovacuum="on", fsync="on", full_page_writes="on"
    )
    with tempfile.TemporaryDirectory() as folder, RedisServer() as redis, postgres_server:
        script = write_script(Path(folder), chosen.model)
        load = partial(measure_load, script=script, connections=chosen.connections)
        stores = {
            "memory": "memory:",
            "SQLite": f"sqlite:///{folder}/bot.db",
            "SQLite without fsync": f"sqlite:///{folder}/fast.db?synchronous=normal",
            "Redis": redis.url,
            "PostgreSQL": postgres_server.url,
        }
        for workers in chosen.workers:
            with _echo(workers) as url:
                bare = load(url, seconds=chosen.seconds)
            _row("bare echo", workers, bare, bare)
            for name, store in stores.items():
                if workers > 1 and name == "memory":
                    continue  # the memory of a process is no store for two
                with run_service(chosen.model, store, workers) as url:
                    load(url, seconds=2)  # warm
                    _row(name, workers, load(url, seconds=chosen.seconds), bare)


def _row(name: str, workers: int, one: LoadResult, bare: LoadResult) -> None:
    ratio = bare.per_second / one.per_second
    print(
        f"| {name} | {workers} | {one.per_second:,.0f} | 1 / {ratio:.2f} | {one.median:.2f} ms | "
        f"{one.tail:.2f} ms | {one.errors} |",
        flush=True,
    )


def write_script(folder: Path, model: str) -> Path:
    """Write a script for wrk that asks questions of a model."""
    first, follow_up = QUESTIONS[model]
    script = folder / "load.lua"
    script.write_text(SCRIPT.replace("FIRST", first).replace("NEXT", follow_up))
    return script


def measure_load(url: str, script: Path, *, connections: int, seconds: int) -> LoadResult:
    """Run wrk against a service."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s"]
    command += ["-s", str(script), f"{url}/v1/ask"]
    done = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    per_second = re.search(r"Requests/sec:\s+([\d.]+)", done)
    rest = re.search(r"errors (\d+) p50 (\d+) p99 (\d+)", done)
    if per_second is None or rest is None:
        sys.exit(f"wrk said something else than expected:\n{done}")
    errors, median, tail = map(int, rest.groups())
    return LoadResult(float(per_second[1]), median / 1_000, tail / 1_000, errors)


@contextmanager
def _echo(workers: int) -> Iterator[str]:
    port = _free_port()
    command = [
        sys.executable,
        "-m",
        "uvicorn",
        "benchmarks.server.load:echo",
        "--port",
        str(port),
    ]
    command += ["--workers", str(workers), "--no-access-log", "--log-level", "warning"]
    with _running(command, port, "/openapi.json") as url:
        yield url


@contextmanager
def run_service(model: str, store: str, workers: int) -> Iterator[str]:
    """Run a service in its own process; yield its URL."""
    port = _free_port()
    command = [sys.executable, "-m", "anaphora", "serve", model, "--store", store]
    command += ["--port", str(port), "--workers", str(workers)]
    with _running(command, port, "/ready") as url:
        yield url


@contextmanager
def _running(command: list[str], port: int, path: str) -> Iterator[str]:
    url = f"http://127.0.0.1:{port}"
    with ExitStack() as at_end:
        quiet = at_end.enter_context(Path(os.devnull).open("w"))
        process = subprocess.Popen(command, stdout=quiet, stderr=quiet, env=_quiet_environment())
        at_end.callback(process.wait)
        at_end.callback(process.terminate)
        for _ in range(600):
            try:
                with urlopen(url + path, timeout=5):
                    break
            except OSError:
                time.sleep(0.1)
        else:
            sys.exit(f"does not start: {' '.join(command)}")
        yield url


def _quiet_environment() -> dict[str, str]:
    """Settings as behind a load balancer, which logs the requests."""
    return os.environ | {"ANAPHORA_LOG__LEVEL": "warning"}


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    main()
