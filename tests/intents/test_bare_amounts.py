"""A bare number is an amount of money where an intent needs one, and nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Engine, Reply, parse_model
from anaphora.entities.builtin.numbers.money_recognizer import MoneyRecognizer

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)

BANK = """
id: bank
elements:
  - {id: send, synonyms: ["{send|transfer|pay}"]}
  - {id: payee, values: [Ann, Peter]}
  - {id: amount, groups: [amount], recognizer: money, config: {currency: EUR}}
OTHERS
intents:
  - "intent=pay term(act)~{# == 'send'} term(to)~{# == 'payee'} term(sum)~{# == 'amount'}"
prompts:
  pay: {to: To whom?, sum: How much?}
"""

HOTEL = """
id: hotel
entities: [money, date]
elements:
  - {id: book, synonyms: ["{book|reserve}"]}
  - {id: room, synonyms: [room]}
intents:
  - |
    intent=book
      term(act)~{# == 'book'}
      term(what)~{# == 'room'}
      term(budget)~{# == 'money'}?
  - "intent=budget term(sum)={# == 'money'}"
"""


def engine(model: str, others: str = "") -> Engine:
    return Engine(parse_model(model.replace("OTHERS\n", others)))


def say(bot: Engine, *texts: str) -> Reply:
    for text in texts:
        reply = bot.ask(text, at=NOON)
    return reply


def amount(reply: Reply) -> str | None:
    assert reply.intent == "pay", reply
    return reply.slots["sum"].value


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("500", "500 EUR"),
        ("500 please", "500 EUR"),
        ("five hundred", "500 EUR"),
        ("12 500", "12500 EUR"),
        ("about 500", "~500 EUR"),
        ("3 grand", "3000 EUR"),
        ("$500", "500 USD"),
    ],
)
def test_a_bare_number_answers_how_much(answer: str, expected: str) -> None:
    bot = engine(BANK)
    assert say(bot, "send to Ann").text == "How much?"
    assert amount(say(bot, answer)) == expected


def test_a_bare_number_completes_a_command() -> None:
    assert amount(say(engine(BANK), "transfer 500 to Ann")) == "500 EUR"


def test_a_bare_number_is_not_asked_for_again() -> None:
    bot = engine(BANK)
    assert say(bot, "transfer 500").text == "To whom?"
    assert amount(say(bot, "Ann")) == "500 EUR"


def test_a_bare_number_stands_in_for_a_remembered_amount() -> None:
    bot = engine(BANK)
    assert amount(say(bot, "send 50 euros to Ann")) == "50 EUR"
    assert amount(say(bot, "and 70?")) == "70 EUR"
    assert amount(say(bot, "send 500 to Peter")) == "500 EUR"


def test_a_bare_number_answers_although_numbers_are_an_entity_too() -> None:
    bot = engine(BANK, "  - {id: number, recognizer: number}\n")
    assert amount(say(bot, "send to Ann", "500")) == "500 EUR"


def test_an_element_of_the_model_goes_first() -> None:
    guests = (
        "  - {id: number, recognizer: number}\n"
        "  - {id: table, synonyms: [table]}\n"
        "  - {id: guests, synonyms: [\"{for|_} ^^{# == 'number'}^^ {people|_}\"]}\n"
    )
    model = BANK.replace(
        "intents:\n",
        "intents:\n  - \"intent=book term(act)~{# == 'table'} term(guests)~{# == 'guests'}\"\n",
    ).replace("prompts:\n", "prompts:\n  book: {guests: How many?}\n")
    reply = say(engine(model, guests), "a table", "4")
    assert (reply.intent, reply.slots["guests"].value) == ("book", "4")


@pytest.mark.parametrize(
    "answer", ["two tickets", "on May 5", "room 101", "the 3rd", "5 km", "20 °C"]
)
def test_a_number_of_something_else_is_no_amount(answer: str) -> None:
    bot = engine(BANK, "  - {id: when, recognizer: date}\n")
    reply = say(bot, "send to Ann", answer)
    assert reply.intent != "pay" or "sum" not in reply.slots


@pytest.mark.parametrize("text", ["book a room for 2", "book a room at 7", "book 2 rooms"])
def test_an_intent_that_is_complete_takes_no_bare_number(text: str) -> None:
    reply = say(engine(HOTEL), text)
    assert reply.intent == "book"
    assert "budget" not in reply.slots


def test_two_tickets_are_no_amount() -> None:
    assert say(engine(HOTEL), "two tickets").intent is None


def test_an_amount_with_its_currency_goes_before_a_bare_number() -> None:
    reply = say(engine(HOTEL), "book 2 rooms for $50")
    assert reply.slots["budget"].value == "50 USD"


def test_without_a_currency_an_amount_is_a_number() -> None:
    reply = say(engine(BANK.replace(", config: {currency: EUR}", "")), "send Ann", "500")
    assert amount(reply) == "500"
    assert reply.slots["sum"].meta == {"amount": 500}


def test_the_country_of_the_language_has_a_currency() -> None:
    (pounds,) = MoneyRecognizer("en-GB").find_mentions("500")
    assert (pounds.value, pounds.fallback) == ("500 GBP", True)


def test_bare_numbers_can_be_forbidden() -> None:
    bot = engine(BANK.replace("currency: EUR", "currency: EUR, bare: never"))
    assert say(bot, "send to Ann").text == "How much?"
    assert say(bot, "500").text == "How much?"


def test_a_role_takes_a_bare_number() -> None:
    model = BANK.replace("# == 'amount'", "# == 'price'")
    roles = "  - {id: price, synonyms: [\"{for|_} ^^{# == 'amount'}^^\"]}\n"
    bot = engine(model, roles)
    reply = say(bot, "pay Ann", "for 500")
    assert reply.slots["sum"].entities[0].parts[0].value == "500 EUR"


def test_a_bare_number_does_not_replace_an_amount_that_nobody_asked_for() -> None:
    bot = engine(BANK)
    assert say(bot, "send 50 euros").status == "incomplete"
    reply = say(bot, "24")
    assert reply.status == "incomplete"
    assert reply.slots["sum"].value == "50 EUR"


def test_a_bare_number_that_a_hook_does_not_accept_leaves_the_question_open() -> None:
    bot = engine(BANK)
    bot.hook("variant")(lambda variant: all(one.element != "amount" for one in variant.entities))
    reply = say(bot, "send Ann money", "500")
    assert (reply.status, reply.prompt) == ("incomplete", "How much?")


GARAGE = """
id: garage
dialog_acts: true
entities: [date]
elements:
  - {id: book}
  - {id: price, recognizer: money, config: {currency: EUR}}
intents:
  - id: book
    slots: {book: book, date: {ask: When?}, price: {optional: true}}
    confirm: Shall I?
    response: Done.
"""


@pytest.mark.parametrize(
    ("texts", "date", "price"),
    [
        (("book on Friday at 3 pm", "no, 4"), "2026-11-27T16:00", None),
        (("book on Friday at 3 pm", "yes", "no, 4"), "2026-11-27T16:00", None),
        (("book on Friday at 3 pm for 90 euros", "no, 80"), "2026-11-27T15:00", "80 EUR"),
        (("book on Friday at 3 pm", "no, 4 euros"), "2026-11-27T15:00", "4 EUR"),
    ],
)
def test_a_bare_number_changes_a_time_rather_than_saying_a_first_amount(texts, date, price):
    slots = say(Engine(parse_model(GARAGE)), *texts).slots
    assert slots["date"].value == date
    assert (slots["price"].value if "price" in slots else None) == price


SHOP = """
id: shop
dialog_acts: true
elements:
  - {id: send, synonyms: [send]}
  - {id: payee, values: [Ann, Peter], id_synonym: false}
  - {id: amount, recognizer: money, config: {currency: EUR}, id_synonym: false}
  - {id: weight, recognizer: number, id_synonym: false}
  - {id: budget}
  - {id: buy}
  - {id: flour}
intents:
  - {id: pay, slots: {send: send, payee: {ask: To whom?}, amount: {ask: How much?}}, confirm: OK?}
  - {id: limit, slots: {budget: budget, amount: {ask: How much?}}}
  - {id: buy, slots: {buy: buy, flour: flour, weight: {ask: How much?}}}
responses: {pay: Done., limit: Done., buy: Done.}
"""


@pytest.mark.parametrize("text", ["no more than 700", "800", "about 900"])
def test_a_bare_number_goes_on_with_the_last_question_and_pays_nobody(text):
    shop = engine(SHOP)
    reply = say(shop, "send Ann 20", "yes", "my budget is 500", text)
    assert (reply.intent, reply.status) == ("limit", "matched")


def test_an_amount_beside_other_words_of_the_model_is_not_what_was_bought():
    shop = engine(SHOP)
    reply = say(shop, "buy 5 kg of flour", "send Ann 20")
    assert (reply.intent, reply.slots["amount"].value) == ("pay", "20 EUR")
    reply = say(engine(SHOP), "buy 5 kg of flour", "send 20")
    assert (reply.intent, reply.missing) == ("pay", ("payee",))


def test_a_bare_number_changes_what_waits_for_a_yes():
    shop = engine(SHOP)
    reply = say(shop, "buy 5 kg of flour", "send Ann 20", "30")
    assert (reply.status, reply.slots["amount"].value) == ("incomplete", "30 EUR")
