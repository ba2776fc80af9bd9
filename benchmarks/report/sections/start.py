"""The start: time of a process until its first answer."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from collections import defaultdict
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.report.data import Column, LeftOut, Section, Table
from benchmarks.report.machine import version_of
from benchmarks.report.options import ReportOptions
from benchmarks.report.workloads.subject_process import SubjectError, Tell

_NO_TORCH = "import sys; sys.modules['torch'] = None; "
_ASK = (
    "import anaphora; reply = anaphora.Engine({!r}{}).ask({!r}); assert reply.status == 'matched', "
    "reply"
)
_WHEN = "; import time; print(time.time())"
_QUESTION = "What is the weather in Tokyo now?"
_PLAIN, _FIRST = "first answer", "first answer, with a cache"
_LISTED = 12
_IMPORTED = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)")


def _statements(folder: str) -> dict[str, str]:
    cached = f", cache={folder!r}"
    return {
        "Python alone": "pass",
        "import anaphora": "import anaphora",
        "import spacy": _NO_TORCH + "import spacy",
        "import anaphora, Engine": _NO_TORCH + "from anaphora import Engine",
        _PLAIN: _NO_TORCH + _ASK.format("weather", "", _QUESTION),
        _FIRST: _NO_TORCH + _ASK.format("weather", cached, _QUESTION),
    }


def _with_torch(folder: str) -> dict[str, str]:
    asked = _ASK.format("weather", f", cache={folder!r}", _QUESTION)
    return {
        "import spacy, torch installed": "import spacy",
        f"{_FIRST}, torch installed": asked,
    }


def _few(folder: str) -> dict[str, str]:
    """For the short form."""
    asked = _ASK.format("cafe", f", cache={folder!r}", "How much is a coffee at Starbucks?")
    return {"import spacy": _NO_TORCH + "import spacy", _FIRST: _NO_TORCH + asked}


def measure(wanted: ReportOptions, tell: Tell) -> Section:
    """Measure whole processes in turn and take the medians."""
    with TemporaryDirectory() as folder:
        return _measured(wanted, tell, folder)


def _measured(wanted: ReportOptions, tell: Tell, folder: str) -> Section:
    statements = wanted.pick(whole=_statements, short=_few)(folder)
    left_out = []
    why = wanted.pick(
        whole="" if version_of("torch") else "torch is not installed",
        short="the short form is short",
    )
    if why:
        left_out.append(LeftOut("the start where torch is installed", why))
    else:
        statements |= _with_torch(folder)
    rounds = wanted.pick(whole=9, short=1)
    for statement in statements.values():
        _run(statement)  # so that the disk is warm, and the cache filled
    taken: dict[str, list[float]] = defaultdict(list)
    ended: dict[str, list[float]] = defaultdict(list)
    busy: dict[str, list[float]] = defaultdict(list)
    for number in range(rounds):
        tell(f"round {number + 1} of {rounds}")
        for name, statement in statements.items():
            worked, begun = _worked(), time.time()
            done = _run(statement + _WHEN)
            ended[name].append(time.time() - begun)
            taken[name].append(float(done.stdout) - begun)
            busy[name].append(_worked() - worked)
    times = {name: median(spent) for name, spent in taken.items()}
    tell("what is imported")
    packages = imported(_run(statements[_FIRST], "-X", "importtime").stderr)
    return Section(
        "start",
        "Start",
        "A process that imports Anaphora, loads the bundled weather model, answers one question "
        "and ends; with a cache, one that an earlier process has filled. spaCy imports torch "
        "where it is installed, which a plain install of Anaphora does not bring: but for the "
        "last rows, torch is made impossible to import.",
        (
            Table(
                "From the start of a process until all that is done, and until it has ended",
                (
                    Column("what it does"),
                    Column("done", "s"),
                    Column("fastest", "s"),
                    Column("ended", "s"),
                    Column("of the processor", "s"),
                ),
                tuple(
                    (name, spent, min(taken[name]), median(ended[name]), median(busy[name]))
                    for name, spent in times.items()
                ),
            ),
            Table(
                "What of it is importing, by package (`-X importtime`, which slows it down)",
                (Column("package"), Column("time", "s"), Column("modules")),
                packages,
            ),
        ),
        {"start.seconds": times[_FIRST]},
        {
            "start.seconds": f"importing spaCy and nothing else takes {times['import spacy']:.2f} "
            f"s of it; without a cache it is {times.get(_PLAIN, 0):.2f} s",
        },
        tuple(left_out),
    )


def imported(said: str) -> tuple[tuple[str, float, int], ...]:
    """The packages that take longest to import, with their seconds and numbers of modules; the
    totals last."""
    times: dict[str, float] = defaultdict(float)
    modules: dict[str, int] = defaultdict(int)
    for microseconds, module in _IMPORTED.findall(said):
        package = module.partition(".")[0]
        times[package] += int(microseconds) / 1e6
        modules[package] += 1
    longest = sorted(times, key=lambda package: -times[package])[:_LISTED]
    rows = [(package, times[package], modules[package]) for package in longest]
    return (*rows, ("in all", sum(times.values()), sum(modules.values())))


def _worked() -> float:
    """CPU seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(statement: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a process that may write bytecode, as at a first start."""
    command = [sys.executable, *options, "-c", statement]
    own = {name: its for name, its in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, capture_output=True, text=True, env=own)
    if done.returncode:
        raise SubjectError(f"{statement!r}: {done.stderr.strip().rpartition(chr(10))[2]}")
    return done
