"""Speakers of transcripts: the names before their texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.ltm.retrieval.speakers import (
    find_speaker_terms,
    remove_labels,
    remove_names,
    select_speakers,
    speaker_terms,
)


@pytest.mark.parametrize(
    ("text", "terms", "rest"),
    [
        ("Ann: Good morning", ("speaker=ann",), "Good morning"),
        ("Mary Ann: Hi", ("speaker=mary", "speaker=ann"), "Hi"),
        ("Ann: Hi!\nBen: Hello, Ann.", ("speaker=ann", "speaker=ben"), "Hi!\nHello, Ann."),
        ("Анна: привет", ("speaker=анна",), "привет"),
        ("小明：你好", ("speaker=小明",), "你好"),
        ("O'Neil: yes", ("speaker=o", "speaker=neil"), "yes"),
        ("Good morning, Ann", (), "Good morning, Ann"),
        ("we meet at 10:30", (), "we meet at 10:30"),
        ("see https://example.org", (), "see https://example.org"),
        ("one thing: it rains", (), "one thing: it rains"),
        ("Ann:", (), "Ann:"),
        ("", (), ""),
    ],
)
def test_the_label_before_a_text_names_its_speaker(text, terms, rest):
    assert speaker_terms(text) == terms
    assert remove_labels(text) == rest


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("What does Ann drink?", "What does drink?"),
        ("What is ann's brother called?", "What is brother called?"),
        ("What is Ann’s brother called?", "What is brother called?"),
        ("Who is Annette?", "Who is Annette?"),
        ("Ann", "Ann"),
        ("Ann?", "Ann?"),
    ],
)
def test_the_names_of_speakers_are_removed_from_a_search_text(text, rest):
    assert remove_names(text, {"speaker=ann"}) == rest


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        ("What will Ann do?", {"speaker=ann"}),
        ("What did Will do?", {"speaker=will"}),
        ("what will ann do", {"speaker=will", "speaker=ann"}),
        ("What did Ben do?", set()),
    ],
)
def test_a_word_in_lower_case_is_a_name_only_without_a_capitalized_name(text, speakers):
    frequency = {"speaker=ann": 3, "speaker=will": 2, "speaker=ben": 0}
    assert select_speakers(text, frequency) == speakers


def test_a_search_text_finds_a_speaker_however_it_is_written():
    assert set(speaker_terms("Ann: Hi")) <= set(find_speaker_terms("what did ANN's brother say"))


@given(st.text())
def test_without_speakers_a_search_text_keeps_its_words(text):
    assert remove_names(text, ()).split() == text.split()


@given(st.text())
def test_labels_are_removed_only_where_they_are_indexed(text):
    assert speaker_terms(text) or remove_labels(text) == text
