"""The tests that pages show, and those in the folders beside them, pass."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documentation.examples import PAGES, page_examples, write_files


def has_tests(page: Path) -> bool:
    shown = (example.file for example in page_examples(page))
    beside = (path.name for path in page.with_suffix("").glob("test_*.py"))
    return any(name.startswith("test_") for name in (*shown, *beside))


FOUND = [page for page in PAGES if has_tests(page)]


@pytest.mark.parametrize("page", FOUND, ids=lambda page: page.stem)
def test_shown_tests_pass(page: Path, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^([2-9]|\d{2,}) passed", done.stdout, re.MULTILINE), done.stdout


def test_the_tutorial_and_the_cookbook_show_tests() -> None:
    assert {page.stem for page in FOUND} >= {"6-test-and-serve", "python"}
