"""A short run with faults; ``python -m benchmarks.faults`` does long ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from benchmarks.faults.injection import FAULTS
from benchmarks.faults.report import format_report
from benchmarks.faults.run import Plan, run
from tests.server.server_process import ROOT, WAIT_LIMIT, wait_until
from tests.support.without_torch import PYTHONPATH


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(
            Plan(
                200, 40, store="redis", history="postgres", layout="supervised", pace=2, minutes=8
            ),
            marks=pytest.mark.thorough,
            id="redis and postgres",
        ),
        pytest.param(
            Plan(200, 40, store="sqlite", history="sqlite", layout="separate", pace=2, minutes=8),
            id="sqlite",
        ),
    ],
)
def test_nothing_is_lost_doubled_resurrected_or_out_of_order(plan: Plan, tmp_path: Path) -> None:
    result = run(plan, tmp_path)
    print(format_report(result))
    assert result.is_complete
    assert result.questions >= plan.questions
    assert result.outcomes["answered"] >= plan.questions * 0.6  # or nothing was shown
    assert len({fault.name for fault in result.faults}) >= 5
    assert not result.violations, format_report(result)


def test_ctrl_c_leaves_no_process_and_no_file(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.faults", "--questions", "100000", "--store"]
    command += ["sqlite", "--faults", "reload", "--think", "2"]
    environment = os.environ | {"PYTHONPATH": PYTHONPATH, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        assert next(line for line in lines if "answered" in line)
        started = psutil.Process(process.pid).children(recursive=True)
        assert started
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_LIMIT) == 130
    wait_until(lambda: not any(one.is_running() for one in started), "the end of all processes")
    assert list(tmp_path.iterdir()) == []


def test_the_help_lists_every_fault() -> None:
    command = [sys.executable, "-m", "benchmarks.faults", "--help"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert all(name in shown for name in FAULTS)
