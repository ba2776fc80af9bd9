"""Functions on the model."""

from __future__ import annotations

import pytest

from tests.grammar.functions.evaluation import FUNCTIONS, NOTHING, evaluate, grammar_error


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("mdl_id", "travel"),
        ("mdl_name", "Travel"),
        ("mdl_ver", "1.2"),
        ("mdl_origin", "http://example.com"),
    ],
)
def test_what_is_known_of_the_model(name: str, known: str) -> None:
    assert FUNCTIONS[name].group == "model"
    assert evaluate(name) == known
    assert evaluate(f"{name}()", None, NOTHING) == ""
    assert grammar_error(f"{name}(1)") == f"'{name}' takes no arguments, not 1"
