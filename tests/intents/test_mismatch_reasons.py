"""The reason of a rejection names what the nearest intent lacked, or what kept it from matching."""

from __future__ import annotations

import pytest

from anaphora import Engine, parse_model

ELEMENTS = "id: m\nelements: [{id: tea}, {id: cake}, {id: hello}]\n"


@pytest.mark.parametrize(
    ("intent", "text", "reason"),
    [
        (
            "intent=order options={'ordered': true} term={# == 'tea'} term={# == 'cake'}",
            "cake and tea",
            "order does not match: its terms are in another order in the sentence",
        ),
        (
            "intent=order flow='hello' term={# == 'tea'}",
            "tea",
            "order does not match: its flow /hello/ is not found in the dialog ''",
        ),
        (
            "intent=order options={'unused_entities': false} term={# == 'tea'}",
            "tea and cake",
            "order does not match: it leaves 'cake' (cake) unused",
        ),
        (
            "intent=order term(what)={# == 'tea'} term(to_it)={# == 'cake'}",
            "tea",
            "for order it lacks: to_it",
        ),
        (
            "intent=order flow='hello' term(what)={# == 'tea'} term(to_it)={# == 'cake'}",
            "tea",
            "no intent can do anything with: tea",
        ),
    ],
)
def test_the_reason_is_that_of_the_nearest_intent(intent, text, reason):
    reply = Engine(parse_model(ELEMENTS, intents=[intent])).ask(text)
    assert (reply.status, reply.reason) == ("rejected", reason)
