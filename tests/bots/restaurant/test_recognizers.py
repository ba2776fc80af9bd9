"""The recognizers of guests, distances and ratings."""

from __future__ import annotations

import pytest

from anaphora.bots.restaurant.recognizers import distances, guests, ratings


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("for three, not two", "en", ["3", "2"]),
        ("4 people", "en", ["4"]),
        ("change it to 5 people", "en", ["5"]),
        ("for one", "en", ["1"]),
        ("the first one", "en", []),
        ("one for Ann", "en", []),
        ("a table for one for tomorrow", "en", ["1"]),
        ("another one", "en", []),
        ("at 8", "en", []),
        ("8 pm", "en", []),
        ("7:30", "en", []),
        ("under 30 euros", "en", []),
        ("на троих", "ru", ["3"]),
        ("нас четверо", "ru", ["4"]),
        ("до 5 человек", "ru", ["5"]),
        ("в 8", "ru", []),
        ("второй", "ru", []),
    ],
)
def test_guests(text, language, found):
    assert [mention.value for mention in guests(text, language)] == found


def test_distances_and_ratings():
    assert [mention.value for mention in distances("within 1,5 km")] == ["1.5"]
    assert [mention.value for mention in ratings("the one with 4.7 stars")] == ["4.7"]
