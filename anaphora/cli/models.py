"""``anaphora models``: the models that come with the package."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from anaphora.cli.terminal import console

__all__ = ["models"]


def models() -> None:
    """List the bundled models.

    Each is a YAML file to learn from; the last line says where they are.

    Example: anaphora models
    """
    from anaphora.models.catalog import names, path
    from anaphora.models.loader import load_model

    table = Table("name", "languages", "description", box=None, header_style="bold")
    for name in names():
        model = load_model(name)
        table.add_row(Text(name), ", ".join(model.languages), Text(model.description))
    out = console()
    out.print(table)
    out.print(Text(f"in {path(names()[0]).parent}", style="dim"))
