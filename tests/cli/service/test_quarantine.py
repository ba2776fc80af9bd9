"""``anaphora quarantine`` lists, retries and drops quarantined items."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import timedelta

import psycopg
import pytest
import redis
from msgspec.structs import replace
from typer.testing import CliRunner

from anaphora import Conversation, store_at
from anaphora.cli import app
from anaphora.errors import AnaphoraError
from anaphora.ltm.memory import LongTermMemory
from anaphora.stm import records
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.redis.keys import KeySpace
from tests.ltm.sample_exchanges import ANN, make_exchange
from tests.support.earlier_records import EarlierFields
from tests.support.postgres_server import postgres_server  # noqa: F401 - a fixture
from tests.support.redis_server import redis_server  # noqa: F401 - a fixture


@pytest.fixture
def url(tmp_path) -> str:
    """A memory with two damaged exchanges."""
    url = f"sqlite:///{tmp_path}/memory.db"
    with LongTermMemory(url, summarizer=None) as memory:
        for word in ("one", "two", "three"):
            memory.add(ANN, make_exchange(word))
        assert memory.flush()
        with closing(sqlite3.connect(tmp_path / "memory.db")) as file, file:
            file.execute("UPDATE exchanges SET rest = x'7b' WHERE number < 3")
        assert len(memory.latest(ANN, 9)) == 1
    return url


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["quarantine", *arguments])
    if isinstance(result.exception, AnaphoraError):
        raise result.exception
    assert result.exit_code == 0
    return result.output


BOB = ConversationKey("bob", "weather", "acme")


@pytest.fixture(params=["sqlite", "redis", "postgres"])
def store_url(request, tmp_path, monkeypatch) -> str:
    """A store with two quarantined conversations: Bob's is damaged, Ann's was unreadable for an
    earlier version."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/bot.db"
        damage = _damage_in_file
    elif request.param == "postgres":
        database = request.getfixturevalue("postgres_server")
        url, damage = f"{database.url}?schema={database.schema()}", _damage_in_postgres
    else:
        server = request.getfixturevalue("redis_server")
        url, damage = server.url, _damage_in_redis
        with server.client() as client:
            client.flushall()
    with closing(store_at(url)) as store:
        for key in (ANN, BOB):
            with store.open(key, timedelta(hours=1)) as session:
                session.commit(replace(session.conversation, questions=7))
        damage(url, BOB)
        with monkeypatch.context() as earlier:
            earlier.setattr(records, "_ConversationFields", EarlierFields)
            for key in (ANN, BOB):
                with store.open(key, timedelta(hours=1)) as session:
                    session.commit(Conversation.empty(key))
    return url


def _damage_in_file(url: str, key: ConversationKey) -> None:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file, file:
        file.execute("UPDATE conversations SET record = x'7b' WHERE user = ?", (key.user,))


def _damage_in_redis(url: str, key: ConversationKey) -> None:
    with redis.Redis.from_url(url) as client:
        client.set(KeySpace("anaphora").record_key(key), b"{", keepttl=True)


def _damage_in_postgres(url: str, key: ConversationKey) -> None:
    url, _, schema = url.partition("?schema=")
    statement = f"UPDATE {schema}.stm_conversations SET record = '{{' WHERE name = %s"
    with psycopg.connect(url) as client:
        client.execute(statement, [key.user.encode()])


def test_items_are_listed_with_their_reason(url):
    first, second = run(url).splitlines()
    assert re.fullmatch(r"1  exchange  \d{4}-.*  ann with weather: .*damaged.*", first)
    assert second.startswith("2  exchange")


def test_an_item_can_be_dropped(url):
    assert run(url, "--drop", "1") == "1 is dropped\n"
    assert run(url).startswith("2  exchange")
    assert run(url, "--drop", "all") == "2 is dropped\n"
    assert run(url) == "nothing is quarantined\n"


