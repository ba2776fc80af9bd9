"""What turns the sense of a question is not passed over in silence."""

from __future__ import annotations

from anaphora import Engine, parse_model
from anaphora.entities.matching.qualifier_coverage import find_uncovered_qualifiers

BANK = """
id: bank
elements:
  - {id: send, synonyms: ["{send|pay}"]}
  - {id: amount, id_synonym: false, synonyms: ["//[0-9]+// euros"]}
  - {id: payee, values: {ann: [Ann], bob: [Bob]}}
intents:
  - intent=pay term(act)~{# == 'send'} term(amount)={# == 'amount'} term(payee)={# == 'payee'}
"""

HOTEL = """
id: hotel
elements:
  - {id: parking, synonyms: [garage]}
  - id: no_parking
    groups: [parking]
    id_synonym: false
    synonyms: ["without {a|_} {parking|garage}"]
intents:
  - intent=add term(what)={# == 'parking'}
  - intent=refuse term(what)={# == 'no_parking'}
"""


def unknown(question: str, model: str = BANK) -> tuple[str, ...]:
    return Engine(parse_model(model)).ask(question, explain=True).explanation.unknown


def test_a_negation_is_shown_as_not_understood() -> None:
    assert unknown("do not send 50 euros to Ann") == ("not",)
    assert unknown("don't send 50 euros to Ann") == ("n't",)
    assert unknown("never send 50 euros to Ann") == ("never",)
    assert unknown("send 50 euros to all except Ann") == ("all", "except")
    assert unknown("send only 50 euros to Ann") == ("only",)
    assert unknown("please send 50 euros to Ann") == ()


def test_what_is_not_understood_stands_in_the_text_of_the_explanation() -> None:
    reply = Engine(parse_model(BANK)).ask("do not send 50 euros to Ann", explain=True)
    assert "  not understood: not" in str(reply.explanation).splitlines()


def test_an_intent_that_covers_the_whole_refusal_goes_before_one_that_takes_a_part_of_it() -> None:
    engine = Engine(parse_model(HOTEL))
    assert engine.ask("with parking").intent == "add"
    assert engine.ask("without parking").intent == "refuse"
    assert engine.ask("without a garage, please").intent == "refuse"


def test_it_can_be_rejected() -> None:
    engine = Engine(parse_model(BANK + "limits: {max_free_words: 0}\n"))
    assert engine.ask("please send 50 euros to Ann").intent == "pay"
    assert engine.ask("please do not send 50 euros to Ann").status == "rejected"


# What a model has for it


def test_a_model_without_any_such_word_is_reported_once_for_each_language() -> None:
    assert find_uncovered_qualifiers(parse_model(BANK)) == {"en": ("not", "without", "only")}
    both = parse_model(BANK.replace("id: bank", "id: bank\nlanguage: [en, de]"))
    assert find_uncovered_qualifiers(both)["de"] == ("nicht", "ohne", "nur")


def test_a_model_that_decides_about_them_is_not_told_of() -> None:
    assert not find_uncovered_qualifiers(parse_model(HOTEL))
    contracted = BANK.replace('synonyms: ["{send|pay}"]', 'synonyms: [send, "don\'t send"]')
    assert not find_uncovered_qualifiers(parse_model(contracted))
    for more in ("stop_words: {add: [not]}", "limits: {max_free_words: 0}"):
        assert not find_uncovered_qualifiers(parse_model(f"{BANK}{more}\n"))
