"""``anaphora wyoming``: its options; tests/wyoming tests the server itself."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from anaphora import Engine
from anaphora.cli import app
from anaphora.errors import AnaphoraError

ADDRESS = "tcp://127.0.0.1:10500"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["wyoming", *arguments])


def refusal(*arguments: str) -> str:
    """The error message of a refused start; ``main`` prints it and exits with 2."""
    result = run(*arguments)
    assert isinstance(result.exception, AnaphoraError), result.exception
    return str(result.exception)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Record the arguments of the server instead of serving."""
    found: dict[str, Any] = {"is_busy": False}

    def serve(engine: Engine, uri: str, *, answers: str, started: Callable[[str], object]) -> bool:
        found.update(
            models=[model.id for model in engine.models],
            store=type(engine.store).__name__,
            memory=type(engine.long_term).__name__,
            uri=uri,
            answers=answers,
        )
        started(uri)
        return bool(found.pop("is_busy"))

    # Not patched by name: a test that reloads the module leaves the old package without it.
    monkeypatch.setattr(import_module("anaphora.wyoming.process"), "serve", serve)
    return found


def test_a_model_is_served_to_this_machine_from_memory(served: dict[str, Any]) -> None:
    result = run("cafe")
    assert result.exit_code == 0
    assert result.output == f"Anaphora answers at {ADDRESS} (Ctrl-C stops it)\n"
    assert served == {
        "models": ["cafe"],
        "store": "MemoryStore",
        "memory": "NoneType",
        "uri": ADDRESS,
        "answers": "auto",
    }


def test_store_memory_cache_and_answers_can_be_given(
    served: dict[str, Any], tmp_path: Path
) -> None:
    store, memory = f"sqlite:///{tmp_path}/bot.db", f"sqlite:///{tmp_path}/memory.db"
    given = ("--store", store, "--memory", memory, "--cache", str(tmp_path / "cache"))
    assert run("cafe", "sales", *given, "--answers", "intent").exit_code == 0
    assert served["models"] == ["cafe", "sales"]
    assert (served["store"], served["memory"]) == ("SqliteStore", "LongTermMemory")
    assert served["answers"] == "intent"
    assert list((tmp_path / "cache").iterdir())


def test_other_machines_are_admitted_only_if_it_is_said(served: dict[str, Any]) -> None:
    uri = "tcp://0.0.0.0:10500"
    message = refusal("cafe", "--uri", uri)
    assert message.startswith(f"other machines can reach {uri}, and the Wyoming protocol has no ke")
    assert "--open" in message
    assert "uri" not in served
    assert run("cafe", "--uri", uri, "--open").exit_code == 0
    assert served["uri"] == uri


@pytest.mark.parametrize(
    "uri", ["tcp://localhost:0", "tcp://[::1]:80", "tcp://127.0.0.2:80/", "unix:///run/x.sock"]
)
def test_addresses_of_this_machine_need_no_permission(served: dict[str, Any], uri: str) -> None:
    assert run("cafe", "--uri", uri).exit_code == 0
    assert served["uri"] == uri


@pytest.mark.parametrize(
    "uri",
    [
        "127.0.0.1:10500",
        "tcp://127.0.0.1",
        "tcp://:10500",
        "tcp://127.0.0.1:port",
        "tcp://127.0.0.1:99999",
        "tcp://127.0.0.1:10500/path",
        "tcp://[::1:10500",
        "http://127.0.0.1:10500",
        "stdio://",
        "unix://home.sock",
        "unix:",
        "",
    ],
)
def test_what_is_no_address_is_an_error(uri: str) -> None:
    assert refusal("cafe", "--uri", uri, "--open") == (
        f"'{uri}' is not an address of a server: write tcp://127.0.0.1:10500 or "
        "unix:///run/anaphora.sock"
    )


def test_an_address_in_use_is_an_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        uri = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        assert refusal("cafe", "--uri", uri).startswith(f"cannot listen at {uri}: ")
    path = tmp_path / "home.sock"
    with socket.socket(socket.AF_UNIX) as taken:
        taken.bind(str(path))
        taken.listen()
        message = refusal("cafe", "--uri", f"unix://{path}")
    assert message == f"cannot listen at unix://{path}: another server uses it"


def test_another_file_is_not_replaced_by_a_socket(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("important", encoding="utf-8")
    message = refusal("cafe", "--uri", f"unix://{path}")
    assert message == f"cannot listen at unix://{path}: another file is there"
    assert path.read_text(encoding="utf-8") == "important"


def test_a_folder_that_is_missing_is_an_error(tmp_path: Path) -> None:
    message = refusal("cafe", "--uri", f"unix://{tmp_path}/missing/home.sock")
    assert message.endswith("/missing/home.sock: No such file or directory")


def test_an_unknown_model_or_store_is_an_error(served: dict[str, Any]) -> None:
    for arguments in (["coffee"], ["cafe", "--store", "nosuch://x"]):
        refusal(*arguments)
        assert "uri" not in served


def test_a_missing_package_names_the_one_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("anaphora.wyoming", "wyoming"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "wyoming", None)
    assert "pip install 'anaphora[wyoming]'" in refusal("cafe")


def test_a_handler_that_never_returns_does_not_keep_the_process_alive(
    served: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    served["is_busy"] = True
    run("cafe")
    assert codes == [0]
