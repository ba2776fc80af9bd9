"""The SQLite recall store: its file, who shares it, and that nothing of the erased is in it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from anaphora import StoreError
from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.sqlite import postings
from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
from anaphora.ltm.retrieval.sqlite.writer import add_exchanges as insert_exchanges
from anaphora.ltm.retrieval.sqlite.writer import prepare_exchange
from anaphora.ltm.retrieval.store import NewExchange, SearchFilter, TermStatistics, UserKey
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.sqlite.store import SqliteStore
from anaphora.storage.sqlite import database
from tests.ltm.retrieval.store_contract import (
    ANN,
    BEGIN,
    BEN,
    NO_FILTER,
    OF_ANN,
    OF_BEN,
    add_exchanges,
    compress,
    make_exchange,
    make_new_exchange,
    make_question,
    matching,
    questions,
    stack_vectors,
    vector,
)

ROOT = Path(__file__).parents[4]
PATIENCE = 60.0  # seconds; a loaded machine is slow, a broken store never gets there


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def make(path) -> Iterator[Callable[..., SqliteRecallStore]]:
    """Makes stores on the same file."""
    made = []

    def store(settings: HistorySettings | None = None, **options) -> SqliteRecallStore:
        options = {"synchronous": "normal"} | options
        made.append(SqliteRecallStore(path, settings=settings or HistorySettings(), **options))
        return made[-1]

    yield store
    for each in made:
        each.close()


@pytest.fixture
def store(make) -> SqliteRecallStore:
    return make()


def raw(path: Path) -> bytes:
    """Every byte of the file and of all that lies beside it."""
    return b"".join(file.read_bytes() for file in path.parent.iterdir())


def meddle(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).fetchall()


# -- the file ----------------------------------------------------------------------------------


def test_the_file_is_private_to_its_owner(path):
    before = os.umask(0)
    try:
        with closing(SqliteRecallStore(path, settings=HistorySettings())) as store:
            add_exchanges(store, ANN, "secret")
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert set(modes) > {"memory.db", "memory.db-wal"}
    assert set(modes.values()) == {0o600}


def test_a_database_of_conversations_is_rejected(path, clock):
    with closing(SqliteStore(path, clock=clock)) as conversations:
        conversations.put_note("shelf", "name", "text", timedelta(hours=1))
    tables = meddle(path, "SELECT name FROM sqlite_master")
    with pytest.raises(StoreError, match=r"memory\.db .*another part.* long-term memory"):
        SqliteRecallStore(path, settings=HistorySettings())
    assert meddle(path, "SELECT name FROM sqlite_master") == tables


def test_a_long_term_memory_is_rejected_as_a_conversation_store(path, store, clock):
    add_exchanges(store, ANN, "hello")
    with pytest.raises(StoreError, match="another part of this one: name another file"):
        SqliteStore(path, clock=clock)
    assert questions(store.latest(ANN, 9)) == ["hello"]


def test_a_file_of_a_later_version_is_rejected(path):
    SqliteRecallStore(path, settings=HistorySettings()).close()
    meddle(path, "PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="later version"):
        SqliteRecallStore(path, settings=HistorySettings())


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(StoreError, match="mkdir -p"):
        SqliteRecallStore(tmp_path / "none" / "memory.db", settings=HistorySettings())


def test_an_unknown_synchronous_mode_is_rejected(path):
    with pytest.raises(StoreError, match="full or normal"):
        SqliteRecallStore(path, settings=HistorySettings(), synchronous="off")  # type: ignore[arg-type]


DAMAGE = [
    "UPDATE exchanges SET rest = x'7b' WHERE number = 2",
    "UPDATE exchanges SET rest = x'00' WHERE number = 2",
    "UPDATE exchanges SET at = 'then' WHERE number = 2",
    "UPDATE exchanges SET question = 5 WHERE number = 2",
    "UPDATE exchanges SET answer = x'ff' WHERE number = 2",
    "UPDATE exchanges SET number = 'two' WHERE number = 2",
    "UPDATE exchanges SET rest = x'7b', terms = x'ff' WHERE number = 2",
]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize(
    "read",
    [
        lambda store: questions(reversed(store.latest(ANN, 9))),
        lambda store: questions(store.history(ANN).exchanges),
        lambda store: questions(store.exchanges(ANN, first=1, last=9)),
        lambda store: [said[-1].question for _, said in store.find_unembedded("m", 9)],
    ],
    ids=["latest", "history", "range", "unembedded"],
)
def test_a_damaged_exchange_is_quarantined_and_others_are_read(path, store, damage, read):
    add_exchanges(store, ANN, "one", "two", "three")
    meddle(path, damage)
    assert read(store) == ["one", "three"]
    store.history(ANN)  # which reads what has no place in a range of numbers, too
    assert read(store) == ["one", "three"]
    (item,) = store.quarantined(9)
    assert (item.kind, item.key, store.count_quarantined()) == ("exchange", ANN, 1)
    assert "damaged" in item.reason
    assert matching(store, OF_ANN, "two") == []
    assert store.statistics(OF_ANN, ["one", "two"]).documents == 2
    assert store.history(ANN).size == 2


def test_a_user_whose_only_exchange_is_quarantined_has_no_statistics(path, store):
    add_exchanges(store, ANN, "one")
    meddle(path, "UPDATE exchanges SET rest = x'7b' WHERE number = 1")
    assert store.latest(ANN, 9) == []
    assert store.statistics(OF_ANN, ["one"]) == TermStatistics(0, 0.0, {"one": 0})


def test_a_damaged_exchange_blocks_neither_compression_nor_expiry_nor_erasure(path, store):
    add_exchanges(store, ANN, "one", "two", "three", "four")
    add_exchanges(store, BEN, "five")
    meddle(path, "UPDATE exchanges SET rest = x'7b', terms = x'ff' WHERE number = 2")
    assert compress(store, ANN, 2)
    meddle(path, "UPDATE exchanges SET terms = x'ff', question = 7 WHERE number = 1")
    assert store.expire(BEGIN + timedelta(seconds=30)) == 2
    assert store.erase(OF_ANN, model="weather") == 2
    assert (store.count_quarantined(), store.latest(BEN, 9)) == (0, [])


def test_a_damaged_row_is_restored_once_readable(path, store):
    add_exchanges(store, ANN, "one", "two", "three")
    ((whole,),) = meddle(path, "SELECT rest FROM exchanges WHERE number = 2")
    meddle(path, "UPDATE exchanges SET rest = x'7b' WHERE number = 2")
    assert len(store.latest(ANN, 9)) == 2
    (item,) = store.quarantined(9)
    assert not store.release(item.id)  # still unreadable
    record = meddle(path, "SELECT record FROM quarantine")[0][0]
    mended = record.replace(b64encode(b"{").decode(), b64encode(whole).decode())
    meddle(path, "UPDATE quarantine SET record = ?", mended)
    assert store.release(item.id)
    assert questions(store.exchanges(ANN, first=1, last=9)) == ["one", "two", "three"]
    assert matching(store, OF_ANN, "two") == ["two"]
    assert (store.history(ANN).size, store.quarantined(9)) == (3, [])


def put_aside(path: Path, store: SqliteRecallStore, *questions: str) -> list[str]:
    """Damage the exchanges of Ann with these questions, which puts them in quarantine, and mend
    them there; the ids of their items."""
    whole = dict(meddle(path, "SELECT number, rest FROM exchanges"))
    for question in questions:
        meddle(path, "UPDATE exchanges SET rest = x'7b' WHERE question = ?", question)
        store.latest(ANN, 99)
    for id, record in meddle(path, "SELECT id, record FROM quarantine"):
        mended = record.replace(
            b64encode(b"{").decode(), b64encode(whole[json.loads(record)[3]]).decode()
        )
        meddle(path, "UPDATE quarantine SET record = ? WHERE id = ?", mended, id)
    return [item.id for item in store.quarantined(99)]


@pytest.mark.parametrize("late", [(25,), (35,), (5,), (25, 26, 35), (5, 15, 25, 35, 45)])
@pytest.mark.parametrize("gone", [("q30",), ("q20", "q30"), ("q50",), ("q10", "q50")])
@pytest.mark.parametrize("compressed", [0, 2, 3])
def test_a_released_exchange_takes_its_place_beside_late_ones(path, store, late, gone, compressed):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20, 30, 40, 50)])
    if compressed:
        assert compress(store, ANN, compressed)
    items = put_aside(path, store, *gone)
    assert store.count_quarantined() == len(gone)
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in late])
    for item in reversed(items):
        assert store.release(item)
    clocks = sorted((10, 20, 30, 40, 50, *late))
    found = store.exchanges(ANN, first=1, last=99)
    assert [one.clock for one in found] == clocks
    assert store.count_quarantined() == 0
    assert store.statistics(OF_ANN, gone) == TermStatistics(
        len(clocks), 1.0, dict.fromkeys(gone, 1)
    )
    history = store.history(ANN)
    assert history.size == len(history.exchanges) + 2 * len(history.summaries)
    assert [one.clock for one in history.exchanges] == clocks[-len(history.exchanges) :]
    for short in history.summaries:
        among = store.exchanges(ANN, first=short.first, last=short.last)
        assert {10 * each for each in range(1, compressed + 1)} <= {one.clock for one in among}
        assert short.last < history.exchanges[0].number
    store.add([make_new_exchange(ANN, make_question(60))])
    assert store.latest(ANN, 1)[0].clock == 60


def test_a_released_duplicate_is_not_stored(path, store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20, 30)])
    (item,) = put_aside(path, store, "q20")
    store.add([make_new_exchange(ANN, make_question(20))])
    assert store.release(item)
    assert questions(store.history(ANN).exchanges) == ["q10", "q20", "q30"]
    assert store.statistics(OF_ANN, ["q20"]) == TermStatistics(3, 1.0, {"q20": 1})
    assert store.count_quarantined() == 0


def test_a_quarantined_summary_is_renumbered_with_its_exchanges(path, store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20, 30, 40)])
    assert compress(store, ANN, 2)
    meddle(path, "UPDATE summaries SET of = 'x'")
    assert store.history(ANN).summaries == ()
    ((record,),) = meddle(path, "SELECT record FROM quarantine")
    meddle(path, "UPDATE quarantine SET record = ?", record.replace('"x"', '""'))
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (5, 15)])
    assert store.release(store.quarantined(9)[0].id)
    (short,) = store.history(ANN).summaries
    among = store.exchanges(ANN, first=short.first, last=short.last)
    assert [one.clock for one in among] == [10, 15, 20]


def test_late_exchanges_take_constant_work(path):
    def work(length: int, late: int) -> tuple[int, int]:
        """The statements, and the thousands of steps of SQLite, that late exchanges take."""
        key = ConversationKey(f"{length} and {late}", "weather")
        done = {"statements": 0, "steps": 0}

        def count(what: str) -> None:
            done[what] += 1

        store = SqliteRecallStore(path, settings=HistorySettings())
        store.add([make_new_exchange(key, make_question(1_000 + clock)) for clock in range(length)])
        store.close()
        batch = [
            prepare_exchange(make_new_exchange(key, make_question(clock + 1)), WORDS)
            for clock in range(late)
        ]
        connection = sqlite3.connect(path)
        connection.set_trace_callback(lambda _: count("statements"))
        connection.set_progress_handler(lambda: count("steps"), 1_000)
        insert_exchanges(connection, batch, HistorySettings(), WORDS)
        connection.commit()
        connection.close()
        return done["statements"], done["steps"]

    (few, light), (many, heavy), (more, heavier) = work(400, 20), work(1_600, 20), work(1_600, 80)
    assert many - few < 20  # it is not the length that counts
    assert more <= 4 * many
    assert heavy < 6 * light
    assert heavier < 3 * heavy


def test_erasure_includes_the_quarantine(path, store):
    add_exchanges(store, ANN, "zzsecret", "zzmore")
    meddle(path, "UPDATE exchanges SET rest = x'7b'")
    assert store.latest(ANN, 9) == []
    assert b"zzsecret" in raw(path)
    store.erase(OF_ANN)
    assert store.count_quarantined() == 0
    assert b"zzsecret" not in raw(path)


def test_a_damaged_name_does_not_block_other_conversations(path, make):
    store = make(HistorySettings(max_size=1))
    add_exchanges(store, ANN, "one two")
    add_exchanges(store, BEN, "three four")
    meddle(path, "UPDATE owners SET user = x'ff' WHERE user = 'ann'")
    assert set(store.find_oversized(9)) == {BEN}
    other = make(HistorySettings(max_size=1), measure=Measure("letters", len))  # measures anew
    assert set(other.find_oversized(9)) == {BEN}


def test_a_damaged_summary_is_quarantined(path, store):
    add_exchanges(store, ANN, "hello", "again")
    assert compress(store, ANN, 1)
    meddle(path, "UPDATE summaries SET of = 'x'")
    history = store.history(ANN)
    assert (history.summaries, questions(history.exchanges), history.size) == ((), ["again"], 1)
    assert [item.kind for item in store.quarantined(9)] == ["summary"]


# -- searching ---------------------------------------------------------------------------------


def test_vectors_of_another_dimension_are_rejected(store):
    first, second = add_exchanges(store, ANN, "a", "b")
    store.put_vectors("m", [first], stack_vectors(vector(1, 0)))
    with pytest.raises(StoreError, match="another name"):
        store.put_vectors("m", [second], stack_vectors(vector(1, 0, 0)))
    with pytest.raises(StoreError, match="another name"):
        store.find_nearest(OF_ANN, "m", vector(1, 0, 0), NO_FILTER, 9)


def test_vectors_are_found_with_a_tiny_vector_memory(make):
    store = make(vector_memory=64)
    for key in (ANN, BEN):
        ids = add_exchanges(store, key, *"abcd")
        store.put_vectors("m", ids, stack_vectors(*(vector(1, place) for place in range(4))))
    for _ in range(2):
        for whose in (OF_ANN, OF_BEN):
            near = store.find_nearest(whose, "m", vector(1, 0), NO_FILTER, 9)
            found = store.fetch(whose, [id for id, _ in near])
            assert questions(found[id][1] for id, _ in near) == list("abcd")


def test_common_words_are_used_if_nothing_else_matches(store, monkeypatch):
    monkeypatch.setattr(postings, "_MAX_ENTRIES", 10)
    add_exchanges(store, ANN, *(f"the thing {number}" for number in range(40)))
    assert len(matching(store, OF_ANN, "the")) == 40
    assert matching(store, OF_ANN, "the", "7", limit=1) == ["the thing 7"]
    assert len(matching(store, OF_ANN, "the", "7", limit=30)) == 30
    late = SearchFilter(since=BEGIN + timedelta(minutes=35))
    assert len(matching(store, OF_ANN, "the", "7", filters=late, limit=5)) == 5


def test_long_posting_lists_stay_correct_after_removals(path, store):
    random = Random(5)
    for start in range(0, 600, 150):
        store.add(
            [
                NewExchange(ANN, make_exchange("x", minute=random.random()), ("the", str(n % 3)))
                for n in range(start, start + 150)
            ]
        )
    left = 600
    for tenth in (1, 3, 4, 9):
        left -= store.expire(BEGIN + timedelta(minutes=tenth / 10))
        found = store.find_matching(OF_ANN, ("the",), NO_FILTER, 9_999)
        assert len({each.id for each in found}) == len(found) == left
        ((entries,),) = meddle(path, "SELECT sum(length(entries)) / 8 FROM postings")
        assert entries == 2 * left
        for word in "012":
            there = len(store.find_matching(OF_ANN, (word,), NO_FILTER, 9_999))
            assert store.statistics(OF_ANN, (word, "the")) == TermStatistics(
                left, 2.0, {word: there, "the": left}
            )
    assert 0 < left < 120
    add_exchanges(store, ANN, "the end")
    assert len(matching(store, OF_ANN, "the")) == left + 1


def test_many_and_repeated_words_of_an_exchange_are_indexed(store):
    terms = ("again",) * 70_000 + tuple(map(str, range(500)))
    store.add(
        [
            NewExchange(ANN, make_exchange("long"), terms),
            NewExchange(ANN, make_exchange("short"), ("again",)),
        ]
    )
    assert matching(store, OF_ANN, "again", "499") == ["long", "short"]
    assert store.documents(OF_ANN, [1])[0].terms == terms


def test_stores_with_different_measures_see_their_own_sizes(make):
    words, letters = make(), make(measure=Measure("letters", len))
    add_exchanges(words, ANN, "one two")
    assert (words.history(ANN).size, letters.history(ANN).size) == (2, 7)
    add_exchanges(letters, ANN, "three")
    assert (words.history(ANN).size, letters.history(ANN).size) == (3, 12)
    assert compress(words, ANN, 1, "a b c")
    assert (words.history(ANN).size, letters.history(ANN).size) == (4, 10)


# -- erasing -----------------------------------------------------------------------------------


def talk_a_lot(store: SqliteRecallStore, users: int) -> None:
    """So many words of each user that the pages of the file are split, each with their name."""
    random, serial = Random(7), 0
    for _ in range(40):
        batch = []
        for _ in range(25):
            user, serial = random.randrange(users), serial + 1
            terms = tuple(
                f"u{user}zz{random.randrange(2_000)}" for _ in range(random.randrange(1, 60))
            )
            key = ConversationKey(f"u{user}zzname", f"u{user}zzmodel", f"u{user}zztenant")
            exchange = make_exchange(
                " ".join(terms),
                f"u{user}zz",
                minute=serial,
                intent=f"u{user}zzi",
                slots={f"u{user}zzs": (f"u{user}zzv",)},
            )
            batch.append(NewExchange(key, exchange, terms))
        store.add(batch)
    for user in range(users):
        key = ConversationKey(f"u{user}zzname", f"u{user}zzmodel", f"u{user}zztenant")
        assert compress(store, key, 3, f"u{user}zz in short")


def test_the_files_contain_no_word_of_an_erased_user(path, store):
    talk_a_lot(store, 6)
    assert b"u4zz" in raw(path)
    for user in (0, 2, 4):
        assert store.erase(UserKey(f"u{user}zzname", f"u{user}zztenant"))
    left = raw(path)
    assert [f"u{user}zz".encode() in left for user in range(6)] == [False, True] * 3


def test_the_files_contain_no_word_of_expired_exchanges(path, store):
    add_exchanges(store, ANN, *(make_exchange(f"older{n} " * 20, minute=n) for n in range(200)))
    add_exchanges(
        store, BEN, *(make_exchange(f"newer{n} " * 20, minute=200 + n) for n in range(200))
    )
    assert b"older7 " in raw(path)
    while store.expire(BEGIN + timedelta(minutes=200), limit=90) == 90:
        pass
    left = raw(path)
    assert (b"older" in left, b"newer7 " in left) == (False, True)


def test_the_file_is_scrubbed_of_expired_exchanges_once_a_day(store, monkeypatch):
    scrubbed = []
    monkeypatch.setattr(store._database, "scrub", lambda: scrubbed.append(hour))
    add_exchanges(store, ANN, *(make_exchange("x", minute=60 * hour) for hour in range(50)))
    for hour in range(50):
        store.expire(BEGIN + timedelta(hours=hour, minutes=1))
    assert scrubbed == [0, 24, 48]
    assert store.erase(OF_ANN) == 0
    assert scrubbed == [0, 24, 48, 49]  # what went since
    assert store.erase(OF_ANN) == 0
    assert len(scrubbed) == 4


def test_concurrent_erasures_leave_nothing_in_the_file(make, path, monkeypatch):
    one, other = make(), make()
    for minute in range(200):
        one.add(
            [
                make_new_exchange(key, make_exchange(f"{key.user}-secret " * 9, minute=minute))
                for key in (ANN, BEN)
            ]
        )
    scrub, look = one._database.scrub, other._scrub_if_due

    def scrub_and_let_the_other_erase() -> None:
        scrub()
        other.erase(OF_BEN)

    monkeypatch.setattr(one._database, "scrub", scrub_and_let_the_other_erase)
    monkeypatch.setattr(other, "_scrub_if_due", lambda: None)  # it comes to that a moment later
    one.erase(OF_ANN)
    look()
    files = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"ann-secret" not in files
    assert b"ben-secret" not in files


def test_an_erasure_blocked_by_a_reader_is_reported_and_can_be_repeated(path, store, monkeypatch):
    monkeypatch.setattr(database, "BUSY_FOR", 0.05)
    add_exchanges(store, ANN, "zzsecret")
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM exchanges").fetchall()
        with pytest.raises(StoreError, match=r"it is erased, but .*erase again"):
            store.erase(OF_ANN)
        assert matching(store, OF_ANN, "zzsecret") == []
    assert store.erase(OF_ANN) == 0
    assert b"zzsecret" not in raw(path)


# -- processes ---------------------------------------------------------------------------------


@pytest.fixture
def writers(path, tmp_path) -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    """Starts processes that add exchanges until they are killed."""
    started = []

    def start(name: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.ltm.retrieval.sqlite.crash_writer"]
        process = subprocess.Popen([*command, path, tmp_path / f"{name}.log", name], cwd=ROOT)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait(PATIENCE)


def promised(path: Path, name: str) -> int:
    """How much a writer has been told is kept."""
    log = path.with_name(f"{name}.log")
    lines = log.read_text().split("\n")[:-1] if log.exists() else []
    return int(lines[-1]) if lines else 0


def wait_for(path: Path, name: str, more: int, process: subprocess.Popen[bytes]) -> None:
    aim, deadline = promised(path, name) + more, time.monotonic() + PATIENCE
    while promised(path, name) < aim:
        assert process.poll() is None, "the writer has ended by itself"
        assert time.monotonic() < deadline, "nothing is kept any more"
        time.sleep(0.002)


def test_confirmed_exchanges_survive_killed_writers_exactly_once(path, writers, make):
    names = ("one", "two")  # at once, in the same two conversations
    for _ in range(2):
        running = [writers(name) for name in names]
        for name, process in zip(names, running, strict=True):
            wait_for(path, name, 30, process)
        for process in running:
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE)
    store = make(HistorySettings(max_exchanges=100_000))
    for key, whose in ((ANN, OF_ANN), (BEN, OF_BEN)):
        kept = store.exchanges(key, first=1, last=10**9)
        assert [each.number for each in kept] == list(range(1, len(kept) + 1))
        for name in names:
            mine = [each.question for each in kept if each.question.startswith(name)]
            assert mine == [f"{name} {number}" for number in range(store.journal_position(name))]
            assert len(mine) >= promised(path, name) >= 60
        assert store.statistics(whose, names).documents == len(kept)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_can_use_the_store(store):
    (first,) = add_exchanges(store, ANN, "before")
    store.put_vectors("m", [first], stack_vectors(vector(1, 0)))
    assert len(store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 1
    child = os.fork()
    if child == 0:
        try:
            store.add([make_new_exchange(ANN, "in the child")])
            near = store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)
            os._exit(0 if len(near) == 1 else 1)
        finally:
            os._exit(2)
    store.add([make_new_exchange(ANN, "in the parent")])
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    kept = questions(store.exchanges(ANN, first=1, last=9))
    assert kept[0] == "before"
    assert sorted(kept[1:]) == ["in the child", "in the parent"]
