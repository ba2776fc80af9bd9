"""Tests of what takes back the last change."""

from __future__ import annotations

import pytest

from anaphora.bots.undo import data_before, phrases, remember, take_back


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "oh no, undo that please", ["undo that"]),
        ("en", "Undo", ["Undo"]),
        ("en", "bring it back", ["bring it back"]),
        ("en", "the light in the kitchen", []),
        ("de", "mach das bitte wieder rückgängig", ["mach das bitte wieder rückgängig"]),
        ("ru", "верни всё как было", ["верни всё как было"]),
        ("fr", "défais ça", ["défais ça"]),
        ("es", "deshazlo", ["deshazlo"]),
        ("ja", "undo", []),
    ],
)
def test_the_words_that_take_back(language, text, found):
    assert [text[one.start : one.end] for one in phrases(text, language)] == found


def test_changes_are_taken_back_the_last_one_first():
    data = {"count": 1}
    remember(data)
    data["count"] = 2
    remember(data)
    data["other"] = [3]
    assert data_before(data) == {"count": 2}
    assert (take_back(data), data["count"], "other" in data) == (True, 2, False)
    assert (take_back(data), data["count"]) == (True, 1)
    assert (take_back(data), data["count"]) == (False, 1)


def test_ten_changes_are_kept():
    data = {"count": 0}
    for number in range(20):
        remember(data)
        data["count"] = number
    assert [take_back(data) for _ in range(11)] == [True] * 10 + [False]
    assert data_before(data) == {}
