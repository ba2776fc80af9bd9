"""The SQLite store when processes are killed and disks are full, damaged or read-only."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from anaphora import Conflict, StoreError
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.stores.sqlite.store import SqliteStore
from anaphora.storage.sqlite import database
from tests.stm.stores.store_homes import ANN, BEN, PATIENCE, TIMEOUT, count_up, noise, questions
from tests.support.python_process import run_python

ROOT = Path(__file__).parents[4]


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "bot.db"


@pytest.fixture
def store(path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(path)) as made:
        yield made


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of one MiB."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("only a user who may mount disks has a small one")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def said(key: ConversationKey) -> Conversation:
    return replace(Conversation.empty(key), data={"text": noise(300)})


def fill_up(disk: Path) -> Path:
    """The file that takes all the room that was left."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 1_000):
            pass
    return filler


def say(store: SqliteStore, key: ConversationKey, text: str) -> None:
    with store.open(key, TIMEOUT) as session:
        session.commit(replace(session.conversation, data={"text": text}))


def test_a_process_that_is_killed_leaves_its_conversation_at_once(path, store):
    count_up(store, ANN)
    hold = """
        import sys
        from msgspec.structs import replace
        from datetime import timedelta
        from anaphora.stm.conversation import ConversationKey
        from anaphora.stm.stores.sqlite.store import SqliteStore
        store = SqliteStore(sys.argv[1])
        with store.open(ConversationKey("ann", "weather"), timedelta(minutes=5)) as session:
            session.commit(replace(session.conversation, questions=99))
            print("held", flush=True)
            sys.stdin.read()
    """
    with run_python(hold, path) as process:
        assert process.stdout.readline() == "held\n"
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
        assert count_up(store, ANN) == 2


def test_a_forked_process_does_not_keep_the_conversations_of_one_that_was_killed(path, store):
    hold = """
        import os, sys
        from datetime import timedelta
        from anaphora.stm.conversation import ConversationKey
        from anaphora.stm.stores.sqlite.store import SqliteStore
        store = SqliteStore(sys.argv[1])
        with store.open(ConversationKey("ann", "weather"), timedelta(minutes=5)) as session:
            if child := os.fork():
                print("held", flush=True)
            sys.stdin.read()
            os._exit(0)
    """
    with run_python(hold, path) as process:
        assert process.stdout.readline() == "held\n"
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
        assert count_up(store, ANN) == 1


def test_a_process_may_fork_and_both_go_on(path, store):
    both = """
        import os, sys, threading
        from msgspec.structs import replace
        from datetime import timedelta
        from anaphora.errors import Conflict
        from anaphora.stm.conversation import ConversationKey
        from anaphora.stm.stores.sqlite.store import SqliteStore

        store, ann = SqliteStore(sys.argv[1]), ConversationKey("ann", "weather")

        def count_up():
            with store.open(ann, timedelta(minutes=5)) as session:
                asked = session.conversation.questions + 1
                session.commit(replace(session.conversation, questions=asked))

        def ask():
            for _ in range(50):
                count_up()

        asking = threading.Thread(target=ask)
        asking.start()
        child = None
        try:
            with store.open(ConversationKey("ben", "weather"), timedelta(minutes=5)) as session:
                child = os.fork()
                session.commit(replace(session.conversation, questions=1))
            assert child, "the child has kept what its parent was answering"
        except Conflict:
            assert child == 0, "the parent has lost its own question"
        ask()
        if child == 0:
            store.close()
            os._exit(0)
        asking.join()
        print(os.waitpid(child, 0)[1], flush=True)
        store.close()
    """
    with run_python(both, path) as process:
        told, _ = process.communicate(timeout=PATIENCE)
    assert told == "0\n"
    assert process.returncode == 0
    assert (questions(store, ANN), questions(store, BEN)) == (150, 1)


def test_when_the_disk_is_full_the_question_fails_and_the_memory_stays(tmp_path):
    with small_disk(tmp_path / "disk") as disk, closing(SqliteStore(disk / "bot.db")) as store:
        say(store, ANN, "before")
        count_up(store, BEN)
        filler = fill_up(disk)
        with pytest.raises(StoreError, match=r"bot\.db: .*make room"):
            say(store, ANN, noise(300_000))
        with pytest.raises(StoreError, match="make room"):
            store.put_note("shelf", "name", noise(300_000), TIMEOUT)
        assert store.peek(ANN).data == {"text": "before"}
        assert store.list_notes("shelf") == {}
        filler.unlink()
        say(store, ANN, "after")
        assert store.peek(ANN).data == {"text": "after"}
        assert count_up(store, BEN) == 2


