"""The path of a question: engine/ask.py beside the page that describes it."""

from __future__ import annotations

import gc
import inspect
import re
from pathlib import Path

import pytest

from anaphora import Engine, load_model
from anaphora.engine.ask import ask
from anaphora.engine.bots.bot import Bot

PAGE = Path(__file__).parents[2] / "docs" / "how-it-works.md"


def test_the_code_takes_the_steps_that_the_page_lists() -> None:
    listed = re.findall(r"^(\d)\. \*\*(\w+)\.\*\*", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    steps = [number for number, _ in listed][:8]
    taken = re.findall(r"  # (\d)$", inspect.getsource(ask), re.MULTILINE)
    assert taken == steps == [*"12345678"]


@pytest.mark.parametrize(("times", "collects"), [(1, True), (400, False)])
def test_the_collector_rests_while_a_long_text_is_read(monkeypatch, times, collects) -> None:
    seen = []
    read = Bot.read

    def watched(*arguments, **named):
        seen.append(gc.isenabled())
        return read(*arguments, **named)

    monkeypatch.setattr(Bot, "read", watched)
    engine = Engine(load_model("weather"))
    engine.ask("the weather in Tokyo " * times)
    assert (seen, gc.isenabled()) == ([collects], True)
