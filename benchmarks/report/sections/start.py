"""What a process pays before its first answer."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from collections import defaultdict
from statistics import median

from benchmarks.report.data import Column, LeftOut, Section, Table
from benchmarks.report.fresh import Failed, Tell
from benchmarks.report.machine import version_of
from benchmarks.report.wanted import Wanted

_NO_TORCH = "import sys; sys.modules['torch'] = None; "
_ASK = (
    "import anaphora; reply = anaphora.Engine({!r}).ask({!r}); assert reply.status == 'matched', "
    "reply"
)
_ANSWER = _ASK.format("weather", "What is the weather in Tokyo now?")
_STATEMENTS = {
    "Python alone": "pass",
    "import anaphora": "import anaphora",
    "import spacy": _NO_TORCH + "import spacy",
    "import anaphora, Engine": _NO_TORCH + "from anaphora import Engine",
    "first answer": _NO_TORCH + _ANSWER,
}
_WITH_TORCH = {
    "import spacy, torch installed": "import spacy",
    "first answer, torch installed": _ANSWER,
}
_FEW = {  # for the short form
    "import spacy": _STATEMENTS["import spacy"],
    "first answer": _NO_TORCH + _ASK.format("cafe", "How much is a coffee at Starbucks?"),
}
_LISTED = 12
_IMPORTED = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)")


def measure(wanted: Wanted, tell: Tell) -> Section:
    """Whole processes, from their start to their end, in turn; the medians."""
    statements = dict(wanted.pick(whole=_STATEMENTS, short=_FEW))
    left_out = []
    why = wanted.pick(
        whole="" if version_of("torch") else "torch is not installed",
        short="the short form is short",
    )
    if why:
        left_out.append(LeftOut("the start where torch is installed", why))
    else:
        statements |= _WITH_TORCH
    rounds = wanted.pick(whole=9, short=1)
    for statement in wanted.pick(whole=tuple(statements.values()), short=()):
        _run(statement)  # so that the disk is warm
    taken: dict[str, list[float]] = defaultdict(list)
    busy: dict[str, list[float]] = defaultdict(list)
    for number in range(rounds):
        tell(f"round {number + 1} of {rounds}")
        for name, statement in statements.items():
            worked, begun = _worked(), time.perf_counter()
            _run(statement)
            taken[name].append(time.perf_counter() - begun)
            busy[name].append(_worked() - worked)
    times = {name: median(spent) for name, spent in taken.items()}
    tell("what is imported")
    packages = imported(_run(statements["first answer"], "-X", "importtime"))
    return Section(
        "start",
        "Start",
        "A process that imports Anaphora, loads the bundled weather model, answers one question "
        "and ends; the times are of the whole process. spaCy imports torch where it is installed, "
        "which a plain install of Anaphora does not bring: but for the last rows, torch is made "
        "impossible to import.",
        (
            Table(
                "From the start of a process to its end",
                (
                    Column("what it does"),
                    Column("time", "s"),
                    Column("fastest", "s"),
                    Column("of the processor", "s"),
                ),
                tuple(
                    (name, spent, min(taken[name]), median(busy[name]))
                    for name, spent in times.items()
                ),
            ),
            Table(
                "What of it is importing, by package (`-X importtime`, which slows it down)",
                (Column("package"), Column("time", "s"), Column("modules")),
                packages,
            ),
        ),
        {"start.seconds": times["first answer"]},
        {
            "start.seconds": f"of the processor's time it is {median(busy['first answer']):.2f} s; "
            f"Python that imports spaCy and nothing else takes {times['import spacy']:.2f} s",
        },
        tuple(left_out),
    )


def imported(said: str) -> tuple[tuple[str, float, int], ...]:
    """The packages that take longest to import, with how many modules of them; all together
    last."""
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
    """Seconds of the processor that all processes took which were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(statement: str, *options: str) -> str:
    """What such a process says of errors."""
    command = [sys.executable, *options, "-c", statement]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{statement!r}: {done.stderr.strip().rpartition(chr(10))[2]}")
    return done.stderr