def test_when_a_file_may_not_grow_the_question_fails_and_the_memory_stays(path):
    fill = """
        import resource, sys
        from msgspec.structs import replace
        from datetime import timedelta
        from anaphora.errors import StoreError
        from anaphora.stm.conversation import ConversationKey
        from anaphora.stm.stores.sqlite.store import SqliteStore
        from tests.stm.stores.store_homes import noise

        store, ann = SqliteStore(sys.argv[1]), ConversationKey("ann", "weather")

        def say(text):
            with store.open(ann, timedelta(minutes=5)) as session:
                session.commit(replace(session.conversation, data={"text": text}))

        say("before")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
        try:
            said = "before"
            for number in range(1_000):
                say(text := noise(30_000 + number))
                said = text
        except StoreError as error:
            print(error)
        try:
            store.ping()
        except StoreError as error:
            print("ping:", error)
        print(store.peek(ann).data == {"text": said})
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        store.ping()
        say("after")
        print(store.peek(ann).data)
        store.close()
    """
    with run_python(fill, path) as process:
        told, _ = process.communicate(timeout=PATIENCE)
    told = told.splitlines()
    assert str(path) in told[0]
    assert "disk is full" in told[0]
    assert told[1:] == ["True", "{'text': 'after'}"] or told[1].startswith("ping: ")
    assert told[-2:] == ["True", "{'text': 'after'}"]
    assert process.returncode == 0


def test_on_a_full_disk_no_store_begins(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        filler = fill_up(disk)
        with pytest.raises(StoreError, match=r"bot\.db"):
            SqliteStore(disk / "bot.db")
        filler.unlink()
        with closing(SqliteStore(disk / "bot.db")) as store:
            assert count_up(store, ANN) == 1


def test_on_a_disk_that_became_read_only_the_question_fails(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        with closing(SqliteStore(disk / "bot.db")) as store:
            count_up(store, ANN)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises(StoreError, match=r"bot\.db"):
            SqliteStore(disk / "bot.db")
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        with closing(SqliteStore(disk / "bot.db")) as store:
            assert count_up(store, ANN) == 2


def test_a_file_that_may_not_be_written_is_reported_with_how_to_mend_it(path):
    ask = """
        import os, sys
        from anaphora.errors import StoreError
        from anaphora.stm.stores.sqlite.store import SqliteStore
        if not os.geteuid():  # whom no permissions stop
            SqliteStore(sys.argv[1]).close()  # imports what the next one cannot read
            os.chown(sys.argv[1] + "-turns", 65534, 65534)
            os.setuid(65534)
        try:
            SqliteStore(sys.argv[1])
        except StoreError as error:
            print(error)
    """
    with closing(SqliteStore(path)) as store:
        count_up(store, ANN)
    path.chmod(0o444)
    (folder := path.parent).chmod(0o555)
    while folder.parent != folder.parent.parent:  # which a temporary folder closes to others
        folder.chmod(folder.stat().st_mode | 0o055)
        folder = folder.parent
    with run_python(ask, path) as process:
        told, _ = process.communicate(timeout=PATIENCE)
    assert "bot.db" in told
    assert "right to write the file and its folder" in told or "can be written" in told


def test_a_store_that_another_program_locks_fails_the_question_and_goes_on(path, monkeypatch):
    monkeypatch.setattr(database, "BUSY_FOR", 0.05)
    with closing(SqliteStore(path)) as store, closing(sqlite3.connect(path)) as other:
        count_up(store, ANN)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"bot\.db: database is locked; another program"):
            count_up(store, ANN)
        assert questions(store, ANN) == 1
        other.rollback()
        assert count_up(store, ANN) == 2


@pytest.mark.parametrize("at", range(0, 60_000, 10_000))
def test_a_damaged_file_fails_the_questions_that_need_what_is_damaged(path, at):
    keys = [ConversationKey(f"user {number}", "weather") for number in range(100)]
    with closing(SqliteStore(path, synchronous="normal")) as store:
        for key in keys:
            say(store, key, noise(300))
    with path.open("r+b") as file:
        file.seek(at)
        file.write(b"\xa5" * 500)
    told = set()
    try:
        with closing(SqliteStore(path, synchronous="normal")) as store:
            for key in keys:
                try:
                    found = store.peek(key)
                    count_up(store, key)
                except StoreError as error:
                    told.add(str(error))
                else:
                    assert found in (None, Conversation.empty(key), said(key))
    except StoreError as error:
        told.add(str(error))
    assert all(message.startswith(f"{path}: ") and "; " in message for message in told), told


def test_a_file_that_is_deleted_while_it_is_used_is_reported(path):
    with closing(SqliteStore(path)) as store:
        count_up(store, ANN)
        path.unlink()
        with pytest.raises(StoreError, match="deleted"):
            store.ping()


@pytest.mark.parametrize("anew", [True, False])
def test_locks_that_others_do_not_see_are_reported(path, anew):
    with closing(SqliteStore(path)) as store:
        count_up(store, ANN)
        locks = path.with_name("bot.db-turns")
        locks.unlink()
        if anew:
            locks.touch()
        with pytest.raises(StoreError, match=r"bot\.db-turns"):
            store.ping()


def test_a_question_that_lost_its_conversation_to_another_is_not_kept(path):
    with closing(SqliteStore(path)) as first:
        count_up(first, ANN)
        with pytest.raises(Conflict, match="changed by another"):
            ask_after_its_locks_were_deleted(first, path)
        assert questions(first, ANN) == 2
        assert count_up(first, ANN) == 3


def ask_after_its_locks_were_deleted(store: SqliteStore, path: Path) -> None:
    with store.open(ANN, TIMEOUT) as session:
        path.with_name("bot.db-turns").unlink()
        with closing(SqliteStore(path)) as another:
            count_up(another, ANN)
        session.commit(replace(session.conversation, questions=99))


def test_a_system_without_such_locks_is_reported(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with pytest.raises(StoreError, match="redis:"):
        SqliteStore(path)
