"""``python -m benchmarks.report``."""

from __future__ import annotations

import sys

from benchmarks.report.cli import app

if __name__ == "__main__":
    sys.modules["torch"] = None  # type: ignore[assignment]  # as in a plain install, see `start`
    app(prog_name="python -m benchmarks.report")
