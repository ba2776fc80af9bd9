"""The page on entities documents all built-in entities and their options."""

from __future__ import annotations

import re

from anaphora.models.schema.builtin_entities import BUILTIN_ENTITIES
from anaphora.models.schema.json_schema import json_schema
from tests.documentation.examples import ROOT

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
        for one in BUILTIN_ENTITIES.values()
    ]


def options_on_the_page() -> dict[str, dict[str, tuple[str, str]]]:
    """The options of each entity by name, with the default and the description on the page."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for header in re.findall(r"^\| option of .+ \|$", PAGE, re.MULTILINE):
        entities = re.findall(r"`(\w+)`", header.split("|")[1])
        for name, default, said in rows(header):
            for entity in entities:
                found.setdefault(entity, {})[name.strip("`")] = (default.strip("`"), said)
    return found


def test_each_option_of_each_entity_is_described_with_its_default() -> None:
    page = options_on_the_page()
    assert {entity: set(options) for entity, options in page.items()} == {
        one.name: set(one.options) for one in BUILTIN_ENTITIES.values() if one.options
    }
    for entity, options in page.items():
        for name, (default, said) in options.items():
            option = BUILTIN_ENTITIES[entity].options[name]
            assert said
            if option.default and not isinstance(option.default, tuple):
                assert default == str(option.default)
            for choice in filter(None, option.choices):
                assert f"`{choice}`" in said, (entity, name, choice)


def test_the_schema_describes_the_options_of_each_entity() -> None:
    for rule in json_schema()["$defs"]["ElementSchema"]["allOf"]:
        entity = BUILTIN_ENTITIES[rule["if"]["properties"]["recognizer"]["const"]]
        described = rule["then"]["properties"]["config"]["properties"]
        assert {name: one["description"] for name, one in described.items()} == {
            name: option.description for name, option in entity.options.items()
        }
