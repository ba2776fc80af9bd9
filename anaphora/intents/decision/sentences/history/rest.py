"""What is left to do, as a reply has one command: "and the rest"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from anaphora.core.utterance import Entity, Variant
from anaphora.intents.decision.sentences.completion import Completion, build_candidates
from anaphora.intents.decision.sentences.history.commands import (
    describe_things,
    find_commands,
    find_things,
    pack_entities,
    unpack_entities,
)
from anaphora.intents.decision.sentences.history.corrections import Corrected
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    find_combination,
    find_devices,
    last_command_meta,
)
from anaphora.models.hassil.elements import CONTINUES, KEPT, REST
from anaphora.stm.conversation import Conversation

__all__ = [
    "ALL_IN",
    "Task",
    "complete_rest",
    "find_tasks",
    "is_done",
    "note_tasks",
    "remember_tasks",
    "replace_tasks",
]

ALL_IN = "all in"
"""Of a command for all things in a place: the place."""

_TASKS = "tasks"


class Task(NamedTuple):
    """A command that is left to do for some ``entities``, with the ``words`` about it and those
    that follow it. Without an ``intent`` it is not known what these mean."""

    words: str
    intent: str = ""
    entities: tuple[Entity, ...] = ()


def note_tasks(tasks: Iterable[Task]) -> Mapping[str, Any]:
    """What is left to do after a command, as metadata of its completion."""
    packed = [[one.words, one.intent, pack_entities(one.entities)] for one in tasks]
    return {_TASKS: packed} if packed else {}


def replace_tasks(tasks: Sequence[Task], *, rest: str = "") -> Mapping[str, Any]:
    """What is left to do after a question that does nothing, as metadata of the last command. The
    user is asked for it only if the bot says again what the ``rest`` is."""
    things = [describe_things(one.entities) or one.words for one in tasks]
    named = (one._replace(words=", ".join(things[at:])) for at, one in enumerate(tasks))
    return {_TASKS: [], REST: rest, **note_tasks(named)}


def find_tasks(model: SentenceIntents, conversation: Conversation) -> list[Task]:
    """What is left to do of the last commands."""
    return _read_tasks(model, last_command_meta(conversation))


def complete_rest(model: SentenceIntents, conversation: Conversation) -> Completion | None:
    """The first of the commands that are left to do; None if there is none."""
    tasks = find_tasks(model, conversation)
    if not tasks or not tasks[0].intent:
        return None
    first, *others = tasks
    combination = find_combination(model, first.intent, first.entities)
    if combination is None:
        return None
    candidates = build_candidates(conversation, first.entities, ())
    known = last_command_meta(conversation).get(ALL_IN)
    meta = {**note_tasks(others), CONTINUES: True, **({ALL_IN: known} if known else {})}
    return Completion(first.intent, Variant(()), candidates, combination.response, meta)


def remember_tasks(
    model: SentenceIntents,
    conversation: Conversation,
    meta: Mapping[str, Any],
    entities: Sequence[Entity],
    corrected: Sequence[Corrected],
    *,
    takes_back: Callable[[], bool],
) -> Mapping[str, Any]:
    """What is left to do after a command with some ``entities``, as its metadata, with the words
    for it: what the ``meta`` of its completion notes, else what was left before unless it
    ``takes_back`` that, and what undoes the command that it has ``corrected``. What is done already
    is not left, nor what this command does."""
    noted, things = _read_tasks(model, meta), find_things(entities)
    tasks = [one for one in noted if not is_done(model, conversation, one.intent, one.entities)]
    shown = tasks[0].words if tasks else ""
    if len(tasks) < len(noted):
        shown = ", ".join(describe_things(one.entities) for one in tasks)
    if not noted:
        before = find_tasks(model, conversation)
        before = [] if before and takes_back() else before
        tasks = [one for one in before if find_things(one.entities) != things]
    undone = ((one.words, one.undo) for one in corrected if one.undo is not None)
    tasks += [
        Task(words, undo.intent, tuple(two.entity for two in undo.candidates))
        for words, undo in undone
    ]
    kept = ", ".join(one.words for one in corrected)
    texts = {REST: shown, KEPT: kept}
    return {**note_tasks(tasks), **{key: text for key, text in texts.items() if text}}


def is_done(
    model: SentenceIntents, conversation: Conversation, intent: str, entities: Sequence[Entity]
) -> bool:
    """Whether the last command about each thing that some ``entities`` mean was the same one."""
    wanted = _find_targets(model, entities)
    state = intent, _find_values(entities)
    for command in reversed(find_commands(conversation)):
        if not wanted:
            break
        used = unpack_entities(model, command["slots"])
        met = wanted & _find_targets(model, used)
        if met and (command["intent"], _find_values(used)) != state:
            return False
        wanted -= met
    return not wanted


def _find_targets(model: SentenceIntents, entities: Sequence[Entity]) -> frozenset[Any]:
    """The devices that are meant; if none of a kind is known, the kind and its place."""
    things = dict(find_things(entities))
    if NAME in things:
        return frozenset((things[NAME],))
    return frozenset(find_devices(model, things)) or frozenset((frozenset(things.items()),))


def _find_values(entities: Sequence[Entity]) -> frozenset[tuple[str, str]]:
    things = find_things(entities)
    return frozenset((one.element, one.value_or_text) for one in entities) - things


def _read_tasks(model: SentenceIntents, meta: Mapping[str, Any]) -> list[Task]:
    return [
        Task(words, intent, unpack_entities(model, slots))
        for words, intent, slots in meta.get(_TASKS, ())
    ]
