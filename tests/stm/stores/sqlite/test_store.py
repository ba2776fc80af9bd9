"""The SQLite store: its file, what is in it, and what leaves it."""

from __future__ import annotations

import gc
import json
import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from anaphora import Conflict, Conversation, Engine, Entity, StoreError
from anaphora.stm.conversation import ConversationKey, FlowStep, PendingQuestion, RememberedEntity
from anaphora.stm.records import dump
from anaphora.stm.stores.sqlite import store as sqlite_store
from anaphora.stm.stores.sqlite.store import SqliteStore
from anaphora.storage.sqlite import database
from tests.stm.stores.event_loops import count_up_in_loop, in_loop, side
from tests.stm.stores.store_homes import (
    ANN,
    BEN,
    PATIENCE,
    TIMEOUT,
    count_up,
    noise,
    questions,
    until,
)

BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)
TOKYO = {
    "element": "city",
    "groups": ["place"],
    "text": "Tokyo",
    "tokens": [0],
    "start": 0,
    "end": 5,
    "value": "Tokyo",
    "ancestors": [],
    "meta": {},
    "topic": False,
    "exact": True,
    "own": True,
    "stem": "tokyo",
    "lemma": "",
    "pos": "",
    "aliases": [],
    "parts": [],
    "gaps": 0,
    "marks": [],
}
FIRST_FORMAT = {
    "format": 1,
    "user": "ann",
    "model": "weather",
    "remembered": [
        {
            "entity": TOKYO,
            "question": 1,
            "stored_at": BEGIN.isoformat(),
            "used_at": BEGIN.isoformat(),
            "used_match": 1,
        }
    ],
    "flow": [{"intent": "weather", "at": BEGIN.isoformat()}],
    "pending": {
        "intent": "weather",
        "entities": [TOKYO],
        "missing": ["date"],
        "at": BEGIN.isoformat(),
    },
    "data": {"asked": 2},
    "last": BEGIN.isoformat(),
    "questions": 2,
    "matches": 1,
    "rejections": 0,
    "language": "en",
}


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "bot.db"


@pytest.fixture
def store(path, clock) -> Iterator[SqliteStore]:
    with closing(SqliteStore(path, clock=clock, synchronous="normal")) as made:
        yield made


