"""Functions on the question and what comes along with it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.grammar.functions.evaluation import (
    FUNCTIONS,
    NOTHING,
    TEXT,
    evaluate,
    evaluation_error,
    grammar_error,
    is_same,
)


@pytest.mark.parametrize(
    ("name", "known", "unknown"),
    [
        ("req_id", "r1", None),
        ("req_text", TEXT, ""),
        ("req_normtext", TEXT.lower(), ""),
        ("req_tstamp", 1786316759999, 0),
        ("req_addr", "192.0.2.1", None),
        ("req_agent", "curl/8", None),
    ],
)
def test_what_is_known_of_the_request(name: str, known: Any, unknown: Any) -> None:
    assert FUNCTIONS[name].group == "request"
    assert is_same(evaluate(name), known)
    assert is_same(evaluate(f"{name}()", None, NOTHING), unknown)
    assert grammar_error(f"{name}(1)") == f"'{name}' takes no arguments, not 1"


def test_what_may_be_null_is_an_error_only_where_it_is() -> None:
    assert evaluate("starts_with(req_agent, 'curl')")
    assert "'starts_with' needs a text as its 1st argument, not null" in evaluation_error(
        "starts_with(req_agent, 'curl')", around=NOTHING
    )
