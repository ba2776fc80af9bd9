"""Functions on the company of the user."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from anaphora.core.request import Company, User
from tests.grammar.functions.evaluation import (
    AROUND,
    FUNCTIONS,
    NOTHING,
    evaluate,
    grammar_error,
    is_same,
)

KNOWN = {
    "comp_id": "acme",
    "comp_name": "Acme",
    "comp_website": "acme.example",
    "comp_country": "Ireland",
    "comp_region": "Munster",
    "comp_city": "Cork",
    "comp_addr": "1 Quay",
    "comp_postcode": "T12",
}


@pytest.mark.parametrize(("name", "known"), KNOWN.items())
def test_what_is_known_of_the_company(name: str, known: Any) -> None:
    assert FUNCTIONS[name].group == "company"
    assert is_same(evaluate(name), known)
    assert evaluate(f"{name}()", None, NOTHING) is None
    assert grammar_error(f"{name}(1)") == f"'{name}' takes no arguments, not 1"


def test_of_a_company_with_an_id_only_the_rest_is_null() -> None:
    around = replace(AROUND, user=User("bob", company=Company("x")))
    assert [evaluate(name, around=around) for name in KNOWN] == ["x"] + [None] * 7
