"""What a check of a slot knows of the question, and what a response knows of its handler."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from anaphora import Answer, Engine
from anaphora.errors import HandlerError

HALLS = """
id: halls
language: [en, ru, de]
code: hall_code
entities: [date]
dialog_acts: true
elements:
  - {id: book, synonyms: {en: [book], ru: [забронируй], de: [buche]}}
  - {id: price, synonyms: {en: [how much is], ru: [сколько стоит], de: [was kostet]}}
  - {id: hall, values: {Astra: {ru: [Астра]}, Ibis: {ru: [Ибис]}}}
intents:
  - id: book
    slots:
      book: book
      hall: {ask: Which one?}
      date: {ask: When?, validate: {check: "#is_open", text: Closed.}}
    response: Booked.
  - id: price
    slots: {price: price, hall: hall}
    response:
      en: "{{ hall }} is {{ result.price | money('EUR') }}."
      ru: "{{ hall }} стоит {{ result.price | money('EUR') }}."
      de: "{{ hall }} kostet {{ result.price | money('EUR') }}."
"""
CODE = """
CLOSED = {"en": "{} is closed.", "ru": "{} закрыт.", "de": "{} ist zu."}

def is_open(entity, question):
    if "fail" in question.text:
        return 1 / 0
    if "nothing" in question.text:
        return None
    hall = question.slots.get("hall")
    if hall is None or hall.value == "Astra":
        return True
    return CLOSED[question.language].format(hall.value)
"""


@pytest.fixture
def halls(tmp_path: Path) -> Engine:
    (tmp_path / "hall_code.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "halls.yaml").write_text(HALLS, encoding="utf-8")
    return Engine(tmp_path / "halls.yaml", clock=lambda: datetime(2026, 11, 23, 12, tzinfo=UTC))


@pytest.mark.parametrize(
    ("first", "then", "says"),
    [
        ("book Ibis", "on Friday", "Ibis is closed."),
        ("забронируй Ибис", "в пятницу", "Ibis закрыт."),
        ("buche Ibis am Freitag", "", "Ibis ist zu."),
        ("book Astra", "on Friday", "Booked."),
    ],
)
def test_a_check_knows_the_language_and_the_other_values(
    halls: Engine, first: str, then: str, says: str
) -> None:
    reply = halls.ask(first)
    assert (halls.ask(then) if then else reply).text == says


@pytest.mark.parametrize(
    ("text", "line"), [("book Astra on Friday or fail", 6), ("book Astra Friday, nothing else", 4)]
)
def test_a_check_that_fails_is_no_answer_to_the_user(halls: Engine, text: str, line: int) -> None:
    with pytest.raises(HandlerError, match=rf"#is_open.*\(hall_code\.py, line {line}\)"):
        halls.ask(text)
    assert halls.ask("on Friday").status == "rejected"  # nothing was remembered


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("how much is Ibis", "Ibis is €12.00."),
        ("сколько стоит Ибис", "Ibis стоит 12,00 €."),
        ("was kostet Ibis", "Ibis kostet 12,00 €."),
    ],
)
def test_a_response_says_what_the_handler_returned(halls: Engine, text: str, says: str) -> None:
    halls.on("price")(lambda: Answer(result={"price": 12}))
    assert halls.ask(text).text.replace("\u00a0", " ") == says


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer("x", then="boook"), "did you mean 'book'"),
        (Answer("x", mentions={"hal": "Ibis"}), "no element 'hal'"),
        (Answer("x", offers=[{"hall": "Zoo"}]), "'Zoo' is no value"),
    ],
)
def test_an_answer_that_fits_nothing_names_the_handler_with_its_line(
    halls: Engine, answer: Answer, message: str
) -> None:
    halls.on("price")(lambda: answer)
    with pytest.raises(
        HandlerError, match=rf"\(test_checks_and_results\.py, line \d+\).*{message}"
    ):
        halls.ask("how much is Ibis")
