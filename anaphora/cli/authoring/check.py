"""``anaphora check``: validate models and run their sample dialogs."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from anaphora.cli.authoring.junit import check_writable, write_junit
from anaphora.cli.authoring.sample_results import Case, Suite, Tone, format_case, run_case
from anaphora.cli.completion import complete_model_or_agent
from anaphora.cli.terminal import (
    create_console,
    create_error_console,
    exit_if_interrupted,
    print_error,
    print_warning,
    value_option,
)
from anaphora.core.plurals import pluralize
from anaphora.errors import AnaphoraError, Problem

if TYPE_CHECKING:
    from anaphora.models.domain import Dialog, Model

__all__ = ["check"]

_STYLES: dict[Tone, str] = {"bad": "red", "quiet": "dim", "": ""}
_MAX_LISTED = 8  # texts in a note
_PATIENCE = 1.0  # seconds before a progress bar appears
_AGENT_KEY = re.compile(r"agent\s*:")


@dataclass(frozen=True, slots=True)
class _Options:
    samples: Path | None
    jobs: int | None
    as_json: bool
    strict: bool


def check(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL",
            help="Model files or names of bundled models.",
            autocompletion=complete_model_or_agent,
        ),
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
        value_option(
            "N",
            "Run the dialogs in N processes. Default: one per core if there are very many "
            "dialogs, else one.",
            "--jobs",
            "-j",
            min=1,
            max=256,
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
            help="Count warnings as mistakes, including elements that no intent can use.",
        ),
    ] = False,
) -> None:
    """Validate models and run their samples; validate agent files.

    The exit code is 1 if anything is wrong. Each sample dialog is a separate conversation.

    Example: anaphora check bot.yaml --samples dialogs.yaml --junit report.xml
    """
    if junit:
        check_writable(junit)
    options = _Options(samples, jobs, as_json, strict)
    out = create_console()
    with exit_if_interrupted():
        suites = [_check_file(out, name, options) for name in models]
    if junit:
        write_junit(junit, suites)
    raise typer.Exit(0 if all(suite.passed for suite in suites) else 1)


def _check_file(out: Console, name: str, options: _Options) -> Suite:
    return _check_agent(out, name) if _is_agent(name) else _check_model(out, name, options)


def _is_agent(name: str) -> bool:
    """Whether a file begins with an agent's id, or a name is that of a bundled agent."""
    from anaphora.agents.files.reading import find_agent_file

    try:
        path = find_agent_file(name)
        return any(_AGENT_KEY.match(line) for line in path.read_text("utf-8").splitlines())
    except (AnaphoraError, OSError, UnicodeError):
        return False


def _check_agent(out: Console, name: str) -> Suite:
    from anaphora.agents.files.reading import resolve_agent_file

    try:
        agent, references = resolve_agent_file(name)
        references.close()
    except AnaphoraError as error:
        print_error(error)
        return Suite(name, error=str(error))
    memories = 0 if agent.memories is None else len(agent.memories.memories)
    out.print(f"{agent.id}: an agent, {pluralize(memories, 'declared memory')}")
    return Suite(agent.id, source=str(agent.path))


def _check_model(out: Console, name: str, options: _Options) -> Suite:
    from anaphora.engine.samples.constant_entities import find_wrong_constants
    from anaphora.models.loader import load_model, load_samples

    try:
        model = load_model(name)
        found = (
            *model.warnings,
            *find_wrong_constants(model),
            *(_find_unreachable(model) if options.strict else ()),
        )
        for warning in found:
            print_warning(warning)
        _print_notes(model)
        dialogs = load_samples(options.samples, model) if options.samples else model.samples
        cases = _run_dialogs(out, model, dialogs, options)
    except AnaphoraError as error:
        print_error(error)
        return Suite(name, error=str(error))
    warnings = tuple(map(str, found)) if options.strict else ()
    if warnings:
        print_warning(
            f"--strict counts {pluralize(len(warnings), 'warning')} of {model.id} as mistakes"
        )
    return Suite(model.id, cases, source=str(options.samples or model.source), warnings=warnings)


