"""``anaphora models``: list the bundled models."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from anaphora.cli.terminal import create_console

__all__ = ["models"]


def models() -> None:
    """List the bundled models.

    Each is a YAML file to learn from; the last line is their folder.

    Example: anaphora models
    """
    from anaphora.models.catalog import model_names, model_path
    from anaphora.models.loader import load_model

    table = Table("name", "languages", "description", box=None, header_style="bold")
    for name in model_names():
        model = load_model(name)
        table.add_row(Text(name), ", ".join(model.languages), Text(model.description))
    out = create_console()
    out.print(table)
    out.print(Text(f"in {model_path(model_names()[0]).parent}", style="dim"))
