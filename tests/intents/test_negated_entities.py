"""Terms and the entities that the user excludes: "without onions"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.grammar.context import QuestionContext
from anaphora.grammar.idl.compiler import compile_intents
from anaphora.intents.index import IntentIndex
from anaphora.intents.match import Match
from anaphora.intents.solver import ParsedQuestion, build_match_contexts, match_intents
from anaphora.stm.conversation import Conversation, RememberedEntity

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)


def entity(text: str, *, negated: bool = False) -> Entity:
    element = "pizza" if text == "pizza" else "topping"
    return Entity(element, frozenset({element}), text, (0,), negated=negated)


PIZZA, HAM, OLIVES = entity("pizza"), entity("ham"), entity("olives")
NO_OLIVES = entity("olives", negated=True)


def match(
    intent: str, sentence: Sequence[Entity], remembered: Sequence[Entity] = ()
) -> tuple[Match, ...]:
    intents = compile_intents(f"intent=i {intent}")
    utterance = Utterance("", "en", (), tuple(sentence))
    question = ParsedQuestion(
        utterance, (Variant(tuple(sentence)),), QuestionContext(), has_negated=True
    )
    held = tuple(RememberedEntity(one, 1, AT, AT, used_match=1) for one in remembered)
    memory = Conversation(user="", model="", questions=1, remembered=held)
    contexts = build_match_contexts(question, memory)
    return match_intents(intents, IntentIndex(intents), contexts)


def slots(matches: Sequence[Match]) -> dict[str, object]:
    return {name: slot.text for name, slot in matches[0].slots.items()}


@pytest.mark.parametrize(
    "predicate",
    [
        "# == 'topping'",
        "# == 'topping' && ent_text != ''",
        "has(ent_groups, 'topping')",
        "@t = ent_type @t == 'topping'",
    ],
)
def test_a_term_takes_no_negated_entity(predicate: str) -> None:
    intent = f"term(pizza)={{# == 'pizza'}} term(with)={{{predicate}}}*"
    assert slots(match(intent, (PIZZA, NO_OLIVES, HAM))) == {"pizza": "pizza", "with": ["ham"]}
    assert slots(match(intent, (PIZZA, OLIVES, HAM)))["with"] == ["olives", "ham"]


def test_an_intent_that_requires_a_topping_does_not_match_without_one() -> None:
    intent = "term={# == 'pizza'} term(with)={# == 'topping'}"
    assert match(intent, (PIZZA, OLIVES))
    assert not match(intent, (PIZZA, NO_OLIVES))


@pytest.mark.parametrize(
    "predicate", ["# == 'topping' && ent_negated", "@no = ent_negated # == 'topping' && @no"]
)
def test_a_term_that_asks_for_negated_entities_takes_them(predicate: str) -> None:
    intent = f"term(with)={{# == 'topping'}}* term(without)={{{predicate}}}*"
    assert slots(match(intent, (HAM, NO_OLIVES))) == {"with": ["ham"], "without": ["olives"]}
    assert slots(match(intent, (HAM, OLIVES))) == {"with": ["ham", "olives"]}


def test_a_remembered_one_is_negated_as_well() -> None:
    intent = (
        "term={# == 'pizza'} term(with)~{# == 'topping'}? term(no)~{# == 'topping' && ent_negated}?"
    )
    assert slots(match(intent, (PIZZA,), (NO_OLIVES,))) == {"no": "olives"}
    assert slots(match(intent, (PIZZA,), (OLIVES,))) == {"with": "olives"}
