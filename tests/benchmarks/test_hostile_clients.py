"""The benchmark with hostile clients runs, and the service withstands them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.server import hostile_clients

ROOT = Path(__file__).parent.parent.parent
WITHOUT_WRK = pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk makes the load")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.server.hostile_clients", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


@WITHOUT_WRK
def test_a_service_under_attack_answers_good_clients_and_refuses_broken_requests(
    tmp_path: Path,
) -> None:
    file = tmp_path / "figures.json"
    done = run("--minutes", "0.03", "--clients", "2", "--connections", "2", "--json", str(file))
    assert done.returncode == 0, done.stderr
    figures = json.loads(file.read_text("utf-8"))
    assert figures["errors"] == 0
    assert figures["wrong"] == {}
    assert set(hostile_clients.KINDS) <= set(figures["counts"])
    assert figures["ended"]["bad request"] > 0
    assert "wrong answers to broken requests: none" in done.stdout


@pytest.mark.parametrize("arguments", [("--minutes", "61"), ("--clients", "51")])
def test_the_size_of_an_attack_is_limited(arguments: tuple[str, str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "at most" in done.stderr


def test_an_answer_to_a_smuggled_request_counts_as_wrong() -> None:
    counts: Counter[str] = Counter()
    answers = b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n"
    hostile_clients.check(answers, [200, 404], counts)
    hostile_clients.check(answers + answers, [200, 404], counts)
    assert counts == {"checked": 2, "wrong: [200, 404, 200, 404] instead of [200, 404]": 1}