def _find_unreachable(model: Model) -> Iterator[Problem]:
    from anaphora.models.checking.unreachable import find_unreachable_elements

    for element in find_unreachable_elements(model):
        yield Problem(
            f"no intent uses the element '{element}', and no other element has it as a part",
            model.source,
            hint="use it in an intent, or make words without meaning stop words",
        )


def _run_dialogs(
    out: Console, model: Model, dialogs: Sequence[Dialog], options: _Options
) -> tuple[Case, ...]:
    """Run the dialogs and print each result as soon as it is known, in order."""
    if not options.as_json:
        out.print(
            f"{model.id}: {pluralize(len(model.elements), 'element')}, "
            f"{pluralize(len(model.intents), 'intent')}, "
            f"{pluralize(len(dialogs), 'sample dialog')}"
        )
    from anaphora.engine.samples.process_pool import default_jobs
    from anaphora.engine.samples.runner import map_dialogs

    jobs = min(options.jobs or default_jobs(dialogs), len(dialogs))
    cases = []
    with (
        _progress(out, len(dialogs)) as advance,
        closing(map_dialogs(run_case, model, dialogs, jobs)) as running,
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


@contextmanager
def _progress(out: Console, total: int) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each dialog. On a terminal, a progress bar appears if the run
    takes longer than a second."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda: None
        return
    # Only the console that draws the bar can print above it.
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
    """Print a line for the dialog and, if it failed, its turns."""
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
        out.print(Text(f"{failed} of {pluralize(len(cases), 'dialog')} failed", style="red"))
    else:
        out.print(Text(f"{pluralize(len(cases), 'dialog')} passed", style="green"))


def _print_notes(model: Model) -> None:
    """Print notes on behavior that may surprise the author, except for bundled models. They do not
    change the exit code."""
    from anaphora.models import catalog

    if Path(model.source) in map(catalog.model_path, catalog.model_names()):
        return
    for problem in (
        *_missing_packages(model),
        *_missing_texts(model),
        *_uncovered_qualifiers(model),
    ):
        create_error_console().print(Text(f"Note: {problem}"))


def _missing_packages(model: Model) -> Iterator[Problem]:
    from anaphora.entities.words.korean import missing_analyzer
    from anaphora.entities.words.normalization import base_code
    from anaphora.entities.words.segmentation import missing_segmenter

    for code in dict.fromkeys(map(base_code, model.languages)):
        if extra := missing_segmenter(code):
            effect = "words are not segmented: synonyms are also found inside other words"
        elif extra := missing_analyzer(code):
            effect = "verb forms are not recognized, and endings are cut off whole words"
        else:
            continue
        yield Problem(
            f"{extra.capitalize()} {effect}",
            model.source,
            hint=f"install the analyzer: pip install 'anaphora[{extra}]'",
        )


def _missing_texts(model: Model) -> Iterator[Problem]:
    from anaphora.models.checking.missing_texts import find_missing_texts

    for language, names in find_missing_texts(model).items():
        some = ", ".join(names[:_MAX_LISTED]) + (" …" if len(names) > _MAX_LISTED else "")
        yield Problem(
            f"texts are missing in {language}: {some}",
            model.source,
            hint=f"a question in {language} is answered in another language",
        )


def _uncovered_qualifiers(model: Model) -> Iterator[Problem]:
    from anaphora.entities.matching.qualifier_coverage import find_uncovered_qualifiers

    if model.dialog_acts is not None:  # it understands what is negated
        return
    words = find_uncovered_qualifiers(model)
    if not words:
        return
    listed = "; ".join(
        f"{language}: {', '.join(some)}" if len(model.languages) > 1 else ", ".join(some)
        for language, some in words.items()
    )
    yield Problem(
        f"no element of {model.id} covers words that change the meaning ({listed})",
        model.source,
        hint="'do not …' is answered like 'do …': give an element such synonyms "
        "('without milk'), or add the words to stop_words",
    )
