"""``anaphora serve`` rejects unsafe and invalid settings before it starts, with clear messages."""

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
    """Hide the settings of the machine, and fail if a service starts."""

    def serve(*_: object, **__: object) -> None:
        raise AssertionError("it serves")

    # Not patched by name: a test that reloads the module leaves the old package without it.
    serving = import_module("anaphora.server.processes.workers")
    monkeypatch.setattr(serving, "_run_here", serve)
    monkeypatch.setattr(serving, "_run_workers", serve)
    monkeypatch.setattr(serving, "configure_logs", lambda _: None)


def serve(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["serve", "--port", "0", *arguments])


def refusal(*arguments: str) -> str:
    """The error message of a refused start; ``main`` prints it and exits with 2."""
    result = serve(*arguments)
    assert isinstance(result.exception, AnaphoraError), result.exception
    return str(result.exception)


def test_several_workers_need_a_shared_store() -> None:
    said = refusal("--workers", "2")
    assert said.startswith("2 workers cannot share the store 'memory:'")
    assert "--store sqlite:///" in said


def test_agents_of_several_workers_need_a_shared_memory() -> None:
    said = refusal("--workers", "2", "--store", "sqlite:///x.db", "--agent", "assistant")
    assert said.startswith("2 workers cannot share agents without a long-term memory")
    assert "--memory sqlite:///" in said


def test_an_agent_without_an_endpoint_is_refused() -> None:
    assert "names no endpoint" in refusal("weather", "--agent", "assistant")


def test_two_agents_of_one_name_are_refused() -> None:
    url = ("--chat-model-url", "http://localhost/v1")
    said = refusal("weather", *url, "--agent", "assistant", "--agent", "assistant")
    assert said == "two agents are called 'assistant': rename one"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_without_keys_only_this_machine_is_served(host: str) -> None:
    said = refusal("--host", host)
    assert f"without keys, everyone who reaches {host} could ask" in said
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
def test_safe_settings_are_accepted(arguments: tuple[str, ...]) -> None:
    assert isinstance(serve("sales", *arguments).exception, AssertionError)


def test_with_a_key_any_address_is_accepted(tmp_path: Path) -> None:
    hash = f"sha256:{'ab' * 32}"
    (tmp_path / "anaphora.yaml").write_text(
        f"models: [sales]\nkeys:\n  - {{id: web, hash: '{hash}', scopes: [ask]}}\n"
    )
    assert isinstance(serve("--host", "0.0.0.0").exception, AssertionError)


@pytest.fixture
def taken() -> Iterator[int]:
    """A port in use."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_a_port_in_use_is_an_error(taken: int) -> None:
    said = refusal("sales", "--port", str(taken))
    assert said.startswith(f"port {taken} of 127.0.0.1 is in use")
    assert "--port 0" in said


def test_an_invalid_host_is_an_error() -> None:
    said = refusal("sales", "--host", "no.such.host.invalid")
    assert said.startswith("cannot listen at 'no.such.host.invalid'")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://127.0.0.1:1", ""),
        ("sqlite:////no/such/folder/kept.db", ""),
        ("mysql://localhost", "no store has a URL that begins with"),
        ("postgresql://ann:s3cret@127.0.0.1:1/db", "it cannot be reached"),
        ("memory:?wiat=5", "did you mean 'wait'?"),
    ],
)
def test_an_unreachable_store_is_an_error(url: str, said: str) -> None:
    found = refusal("sales", "--store", url)
    assert said in found
    assert "Traceback" not in found


def test_errors_contain_no_password() -> None:
    for scheme in ("redis", "postgresql"):
        said = refusal("sales", "--store", f"{scheme}://ann:s3cret@127.0.0.1:1")
        assert "s3cret" not in said


def test_mistakes_of_a_model_are_reported_as_by_check(tmp_path: Path) -> None:
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
def test_an_invalid_argument_is_named(arguments: tuple[str, ...], said: str) -> None:
    assert said in refusal(*arguments)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "anaphora.server.processes.workers")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    needed = "this command needs the package uvicorn: pip install 'anaphora[server]'"
    assert refusal("sales") == needed


def test_the_help_describes_each_option_with_examples() -> None:
    text = CliRunner().invoke(app, ["serve", "--help"]).output
    assert "anaphora serve weather --reload" in text
    for option in ("--store", "--host", "--port", "--workers", "--config", "--reload", "--open"):
        assert option in text


def test_a_refusal_exits_with_2_and_without_traceback(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, "sales", "--workers", "2").start()
    try:
        assert server.process.wait(60) == 2
        assert server.errors.startswith("Error: 2 workers cannot share")
        assert "Traceback" not in server.errors
        assert server.output == ""
    finally:
        server.__exit__()
