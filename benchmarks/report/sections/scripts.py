"""The benchmarks that are separate programs, and what they need to run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.report.data import Column, LeftOut, Output, Part, Section, Table, Text
from benchmarks.report.options import Form, ReportOptions
from benchmarks.report.sections.files import FOLDER, question_of
from benchmarks.report.workloads.subject_process import Tell, has_room

_MINUTES = 15  # time limit of a program


@dataclass(frozen=True, slots=True)
class Script:
    """A program; ``arguments`` for the given options, ``missing`` says why it cannot run ('' if it
    can)."""

    name: str
    arguments: Callable[[ReportOptions], tuple[str, ...]]
    missing: Callable[[ReportOptions], str]


def _service_lacks(wanted: ReportOptions) -> str:
    if wanted.form is Form.SHORT:
        return "the short form leaves it out"
    return _lacks_programs("wrk", "redis-server")


def _hostile_clients_lack(wanted: ReportOptions) -> str:
    if wanted.form is Form.SHORT:
        return "the short form leaves it out"
    return _lacks_programs("wrk")


def _conversations_lack(wanted: ReportOptions) -> str:
    return "" if wanted.form is Form.SHORT else _lacks_programs("redis-server")


def _bart_lacks(wanted: ReportOptions) -> str:
    if "ltm.bart" not in wanted.scripts:
        return "it takes some six minutes and 6 GB of memory; name it: --script ltm.bart"
    return "" if has_room(6) else "it needs 6 GB of memory"


def _quality_lacks(wanted: ReportOptions) -> str:
    if wanted.locomo is None:
        return "it needs LoCoMo's dialogs (CC BY-NC 4.0): --locomo locomo10.json"
    return "" if wanted.locomo.is_file() else f"there is no file {wanted.locomo}"


def _dialogs_lack(wanted: ReportOptions) -> str:
    if wanted.sgd is None:
        return "it needs the Schema-Guided Dialogue data (CC BY-SA 4.0): --sgd FOLDER"
    return "" if wanted.sgd.exists() else f"there is no {wanted.sgd}"


def _lacks_programs(*names: str) -> str:
    missing = [name for name in names if shutil.which(name) is None]
    return f"it needs {' and '.join(missing)}" if missing else ""


SCRIPTS = (
    Script("server.load", lambda wanted: ("--seconds", "5"), _service_lacks),
    Script("server.hostile_clients", lambda wanted: ("--minutes", "2"), _hostile_clients_lack),
    Script(
        "stm.idle_conversations",
        lambda wanted: wanted.pick(
            whole=("--conversations", "100000"), short=("memory", "--conversations", "500")
        ),
        _conversations_lack,
    ),
    Script("ltm.bart", lambda wanted: (), _bart_lacks),
    Script("ltm.recall_quality", lambda wanted: (str(wanted.locomo),), _quality_lacks),
    Script("ltm.summary_quality", lambda wanted: (str(wanted.locomo),), _quality_lacks),
    Script(
        "sgd",
        lambda wanted: (
            str(wanted.sgd),
            "--summary",
            *wanted.pick(whole=(), short=("--limit", "20")),
        ),
        _dialogs_lack,
    ),
)


def measure(wanted: ReportOptions, tell: Tell) -> Section:
    """Run the programs that can run, one after the other."""
    parts: list[Part] = []
    left_out = []
    for script in SCRIPTS:
        if why := script.missing(wanted):
            left_out.append(LeftOut(f"benchmarks.{script.name}", why))
            continue
        tell(script.name)
        module = f"benchmarks.{script.name}"
        command = [sys.executable, "-m", module, *script.arguments(wanted)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_MINUTES * 60, cwd=FOLDER.parent
            )
        except subprocess.TimeoutExpired:
            left_out.append(LeftOut(module, f"it took more than {_MINUTES} minutes", failed=True))
            continue
        if done.returncode:
            last = done.stderr.strip().rpartition("\n")[2]
            why = f"it ended with {done.returncode}: {last}"
            left_out.append(LeftOut(module, why, failed=True))
            continue
        parts += printed(
            question_of(FOLDER.joinpath(*script.name.split(".")).with_suffix(".py")), done.stdout
        )
    return Section(
        "scripts",
        "Programs",
        "The output of the benchmarks that are separate programs (`python -m benchmarks.…`).",
        tuple(parts),
        left_out=tuple(left_out),
    )


def printed(title: str, output: str) -> list[Part]:
    """The output of a program: its Markdown table with the other lines as a note, or verbatim if it
    has none."""
    lines = output.strip().splitlines()
    table = [line for line in lines if line.startswith("|")]
    if len(table) < 3:
        return [Text(f"### {title}"), Output(output)]
    head, _, *rows = map(_cells, table)
    note = " ".join(line for line in lines if not line.startswith("|"))
    return [Table(title, tuple(Column(cell) for cell in head), tuple(rows), note)]


def _cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.strip().strip("|").split("|"))
