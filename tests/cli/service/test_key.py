"""``anaphora key`` creates keys that the service accepts."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest
import yaml
from typer.testing import CliRunner

from anaphora.cli import app
from anaphora.errors import AnaphoraError
from anaphora.server.auth.keys import KeyRing
from anaphora.server.settings.model import Settings
from tests.server.routes.test_security import SCOPES


def key(*arguments: str) -> tuple[str, Settings]:
    """The text of the key, and settings with the printed entry."""
    result = CliRunner().invoke(app, ["key", *arguments])
    assert result.exit_code == 0, result.output
    text, _, rest = result.stdout.partition("\n")
    return text, Settings(**yaml.safe_load(rest.partition("settings:\n")[2]))


def test_the_service_accepts_the_printed_key_with_the_printed_entry() -> None:
    text, settings = key("web")
    taken = KeyRing(settings.keys, lambda: datetime.now(UTC)).verify(text)
    assert (taken.id, taken.tenant, taken.scopes) == ("web", "", {"ask", "read"})
    assert text not in json.dumps(settings.model_dump(mode="json"))


def test_a_key_has_the_given_options() -> None:
    text, settings = key(
        *("shop-1", "--tenant", "acme: 7", "--user", "Ann", "--rate", "100/minute"),
        *("--scope", "ask", "--scope", "admin", "--expires", "2027-01-01"),
    )
    then = datetime(2026, 12, 31, tzinfo=UTC)
    taken = KeyRing(settings.keys, lambda: then).verify(text)
    assert (taken.tenant, taken.user, taken.rate) == ("acme: 7", "Ann", "100/minute")
    assert taken.scopes == {"ask", "admin"}
    assert taken.expires == datetime(2027, 1, 1, tzinfo=UTC)


def test_an_expired_key_is_reported() -> None:
    made = CliRunner().invoke(app, ["key", "web", "--expires", "2020-01-01"])
    assert "--expires is in the past" in made.stderr
    assert "in the past" not in made.stdout


def test_keys_are_unique() -> None:
    assert key("web")[0] != key("web")[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a_b",), "ID: expected letters, digits, '.' and '-'"),
        (("web", "--scope", "aks"), "--scope: expected 'ask', 'read', 'write' or 'admin'"),
        (("web", "--rate", "often"), "--rate: expected a rate such as 100/minute"),
        (("web", "--expires", "soon"), "--expires: expected a date such as 2027-01-01"),
        (("web", "--user", ""), "--user: this must not be empty"),
    ],
)
def test_errors_name_the_option(arguments: tuple[str, ...], said: str) -> None:
    error = CliRunner().invoke(app, ["key", *arguments]).exception
    assert isinstance(error, AnaphoraError)
    assert str(error).startswith(said)


WORDS = {
    "/v1/ask": "questions",
    "/v1/dialog": "questions",
    "/v1/ask/events": "questions",
    "/v1/explain": "explanations",
    "/v1/active-model": "active model",
    "/v1/conversation": "conversations",
    "/v1/history": "histories",
    "/v1/recall": "recall",
    "/v1/models": "models",
    "/v1/model": "models",
    "/v1/user": "users",
    "/v1/model/reload": "reload",
    "/v1/model/check": "check",
    "/metrics": "metrics",
    "/v1/agents": "agents",
    "/v1/agents/{agent}/messages": "messages to agents",
    "/v1/agents/{agent}/events": "events of agents",
}
AGENT_MEMORIES = "memories of agents"


def test_the_help_describes_each_scope() -> None:
    output = CliRunner().invoke(app, ["key", "--help"], terminal_width=100).output
    text = " ".join(output.replace("│", " ").split())
    told = dict(re.findall(r"(ask|read|write|admin) \(([^)]*)\)", text))
    for (method, path), scope in SCOPES.items():
        if scope is not None:
            word = WORDS.get(path, AGENT_MEMORIES if "{agent}" in path else "?")
            assert word in told[scope], f"{method} {path}"
    assert "active model" not in told["read"] + told["write"]
