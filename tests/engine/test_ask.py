"""The path of a question: engine/ask.py beside the page that describes it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from anaphora.engine.ask import ask

PAGE = Path(__file__).parents[2] / "docs" / "how-it-works.md"


def test_the_code_takes_the_steps_that_the_page_lists() -> None:
    listed = re.findall(r"^(\d)\. \*\*(\w+)\.\*\*", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    steps = [number for number, _ in listed][:8]
    taken = re.findall(r"  # (\d)$", inspect.getsource(ask), re.MULTILINE)
    assert taken == steps == [*"12345678"]
