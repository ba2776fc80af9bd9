"""The matcher agrees with hassil on sentences that its own templates produce."""

from __future__ import annotations

import random
from typing import Any

import pytest

from anaphora.entities.sentences.matcher import SentenceMatcher
from anaphora.models.hassil.builder import HOME_LISTS, build_collection
from tests.entities.sentences.sentence_files import HOME

hassil = pytest.importorskip("hassil")
home_assistant_intents = pytest.importorskip("home_assistant_intents")

SENTENCES = 120
CONTEXT = {"area": "Kitchen"}


def hassil_lists() -> dict[str, Any]:
    from hassil.intents import TextSlotList

    named = {
        "area": [(text, one.name) for one in HOME.areas for text in (one.name, *one.aliases)],
        "floor": [(one.name, one.name) for one in HOME.floors],
        "name": [(one.name, one.name, {"domain": one.domain}) for one in HOME.devices],
    }
    return {name: TextSlotList.from_tuples(values, name=name) for name, values in named.items()}


def write(expression: Any, scope: dict[str, Any], choose: random.Random) -> str:
    """A random text of a template of hassil."""
    from hassil import expression as kinds
    from hassil.intents import RangeSlotList, TextSlotList

    if isinstance(expression, kinds.TextChunk):
        return str(expression.original_text)
    if isinstance(expression, kinds.RuleReference):
        return write(scope["rules"][expression.rule_name].expression, scope, choose)
    if isinstance(expression, kinds.ListReference):
        listed = scope["lists"][expression.list_name]
        if isinstance(listed, TextSlotList):
            return write(choose.choice(listed.values).text_in, scope, choose)
        if isinstance(listed, RangeSlotList):
            return str(choose.choice(list(listed.get_numbers())))
        return choose.choice(["milk and eggs", "pizza", "the beatles"])
    items = list(expression.items)
    if isinstance(expression, kinds.Alternative):
        items = [choose.choice(items)]
    elif isinstance(expression, kinds.Permutation):
        choose.shuffle(items)
    return "".join(write(item, scope, choose) for item in items)


@pytest.mark.parametrize("language", ["de", "en", "fi", "fr", "ru", "tr", "zh-CN"])
def test_the_same_intents_and_slots(language: str) -> None:
    data = home_assistant_intents.get_intents(language)
    assert data is not None
    intents, lists = hassil.Intents.from_dict(data), hassil_lists()
    problems: list[object] = []
    collection = build_collection(data, lambda *one: problems.append(one), HOME_LISTS)
    assert not problems
    matcher = SentenceMatcher(collection, HOME.to_lists())
    choose = random.Random(7)
    blocks = [
        (block, sentence)
        for intent in intents.intents.values()
        for block in intent.data
        for sentence in block.sentences
    ]
    different = []
    for block, sentence in choose.sample(blocks, min(SENTENCES, len(blocks))):
        scope = {
            "rules": {**intents.expansion_rules, **block.expansion_rules},
            "lists": {**intents.slot_lists, **lists, **block.slot_lists},
        }
        text = " ".join(write(sentence.expression, scope, choose).split())
        theirs = hassil.recognize_best(
            text, intents, slot_lists=lists, intent_context=CONTEXT, best_slot_name="name"
        )
        ours = next((one for one in matcher.match(text, CONTEXT) if not one.missing), None)
        expected = theirs and (
            theirs.intent.name,
            {name: _plain(one.value) for name, one in theirs.entities.items()},
        )
        found = ours and (ours.intent, {n: _plain(one.value) for n, one in ours.slots.items()})
        if found != expected:
            different.append((text, expected, found))
    assert not different


def _plain(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value
