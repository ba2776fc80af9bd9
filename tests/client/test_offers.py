"""Both sides of the dialog in the client's values."""

from __future__ import annotations

from anaphora.api.replies import OfferedItem
from tests.client.conftest import REPLY, Caller, Service

FILM = {"element": "film", "value": "Alien", "groups": ["film"]}


def test_a_reply_has_what_the_bot_offers_and_who_said_what(call: Caller, service: Service) -> None:
    offers = {"offers": [[FILM]], "offered_by": "find", "quick_replies": ["yes"]}
    service.answers(REPLY | offers | {"memory": [FILM | {"by": "bot"}], "confirms": True})
    reply = call("ask", "What's on?")
    assert reply.offers == ((OfferedItem("film", "Alien", ("film",)),),)
    assert (reply.offered_by, reply.quick_replies, reply.confirms) == ("find", ("yes",), True)
    assert reply.memory[0].by == "bot"


def test_a_reply_of_an_older_server_says_nothing_of_it(call: Caller, service: Service) -> None:
    service.answers(REPLY)
    reply = call("ask", "Hi")
    assert (reply.offers, reply.offered_by, reply.quick_replies) == ((), "", ())
    assert not reply.confirms
    assert reply.memory[0].by == "user"


def test_a_conversation_has_what_lies_on_the_table(call: Caller, service: Service) -> None:
    entity = FILM | {"text": "Alien", "meta": {}}
    service.answers(
        {
            "user": "user",
            "model": "cinema",
            "remembered": [entity | {"by": "bot"}, entity],
            "pending": {"intent": "book", "confirms": True},
            "offers": [[entity]],
            "offered_by": "find",
            "offers_expire": "2026-01-05T09:05:00Z",
            "quick_replies": ["yes", "no"],
        }
    )
    found = call("conversation")
    assert [held.by for held in found.remembered] == ["bot", "user"]
    assert found.pending.confirms
    assert found.offers[0][0].value == "Alien"
    assert (found.offered_by, found.quick_replies) == ("find", ("yes", "no"))
    assert found.offers_expire.minute == 5


def test_a_conversation_of_an_older_server_has_nothing_on_the_table(
    call: Caller, service: Service
) -> None:
    pending = {"intent": "book", "missing": ["film"]}
    service.answers({"user": "user", "model": "cinema", "pending": pending})
    found = call("conversation")
    assert (found.offers, found.offered_by, found.offers_expire) == ((), "", None)
    assert not found.pending.confirms
