"""Functions on the user who asks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.grammar.functions.calls import FUNCTIONS, NOTHING, mistake, same, value


@pytest.mark.parametrize(
    ("name", "known", "unknown"),
    [
        ("user_id", "ann", ""),
        ("user_fname", "Ann", None),
        ("user_lname", "Lee", None),
        ("user_email", "ann@example.com", None),
        ("user_admin", True, False),
        ("user_signup_tstamp", 86_400_000, None),
    ],
)
def test_what_is_known_of_the_user(name: str, known: Any, unknown: Any) -> None:
    assert FUNCTIONS[name].group == "user"
    assert same(value(name), known)
    assert same(value(f"{name}()", None, NOTHING), unknown)
    assert mistake(f"{name}(1)") == f"'{name}' takes no arguments, not 1"
