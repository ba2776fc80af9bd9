"""How does solving scale with the intents of a model?"""

from __future__ import annotations

import pytest

from anaphora.engine.bots.bot import Bot
from anaphora.entities.variants.search import find_variants
from anaphora.grammar.context import QuestionContext
from anaphora.intents.index import IntentIndex
from anaphora.intents.solver import ParsedQuestion, build_match_contexts, match_intents
from anaphora.stm.conversation import Conversation
from benchmarks.models import model_of_intents, names


@pytest.mark.parametrize("count", [10, 1_000, 10_000])
def test_solve(benchmark, count):
    model = model_of_intents(count)
    index = IntentIndex(model.intents)
    utterance = Bot(model).read(f"what about {names(count)[count // 2]} in Tokyo")
    question = ParsedQuestion(utterance, find_variants(utterance), QuestionContext())
    where = build_match_contexts(question, Conversation("user", model.id))
    assert len(match_intents(model.intents, index, where)) == 1
    benchmark(match_intents, model.intents, index, where)
