"""How long does the intent language take to compile, and what is the gain? How long does a big
model take to load, without and with its cache?"""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from anaphora import Engine
from anaphora.core.utterance import Entity
from anaphora.grammar.context import EntityContext, QuestionContext
from anaphora.grammar.idl.compiler import Compiler, compile_predicate
from anaphora.grammar.idl.parsing.parser import parse_idl, parse_predicate
from benchmarks.models import model_of_synonyms, names
from tests.grammar.idl.tree_builders import interpret_predicate

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
    assert len(benchmark.pedantic(parse_idl, (TEXT,), rounds=5)) == 1_000


def test_compile_1_000_intents(benchmark):
    compiled = benchmark.pedantic(lambda: Compiler().compile(TEXT), rounds=5)
    assert len(compiled.intents) == 1_000


@pytest.mark.parametrize("name", PREDICATES)
@pytest.mark.parametrize("way", ["compiled", "walked"])
def test_evaluate_a_predicate(benchmark, name, way):
    """A compiled predicate and a naive walk of the same tree: compare the two within one run."""
    node = parse_predicate(PREDICATES[name])
    test = compile_predicate(node).test
    context = EntityContext(SIZE, QuestionContext())

    def walk(context):
        return interpret_predicate(node, context)

    assert test(context) is interpret_predicate(node, context) is True
    benchmark.group = f"predicate: {name}"
    benchmark(test if way == "compiled" else walk, context)


@pytest.fixture(scope="module")
def big_file(tmp_path_factory):
    """A model file with 100,000 names of two words."""
    path = tmp_path_factory.mktemp("big") / "big.yaml"
    values = "".join(f"      {name}: []\n" for name in names(100_000))
    path.write_text(
        f"id: big\nelements:\n  - id: order\n  - id: name\n    values:\n{values}"
        "intents:\n  - intent=order term={# == 'order'} term(name)~{# == 'name'}\n"
    )
    return path


def test_build_an_engine_of_100_000_synonyms(benchmark):
    model = model_of_synonyms(100_000)
    engine = benchmark.pedantic(Engine, (model,), rounds=3)
    assert engine.ask(f"order {names(10)[3]}").status == "matched"


def test_load_a_file_of_100_000_synonyms(benchmark, big_file):
    engine = benchmark.pedantic(Engine, (big_file,), rounds=3)
    assert engine.ask(f"order {names(10)[3]}").status == "matched"


def test_load_100_000_synonyms_from_a_cache(benchmark, big_file, tmp_path):
    Engine(big_file, cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    engine = benchmark.pedantic(Engine, (big_file,), {"cache": tmp_path}, rounds=5)
    assert engine.ask(f"order {names(10)[3]}").status == "matched"


def test_memory_of_100_000_synonyms(benchmark):
    """Bytes per synonym of model and engine together, in ``extra_info``."""
    Engine(model_of_synonyms(10)).ask("order")

    def held() -> float:
        gc.collect()
        tracemalloc.start()
        engine = Engine(model_of_synonyms(100_000))
        gc.collect()
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(engine.models[0].elements[1].values) == 100_000
        return size / 100_000

    benchmark.extra_info["bytes for a synonym"] = benchmark.pedantic(held, rounds=1)
