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
    from anaphora.intents.engine import Engine
    from anaphora.intents.samples import DialogResult
    from anaphora.models.domain import Dialog, Model, Step

__all__ = ["check"]


def check(
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL…", help="Model files or names of bundled models."),
    ],
    *,
    samples: Annotated[
        Path | None,
        typer.Option(
            "--samples", help="A file of samples to run instead of the model's.", dir_okay=False
        ),
    ] = None,
) -> None:
    """Validate models and run their samples.

    The exit code is 1 if anything is wrong. Each dialog of the samples is a conversation of its
    own.

    Example: anaphora check bot.yaml --samples dialogs.yaml
    """
    out = console()
    passed = [_check(out, name, samples) for name in models]
    raise typer.Exit(0 if all(passed) else 1)


def _check(out: Console, name: str, samples: Path | None) -> bool:
    from anaphora.models.loader import load_model, load_samples

    try:
        model = load_model(name)
        dialogs = load_samples(samples, model) if samples else model.samples
        return _run(out, model, dialogs)
    except AnaphoraError as error:
        complain(error)
        return False


def _run(out: Console, model: Model, dialogs: tuple[Dialog, ...]) -> bool:
    from anaphora.intents.engine import Engine

    engine = Engine(model)
    out.print(
        f"{model.id}: {_counted(len(model.elements), 'element')}, "
        f"{_counted(len(model.intents), 'intent')}, {_counted(len(dialogs), 'sample dialog')}"
    )
    failed = sum(not _passes(out, engine, dialog) for dialog in dialogs)
    if not dialogs:
        out.print("  no samples to run")
    elif failed:
        out.print(Text(f"{failed} of {_counted(len(dialogs), 'dialog')} failed", style="red"))
    else:
        out.print(Text(f"{_counted(len(dialogs), 'dialog')} passed", style="green"))
    return not failed


def _passes(out: Console, engine: Engine, dialog: Dialog) -> bool:
    """Run a dialog and print a line for it, and every turn if it failed.

    A response that cannot be filled fails its own dialog; the others are still run.
    """
    from anaphora.intents.samples import run_dialog

    try:
        result = run_dialog(engine, dialog)
    except AnaphoraError as error:
        _head(out, dialog, Text("✗", style="red"))
        out.print(Text(f"        {error}", style="red"))
        return False
    _head(out, dialog, Text("✓", style="green") if result.passed else Text("✗", style="red"))
    if not result.passed:
        _show_turns(out, result)
    return result.passed


def _head(out: Console, dialog: Dialog, mark: Text) -> None:
    title = dialog.name or next((_said(step) for step in dialog.steps), "empty dialog")
    place = f" (line {dialog.line})" if dialog.line else ""
    out.print(Text.assemble("  ", mark, f" {title}{place}"))


def _show_turns(out: Console, result: DialogResult) -> None:
    for turn in result.turns:
        place = f" (line {turn.step.line})" if turn.failures and turn.step.line else ""
        out.print(Text(f"      {_said(turn.step)}{place}", style="bold"))
        for failure in turn.failures:
            out.print(Text(f"        {failure}", style="red"))
        if turn.failures and turn.reply and turn.reply.explanation:
            for line in turn.reply.explanation.lines():
                out.print(Text(f"        | {line}", style="dim"))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _said(step: Step) -> str:
    from anaphora.models.domain import AskStep, PauseStep
    from anaphora.models.durations import format_duration

    match step:
        case AskStep(text):
            return text
        case PauseStep(duration):
            return f"(pause of {format_duration(duration)})"
        case _:
            return f"(reset: {step.what})"
