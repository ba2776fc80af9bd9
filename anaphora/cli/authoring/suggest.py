"""``anaphora suggest``: propose synonyms from questions that a model did not understand."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from anaphora.cli.terminal import (
    ModelArgument,
    create_console,
    exit_if_interrupted,
    value_option,
)
from anaphora.core.plurals import pluralize

if TYPE_CHECKING:
    from anaphora.suggestions.semantic_similarity import Vectors
    from anaphora.suggestions.suggestion import Findings

__all__ = ["suggest"]

_MAX_WARNINGS = 10


def suggest(
    model: ModelArgument,
    *,
    log: Annotated[
        Path,
        value_option(
            "FILE",
            "The questions, one per line or as JSON lines. Default, and '-': the standard input.",
            "--log",
            allow_dash=True,
        ),
    ] = Path("-"),
    elements: Annotated[
        list[str] | None,
        typer.Option("--element", metavar="ID", help="Only for this element; may be repeated."),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Word vectors as text (word2vec, fastText), also gzipped."
        ),
    ] = None,
    embeddings: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A sentence-transformers model: a folder or a name."),
    ] = None,
    min_score: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="X", help="The lowest score of a suggestion.")
    ] = 0.5,
    top: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="At most N for each element.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each suggestion as one line of JSON.")
    ] = False,
) -> None:
    """Propose synonyms, from logged questions that the model did not understand.

    Words that no element covers are compared with every element: by spelling, by context, and by
    whether an intent would match with them. A JSON line has its question under "question" or
    "text"; it is skipped if its status is "matched".

    Example: anaphora suggest weather --log questions.txt --element city
    """
    if vectors and embeddings:
        raise typer.BadParameter("give either --vectors or --embeddings, not both")
    if str(log) == "-" and (sys.stdin is None or sys.stdin.isatty()):
        raise typer.BadParameter("name a log with --log FILE, or pipe the questions in")
    with exit_if_interrupted("Interrupted; there are no suggestions."):
        from anaphora.models.loader import load_model
        from anaphora.suggestions.study import study

        loaded = load_model(model)
        loaded_vectors = _load_vectors(vectors, embeddings)
        questions, matched = _read_questions(log)
        with _progress() as progress:
            findings = study(
                loaded,
                questions,
                vectors=loaded_vectors,
                elements=elements,
                min_score=min_score,
                top=top,
                progress=progress,
            )
        if as_json:
            for suggestion in findings.suggestions:
                typer.echo(json.dumps(suggestion.to_dict(), ensure_ascii=False))
            typer.echo(_format_summary(findings, matched), err=True)
        else:
            out = create_console()
            _print_findings(out, findings)
            out.print(Text(_format_summary(findings, matched), style="dim"))


def _format_summary(findings: Findings, matched: int) -> str:
    summary = (
        f"{pluralize(findings.questions + matched, 'question')} read, "
        f"{findings.understood + matched:,} of them understood"
    )
    return summary + (f"; {findings.left_out:,} rarer ones skipped" if findings.left_out else "")


def _load_vectors(vectors: Path | None, embeddings: str | None) -> Vectors | None:
    if vectors:
        from anaphora.suggestions.vector_file import VectorFile

        return VectorFile(vectors)
    if embeddings:
        from anaphora.suggestions.embeddings import Embeddings

        return Embeddings(embeddings)
    return None


def _read_questions(log: Path) -> tuple[list[str], int]:
    """The questions of the log without the status ``matched``, and the number of the others."""
    from anaphora.suggestions.question_log import InvalidLine, read_log

    source = "standard input" if str(log) == "-" else str(log)
    questions: list[str] = []
    matched = bad = 0
    for line in read_log(_read_lines(log)):
        if isinstance(line, InvalidLine):
            bad += 1
            if bad <= _MAX_WARNINGS:
                typer.echo(f"Warning: {source}:{line.number}: {line.problem}", err=True)
        elif line.is_matched:
            matched += 1
        else:
            questions.append(line.text)
    if bad > _MAX_WARNINGS:
        typer.echo(f"Warning: {source}: and {bad - _MAX_WARNINGS:,} more such lines", err=True)
    return questions, matched


def _read_lines(log: Path) -> Iterator[bytes | str]:
    if str(log) == "-":
        yield from getattr(sys.stdin, "buffer", sys.stdin)
        return
    try:
        with log.open("rb") as file:
            yield from file
    except OSError as error:
        raise typer.BadParameter(f"cannot read {log}: {error.strerror}") from None


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar per step, on a terminal only."""
    from rich.progress import Progress, TaskID

    bars = Console(stderr=True, markup=False, highlight=False)
    if not bars.is_terminal:
        yield lambda what, done, of: None
        return
    with Progress(console=bars, transient=True) as progress:
        tasks: dict[str, TaskID] = {}

        def show(what: str, done: int, of: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what)
            progress.update(tasks[what], completed=done, total=of)

        yield show


def _print_findings(out: Console, findings: Findings) -> None:
    if not findings.suggestions:
        out.print("no suggestions")
    for element, suggestions in groupby(findings.suggestions, key=lambda one: one.element):
        out.print(Text(element, style="bold"))
        for one in suggestions:
            line = Text(f"  {one.score:.2f}  ")
            line.append(one.phrase, style="green")
            if one.value is not None:
                line.append(f" = {one.value}", style="green dim")
            out.print(line)
            out.print(Text(f"        {'; '.join(one.evidence)}", style="dim"))
            out.print(Text(f"        e.g. {' '.join(one.example.split())}", style="dim"))
