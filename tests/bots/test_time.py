"""The time here and there."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tests.bots.talk import answer

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["What time is it?"], "It is 10:00, Mon 5 Jan."),
        (["What time is it in Tokyo?"], "Tokyo: 18:00, Mon 5 Jan (+8 h)."),
        (["What time is it in Tokyo?", "and in London?"], "London: 09:00, Mon 5 Jan (−1 h)."),
        (["current time in Nepal"], "Nepal: 14:45, Mon 5 Jan (+4:45 h)."),
        (["what's the time in Paris"], "Paris: 10:00, Mon 5 Jan (as here)."),
        (
            ["What time is it in Tokyo?", "What time is it there when it is 5pm here?"],
            "Tokyo: 01:00, Tue 6 Jan, when it is 17:00 here.",
        ),
        (["What time is it in Tokyo?", "and what time is it here?"], "It is 10:00, Mon 5 Jan."),
        (["what time is it in Africa?"], "I don't know the time zone of Africa."),
        (["Который час в Токио?"], "Токио: 18:00, пн, 5 янв (+8 h)."),
        (["Wie spät ist es in Wien?"], "Wien: 10:00, Mo, 5. Jan (wie hier)."),
        (["Wie spät ist es?"], "Es ist 10:00, Mo, 5. Jan."),
    ],
)
def test_answers(questions, said):
    assert answer("time", *questions, zone=BERLIN).startswith(said)


def test_summer_time_is_that_of_the_day():
    july = datetime(2026, 7, 5, 9, tzinfo=UTC)
    assert (
        answer("time", "what time is it in London?", at=july) == "London: 10:00, Sun 5 Jul (+1 h)."
    )
