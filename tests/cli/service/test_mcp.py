"""``anaphora mcp``: its options; tests/mcp tests the server itself."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from anaphora import Agent, Engine, mcp
from anaphora.cli import app
from anaphora.errors import AnaphoraError


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["mcp", *arguments])


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Record the arguments of the server instead of serving."""
    found: dict[str, Any] = {}

    def create(engine: Engine, *, agents: list[Agent], user: str) -> str:
        found.update(
            agents=[(agent.name, agent.memory.url) for agent in agents],
            models=[model.id for model in engine.models],
            store=type(engine.store).__name__,
            user=user,
        )
        return "the server"

    monkeypatch.setattr(mcp, "create_server", create)
    monkeypatch.setattr(mcp, "serve_stdio", lambda server: found.update(by="stdio"))
    monkeypatch.setattr(
        mcp, "serve_http", lambda server, address, started: found.update(by=address)
    )
    return found


def test_stdio_and_a_store_in_memory_are_the_defaults(
    served: dict[str, Any],
) -> None:
    result = run("cafe")
    assert (result.exit_code, result.output) == (0, "")
    assert served == {
        "models": ["cafe"],
        "agents": [],
        "store": "MemoryStore",
        "user": "user",
        "by": "stdio",
    }


def test_models_store_and_user_can_be_given(served: dict[str, Any], tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/bot.db"
    assert run("cafe", "sales", "--store", url, "--user", "ann").exit_code == 0
    assert served["models"] == ["cafe", "sales"]
    assert (served["store"], served["user"]) == ("SqliteStore", "ann")


def test_settings_of_the_service_give_models_and_store(
    served: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "anaphora.yaml"
    file.write_text(f"models: [sales, cafe]\nstore: sqlite:///{tmp_path}/bot.db\n", "utf-8")
    assert run("--config", str(file)).exit_code == 0
    assert (served["models"], served["store"]) == (["sales", "cafe"], "SqliteStore")


def test_settings_without_the_server_extra_name_the_package_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("anaphora.server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic_settings", None)
    file = tmp_path / "anaphora.yaml"
    file.write_text("models: [sales]\n", "utf-8")
    needed = "this command needs the package pydantic_settings: pip install 'anaphora[server]'"
    assert str(run("--config", str(file)).exception) == needed


def test_the_command_line_takes_precedence_over_the_settings(
    served: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "anaphora.yaml"
    file.write_text(f"models: [sales]\nstore: sqlite:///{tmp_path}/bot.db\n", "utf-8")
    assert run("cafe", "--config", str(file), "--store", "memory:").exit_code == 0
    assert (served["models"], served["store"]) == (["cafe"], "MemoryStore")


def test_an_address_selects_http(served: dict[str, Any]) -> None:
    assert run("cafe", "--http", "127.0.0.1:8090").exit_code == 0
    assert served["by"] == "127.0.0.1:8090"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("0.0.0.0:8090", "not an address of this machine"),
        (":8090x", "is not an address"),
        ("127.0.0.1", "is not an address"),
        ("127.0.0.1:", "is not an address"),
        ("127.0.0.1:99999", "is not an address"),
        ("127.0.0.1:-1", "is not an address"),
        ("example.com:80", "not an address of this machine"),
        ("[2001:db8::1]:80", "not an address of this machine"),
        ("localhost.example.com:80", "not an address of this machine"),
    ],
)
def test_only_addresses_of_this_machine_are_accepted(address: str, said: str) -> None:
    result = run("cafe", "--http", address)
    assert isinstance(result.exception, AnaphoraError)
    assert said in str(result.exception)


@pytest.mark.parametrize(
    ("address", "host", "port"),
    [
        ("8090", "127.0.0.1", 8090),
        (":8090", "127.0.0.1", 8090),
        ("localhost:0", "localhost", 0),
        ("127.0.0.2:80", "127.0.0.2", 80),
        ("[::1]:8090", "::1", 8090),
    ],
)
def test_an_address_may_be_written_in_several_ways(address: str, host: str, port: int) -> None:
    from anaphora.mcp.transports import parse_address

    assert parse_address(address) == (host, port)


def test_a_port_in_use_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run("cafe", "--http", f"127.0.0.1:{taken.getsockname()[1]}")
    assert isinstance(result.exception, AnaphoraError)
    assert "cannot listen to 127.0.0.1:" in str(result.exception)


def test_an_unknown_model_or_store_is_an_error(served: dict[str, Any]) -> None:
    for arguments in (["coffee"], ["cafe", "--store", "nosuch://x"]):
        result = run(*arguments)
        assert isinstance(result.exception, AnaphoraError)
        assert result.stdout == ""
    assert not served


def test_an_unreachable_redis_is_an_error_at_the_start(served: dict[str, Any]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        result = run("cafe", "--store", f"redis://127.0.0.1:{free.getsockname()[1]}")
    assert isinstance(result.exception, AnaphoraError)
    assert "cannot be reached" in str(result.exception)
    assert "by" not in served


def test_a_missing_sdk_names_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("anaphora.mcp", "mcp."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    result = run("cafe")
    assert isinstance(result.exception, AnaphoraError)
    assert "pip install 'anaphora[mcp]'" in str(result.exception)


def test_agents_share_a_memory(served: dict[str, Any], tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    names = ("--agent", "assistant", "--agent", "dungeon-master")
    given = ("--memory", url, "--chat-model-url", "http://localhost/v1")
    assert run("cafe", *names, *given).exit_code == 0
    assert served["agents"] == [("assistant", url), ("dungeon-master", url)]
