"""Templates are written as text."""

from __future__ import annotations

import pytest

from anaphora.grammar.sentences.parser import parse_sentence
from anaphora.grammar.sentences.printer import format_sentence


@pytest.mark.parametrize(
    "text",
    [
        "turn on [the] {area} (light|lamp)[s]",
        "<turn> {name} (now;[please])",
        "{list:slot} {any:@words} [a|b]",
        "a \\(b\\) \\| c",
        "",
    ],
)
def test_what_is_written_is_read_again(text: str) -> None:
    written = format_sentence(parse_sentence(text))
    assert written == text
