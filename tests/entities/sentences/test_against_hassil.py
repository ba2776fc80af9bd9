"""The matcher agrees with hassil on sentences that its own templates produce."""

from __future__ import annotations

from typing import Any

import pytest

from anaphora.entities.sentences.matcher import SentenceMatcher
from anaphora.models.hassil.builder import HOME_LISTS, build_collection
from benchmarks.home_assistant.samples import HOME, to_hassil_lists, write_samples

hassil = pytest.importorskip("hassil")
home_assistant_intents = pytest.importorskip("home_assistant_intents")

SENTENCES = 120
CONTEXT = {"area": "Kitchen"}


@pytest.mark.parametrize("language", ["de", "en", "fi", "fr", "ru", "tr", "zh-CN"])
def test_the_same_intents_and_slots(language: str) -> None:
    data = home_assistant_intents.get_intents(language)
    assert data is not None
    intents, lists = hassil.Intents.from_dict(data), to_hassil_lists(HOME)
    problems: list[object] = []
    collection = build_collection(data, lambda *one: problems.append(one), HOME_LISTS)
    assert not problems
    matcher = SentenceMatcher(collection, HOME.to_lists())
    different = []
    for sample in write_samples(intents, lists, SENTENCES, seed=7):
        theirs = hassil.recognize_best(
            sample.text, intents, slot_lists=lists, intent_context=CONTEXT, best_slot_name="name"
        )
        ours = next((one for one in matcher.match(sample.text, CONTEXT) if not one.missing), None)
        expected = theirs and (
            theirs.intent.name,
            {name: _plain(one.value) for name, one in theirs.entities.items()},
        )
        found = ours and (ours.intent, {n: _plain(one.value) for n, one in ours.slots.items()})
        if found != expected:
            different.append((sample.text, expected, found))
    assert not different


def _plain(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value
