"""Sample dialogs: asked one after the other, each in a conversation of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from anaphora.intents.engine import Engine
from anaphora.intents.exchanges import ProcessMemory
from anaphora.intents.match import Slot
from anaphora.intents.reply import Reply
from anaphora.models.domain import AskStep, Dialog, PauseStep, ResetStep, Step
from anaphora.models.utterance import Entity

__all__ = ["DialogResult", "Turn", "run_dialog", "turns_of"]

_BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)  # a Monday morning, the same for every run


@dataclass(frozen=True, slots=True)
class Turn:
    """One step of a dialog. ``reply`` is None for a pause or a reset; ``failures`` say in plain
    words what was expected and what came instead."""

    step: Step
    reply: Reply | None = None
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DialogResult:
    """A dialog as it went. After the first step that fails the later ones are still asked."""

    dialog: Dialog
    turns: tuple[Turn, ...]

    @property
    def passed(self) -> bool:
        return not any(turn.failures for turn in self.turns)


def run_dialog(
    engine: Engine, dialog: Dialog, *, model: str | None = None, user: str = "sample"
) -> DialogResult:
    """Ask the questions of ``dialog`` one after the other, in a conversation of ``user`` that
    begins anew, with no time between them but that of its pauses, and hold each reply against
    what the dialog expects. What a recognizer finds may be expected by its value or by the words
    that were said. A long-term memory that the engine may have is left alone; a dialog that says
    so has one of its own.

    Raises :class:`HandlerError` if a handler or a template fails.
    """
    return DialogResult(dialog, tuple(turns_of(engine, dialog, model=model, user=user)))


def turns_of(
    engine: Engine, dialog: Dialog, *, model: str | None = None, user: str = "sample"
) -> Iterator[Turn]:
    """The turns of :func:`run_dialog` one by one, so that those before an error are known."""
    engine = engine.with_long_term(ProcessMemory() if dialog.long_term else None)
    engine.forget(user=user, model=model)
    at = dialog.at or _BEGIN
    try:
        for step in dialog.steps:
            match step:
                case PauseStep(duration):
                    at += duration
                    yield Turn(step)
                case ResetStep(what):
                    engine.forget(user=user, model=model, what=what)
                    yield Turn(step)
                case AskStep():
                    reply = engine.ask(
                        step.text,
                        user=user,
                        model=model,
                        at=at,
                        language=step.language,
                        explain=True,
                    )
                    yield Turn(step, reply, tuple(_failures(step, reply)))
    finally:
        engine.forget(user=user, model=model)


def _failures(step: AskStep, reply: Reply) -> Iterator[str]:
    if reply.status != step.status:
        why = f" ({reply.reason or reply.prompt})" if reply.reason or reply.prompt else ""
        yield f"status is {reply.status}, not {step.status}{why}"
    if step.intent is not None and reply.intent != step.intent:
        yield f"intent is {reply.intent}, not {step.intent}"
    for name, expected in step.slots.items():
        slot = reply.slots.get(name)
        actual: Any = slot.value if slot else None
        wanted: Any = list(expected) if isinstance(expected, tuple) else expected
        if actual != wanted and not (slot and _said_so(slot, expected)):
            yield f"slot {name} is {_shown(actual)}, not {_shown(wanted)}"
    if step.from_memory is not None:
        recalled = {
            name
            for name, slot in reply.slots.items()
            if any(taken.source == "memory" for taken in slot.taken)
        }
        if recalled != set(step.from_memory):
            yield f"from memory came {_names(recalled)}, not {_names(step.from_memory)}"
    if step.missing is not None and set(reply.missing) != set(step.missing):
        yield f"missing is {_names(reply.missing)}, not {_names(step.missing)}"
    if step.memory is not None and not _remembers(reply.memory, step.memory):
        held = _names(map(str, reply.memory))
        yield f"memory holds {held}; {_names(step.memory)} was expected"


def _said_so(slot: Slot, expected: str | tuple[str, ...] | None) -> bool:
    """Whether the slot has what is expected, be it by values or, for what recognizers have
    found, by the words that were said."""
    wanted = expected if isinstance(expected, tuple) else (expected,)
    return (
        slot.several == isinstance(expected, tuple)
        and len(wanted) == len(slot.entities)
        and all(one in _names_of(found) for one, found in zip(wanted, slot.entities, strict=True))
    )


def _names_of(entity: Entity) -> tuple[str, ...]:
    return (entity.said,) if entity.own else (entity.said, entity.text)


def _descriptions(entity: Entity) -> tuple[str, ...]:
    """How a dialog may speak of a remembered entity."""
    found = (str(entity), entity.element)
    return found if entity.own else (*found, f"{entity.element}={entity.text}")


def _remembers(held: Iterable[Entity], expected: Iterable[str]) -> bool:
    """Whether these entities are all that is expected, each by its element or with its value.

    What is expected with a value is looked for first: it fits one entity where a bare element
    may fit several.
    """
    left = list(held)
    for wanted in sorted(expected, key=lambda entry: "=" not in entry):
        found = next((one for one in left if wanted in _descriptions(one)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _shown(value: Any) -> str:
    return "empty" if value is None else repr(value)


def _names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
