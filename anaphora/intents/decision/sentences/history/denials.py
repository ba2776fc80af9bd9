"""What a no is about: what is left to do, or what was done last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.sentences.entity_forms import find_named, load_excluding
from anaphora.entities.words.function_words import load_qualifiers
from anaphora.intents.confirmation import format_declined
from anaphora.intents.decision.sentences.fragments.fragment import find_by_part_of_name
from anaphora.intents.decision.sentences.history.answers import parse_reply
from anaphora.intents.decision.sentences.history.commands import (
    UNDOES,
    change_last,
    describe_things,
    find_commands,
    find_things,
    unpack_entities,
)
from anaphora.intents.decision.sentences.history.corrections import takes_back
from anaphora.intents.decision.sentences.history.not_understood import NAMED_SINCE
from anaphora.intents.decision.sentences.history.rest import (
    Task,
    find_tasks,
    replace_tasks,
)
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import NAME, PLACES, STATE, TARGETS, find_devices
from anaphora.models.hassil.elements import DENIAL, KEPT, REST
from anaphora.models.hassil.inverse_intents import CALLING_OFF_INTENTS, TIMER_INTENTS
from anaphora.stm.conversation import Conversation

__all__ = ["Denial", "find_denial", "is_plain_no"]

_DENYING = frozenset(("decline", "negate", "cancel"))


class _Done(NamedTuple):
    """A command: its intent and what it was for."""

    intent: str = ""
    entities: tuple[Entity, ...] = ()


class Denial(NamedTuple):
    """The conversation after a no, and the ``text`` that acknowledges it."""

    conversation: Conversation
    text: str


def is_plain_no(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance says no, or "not that one", and nothing else. "Stop" is none: it may
    mean the music."""
    sentences = utterance.sentences
    if _says_not_that(utterance):
        return True
    first = sentences[0] if sentences else None
    if first and not first.needs_memory and first.intent not in CALLING_OFF_INTENTS:
        return False  # most sentences, but not the German "nein" for "neun"
    answer = parse_reply(model, utterance)
    return answer is not None and not answer.is_yes and not answer.is_command


def _says_not_that(utterance: Utterance) -> bool:
    return any(one.intent == DENIAL for one in utterance.sentences[:1])


def find_denial(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation
) -> Denial | None:
    """What a no that does nothing leaves: what it denies is no longer left to do, which is all of
    it if it names nothing of that, and what is done already stays so. None for any other
    utterance, and for one that denies nothing of the last command."""
    if not _denies(model, utterance) or _commands_otherwise(model, utterance):
        return None
    is_plain, done = is_plain_no(model, utterance), _find_done(model, conversation)
    tasks, meant = find_tasks(model, conversation), _find_devices(model, done.entities)
    devices = [_find_devices(model, one.entities) for one in tasks]
    denied = _find_denied(model, utterance, meant.union(*devices))
    kept = [one for one, named in zip(tasks, devices, strict=True) if denied and not denied & named]
    undone, thing = ", ".join(sorted(denied & meant)), _describe(model, done)
    is_named = thing.lower() in utterance.text.lower() or bool(denied and meant <= denied)
    is_for_done = is_plain and not tasks and not conversation.rejections
    if thing and (is_named or is_for_done):
        undone = thing
    others = _find_others(model, utterance, meant.union(*devices))
    if not undone and others:
        undone = ", ".join(one for one in others if _is_set(model, conversation, one))
    if not (tasks or undone or is_plain or others):
        return None
    rest = _describe_rest(tasks, kept)
    said = [
        model.refusals[key].format(rest=words)
        for key, words in ((KEPT, undone), (REST, rest))
        if words
    ]
    text = " ".join(said) or format_declined(model.language)
    changes = dict(replace_tasks(kept, rest=rest) if tasks else {})
    if undone:
        changes[NAMED_SINCE] = bool(others)
    changed = change_last(conversation, changes)
    # "Undo that" means what the answer names, but not what the user denies besides.
    rejections = 0 if undone else conversation.rejections + (not is_plain)
    return Denial(replace(changed, rejections=rejections), text)