def test_an_unreadable_item_stays(url):
    with pytest.raises(AnaphoraError, match="1 is not quarantined, or is still unreadable"):
        run(url, "--retry", "1")
    assert len(run(url).splitlines()) == 2


def test_an_unknown_item_is_an_error(url):
    with pytest.raises(AnaphoraError, match="77 is not quarantined"):
        run(url, "--drop", "77")


@pytest.mark.parametrize("content", [None, b"", b"no database"])
def test_a_mistyped_file_is_an_error_and_nothing_is_created(tmp_path, monkeypatch, content):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / "memroy.db").write_bytes(content)
    before = list(tmp_path.iterdir())
    with pytest.raises(AnaphoraError) as told:
        run("sqlite:///memroy.db")
    assert str(told.value).startswith("memroy.db: ")
    assert "hint: give the file of the long-term memory" in str(told.value)
    assert list(tmp_path.iterdir()) == before
    assert content is None or (tmp_path / "memroy.db").read_bytes() == content


def test_a_folder_is_an_error(tmp_path):
    with pytest.raises(AnaphoraError, match="there is no such file"):
        run(f"sqlite:///{tmp_path}")


def test_a_memory_without_a_file_is_rejected():
    with pytest.raises(AnaphoraError, match="memory: is empty in each process"):
        run("memory:")


def test_a_url_without_a_file_is_an_error():
    with pytest.raises(AnaphoraError, match="names no file"):
        run("sqlite://memory.db")


def test_the_help_shows_an_example_and_the_argument():
    shown = CliRunner().invoke(app, ["quarantine", "--help"]).output
    assert "Example: anaphora quarantine sqlite:///memory.db --retry all" in shown
    assert "[URL]" in shown.splitlines()[0]
    assert "--store" in shown


def id_of(user: str, store_url: str) -> str:
    lines = run("--store", store_url).splitlines()
    (id,) = [line.split()[0] for line in lines if f" {user} " in line]
    return id


