"""What a question that does nothing leaves of the last command: "and the dishwasher"."""

from __future__ import annotations

from typing import Any

from anaphora.core.utterance import Utterance
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.intents.decision.sentences.completion import Completion
from anaphora.intents.decision.sentences.history.answers import parse_reply
from anaphora.intents.decision.sentences.history.commands import change_last, describe_things
from anaphora.intents.decision.sentences.history.rest import find_tasks, replace_tasks
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    PLACES,
    TARGETS,
    last_command_meta,
)
from anaphora.models.hassil.elements import UNDO
from anaphora.stm.conversation import Conversation

__all__ = ["NAMED_SINCE", "note_not_understood", "refuse_older", "says_nothing_new"]

_CLOSING = frozenset(("none", "accept"))  # of cues: "that's all"

NAMED_SINCE = "named since"
"""Of a command: whether something else was named since, which is not known."""


def note_not_understood(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation, *, is_refused: bool
) -> Conversation:
    """The conversation after a question that does nothing: the user is not asked for what is left
    to do any more. If it is not ``is_refused``, it may have named something else than the last
    command did, to which "it" refers then."""
    changes: dict[str, Any] = {}
    tasks = find_tasks(model, conversation)
    if tasks and parse_reply(model, utterance) is None:
        changes |= replace_tasks(tasks)
    if not is_refused and _names_something(model, utterance):
        changes[NAMED_SINCE] = True
    elif any(one.intent == UNDO for one in utterance.sentences):
        changes[NAMED_SINCE] = False  # the user is told what the last command was for
    return change_last(conversation, changes) if changes else conversation


def refuse_older(completion: Completion, conversation: Conversation) -> Completion:
    """The completion, refused if it is for what was meant last though another thing was named since
    that is not known: "close the garage door", "and the window", "open it"."""
    if not last_command_meta(conversation).get(NAMED_SINCE):
        return completion
    things = [one for one in completion.candidates if one.entity.element in (*TARGETS, *PLACES)]
    if not things or not all(one.remembered for one in things):
        return completion
    thing = describe_things([one.entity for one in things])
    return completion._replace(refusal="before", thing=thing)


def says_nothing_new(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance only links to what was said: "and one more thing", "again", "that's
    all"."""
    spans = (
        [one.span() for one in model.again.finditer(utterance.text.lower())] if model.again else []
    )
    atoms, found = load_cue_words(model.language).read(utterance.text)
    spans += [
        (atoms[one.first].start, atoms[one.last - 1].end)
        for one in found
        if one.reading.kind in _CLOSING
    ]
    words = model.openings | model.fillers | model.courtesies | model.increases | model.pronouns
    return all(
        one.lower in words
        or not one.is_content_word
        or any(one.start < end and one.end > start for start, end in spans)
        for one in utterance.tokens
    )


def _names_something(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance is about a thing: it names one, adds one, or has a word of commands."""
    if says_nothing_new(model, utterance):
        return False
    if any(one.element in (*TARGETS, *PLACES) for one in utterance.entities):
        return True
    linking = model.openings | model.fillers | model.courtesies
    said = [one.lower for one in utterance.tokens if any(map(str.isalpha, one.text))]
    if not model.joiners.isdisjoint(said[:1]) and not linking.issuperset(said):
        return True
    content = {utterance.tokens[index].lower for index in utterance.content_words}
    return any(one not in linking and model.find_intents(one) for one in content)
