"""A test of many cases names each of them that is wrong."""

from __future__ import annotations

import pytest

from tests.support.gathered import Case, gathered

CASES = [
    Case("de", "eins", (1, 1)),
    Case("de", "zwei", (2, 3)),
    Case("de", "drei", (3, 4)),
    Case("en", "one", (1, 1)),
    Case("ru", "один", (1, 2), "not yet"),
    Case("fr", "un", (1, 1), "not yet"),
    Case("es", "uno", (1,)),
]


@gathered(CASES[:1] + CASES[3:5])
def test_what_is_right_or_known_to_be_wrong_passes(some, other):
    assert some == other


@gathered(CASES)
def _equal(some, other):
    assert some == other


@pytest.mark.parametrize(
    ("group", "told"),
    [
        ("de", ["2 of 3 are wrong:", "zwei", "    assert 2 == 3", "drei", "    assert 3 == 4"]),
        ("fr", ["1 of 1 are wrong:", "un", "    is right, but its table says: not yet"]),
        ("es", ["1 of 1 are wrong:", "uno"]),
    ],
)
def test_all_that_is_wrong_is_named(group, told):
    with pytest.raises(AssertionError) as failed:
        _equal(group)
    assert str(failed.value).splitlines()[: len(told)] == told


def test_each_group_is_a_test():
    (mark,) = _equal.pytestmark
    assert list(mark.args[1]) == ["de", "en", "ru", "fr", "es"]


def test_a_check_that_fails_by_itself_is_named_too():
    @gathered(CASES[:1])
    def fails(_some, _other):
        pytest.fail("by itself")

    with pytest.raises(AssertionError, match="eins\n    by itself"):
        fails("de")
