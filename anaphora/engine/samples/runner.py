"""Run sample dialogs, each in a conversation of its own, and compare the replies."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from anaphora.core.utterance import Entity
from anaphora.engine.callbacks.answer import Answer
from anaphora.engine.engine import Engine
from anaphora.engine.reply import Reply
from anaphora.engine.responses import Responses
from anaphora.engine.samples.in_process_long_term import InProcessLongTerm
from anaphora.engine.samples.process_pool import default_jobs, run_in_processes
from anaphora.errors import AnaphoraError
from anaphora.intents.match import Slot
from anaphora.models.domain import AskStep, BotStep, Dialog, Model, PauseStep, ResetStep, Step
from anaphora.models.loader import load_model

__all__ = [
    "DialogResult",
    "StepResult",
    "iter_step_results",
    "map_dialogs",
    "run_dialog",
    "run_dialog_safely",
    "run_dialogs",
]

_Result = TypeVar("_Result")

_START_TIME = datetime(2026, 1, 5, 9, tzinfo=UTC)  # a Monday morning, the same for every run


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of one step of a dialog. ``reply`` is None unless it is a question; ``failures``
    describe the differences between the expected and the actual reply."""

    step: Step
    reply: Reply | None = None
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DialogResult:
    """The result of a dialog. A step that fails does not end it; ``error`` is the message of an
    exception that ended it after its ``steps`` ('' if there was none)."""

    dialog: Dialog
    steps: tuple[StepResult, ...]
    error: str = ""

    @property
    def passed(self) -> bool:
        return not self.error and not any(step.failures for step in self.steps)


def run_dialogs(
    model: Model | str | Path, dialogs: Sequence[Dialog] | None = None, *, jobs: int | None = 1
) -> Generator[DialogResult, None, None]:
    """Run dialogs (by default the samples of the model) as :func:`run_dialog_safely` does. Yields
    the results in the order of the dialogs, as soon as they are known.

    ``model`` is a model, the path of its file or the name of a bundled one. ``jobs`` is the number
    of processes (None: one per core for very many dialogs, else only this process). Several
    processes load the model from its file, with the handlers that it names, which takes as long as
    thousands of questions, and end with the iterator. The results of handlers must then be
    picklable, and a script needs the usual ``if __name__ == "__main__":``.

    Raises :class:`ModelError` for a model that cannot be loaded, ValueError for less than one
    process, and :class:`AnaphoraError` if a process dies, if a reply cannot be pickled, or if
    several processes are to run a model that is not in a file.
    """
    loaded = model if isinstance(model, Model) else load_model(model)
    listed = loaded.samples if dialogs is None else dialogs
    if jobs is not None and jobs < 1:
        raise ValueError(f"dialogs need at least one process, not {jobs}")
    number = min(default_jobs(listed) if jobs is None else jobs, len(listed))
    if number > 1 and isinstance(model, Model) and not _equals_its_file(model):
        if jobs is not None:
            raise AnaphoraError(
                f"the model '{loaded.id}' differs from its file, or has none, so that other "
                "processes cannot load it: run its dialogs in one process"
            )
        number = 1
    return map_dialogs(run_dialog_safely, loaded, listed, number)


def _equals_its_file(model: Model) -> bool:
    """Whether loading the file of the model gives an equal model."""
    if not Path(model.source).is_file():
        return False
    try:
        return load_model(model.source) == model
    except AnaphoraError:
        return False


def map_dialogs(
    run: Callable[[Engine, Dialog], _Result], model: Model, dialogs: Sequence[Dialog], jobs: int
) -> Generator[_Result, None, None]:
    """Yield ``run(engine, dialog)`` for each dialog. If there are several processes, they load the
    model from its file, and ``run`` is a function of a module."""
    if jobs > 1:
        yield from run_in_processes(model.source, dialogs, run, jobs)
        return
    engine = Engine(model)
    for dialog in dialogs:
        yield run(engine, dialog)


def run_dialog_safely(engine: Engine, dialog: Dialog) -> DialogResult:
    """Run a dialog as :func:`run_dialog` does. An error of a handler or a template ends the dialog
    and is part of the result."""
    steps: list[StepResult] = []
    error = ""
    try:
        steps.extend(iter_step_results(engine, dialog))
    except AnaphoraError as raised:
        error = str(raised)
    return DialogResult(dialog, tuple(steps), error)


