"""The short form runs every section, and Ctrl-C leaves a report."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.report.registry import CHAPTERS

ROOT = Path(__file__).parent.parent.parent.parent
each = pytest.mark.parametrize

WORDS = {"met", "missed", "not measured"}


SHARES = (  # of the sections, for workers that run side by side
    ("peers", "tagging", "stores", "dates", "batches"),
    ("scaling", "profile", "steadiness"),
    ("start", "building", "files", "scripts"),
)


def test_every_section_is_in_one_share():
    assert sorted(id for share in SHARES for id in share) == sorted(one.id for one in CHAPTERS)


@each("share", SHARES, ids="-".join)
def test_the_short_form_runs_every_section(share, tmp_path):
    command = [sys.executable, "-m", "benchmarks.report", "--short", "--out", str(tmp_path)]
    command += [part for id in share for part in ("--only", id)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    data = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert [section["id"] for section in data["sections"]] == list(share)
    parts = [part for section in data["sections"] for part in section["parts"]]
    verdicts = [verdict for part in parts for verdict in part.get("verdicts", ())]
    assert {verdict["word"] for verdict in [*data["aims"], *verdicts]} <= WORDS
    assert bool(verdicts) == ("scaling" in share)
    page = (tmp_path / "report.md").read_text("utf-8")
    plots = re.findall(r"^!\[.*\]\((.*)\)$", page, re.MULTILINE)
    assert {file.name for file in tmp_path.iterdir()} == {*plots, "report.md", "report.json"}
    for file in (*tmp_path.glob("*.md"), *tmp_path.glob("*.svg")):
        assert str(ROOT) not in file.read_text("utf-8"), file


def test_ctrl_c_writes_a_report(tmp_path):
    command = [sys.executable, "-m", "benchmarks.report", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [*command, "--only", "start"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stderr is not None
        assert process.stderr.readline() == "start …\n"
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130, said
    assert "- start: stopped before it was measured" in (tmp_path / "report.md").read_text("utf-8")
