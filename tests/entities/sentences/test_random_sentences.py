"""The matcher agrees with hassil on random collections of sentences, whatever is said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pytest

from anaphora.entities.sentences.matcher import SentenceMatcher
from anaphora.models.hassil.builder import build_collection
from tests.entities.sentences.random_sentences import RandomSentences

hassil = pytest.importorskip("hassil")
string_matcher = pytest.importorskip("hassil.string_matcher")

COLLECTIONS = 12
TEXTS = 8


@pytest.mark.parametrize("first", range(0, 4 * COLLECTIONS, COLLECTIONS))
def test_random_sentences(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    different, matched = [], 0
    problems: list[object] = []
    for seed in range(first, first + COLLECTIONS):
        monkeypatch.setattr(string_matcher, "_RANGE_TRIE_CACHE", defaultdict(dict))
        sample = RandomSentences(seed)
        intents = hassil.Intents.from_dict(sample.data)
        matcher = SentenceMatcher(build_collection(sample.data, lambda *one: problems.append(one)))
        assert not problems
        for text, context in _write_texts(sample, intents):
            if not text.strip():
                continue  # hassil finds templates that are optional as a whole
            theirs, ours = _of_hassil(intents, text, context), _of_anaphora(matcher, text, context)
            matched += bool(theirs)
            if not (ours in theirs if theirs else ours is None):
                different.append((seed, text, context, theirs, ours))
    assert not different
    assert matched > COLLECTIONS * TEXTS / 4


def _write_texts(sample: RandomSentences, intents: Any) -> list[tuple[str, Mapping[str, Any]]]:
    templates = [
        (sentence.expression, {**intents.slot_lists, **block.slot_lists}, block.expansion_rules)
        for intent in intents.intents.values()
        for block in intent.data
        for sentence in block.sentences
    ]
    return [
        (
            sample.write_text(expression, lists, {**intents.expansion_rules, **rules}),
            sample.contexts[number % len(sample.contexts)],
        )
        for number, (expression, lists, rules) in enumerate((templates * TEXTS)[:TEXTS])
    ]


def _of_hassil(intents: Any, text: str, context: Mapping[str, Any]) -> list[object]:
    """hassil's best results: of equal ones, it takes the first, we may take another."""
    ranked = [
        (_rank(one), (one.intent.name, {name: _plain(e.value) for name, e in one.entities.items()}))
        for one in hassil.recognize_all(text, intents, intent_context=context)
    ]
    best = min((rank for rank, _ in ranked), default=None)
    return [result for rank, result in ranked if rank == best]


def _rank(result: Any) -> tuple[object, ...]:
    """As ``recognize_best`` ranks with ``best_slot_name="name"``."""
    name = result.entities.get("name")
    wildcards = [one for one in result.entities_list if one.is_wildcard]
    return (
        name is None or name.is_wildcard,
        0 if name is None else -len(name.text.strip()),
        len(wildcards),
        -result.text_chunks_matched,
        sum(len(one.text) for one in wildcards),
        result.intent.name,
    )


def _of_anaphora(matcher: SentenceMatcher, text: str, context: Mapping[str, Any]) -> object:
    for one in matcher.match(text, context):
        if not one.missing:
            return one.intent, {name: _plain(slot.value) for name, slot in one.slots.items()}
    return None


def _plain(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value
