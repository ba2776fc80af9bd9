"""Months that are expected to begin within a month can be left out of the figures."""

import pytest

from benchmarks.duckling.phrases import Phrase


@pytest.mark.parametrize(
    ("expected", "is_consistent"),
    [
        (("at", "2014-10-01T00:00:00", "Month"), True),
        (("at", "2014-09-30T00:00:00", "Month"), False),
        (("at", "2014-01-01T00:00:00", "Year"), True),
        (("at", "2013-11-30T00:00:00", "Year"), False),
        (("in", "2012-12-01T00:00:00", "2013-02-01T00:00:00", "Month"), True),
        (("in", "2012-11-30T00:00:00", "2013-01-31T00:00:00", "Month"), False),
        (("at", "2013-02-12T03:30:00", "Minute"), True),
        (("open", "After", "2013-02-12T03:30:00"), True),
    ],
)
def test_a_period_begins_where_its_grain_does(expected, is_consistent):
    assert Phrase("en", "Time", "a time", expected).is_consistent is is_consistent


def test_other_kinds_are_always_consistent():
    assert Phrase("en", "Numeral", "three", (3,)).is_consistent
