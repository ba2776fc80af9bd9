"""What a correction leaves undone: the first door stays locked after "not that one, the other
one"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.words.function_words import load_qualifiers
from anaphora.intents.decision.sentences.completion import Completion
from anaphora.intents.decision.sentences.history.commands import (
    BEFORE,
    UNDOES,
    describe_things,
    find_commands,
    find_things,
    pack_entities,
    unpack_entities,
)
from anaphora.intents.decision.sentences.history.undo import undo_command
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    PLACES,
    TARGETS,
    build_device,
    find_devices,
    property_of,
)
from anaphora.stm.conversation import Conversation

__all__ = ["Corrected", "find_corrected", "takes_back"]

_WORD = re.compile(r"\w+")
_CORRECTING = frozenset(("decline", "negate", "instead", "correct", "only"))
_TAKING_BACK = ("",)  # but not "make it red", "remove the bread"
_CLASS = "device_class"


class Corrected(NamedTuple):
    """A thing for which a command was not meant, in ``words``, and what undoes that command for it;
    None if nothing does."""

    words: str
    undo: Completion | None


def find_corrected(
    model: SentenceIntents,
    utterance: Utterance,
    conversation: Conversation,
    intent: str,
    entities: Sequence[Entity],
) -> list[Corrected]:
    """What a command with some ``entities`` leaves as the last command has set it, though it takes
    that back: "no, the bedroom". Empty if it takes nothing back, or is for the same thing."""
    commands = find_commands(conversation)
    if not commands or not conversation.flow or conversation.rejections:
        return []
    last = commands[-1]
    if intent in model.asking_intents or last[UNDOES]:
        return []
    if last["intent"] != conversation.flow[-1].intent:
        return []
    before = unpack_entities(model, last["slots"])
    things, new = find_things(before), find_things(entities)
    if not things or not new or new <= things or not takes_back(model, utterance):
        return []
    old, meant = dict(things), dict(new)
    if "area" in old and meant.get("floor") == model.floors.get(old["area"], ""):
        return []  # "no, downstairs"
    devices = _find_devices(model, old)
    others = [one for one in devices if one not in _find_devices(model, meant)]
    if len(others) < len(devices):
        return list(_leave_out(model, conversation, last, others))
    return [Corrected(describe_things(before), undo_command(model, conversation, last))]


def _find_devices(model: SentenceIntents, said: Mapping[str, str]) -> list[str]:
    """The devices that are meant; of a class those as well of which the home does not say it."""
    if NAME in said or said.keys().isdisjoint((*TARGETS, *PLACES)):
        return [said[NAME]] if NAME in said else []
    known = {slot: value for slot, value in said.items() if slot != _CLASS}
    wanted = (said.get(_CLASS, ""), "")
    found = find_devices(model, known)
    return [one for one in found if not wanted[0] or property_of(model, one, _CLASS) in wanted]


def _leave_out(
    model: SentenceIntents,
    conversation: Conversation,
    command: Mapping[str, Any],
    devices: Sequence[str],
) -> Iterator[Corrected]:
    """The devices of a kind for which a command was not meant: "no, just the left one"."""
    entities = unpack_entities(model, command["slots"])
    things = find_things(entities)
    values = [one for one in entities if (one.element, one.value_or_text) not in things]
    for device in devices:
        slots = pack_entities((build_device(model, device), *values))
        given = {**command, "slots": slots, BEFORE: {}}
        yield Corrected(device, undo_command(model, conversation, given))


def takes_back(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance takes back what was said before it: "no", "I meant", "not that one"."""
    text, sentences = utterance.text, utterance.sentences
    if sentences and (sentences[0].corrected or sentences[0].excluded):
        return False  # "the radio no the lamp", "all but the lamp" take back nothing before
    if model.rejections is not None and model.rejections.search(text):
        return True
    negations = load_qualifiers(model.language, "negation")
    if not negations.isdisjoint(_WORD.findall(text.lower())):
        return True
    _, found = load_cue_words(model.language).read(text)
    readings = (one.reading for one in found)
    return any(one.kind in _CORRECTING and one.value in _TAKING_BACK for one in readings)
