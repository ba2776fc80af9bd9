"""Results of sample dialogs as plain text: the data of all reports of ``anaphora check``, and what
worker processes return."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from anaphora.cli.terminal import format_summary

if TYPE_CHECKING:
    from anaphora.engine.engine import Engine
    from anaphora.engine.samples.runner import StepResult
    from anaphora.models.domain import AskStep, Dialog, Step

__all__ = ["Case", "CaseTurn", "Suite", "Tone", "format_case", "run_case"]

Tone = Literal["bad", "quiet", ""]


@dataclass(frozen=True, slots=True)
class CaseTurn:
    """One step of a dialog: the question (``step``), a summary of the reply (``actual``), the
    bot's text (``answer``) and the ``expected`` summary.

    ``failures`` are the differences; ``explanation`` has lines only if there are any. Unless the
    step is a question, ``actual``, ``answer`` and ``expected`` are empty.
    """

    step: str
    line: int = 0
    actual: str = ""
    answer: str = ""
    expected: str = ""
    failures: tuple[str, ...] = ()
    explanation: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """The result of a sample dialog: ``error`` is the message that ended it early ('' if none),
    ``seconds`` its duration.

    It holds only texts, as a report prints them and a process can send them. A
    :class:`~anaphora.engine.samples.runner.DialogResult` has the replies themselves, and
    :class:`anaphora.api.models.CheckedDialog` is what the REST API sends.
    """

    title: str
    line: int = 0
    turns: tuple[CaseTurn, ...] = ()
    seconds: float = 0.0
    error: str = ""

    @property
    def passed(self) -> bool:
        return not self.error and not any(turn.failures for turn in self.turns)

    def to_plain(self) -> dict[str, Any]:
        """The case as JSON-able data."""
        names = {"step": "said", "actual": "came", "explanation": "why"}
        turns = (asdict(turn).items() for turn in self.turns)
        listed = [{names.get(name, name): value for name, value in turn} for turn in turns]
        return {"passed": self.passed, **asdict(self), "turns": listed}


@dataclass(frozen=True, slots=True)
class Suite:
    """The results of one model: its dialogs, the error that kept them from being run ('' if none),
    and the warnings, if they count as mistakes."""

    name: str
    cases: tuple[Case, ...] = ()
    source: str = ""
    error: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.error and not self.warnings and all(case.passed for case in self.cases)


def run_case(engine: Engine, dialog: Dialog) -> Case:
    """Run one dialog. An error of a handler or a template ends only this dialog."""
    from anaphora.engine.samples.runner import run_dialog_safely

    begin = time.perf_counter()
    result = run_dialog_safely(engine, dialog)
    seconds = time.perf_counter() - begin
    turns = [_case_turn(turn) for turn in result.steps]
    if result.error:
        step = dialog.steps[len(turns)]
        turns.append(CaseTurn(_describe_step(step), step.line, failures=(result.error,)))
    return Case(_dialog_title(dialog), dialog.line, tuple(turns), seconds, result.error)


def format_case(case: Case) -> Iterator[tuple[str, Tone]]:
    """The lines of a report on the dialog, each with its tone: one line for a turn that passed, all
    details for a turn that failed."""
    for turn in case.turns:
        if turn.failures:
            yield from _format_failure(turn)
        else:
            mark = "✓" if turn.actual else "·"
            actual = f"  → {turn.actual}" if turn.actual else ""
            yield f"{mark} {turn.step}{actual}", "quiet"


def _format_failure(turn: CaseTurn) -> Iterator[tuple[str, Tone]]:
    place = f" (line {turn.line})" if turn.line else ""
    yield f"✗ {turn.step}{place}", ""
    parts: tuple[tuple[str, str, Tone], ...] = (
        ("came", turn.actual, ""),
        ("answer", turn.answer, ""),
        ("expected", turn.expected, ""),
        *(("wrong", failure, "bad") for failure in turn.failures),
    )
    for label, text, tone in parts:
        for number, line in enumerate(text.splitlines()):
            yield f"    {'' if number else label + ':':<10}{line}", tone
    for line in turn.explanation:
        yield f"    | {line}", "quiet"


def _case_turn(turn: StepResult) -> CaseTurn:
    from anaphora.models.domain import AskStep

    reply, step = turn.reply, turn.step
    if reply is None or not isinstance(step, AskStep):
        return CaseTurn(_describe_step(step), step.line)
    explanation = reply.explanation if turn.failures else None
    return CaseTurn(
        step=_describe_step(step),
        line=step.line,
        actual=format_summary(reply).plain.strip(),
        answer=reply.text,
        expected=_format_expected(step),
        failures=turn.failures,
        explanation=tuple(explanation.lines()) if explanation else (),
    )


def _format_expected(step: AskStep) -> str:
    """The expected reply, formatted like :func:`anaphora.cli.terminal.format_summary`."""
    parts = [f"{step.status} {step.intent or ''}".strip()]
    parts += (f"{name}{_format_value(value)}" for name, value in step.slots.items())
    listed = {
        "from memory": step.from_memory,
        "missing": step.missing,
        "memory": step.memory,
        "by bot": step.by_bot,
        "offers": step.offers,
    }
    parts += (
        f"{what}: {_format_names(names)}" for what, names in listed.items() if names is not None
    )
    return "  ".join(parts)


def _format_value(value: str | tuple[str, ...] | None) -> str:
    if value is None:
        return " empty"
    return f"={value if isinstance(value, str) else _format_names(value)}"


def _format_names(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"


def _dialog_title(dialog: Dialog) -> str:
    return _one_line(dialog.name or next(map(_describe_step, dialog.steps), "empty dialog"))


def _describe_step(step: Step) -> str:
    from anaphora.models.domain import AskStep, BotStep, PauseStep
    from anaphora.models.schema.durations import format_duration

    match step:
        case AskStep(text):
            return _one_line(text) if text.strip() else repr(text)
        case BotStep(text):
            return f"(bot: {_one_line(text)})"
        case PauseStep(duration):
            return f"(pause of {format_duration(duration)})"
        case _:
            return f"(reset: {step.what})"


def _one_line(text: str) -> str:
    return " ".join(text.split())
