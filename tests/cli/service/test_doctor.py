"""``anaphora doctor`` checks a deployment and says how to mend it."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections import namedtuple
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
import redis
from typer.testing import CliRunner, Result

from anaphora import store_at
from anaphora.agents.store.urls import open_agent_store
from anaphora.cli import app
from anaphora.cli.service.doctor import files
from anaphora.cli.service.doctor.deployment import check_deployment
from anaphora.cli.service.doctor.finding import Finding, check_clock
from anaphora.ltm.memory import LongTermMemory
from tests.support.plain_models import PLAIN_WEATHER
from tests.support.postgres_server import postgres_server  # noqa: F401 - a fixture
from tests.support.redis_server import redis_server  # noqa: F401 - a fixture

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)

pytestmark = pytest.mark.usefixtures("no_settings")


def doctor(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["doctor", *arguments])


@pytest.fixture
def findings(tmp_path):
    """The findings about a deployment with these settings, by subject."""

    def find(clock=lambda: datetime.now(UTC), **settings) -> dict[str, list[Finding]]:
        file = tmp_path / "settings.json.yaml"
        file.write_text(json.dumps({"models": [PLAIN_WEATHER], **settings}))
        file.chmod(0o600)
        found: dict[str, list[Finding]] = {}
        for one in check_deployment(file, clock=clock):
            found.setdefault(one.subject, []).append(one)
        return found

    return find


def faults(found: list[Finding]) -> list[tuple[str, str]]:
    return [(one.status, one.message) for one in found if one.status != "ok"]


def test_a_sound_deployment_has_no_fault(tmp_path, findings):
    store_at(f"sqlite:///{tmp_path}/bot.db").close()
    LongTermMemory(f"sqlite:///{tmp_path}/memory.db", summarizer=None).close()
    open_agent_store(f"sqlite:///{tmp_path}/memory-agents.db").close()
    found = findings(
        store=f"sqlite:///{tmp_path}/bot.db",
        memory={"url": f"sqlite:///{tmp_path}/memory.db", "journal": str(tmp_path / "journal")},
        agents=["assistant"],
        cache=str(tmp_path / "cache"),
    )
    found.pop("disk")  # is what it is
    assert [one for each in found.values() for one in faults(each)] == []
    assert {*found} == {"versions", "settings", "models", "store", "memory", "agents", "cache"}
    assert not (tmp_path / "cache").exists()


def test_nothing_is_created(tmp_path, findings):
    found = findings(store=f"sqlite:///{tmp_path}/new/bot.db", cache=str(tmp_path / "cache"))
    assert faults(found["store"]) == []
    assert found["store"][-1].message.endswith("bot.db will be created")
    assert {path.name for path in tmp_path.iterdir()} == {"settings.json.yaml"}


def test_the_exit_code_is_1_for_an_error_and_0_for_warnings(tmp_path, monkeypatch):
    monkeypatch.setenv("ANAPHORA_MODELS", PLAIN_WEATHER)
    result = doctor()
    assert result.exit_code == 0
    assert "a restart forgets them" in result.output
    assert "→ keep them in a file or in Redis" in result.output
    assert result.output.endswith("no errors, 1 warning\n")
    monkeypatch.setenv("ANAPHORA_MODELS", "nope")
    result = doctor()
    assert result.exit_code == 1
    assert result.output.endswith("1 error, 1 warning\n")


def test_json_has_all_findings(monkeypatch):
    monkeypatch.setenv("ANAPHORA_MODELS", "nope")
    result = doctor("--json")
    assert result.exit_code == 1
    content = json.loads(result.output)
    assert content["ok"] is False
    (model,) = [one for one in content["findings"] if one["subject"] == "models"]
    assert model["status"] == "error"
    assert model["hint"] == "see 'anaphora check nope'"


def test_wrong_settings_are_reported_with_their_position(tmp_path):
    (tmp_path / "bot.yaml").write_text("port: http\n")
    result = doctor("--config", str(tmp_path / "bot.yaml"))
    assert result.exit_code == 1
    assert "bot.yaml:1" in result.output


def test_settings_with_which_the_service_does_not_start_are_errors(findings):
    (fault,) = faults(findings(workers=2)["settings"])
    assert fault[0] == "error"
    assert "2 workers cannot share the store" in fault[1]


@pytest.mark.skipif(os.name == "nt", reason="no modes")
def test_files_that_others_can_read_are_warned_of(tmp_path, findings):
    path = tmp_path / "bot.db"
    store_at(f"sqlite:///{path}").close()
    path.chmod(0o644)
    found = findings(store=f"sqlite:///{path}")
    assert faults(found["store"]) == [("warning", f"others may access {path} (its mode is 644)")]
    assert [one.hint for one in found["store"] if one.hint] == [f"chmod 600 {path}"]
    (tmp_path / "secret.yaml").write_text("store: redis://:secret@127.0.0.1:1/0\n")
    (tmp_path / "secret.yaml").chmod(0o640)
    result = doctor("--config", str(tmp_path / "secret.yaml"))
    assert "secret.yaml (its mode is 640)" in result.output
    assert "redis://:secret" not in result.output


def test_files_and_folders_that_this_user_may_not_write_are_errors(tmp_path, findings, monkeypatch):
    path = tmp_path / "bot.db"
    store_at(f"sqlite:///{path}").close()
    monkeypatch.setattr(files.os, "access", lambda path, mode: not mode & os.W_OK)
    found = findings(store=f"sqlite:///{path}", cache=str(tmp_path / "cache"))
    messages = [message for status, message in faults(found["store"]) if status == "error"]
    assert f"this user may not write to the folder {tmp_path}" in messages
    assert f"this user may not read and write {path}" in messages
    assert [status for status, _ in faults(found["cache"])] == ["warning"]


def test_damaged_and_foreign_files_are_errors(tmp_path, findings):
    path = tmp_path / "bot.db"
    url = f"sqlite:///{path}"
    open_agent_store(url).close()
    ((_, message),) = faults(findings(store=url)["store"])
    assert message == f"{path} holds agents instead of conversations"
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE things (name)")
    path.chmod(0o600)
    ((_, message),) = faults(findings(store=url)["store"])
    assert "another program" in message
    path.unlink()
    store_at(url).close()
    content = bytearray(path.read_bytes())
    content[4096:8192] = bytes(4096)
    path.write_bytes(content)
    ((status, message),) = faults(findings(store=url)["store"])
    assert status == "error"
    assert message.startswith(f"{path} is damaged: ")


def test_a_file_on_a_network_share_is_an_error(tmp_path, findings, monkeypatch):
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nserver:/home {tmp_path} nfs4 rw 0 0\n")
    monkeypatch.setattr(files, "_MOUNTS", mounts)
    ((status, message),) = faults(findings(store=f"sqlite:///{tmp_path}/bot.db")["store"])
    assert status == "error"
    assert "network share (nfs4)" in message


@pytest.mark.parametrize(("free", "status"), [(5 << 30, "ok"), (1 << 29, "warning"), (1, "error")])
def test_a_disk_that_is_nearly_full_is_reported(tmp_path, findings, monkeypatch, free, status):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(files.shutil, "disk_usage", lambda folder: usage(9 << 30, 0, free))
    (disk,) = findings(store=f"sqlite:///{tmp_path}/bot.db")["disk"]
    assert disk.status == status


@pytest.mark.parametrize(
    ("offset", "status", "where"),
    [(0.0, "ok", "agrees"), (-30, "warning", "30 s behind"), (5, "warning", "5 s ahead of"),
     (3_600, "error", "3600 s ahead of")],
)  # fmt: skip
def test_the_clock_of_a_server_is_compared(offset, status, where):
    found = check_clock("store", NOON + timedelta(seconds=offset), NOON, NOON)
    assert found.status == status
    assert where in found.message


def test_a_slow_answer_is_no_wrong_clock():
    found = check_clock("store", NOON + timedelta(seconds=5), NOON, NOON + timedelta(seconds=9))
    assert found.status == "ok"


class TestRedis:
    @pytest.fixture
    def url(self, request) -> str:
        return request.getfixturevalue("redis_server").url

    def test_a_server_is_asked_for_its_version_and_its_clock(self, url, findings):
        found = findings(store=url)["store"]
        assert found[0].message.startswith("Redis ")
        assert found[1].message == "its clock agrees with that of this machine"

    def test_a_wrong_clock_is_found(self, url, findings):
        behind = datetime.now(UTC) - timedelta(days=1)
        found = findings(clock=lambda: behind, store=url)["store"]
        assert any(one.status == "error" and "ahead of" in one.message for one in found)

    def test_a_server_that_keeps_nothing_is_warned_of(self, url, findings):
        with redis.Redis.from_url(url) as client:
            before = {**client.config_get("save"), **client.config_get("appendonly")}
            try:
                client.config_set("save", "")
                client.config_set("appendonly", "no")
                found = findings(store=url)["store"]
            finally:
                for name, value in before.items():
                    client.config_set(name, value)
        assert [one.hint for one in found if one.status == "warning"] == ["set appendonly to yes"]

    def test_a_server_that_does_not_answer_is_an_error(self, findings):
        ((status, message),) = faults(findings(store="redis://127.0.0.1:1/0")["store"])
        assert status == "error"
        assert "cannot be reached" in message


class TestPostgres:
    @pytest.fixture
    def url(self, request) -> Iterator[str]:
        """An empty database."""
        server = request.getfixturevalue("postgres_server")
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE deployment")
            yield f"{server.url.rpartition('/')[0]}/deployment"
            connection.execute("DROP DATABASE deployment WITH (FORCE)")

    def test_a_server_is_asked_for_its_version_its_clock_and_pgvector(self, url, findings):
        memory = {"url": f"{url}?schema=bots", "embedder": "minilm"}
        found = findings(memory=memory)["memory"]
        assert found[0].message.startswith("PostgreSQL ")
        assert found[1].message == "its clock agrees with that of this machine"
        assert found[2].status == "warning"
        assert "pgvector" in found[2].message
        assert faults(findings(memory={"url": url})["memory"]) == []
        if "not created" in found[2].message:  # a server with pgvector
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("CREATE EXTENSION vector SCHEMA public")
            assert faults(findings(memory=memory)["memory"]) == []

    def test_a_server_that_does_not_answer_is_an_error(self, findings):
        url = "postgresql://bot:secret@127.0.0.1:1/bots"
        ((status, message),) = faults(findings(memory={"url": url})["memory"])
        assert status == "error"
        assert "secret" not in message


def test_a_missing_client_is_an_error_with_the_command_that_installs_it(findings, monkeypatch):
    monkeypatch.setitem(sys.modules, "anaphora.ltm.retrieval.postgres.server_state", None)
    (fault,) = findings(memory={"url": "postgresql://127.0.0.1/bots"})["memory"]
    assert fault.hint == "install it: pip install 'anaphora[postgres]'"


def test_the_example_paths_are_those_of_this_machine(findings):
    """Relative paths are those of the current folder, as for the service."""
    found = findings(store="sqlite:///relative.db")["store"]
    assert str(Path.cwd()) in found[-1].message
