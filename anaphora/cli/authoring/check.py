"""``anaphora check``: a model's mistakes, and whether its samples come out as they say."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from anaphora.cli.authoring.junit import check_writable, write_junit
from anaphora.cli.authoring.sample_results import Case, Suite, Tone, format_case, run_case
from anaphora.cli.terminal import create_console, print_error
from anaphora.errors import AnaphoraError, Problem

if TYPE_CHECKING:
    from anaphora.models.domain import Dialog, Model

__all__ = ["check"]

_STYLES: dict[Tone, str] = {"bad": "red", "quiet": "dim", "": ""}
_PATIENCE = 1.0  # seconds without a progress bar
_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class _Options:
    samples: Path | None
    jobs: int | None
    as_json: bool
    strict: bool


def check(
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL", help="Model files or names of bundled models."),
    ],
    *,
    samples: Annotated[
        Path | None,
        typer.Option(
            "--samples",
            metavar="FILE",
            help="A file of samples to run instead of the model's.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            max=256,
            metavar="N",
            help="Run the dialogs in N processes. Left out: one for each core if they are very "
            "many, else this one.",
            show_default=False,
        ),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option("--junit", metavar="FILE", help="Write JUnit XML as well.", dir_okay=False),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each dialog as one line of JSON instead.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Let warnings count as mistakes, elements that no intent can take among them.",
        ),
    ] = (False),
) -> None:
    """Validate models and run their samples.

    The exit code is 1 if anything is wrong. Each dialog of the samples is a conversation of its
    own.

    Example: anaphora check bot.yaml --samples dialogs.yaml --junit report.xml
    """
    if junit:
        check_writable(junit)
    options = _Options(samples, jobs, as_json, strict)
    out = create_console()
    try:
        suites = [_check_model(out, name, options) for name in models]
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    if junit:
        write_junit(junit, suites)
    raise typer.Exit(0 if all(suite.passed for suite in suites) else 1)


def _check_model(out: Console, name: str, options: _Options) -> Suite:
    from anaphora.models.loader import load_model, load_samples

    try:
        model = load_model(name)
        found = (*model.warnings, *(_find_unreachable(model) if options.strict else ()))
        for warning in found:
            _print_warning(str(warning))
        _print_notes(model)
        dialogs = load_samples(options.samples, model) if options.samples else model.samples
        cases = _run_dialogs(out, model, dialogs, options)
    except AnaphoraError as error:
        print_error(error)
        return Suite(name, error=str(error))
    warnings = tuple(map(str, found)) if options.strict else ()
    if warnings:
        _print_warning(
            f"{_pluralize(len(warnings), 'warning')} of {model.id}, which --strict lets count"
        )
    return Suite(model.id, cases, source=str(options.samples or model.source), warnings=warnings)


def _find_unreachable(model: Model) -> Iterator[Problem]:
    from anaphora.models.checking.unreachable import find_unreachable_elements

    for element in find_unreachable_elements(model):
        yield Problem(
            f"no intent takes the element '{element}', and no other element has it as a part",
            model.source,
            hint="let an intent take it, or make words that mean nothing stop words",
        )


def _run_dialogs(
    out: Console, model: Model, dialogs: Sequence[Dialog], options: _Options
) -> tuple[Case, ...]:
    """Run the dialogs and print what comes of each as soon as its turn has come."""
    if not options.as_json:
        out.print(
            f"{model.id}: {_pluralize(len(model.elements), 'element')}, "
            f"{_pluralize(len(model.intents), 'intent')}, "
            f"{_pluralize(len(dialogs), 'sample dialog')}"
        )
    cases = []
    with (
        _progress(out, len(dialogs)) as advance,
        closing(_run_cases(model, dialogs, options.jobs)) as running,
    ):
        for case in running:
            cases.append(case)
            if options.as_json:
                line = json.dumps({"model": model.id, **case.to_plain()}, ensure_ascii=False)
                out.print(Text(line), soft_wrap=True)
            else:
                _print_case(out, case)
            advance()
    if not options.as_json:
        _print_summary(out, cases)
    return tuple(cases)


def _run_cases(
    model: Model, dialogs: Sequence[Dialog], jobs: int | None
) -> Generator[Case, None, None]:
    """What comes of the dialogs, in their order."""
    from anaphora.engine.engine import Engine
    from anaphora.engine.samples.process_pool import default_jobs, run_in_processes

    number = min(jobs or default_jobs(dialogs), len(dialogs))
    if number > 1:
        yield from run_in_processes(model.source, dialogs, run_case, number)
        return
    engine = Engine(model)
    for dialog in dialogs:
        yield run_case(engine, dialog)


@contextmanager
def _progress(out: Console, total: int) -> Iterator[Callable[[], None]]:
    """What to call as each dialog is through. A bar comes up where that takes long, if there is
    a terminal to show it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda: None
        return
    # Only a console knows how to print above a bar of its own.
    shared = sys.stdout is not None and sys.stdout.isatty()
    progress = Progress(
        *(TextColumn("dialogs"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()),
        console=out if shared else Console(stderr=True),
        transient=True,
        redirect_stdout=False,
    )
    task = progress.add_task("dialogs", total=total)
    begin = time.monotonic()

    def advance() -> None:
        progress.advance(task)
        if not progress.live.is_started and time.monotonic() - begin > _PATIENCE:
            progress.start()

    try:
        yield advance
    finally:
        if progress.live.is_started:
            progress.stop()


def _print_case(out: Console, case: Case) -> None:
    """A line for the dialog and, if it failed, every turn."""
    mark = Text("✓", style="green") if case.passed else Text("✗", style="red")
    place = f" (line {case.line})" if case.line else ""
    out.print(Text.assemble("  ", mark, f" {case.title}{place}"))
    if not case.passed:
        for line, tone in format_case(case):
            out.print(Text(f"      {line}", style=_STYLES[tone]))


def _print_summary(out: Console, cases: Sequence[Case]) -> None:
    failed = sum(not case.passed for case in cases)
    if not cases:
        out.print("  no samples to run")
    elif failed:
        out.print(Text(f"{failed} of {_pluralize(len(cases), 'dialog')} failed", style="red"))
    else:
        out.print(Text(f"{_pluralize(len(cases), 'dialog')} passed", style="green"))


def _print_notes(model: Model) -> None:
    """Tell what no mistake is, and yet may surprise: the exit code stays the same. Who checks a
    bundled model has no use for it."""
    from anaphora.models import catalog

    if Path(model.source) in map(catalog.model_path, catalog.model_names()):
        return
    for problem in (*_missing_packages(model), *_uncovered_qualifiers(model)):
        _print_message(f"Note: {problem}")


def _missing_packages(model: Model) -> Iterator[Problem]:
    from anaphora.entities.words.korean import missing_analyzer
    from anaphora.entities.words.normalization import base_code
    from anaphora.entities.words.segmentation import missing_segmenter

    for code in dict.fromkeys(map(base_code, model.languages)):
        if extra := missing_segmenter(code):
            lack = "words are not told apart: synonyms are also found inside other words"
        elif extra := missing_analyzer(code):
            lack = "verbs are not found in their forms, and endings are taken off whole words"
        else:
            continue
        yield Problem(
            f"{extra.capitalize()} {lack}",
            model.source,
            hint=f"install what tells them apart: pip install 'anaphora[{extra}]'",
        )


def _uncovered_qualifiers(model: Model) -> Iterator[Problem]:
    from anaphora.entities.matching.qualifier_coverage import find_uncovered_qualifiers

    words = find_uncovered_qualifiers(model)
    if not words:
        return
    listed = "; ".join(
        f"{language}: {', '.join(some)}" if len(model.languages) > 1 else ", ".join(some)
        for language, some in words.items()
    )
    yield Problem(
        f"no element of {model.id} covers words that turn the sense ({listed})",
        model.source,
        hint="until one does, 'do not …' is answered like 'do …': give an element such synonyms "
        "('without milk'), or add the words to stop_words",
    )


def _print_warning(message: str) -> None:
    _print_message(f"Warning: {message}", style="yellow")


def _print_message(message: str, style: str = "") -> None:
    err = Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)
    err.print(Text(message, style=style))


def _pluralize(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