def meddle(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """What a statement in the file gives."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def set_record(path: Path, key: ConversationKey, record: object) -> None:
    meddle(path, "UPDATE conversations SET record = ? WHERE user = ?", record, key.user)


def test_a_dialog_goes_on_after_a_restart(path, clock):
    with closing(SqliteStore(path, clock=clock)) as store:
        Engine("cafe", store=store, clock=clock).ask("How much is a coffee at Starbucks?")
    clock.pass_time(minutes=5)
    with closing(SqliteStore(path, clock=clock)) as store:
        reply = Engine("cafe", store=store, clock=clock).ask("And a large tea?")
    assert reply.status == "matched"
    assert reply.slots["place"].source == "memory"


def test_what_people_said_is_for_the_owner_of_the_file_alone(path):
    before = os.umask(0)
    try:
        with closing(SqliteStore(path)) as store:
            count_up(store, ANN)
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("bot.db", "bot.db-shm", "bot.db-turns", "bot.db-wal"), 0o600)


def test_who_may_write_the_file_may_lock_it(path):
    path.touch()
    path.chmod(0o660)
    with closing(SqliteStore(path)) as store:
        count_up(store, ANN)
    assert stat.S_IMODE(path.with_name("bot.db-turns").stat().st_mode) == 0o660


def test_a_closed_store_leaves_everything_in_the_file_itself(path):
    with closing(SqliteStore(path)) as store:
        count_up(store, ANN)
    assert {file.name for file in path.parent.iterdir()} == {"bot.db", "bot.db-turns"}
    assert len(meddle(path, "SELECT * FROM conversations")) == 1


def test_a_store_that_nobody_holds_any_more_lets_go_of_its_file(path):
    count_up(SqliteStore(path), ANN)
    gc.collect()
    assert {file.name for file in path.parent.iterdir()} == {"bot.db", "bot.db-turns"}


def test_a_relative_path_is_meant_from_where_the_store_was_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(SqliteStore("bot.db")) as store:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        count_up(store, ANN)
        store.ping()
    assert (tmp_path / "bot.db").exists()


@pytest.mark.parametrize("name", ["a b.db", "a%20?b#.db", "日本.db", "a\nb.db", "\udcff.db"])
def test_a_file_may_be_called_anything(tmp_path, name):
    with closing(SqliteStore(tmp_path / name)) as store:
        count_up(store, ANN)
    assert sorted(file.name for file in tmp_path.iterdir()) == [name, f"{name}-turns"]


def test_two_names_of_one_file_share_its_turns(path):
    path.touch()
    path.with_name("link.db").symlink_to(path)
    with (
        closing(SqliteStore(path)) as store,
        closing(SqliteStore(path.with_name("link.db"))) as other,
    ):
        count_up(store, ANN)
        assert count_up(other, ANN) == 2
    assert not path.with_name("link.db-turns").exists()


def test_stores_that_are_made_at_once_make_one_file(path):
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: SqliteStore(path), range(8)))
    counted = [count_up(store, ANN) for store in stores]
    for store in stores:
        store.close()
    assert counted == list(range(1, 9))


def test_a_folder_that_is_not_there_is_reported(tmp_path):
    with pytest.raises(StoreError, match=r"create the folder first: mkdir -p '.*nowhere'"):
        SqliteStore(tmp_path / "nowhere" / "bot.db")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(StoreError, match="unable to open"):
        SqliteStore(tmp_path)


def test_a_file_that_is_no_database_is_reported_and_left_alone(path):
    path.write_text("Dear diary, " * 100)
    with pytest.raises(
        StoreError, match="not a database; name another file, or move this one away"
    ):
        SqliteStore(path)
    assert path.read_text() == "Dear diary, " * 100


def test_the_database_of_another_program_is_left_alone(path):
    meddle(path, "CREATE TABLE conversations (id)")
    with pytest.raises(StoreError, match="another program"):
        SqliteStore(path)
    assert meddle(path, "SELECT name FROM sqlite_master") == [("conversations",)]


def test_a_file_of_a_later_version_is_refused(path, store):
    count_up(store, ANN)
    store.close()
    meddle(path, "PRAGMA user_version = 99")
    with pytest.raises(
        StoreError, match=r"later version \(its schema is 99, this one supports 4\)"
    ):
        SqliteStore(path)
    assert len(meddle(path, "SELECT * FROM conversations")) == 1


def test_a_file_of_an_earlier_version_is_brought_up_to_date(path, store, clock, monkeypatch):
    count_up(store, ANN)
    store.close()
    later = (*sqlite_store._SCHEMA, ("ALTER TABLE conversations ADD COLUMN more DEFAULT 7",))
    monkeypatch.setattr(sqlite_store, "_SCHEMA", later)
    for _ in range(2):
        with closing(SqliteStore(path, clock=clock)) as newer:
            count_up(newer, ANN)
    assert meddle(path, "SELECT more FROM conversations") == [(7,)]
    assert meddle(path, "PRAGMA user_version") == [(5,)]


def test_a_migration_that_fails_leaves_the_file_as_it_was(path, store, clock, monkeypatch):
    count_up(store, ANN)
    store.close()
    later = (*sqlite_store._SCHEMA, ("DELETE FROM conversations", "SELECT * FROM nowhere"))
    monkeypatch.setattr(sqlite_store, "_SCHEMA", later)
    with pytest.raises(StoreError, match="nowhere"):
        SqliteStore(path)
    monkeypatch.undo()
    with closing(SqliteStore(path, clock=clock)) as same:
        assert questions(same, ANN) == 1


def test_a_conversation_of_the_first_format_is_read_and_kept_in_the_present_one(path, store):
    count_up(store, ANN)
    set_record(path, ANN, json.dumps(FIRST_FORMAT).encode())
    city = Entity("city", frozenset({"place"}), "Tokyo", (0,), 0, 5, value="Tokyo", stem="tokyo")
    expected = Conversation(
        user="ann",
        model="weather",
        remembered=(RememberedEntity(city, 1, BEGIN, BEGIN, 1),),
        flow=(FlowStep("weather", BEGIN),),
        pending=PendingQuestion("weather", (city,), ("date",), BEGIN),
        data={"asked": 2},
        last=BEGIN,
        questions=2,
        matches=1,
        language="en",
    )
    assert store.peek(ANN) == expected
    count_up(store, ANN)
    ((record,),) = meddle(path, "SELECT record FROM conversations")
    assert record == dump(replace(expected, questions=3))


@pytest.mark.parametrize(
    "record",
    [b"", b"\xff\x00", b"{}", b'{"format": 2}', b"[" * 100_000, "text", 7, 0.5, b"null"],
)
def test_a_damaged_record_begins_anew_is_logged_and_the_rest_goes_on(path, store, caplog, record):
    for _ in range(3):
        count_up(store, ANN)
        count_up(store, BEN)
    set_record(path, ANN, record)
    assert store.peek(ANN) == Conversation.empty(ANN)
    assert (count_up(store, ANN), count_up(store, BEN)) == (1, 4)
    assert questions(store, ANN) == 1
    (logged, *_) = caplog.records
    assert (logged.user, logged.model, logged.tenant) == ("ann", "weather", "")
    assert "starts empty" in logged.message


def test_the_record_of_another_is_nobodys(path, store, caplog):
    for _ in range(3):
        count_up(store, ANN)
    ((record,),) = meddle(path, "SELECT record FROM conversations")
    count_up(store, BEN)
    set_record(path, BEN, record)
    assert count_up(store, BEN) == 1
    assert "another conversation" in caplog.records[0].reason


def test_a_record_of_a_later_version_is_not_lost(path, store):
    count_up(store, ANN)
    later = json.dumps({"format": 99, "user": "ann"}).encode()
    set_record(path, ANN, later)
    with pytest.raises(StoreError, match="later version"):
        count_up(store, ANN)
    with pytest.raises(StoreError, match="later version"):
        store.peek(ANN)
    assert meddle(path, "SELECT record FROM conversations") == [(later,)]
    assert count_up(store, BEN) == 1


def test_a_question_that_took_longer_than_the_timeout_is_kept(store, clock):
    count_up(store, ANN)
    with store.open(ANN, TIMEOUT) as session:
        clock.pass_time(minutes=6)
        count_up(store, BEN)  # which sweeps
        session.commit(replace(session.conversation, questions=2))
    assert questions(store, ANN) == 2


def test_questions_sweep_out_what_has_expired(path, store, clock):
    for number in range(100):
        count_up(store, ConversationKey(f"old {number}", "weather"))
        store.put_note(f"old {number}", "name", "text", TIMEOUT)
    clock.pass_time(minutes=6)
    for number in range(30):
        count_up(store, ConversationKey(f"new {number}", "weather"))
    assert meddle(path, "SELECT count(*) FROM conversations") == [(30,)]
    assert meddle(path, "SELECT count(*) FROM notes") == [(0,)]


def test_the_room_of_what_has_left_is_given_back(path, store, clock, monkeypatch):
    monkeypatch.setattr(database, "_TIDIED_EVERY", 10)
    monkeypatch.setattr(database, "_FREE_PAGES", 100)
    text = noise(12_000)
    for number in range(60):
        with store.open(ConversationKey(f"old {number}", "weather"), TIMEOUT) as session:
            session.commit(replace(session.conversation, data={"text": text}))
    (before,) = meddle(path, "PRAGMA page_count")[0]
    clock.pass_time(minutes=6)
    for number in range(40):
        count_up(store, ConversationKey(f"new {number % 10}", "weather"))
    (after,) = meddle(path, "PRAGMA page_count")[0]
    assert before > 130
    assert after < 110


def test_the_log_of_the_file_does_not_grow_without_end(path, store, monkeypatch):
    monkeypatch.setattr(database, "_LONGEST_LOG", 200_000)
    monkeypatch.setattr(database, "_TIDIED_EVERY", 20)
    log = path.with_name("bot.db-wal")
    longest = 0
    for round in range(3):
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN").execute("SELECT * FROM conversations").fetchall()
            for number in range(40):  # which stay in the log as long as it reads
                with store.open(ANN, TIMEOUT) as session:
                    text = noise(20_000 + 40 * round + number)
                    session.commit(replace(session.conversation, data={"text": text}))
        longest = max(longest, log.stat().st_size)
        for _ in range(20):
            count_up(store, ANN)
        assert log.stat().st_size <= 300_000
    assert longest > 400_000


def test_a_question_holds_up_no_other_while_it_is_answered(path, store):
    with store.open(ANN, TIMEOUT) as session:
        assert meddle(path, "DELETE FROM notes") == []  # another may write meanwhile
        session.commit(replace(session.conversation, questions=1))
    assert questions(store, ANN) == 1


def written_together(path: Path, *values: object) -> tuple[list[str], list[object]]:
    """What becomes of values that are written in one transaction, and those that are kept."""
    data = database.Database(path, schema=(("CREATE TABLE t (x UNIQUE)",),), synchronous="full")
    data.create_file()
    data.migrate()
    writing, go = threading.Event(), threading.Event()

    def hold(connection: sqlite3.Connection) -> None:
        writing.set()
        assert go.wait(PATIENCE)

    def add(value: object) -> str:
        def work(connection: sqlite3.Connection) -> None:
            if isinstance(value, BaseException):
                raise value
            connection.execute("INSERT INTO t VALUES (?)", (value,))

        try:
            data.write(work)
        except BaseException as error:
            return type(error.__cause__ or error).__name__
        return "kept"

    with closing(data), ThreadPoolExecutor(8) as pool:
        holding = pool.submit(data.write, hold)
        assert writing.wait(PATIENCE)
        asked = [pool.submit(add, value) for value in values]
        until(lambda: len(data._queue) == len(values))
        go.set()
        holding.result()
        told = [each.result() for each in asked]
        return told, [value for (value,) in data.read("SELECT x FROM t ORDER BY x")]


def test_of_those_that_are_written_together_only_the_one_at_fault_fails(path):
    told, kept = written_together(path, 1, StoreError("no"), 2**70, 2)
    assert told == ["kept", "StoreError", "OverflowError", "kept"]
    assert kept == [1, 2]
    told, kept = written_together(path.with_name("other.db"), 1, 2, 2)
    assert sorted(told) == ["IntegrityError", "kept", "kept"]
    assert kept == [1, 2]


def test_one_who_is_interrupted_leaves_the_others_with_the_truth(path):
    told, kept = written_together(path, 1, KeyboardInterrupt(), 2)
    assert "KeyboardInterrupt" in told
    assert [value for value, what in zip((1, None, 2), told, strict=True) if what == "kept"] == kept


def test_a_clock_without_a_time_zone_is_refused(path):
    with (
        closing(SqliteStore(path, clock=lambda: datetime(2026, 1, 1))) as store,
        pytest.raises(ValueError, match="time zone"),
    ):
        store.put_note("shelf", "name", "text", timedelta())


def test_another_way_to_write_is_refused(path):
    with pytest.raises(StoreError, match="full or normal, not 'off'"):
        SqliteStore(path, synchronous="off")


# -- damage ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE conversations SET user = x'ff' WHERE user = 'ann'",
        "UPDATE conversations SET user = 5 WHERE user = 'ann'",
        "UPDATE conversations SET model = x'ff', expires = 'soon' WHERE user = 'ann'",
    ],
)
def test_a_damaged_conversation_stops_nobody_from_being_erased(path, store, caplog, damage):
    engine = Engine("weather", store=store)
    engine.ask("What is the weather in Tokyo?", user="ann")
    engine.ask("What is the weather in Rome?", user="ben")
    meddle(path, damage)
    engine.erase(user="ben")
    assert list(store.keys()) == []
    assert store.quarantine.count() == 1
    assert "quarantine" in caplog.text


def test_a_record_that_cannot_be_read_is_put_aside_until_it_expires(path, store, clock):
    count_up(store, ANN)
    meddle(path, "UPDATE conversations SET record = x'7b00'")
    assert count_up(store, ANN) == 1  # it starts empty
    assert count_up(store, ANN) == 2
    assert meddle(path, "SELECT user, record FROM quarantine") == [("ann", b"{\0")]
    clock.pass_time(minutes=6)
    count_up(store, BEN)  # which sweeps
    assert store.quarantine.count() == 0


def test_who_is_erased_leaves_nothing_in_the_files(path, store):
    engine = Engine("weather", store=store)
    for number in range(300):
        engine.ask("What is the weather in Tokyo?", user=f"zz{number % 30}zz")
    engine.switch("weather", user="zz7zz")
    assert b"zz7zz" in b"".join(file.read_bytes() for file in path.parent.iterdir())
    engine.erase(user="zz7zz")
    left = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert (b"zz7zz" in left, b"zz8zz" in left) == (False, True)


def test_a_conversation_of_a_later_format_can_be_forgotten(path, store):
    count_up(store, ANN)
    meddle(path, "UPDATE conversations SET record = ?", b'{"format": 99}')
    store.forget(ANN)
    assert store.peek(ANN) is None


def test_in_an_event_loop_a_damaged_record_is_put_in_quarantine(path, store):
    count_up(store, ANN)
    set_record(path, ANN, b"{")

    async def test():
        assert await count_up_in_loop(store) == 1

    in_loop(test, store)
    assert [item.key for item in store.quarantine.items()] == [ANN]
    assert questions(store, ANN) == 1


def test_whoever_blocks_the_event_loop_that_answers_a_conversation_is_told_at_once(store):
    async def test():
        async with side(store).open(ANN, TIMEOUT):
            with pytest.raises(Conflict, match="await the methods of AsyncEngine"):
                count_up(store, ANN)
        assert await count_up_in_loop(store) == 1

    in_loop(test, store)
