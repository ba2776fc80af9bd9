"""``anaphora serve`` refuses what would go wrong before anybody can reach it, and says it well."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from anaphora.cli import app
from anaphora.errors import AnaphoraError
from tests.server.server_process import ServerProcess


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, no_settings: None) -> None:
    """No settings of whoever runs the tests; and should it serve after all, it fails."""

    def serve(*_: object, **__: object) -> None:
        raise AssertionError("it serves")

    # Not by its name: a test that loads it anew leaves the old package without it.
    serving = import_module("anaphora.server.processes.workers")
    monkeypatch.setattr(serving, "_run_here", serve)
    monkeypatch.setattr(serving, "_run_workers", serve)
    monkeypatch.setattr(serving, "configure_logs", lambda _: None)


def serve(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["serve", "--port", "0", *arguments])


def refusal(*arguments: str) -> str:
    """What is said when it doesn't serve; ``main`` prints it and exits with 2."""
    result = serve(*arguments)
    assert isinstance(result.exception, AnaphoraError), result.exception
    return str(result.exception)


def test_several_workers_cannot_share_the_memory_of_a_process() -> None:
    said = refusal("--workers", "2")
    assert said.startswith("2 workers cannot share the store 'memory:'")
    assert "--store sqlite:///" in said


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_without_keys_nobody_beyond_this_machine_is_served(host: str) -> None:
    said = refusal("--host", host)
    assert f"without keys anyone who reaches {host} could ask" in said
    assert "anaphora key" in said
    assert "--open" in said


@pytest.mark.parametrize(
    "arguments",
    [
        ("--host", "0.0.0.0", "--open"),
        ("--host", "localhost"),
        ("--host", "127.0.0.2"),
        ("--workers", "2", "--store", "sqlite:///kept.db"),
    ],
)
def test_what_is_safe_is_not_refused(arguments: tuple[str, ...]) -> None:
    assert isinstance(serve("sales", *arguments).exception, AssertionError)


def test_with_a_key_everybody_may_reach_it(tmp_path: Path) -> None:
    hash = f"sha256:{'ab' * 32}"
    (tmp_path / "anaphora.yaml").write_text(
        f"models: [sales]\nkeys:\n  - {{id: web, hash: '{hash}', scopes: [ask]}}\n"
    )
    assert isinstance(serve("--host", "0.0.0.0").exception, AssertionError)


@pytest.fixture
def taken() -> Iterator[int]:
    """A port at which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_a_port_in_use_is_told(taken: int) -> None:
    said = refusal("sales", "--port", str(taken))
    assert said.startswith(f"port {taken} of 127.0.0.1 is in use")
    assert "--port 0" in said


def test_a_host_that_is_none_is_told() -> None:
    said = refusal("sales", "--host", "no.such.host.invalid")
    assert said.startswith("cannot listen at 'no.such.host.invalid'")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://127.0.0.1:1", ""),
        ("sqlite:////no/such/folder/kept.db", ""),
        ("postgres://localhost", "no store has a URL that begins with"),
        ("memory:?wiat=5", "did you mean 'wait'?"),
    ],
)
def test_a_store_that_cannot_be_reached_is_told(url: str, said: str) -> None:
    found = refusal("sales", "--store", url)
    assert said in found
    assert "Traceback" not in found


def test_a_password_is_not_in_what_is_told() -> None:
    assert "s3cret" not in refusal("sales", "--store", "redis://ann:s3cret@127.0.0.1:1")


def test_a_model_with_mistakes_is_told_as_check_tells_it(tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text("id: wrong\nelemnts: []\n")
    said = refusal("wrong.yaml")
    checked = CliRunner().invoke(app, ["check", "wrong.yaml"])
    assert "wrong.yaml:2:1: unknown key 'elemnts'" in said
    assert said in checked.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--workers", "0"), "--workers: expected at least 1"),
        (("--port", "70000"), "--port: expected at most 65535"),
        (("--log-level", "loud"), "--log-level: expected 'debug', 'info'"),
        (("nothing.yaml",), "nothing.yaml"),
    ],
)
def test_a_wrong_argument_is_told_by_its_name(arguments: tuple[str, ...], said: str) -> None:
    assert said in refusal(*arguments)


def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "anaphora.server.processes.workers")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    needed = "this command needs the package uvicorn: pip install 'anaphora[server]'"
    assert refusal("sales") == needed


def test_the_help_says_what_each_option_is_for_with_examples() -> None:
    text = CliRunner().invoke(app, ["serve", "--help"]).output
    assert "anaphora serve weather --reload" in text
    for option in ("--store", "--host", "--port", "--workers", "--config", "--reload", "--open"):
        assert option in text


def test_a_refusal_ends_with_the_exit_code_2_and_no_traceback(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, "sales", "--workers", "2").start()
    try:
        assert server.process.wait(60) == 2
        assert server.errors.startswith("Error: 2 workers cannot share")
        assert "Traceback" not in server.errors
        assert server.output == ""
    finally:
        server.__exit__()
