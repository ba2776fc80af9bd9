"""Remember the last commands: what each did, to which thing, and from which room it was given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.sentences.reader import ANY_WORDS
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    PLACES,
    TARGETS,
    build_device,
    build_entity,
    find_last_used,
    last_command_meta,
)
from anaphora.models.hassil.elements import ACTION
from anaphora.stm.conversation import Conversation, RememberedEntity

__all__ = [
    "BEFORE",
    "DEVICES_BEFORE",
    "FROM",
    "UNDOES",
    "add_command",
    "change_last",
    "describe_things",
    "find_commands",
    "find_devices_before",
    "find_earlier_values",
    "find_last_command",
    "find_name",
    "find_things",
    "pack_entities",
    "unpack_entities",
]

BEFORE, FROM, UNDOES = "before", "from", "undoes"
"""Of a command: the values that it replaced, the room of the speaker, whether it undoes another."""

DEVICES_BEFORE = "devices before"
"""Of a command: the devices that were meant before its own."""

_COMMANDS = "commands"
_MAX_COMMANDS = 16


def find_commands(conversation: Conversation) -> Sequence[Mapping[str, Any]]:
    """The last commands, the oldest first: the ``intent``, its packed ``slots``, the values that it
    replaced (``before``), whether it ``undoes`` one, and the room of the speaker (``from``)."""
    found: Sequence[Mapping[str, Any]] = last_command_meta(conversation).get(_COMMANDS, ())
    return found


def find_last_command(conversation: Conversation) -> Mapping[str, Any] | None:
    """The last command that has not been undone; None without one."""
    undone = 0
    commands = find_commands(conversation)
    for index in reversed(range(len(commands))):
        if commands[index][UNDOES]:
            undone += 1
        elif undone:
            undone -= 1
        else:
            return commands[index]
    return None


def add_command(
    model: SentenceIntents,
    conversation: Conversation,
    intent: str,
    entities: Sequence[Entity],
    *,
    room: Mapping[str, Any],
    undoes: bool,
) -> Mapping[str, Any]:
    """The last commands with a new one, as its metadata. A question is none."""
    known = find_commands(conversation)
    if intent not in model.asking_intents:
        command = {
            "intent": intent,
            "slots": pack_entities(entities),
            BEFORE: find_earlier_values(model, conversation, entities),
            FROM: room.get(FROM, ""),
            UNDOES: undoes,
        }
        known = [*known, command][-_MAX_COMMANDS:]
    return {_COMMANDS: known}


def change_last(conversation: Conversation, changes: Mapping[str, Any]) -> Conversation:
    """The conversation with changed metadata of its last command."""

    def change() -> Iterator[RememberedEntity]:
        is_changed = False
        for one in conversation.remembered:
            if one.entity.element == ACTION and not is_changed:
                is_changed = True
                entity = replace(one.entity, meta={**one.entity.meta, **changes})
                yield replace(one, entity=entity)
            else:
                yield one

    return replace(conversation, remembered=tuple(change()))


def find_earlier_values(
    model: SentenceIntents, conversation: Conversation, entities: Sequence[Entity]
) -> dict[str, Any]:
    """The values that a command replaces, which an earlier one has set for the same thing; empty if
    none is known."""
    things = find_things(entities)
    for one in reversed(find_commands(conversation)):
        if find_things(unpack_entities(model, one["slots"])) == things:
            return {
                entity.element: one["slots"][entity.element]
                for entity in entities
                if entity.element in one["slots"]
                and entity.element not in (*TARGETS, *PLACES, *model.directions)
            }
    return {}


def find_devices_before(
    model: SentenceIntents, conversation: Conversation, intent: str, entities: Iterable[Entity]
) -> Mapping[str, Any]:
    """The devices that were meant before the one of a command, as metadata of the command: of two
    "both" are these. Those of an earlier command of another ``intent`` are not among them, but its
    last one. Empty if there are none."""
    names = [one.value_or_text for one in entities if one.element == NAME]
    if not names or not conversation.flow:
        return {}
    last = find_name(find_last_used(conversation))
    before = list(last_command_meta(conversation).get(DEVICES_BEFORE, ()))
    if last and names != [last]:
        is_same = conversation.flow[-1].intent == intent
        before = [*(one for one in before if is_same and one != last), last]
    before = [one for one in before if one in model.devices and one not in names]
    return {DEVICES_BEFORE: before} if before else {}


def find_name(used: Iterable[RememberedEntity]) -> str:
    """The name of the device among what a command has used; '' without one."""
    names = (one.entity.value_or_text for one in used if one.entity.element == NAME)
    return next(names, "")


def find_things(entities: Iterable[Entity]) -> frozenset[tuple[str, str]]:
    """What a command is about, and where: the slots of things and places with their values, and
    those that any words fill."""
    return frozenset(
        (one.element, one.value_or_text)
        for one in entities
        if one.element in TARGETS or one.element in PLACES or ANY_WORDS in one.marks
    )


def describe_things(entities: Sequence[Entity]) -> str:
    """What a command is about, in words: the names of its things, else their places or kinds."""
    named = [one for one in entities if one.element == NAME or ANY_WORDS in one.marks]
    placed = [one for one in entities if one.element in PLACES]
    kinds = [one for one in entities if one.element in TARGETS]
    found = (one.value_or_text for one in named or placed or kinds[-1:])
    return ", ".join(dict.fromkeys(found))


def pack_entities(entities: Iterable[Entity]) -> dict[str, list[Any]]:
    """The slots of a command as plain data, for :func:`unpack_entities`."""
    return {
        one.element: [one.value_or_text, one.meta.get("value"), ANY_WORDS in one.marks]
        for one in entities
    }


def unpack_entities(
    model: SentenceIntents, slots: Mapping[str, Sequence[Any]]
) -> tuple[Entity, ...]:
    """The entities of packed slots."""
    return tuple(_unpack(model, slot, packed) for slot, packed in slots.items())


def _unpack(model: SentenceIntents, slot: str, packed: Sequence[Any]) -> Entity:
    value, number, has_any_words = packed
    if has_any_words:
        return replace(build_entity(model, slot, value), marks=frozenset((ANY_WORDS,)))
    if slot == NAME and value in model.devices:
        return build_device(model, value)
    return build_entity(model, slot, value, {} if number is None else {"value": number})
