"""Format a report as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.report.data import (
    Cell,
    Column,
    LeftOut,
    Output,
    Part,
    Report,
    Section,
    Table,
    Text,
    Verdict,
    Verdicts,
)
from benchmarks.report.rendering.numbers import format_number

_SIGNS = {"met": "✓ met", "missed": "✗ missed", "not measured": "– not measured"}
_SHORT = (
    "**This is the short form: it shows that everything runs. Its sizes are too small for its "
    "figures to mean anything.**"
)


def markdown(report: Report, files: Mapping[str, str]) -> str:
    """The page; ``files`` are the plot files by the names of the plots."""
    return "\n\n".join(_page(report, files)) + "\n"


def _page(report: Report, files: Mapping[str, str]) -> Iterator[str]:
    yield "# Benchmarks"
    if not report.is_whole:
        yield _SHORT
    yield _table(Table("", (Column("run"), Column("")), report.head))
    yield f"Once more: `{report.again}`"
    yield "## Aims"
    yield _verdicts(report.aims, "aim")
    for section in report.sections:
        yield from _section(section, files)
    left_out = [*report.left_out, *(one for each in report.sections for one in each.left_out)]
    if left_out:
        yield "## Not run"
        yield _left_out(left_out)


def _section(section: Section, files: Mapping[str, str]) -> Iterator[str]:
    yield f"## {section.title}"
    yield section.intro
    for part in section.parts:
        yield from _part(part, files)


def _part(part: Part, files: Mapping[str, str]) -> Iterator[str]:
    match part:
        case Table():
            if part.title:
                yield f"### {part.title}"
            yield _table(part)
            if part.note:
                yield part.note
        case Verdicts():
            yield f"### {part.title}"
            yield _verdicts(part.verdicts, "cost")
        case Text():
            yield part.text
        case Output():
            yield f"```text\n{part.text.strip()}\n```"
        case plot:
            yield f"![{plot.title}]({files[plot.name]})"


def _verdicts(verdicts: tuple[Verdict, ...], what: str) -> str:
    rows = tuple(
        (one.what, one.expected, one.measured, _SIGNS[one.word], one.note) for one in verdicts
    )
    heads = [what, "expected" if what != "aim" else "aimed at", "measured", "verdict", "note"]
    kept = [number for number in range(5) if number < 4 or any(row[4] for row in rows)]
    return _table(
        Table(
            "",
            tuple(Column(heads[number]) for number in kept),
            tuple(tuple(row[number] for number in kept) for row in rows),
        )
    )


def _left_out(left_out: list[LeftOut]) -> str:
    reasons: dict[str, list[str]] = {}
    for one in left_out:
        reasons.setdefault(one.why, []).append(one.what)
    return "\n".join(f"- {', '.join(what)}: {why}" for why, what in reasons.items())


def _table(table: Table) -> str:
    lines = ["| " + " | ".join(_cell(column.name) for column in table.columns) + " |"]
    rules = (_rule(table, place) for place in range(len(table.columns)))
    lines.append("| " + " | ".join(rules) + " |")
    lines += [
        "| "
        + " | ".join(_value(cell, column) for cell, column in zip(row, table.columns, strict=True))
        + " |"
        for row in table.rows
    ]
    return "\n".join(lines)


def _rule(table: Table, place: int) -> str:
    """The alignment of a column: numbers to the right."""
    cells = [row[place] for row in table.rows]
    is_number = any(isinstance(cell, int | float) for cell in cells)
    return "---:" if is_number and not any(isinstance(cell, str) for cell in cells) else "---"


def _value(cell: Cell, column: Column) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return _cell(cell)
    return format_number(cell, column.unit)


def _cell(text: str) -> str:
    """A text escaped for a table cell: one line, bars escaped."""
    return " ".join(text.split()).replace("|", "\\|")
