"""Go on with the first of several things that a fragment lists: "the kitchen and the hall"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.intents.decision.sentences.completion import Completion
from anaphora.intents.decision.sentences.follow_up import complete_fragment
from anaphora.intents.decision.sentences.fragment import find_linking_words
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import PLACES, TARGETS
from anaphora.models.hassil.elements import REST
from anaphora.stm.conversation import Conversation

__all__ = ["complete_list"]

_COMMA = re.compile("[,،、;]")
_MAX_VARIANTS = 4


class _First(NamedTuple):
    """The first of several things: its variant, and where the others begin."""

    variant: Variant
    rest: int


def complete_list(
    model: SentenceIntents,
    utterance: Utterance,
    variants: Sequence[Variant],
    conversation: Conversation,
) -> Completion | None:
    """The completion of the first of the things that an utterance lists, with the others as what is
    left to do. None if it lists none."""
    if not find_linking_words(model, utterance).issuperset(utterance.qualifiers):
        return None
    for variant in variants[:_MAX_VARIANTS]:
        for first in _find_first(model, utterance, variant):
            others = (one.index for one in utterance.tokens if one.start >= first.rest)
            shortened = replace(utterance, understood=utterance.understood.union(others))
            found = complete_fragment(model, shortened, [first.variant], conversation)
            if found is not None:
                rest = utterance.text[first.rest :].strip(" .!?。！？")
                return found._replace(meta={**found.meta, REST: rest})
    return None


def _find_first(model: SentenceIntents, utterance: Utterance, variant: Variant) -> Iterator[_First]:
    ordered = sorted(variant.entities, key=lambda one: one.start)
    for index, (one, other) in enumerate(pairwise(ordered)):
        start = _find_joined(model, utterance, one, other)
        if start is not None:
            yield _First(Variant(tuple(ordered[: index + 1])), start)
            return


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
