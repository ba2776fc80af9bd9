"""What do places cost: time per utterance, load time, and memory?"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.tokens.tokenizers import blank
from anaphora.models.schema.builtin_entities import resolve_options

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
TEXTS = {
    "no place": ("en", "I would like to order some pizza for lunch"),
    "one place": ("en", "what is the weather in Nizhny Novgorod on Friday"),
    "a greater place behind it": ("en", "what is the weather in Paris, Texas on Friday"),
    "inflected": ("ru", "какая погода будет завтра вечером в Нижнем Новгороде"),
    "no blanks": ("zh", "北京明天天气怎么样"),
}
LOADING = """
import json, sys, time, tracemalloc
from anaphora.entities.builtin.places.gazetteer import gazetteer
traced = "traced" in sys.argv
if traced:
    tracemalloc.start()
start = time.perf_counter()
world = gazetteer.Gazetteer.load(int(sys.argv[1]))
seconds = time.perf_counter() - start
start = time.perf_counter()
if len(sys.argv) > 2:
    for name in ("Токио", "東京", "Αθήνα", "القاهرة", "חיפה", "दिल्ली"):
        world.find(name)
scripts = time.perf_counter() - start
now, peak = tracemalloc.get_traced_memory() if traced else (0, 0)
print(json.dumps({"seconds": seconds, "all scripts": scripts, "places": len(world),
                  "names": len(world.names), "megabytes": now / 1e6, "peak megabytes": peak / 1e6}))
"""


@pytest.mark.parametrize("what", TEXTS)
def test_find_the_places_in_an_utterance(benchmark, what):
    language, text = TEXTS[what]
    recognize = create_builtin("place", language, resolve_options("place", {}))
    doc = blank(language)(text)
    found = benchmark(lambda: list(recognize(doc, AT)))
    assert bool(found) is (what != "no place")
    benchmark.extra_info["utterances per second"] = round(1 / benchmark.stats["mean"])


@pytest.mark.parametrize("population", [15_000, 5_000])
def test_load_the_gazetteer(benchmark, population):
    told = benchmark.pedantic(_load, (population,), rounds=3)
    memory = _load(population, "scripts", "traced")
    scripts = _load(population, "scripts")["all scripts"]
    benchmark.extra_info |= {
        "load seconds": round(told["seconds"], 2),
        "places": told["places"],
        "seconds for the names in all other scripts": round(scripts, 2),
        "rows of names": memory["names"],
        "megabytes": round(memory["megabytes"], 1),
        "peak megabytes": round(memory["peak megabytes"], 1),
    }
    assert memory["megabytes"] < 60


def _load(population, *more):
    command = [sys.executable, "-c", LOADING, str(population), *more]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
