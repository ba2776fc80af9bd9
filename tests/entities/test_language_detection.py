"""The language of a conversation in a model with several languages."""

from __future__ import annotations

import pytest

from anaphora import Engine, parse_model

FILES = """
id: files
language: [en, de]
elements:
  - {id: wipe, id_synonym: false, typos: 1, synonyms: {en: [remove], de: [removen, lösche]}}
  - {id: all, id_synonym: false, synonyms: {en: [all], de: [alle]}}
intents:
  - {id: wipe, slots: {wipe: wipe, all: {optional: true}}, response: {en: gone, de: weg}}
"""


@pytest.mark.parametrize(
    ("questions", "answer"),
    [
        (["lösche", "remove"], "weg"),
        (["remove"], "gone"),
        (["lösche", "remove them all"], "gone"),
        (["remove", "lösche"], "weg"),
    ],
)
def test_one_word_that_may_be_misspelt_keeps_the_language(
    questions: list[str], answer: str
) -> None:
    engine = Engine(parse_model(FILES))
    assert [engine.ask(text).text for text in questions][-1] == answer


DAYS = """
id: days
language: [en, de]
entities: [date]
elements: [{id: book, id_synonym: false, synonyms: {en: [book], de: [buche]}}]
intents:
  - id: book
    slots: {book: book, date: {ask: {en: When?, de: Wann?}}}
    response: {en: ok, de: gut}
"""


@pytest.mark.parametrize(("question", "answer"), [("book", "ok"), ("buche", "gut")])
def test_a_date_in_digits_keeps_the_language(question: str, answer: str) -> None:
    engine = Engine(parse_model(DAYS))
    engine.ask(question)
    assert engine.ask("25-12").text == answer
