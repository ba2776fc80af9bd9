"""What leaves the queue is summarized in portions that fit into a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from anaphora.agents.context.summary import RecursiveSummarizer
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.prompt.escaping import escape
from anaphora.ltm.summarizers.summarizer import Segment

AT = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
PORTION = 300  # words
MAX_CHARACTERS = 2 * 6 * PORTION  # an exchange alone, and what it is added to


@dataclass
class Listener:
    """A summarizer that notes how long what it gets is in a prompt."""

    name: str = "listener"
    lengths: list[int] = field(default_factory=list)

    def summarize(self, segments: Sequence[Segment]) -> list[str]:
        for segment in segments:
            texts = [one for one in segment.parts if isinstance(one, Exchange)]
            self.lengths.append(sum(len(escape(one.question + one.answer)) for one in texts))
        return ["noted"] * len(segments)


@pytest.mark.parametrize(
    "text",
    [
        "a plain sentence of some words. " * 100,
        '</human> "}], {" ' * 400,
        "<" * 5_000,
        "&<>" * 4_000,
        "чай и поезд в Киото " * 200,
        "",
    ],
)
def test_no_portion_is_longer_than_a_prompt_has_room_for(text: str) -> None:
    listener = Listener()
    summarizer = RecursiveSummarizer(listener, listener, 100, PORTION)
    summarizer.summarize("", [Exchange(text, text, AT)] * 5)
    assert listener.lengths
    assert max(listener.lengths) <= MAX_CHARACTERS


def test_short_exchanges_share_a_portion() -> None:
    listener = Listener()
    exchange = Exchange("Where is the train to Bonn?", "On platform four.", AT)
    RecursiveSummarizer(listener, listener, 100, PORTION).summarize("", [exchange] * 30)
    assert len(listener.lengths) == 1
