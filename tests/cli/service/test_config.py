"""``anaphora config`` shows the effective settings with their origins, and no secrets."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from anaphora.cli import app
from anaphora.errors import AnaphoraError
from anaphora.server.settings.loader import load_settings
from anaphora.server.settings.model import Settings

HASH = f"sha256:{'ab' * 32}"


pytestmark = pytest.mark.usefixtures("no_settings")


def config(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["config", *arguments])


def lines(text: str) -> dict[str, str]:
    """The lines of the output by the names of the settings."""
    parts = (line.split("  # ") for line in text.splitlines() if "  # " in line)
    return {said.partition(":")[0].strip(): origin.strip() for said, origin in parts}


def test_each_setting_is_shown_with_its_origin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.yaml").write_text("port: 80\nlog:\n  level: debug\nworkers: 2\n")
    monkeypatch.setenv("ANAPHORA_WORKERS", "3")
    result = config("--config", "bot.yaml")
    assert result.exit_code == 0
    found = lines(result.output)
    assert found["port"] == "bot.yaml:1"
    assert found["level"] == "bot.yaml:3"
    assert found["workers"] == "ANAPHORA_WORKERS"
    assert found["threads"] == found["texts"] == "default"
    assert {"port": 80, "workers": 3}.items() <= yaml.safe_load(result.output).items()


def test_the_output_is_a_valid_settings_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAPHORA_MODELS", "sales, 'odd: name', no, é")
    monkeypatch.setenv("ANAPHORA_CORS", "https://example.org")
    monkeypatch.setenv("ANAPHORA_STORE", "memory:")
    monkeypatch.setenv("ANAPHORA_DEFAULT_RATE", "100/minute")
    before = load_settings()
    (tmp_path / "again.yaml").write_text(config().output, encoding="utf-8")
    monkeypatch.delenv("ANAPHORA_MODELS")
    monkeypatch.delenv("ANAPHORA_CORS")
    monkeypatch.delenv("ANAPHORA_DEFAULT_RATE")
    assert load_settings(Path("again.yaml")) == before != Settings()


@pytest.mark.parametrize(
    ("store", "shown"),
    [
        ("redis://ann:s3cret@host/0", "redis://ann:***@host/0"),
        ("redis://:s3cret@host", "redis://:***@host"),
        ("redis://ann:s3c@ret@host", "redis://ann:***@host"),
        ("redis://host/0?password=s3cret&prefix=a", "redis://host/0?password=***&prefix=a"),
        (
            "redis+sentinel://a:s3cret@one,two/bot?sentinel_password=s3cret",
            "redis+sentinel://a:***@one,two/bot?sentinel_password=***",
        ),
        ("sqlite:///bot@home.db", "sqlite:///bot@home.db"),
        ("redis://host:6379/0", "redis://host:6379/0"),
    ],
)
def test_passwords_are_masked(store: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAPHORA_STORE", store)
    assert yaml.safe_load(config().output)["store"] == shown


def test_the_hashes_of_keys_are_masked(tmp_path: Path) -> None:
    text = f"keys:\n  - {{id: web, hash: '{HASH}', scopes: [ask], tenant: acme}}\n"
    (tmp_path / "anaphora.yaml").write_text(text)
    shown = config().output
    assert HASH not in shown
    (key,) = yaml.safe_load(shown)["keys"]
    assert key == {"id": "web", "hash": "***", "tenant": "acme", "scopes": ["ask"]}
    assert "# anaphora.yaml:2" in shown


def test_check_prints_nothing_for_valid_settings() -> None:
    result = config("--check")
    assert (result.exit_code, result.output) == (0, "")


def test_check_prints_mistakes(tmp_path: Path) -> None:
    (tmp_path / "anaphora.yaml").write_text("prot: 80\n")
    error = config("--check").exception
    assert isinstance(error, AnaphoraError)
    assert "anaphora.yaml:1:1: unknown setting 'prot'" in str(error)
