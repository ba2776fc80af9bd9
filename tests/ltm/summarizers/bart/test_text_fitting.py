"""How long texts are split for a model, and summaries shortened to whole sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.ltm.history.measure import count_words
from anaphora.ltm.summarizers.bart.text_fitting import fit_to_words, split_into_windows
from anaphora.ltm.summarizers.transcript import format_parts
from tests.ltm.summarizers.sample_segments import exchange


def test_a_text_that_fits_is_not_split():
    assert split_into_windows(["User: a\nBot: b", "User: c"], len, 100) == [
        "User: a\nBot: b\nUser: c"
    ]


def test_a_long_dialog_is_split_between_exchanges():
    pieces = [f"User: question {number}\nBot: answer {number}" for number in range(4)]
    assert split_into_windows(pieces, len, 70) == ["\n".join(pieces[:2]), "\n".join(pieces[2:])]


def test_a_long_exchange_is_split_between_its_turns():
    assert split_into_windows(["User: a question\nBot: an answer"], len, 20) == [
        "User: a question",
        "Bot: an answer",
    ]


def test_a_long_turn_is_split_between_sentences_and_each_half_names_its_speaker():
    assert split_into_windows(["Bot: It rains in Rome today. It snows in Oslo."], len, 32) == [
        "Bot: It rains in Rome today.",
        "Bot: It snows in Oslo.",
    ]


def test_each_half_of_an_earlier_summary_is_marked():
    earlier = "Earlier, 2026-01-05: We met. Bot: Granted."
    assert split_into_windows([earlier], len, 36) == [
        "Earlier, 2026-01-05: We met.",
        "Earlier, 2026-01-05: Bot: Granted.",
    ]


def test_a_long_sentence_is_split_between_words():
    assert split_into_windows(["Bot: one two three four"], len, 16) == [
        "Bot: one two",
        "Bot: three four",
    ]


def test_an_overlong_word_is_split():
    assert split_into_windows(["x" * 10], len, 5) == ["x" * 5, "x" * 5]


texts = st.text(st.sampled_from("ab. \n!天。"), max_size=80)


@given(st.lists(st.tuples(texts, texts), max_size=8), st.integers(12, 60))
def test_windows_fit_and_lose_nothing(said, room):
    pieces = format_parts(exchange(question, answer) for question, answer in said)
    read = split_into_windows(pieces, len, room)
    assert all(len(text) <= room for text in read)
    assert _letters(read) == _letters(pieces)


def _letters(written):
    said = "".join(written).replace("User: ", "").replace("Bot: ", "")
    return "".join(said.split())


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("It rains. It snows.", 10, "It rains. It snows."),
        ("It rains. It snows.", 3, "It rains."),
        ("It rains. It sno", 10, "It rains."),
        ("It rains in Rome", 10, "It rains in Rome"),
        ("It rains in Rome, and in Oslo", 4, "It rains in Rome…"),
        ("他说好。她说不好。", 2, "他说好。"),
        ("He said: “No.” She", 10, "He said: “No.”"),
        ("  ", 5, ""),
    ],
)
def test_a_summary_keeps_whole_sentences(text, most, expected):
    assert fit_to_words(text, most) == expected


@given(st.text(st.sampled_from("ab. \n!天。é"), max_size=60), st.integers(1, 12))
def test_a_summary_never_exceeds_the_limit(text, most):
    assert count_words(fit_to_words(text, most)) <= most
