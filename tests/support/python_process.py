"""Python processes that share files and servers with a test."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

__all__ = ["run_python"]

ROOT = Path(__file__).parents[2]


@contextmanager
def run_python(script: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Start a process that runs the script with the arguments, with pipes to its streams."""
    command = [sys.executable, "-c", dedent(script), *map(str, arguments)]
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        try:
            yield process
        finally:
            process.kill()