def _denies(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance says no, or that something is not to be done, or all but something."""
    answer = parse_reply(model, utterance)
    if (answer is not None and not answer.is_yes) or takes_back(model, utterance):
        return True
    if is_plain_no(model, utterance):
        return True
    denying = load_qualifiers(model.language, "negation", "exclusion")
    if any(utterance.tokens[index].lower in denying for index in utterance.qualifiers):
        return True
    _, found = load_cue_words(model.language).read(utterance.text)
    return any(one.reading.kind in _DENYING for one in found)


def _commands_otherwise(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether what denies something only says what a new command is not for: "close the left blind,
    no, the right one", "lights off except the desk lamp". A verb before a mere "not" is denied:
    "öffne die Haustür nicht"."""
    states = [one.start for one in utterance.entities if one.element == STATE]
    if not states:
        return False
    excluding = load_excluding(model.language)
    negations = load_qualifiers(model.language, "negation")
    starts = []
    for token in utterance.tokens:
        if token.lower in excluding:
            starts.append(token.start)
        elif token.lower in negations:
            if not utterance.text[: token.start].rstrip().endswith((",", ";", ".", "،", "、")):
                return False
            starts.append(token.start)
    atoms, found = load_cue_words(model.language).read(utterance.text)
    starts += [atoms[one.first].start for one in found if one.reading.kind in _DENYING]
    return bool(starts) and min(states) <= min(starts)


def _find_done(model: SentenceIntents, conversation: Conversation) -> _Done:
    """The last command; without an intent if the last thing was a question, or nothing was."""
    commands = find_commands(conversation)
    last = conversation.flow[-1].intent if conversation.flow else ""
    if not commands or commands[-1]["intent"] != last:
        return _Done()
    return _Done(last, unpack_entities(model, commands[-1]["slots"]))


def _describe(model: SentenceIntents, done: _Done) -> str:
    """What a command was about, in words; '' if it is not known."""
    thing = describe_things(done.entities)
    return thing or (model.timer if done.intent in TIMER_INTENTS else "")


def _describe_rest(tasks: Sequence[Task], kept: Sequence[Task]) -> str:
    """What is left of some tasks, in words: those that were said of it, if it is their end."""
    if kept and kept == tasks[-len(kept) :]:
        return kept[0].words
    return ", ".join(describe_things(one.entities) or one.words for one in kept)


def _find_denied(
    model: SentenceIntents, utterance: Utterance, known: frozenset[str]
) -> frozenset[str]:
    """Those of the ``known`` devices that an utterance names: by their names, else by their kind or
    their place, else by a word of their names."""
    named = {one.value_or_text for one in find_named(utterance) if one.element == NAME}
    if named and known.isdisjoint(named):
        return frozenset()  # the back door is no front door
    kinds = {
        device
        for one in utterance.entities
        if one.element in (*TARGETS[1:], *PLACES)
        for device in find_devices(model, {one.element: one.value_or_text})
    }
    for devices in (named, kinds):
        if not known.isdisjoint(devices):
            return known.intersection(devices)
    return frozenset(find_by_part_of_name(model, utterance, sorted(known)))


def _find_others(
    model: SentenceIntents, utterance: Utterance, known: frozenset[str]
) -> Sequence[str]:
    """The devices that an utterance names and denies, and nothing else, if none of them is among
    the ``known`` ones."""
    named = [one for one in find_named(utterance) if one.element == NAME]
    covered = {index for one in named for index in one.tokens}.union(utterance.qualifiers)
    words = model.openings | model.fillers | model.courtesies
    left = set(utterance.content_words) - covered
    first = utterance.tokens[0].lower if named else ""
    if first in model.asking_words or any(utterance.tokens[at].lower not in words for at in left):
        return ()
    if not all(covered.issuperset(one.tokens) for one in utterance.entities):
        return ()  # "the heating to 20"
    names = list(dict.fromkeys(one.value_or_text for one in named))
    return names if known.isdisjoint(names) else ()


def _is_set(model: SentenceIntents, conversation: Conversation, device: str) -> bool:
    """Whether the last command about a device still holds, as far as it is known."""
    for command in reversed(find_commands(conversation)):
        if device in _find_devices(model, unpack_entities(model, command["slots"])):
            return not command[UNDOES]
    return False


def _find_devices(model: SentenceIntents, entities: Sequence[Entity]) -> frozenset[str]:
    """The devices that a command is for, as far as they are known."""
    said = dict(find_things(entities))
    if NAME in said:
        return frozenset((said[NAME],))
    return frozenset(find_devices(model, said) if said else ())
