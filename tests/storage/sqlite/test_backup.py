"""Copies of SQLite files that are in use, and their restoration."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from anaphora.errors import StoreError
from anaphora.storage.sqlite import backup as module
from anaphora.storage.sqlite.applications import AGENTS, CONVERSATIONS
from anaphora.storage.sqlite.backup import back_up, find_damage, restore
from anaphora.storage.sqlite.database import Database

# Each transaction writes the same number to both tables, which are never of different length.
_SCHEMA = [["CREATE TABLE firsts (number, filler)", "CREATE TABLE seconds (number, filler)"]]
_WRITER = """
import sys
from pathlib import Path
from tests.storage.sqlite.test_backup import open_database, write_pair

database = open_database(Path(sys.argv[1]))
number = 0
while True:
    write_pair(database, number := number + 1)
    if number == 50:
        print("writing", flush=True)
"""


def open_database(path: Path, application: int = CONVERSATIONS) -> Database:
    database = Database(path, schema=_SCHEMA, synchronous="normal", application=application)
    database.create_file()
    database.migrate()
    return database


def write_pair(database: Database, number: int) -> None:
    def write(connection: sqlite3.Connection) -> None:
        for table in ("firsts", "seconds"):
            connection.execute(f"INSERT INTO {table} VALUES (?, randomblob(3000))", (number,))

    database.write(write)


def numbers(path: Path) -> list[int]:
    """The numbers in a file, which both tables must have."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN")  # both tables at one moment
        firsts, seconds = (
            [number for (number,) in connection.execute(f"SELECT number FROM {table} ORDER BY 1")]
            for table in ("firsts", "seconds")
        )
    assert firsts == seconds
    return firsts


@pytest.fixture
def store(tmp_path):
    """A store with three pairs."""
    path = tmp_path / "bot.db"
    database = open_database(path)
    for number in (1, 2, 3):
        write_pair(database, number)
    database.close()
    return path


