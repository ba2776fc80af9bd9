"""How does remembering scale with the number of remembered entities?"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Conversation, Entity
from anaphora.stm.rules import record_match

AT = datetime(2026, 1, 5, tzinfo=UTC)


@pytest.mark.parametrize("count", [10, 100, 1_000])
def test_evict(benchmark, count):
    """One new entity among ``count`` remembered ones of three groups each."""
    held = [
        Entity(f"e{number}", frozenset({f"g{number}", f"h{number}", "all"}), f"e{number}")
        for number in range(count)
    ]
    conversation, _ = record_match(
        Conversation("user", "model"), AT, intent="first", new=held, used=()
    )
    new = [Entity("new", frozenset({"g3", "all"}), "new")]
    after, evicted = record_match(conversation, AT, intent="second", new=new, used=())
    assert (len(after.remembered), len(evicted)) == (count, 1)
    benchmark(record_match, conversation, AT, intent="second", new=new, used=())
