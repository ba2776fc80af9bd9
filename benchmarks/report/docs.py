"""Copy tables and plots from a report to the docs: ``python -m benchmarks.report.docs``."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.report.cli import OUT

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "performance.md"
FIGURES = ("ask-flame.svg",)
BLOCKS: Mapping[str, str] = {
    "the machine": "# Benchmarks",
    "the aims": "## Aims",
    "the time of an utterance": "### Time of an utterance",
    "what is understood": "### Understood rightly",
    "the curves": "### What was expected",
    "the profile": "### Time of one question by stage",
}
"""The blocks of the page, which two comments enclose, with their headings in a report."""

_MACHINE = ("begun", "revision", "processor", "cores", "Python", "packages")
_OF_A_WHOLE = ("the machine", "the aims")
"""Blocks that need a report of all sections."""


class MissingFigureError(Exception):
    """A report lacks the figures for the page; the message names the folder."""


def main(
    report: Annotated[
        Path, typer.Option(help="The folder of the report, as `--out` of benchmarks.report.")
    ] = OUT,
    page: Annotated[Path, typer.Option(help="The page to update.")] = PAGE,
) -> None:
    """Write the tables of a report into docs/performance.md, and its flame graph into docs/figures.

    Blocks that the report has not measured stay unchanged.
    """
    try:
        taken = update_docs(report, page)
    except MissingFigureError as lacking:
        typer.echo(str(lacking), err=True)
        raise typer.Exit(1) from None
    typer.echo(f"{page}: {', '.join(taken)}")


def update_docs(folder: Path, page: Path) -> list[str]:
    """Update the page from the report; return the names of the updated blocks and figures. Raises
    :class:`MissingFigureError`."""
    file = folder / "report.md"
    if not file.is_file():
        raise MissingFigureError(f"there is no {file}: python -m benchmarks.report writes it")
    said = file.read_text(encoding="utf-8")
    if "**This is the short form" in said:
        raise MissingFigureError(f"{file} is of the short form, whose figures mean nothing")
    blocks = extract_blocks(said)
    if not blocks:
        raise MissingFigureError(f"{file} has nothing for {page}")
    page.write_text(insert_blocks(page.read_text(encoding="utf-8"), blocks), encoding="utf-8")
    figures = page.parent / "figures"
    figures.mkdir(exist_ok=True)
    drawn = [name for name in FIGURES if (folder / name).is_file()]
    for name in drawn:
        shutil.copyfile(folder / name, figures / name)
    return [*blocks, *drawn]


def extract_blocks(report: str) -> dict[str, str]:
    """The blocks that a report has."""
    found = {name: _under(report, heading) for name, heading in BLOCKS.items()}
    if " --only " in report.partition("\nOnce more: ")[2].partition("\n")[0]:
        found |= dict.fromkeys(_OF_A_WHOLE, "")
    if found["the machine"]:
        rows = [row for row in found["the machine"].splitlines() if _is_of_machine(row)]
        found["the machine"] = "\n".join(["| run |  |", "| --- | --- |", *rows])
    return {name: block for name, block in found.items() if block}


def insert_blocks(page: str, blocks: Mapping[str, str]) -> str:
    """The page with these blocks. Raises :class:`MissingFigureError` if it has no place for one."""
    for name, block in blocks.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise MissingFigureError(f"the page has no place for {name}: {begin} … {end}")
        before, rest = page.split(begin)
        page = f"{before}{begin}\n{block}\n{end}{rest.split(end)[1]}"
    return page


def _under(report: str, heading: str) -> str:
    """The text between a heading and the next one, without plots."""
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#|\Z)", report, re.MULTILINE | re.DOTALL)
    lines = found[1].strip().splitlines() if found else []
    return "\n".join(line for line in lines if not line.startswith("![")).strip()


def _is_of_machine(row: str) -> bool:
    return row.startswith("|") and row.split("|")[1].strip() in _MACHINE


if __name__ == "__main__":
    typer.run(main)
