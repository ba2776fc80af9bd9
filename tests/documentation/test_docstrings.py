"""The examples in docstrings are correct."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import anaphora

PACKAGE = Path(anaphora.__file__).parent
PROMPT = ">>> "


def modules() -> list[str]:
    """The modules with examples in docstrings."""
    names = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if PROMPT in path.read_text(encoding="utf-8"):
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            names.append(".".join(parts).removesuffix(".__init__"))
    return names


@pytest.mark.parametrize("name", modules())
def test_docstring_examples_are_correct(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert found.attempted > 0
    assert found.failed == 0


def test_no_docstring_example_is_skipped() -> None:
    assert "anaphora" in modules()
    assert not [path for path in PACKAGE.rglob("*.py") if "+SKIP" in path.read_text("utf-8")]
