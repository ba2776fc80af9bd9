"""Loading documents into an archive: progress, replacing, and going on after an interruption."""

from __future__ import annotations

import pytest

from anaphora.agents.archive import loading
from anaphora.agents.archive.document import Document
from anaphora.agents.archive.passages import Section
from tests.agents.archive.conftest import ANN, SHARED

TEA = Document.from_text("tea.txt", "Sencha is a green tea.", title="On tea")
CARS = Document.from_text("cars.txt", "A Ferrari is fast.", title="On cars")


def found(archive, query, **options):
    return [one.text for one in archive.search(SHARED, query, **options).passages]


def test_documents_are_found_with_their_title_and_source(archive):
    assert archive.load(SHARED, [TEA, CARS]) == 2
    (passage,) = archive.search([ANN, SHARED], "sencha").passages
    assert (passage.source, passage.heading, passage.position) == ("tea.txt", "On tea", 1)
    assert found(archive, "cars") == ["A Ferrari is fast."]  # by its title


def test_the_title_is_not_repeated_above_the_passages(archive):
    sections = (Section("Open all day.", ("Kyoto", "Castle")), Section("Rain.", ("Weather",)))
    archive.load(SHARED, [Document("k.md", "Kyoto", sections)])
    assert archive.search(SHARED, "open").passages[0].heading == "Kyoto › Castle"
    assert archive.search(SHARED, "rain").passages[0].heading == "Kyoto › Weather"


def test_progress_names_the_document_and_counts(archive):
    archive.load(SHARED, [TEA])
    steps = []
    assert archive.load(SHARED, [TEA, CARS], on_progress=steps.append) == 1
    assert [(one.source, one.documents, one.passages, one.unchanged) for one in steps] == [
        ("tea.txt", 1, 0, 1),
        ("cars.txt", 2, 1, 1),
    ]


def test_a_changed_document_replaces_what_its_source_had(archive, clock):
    archive.load(SHARED, [TEA, CARS])
    first = clock.now
    clock.pass_time(days=1)
    changed = Document.from_text("tea.txt", "Gyokuro grows in the shade.", title="On tea")
    assert archive.load(SHARED, [changed, CARS]) == 1
    assert found(archive, "sencha") == []
    assert found(archive, "gyokuro") == ["Gyokuro grows in the shade."]
    assert archive.count(SHARED) == 2
    assert archive.search(SHARED, "gyokuro").passages[0].at == clock.now
    assert archive.search(SHARED, "ferrari").passages[0].at == first


def test_the_same_source_twice_in_one_load_is_what_came_last(archive):
    later = Document.from_text("tea.txt", "Gyokuro grows in the shade.")
    archive.load(SHARED, [TEA, later])
    assert dict(archive.sources(SHARED)) == {"tea.txt": 1}
    assert (found(archive, "sencha"), len(found(archive, "gyokuro"))) == ([], 1)


def test_documents_of_one_owner_leave_those_of_others(archive):
    archive.load(ANN, [TEA])
    archive.load(SHARED, [Document.from_text("tea.txt", "Gyokuro grows in the shade.")])
    assert archive.remove(SHARED, "tea.txt") == 1
    assert archive.search(ANN, "sencha").total == 1


def test_an_interrupted_load_goes_on_where_it_was(archive, monkeypatch):
    monkeypatch.setattr(loading, "_BATCH_SIZE", 10)
    documents = [
        Document(
            f"{n}.txt", f"Volume {n}", tuple(Section(f"Lap {n} {k}.", (f"{k}",)) for k in range(7))
        )
        for n in range(6)
    ]

    def interrupted():
        yield from documents[:4]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        archive.load(SHARED, interrupted())
    before = dict(archive.sources(SHARED))
    assert before["0.txt"] == 7
    assert 0 < archive.count(SHARED) < 42
    complete = [name for name, number in before.items() if number == 7]
    steps = []
    archive.load(SHARED, documents, on_progress=steps.append)
    assert steps[-1].unchanged == len(complete) < 4
    assert dict(archive.sources(SHARED)) == {f"{n}.txt": 7 for n in range(6)}
    assert archive.load(SHARED, documents) == 0


def test_a_loaded_document_is_found_by_meaning_once_it_is_embedded(open_archive, url, embedder):
    archive = open_archive(url, embedder=embedder)
    archive.load(SHARED, [TEA, CARS])
    assert archive.flush(60)
    assert found(archive, "matcha", mode="meaning", size=1) == ["Sencha is a green tea."]
    assert len(embedder.texts) == 3
    assert "On tea\nSencha is a green tea." in embedder.texts
    archive.load(SHARED, [TEA, CARS])
    assert archive.flush(60)
    assert len(embedder.texts) == 3  # unchanged documents are not embedded again


def test_a_language_decides_on_word_forms(archive):
    german = Document.from_text("de.txt", "Die Häuser sind alt.", language="de")
    archive.load(SHARED, [german])
    assert found(archive, "Haus") == ["Die Häuser sind alt."]
