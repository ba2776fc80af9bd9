"""Texts with the intents and slots that hassil finds in them, and a home that they speak of."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from anaphora.models.hassil.home import Area, Device, Floor, Home
from anaphora.models.hassil.home_reader import read_home

__all__ = ["HOME", "Sample", "read_samples", "to_hassil_lists", "write_samples"]

HOME = Home(
    areas=tuple(
        map(Area, ("Kitchen", "Bedroom", "Living Room", "Garage", "Bathroom", "Office", "Garden"))
    ),
    floors=tuple(map(Floor, ("Ground Floor", "First Floor", "Upstairs"))),
    devices=(
        Device("Bedroom Lamp", "light"),
        Device("Kitchen Light", "light"),
        Device("Ceiling Fan", "fan"),
        Device("Front Door", "lock"),
        Device("Left Curtain", "cover"),
        Device("TV", "media_player"),
        Device("Thermostat", "climate"),
        Device("Robot", "vacuum"),
        Device("Party Time", "scene"),
        Device("Coffee Machine", "switch"),
        Device("Outside Temperature", "sensor"),
        Device("Groceries", "todo"),
    ),
)
_WORDS = ("milk and eggs", "pizza", "the beatles")
_TESTS = "_fixtures.yaml"


@dataclass(frozen=True, slots=True)
class Sample:
    """A text, the intent that it has (None: unknown), its slots, and the context of the test."""

    text: str
    intent: str | None = None
    slots: Mapping[str, Any] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)


def to_hassil_lists(home: Home) -> dict[str, Any]:
    """The lists of a home as hassil has them."""
    from hassil.intents import TextSlotList

    def named(one: Area | Floor | Device) -> Iterator[tuple[str, str]]:
        return ((text, one.name) for text in (one.name, *one.aliases))

    return {
        "area": TextSlotList.from_tuples([two for one in home.areas for two in named(one)]),
        "floor": TextSlotList.from_tuples([two for one in home.floors for two in named(one)]),
        "name": TextSlotList.from_tuples(
            [
                (text, name, {"domain": one.domain, **one.context})
                for one in home.devices
                for text, name in named(one)
            ]
        ),
    }


def write_samples(intents: Any, lists: Mapping[str, Any], count: int, seed: int) -> list[Sample]:
    """Random texts of the templates of hassil's ``intents``."""
    choose = random.Random(seed)
    blocks = [
        (name, block, sentence)
        for name, intent in intents.intents.items()
        for block in intent.data
        for sentence in block.sentences
    ]
    samples = []
    for name, block, sentence in choose.choices(blocks, k=count):
        scope = {
            "rules": {**intents.expansion_rules, **block.expansion_rules},
            "lists": {**intents.slot_lists, **lists, **block.slot_lists},
        }
        text = " ".join(_write(sentence.expression, scope, choose).split())
        samples.append(Sample(text, name, context={"area": "Kitchen"}))
    return samples


def _write(expression: Any, scope: Mapping[str, Any], choose: random.Random) -> str:
    from hassil import expression as kinds
    from hassil.intents import RangeSlotList, TextSlotList

    if isinstance(expression, kinds.TextChunk):
        return str(expression.original_text)
    if isinstance(expression, kinds.RuleReference):
        return _write(scope["rules"][expression.rule_name].expression, scope, choose)
    if isinstance(expression, kinds.ListReference):
        listed = scope["lists"][expression.list_name]
        if isinstance(listed, TextSlotList):
            return _write(choose.choice(listed.values).text_in, scope, choose)
        if isinstance(listed, RangeSlotList):
            return str(choose.choice(list(listed.get_numbers())))
        return choose.choice(_WORDS)
    items = list(expression.items)
    if isinstance(expression, kinds.Alternative):
        items = [choose.choice(items)]
    elif isinstance(expression, kinds.Permutation):
        choose.shuffle(items)
    return "".join(_write(item, scope, choose) for item in items)


def read_samples(folder: Path) -> tuple[Home, list[Sample]]:
    """The home and the sentences of a folder with Home Assistant's own tests of a language: files
    with ``tests``, and ``_fixtures.yaml``."""
    home = read_home(folder / _TESTS)
    samples = []
    for path in sorted(folder.glob("*.yaml")):
        data = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        for test in data.get("tests", ()):
            intent = test.get("intent", {})
            samples += [
                Sample(
                    text,
                    intent.get("name"),
                    intent.get("slots") or {},
                    intent.get("context") or {},
                )
                for text in test["sentences"]
            ]
    return home, samples
