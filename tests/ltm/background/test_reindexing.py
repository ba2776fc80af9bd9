"""A memory of an earlier version: it is read as it is, and indexed anew in the background."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

from anaphora import ConversationKey, LongTermMemory, UserKey
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.ingestion import records
from anaphora.ltm.ingestion.journal import Journal
from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
from anaphora.ltm.retrieval.store import NewExchange, SearchFilter
from anaphora.ltm.retrieval.urls import open_recall_store
from tests.support.postgres_server import postgres_server  # noqa: F401 - a fixture

ANN = ConversationKey("ann", "guide")
OF_ANN = UserKey("ann")
NOW = datetime(2026, 11, 12, 9, tzinfo=UTC)
# What was said, and the terms that the first version made of it.
EARLIER = (
    ("I write C++ at work", "i write c at work"),
    ("My flight is LH-454 🎉", "my flight is lh 454"),
    ("It costs $1,250.00", "it cost 1 250 00"),
    ("I was there yesterday", "i was there yesterday"),
    ("Call 650-253-0000", "call 650 253 0000"),
    ("My children went home", "my children went home"),
    ("Die Häuser sind teuer", "die hauser sind teuer"),
)
GERMAN = "Die Häuser sind teuer"


def keep_earlier(store):
    store.add(
        [
            NewExchange(ANN, said_before(text, hour), terms, 1)
            for hour, (text, words) in enumerate(EARLIER)
            for terms in [(*words.split(), "sunday", "8", "novemb", "2026")]
        ]
    )


def said_before(text, hour):
    at = datetime(2026, 11, 8, hour, tzinfo=UTC)
    return Exchange(text, "", at, language="de" if text == GERMAN else "")


@pytest.fixture(params=["sqlite", "postgres"])
def memory_of_before(request, tmp_path):
    """The store of a memory with the tables and the rows of the version before."""
    if request.param == "sqlite":
        path = tmp_path / "memory.db"
        with closing(SqliteRecallStore(path, settings=HistorySettings())) as store:
            keep_earlier(store)
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("DROP INDEX exchanges_by_terms_version")
            file.execute("ALTER TABLE exchanges DROP COLUMN terms_version")
            file.execute("PRAGMA user_version = 4")
        with closing(SqliteRecallStore(path, settings=HistorySettings())) as store:
            yield store
        return
    server = request.getfixturevalue("postgres_server")
    schema = server.schema()
    make = {"url": server.url, "settings": HistorySettings(), "schema": schema}
    with closing(PostgresRecallStore(**make)) as store:
        keep_earlier(store)
    with server.client() as client:
        client.execute(f"ALTER TABLE {schema}.exchanges DROP COLUMN terms_version")
        client.execute(f"DROP TABLE {schema}.token_vectors, {schema}.leases")
        client.execute(f"DROP TABLE {schema}.vector_indexes")
        client.execute(f"UPDATE {schema}.format SET version = 4")
    with closing(PostgresRecallStore(**make)) as store:
        yield store


def test_a_memory_of_an_earlier_version_is_readable(memory_of_before):
    said = memory_of_before.exchanges(ANN, first=1, last=9)
    assert [one.question for one in said] == [text for text, _ in EARLIER]
    assert {(one.question_dates, one.at.utcoffset().seconds) for one in said} == {(None, 0)}
    (found, *_) = memory_of_before.find_matching(OF_ANN, ["454"], filters=SearchFilter(), limit=3)
    assert found.number == 2


def test_a_memory_of_an_earlier_version_is_reindexed(memory_of_before, tmp_path):
    with LongTermMemory(memory_of_before, journal=tmp_path, clock=lambda: NOW) as memory:
        memory.add(ANN, Exchange("Thanks, see you", "", NOW))
        assert memory.flush()
        for text, said in {
            "C++": "I write C++ at work",
            "LH454": "My flight is LH-454 🎉",
            "🎉": "My flight is LH-454 🎉",
            "1250": "It costs $1,250.00",
            "2026-11-07": "I was there yesterday",
            "6502530000": "Call 650-253-0000",
            "child goes": "My children went home",
            "Haus": GERMAN,
        }.items():
            assert memory.recall(OF_ANN, text).passages[0].exchange.question == said
        page = memory.recall(OF_ANN, "last Sunday", neighbours=0)
        assert {one.exchange.at.day for one in page.passages[:5]} == {8}
        assert not memory.status().failures


@pytest.mark.parametrize("version", [1, 2])
def test_terms_of_the_previous_version_are_replaced(version, tmp_path):
    path = tmp_path / "memory.db"
    with closing(SqliteRecallStore(path, settings=HistorySettings())) as store:
        said = Exchange("Compré dos lápices", "", NOW, language="es")
        store.add([NewExchange(ANN, said, ("compr", "dos", "lapic"), version)])
        assert not store.find_matching(OF_ANN, ["lápiz"], filters=SearchFilter(), limit=3)
    with LongTermMemory(f"sqlite:///{path}", clock=lambda: NOW) as memory:
        assert memory.flush()
        (found,) = memory.recall(OF_ANN, "el lápiz").passages
        assert found.exchange.question == "Compré dos lápices"


def test_pending_exchanges_of_an_earlier_version_are_found_by_other_word_forms(tmp_path):
    path, files = tmp_path / "memory.db", tmp_path / "files"
    waiting = open_recall_store(f"sqlite:///{path}", settings=HistorySettings())
    with closing(waiting.store), closing(Journal(waiting.journal_folder_in(files))) as journal:
        said = Exchange("I lost my knives", "", NOW, language="en", clock=1)
        journal.append(records.dump_record(ANN, said))
    with LongTermMemory(f"sqlite:///{path}", journal=files, clock=lambda: NOW) as memory:
        assert memory.flush()
        assert memory.recall(OF_ANN, "knife").passages