@contextmanager
def writing(path: Path):
    """Another process that writes to the file all the time."""
    command = [sys.executable, "-c", _WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "writing\n"
            yield process
        finally:
            process.kill()


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_backup_of_a_store_that_another_process_writes_to_has_one_state_of_it(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "_PAGES_AT_ONCE", 8)  # so that there are writes between the steps
    path = tmp_path / "bot.db"
    with writing(path):
        seen = []
        for copy in ("first.db", "second.db"):
            done = back_up(path, tmp_path / copy)
            assert done.content == "conversations"
            seen.append(numbers(tmp_path / copy))
            assert seen[-1] == list(range(1, len(seen[-1]) + 1))
            assert find_damage(tmp_path / copy) == []
    assert 50 <= len(seen[0]) <= len(seen[1]) <= len(numbers(path))
    assert not [name for name in files(tmp_path) if name.endswith(".unfinished")]


def test_a_backup_is_one_private_file(store, tmp_path):
    done = back_up(store, tmp_path / "copy.db")
    assert done.size == (tmp_path / "copy.db").stat().st_size
    assert files(tmp_path) == {"bot.db", "copy.db"}
    if os.name != "nt":
        assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600


def test_what_is_only_in_the_log_is_copied_too(tmp_path):
    database = open_database(tmp_path / "bot.db")
    write_pair(database, 7)
    assert (tmp_path / "bot.db-wal").stat().st_size
    back_up(tmp_path / "bot.db", tmp_path / "copy.db")
    assert numbers(tmp_path / "copy.db") == [7]
    database.close()


def test_progress_counts_pages_up_to_all(store, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PAGES_AT_ONCE", 2)
    seen = []
    back_up(store, tmp_path / "copy.db", progress=lambda *pages: seen.append(pages))
    done = [pages for pages, _ in seen]
    assert len(seen) > 2
    assert done == sorted(done)
    assert seen[-1][0] == seen[-1][1]


@pytest.mark.parametrize("force", [False, True])
def test_ctrl_c_leaves_nothing_half_written(store, tmp_path, monkeypatch, force):
    monkeypatch.setattr(module, "_PAGES_AT_ONCE", 2)
    target = tmp_path / "copy.db"
    if force:
        target.write_bytes(b"the backup of yesterday")

    def interrupt(done, total):
        raise KeyboardInterrupt

    before = files(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        back_up(store, target, force=force, progress=interrupt)
    assert files(tmp_path) == before
    if force:
        assert target.read_bytes() == b"the backup of yesterday"


def test_a_file_is_replaced_only_by_force(store, tmp_path):
    target = tmp_path / "copy.db"
    target.write_bytes(b"mine")
    with pytest.raises(StoreError, match="exists already: name another file, or replace"):
        back_up(store, target)
    assert target.read_bytes() == b"mine"
    back_up(store, target, force=True)
    assert numbers(target) == [1, 2, 3]


def test_a_file_that_appears_meanwhile_is_not_replaced(store, tmp_path):
    target = tmp_path / "copy.db"
    with pytest.raises(StoreError, match="exists already"):
        back_up(store, target, progress=lambda done, total: target.write_bytes(b"mine"))
    assert target.read_bytes() == b"mine"
    assert files(tmp_path) == {"bot.db", "copy.db"}


@pytest.mark.parametrize("copy", [back_up, restore])
def test_foreign_files_are_not_copied(tmp_path, copy):
    text, foreign, empty = (tmp_path / name for name in ("text.db", "foreign.db", "empty.db"))
    text.write_text("these are no pages " * 100)
    with closing(sqlite3.connect(foreign)) as connection, connection:
        connection.execute("CREATE TABLE things (name)")
    empty.touch()
    for path, message in (
        (text, "not a database"),
        (foreign, "another program"),
        (empty, "another program"),
        (tmp_path / "none.db", "no such file"),
    ):
        with pytest.raises(StoreError, match=message):
            copy(path, tmp_path / "target.db")
    assert files(tmp_path) == {"text.db", "foreign.db", "empty.db"}


@pytest.mark.parametrize("copy", [back_up, restore])
def test_a_damaged_file_is_not_copied(store, tmp_path, copy):
    content = bytearray(store.read_bytes())
    content[4096 * 2 : 4096 * 3] = bytes(4096)
    store.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        copy(store, tmp_path / "target.db")
    assert files(tmp_path) == {"bot.db"}


def test_a_store_is_not_its_own_backup(store, tmp_path):
    (tmp_path / "link.db").symlink_to(store)
    for target in (store, tmp_path / "link.db"):
        with pytest.raises(StoreError, match="its own backup"):
            back_up(store, target, force=True)
        with pytest.raises(StoreError, match="already there"):
            restore(store, target, force=True)


def test_a_target_that_cannot_be_written_is_reported(store, tmp_path):
    with pytest.raises(StoreError, match="cannot be written: No such file"):
        back_up(store, tmp_path / "nowhere" / "copy.db")
    with pytest.raises(StoreError, match="is a folder"):
        back_up(store, tmp_path, force=True)


def test_a_restored_store_goes_on_from_the_backup(store, tmp_path):
    back_up(store, tmp_path / "copy.db")
    database = open_database(store)
    write_pair(database, 4)
    database.close()
    with pytest.raises(StoreError, match="exists already"):
        restore(tmp_path / "copy.db", store)
    restore(tmp_path / "copy.db", store, force=True)
    assert numbers(store) == [1, 2, 3]
    database = open_database(store)
    write_pair(database, 5)
    database.close()
    assert numbers(store) == [1, 2, 3, 5]
    assert numbers(tmp_path / "copy.db") == [1, 2, 3]


def test_the_log_of_the_replaced_store_does_not_spoil_the_restored_one(store, tmp_path):
    back_up(store, tmp_path / "copy.db")
    with writing(store) as process:
        process.kill()
        process.wait()
    assert (tmp_path / "bot.db-wal").stat().st_size
    restore(tmp_path / "copy.db", store, force=True)
    assert numbers(store) == [1, 2, 3]
    assert find_damage(store) == []


def test_a_log_without_its_store_does_not_spoil_the_restored_one(store, tmp_path):
    back_up(store, tmp_path / "copy.db")
    with writing(store) as process:
        process.kill()
        process.wait()
    store.unlink()
    restore(tmp_path / "copy.db", store)
    assert numbers(store) == [1, 2, 3]


def test_a_store_in_use_is_not_replaced(store, tmp_path):
    back_up(store, tmp_path / "copy.db")
    with writing(store):
        with pytest.raises(StoreError, match="in use: stop the service"):
            restore(tmp_path / "copy.db", store, force=True)
        after = len(numbers(store))
    assert after > 50
    assert len(numbers(store)) >= after
    assert not [name for name in files(tmp_path) if name.endswith(".unfinished")]


def test_a_damaged_store_is_replaced(store, tmp_path):
    back_up(store, tmp_path / "copy.db")
    store.write_bytes(b"overwritten by something else" * 1000)
    restore(tmp_path / "copy.db", store, force=True)
    assert numbers(store) == [1, 2, 3]


def test_a_store_is_not_replaced_by_one_of_another_kind(store, tmp_path):
    agents = tmp_path / "agents.db"
    open_database(agents, AGENTS).close()
    back_up(agents, tmp_path / "copy.db")
    with pytest.raises(StoreError, match="holds conversations, the backup agents"):
        restore(tmp_path / "copy.db", store, force=True)
    assert numbers(store) == [1, 2, 3]


def test_interrupted_restoring_leaves_the_store_as_it_was(store, tmp_path):
    back_up(store, tmp_path / "copy.db")
    database = open_database(store)
    write_pair(database, 4)
    database.close()

    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restore(tmp_path / "copy.db", store, force=True, progress=interrupt)
    assert numbers(store) == [1, 2, 3, 4]
    assert files(tmp_path) == {"bot.db", "copy.db"}
