"""``anaphora check``: a model's mistakes, and whether its samples come out as they say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from anaphora.cli.terminal import complain, console
from anaphora.errors import AnaphoraError

if TYPE_CHECKING:
    from anaphora.intents.samples import DialogResult, Turn
    from anaphora.models.domain import Dialog, Model

__all__ = ["check"]


def check(
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL…", help="Model files or names of bundled models."),
    ],
    *,
    samples: Annotated[
        Path | None,
        typer.Option("--samples", help="A file of further samples to run.", dir_okay=False),
    ] = None,
) -> None:
    """Validate models and run their samples; the exit code is 1 if anything is wrong.

    Each dialog of the samples is a conversation of its own. Example: anaphora check bot.yaml
    --samples more.yaml
    """
    out = console()
    passed = [_check(out, name, samples) for name in models]
    raise typer.Exit(0 if all(passed) else 1)


def _check(out: Console, name: str, samples: Path | None) -> bool:
    from anaphora.models.loader import load_model, load_samples

    try:
        model = load_model(name)
        dialogs = (*model.samples, *(load_samples(samples, model) if samples else ()))
        return _run(out, model, dialogs)
    except AnaphoraError as error:
        complain(error)
        return False


def _run(out: Console, model: Model, dialogs: tuple[Dialog, ...]) -> bool:
    from anaphora.intents.engine import Engine
    from anaphora.intents.samples import run_dialogs

    out.print(
        f"{model.id}: {len(model.elements)} elements, {len(model.intents)} intents, "
        f"{len(dialogs)} sample dialogs"
    )
    failed = 0
    for result in run_dialogs(Engine(model), dialogs):
        failed += not result.passed
        _show(out, result)
    if not dialogs:
        out.print("  no samples to run")
    elif failed:
        out.print(Text(f"{failed} of {len(dialogs)} dialogs failed", style="red"))
    else:
        out.print(Text(f"all {len(dialogs)} dialogs passed", style="green"))
    return not failed


def _show(out: Console, result: DialogResult) -> None:
    """A line for a dialog that passed, every turn of one that did not."""
    dialog = result.dialog
    place = f" (line {dialog.line})" if dialog.line else ""
    title = dialog.name or next((_said(turn) for turn in result.turns), "empty dialog")
    mark = Text("  ✓ ", style="green") if result.passed else Text("  ✗ ", style="red")
    out.print(mark + Text(title + place))
    if result.passed:
        return
    for turn in result.turns:
        out.print(Text(f"      {_said(turn)}", style="bold"))
        for failure in turn.failures:
            out.print(Text(f"        {failure}", style="red"))
        if turn.failures and turn.reply and turn.reply.explanation:
            for line in turn.reply.explanation.lines():
                out.print(Text(f"        | {line}", style="dim"))


def _said(turn: Turn) -> str:
    from anaphora.models.domain import AskStep, PauseStep
    from anaphora.models.durations import format_duration

    match turn.step:
        case AskStep(text):
            return text
        case PauseStep(duration):
            return f"(pause of {format_duration(duration)})"
        case step:
            return f"(reset: {step.what})"
