"""Change the time of a timer that was set: "make it 10 minutes" adds what is lacking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.intents.decision.sentences.completion import Completion, build_candidates
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    build_entity,
    find_combination,
    find_last_used,
    last_command_meta,
)
from anaphora.models.hassil.inverse_intents import (
    INCREASING_INTENTS,
    INVERSE_INTENTS,
    TIMER_INTENTS,
)
from anaphora.stm.conversation import Conversation, RememberedEntity

__all__ = [
    "change_timer",
    "find_duration",
    "find_timer_name",
    "prolong_timer",
]

_DURATION = "duration"
_IS_CHANGED = "changed"  # the last command said how long a timer is to run in all
_SECONDS = {"hours": 3_600, "minutes": 60, "seconds": 1}
_CHANGING = {
    **dict.fromkeys(INCREASING_INTENTS.values(), 1),
    **{INVERSE_INTENTS[one]: -1 for one in INCREASING_INTENTS.values()},
}
"""The intents that lengthen (1) or shorten (-1) a timer."""


def change_timer(
    model: SentenceIntents,
    utterance: Utterance,
    conversation: Conversation,
    completion: Completion,
) -> Completion:
    """What lengthens or shortens the timer that was set last, instead of a ``completion`` that sets
    another one; the completion itself if the utterance adds one: "and one for 10 minutes". If the
    timer already has that time, it is refused."""
    command = last_command_meta(conversation)
    before = command.get(_DURATION)
    is_total = any(token.lower in model.pronouns for token in utterance.tokens)
    wanted = _sum_seconds(one.entity for one in completion.candidates)
    longer = INCREASING_INTENTS.get(completion.intent)
    if completion.intent in _CHANGING and (is_total or command.get(_IS_CHANGED)):
        longer = next(iter(INCREASING_INTENTS.values()))  # the time is changed once more
    tokens = utterance.tokens
    if longer is None or before is None or not wanted:
        return completion
    if tokens and tokens[0].lower in model.joiners:
        return completion
    if wanted == before:
        return completion._replace(refusal="unchanged")
    intent = longer if wanted > before else INVERSE_INTENTS[longer]
    said = list(_split_seconds(model, abs(wanted - before)))
    named = [one for one in completion.candidates if one.entity.element == NAME]
    combination = find_combination(model, intent, [*said, *(one.entity for one in named)])
    if combination is None:
        return completion
    candidates = (*build_candidates(conversation, said, ()), *named)
    return completion._replace(
        intent=intent,
        candidates=candidates,
        response=combination.response,
        meta={_IS_CHANGED: True},
    )


def prolong_timer(
    model: SentenceIntents, conversation: Conversation, said: Sequence[Entity], sign: int
) -> Completion | None:
    """What adds a time that is ``said`` to the timer of the last commands (``sign`` 1), or takes it
    off (-1): "5 more minutes"; None if it is no time, or there was no timer."""
    is_known = any(one.intent in TIMER_INTENTS for one in conversation.flow)
    if not is_known or not all(one.element in _SECONDS for one in said):
        return None
    for intent in (one for one, direction in _CHANGING.items() if direction == sign):
        for held in (find_timer_name(model, conversation, intent), []):
            entities = [*said, *(one.entity for one in held)]
            if combination := find_combination(model, intent, entities):
                candidates = build_candidates(conversation, said, held)
                return Completion(intent, Variant(()), candidates, combination.response)
    return None


def find_timer_name(
    model: SentenceIntents, conversation: Conversation, intent: str
) -> list[RememberedEntity]:
    """The name of the timer that the last command was about, if it has one that ``intent``
    takes."""
    return [
        held
        for held in find_last_used(conversation)
        if held.entity.element == NAME and model.may_remember(intent, held)
    ]


def find_duration(
    conversation: Conversation, intent: str, entities: Iterable[Entity]
) -> Mapping[str, Any]:
    """The time of the timer after a command, as metadata of the command; empty if it is no command
    about a timer, or the time is unknown."""
    seconds = _sum_seconds(entities)
    if intent in INCREASING_INTENTS:
        return {_DURATION: seconds}
    before = last_command_meta(conversation).get(_DURATION)
    if before is None or intent not in TIMER_INTENTS:
        return {}
    return {_DURATION: before + _CHANGING.get(intent, 0) * seconds}


def _sum_seconds(entities: Iterable[Entity]) -> int:
    return sum(
        _SECONDS[one.element] * int(one.meta.get("value", 0))
        for one in entities
        if one.element in _SECONDS
    )


def _split_seconds(model: SentenceIntents, seconds: int) -> Iterator[Entity]:
    for slot, unit in _SECONDS.items():
        count, seconds = divmod(seconds, unit)
        if count:
            yield build_entity(model, slot, str(count), {"value": count})
