"""What is deleted from a database leaves its files, in small steps, while others read and write."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora import StoreError
from anaphora.storage.sqlite import scrubbing
from anaphora.storage.sqlite.applications import CONVERSATIONS
from anaphora.storage.sqlite.database import Database
from anaphora.storage.sqlite.pages import clear_unallocated

SCHEMA = (
    (
        "CREATE TABLE said (id INTEGER PRIMARY KEY, text NOT NULL)",
        "CREATE TABLE words (word NOT NULL, user NOT NULL, PRIMARY KEY (word, user)) WITHOUT ROWID",
        "CREATE INDEX words_by_user ON words (user, word)",
    ),
)


def opened(path: Path) -> Database:
    made = Database(path, schema=SCHEMA, synchronous="normal")
    made.create_file()
    made.migrate()
    return made


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "bot.db"


@pytest.fixture
def data(path) -> Iterator[Database]:
    with closing(opened(path)) as made:
        yield made


def fill(data: Database, random: Random, rounds: int, users: int = 8) -> None:
    """Words in no order, so that pages of the indexes are split, each with its user's name."""
    for _ in range(rounds):
        rows = [
            (f"{random.randrange(10**9)}-of-u{user}z", f"u{user}z", "x" * random.randrange(40))
            for user in (random.randrange(users) for _ in range(50))
        ]

        def add(connection: sqlite3.Connection, rows: list[tuple[str, ...]] = rows) -> None:
            for word, user, more in rows:
                connection.execute("INSERT OR IGNORE INTO words VALUES (?, ?)", (word + more, user))
                connection.execute("INSERT INTO said (text) VALUES (?)", (word * 20,))

        data.write(add)


def delete(data: Database, user: int) -> None:
    def erase(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM words WHERE user = ?", (f"u{user}z",))
        connection.execute("DELETE FROM said WHERE text LIKE ?", (f"%u{user}z%",))

    data.write(erase)


def users_in(path: Path) -> set[int]:
    raw = b"".join(file.read_bytes() for file in path.parent.iterdir())
    return {int(user) for user in re.findall(rb"u(\d+)z", raw)}


def sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), gone=st.sets(st.integers(0, 7)))
def test_nothing_deleted_is_in_the_files_and_all_else_is(seed, gone, tmp_path_factory):
    path = tmp_path_factory.mktemp("scrub") / "bot.db"
    with closing(opened(path)) as data:
        fill(data, Random(seed), 30)
        kept = data.read("SELECT word, user FROM words")
        for user in gone:
            delete(data, user)
        data.scrub()
        assert users_in(path) == set(range(8)) - gone
        left = [row for row in kept if int(row[1][1:-1]) not in gone]
        assert data.read("SELECT word, user FROM words") == left
        assert sound(path)


def test_the_files_shrink_by_what_was_deleted(path, data):
    fill(data, Random(1), 100)
    before = path.stat().st_size
    for user in range(6):
        delete(data, user)
    data.scrub()
    assert path.stat().st_size < before / 2
    assert path.with_name("bot.db-wal").stat().st_size < 10_000


def test_others_read_and_write_between_the_steps(path, data, monkeypatch):
    monkeypatch.setattr(scrubbing, "_PAGES_AT_ONCE", 8)
    fill(data, Random(2), 40)
    ended = threading.Event()
    problems: list[BaseException] = []

    def work(other: Database) -> None:
        random = Random(3)
        try:
            while not ended.is_set():
                fill(other, random, 1, users=1)
                assert other.read("SELECT count(*) FROM words")
        except BaseException as error:
            problems.append(error)

    with closing(opened(path)) as other:
        thread = threading.Thread(target=work, args=(other,))
        thread.start()
        for user in range(1, 8):
            delete(data, user)
        data.scrub()
        ended.set()
        thread.join(60)
    assert not problems
    assert users_in(path) == {0}
    assert sound(path)


@pytest.mark.parametrize("in_another_process", [False, True])
def test_others_write_while_an_older_state_is_being_read(
    path, data, in_another_process, monkeypatch
):
    fill(data, Random(5), 10)
    delete(data, 3)
    with closing(sqlite3.connect(path)) as reader, closing(opened(path)) as beside:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM said").fetchall()
        fill(data, Random(6), 1, users=1)  # newer than what is read
        with ThreadPoolExecutor() as threads:
            begun = threading.Event()
            empty = scrubbing.truncate_wal
            monkeypatch.setattr(
                scrubbing, "truncate_wal", lambda *values: (begun.set(), empty(*values))
            )
            scrubbed = threads.submit(data.scrub)
            assert begun.wait(20)
            # If nothing were written until the reader ends, the scrub would fail.
            fill(beside if in_another_process else data, Random(7), 1, users=1)
            reader.execute("COMMIT")
            scrubbed.result()
    assert 3 not in users_in(path)


def test_a_connection_that_knew_the_pages_before_does_not_bring_anything_back(path, data):
    """Its cached copy of a page would be written with the page's next change."""
    fill(data, Random(4), 60)
    delete(data, 3)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA cache_size = -100000")
        other.execute("SELECT count(*), sum(length(word)) FROM words").fetchall()
        data.scrub()
        other.execute("UPDATE words SET user = 'u9z' WHERE user = 'u5z'")
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert 3 not in users_in(path)


def test_a_file_without_room_to_shrink_is_rewritten_once(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA auto_vacuum = NONE")
        for statement in SCHEMA[0]:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {CONVERSATIONS}")
        connection.execute("PRAGMA user_version = 1")
    with closing(opened(path)) as data:
        assert data.read("PRAGMA auto_vacuum") == [(2,)]
        fill(data, Random(5), 40)
        for user in range(8):
            delete(data, user)
        data.scrub()
    assert path.stat().st_size < 40_000
    assert sound(path)


def test_only_a_database_is_cleared(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_bytes(b"just text " * 1_000)
    descriptor = os.open(other, os.O_RDWR)
    try:
        with pytest.raises(StoreError, match="not a SQLite database"):
            clear_unallocated(descriptor, 1, 100)
    finally:
        os.close(descriptor)
    assert other.read_bytes() == b"just text " * 1_000


def test_the_locks_of_one_user_outlast_the_closing_of_another(path, data):
    """Closing a descriptor of the file would drop SQLite's locks on it in this process."""
    other = opened(path)
    other.scrub()
    other.close()
    assert data._file is not None
    os.fstat(data._file.descriptor())
    fill(data, Random(6), 2)
    data.scrub()
    assert sound(path)
