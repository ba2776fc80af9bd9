"""``anaphora backup`` and ``anaphora restore``."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from anaphora import Engine
from anaphora.agents.store.urls import open_agent_store
from anaphora.cli import app
from anaphora.errors import AnaphoraError
from anaphora.ltm.memory import LongTermMemory
from anaphora.storage.sqlite import backup as module
from tests.ltm.sample_exchanges import ANN, make_exchange
from tests.support.plain_models import PLAIN_WEATHER


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if isinstance(result.exception, AnaphoraError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_a_conversation_goes_on_in_a_restored_store(tmp_path):
    url = f"sqlite:///{tmp_path}/bot.db"
    with Engine(PLAIN_WEATHER, store=url) as engine:
        engine.ask("weather in Tokyo today", user="ann")
        said = run("backup", url, tmp_path / "copy.db")  # while the store is in use
    assert said.startswith(f"{tmp_path}/bot.db → {tmp_path}/copy.db: conversations, ")
    assert said.endswith(" MB, checked\n")
    run("restore", tmp_path / "copy.db", f"sqlite:///{tmp_path}/new.db")
    with Engine(PLAIN_WEATHER, store=f"sqlite:///{tmp_path}/new.db") as engine:
        reply = engine.ask("and in London?", user="ann")
    assert reply.status == "matched"
    assert reply.slots["date"].value == "today"


def test_a_long_term_memory_and_agents_are_copied_too(tmp_path):
    with LongTermMemory(f"sqlite:///{tmp_path}/memory.db", summarizer=None) as memory:
        memory.add(ANN, make_exchange("one"))
        assert memory.flush()
        said = run("backup", tmp_path / "memory.db", tmp_path / "copy.db")
    assert "a long-term memory" in said
    run("restore", tmp_path / "copy.db", tmp_path / "again.db")
    with LongTermMemory(f"sqlite:///{tmp_path}/again.db", summarizer=None) as memory:
        assert len(memory.latest(ANN, 9)) == 1
    open_agent_store(f"sqlite:///{tmp_path}/agents.db").close()
    assert "agents" in run("backup", tmp_path / "agents.db", tmp_path / "agents-copy.db")


@pytest.mark.parametrize(
    ("store", "message"),
    [
        ("memory:", "nothing to copy"),
        ("redis://localhost:6379/0", "redis-cli --rdb"),
        ("postgresql://localhost/bots", "pg_dump"),
        ("mysql://localhost/bots", "'mysql:' is not a store in a file"),
        ("sqlite:bot.db", "three slashes"),
        ("no-such.db", "no such file"),
    ],
)
def test_a_store_that_is_no_file_is_refused_with_what_to_do(tmp_path, store, message):
    with pytest.raises(AnaphoraError, match=message):
        run("backup", store, tmp_path / "copy.db")
    assert not list(tmp_path.iterdir())


def test_a_file_is_replaced_only_with_force(tmp_path):
    Engine(PLAIN_WEATHER, store=f"sqlite:///{tmp_path}/bot.db").close()
    run("backup", tmp_path / "bot.db", tmp_path / "copy.db")
    for command in (
        ("backup", tmp_path / "bot.db", tmp_path / "copy.db"),
        ("restore", tmp_path / "copy.db", tmp_path / "bot.db"),
    ):
        with pytest.raises(AnaphoraError, match="--force"):
            run(*command)
        run(*command, "--force")


def test_ctrl_c_is_answered_with_the_usual_exit_code(tmp_path, monkeypatch):
    Engine(PLAIN_WEATHER, store=f"sqlite:///{tmp_path}/bot.db").close()

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_copy_pages", interrupt)
    result = CliRunner().invoke(app, ["backup", str(tmp_path / "bot.db"), str(tmp_path / "x.db")])
    assert result.exit_code == 130
    assert "Interrupted; nothing was changed." in result.output
    assert not (tmp_path / "x.db").exists()
    assert not list(tmp_path.glob(".*"))
