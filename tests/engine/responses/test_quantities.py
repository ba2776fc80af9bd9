"""What a reply says of how many the user wants, and of what the user does not want."""

from __future__ import annotations

from msgspec.structs import replace

from anaphora import Engine, parse_model
from anaphora.api.replies import Reply
from anaphora.api.values import decode
from anaphora.core.utterance import Entity
from anaphora.intents.match import Candidate, Slot
from tests.models.model_texts import problems_of

CAFE = """
id: cafe
entities: [number]
elements:
  - {id: order, synonyms: ["{i want|bring}"]}
  - {id: drink, id_synonym: false, values: [tea, coffee], counts: number}
intents: ["intent=order term(act)~{# == 'order'} term(drink)~{# == 'drink'}%s"]
responses:
  order: "%s"
"""
EACH = "{% for one in drink %}{{ one.quantity or 1 }} × {{ one }}; {% endfor %}"


def cafe(response: str, quantifier: str = "") -> Engine:
    return Engine(parse_model(CAFE % (quantifier, response)))


def test_a_template_says_how_many() -> None:
    engine = cafe("{{ drink.quantity }} {{ drink }}")
    assert engine.ask("bring two teas").text == "2 tea"
    assert engine.ask("bring coffee").text == " coffee"
    assert cafe(EACH, "+").ask("I want three coffees and a tea").text == "3 × coffee; 1 × tea; "
    assert cafe("{{ slots.drink.quantity }}").ask("bring 2 teas").text == "2"


def test_a_quantity_is_remembered_with_what_it_counts() -> None:
    engine = cafe("{{ drink.quantity }}")
    engine.ask("bring two teas")
    assert engine.ask("I want").text == "2"


def test_other_attributes_of_a_slot_are_mistakes() -> None:
    problems = problems_of(CAFE % ("", "{{ drink.quantiti }}"))
    assert [one.message for one in problems] == ["unknown part 'quantiti' in the template"]


def test_a_reply_has_quantities_only_where_there_are_any() -> None:
    engine = cafe("Yes.")
    plain = engine.ask("bring two teas").to_dict()
    assert plain["slots"]["drink"]["quantity"] == 2
    assert "quantity" not in plain["slots"]["act"]
    assert [one.get("quantity") for one in plain["memory"]] == [None, 2]
    assert "quantity" not in plain["memory"][0]
    several = cafe("Yes.", "+").ask("bring two teas and coffee").to_dict()
    assert several["slots"]["drink"]["quantity"] == [2, None]


def test_a_slot_says_what_the_user_excludes() -> None:
    tea = Entity("drink", frozenset({"drink"}), "tea", negated=True)
    one = Slot("drink", (Candidate(tea),), is_multiple=False)
    assert (one.negated, one.to_dict()["negated"]) == (True, True)
    both = Slot("drink", (Candidate(tea), Candidate(replace(tea, negated=False))), is_multiple=True)
    assert both.to_dict()["negated"] == [True, False]
    assert "negated" not in Slot("drink", (both.taken[1],), is_multiple=False).to_dict()


def test_a_client_reads_quantities() -> None:
    plain = cafe("Yes.", "+").ask("bring two teas and coffee").to_dict()
    reply = decode(Reply, plain)
    assert reply.slots["drink"].quantity == [2, None]
    assert reply.slots["act"].quantity is None
    assert not reply.slots["drink"].negated
    assert [one.quantity for one in reply.memory] == [None, 2, None]


def test_the_explanation_counts() -> None:
    explanation = cafe("Yes.").ask("bring two teas", explain=True).explanation
    assert explanation is not None
    assert "2 × drink=tea from 'teas'" in str(explanation)
    assert explanation.to_dict()["reading"][1]["quantity"] == 2
