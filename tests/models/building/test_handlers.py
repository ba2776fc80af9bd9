"""The functions that a model file names for its intents."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from anaphora import Engine, ModelError
from anaphora.models.loader import load_model, parse_model

SHOP = """\
id: shop
code: {code}
elements: [{{id: drink, values: [tea, milk]}}]
intents: ["intent=order term(drink)={{# == 'drink'}}"]
handlers:
  {intent}: {handler}
responses: {{order: "One {{{{ drink }}}}."}}
"""

CODE = """
def order(drink, at, language):
    return f"{drink} at {at:%H:%M} in {language}"

def nothing():
    return None

def strange(drnk):
    return ""

async def later(drink):
    return ""
"""


def shop(
    folder: Path, handler: str = '"#order"', *, intent: str = "order", code: str = "shop_code"
) -> Path:
    (folder / "shop_code.py").write_text(CODE, encoding="utf-8")
    file = folder / "shop.yaml"
    file.write_text(SHOP.format(intent=intent, handler=handler, code=code), encoding="utf-8")
    return file


@pytest.mark.parametrize("handler", ['"#order"', '"shop_code#order"'])
def test_the_function_answers_and_gets_the_time_and_the_language(tmp_path, clock, handler):
    engine = Engine(shop(tmp_path, handler), clock=clock)
    assert engine.ask("a tea").text == "tea at 09:00 in en"


def test_one_that_returns_nothing_leaves_the_answer_to_the_response(tmp_path):
    assert Engine(shop(tmp_path, '"#nothing"')).ask("a tea").text == "One tea."


def test_a_function_that_the_program_registers_comes_first(tmp_path):
    engine = Engine(shop(tmp_path))
    engine.on("order")(lambda drink: f"no {drink}")
    assert engine.ask("a tea").text == "no tea"


@pytest.mark.parametrize(
    ("changes", "column", "message", "hint"),
    [
        ({"intent": "oder"}, 3, "unknown intent 'oder'", "did you mean 'order'?"),
        ({"handler": '"#oder"'}, 10, "no function 'oder'", "did you mean 'order'?"),
        ({"handler": "order"}, 10, "'order' names no function", "write module#function"),
        ({"handler": '"order#"'}, 10, "'order#' names no function", "write module#function"),
        ({"handler": '"nowhere_at_all#f"'}, 10, "no Python module 'nowhere_at_all'", "install it"),
        ({"handler": '"#later"'}, 10, "is async", ""),
    ],
)
def test_an_error_is_reported_at_its_position(tmp_path, changes, column, message, hint):
    with pytest.raises(ModelError) as raised:
        load_model(shop(tmp_path, **changes))
    (problem,) = raised.value.problems
    assert (problem.line, problem.column) == (6, column)
    assert message in problem.message
    assert hint in problem.hint


def test_a_parameter_that_nothing_fills_is_reported_where_the_function_is_named(tmp_path):
    model = load_model(shop(tmp_path, '"#strange"'))
    with pytest.raises(ModelError, match="has a parameter 'drnk'") as raised:
        Engine(model)
    assert (raised.value.line, raised.value.column) == (6, 10)
    assert raised.value.caret.endswith("\n         ^")


def test_a_dialog_may_begin_at_a_time_of_its_own():
    model = parse_model(
        dedent("""
        id: tea
        elements: [{id: tea}]
        intents: ["intent=tea term={# == 'tea'}"]
        samples:
          - {at: 2026-03-29T01:59+01:00, dialog: [{ask: tea}]}
          - {dialog: [{ask: tea}]}
        """)
    )
    first, second = model.samples
    assert first.at.isoformat() == "2026-03-29T01:59:00+01:00"
    assert second.at is None


@pytest.mark.parametrize("at", ["2026-03-29", "2026-03-29T01:59", "soon", "'2026-13-01T00:00Z'"])
def test_the_time_of_a_dialog_is_a_time_with_its_zone(at):
    with pytest.raises(ModelError, match="is no time with a time zone") as raised:
        parse_model(
            "id: tea\nelements: [{id: tea}]\nintents: [\"intent=tea term={# == 'tea'}\"]\n"
            f"samples:\n  - {{at: {at}, dialog: [{{ask: tea}}]}}\n"
        )
    assert (raised.value.line, raised.value.column) == (5, 10)
