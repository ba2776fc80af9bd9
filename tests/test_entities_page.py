"""The page on entities names all that is built in."""

from __future__ import annotations

import re

from anaphora.models.builtin import BUILT_IN

from .pages import ROOT

PAGE = (ROOT / "docs" / "entities.md").read_text(encoding="utf-8")


def rows(header: str) -> list[list[str]]:
    """The cells of all tables whose first line is ``header``."""
    tables = PAGE.split(f"{header}\n")[1:]
    return [
        [cell.strip() for cell in row.split("|")[1:-1]]
        for table in tables
        for row in table.split("\n\n")[0].splitlines()[1:]
    ]


def test_the_table_has_each_entity_with_its_description_and_options() -> None:
    assert rows("| name | what it finds | options |") == [
        [f"`{one.name}`", one.description, ", ".join(f"`{key}`" for key in one.options)]
        for one in BUILT_IN.values()
    ]


def test_options_are_told_with_their_defaults() -> None:
    told = {name.strip("`"): default.strip("`") for name, default, _ in rows(
        "| option | default | what it says |"
    )}  # fmt: skip
    for entity in ("date", "place"):
        for name, option in BUILT_IN[entity].options.items():
            assert name in told
            if option.default and not isinstance(option.default, tuple):
                assert told[name] == str(option.default)
    every = {name for one in BUILT_IN.values() for name in one.options}
    assert every <= set(re.findall(r"`(\w+)`", PAGE))
