"""Pages of a search: a book whose answer stands on page 3, and pages that fit together."""

from __future__ import annotations

import random
import uuid
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.agents.archive.archive import Archive
from anaphora.agents.archive.document import Document
from anaphora.agents.archive.passages import Section
from tests.agents.archive.conftest import ANN, SHARED
from tests.support.examples import examples


def book(chapters: int) -> Document:
    """A book on a treasure: each chapter is a passage."""
    sections = [
        Section(
            "The crew searched for the treasure and the map of the treasure. " * (chapters - number)
            if number < 11
            else f"In room {number} there was no treasure, only dust."
            if number != 11
            else "At last the treasure lay below the lighthouse of Port Elena.",
            (f"Chapter {number}",),
        )
        for number in range(chapters)
    ]
    return Document("island.md", "The island", tuple(sections))


def test_the_answer_on_a_later_page_of_a_book_is_reached(archive):
    archive.load(SHARED, [book(40)])
    query = "the search for the treasure with the map of the crew"
    pages = [archive.search([ANN, SHARED], query)]
    while not any("lighthouse" in one.text for one in pages[-1].passages):
        assert pages[-1].page < pages[-1].pages
        pages.append(archive.search([ANN, SHARED], query, page=len(pages) + 1))
    assert len(pages) >= 3
    (answer,) = [one for one in pages[-1].passages if "lighthouse" in one.text]
    assert answer.heading == "The island › Chapter 11"
    assert {page.total for page in pages} == {pages[0].total}


def test_pages_fit_together_while_vectors_are_being_computed(open_archive, url, embedder):
    archive = open_archive(url, embedder=embedder)
    embedder.may_go.clear()
    archive.insert(ANN, "A dessert.")
    archive.load(
        SHARED,
        [
            Document.from_text(f"{n}", f"A {word} number {n} of the day.")
            for n, word in enumerate(["race", "pudding", "tea"] * 10)
        ],
    )
    first = archive.search([ANN, SHARED], "cake of the day")
    embedder.may_go.set()
    assert archive.flush(60)
    others = [
        archive.search([ANN, SHARED], "cake of the day", page=page)
        for page in range(2, first.pages + 1)
    ]
    found = [(one.source, one.text) for page in (first, *others) for one in page.passages]
    assert {page.total for page in others} == {first.total}
    assert len(found) == len(set(found)) == first.total
    again = archive.search([ANN, SHARED], "cake of the day")
    assert all("dessert" in one.text or "pudding" in one.text for one in again.passages)


def test_a_later_page_knows_what_another_process_inserted(open_archive, url):
    archive, elsewhere = open_archive(url), open_archive(url)
    for number in range(4):
        archive.insert(ANN, f"Tea {number}.")
    assert archive.search(ANN, "tea", size=2).pages == 2
    elsewhere.insert(ANN, "Tea for two.")
    page = archive.search(ANN, "tea", size=2, page=3)
    assert (page.total, len(page.passages)) == (5, 1)
    elsewhere.erase(ANN)
    assert archive.search(ANN, "tea", size=2, page=2).total == 0


def test_what_was_replaced_is_on_no_later_page(archive):
    for number in range(4):
        archive.insert(ANN, f"Tea {number}.", source=f"{number}")
    archive.search(ANN, "tea", size=2)
    archive.remove(ANN, "0")
    archive.insert(ANN, "Tea again.", source="4")
    pages = [archive.search(ANN, "tea", size=2, page=page).passages for page in (2, 1)]
    assert {one.source for page in pages for one in page} == {"1", "2", "3", "4"}


def test_pages_do_not_end_before_the_candidates(archive):
    archive.load(
        SHARED, [Document.from_text(f"{number}", f"Tea {number}") for number in range(150)]
    )
    page = archive.search(SHARED, "tea", size=10)
    assert (page.total, page.pages) == (100, 10)
    last = archive.search(SHARED, "tea", size=10, page=10)
    assert len(last.passages) == 10


@pytest.fixture(scope="module")
def ledger():
    """Pairs of keys and values, each value of which is the key of the next pair."""
    keys = [str(uuid.UUID(int=random.Random(place).getrandbits(128))) for place in range(141)]
    with Archive("memory:") as archive:
        for key, value in pairwise(keys):
            archive.insert(ANN, f"Key: {key}, value: {value}")
        yield archive, keys


def test_nested_keys_are_looked_up_exactly(ledger):
    archive, keys = ledger
    for place, key in enumerate(keys[:-1]):
        found = archive.search(ANN, key).passages
        owners = [one.text for one in found if one.text.startswith(f"Key: {key}")]
        assert owners, f"the pair of {key} is not on the first page"
        assert all(key in one.text for one in found[: 2 if place else 1])


@pytest.mark.parametrize("mode", ["text", "hybrid"])
def test_keys_are_found_among_similar_ones(mode, embedder):
    @settings(max_examples=examples(40))
    @given(st.lists(st.uuids(), min_size=2, max_size=20, unique=True), st.data())
    def check(keys, data):
        with Archive("memory:", embedder=embedder) as archive:
            for key in keys:
                archive.insert(ANN, f"The badge {key} opens a door.")
            wanted = str(data.draw(st.sampled_from(keys)))
            first, *_ = archive.search(ANN, f"Who has the badge {wanted}?", mode=mode).passages
            assert wanted in first.text

    check()


@pytest.mark.parametrize("code", ["LH-454", "A1B2C3", "INV-2026-11-0042", "ISO/IEC 27001:2022"])
def test_a_code_is_found_exactly(archive, code):
    for other in ("LH-455", "A1B2C4", "INV-2026-11-0043", "ISO/IEC 27002:2022", code):
        archive.insert(ANN, f"The number is {other}.")
    first, *_ = archive.search(ANN, code).passages
    assert code in first.text
