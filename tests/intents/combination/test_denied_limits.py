"""Who says when it does not suit says when it does: "I can't before four"."""

from datetime import UTC, datetime

import pytest

from anaphora import Engine, parse_model

WEDNESDAY = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)

ROOMS = """
id: rooms
language: {language}
dialog_acts: true
elements:
  - {{id: date, id_synonym: false, recognizer: date, config: {{hours: 8-20}}}}
  - {{id: book, synonyms: [book, buche, réserve, reserva, prenota, забронируй]}}
intents:
  - id: book
    slots: {{book: book, date: {{ask: When?}}}}
    confirm: "{{{{ date }}}}"
    response: Done.
"""


def ask(language, *questions):
    engine = Engine(parse_model(ROOMS.format(language=language)), clock=lambda: WEDNESDAY)
    return [engine.ask(text).text.replace("2026-11-19T", "") for text in questions][-1]


@pytest.mark.parametrize(
    ("language", "said", "left"),
    [
        ("en", ["book tomorrow at 9", "not before 4"], "16:00/.."),
        ("en", ["book tomorrow at 9", "I can't before 4"], "16:00/.."),
        ("en", ["book tomorrow at 9", "we can't make it until 11"], "11:00/.."),
        ("en", ["book tomorrow at 9", "before noon doesn't work for us"], "12:00/.."),
        ("en", ["book tomorrow at 9", "I can't after 11"], "09:00/11:00"),
        ("en", ["book tomorrow at 9", "I can't before 4", "at 5"], "17:00"),
        ("de", ["buche morgen um 9", "vor 16 Uhr kann ich nicht"], "16:00/.."),
        ("fr", ["réserve demain à 9h", "je ne peux pas avant 16h"], "16:00/.."),
        ("es", ["reserva mañana a las 9", "no puedo antes de las 4"], "16:00/.."),
        ("it", ["prenota domani alle 9", "non posso prima delle 4"], "16:00/.."),
        ("ru", ["забронируй завтра в 9", "до 16:00 не могу"], "16:00/.."),
    ],
)
def test_a_limit_that_does_not_suit_leaves_the_other_side(language, said, left):
    assert ask(language, *said) == left


@pytest.mark.parametrize("said", ["no, before 4", "no, until 4"])
def test_a_limit_behind_a_no_is_not_denied(said):
    assert ask("en", "book tomorrow at 9", said) == "09:00/16:00"
