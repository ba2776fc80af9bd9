"""The memory of a tagger, measured in a separate process.

    python -m benchmarks.peers.footprint TAGGER NAMES   prints it as JSON

The growth of the process (RSS) includes memory outside Python, and memory that the allocator cannot
return after building; Python's allocations (tracemalloc) are exact, but exclude C++. The libraries
and a tagger of one name are loaded before; the list of names is not counted.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tracemalloc
from dataclasses import dataclass
from pathlib import Path

from benchmarks.models import names
from benchmarks.peers.taggers import TAGGERS
from benchmarks.process_memory import resident

__all__ = ["Footprint", "footprint"]

_PATIENCE = 600.0  # seconds


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes per name, without the name in the given list: growth of the process, and Python's
    allocations."""

    resident: float
    traced: float


def footprint(tagger: str, count: int) -> Footprint:
    """The memory of ``tagger`` per name for ``count`` names, measured in fresh processes."""
    resident, traced = (_in_a_process(tagger, count, how) for how in ("resident", "traced"))
    return Footprint(resident, traced)


def _in_a_process(tagger: str, count: int, how: str) -> float:
    command = [sys.executable, "-m", "benchmarks.peers.footprint", tagger, str(count), how]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=_PATIENCE, check=True
    )
    return float(json.loads(done.stdout)["bytes"])


def _measure(tagger: str, count: int, how: str) -> float:
    known = names(count)
    first = TAGGERS[tagger](["some name"])
    first.find("some name or other")
    if how == "traced":
        tracemalloc.start()
    before = _room(how)
    built = TAGGERS[tagger](known)
    room = _room(how) - before
    if built.find(known[-1]) != [known[-1]]:
        raise SystemExit(f"{tagger} does not find '{known[-1]}'")
    return room / count


def _room(how: str) -> int:
    if how == "traced":
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    return resident()


if __name__ == "__main__":
    print(json.dumps({"bytes": _measure(sys.argv[1], int(sys.argv[2]), sys.argv[3])}))
