"""The bot for the users of a run: it remembers an item and a color, and its handler keeps a list of
all answered questions in the data of the conversation."""

from __future__ import annotations

from pathlib import Path

__all__ = ["COLORS", "ITEMS", "ITEMS_AT_ONCE", "MODEL", "items_of", "write_bot"]

MODEL = "shop"
COLORS = ("red", "green", "blue", "yellow", "purple")
_SYLLABLES = ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti")
ITEMS = tuple(f"{first}{second}x" for first in _SYLLABLES for second in _SYLLABLES)
ITEMS_AT_ONCE = 4

_BOT = f"""\
id: {MODEL}
code: {MODEL}
language: en
conversation: {{timeout: 1h, depth: 1000}}
elements:
  - {{id: item, values: [{", ".join(ITEMS)}]}}
  - {{id: color, values: [{", ".join(COLORS)}]}}
  - {{id: order, synonyms: [order]}}
  - {{id: again, synonyms: [once more]}}
  - {{id: broken, synonyms: [break it]}}
  - {{id: slowly, synonyms: [slowly]}}
intents:
  - intent=order term(order)={{# == 'order'}} term(item)={{# == 'item'}}
    term(color)~{{# == 'color'}}? term(slowly)={{# == 'slowly'}}?
  - intent=paint term(color)={{# == 'color'}} term(item)~{{# == 'item'}}
  - intent=again term(again)={{# == 'again'}} term(item)~{{# == 'item'}}
    term(color)~{{# == 'color'}}?
  - intent=broken term(broken)={{# == 'broken'}}
handlers: {{order: "#answer", paint: "#answer", again: "#answer", broken: "#fail"}}
"""
_CODE = """\
import re
import time


def answer(item, color, text, data):
    if pause := re.search(r"slowly for (\\d+) ms", text):
        time.sleep(int(pause[1]) / 1_000)
    data["said"] = [*data.get("said", ()), *re.findall(r"u\\d{3}n\\d{5}", text)[:1]]
    data["count"] = data.get("count", 0) + 1
    return {"item": item, "color": color, "said": data["said"], "count": data["count"]}


def fail(data):
    data["said"] = [*data.get("said", ()), "a handler that failed"]
    raise RuntimeError("as it was asked to")
"""


def write_bot(folder: Path) -> str:
    """Write the files of the bot to ``folder``; return the name of its model file."""
    (folder / f"{MODEL}.py").write_text(_CODE, encoding="utf-8")
    (folder / f"{MODEL}.yaml").write_text(_BOT, encoding="utf-8")
    return f"{MODEL}.yaml"


def items_of(generation: int) -> tuple[str, ...]:
    """The items that a user mentions between two resets. Each generation has other items, so that
    an offer shows its generation."""
    first = generation * ITEMS_AT_ONCE % len(ITEMS)
    return ITEMS[first : first + ITEMS_AT_ONCE]
