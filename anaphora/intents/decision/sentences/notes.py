"""Explain how a question was matched by sentences, or why it was not."""

from __future__ import annotations

from collections.abc import Iterator

from anaphora.core.utterance import Entity, SentenceReading
from anaphora.grammar.sentences.printer import format_sentence
from anaphora.intents.decision.decision import Decision
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import TARGETS, remembered_by_slot
from anaphora.models.hassil.elements import (
    ACTION,
    ALL,
    DENIAL,
    LESS,
    MORE,
    OTHER,
    REMAINING,
    UNDO,
)

__all__ = ["describe_sentence", "is_command"]

_LAST_COMMAND = {
    UNDO: "takes the last command back",
    DENIAL: "says no to the last command",
    MORE: "asks for a higher value than the last command",
    LESS: "asks for a lower value than the last command",
    OTHER: "asks for the same with the other device",
    ALL: "asks for the same with all things of the kind",
    REMAINING: "asks for what was left to do",
}


def is_command(entity: Entity) -> bool:
    """Whether an entity is no part of what was said, but remembers which intent answered."""
    return entity.element == ACTION and "response" in entity.meta


def describe_sentence(model: SentenceIntents, decision: Decision) -> Iterator[str]:
    """Lines about the sentence that decided, about the command that a fragment continues, or about
    the reason why it continues none."""
    flow = decision.conversation.flow
    intent = decision.matches[0].intent.id if decision.matches else ""
    is_fragment = bool(intent and decision.matches[0].filling.variant.entities)
    for reading in () if is_fragment else decision.question.utterance.sentences:
        if reading.intent == intent or reading.intent in _LAST_COMMAND:
            yield from _describe(reading)
            return
    if intent and flow:
        yield f"it is no whole sentence: it goes on with {flow[-1].intent}, the last command"
    elif flow and not intent:
        yield from _describe_miss(model, decision, flow[-1].intent)


def _describe(reading: SentenceReading) -> Iterator[str]:
    if reading.elliptical:
        yield "its object is not said: it is what was meant last"
    if reading.template is not None:
        yield f"it is the sentence: {format_sentence(reading.template)}"
    if reading.intent in _LAST_COMMAND:
        yield f"it {_LAST_COMMAND[reading.intent]}"
    if reading.references and not reading.elliptical:
        yield f"a word refers to what was said before: {', '.join(sorted(reading.references))}"
    if reading.missing:
        yield f"the sentence leaves to what was said before: {', '.join(reading.missing)}"


def _describe_miss(model: SentenceIntents, decision: Decision, last: str) -> Iterator[str]:
    """Why a fragment does not go on with the last command."""
    variants = decision.question.variants
    said = [
        one for one in (variants[0].entities if variants else ()) if one.element in model.groups
    ]
    if not said:
        return
    named = {one.element for one in said}
    memory = remembered_by_slot(decision.conversation, said)
    listed = ", ".join(sorted(named))
    combinations = [one for one in model.combinations.get(last, ()) if named <= one.slots]
    if not combinations:
        yield f"no sentence of {last}, the last command, takes: {listed}"
        return
    lacking = min((one.required - named - memory.keys() for one in combinations), key=len)
    if lacking:
        yield f"for {last}, the last command, it lacks: {', '.join(sorted(lacking))}"
        return
    kept = ", ".join(str(memory[slot].entity) for slot in TARGETS if slot in memory)
    yield f"no sentence of {last}, the last command, takes {listed}{kept and f' with {kept}'}"
