"""A conversation survives being stored."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from anaphora import Conversation, StoreError
from tests.stm.strategies import conversations


@given(conversations)
def test_what_is_read_back_is_what_was_written(conversation):
    plain = json.loads(json.dumps(conversation.to_plain()))
    assert Conversation.from_plain(plain) == conversation


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"format": 0},
        {"format": 99, "user": "ann"},
        {"format": 1, "user": "ann"},
        None,
        [1],
        Conversation("ann", "weather").to_plain() | {"last": "yesterday"},
        Conversation("ann", "weather").to_plain() | {"remembered": [{}]},
    ],
)
def test_what_is_no_conversation_is_refused(plain):
    with pytest.raises(StoreError):
        Conversation.from_plain(plain)
