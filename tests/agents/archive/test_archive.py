"""What an archive keeps: inserting, searching, counting and erasing."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from anaphora.errors import AnaphoraError, StoreError
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
from anaphora.ltm.retrieval.store import UserKey
from tests.agents.archive.conftest import ANN, BEN, SHARED
from tests.support.forked_process import run_forked


def texts(page):
    return [passage.text for passage in page.passages]


def test_a_fact_inserted_after_a_query_is_found_by_the_same_query(open_archive, url):
    archive, elsewhere = open_archive(url), open_archive(url)
    archive.insert(ANN, "Ann drinks green tea.")
    assert texts(archive.search(ANN, "tea")) == ["Ann drinks green tea."]
    archive.insert(ANN, "Tea must be hot.")
    assert set(texts(archive.search(ANN, "tea"))) == {"Ann drinks green tea.", "Tea must be hot."}
    elsewhere.insert(ANN, "No sugar in the tea.")
    page = archive.search(ANN, "tea")
    assert (page.total, page.pages) == (3, 1)
    assert "No sugar in the tea." in texts(page)
    assert texts(archive.search(ANN, "tea", page=2, size=2)) == [texts(page)[2]]


def test_the_time_of_a_result_is_that_of_its_insert(archive, clock):
    inserted = clock.now
    archive.insert(ANN, "The race is on Sunday.")
    clock.pass_time(days=3)
    (passage,) = archive.search(ANN, "race").passages
    assert passage.at == inserted
    zoned = datetime(2020, 5, 1, 12, tzinfo=UTC)
    archive.insert(ANN, "An older note on a boat.", at=zoned)
    (passage,) = archive.search(ANN, "boat").passages
    assert passage.at == zoned


def test_the_total_counts_all_results_and_not_those_of_the_page(archive):
    for number in range(12):
        archive.insert(ANN, f"Race {number} was long.")
    pages = [archive.search(ANN, "race", page=page) for page in (1, 2, 3, 4)]
    assert [(page.page, page.pages, page.total) for page in pages] == [
        (number, 3, 12) for number in (1, 2, 3, 4)
    ]
    assert [len(page.passages) for page in pages] == [5, 5, 2, 0]
    found = [text for page in pages for text in texts(page)]
    assert len(set(found)) == 12


def test_nothing_is_found_in_an_empty_archive(archive):
    page = archive.search([ANN, SHARED], "tea")
    assert (page.passages, page.pages, page.total) == ((), 0, 0)
    assert (archive.count(ANN), dict(archive.sources(ANN))) == (0, {})
    assert (archive.erase(ANN), archive.remove(ANN, "x")) == (0, 0)


def test_a_fact_is_found_by_its_meaning_as_soon_as_it_is_inserted(open_archive, url, embedder):
    embedder.may_go.clear()  # the background thread is busy
    archive = open_archive(url, embedder=embedder)
    archive.insert(ANN, "Ann loves to watch a Ferrari.")
    archive.insert(ANN, "Her friend bakes a tart.")
    assert texts(archive.search(ANN, "dessert", size=1)) == ["Her friend bakes a tart."]
    embedder.may_go.set()


def test_a_fact_that_means_every_word_comes_before_one_that_means_only_one(
    open_archive, url, embedder, word_embedder
):
    word_embedder.may_go.clear()  # the background thread is busy
    archive = open_archive(url, embedder=word_embedder)
    archive.insert(SHARED, "Some tea.")
    archive.insert(ANN, "A Ferrari, matcha, and for dessert a cake, a tart and a pudding.")
    word_embedder.texts.clear()
    found = archive.search([SHARED, ANN], "sencha lap")
    assert texts(found)[0].startswith("A Ferrari")
    assert word_embedder.texts == ["sencha lap"]  # once for both owners
    word_embedder.may_go.set()
    without_tokens = open_archive(url, embedder=embedder)
    assert texts(without_tokens.search([SHARED, ANN], "sencha lap"))[0] == "Some tea."


def test_a_fact_beside_the_right_one_is_not_taken_for_it(open_archive, url, embedder):
    archive = open_archive(url, embedder=embedder)
    for number in range(5):
        archive.insert(ANN, f"Flight {number} was late.")
    archive.insert(ANN, "Her friend bakes a tart.")
    archive.insert(ANN, "The bus was late, too.")
    first, *others = archive.search(ANN, "pudding").passages
    assert first.text == "Her friend bakes a tart."
    assert len({passage.score for passage in others}) == 1


def test_a_short_fact_is_found_beside_long_passages(open_archive, url, embedder):
    archive = open_archive(url, embedder=embedder)
    archive.insert(SHARED, " ".join(f"Sentence {number} says little." for number in range(200)))
    archive.insert(ANN, "Matcha!")
    first, *_ = archive.search([SHARED, ANN], "sencha").passages
    assert (first.text, first.owner) == ("Matcha!", ANN)


def test_without_its_embedder_a_fact_is_found_by_words_and_later_by_meaning(
    open_archive, url, embedder, clock
):
    archive = open_archive(url, embedder=embedder)
    embedder.fails = True
    archive.insert(ANN, "Her friend bakes a tart.")
    archive.insert(ANN, "The bus was late.")
    assert texts(archive.search(ANN, "tart", mode="text")) == ["Her friend bakes a tart."]
    with pytest.raises(AnaphoraError, match="the embedder is away"):
        archive.search(ANN, "tart")
    embedder.fails = False
    clock.pass_time(minutes=11)  # beyond any back-off
    assert archive.flush(60)
    assert texts(archive.search(ANN, "pudding", mode="meaning", size=1)) == [
        "Her friend bakes a tart."
    ]


def test_own_facts_and_shared_documents_are_searched_as_one(archive):
    archive.insert(SHARED, "The office closes at six.", source="handbook")
    archive.insert(ANN, "Ann leaves the office at five.")
    archive.insert(BEN, "Ben sleeps in the office.")
    archive.insert(UserKey("ann"), "Another Ann has no office.")
    page = archive.search([SHARED, ANN], "office")
    assert {(passage.owner, passage.source) for passage in page.passages} == {
        (SHARED, "handbook"),
        (ANN, ""),
    }
    assert page.total == 2


def test_the_few_facts_of_a_user_are_not_buried_by_a_library(archive):
    for number in range(40):
        archive.insert(SHARED, f"Chapter {number}: what is the best of it?")
    archive.insert(SHARED, "The name of her rose is unknown.")
    for fact in ("name of her sister is Mia", "sister is tall", "name of her dog is Rex"):
        archive.insert(ANN, f"The {fact}.")
    for owners in ([SHARED, ANN], [ANN, SHARED]):
        first, *_ = archive.search(owners, "What is the name of her sister?").passages
        assert first.text == "The name of her sister is Mia."


def test_equal_scores_keep_the_order_of_the_owners(archive):
    for owner in (SHARED, ANN):
        archive.insert(owner, "Tea at four.")
    for owners in ([SHARED, ANN], [ANN, SHARED], [ANN, SHARED, ANN]):
        page = archive.search(owners, "tea")
        assert [passage.owner for passage in page.passages] == list(dict.fromkeys(owners))


def test_counts_follow_what_is_inserted_and_removed(archive):
    assert archive.insert(ANN, "One note.") == 1
    long = archive.insert(ANN, "A longer text has many words. " * 100, source="essay")
    assert long > 1
    archive.insert(ANN, "Another one.")
    assert archive.count(ANN) == long + 2
    assert dict(archive.sources(ANN)) == {"": 2, "essay": long}
    assert archive.remove(ANN, "essay") == long
    assert (archive.count(ANN), dict(archive.sources(ANN))) == (2, {"": 2})
    assert archive.search(ANN, "longer").total == 0
    assert archive.erase(ANN) == 2
    assert (archive.count(ANN), dict(archive.sources(ANN))) == (0, {})
    assert archive.insert(ANN, "A new beginning.") == 1
    assert archive.count(ANN) == 1


def test_the_count_needs_no_look_at_the_passages(open_archive, tmp_path):
    archive = open_archive(f"sqlite:///{tmp_path}/a.db")
    for number in range(3):
        archive.insert(ANN, f"Note {number}.")
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("DROP TABLE exchanges")
        connection.commit()
    assert archive.count(ANN) == 3
    with pytest.raises(StoreError):
        archive.sources(ANN)


@pytest.mark.parametrize("erase", [lambda a: a.erase(ANN), lambda a: a.remove(ANN, "diary")])
def test_what_is_erased_is_gone_from_the_file(open_archive, tmp_path, erase, embedder):
    archive = open_archive(f"sqlite:///{tmp_path}/a.db", embedder=embedder)
    archive.insert(ANN, "My secret is the Xanadu tart.", source="diary")
    archive.insert(BEN, "Ben keeps his note.", source="diary")
    archive.search(ANN, "secret")
    assert b"xanadu" in _bytes_in(tmp_path)
    assert erase(archive) == 1
    assert b"xanadu" not in _bytes_in(tmp_path)
    assert texts(archive.search([ANN, BEN], "note")) == ["Ben keeps his note."]


def _bytes_in(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("a.db*") if path.is_file()).lower()


def test_passages_of_a_source_are_numbered(archive):
    archive.insert(ANN, "First note on tea.", source="notes")
    archive.insert(ANN, "Second note on boats.", source="notes")
    (passage,) = archive.search(ANN, "boats").passages
    assert (passage.source, passage.position, passage.heading) == ("notes", 2, "")


@pytest.mark.parametrize("text", ["", "  \n\t"])
def test_a_text_without_words_is_refused(archive, text):
    with pytest.raises(ValueError, match="needs a text"):
        archive.insert(ANN, text)
    assert archive.count(ANN) == 0


def test_impossible_arguments_are_refused(archive, clock):
    with pytest.raises(ValueError, match="time with a zone"):
        archive.insert(ANN, "Tea.", at=clock.now.replace(tzinfo=None))
    for options in ({"query": " "}, {"page": 0}, {"size": 0}, {"mode": "magic"}):
        archive.insert(ANN, "Tea.")
        with pytest.raises(ValueError, match=r"no such search|mode must be"):
            archive.search(**{"owners": ANN, "query": "tea", **options})


def test_an_archive_is_there_after_it_was_closed(open_archive, url):
    archive = open_archive(url)
    archive.insert(ANN, "Tea at four.")
    archive.close()
    archive.close()
    assert texts(open_archive(url).search(ANN, "tea")) == ["Tea at four."]


def test_a_store_that_is_passed_stays_open(open_archive, tmp_path):
    with closing(SqliteRecallStore(tmp_path / "own.db", settings=HistorySettings())) as store:
        archive = open_archive(store)
        archive.insert(ANN, "Tea at four.")
        archive.close()
        assert store.count_by_model(ANN) == {"": 1}


def test_many_threads_insert_and_search(open_archive, url, embedder):
    archive = open_archive(url, embedder=embedder)
    failures = []

    def work(number):
        try:
            for place in range(5):
                archive.insert(ANN, f"Thread {number} drinks tea {place}.")
                assert archive.search([ANN, SHARED], f"thread {number} tea").total
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert archive.count(ANN) == 20


def test_a_forked_process_goes_on(open_archive, url, embedder):
    archive = open_archive(url, embedder=embedder)
    archive.insert(ANN, "Before the fork there was tea.")

    def child():
        archive.insert(ANN, "In the child there is cake.")
        found = texts(archive.search(ANN, "pudding", size=1))
        return 0 if found == ["In the child there is cake."] and archive.flush(60) else 2

    assert run_forked(child) == 0
    assert archive.count(ANN) == 2
    assert archive.flush(60)


def test_a_day_is_searched_by_its_name(archive, clock):
    archive.insert(ANN, "The gate code changed.", at=clock.now - timedelta(days=30))
    archive.insert(ANN, "The gate code changed again.", at=clock.now - timedelta(days=1))
    first, *_ = archive.search(ANN, "gate code of yesterday").passages
    assert first.text == "The gate code changed again."