def run_dialog(
    engine: Engine, dialog: Dialog, *, model: str | None = None, user: str = "sample"
) -> DialogResult:
    """Ask the questions of ``dialog`` in a new conversation of ``user``, with no time between them
    except its pauses, and compare each reply with what the dialog expects.

    The expected value of a recognized entity may be its value or its text. The long-term memory of
    the engine is not used; a dialog can request one of its own.

    Raises :class:`HandlerError` if a handler or a template fails.
    """
    return DialogResult(dialog, tuple(iter_step_results(engine, dialog, model=model, user=user)))


def iter_step_results(
    engine: Engine, dialog: Dialog, *, model: str | None = None, user: str = "sample"
) -> Iterator[StepResult]:
    """Iterate over the steps of :func:`run_dialog`, so that those before an error are known."""
    engine = engine.with_long_term(InProcessLongTerm() if dialog.long_term else None)
    engine.forget(user=user, model=model)
    at = dialog.at or _START_TIME
    try:
        for step in dialog.steps:
            match step:
                case PauseStep(duration):
                    at += duration
                    yield StepResult(step)
                case ResetStep(what):
                    engine.forget(user=user, model=model, what=what)
                    yield StepResult(step)
                case BotStep():
                    answer = _build_answer(step)
                    engine.say(answer, user=user, model=model, intent=step.intent, at=at)
                    yield StepResult(step)
                case AskStep():
                    reply = engine.ask(
                        step.text,
                        user=user,
                        model=model,
                        at=at,
                        language=step.language,
                        explain=True,
                    )
                    yield StepResult(step, reply, tuple(_find_failures(step, reply)))
    finally:
        engine.forget(user=user, model=model)


def _build_answer(step: BotStep) -> Answer:
    """What the bot says in a step. Its templates have no variables."""
    evaluate = Responses().evaluate
    mentions, *offers = (
        {element: evaluate(template, {}) for element, template in bundle.items()}
        for bundle in (step.mentions, *step.offers)
    )
    return Answer(step.text, mentions=mentions, offers=offers or None, then=step.then)


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
    if step.by_bot is not None and not _matches_memory(reply.by_bot, step.by_bot):
        held = _format_names(map(str, reply.by_bot))
        yield f"the bot said {held}; {_format_names(step.by_bot)} was expected"
    if step.offers is not None and not _matches_offers(reply.offers, step.offers):
        offered = " or ".join(", ".join(map(str, bundle)) for bundle in reply.offers) or "nothing"
        yield f"the bot offers {offered}; {' or '.join(step.offers) or 'nothing'} was expected"


def _matches_expected(slot: Slot, expected: str | tuple[str, ...] | None) -> bool:
    """Whether the slot has the expected values or, for recognized entities, texts."""
    wanted = expected if isinstance(expected, tuple) else (expected,)
    return (
        slot.is_multiple == isinstance(expected, tuple)
        and len(wanted) == len(slot.entities)
        and all(
            one in _accepted_names(found) for one, found in zip(wanted, slot.entities, strict=True)
        )
    )


def _accepted_names(entity: Entity) -> tuple[str, ...]:
    return (entity.value_or_text,) if entity.is_from_phrase else (entity.value_or_text, entity.text)


def _memory_descriptions(entity: Entity) -> tuple[str, ...]:
    """Return the names by which a dialog may expect a remembered entity."""
    found = (str(entity), entity.element)
    return found if entity.is_from_phrase else (*found, f"{entity.element}={entity.text}")


def _matches_memory(held: Iterable[Entity], expected: Iterable[str]) -> bool:
    """Whether these entities are exactly the expected ones, each given by its element or with its
    value.

    Those with a value are compared first, because a bare element may fit several entities.
    """
    left = list(held)
    for wanted in sorted(expected, key=lambda entry: "=" not in entry):
        found = next((one for one in left if wanted in _memory_descriptions(one)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _matches_offers(offered: Sequence[Sequence[Entity]], expected: Sequence[str]) -> bool:
    """Whether each bundle has the expected entity, in the same order."""
    return len(offered) == len(expected) and all(
        any(wanted in _memory_descriptions(one) for one in bundle)
        for bundle, wanted in zip(offered, expected, strict=True)
    )


def _format_value(value: Any) -> str:
    return "empty" if value is None else repr(value)


def _format_names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
