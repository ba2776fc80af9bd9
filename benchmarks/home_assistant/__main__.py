"""``python -m benchmarks.home_assistant``: Home Assistant's sentences in hassil and in Anaphora.

Both read the same texts with the same home, in turns. Without ``--tests`` the texts are made from
the templates of the collections, and hassil says what they mean; with it they are Home Assistant's
own tests, which say so themselves. ``--start`` measures the first answer of a process instead.

``match`` is the time of a text that is read for the first time, ``again`` that of one that was
read before: the automaton keeps the states to which texts lead, and hassil keeps nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

from anaphora import Engine, Request, load_model
from anaphora.entities.sentences.reader import SentenceReader
from anaphora.models.hassil.home import Home
from benchmarks.home_assistant.samples import (
    HOME,
    Sample,
    read_samples,
    to_hassil_lists,
    write_samples,
)
from benchmarks.home_assistant.starts import measure_starts
from benchmarks.process_memory import resident

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "ru", "uk", "pl", "zh-CN")


class Row(NamedTuple):
    """The results of a language: shares of right answers, times in milliseconds."""

    language: str
    texts: int
    hassil_right: float
    ours_right: float
    same: float
    build: float
    megabytes: float
    hassil: float
    match: float
    again: float
    ask: float


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.home_assistant", description=__doc__
    )
    parser.add_argument("--languages", default=",".join(LANGUAGES), help="codes with commas")
    parser.add_argument("--count", type=int, default=600, help="texts of a language")
    parser.add_argument("--seed", type=int, default=5, help="of the texts made from templates")
    parser.add_argument("--tests", type=Path, help="a folder with a folder of tests per language")
    parser.add_argument("--failures", type=int, default=0, help="wrong answers to print")
    parser.add_argument("--start", type=int, default=0, metavar="RUNS", help="starts to measure")
    arguments = parser.parse_args()
    if arguments.start:
        measure_starts(arguments.languages.split(","), arguments.start)
        return
    print(
        "lang   texts  right: hassil  ours   same  build s    MB"
        "   ms: hassil   match   again     ask   ×match  ×again  ×ask"
    )
    for language in arguments.languages.split(","):
        row = measure(
            language, arguments.count, arguments.tests, arguments.failures, arguments.seed
        )
        print(
            f"{row.language:6} {row.texts:5}  {row.hassil_right:13.3f} {row.ours_right:5.3f} "
            f"{row.same:6.3f} {row.build:8.2f} {row.megabytes:5.0f} {row.hassil:12.3f} "
            f"{row.match:7.3f} {row.again:7.3f} {row.ask:7.3f} {row.hassil / row.match:8.1f} "
            f"{row.hassil / row.again:7.1f} {row.hassil / row.ask:5.1f}",
            flush=True,
        )


def measure(language: str, count: int, tests: Path | None, failures: int, seed: int) -> Row:
    """Measure one language."""
    from hassil import Intents, recognize_best
    from home_assistant_intents import get_intents

    intents = Intents.from_dict(get_intents(language))
    home, samples = _samples(language, intents, count, tests, seed)
    lists = to_hassil_lists(home)
    before, began = resident(), process_time()
    model = load_model(f"home-assistant:{language}", home=home)
    assert model.sentences is not None
    reader = SentenceReader(model, model.sentences)
    build = process_time() - began
    megabytes = (resident() - before) / 1e6
    engine = Engine(model)
    answers = {
        "hassil": lambda one: recognize_best(
            one.text, intents, slot_lists=lists, intent_context=one.context, best_slot_name="name"
        ),
        "match": lambda one: reader.read(one.text, one.context),
        "ask": lambda one: engine.ask(one.text, user=one.text, request=Request(data=one.context)),
    }
    times = {name: _time(answer, samples) for name, answer in answers.items()}
    times["again"] = _time(answers["match"], samples)
    right = {"hassil": 0, "ours": 0, "same": 0}
    for one in samples:
        theirs = _of_hassil(answers["hassil"](one))
        ours = _of_anaphora(answers["match"](one))
        expected = (one.intent, dict(one.slots)) if tests else theirs
        right["hassil"] += _agrees(theirs, expected)
        right["ours"] += _agrees(ours, expected)
        right["same"] += ours == theirs
        if not _agrees(ours, expected) and failures > 0:
            failures -= 1
            print(f"  {one.text!r}: expected {expected}, found {ours}; hassil {theirs}")
    total = len(samples)
    return Row(
        language,
        total,
        *(right[name] / total for name in ("hassil", "ours", "same")),
        build,
        megabytes,
        *(times[name] for name in ("hassil", "match", "again", "ask")),
    )


def _samples(
    language: str, intents: Any, count: int, tests: Path | None, seed: int
) -> tuple[Home, list[Sample]]:
    if tests is not None:
        return read_samples(tests / language)
    return HOME, write_samples(intents, to_hassil_lists(HOME), count, seed)


def _time(answer: Callable[[Sample], object], samples: Sequence[Sample]) -> float:
    """The median time of a text in milliseconds, each read for the first time."""
    taken = []
    for one in samples:
        began = perf_counter()
        answer(one)
        taken.append(perf_counter() - began)
    return median(taken) * 1e3


def _of_hassil(result: Any) -> tuple[str, dict[str, Any]] | None:
    if result is None:
        return None
    return result.intent.name, {name: _plain(one.value) for name, one in result.entities.items()}


def _of_anaphora(readings: Sequence[Any]) -> tuple[str, dict[str, Any]] | None:
    for one in readings:
        if not one.missing and not one.references:
            slots = {two.element: two.meta.get("value", two.value) for two in one.entities}
            return one.intent, {name: _plain(value) for name, value in slots.items()}
    return None


def _agrees(
    found: tuple[str, dict[str, Any]] | None, expected: tuple[str | None, dict[str, Any]] | None
) -> bool:
    if found is None or expected is None:
        return found is None and (expected is None or expected[0] is None)
    return found[0] == expected[0] and found[1] == {
        name: _plain(value) for name, value in expected[1].items()
    }


def _plain(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


if __name__ == "__main__":
    main()
