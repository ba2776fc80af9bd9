"""Go on with the first of several things that a fragment lists: "the kitchen and the hall"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.intents.decision.sentences.completion import Completion
from anaphora.intents.decision.sentences.fragments.follow_up import complete_fragment
from anaphora.intents.decision.sentences.fragments.fragment import find_linking_words
from anaphora.intents.decision.sentences.history.rest import Task, note_tasks
from anaphora.intents.decision.sentences.repetition.several import complete_both
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import PLACES, TARGETS, find_combination
from anaphora.stm.conversation import Conversation

__all__ = ["complete_list", "set_for_both"]

_COMMA = re.compile("[,،、;]")
_MAX_VARIANTS = 4


class _First(NamedTuple):
    """The first of several things: its variant, the ``others``, and where each of these begins."""

    variant: Variant
    others: tuple[Entity, ...]
    starts: tuple[int, ...]


def complete_list(
    model: SentenceIntents,
    utterance: Utterance,
    variants: Sequence[Variant],
    conversation: Conversation,
) -> Completion | None:
    """The completion of the first of the things that an utterance lists, with the others as what is
    left to do: the same command for each of them. None if it lists none."""
    if not find_linking_words(model, utterance).issuperset(utterance.qualifiers):
        return None
    for variant in variants[:_MAX_VARIANTS]:
        first = _find_first(model, utterance, variant)
        if first is not None:
            others = (one.index for one in utterance.tokens if one.start >= first.starts[0])
            shortened = replace(utterance, understood=utterance.understood.union(others))
            found = complete_fragment(model, shortened, [first.variant], conversation)
            if found is not None:
                tasks = note_tasks(_find_tasks(model, utterance, found, first))
                return found._replace(meta={**found.meta, **tasks})
    return None


def set_for_both(
    model: SentenceIntents,
    utterance: Utterance,
    variants: Sequence[Variant],
    conversation: Conversation,
) -> Completion | None:
    """The completion of an utterance that names a value for two things: "both to 20 percent"."""
    text = utterance.text.lower()
    spans = [found.span() for found in model.several.finditer(text)] if model.several else []
    both = frozenset(
        one.index
        for one in utterance.tokens
        if any(one.start < end and one.end > start for start, end in spans)
    )
    if utterance.qualifiers:
        return None  # "not both"
    shortened = replace(utterance, understood=both)
    valued = [
        Variant(tuple(two for two in one.entities if both.isdisjoint(two.tokens)))
        for one in variants
    ]
    found = complete_fragment(model, shortened, valued, conversation)
    return found and complete_both(model, conversation, found)


def _find_tasks(
    model: SentenceIntents, utterance: Utterance, first: Completion, listed: _First
) -> Iterator[Task]:
    """The command of the first thing for each of the others."""
    used = [one.entity for one in first.candidates]
    for index, other in enumerate(listed.others):
        rest = utterance.text[listed.starts[index] :].strip(" .!?。！？")
        kind = next(one for one in (PLACES, TARGETS) if other.element in one)
        kept = [one for one in used if one.element not in kind]
        bare = [one for one in kept if one.element not in (*PLACES, *TARGETS)]
        tried = ((other, *kept), (other, *bare))
        entities = next((one for one in tried if find_combination(model, first.intent, one)), None)
        yield Task(rest) if entities is None else Task(rest, first.intent, entities)


def _find_first(model: SentenceIntents, utterance: Utterance, variant: Variant) -> _First | None:
    ordered = sorted(variant.entities, key=lambda one: one.start)
    joined = [
        (other, start)
        for one, other in pairwise(ordered)
        if (start := _find_joined(model, utterance, one, other)) is not None
    ]
    if not joined:
        return None
    others, starts = zip(*joined, strict=True)
    return _First(Variant(tuple(ordered[: ordered.index(others[0])])), others, starts)


def _find_joined(
    model: SentenceIntents, utterance: Utterance, one: Entity, other: Entity
) -> int | None:
    """Where the words of another thing begin that is joined to one of its kind; None if it is
    not."""
    if not any(one.element in kind and other.element in kind for kind in (PLACES, TARGETS)):
        return None
    between = [two for two in utterance.tokens if one.end <= two.start < other.start]
    joiners = [
        two.end for two in between if two.lower in model.joiners or _COMMA.fullmatch(two.text)
    ]
    content = set(utterance.content_words)
    if not joiners or any(
        two.index in content and two.lower not in model.joiners for two in between
    ):
        return None
    rest = joiners[-1]
    return rest + len(utterance.text[rest:]) - len(utterance.text[rest:].lstrip())
