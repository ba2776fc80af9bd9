"""Tell by which sentence a question was matched, for explanations."""

from __future__ import annotations

from collections.abc import Iterator

from anaphora.core.utterance import SentenceReading
from anaphora.grammar.sentences.printer import format_sentence
from anaphora.intents.decision.decision import Decision
from anaphora.models.hassil.elements import ALL, LESS, MORE, OTHER, UNDO

__all__ = ["describe_sentence"]

_LAST_COMMAND = {
    UNDO: "takes the last command back",
    MORE: "asks for a higher value than the last command",
    LESS: "asks for a lower value than the last command",
    OTHER: "asks for the same with the other device",
    ALL: "asks for the same with all things of the kind",
}


def describe_sentence(decision: Decision) -> Iterator[str]:
    """Lines about the whole sentence that decided; none if there was none."""
    if not decision.matches or decision.matches[0].filling.variant.entities:
        return
    intent = decision.matches[0].intent.id
    for reading in decision.question.utterance.sentences:
        if reading.intent == intent or reading.intent in _LAST_COMMAND:
            yield from _describe(reading)
            return


def _describe(reading: SentenceReading) -> Iterator[str]:
    if reading.template is not None:
        yield f"it is the sentence: {format_sentence(reading.template)}"
    if reading.intent in _LAST_COMMAND:
        yield f"it {_LAST_COMMAND[reading.intent]}"
    if reading.references:
        yield f"a word refers to what was said before: {', '.join(sorted(reading.references))}"
    if reading.missing:
        yield f"the sentence leaves to what was said before: {', '.join(reading.missing)}"
