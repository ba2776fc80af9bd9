"""The command line of the report."""

from __future__ import annotations

import shlex
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.report.aims import judge_aims
from benchmarks.report.data import LeftOut, Report, Section, Verdict
from benchmarks.report.machine import head
from benchmarks.report.options import Form, ReportOptions
from benchmarks.report.registry import CHAPTERS, Chapter, chapter
from benchmarks.report.workloads.subject_process import Tell

OUT = Path("benchmarks/results")
_STOPPED = "stopped before it was measured"

app = typer.Typer(add_completion=False, rich_markup_mode=None)
console = Console(stderr=True)


@app.command()
def main(
    out: Annotated[
        Path, typer.Option(help="The folder to write to; it is created if needed.")
    ] = OUT,
    short: Annotated[
        bool,
        typer.Option(
            "--short", help="Use small sizes and few rounds, to see that everything runs."
        ),
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="SECTION", help="Measure only this section; may be repeated."),
    ] = None,
    locomo: Annotated[
        Path | None, typer.Option(help="The dialogs of LoCoMo, for the programs that need them.")
    ] = None,
    sgd: Annotated[
        Path | None,
        typer.Option(help="The Schema-Guided Dialogue data, for the program that needs it."),
    ] = None,
    script: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Also run a program that takes minutes: ltm.bart."),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the sections and measure nothing.")
    ] = False,
) -> None:
    """Run the benchmarks and write a report: report.md with its plots, and report.json.

    The whole report takes more than half an hour on two otherwise idle cores. After Ctrl-C, the
    sections measured so far are written.
    """
    if list_:
        for one in CHAPTERS:
            typer.echo(f"{one.id:<12}{one.about}")
        return
    form = Form.SHORT if short else Form.WHOLE
    wanted = ReportOptions(form, locomo, tuple(script or ()), sgd)
    chosen = _select_sections(only)
    begun = datetime.now().astimezone()
    sections: list[Section] = []
    left_out: list[LeftOut] = []
    facts = head(begun)
    stopped = False
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
    try:
        for one in chosen:
            sections += _measure_section(one, wanted, left_out)
    except KeyboardInterrupt:
        stopped = True
        missing = chosen[len(sections) + len(left_out) :]
        left_out += [LeftOut(one.id, _STOPPED) for one in missing]
        console.print("Stopped. What is done is kept.")
    failed = [one for section in sections for one in section.left_out if one.failed]
    took = (datetime.now().astimezone() - begun).total_seconds()
    report = Report(
        (*facts, ("took", f"{took / 60:.1f} minutes")),
        "python -m benchmarks.report" + "".join(f" {shlex.quote(one)}" for one in sys.argv[1:]),
        _aims([] if short else sections),  # whose sizes no aim is about
        tuple(sections),
        tuple(left_out),
        is_whole=not short,
    )
    from benchmarks.report.rendering.files import write

    page = write(report, out)
    _print_summary(report)
    console.print(f"[bold]{page}[/bold]")
    for part in failed:
        console.print(f"✗ {part.what}: {part.why}", style="red", markup=False, highlight=False)
    if stopped or failed or any(section.failed for section in left_out):
        raise typer.Exit(130 if stopped else 1)


def _select_sections(only: Sequence[str] | None) -> Sequence[Chapter]:
    if not only:
        return CHAPTERS
    if unknown := next((id for id in only if chapter(id) is None), None):
        known = ", ".join(one.id for one in CHAPTERS)
        raise typer.BadParameter(f"there is no section '{unknown}'; there are: {known}")
    return [one for one in CHAPTERS if one.id in only]


def _measure_section(one: Chapter, wanted: ReportOptions, left_out: list[LeftOut]) -> list[Section]:
    """Measure a section; None if that fails, so that the others can go on."""
    begun = time.monotonic()
    try:
        with _progress_printer(one.id) as tell:
            section = one.measure(wanted, tell)
    except Exception as error:  # whatever a benchmark may run into
        console.print(f"✗ {one.id}: {error}", style="red", markup=False)
        console.print(traceback.format_exc(), style="dim", markup=False, highlight=False)
        left_out.append(LeftOut(one.id, f"it failed: {error}", failed=True))
        return []
    console.print(f"✓ {one.id} ({time.monotonic() - begun:.0f} s)")
    return [section]


@contextmanager
def _progress_printer(id: str) -> Iterator[Tell]:
    if not console.is_terminal:
        console.print(f"{id} …")
    with console.status(f"{id} …") as status:
        yield lambda text: status.update(f"{id}: {text} …")


def _aims(sections: Sequence[Section]) -> tuple[Verdict, ...]:
    figures = {name: value for one in sections for name, value in one.figures.items()}
    limits = {name: text for one in sections for name, text in one.limits.items()}
    return judge_aims(figures, limits)


def _print_summary(report: Report) -> None:
    for aim in report.aims:
        if aim.word != "not measured":
            sign, style = ("✓", "green") if aim.word == "met" else ("✗", "red")
            text = f"{sign} {aim.what}: {aim.measured} ({aim.expected})"
            console.print(text, style=style, markup=False, highlight=False)
