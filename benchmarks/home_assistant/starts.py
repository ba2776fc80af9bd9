"""The first answer of a process: hassil, Anaphora without a cache, and from one, in turns.

Each start is a process of its own. Imports are not measured, nor is what the first question to any
model costs: a model of one intent answers before.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from anaphora import Engine, load_model
from anaphora.models.loader import parse_model
from benchmarks.home_assistant.samples import HOME, to_hassil_lists, write_samples
from benchmarks.process_memory import resident

__all__ = ["measure_starts"]

_KINDS = ("hassil", "cold", "cached")
_SEED = 5
_SMALL_MODEL = """
id: small
elements: [{id: tea, synonyms: [tea]}]
intents: ["intent=tea term={# == 'tea'}"]
"""


def measure_starts(languages: Sequence[str], runs: int) -> None:
    """Print a table: seconds of processor time and growth of memory, medians of ``runs``."""
    print("lang    CPU s: hassil    cold  cached     MB: hassil    cold  cached", flush=True)
    for language in languages:
        with TemporaryDirectory() as cache:
            text = _first_text(language)
            _run("cached", language, text, cache)  # fills the cache
            found: dict[str, list[tuple[float, float]]] = {kind: [] for kind in _KINDS}
            for _ in range(runs):
                for kind in _KINDS:
                    found[kind].append(_run(kind, language, text, cache))
        seconds, megabytes = (
            [median(one[index] for one in found[kind]) for kind in _KINDS] for index in (0, 1)
        )
        print(
            f"{language:6} {seconds[0]:14.3f} {seconds[1]:7.3f} {seconds[2]:7.3f} "
            f"{megabytes[0]:14.1f} {megabytes[1]:7.1f} {megabytes[2]:7.1f}",
            flush=True,
        )


def _first_text(language: str) -> str:
    """A text that hassil recognizes."""
    from hassil import Intents, recognize_best
    from home_assistant_intents import get_intents

    intents, lists = Intents.from_dict(get_intents(language)), to_hassil_lists(HOME)
    recognize = partial(recognize_best, intents=intents, slot_lists=lists)
    texts = (one.text for one in write_samples(intents, lists, 100, _SEED))
    return next(text for text in texts if recognize(text) is not None)


def _run(kind: str, language: str, text: str, cache: str) -> tuple[float, float]:
    command = [sys.executable, "-m", __name__, kind, language, text, cache]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, megabytes = json.loads(done.stdout)
    return seconds, megabytes


def _start(kind: str, language: str, text: str, cache: str) -> tuple[float, float]:
    """Answer one text; the processor time in seconds and the memory in megabytes that it took."""
    if kind == "hassil":
        from hassil import Intents, recognize_best
        from home_assistant_intents import get_intents

        Intents.from_dict(get_intents("en"))
        before, began = resident(), process_time()
        intents = Intents.from_dict(get_intents(language))
        answer: Any = recognize_best(text, intents, slot_lists=to_hassil_lists(HOME))
    else:
        __import__("anaphora.models.model_cache")
        Engine(parse_model(_SMALL_MODEL)).ask("tea")
        folder = Path(cache) if kind == "cached" else None
        before, began = resident(), process_time()
        model = load_model(f"home-assistant:{language}", home=HOME, cache=folder)
        answer = Engine(model, cache=folder).ask(text)
    taken = process_time() - began
    assert answer is not None
    return taken, (resident() - before) / 1e6


if __name__ == "__main__":
    print(json.dumps(_start(*sys.argv[1:])))
