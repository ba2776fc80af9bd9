from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.tokens.enclosures import find_brackets, find_quotes
from tests.support.line_counter import count_lines


def is_quoted(text: str, word: str) -> bool:
    found = find_quotes(text)
    return found is not None and found.enclose(text.index(word), text.index(word) + len(word))


def is_bracketed(text: str, word: str) -> bool:
    found = find_brackets(text)
    return found is not None and found.enclose(text.index(word), text.index(word) + len(word))


@pytest.mark.parametrize(
    "text",
    [
        'play "Tokyo" now', "play 'Tokyo' now", "play “Tokyo” now", "play „Tokyo“ now",
        "play „Tokyo” now", "играй «Tokyo» now", "spiel »Tokyo« now", "play ‘Tokyo’ now",
        "joue ‹Tokyo› now", "弾く「Tokyo」now", '"x" and "in Tokyo by night"',
        "what's in 'Tokyo'?", "the dogs' bowls in 'Tokyo'", "the '90s in 'Tokyo'",
        'he said "now \'Tokyo\' then"', "‘it’s in Tokyo’", '"a \'b Tokyo"',
    ],
)  # fmt: skip
def test_an_entity_between_quotation_marks_is_quoted(text):
    assert is_quoted(text, "Tokyo")


@pytest.mark.parametrize(
    "text",
    [
        "Tokyo", "what's in Tokyo, and what's not", '"x" Tokyo "y"', '"Tokyo', "Tokyo'",
        "the dogs' Tokyo is the cats' Tokyo", "don’t Tokyo can’t", '""Tokyo""', "»x« Tokyo »y«",
    ],
)  # fmt: skip
def test_an_entity_beside_quotation_marks_is_not_quoted(text):
    assert not is_quoted(text, "Tokyo")


@pytest.mark.parametrize("text", ["(Tokyo)", "[in Tokyo]", "{Tokyo now}", "<Tokyo>", "((a) Tokyo)"])
def test_an_entity_in_brackets_is_bracketed(text):
    assert is_bracketed(text, "Tokyo")


@pytest.mark.parametrize("text", ["Tokyo", "(Tokyo", "(a) Tokyo (b)", ")Tokyo(", "(Tokyo]"])
def test_an_entity_beside_brackets_is_not_bracketed(text):
    assert not is_bracketed(text, "Tokyo")


def test_an_entity_must_stand_inside_one_pair_as_a_whole():
    found = find_quotes('"a" "b"')
    assert found is not None
    assert found.enclose(1, 2)
    assert not found.enclose(1, 6)


@given(st.text("ab '\"«»„“”‘’()[", max_size=40))
def test_any_text_can_be_read(text):
    for found in (find_quotes(text), find_brackets(text)):
        assert found is None or isinstance(found.enclose(0, len(text)), bool)


@pytest.mark.parametrize("sign", ["'", '"', "(", ")", "„", "()", "' ", "«‹"])
def test_the_work_grows_as_the_text_does(sign):
    small, _ = count_lines(lambda: (find_quotes(sign * 500), find_brackets(sign * 500)))
    large, _ = count_lines(lambda: (find_quotes(sign * 1000), find_brackets(sign * 1000)))
    assert 0 < large < 2.1 * small