class TestStore:
    """``--store`` names a store of conversations."""

    def test_conversations_are_listed_with_user_and_reason(self, store_url):
        lines = run("--store", store_url).splitlines()
        assert len(lines) == 2
        (anns,) = [line for line in lines if " ann with weather: " in line]
        assert re.match(r"store:[0-9a-f-]+  conversation  \d{4}-\d\d-\d\d \d\d:\d\d  ann", anns)
        assert "cannot be read" in anns
        (bobs,) = [line for line in lines if " bob of acme with weather: " in line]
        assert "not a record of a conversation" in bobs

    def test_readable_conversations_are_restored_and_others_reported(self, store_url):
        anns, bobs = id_of("ann", store_url), id_of("bob", store_url)
        result = CliRunner().invoke(app, ["quarantine", "--store", store_url, "--retry", "all"])
        assert result.output == f"{anns} is retried\n"
        assert str(result.exception) == f"{bobs} is not quarantined, or is still unreadable"
        with closing(store_at(store_url)) as store:
            assert store.peek(ANN).questions == 7
            assert store.peek(BOB) is None
        assert run("--store", store_url, "--drop", bobs) == f"{bobs} is dropped\n"
        assert run("--store", store_url) == "nothing is quarantined\n"

    def test_a_conversation_that_has_continued_stays(self, store_url):
        with closing(store_at(store_url)) as store:
            with store.open(ANN, timedelta(hours=1)) as session:
                session.commit(replace(session.conversation, questions=1))
            id = id_of("ann", store_url)
            with pytest.raises(AnaphoraError, match=f"{id}: 'ann' has continued with 'weather'"):
                run("--store", store_url, "--retry", id)
            assert store.peek(ANN).questions == 1
        assert len(run("--store", store_url).splitlines()) == 2

    def test_both_quarantines_are_listed_with_distinct_ids(self, url, store_url):
        both = ("--memory", url, "--store", store_url)
        lines = run(*both).splitlines()
        kinds = sorted(line.split()[1] for line in lines)
        assert kinds == ["conversation", "conversation", "exchange", "exchange"]
        assert len({line.split()[0] for line in lines}) == 4
        (id,) = [line.split()[0] for line in lines if "bob" in line]
        assert run(*both, "--drop", id, "--drop", "1") == f"{id} is dropped\n1 is dropped\n"
        assert len(run(*both, "--drop", "all").splitlines()) == 2
        assert run(*both) == "nothing is quarantined\n"

    def test_an_id_of_the_other_quarantine_names_the_option(self, url, store_url):
        with pytest.raises(AnaphoraError, match="give its URL with --memory"):
            run("--store", store_url, "--drop", "1")
        with pytest.raises(AnaphoraError, match="give its URL with --store"):
            run(url, "--drop", "store:1")
        with pytest.raises(AnaphoraError, match="store:77 is not quarantined"):
            run("--store", store_url, "--drop", "store:77")

    @pytest.mark.parametrize("content", [None, b"", b"no database"])
    def test_a_mistyped_file_is_an_error_and_nothing_is_created(
        self, tmp_path, monkeypatch, content
    ):
        monkeypatch.chdir(tmp_path)
        if content is not None:
            (tmp_path / "bto.db").write_bytes(content)
        before = list(tmp_path.iterdir())
        with pytest.raises(AnaphoraError) as told:
            run("--store", "sqlite:///bto.db")
        assert str(told.value).startswith("bto.db: ")
        assert "hint: give the file of the store that 'anaphora serve' gets as --store" in (
            str(told.value)
        )
        assert list(tmp_path.iterdir()) == before

    @pytest.mark.parametrize("store", ["memory:", "memory:?wait=3"])
    def test_a_store_without_a_file_is_rejected(self, store):
        with pytest.raises(AnaphoraError, match="memory: is empty in each process"):
            run("--store", store)

    def test_a_url_of_another_kind_is_an_error(self):
        with pytest.raises(AnaphoraError, match="redis://host:6379/0"):
            run("--store", "mysql://localhost/bot")


@pytest.mark.parametrize("option", ["--memory", "--store"])
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_the_database_of_another_program_is_unchanged(tmp_path, option, mode):
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"PRAGMA journal_mode = {mode}")
        file.execute("CREATE TABLE bookmarks (id)")
    before = path.read_bytes()
    with pytest.raises(AnaphoraError, match="database of another program"):
        run(option, f"sqlite:///{path}")
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == before


def test_a_mistyped_database_of_postgresql_is_an_error_and_nothing_is_created(
    request, tmp_path, monkeypatch
):
    server = request.getfixturevalue("postgres_server")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    schema = server.schema()
    url = f"{server.url}?schema={schema}"
    with pytest.raises(AnaphoraError, match="no long-term memory in the schema"):
        run(url)
    assert list(tmp_path.iterdir()) == []
    with psycopg.connect(server.url) as connection:
        found = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,))
        assert found.fetchall() == []
    LongTermMemory(url, summarizer=None).close()
    assert run(url) == "nothing is quarantined\n"


def test_a_memory_is_not_accepted_as_a_store_nor_vice_versa(tmp_path, url):
    path = tmp_path / "bot.db"
    store_at(f"sqlite:///{path}").close()
    before = {path.name for path in tmp_path.iterdir()}
    with pytest.raises(AnaphoraError, match="name another file for the conversations"):
        run("--store", url)
    with pytest.raises(AnaphoraError, match="name another file for the long-term memory"):
        run("--memory", f"sqlite:///{path}")
    assert {path.name for path in tmp_path.iterdir()} == before


def test_a_missing_url_is_an_error():
    with pytest.raises(AnaphoraError, match="--store URL"):
        run()
    with pytest.raises(AnaphoraError, match="given twice"):
        run("sqlite:///memory.db", "--memory", "sqlite:///memory.db")
