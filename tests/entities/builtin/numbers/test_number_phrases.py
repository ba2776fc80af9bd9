"""Phrases by language, with their numbers and amounts: ``phrases/<language>.yaml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from anaphora.entities.builtin.numbers import money_recognizer, number_recognizer
from anaphora.entities.recognizers.recognizer import Mention

TABLES = sorted((Path(__file__).parent / "phrases").glob("*.yaml"))


def parametrize_phrases() -> list[Any]:
    cases = []
    for file in TABLES:
        for kind, said in yaml.load(file.read_text("utf-8"), yaml.CSafeLoader).items():
            for phrase, expected in said.items():
                fails = expected.get("fails") if isinstance(expected, dict) else None
                gives = expected["gives"] if isinstance(expected, dict) else expected
                listed = gives if isinstance(gives, list) else [gives]
                marks = [pytest.mark.xfail(reason=fails, strict=True)] if fails else []
                cases.append(pytest.param(file.stem, kind, str(phrase), listed, marks=marks))
    return cases


@pytest.mark.parametrize(("language", "kind", "phrase", "expected"), parametrize_phrases())
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
