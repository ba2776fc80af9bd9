"""Facts about a run: the machine, versions, and the state of the sources."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil  # type: ignore[import-untyped]

_PACKAGES = (
    "spacy",
    "numpy",
    "PyStemmer",
    "dateparser",
    "google-re2",
    "hassil",
    "adapt-parser",
    "flashtext",
    "pyahocorasick",
    "redis",
    "pyinstrument",
    "pytest-benchmark",
    "matplotlib",
)


def head(now: datetime) -> tuple[tuple[str, str], ...]:
    """Facts by name; unknown ones are omitted."""
    return tuple((name, fact) for name, fact in _facts(now) if fact)


def _facts(now: datetime) -> Iterator[tuple[str, str]]:
    yield "begun", f"{now:%Y-%m-%d %H:%M %Z}"
    yield "revision", _revision()
    yield "processor", _processor()
    yield "cores", str(psutil.cpu_count())
    yield "governor", _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    yield "load before", ", ".join(f"{one:.2f}" for one in psutil.getloadavg())
    yield "memory", f"{psutil.virtual_memory().total / 2**30:.1f} GiB"
    yield "system", platform.platform()
    yield "Python", f"{platform.python_implementation()} {platform.python_version()}"
    yield "Anaphora", version_of("anaphora") or _own_version()
    yield "packages", ", ".join(f"{name} {its}" for name in _PACKAGES if (its := version_of(name)))


def version_of(package: str) -> str:
    """The version of a package, '' if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _own_version() -> str:
    from anaphora.version import __version__

    return __version__


def _revision() -> str:
    """The commit, and whether files differ from it; '' outside a repository."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        return f"{commit}, with changes" if _git("status", "--porcelain") else commit
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ("git", "-C", str(Path(__file__).parent), *arguments),
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def _processor() -> str:
    lines = _read("/proc/cpuinfo").splitlines()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""
