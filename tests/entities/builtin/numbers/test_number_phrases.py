"""Phrases by language, with their numbers and amounts: ``phrases/<language>.yaml``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from anaphora.entities.builtin.numbers import money_recognizer, number_recognizer
from anaphora.entities.recognizers.recognizer import Mention
from tests.support.gathered import Case, gathered

TABLES = sorted((Path(__file__).parent / "phrases").glob("*.yaml"))


def cases() -> Iterator[Case]:
    for file in TABLES:
        for kind, said in yaml.load(file.read_text("utf-8"), yaml.CSafeLoader).items():
            for phrase, expected in said.items():
                fails = expected.get("fails", "") if isinstance(expected, dict) else ""
                gives = expected["gives"] if isinstance(expected, dict) else expected
                listed = gives if isinstance(gives, list) else [gives]
                values = file.stem, kind, str(phrase), listed
                yield Case(f"{file.stem} {kind}", str(phrase), values, fails)


@gathered(cases())
def test_a_phrase_gives_its_numbers(
    language: str, kind: str, phrase: str, expected: list[str]
) -> None:
    module = {
        "number": number_recognizer.NumberRecognizer,
        "money": money_recognizer.MoneyRecognizer,
    }[kind]
    found = [one for one in module(language).find_mentions(phrase) if not one.fallback]
    assert [describe(one) for one in found] == expected


def describe(mention: Mention) -> str:
    kind = mention.meta.get("kind", "cardinal")
    return str(mention.value) if kind == "cardinal" else f"{mention.value} {kind}"
