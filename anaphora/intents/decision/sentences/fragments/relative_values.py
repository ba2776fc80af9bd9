"""Change a value by an amount without a word for more or less: "+1", "by 2"."""

from __future__ import annotations

from typing import NamedTuple

from anaphora.core.utterance import Utterance
from anaphora.intents.decision.sentences.completion import Completion
from anaphora.intents.decision.sentences.fragments.timers import prolong_timer
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.steps import complete_step, find_sense
from anaphora.models.hassil.inverse_intents import TIMER_INTENTS
from anaphora.stm.conversation import Conversation

__all__ = ["PLUS_WORDS", "RelativeValue", "change_by", "find_relative"]

PLUS_WORDS = frozenset(("+", "plus"))
"""What adds the number behind it in any language."""


class RelativeValue(NamedTuple):
    """By how much a value is to change. ``sign`` is 1 or -1, 0 if it is not said."""

    slot: str
    amount: float
    sign: int


def find_relative(
    model: SentenceIntents, utterance: Utterance, completion: Completion
) -> RelativeValue | None:
    """The number of a completion that the utterance says by a sign or a word of amounts; None if it
    has none, or its slot says how much a value changes anyway."""
    for one in completion.candidates:
        entity, number = one.entity, one.entity.meta.get("value")
        if one.remembered or not entity.end or not isinstance(number, int | float):
            continue
        before = utterance.text[: entity.start].lower().split()[-1:]
        is_added = entity.text.startswith("+") or any(word in PLUS_WORDS for word in before)
        is_amount = model.senses.follows_amount_word(utterance.text, entity.start)
        if (is_added or is_amount) and entity.element not in model.directions:
            return RelativeValue(entity.element, abs(number), 1 if is_added else 0)
    return None


def change_by(
    model: SentenceIntents,
    utterance: Utterance,
    conversation: Conversation,
    completion: Completion,
    value: RelativeValue,
) -> Completion | None:
    """The command that changes the last value by an amount, in the direction of the last change if
    none is said; None if it is unknown, or the utterance is about something else as well."""
    said = [one.entity for one in completion.candidates if not one.remembered and one.entity.end]
    sign = value.sign or find_sense(model, conversation)
    if not sign or utterance.qualifiers or [one.element for one in said] != [value.slot]:
        return None
    if conversation.flow[-1].intent in TIMER_INTENTS:
        return prolong_timer(model, conversation, said, sign)
    return complete_step(model, conversation, sign, "", value.amount)
