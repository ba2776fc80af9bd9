"""``anaphora doctor``: the command and its output."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from anaphora.cli.service.extras import SERVER_EXTRA, require_extra
from anaphora.cli.service.serve import ConfigOption
from anaphora.cli.terminal import create_console, exit_if_interrupted

if TYPE_CHECKING:
    from anaphora.cli.service.doctor.finding import Finding

__all__ = ["doctor"]

_STYLES = {"ok": "green", "warning": "yellow", "error": "red"}


def doctor(
    *,
    file: ConfigOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the findings as one JSON object.")
    ] = False,
) -> None:
    """Check a deployment: settings, models, stores, clocks, versions, permissions and disks.

    Checks what the settings of 'anaphora serve' name, says what is wrong and how to mend it, and
    changes nothing. Run it as the user of the service, which may be running. The exit code is 0 if
    there are no errors (there may be warnings), else 1.

    Example: anaphora doctor --config anaphora.yaml
    """
    with require_extra(*SERVER_EXTRA):
        from anaphora.cli.service.doctor.deployment import check_deployment

    with exit_if_interrupted():
        found = [*check_deployment(file)] if as_json else _print_each(check_deployment(file))
    counts = Counter(one.status for one in found)
    if as_json:
        content = {"ok": not counts["error"], "findings": [asdict(one) for one in found]}
        typer.echo(json.dumps(content, ensure_ascii=False, indent=2))
    else:
        typer.echo(f"{_count(counts['error'], 'error')}, {_count(counts['warning'], 'warning')}")
    if counts["error"]:
        raise typer.Exit(1)


def _print_each(findings: Iterable[Finding]) -> list[Finding]:
    """Print the findings as they come."""
    console = create_console()
    printed = []
    for one in findings:
        line = Text(f"{one.status:8}", style=_STYLES[one.status])
        console.print(line + Text(f"{one.subject:10}{one.message}"))
        if one.hint:
            console.print(Text(f"{'':18}→ {one.hint}"))
        printed.append(one)
    return printed


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
