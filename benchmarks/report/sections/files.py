"""The benchmarks that pytest runs, file by file."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report.data import Cell, Column, LeftOut, Part, Section, Table
from benchmarks.report.options import ReportOptions
from benchmarks.report.workloads.subject_process import SubjectError, Tell

FOLDER = Path(__file__).parent.parent.parent
_QUICK = ("test_memory.py",)
"""The files that the short form runs, one round each."""
_BRIEF = ("--benchmark-max-time=0.001", "--benchmark-min-rounds=1", "--benchmark-warmup=off")


def measure(wanted: ReportOptions, tell: Tell) -> Section:
    """Run pytest once per file, so that a failure affects only its own file."""
    files = sorted(FOLDER.rglob("test_*.py"))
    chosen = wanted.pick(whole=files, short=[one for one in files if one.name in _QUICK])
    options = wanted.pick(whole=(), short=_BRIEF)
    parts: list[Part] = []
    left_out = [
        LeftOut(file.name, "the short form runs only a few files")
        for file in files
        if file not in chosen
    ]
    for file in chosen:
        tell(file.name)
        try:
            parts.append(_table(file, _run(file, options)))
        except SubjectError as failed:
            left_out.append(LeftOut(file.name, str(failed), failed=True))
    return Section(
        "files",
        "File by file",
        "Each file of `benchmarks/` asks one question; this is what pytest-benchmark measured. "
        "Times are of one call.",
        tuple(parts),
        left_out=tuple(left_out),
    )


def question_of(file: Path) -> str:
    """The first sentence of a file's docstring."""
    said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or file.stem
    first = " ".join(said.partition("\n\n")[0].split())
    for end in ("? ", ". ", ": "):
        first = first.partition(end)[0] + (end[0] if end in first and end[0] == "?" else "")
    return first.rstrip(".")


def _run(file: Path, options: Sequence[str]) -> list[Mapping[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "figures.json"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
        command += ["--benchmark-only", f"--benchmark-json={out}", *options]
        # Variables of an outer pytest would turn pytest-benchmark off.
        own = {name: its for name, its in os.environ.items() if not name.startswith("PYTEST_")}
        done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER.parent, env=own)
        if done.returncode or not out.exists():
            last = [
                line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))
            ]
            raise SubjectError("; ".join(last) or f"pytest ended with {done.returncode}")
        found: list[Mapping[str, Any]] = json.loads(out.read_text(encoding="utf-8"))["benchmarks"]
        return found


def _table(file: Path, benchmarks: Sequence[Mapping[str, Any]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in benchmarks:
        stats = one["stats"]
        spread = stats["iqr"] / stats["median"] if stats["median"] else None
        rows.append((_named(one["name"]), stats["min"], stats["median"], spread, stats["rounds"]))
    columns = (
        Column("what"),
        Column("fastest", "s"),
        Column("median", "s"),
        Column("quartiles apart by", "%"),
        Column("rounds"),
    )
    return Table(question_of(file), columns, tuple(rows), f"From `{file.name}`.")


def _named(test: str) -> str:
    """``test_ask_as_the_synonyms_grow[100]`` becomes "ask as the synonyms grow: 100"."""
    name, _, which = test.removeprefix("test_").partition("[")
    words = name.replace("_", " ")
    return f"{words}: {which.rstrip(']')}" if which else words
