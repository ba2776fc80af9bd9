"""Sample dialogs: asked one after the other, each in a conversation of its own."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from anaphora.core.utterance import Entity
from anaphora.engine.engine import Engine
from anaphora.engine.long_term.exchanges import InProcessLongTerm
from anaphora.engine.reply import Reply
from anaphora.engine.samples.process_pool import default_jobs, run_in_processes
from anaphora.errors import AnaphoraError
from anaphora.intents.match import Slot
from anaphora.models.domain import AskStep, Dialog, Model, PauseStep, ResetStep, Step
from anaphora.models.loader import load_model

__all__ = ["DialogResult", "Turn", "iter_turns", "run_dialog", "run_dialog_safely", "run_dialogs"]

_START_TIME = datetime(2026, 1, 5, 9, tzinfo=UTC)  # a Monday morning, the same for every run


@dataclass(frozen=True, slots=True)
class Turn:
    """One step of a dialog. ``reply`` is None for a pause or a reset; ``failures`` say in plain
    words what was expected and what came instead."""

    step: Step
    reply: Reply | None = None
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DialogResult:
    """A dialog as it went. After the first step that fails the later ones are still asked;
    ``error`` is what ended it at the step after its ``turns`` ('' if nothing did)."""

    dialog: Dialog
    turns: tuple[Turn, ...]
    error: str = ""

    @property
    def passed(self) -> bool:
        return not self.error and not any(turn.failures for turn in self.turns)


def run_dialogs(
    model: Model | str | Path,
    dialogs: Sequence[Dialog] | None = None,
    *,
    jobs: int | None = 1,
) -> Generator[DialogResult, None, None]:
    """Run many dialogs (those of the model itself, if none are given) as :func:`run_dialog_safely`
    does; what comes of them, in their order, as soon as it is known.

    ``model`` is a model, the path of its file or the name of a bundled one. ``jobs`` is in how
    many processes they are run (None: one for each core if they are very many, else this one
    alone). Each of them is started anew, loads the model from its file, with the handlers that it
    names, and ends with the iterator: that takes about as long as thousands of questions. What
    the handlers return must then be such that it can be pickled; and a script that asks for more
    than one needs the usual ``if __name__ == "__main__":``.

    Raises :class:`ModelError` for a model that cannot be loaded, ValueError for less than one
    process, and :class:`AnaphoraError` if a process dies, if a reply cannot be pickled, or if
    there should be several for a model that is in no file.
    """
    loaded = model if isinstance(model, Model) else load_model(model)
    listed = loaded.samples if dialogs is None else dialogs
    if jobs is not None and jobs < 1:
        raise ValueError(f"dialogs are run in at least one process, not in {jobs}")
    number = min(default_jobs(listed) if jobs is None else jobs, len(listed))
    if number > 1 and isinstance(model, Model) and not _equals_its_file(model):
        if jobs is not None:
            raise AnaphoraError(
                f"the model '{loaded.id}' is not what a file says, which other processes could "
                "load: run its dialogs in one"
            )
        number = 1
    return _iter_results(loaded, listed, number)


def _equals_its_file(model: Model) -> bool:
    """Whether whoever loads the file of the model has the same one."""
    if not Path(model.source).is_file():
        return False
    try:
        return load_model(model.source) == model
    except AnaphoraError:
        return False


def _iter_results(
    model: Model, dialogs: Sequence[Dialog], jobs: int
) -> Generator[DialogResult, None, None]:
    if jobs > 1:
        yield from run_in_processes(model.source, dialogs, run_dialog_safely, jobs)
        return
    engine = Engine(model)
    for dialog in dialogs:
        yield run_dialog_safely(engine, dialog)


def run_dialog_safely(engine: Engine, dialog: Dialog) -> DialogResult:
    """Run a dialog as :func:`run_dialog` does. An error of a handler or a template ends it, and
    it alone."""
    turns: list[Turn] = []
    error = ""
    try:
        turns.extend(iter_turns(engine, dialog))
    except AnaphoraError as raised:
        error = str(raised)
    return DialogResult(dialog, tuple(turns), error)


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
    return DialogResult(dialog, tuple(iter_turns(engine, dialog, model=model, user=user)))


def iter_turns(
    engine: Engine, dialog: Dialog, *, model: str | None = None, user: str = "sample"
) -> Iterator[Turn]:
    """The turns of :func:`run_dialog` one by one, so that those before an error are known."""
    engine = engine.with_long_term(InProcessLongTerm() if dialog.long_term else None)
    engine.forget(user=user, model=model)
    at = dialog.at or _START_TIME
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
                    yield Turn(step, reply, tuple(_find_failures(step, reply)))
    finally:
        engine.forget(user=user, model=model)


def _find_failures(step: AskStep, reply: Reply) -> Iterator[str]:
    if reply.status != step.status:
        why = f" ({reply.reason or reply.prompt})" if reply.reason or reply.prompt else ""
        yield f"status is {reply.status}, not {step.status}{why}"
    if step.intent is not None and reply.intent != step.intent:
        yield f"intent is {reply.intent}, not {step.intent}"
    for name, expected in step.slots.items():
        slot = reply.slots.get(name)
        actual: Any = slot.value if slot else None
        wanted: Any = list(expected) if isinstance(expected, tuple) else expected
        if actual != wanted and not (slot and _matches_expected(slot, expected)):
            yield f"slot {name} is {_format_value(actual)}, not {_format_value(wanted)}"
    if step.from_memory is not None:
        recalled = {
            name
            for name, slot in reply.slots.items()
            if any(taken.source == "memory" for taken in slot.taken)
        }
        if recalled != set(step.from_memory):
            expected = _format_names(step.from_memory)
            yield f"from memory came {_format_names(recalled)}, not {expected}"
    if step.missing is not None and set(reply.missing) != set(step.missing):
        yield f"missing is {_format_names(reply.missing)}, not {_format_names(step.missing)}"
    if step.memory is not None and not _matches_memory(reply.memory, step.memory):
        held = _format_names(map(str, reply.memory))
        yield f"memory holds {held}; {_format_names(step.memory)} was expected"


def _matches_expected(slot: Slot, expected: str | tuple[str, ...] | None) -> bool:
    """Whether the slot has what is expected, be it by values or, for what recognizers have
    found, by the words that were said."""
    wanted = expected if isinstance(expected, tuple) else (expected,)
    return (
        slot.is_multiple == isinstance(expected, tuple)
        and len(wanted) == len(slot.entities)
        and all(
            one in _accepted_names(found) for one, found in zip(wanted, slot.entities, strict=True)
        )
    )


def _accepted_names(entity: Entity) -> tuple[str, ...]:
    return (entity.value_or_text,) if entity.own else (entity.value_or_text, entity.text)


def _memory_descriptions(entity: Entity) -> tuple[str, ...]:
    """How a dialog may speak of a remembered entity."""
    found = (str(entity), entity.element)
    return found if entity.own else (*found, f"{entity.element}={entity.text}")


def _matches_memory(held: Iterable[Entity], expected: Iterable[str]) -> bool:
    """Whether these entities are all that is expected, each by its element or with its value.

    What is expected with a value is looked for first: it fits one entity where a bare element
    may fit several.
    """
    left = list(held)
    for wanted in sorted(expected, key=lambda entry: "=" not in entry):
        found = next((one for one in left if wanted in _memory_descriptions(one)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _format_value(value: Any) -> str:
    return "empty" if value is None else repr(value)


def _format_names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
