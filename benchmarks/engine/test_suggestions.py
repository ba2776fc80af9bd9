"""How long does it take to find synonyms in a log?"""

from __future__ import annotations

from random import Random

import pytest

from anaphora import load_model
from anaphora.suggestions.study import study
from benchmarks.models import names
from tests.support.plain_models import PLAIN_WEATHER

_SHAPES = ("what is the {topic} in {city} {date}", "{topic} in {city}", "{name} {topic} in {city}")


@pytest.mark.parametrize("count", [100, 1_000])
def test_a_log_as_it_grows(benchmark, count):
    """A third of the topics and of the cities is misspelt, a third unknown."""
    random = Random(11)
    unknown = names(count)
    questions = [
        random.choice(_SHAPES).format(
            topic=random.choice(["weather", "wether", random.choice(unknown)]),
            city=random.choice(["Tokyo", "Toyko", random.choice(unknown)]),
            date=random.choice(["today", "tomorow", ""]),
            name=random.choice(unknown),
        )
        for _ in range(count)
    ]
    model = load_model(PLAIN_WEATHER)
    findings = benchmark.pedantic(study, (model, questions), rounds=1)
    phrases = {one.phrase for one in findings.suggestions}
    assert {"wether", "Toyko", "tomorow"} <= phrases
