"""What a question that does nothing says about the last command: "no, not the front door", "and the
oven"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Utterance
from anaphora.entities.builtin.boolean import parse_confirmation
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.words.function_words import load_qualifiers
from anaphora.intents.decision.sentences.completion import Completion
from anaphora.intents.decision.sentences.history.commands import describe_things, find_things
from anaphora.intents.decision.sentences.history.corrections import takes_back
from anaphora.intents.decision.sentences.history.rest import Task, find_tasks, replace_tasks
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    PLACES,
    TARGETS,
    find_devices,
    last_command_meta,
)
from anaphora.models.hassil.elements import ACTION, UNDO
from anaphora.stm.conversation import Conversation

__all__ = ["note_not_understood", "refuse_older"]

_NAMED_SINCE = "named since"
_DENYING = frozenset(("decline", "negate", "cancel"))


def note_not_understood(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation, *, is_refused: bool
) -> Conversation:
    """The conversation after a question that does nothing. What it denies is no longer left to do,
    which is all of it if it names nothing of that. If it is not ``is_refused``, it may have named
    something else than the last command did, to which "it" refers then."""
    changes: dict[str, Any] = {}
    if find_tasks(model, conversation):
        if _denies(model, utterance):
            changes |= replace_tasks(_find_wanted(model, utterance, conversation))
        elif not parse_confirmation(utterance.text, model.language):
            changes |= replace_tasks(find_tasks(model, conversation))
    if not is_refused and _names_something(model, utterance):
        changes[_NAMED_SINCE] = True
    elif any(one.intent == UNDO for one in utterance.sentences):
        changes[_NAMED_SINCE] = False  # the user is told what the last command was for
    return _change_last(conversation, changes) if changes else conversation


def refuse_older(completion: Completion, conversation: Conversation) -> Completion:
    """The completion, refused if it is for what was meant last though another thing was named since
    that is not known: "close the garage door", "and the window", "open it"."""
    if not last_command_meta(conversation).get(_NAMED_SINCE):
        return completion
    things = [one for one in completion.candidates if one.entity.element in (*TARGETS, *PLACES)]
    if not things or not all(one.remembered for one in things):
        return completion
    thing = describe_things([one.entity for one in things])
    return completion._replace(refusal="before", thing=thing)


def _denies(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance says no, or that something is not to be done, or all but something."""
    answer = parse_confirmation(utterance.text, model.language)
    if (answer is not None and not answer.is_yes) or takes_back(model, utterance):
        return True
    denying = load_qualifiers(model.language, "negation", "exclusion")
    if any(utterance.tokens[index].lower in denying for index in utterance.qualifiers):
        return True
    _, found = load_cue_words(model.language).read(utterance.text)
    return any(one.reading.kind in _DENYING for one in found)


def _find_wanted(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation
) -> Sequence[Task]:
    """What is left to do without what an utterance names of it; nothing if it names nothing."""
    tasks = find_tasks(model, conversation)
    named = {one.value_or_text for one in utterance.entities if one.element == NAME and one.exact}
    kinds = {
        device
        for one in utterance.entities
        if one.element in (*TARGETS[1:], *PLACES)
        for device in find_devices(model, {one.element: one.value_or_text})
    }
    for devices in (named, kinds):
        kept = [one for one in tasks if devices.isdisjoint(_find_devices(model, one))]
        if len(kept) < len(tasks):
            return kept
    return ()


def _find_devices(model: SentenceIntents, task: Task) -> Sequence[str]:
    said = dict(find_things(task.entities))
    return [said[NAME]] if NAME in said else find_devices(model, said)


def _names_something(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance is about a thing: it names one, adds one, or has a word of commands."""
    if any(one.element in (*TARGETS, *PLACES) for one in utterance.entities):
        return True
    linking = model.openings | model.fillers | model.courtesies
    said = [one.lower for one in utterance.tokens if any(map(str.isalpha, one.text))]
    if not model.joiners.isdisjoint(said[:1]) and not linking.issuperset(said):
        return True
    content = {utterance.tokens[index].lower for index in utterance.content_words}
    return any(one not in linking and model.find_intents(one) for one in content)


def _change_last(conversation: Conversation, changes: Mapping[str, Any]) -> Conversation:
    """The conversation with changed metadata of its last command."""

    def change() -> Iterator[Any]:
        is_changed = False
        for one in conversation.remembered:
            if one.entity.element == ACTION and not is_changed:
                is_changed = True
                entity = replace(one.entity, meta={**one.entity.meta, **changes})
                yield replace(one, entity=entity)
            else:
                yield one

    return replace(conversation, remembered=tuple(change()))
