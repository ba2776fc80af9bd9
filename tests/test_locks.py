"""The releases that the checks run with are pinned with their hashes, for each Python."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCKS = {path.stem: path for path in sorted((ROOT / "locks").glob("*.txt"))}

PIN = re.compile(r"[a-z0-9][a-z0-9-]*==\S+( ; [^\\]+)?( \\)?")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")


def pins(lock: str) -> dict[str, str]:
    """The version of each library that is pinned in this file."""
    lines = LOCKS[lock].read_text(encoding="utf-8").splitlines()
    pinned = (line.split()[0].split("==") for line in lines if PIN.fullmatch(line))
    return {canonicalize_name(name): version for name, version in pinned}


def required(extra: str) -> set[Requirement]:
    """What ``pip install -e .[EXTRA]`` asks for, extras of extras included."""
    found = set(map(Requirement, [*PROJECT["dependencies"], *EXTRAS[extra]]))
    for one in [one for one in found if one.name == PROJECT["name"]]:
        found = (found - {one}).union(*map(required, one.extras))
    return found


def test_each_python_that_is_supported_has_a_lock():
    names = (re.fullmatch(r".* :: Python :: (3\.\d+)", one) for one in PROJECT["classifiers"])
    assert set(LOCKS) == {f"python{name[1]}" for name in names if name}


@pytest.mark.parametrize("lock", LOCKS)
def test_each_library_that_the_checks_need_is_pinned_within_its_range(lock):
    pinned = pins(lock)
    for one in required("dev"):
        if one.name == "torch":
            continue  # see below
        assert canonicalize_name(one.name) in pinned, f"{one} is not pinned: run `make lock`"
        version = pinned[canonicalize_name(one.name)]
        assert one.specifier.contains(version, prereleases=True), f"{one}: run `make lock`"


@pytest.mark.parametrize("lock", LOCKS)
def test_pytorch_is_not_pinned_but_what_its_builds_have_in_common_is(lock):
    pinned = pins(lock)
    assert "torch" not in pinned
    assert not [name for name in pinned if name.startswith(("cuda-", "nvidia-", "triton"))]
    common = [one for one in map(Requirement, requires("torch") or ()) if not one.marker]
    assert common
    for one in common:
        version = pinned[canonicalize_name(one.name)]
        assert one.specifier.contains(version), f"{one}: mend locks/uv.toml, run `make lock`"


@pytest.mark.parametrize("lock", LOCKS)
def test_each_pin_has_hashes_and_nothing_but_pins_is_there(lock):
    text = LOCKS[lock].read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    assert not [line for line in lines if not PIN.fullmatch(line) and not HASH.fullmatch(line)]
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if PIN.fullmatch(line):
            assert HASH.fullmatch(below), f"no hash: {line}"
