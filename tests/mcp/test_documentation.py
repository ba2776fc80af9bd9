"""The page of the MCP server: what it tells agents to start can be started."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from anaphora import Agent
from anaphora.cli import app
from tests.documentation.examples import ROOT, page_examples
from tests.mcp.conftest import Shop

PAGE = ROOT / "docs" / "mcp.md"


def test_what_agents_are_told_to_start_starts() -> None:
    (example,) = (one for one in page_examples(PAGE) if one.language == "json")
    (server,) = json.loads(example.text)["mcpServers"].values()
    assert server["command"] == "anaphora"
    result = CliRunner().invoke(app, server["args"], input="")
    assert (result.exit_code, result.output) == (0, "")


@pytest.mark.parametrize("what", ["name", "arguments"])
def test_every_tool_and_every_argument_is_told_of(shop: Shop, ada: Agent, what: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for tool in shop.visit(lambda client: client.list_tools(), agents=[ada]).tools:
        (row,) = (line for line in text.splitlines() if line.startswith(f"| `{tool.name}` |"))
        told = row.split("|")[2]
        if what == "arguments":
            assert told.replace("`", "").replace(",", "").split() == list(
                tool.input_schema["properties"]
            )
