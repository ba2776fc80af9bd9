"""Functions on the user who asks."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any

import pytest
from msgspec.structs import replace

from tests.grammar.functions.evaluation import (
    AROUND,
    FUNCTIONS,
    NOTHING,
    evaluate,
    grammar_error,
    is_same,
)


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
    assert is_same(evaluate(name), known)
    assert is_same(evaluate(f"{name}()", None, NOTHING), unknown)
    assert grammar_error(f"{name}(1)") == f"'{name}' takes no arguments, not 1"


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be changed here")
def test_a_time_without_a_zone_is_utc_wherever_the_bot_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user = replace(AROUND.user, signed_up=datetime(1970, 1, 2))
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert evaluate("user_signup_tstamp", around=replace(AROUND, user=user)) == 86_400_000
    finally:
        monkeypatch.undo()
        time.tzset()
