"""What the service tells of a conversation."""

from __future__ import annotations

from datetime import UTC, datetime

from anaphora import Engine, parse_model
from anaphora.server.schemas.serializers import serialize_conversation

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
HOTEL = """
id: hotel
dialog_acts: true
elements: [{id: book}, {id: room, values: [attic]}, {id: sun}, {id: city, values: [Bonn]}]
intents:
  - {id: book, slots: {book: book, room: {ask: Which room?}}, response: Done.}
  - {id: sun, slots: {sun: sun, city: {ask: Where?}}, response: Sunny.}
"""


def test_a_conversation_shows_the_question_that_another_one_suspends():
    engine = Engine(parse_model(HOTEL))
    for text in ("book", "is there sun?"):
        engine.ask(text, at=AT)
    shown = serialize_conversation(engine.conversation(at=AT), engine.models[0], AT)
    assert (shown.pending.intent, shown.suspended.intent) == ("sun", "book")
    assert shown.suspended.missing == ("room",)
    engine.ask("Bonn", at=AT)
    shown = serialize_conversation(engine.conversation(at=AT), engine.models[0], AT)
    assert shown.pending.intent == "book"
    assert shown.suspended is None
