"""How long does the intent language take to compile, and what does compiling gain?"""

from __future__ import annotations

import pytest

from anaphora.grammar.compiler import Compiler, compile_predicate
from anaphora.grammar.context import Context, Surroundings
from anaphora.grammar.idl import parse, parse_predicate
from anaphora.models.utterance import Entity
from tests.grammar.trees import walked

INTENT = """
intent=order{0} options={{'ordered': false}} flow='greet.*' meta={{'number': {0}}}
  term(what)~{{# == 'item{0}' && meta_ent('price') > 3}}
  term(size)={{@s = ent_value() has(ent_groups(), 'size') && @s != null}}?
"""
TEXT = "".join(INTENT.format(number) for number in range(1_000))
SIZE = Entity(
    "size", frozenset({"size", "detail"}), "large", value="large", meta={"cm": 40, "of": ["pizza"]}
)
PREDICATES = {
    "element": "# == 'size'",
    "group": "# == 'size' && has(ent_groups(), 'size')",
    "metadata": "meta_ent('cm') >= 30 && meta_ent('cm') < 50",
    "variables": "@cm = meta_ent('cm') @cm > 3 && (@cm < 50 || @cm == 100)",
    "text": "starts_with(lowercase(ent_text()), 'lar') || length(ent_text()) > 9",
    "list": "has_any(list('small', 'medium', 'large'), list(ent_value(), ent_text()))",
}


def test_parse_1_000_intents(benchmark):
    assert len(benchmark.pedantic(parse, (TEXT,), rounds=5)) == 1_000


def test_compile_1_000_intents(benchmark):
    compiled = benchmark.pedantic(lambda: Compiler().compile(TEXT), rounds=5)
    assert len(compiled.intents) == 1_000


@pytest.mark.parametrize("name", PREDICATES)
@pytest.mark.parametrize("way", ["compiled", "walked"])
def test_evaluate_a_predicate(benchmark, name, way):
    """Compiled against a naive walk of the same tree: see the ratio of the two in one run."""
    node = parse_predicate(PREDICATES[name])
    test = compile_predicate(node).test
    context = Context(SIZE, Surroundings())

    def walk(context):
        return walked(node, context)

    assert test(context) is walked(node, context) is True
    benchmark.group = f"predicate: {name}"
    benchmark(test if way == "compiled" else walk, context)
