"""Comments in JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.models.reading.json_reader import blank_comments
from anaphora.models.reading.nodes import to_data
from tests.models.nlpcraft.translation_helpers import TICKETS, tree_of


def test_a_file_with_comments_is_read() -> None:
    found = to_data(tree_of(TICKETS))
    assert found["elements"][1]["metadata"] == {"url": "https://example.org/shows"}
    assert found["conversationTimeout"] == 3_600_000


def test_every_place_stays() -> None:
    text = '{ // one\n  /* two\n three */ "a": "//b", /**/ "c": 1 }'
    blanked = blank_comments(text)
    assert len(blanked) == len(text)
    assert [blanked.index(key) for key in ('"a"', '"c"')] == [text.index('"a"'), text.index('"c"')]
    assert blanked.count("\n") == text.count("\n")
    assert json.loads(blanked) == {"a": "//b", "c": 1}


@pytest.mark.parametrize("text", ['{"a": "b\\"// c"}', '{"a": 1 /* never closed }', '"/*" "*/"'])
def test_what_is_no_comment_stays(text: str) -> None:
    assert blank_comments(text) == text


@given(st.dictionaries(st.text(), st.text() | st.lists(st.text())))
def test_json_without_comments_is_not_touched(data: dict[str, object]) -> None:
    text = json.dumps(data, ensure_ascii=False)
    assert blank_comments(text) == text


@pytest.mark.parametrize("text", ['"' + '\\"' * 200_000, "/* " * 200_000])
def test_what_is_never_closed_is_looked_at_once(text):
    assert blank_comments(text) == text
