"""A template reads the parts of what fills a slot by their names."""

from __future__ import annotations

import pytest

from anaphora import Engine, ModelError, parse_model

BANK = """
id: bank
entities: [money]
elements:
  - {id: send, synonyms: ["{send|move}"]}
  - {id: account, values: {savings: [savings account], checking: [checking account]}}
  - {id: person, values: [Ann, Ben]}
  - {id: from, id_synonym: false, synonyms: ["from {my|_} ^^{# == 'account'}^^"]}
  - {id: to, id_synonym: false, synonyms: ["to {my|_} ^^[title]{# == 'account'}^^"]}
  - id: pair
    id_synonym: false
    synonyms: ["for ^^{# == 'person'}^^ and ^^{# == 'person'}^^"]
  - {id: nested, id_synonym: false, synonyms: ["via ^^{# == 'from'}^^"]}
intents:
  - >
    intent=send term(act)={# == 'send'} term(from)={# == 'from'}? term(to)={# == 'to'}[0,2]
    term(pair)={# == 'pair'}? term(via)={# == 'nested'}?
responses:
  send: "%s"
"""


def told(template: str, text: str) -> str:
    return Engine(parse_model(BANK % template)).ask(text).text


@pytest.mark.parametrize(
    ("template", "text", "expected"),
    [
        ("{{ from.account }}", "send from my savings account", "savings"),
        ("{{ from['account'] }}", "send from my savings account", "savings"),
        ("{{ from }}", "send from my savings account", "from my savings account"),
        ("{{ from.account }}", "send", ""),
        ("{{ from.account or 'any' }}", "send", "any"),
        # The name in the synonym, also where texts have a method of it, or the element.
        ("{{ to[0].title }}", "send to checking", "checking"),
        ("{{ to[0].account }}", "send to checking", "checking"),
        ("{{ to[0].upper() }}", "send to checking", "TO CHECKING"),
        (
            "{% for one in to %}<{{ one.title }}>{% endfor %}",
            "send to checking to my savings",
            "<checking><savings>",
        ),
        ("{{ to | map(attribute='title') | join('+') }}", "send to checking", "checking"),
        # Several of one name are a list.
        ("{{ pair.person | join(' & ') }}", "send for Ann and Ben", "Ann & Ben"),
        ("{{ via.from.account }}", "send via from my savings account", "savings"),
        ("{{ from.account.upper() }}", "send from my savings account", "SAVINGS"),
        ("{{ slots.from.value }}", "send from savings", "from savings"),
    ],
)
def test_the_parts_of_a_slot(template, text, expected):
    assert told(template, text) == expected


def test_a_part_can_be_formatted():
    model = parse_model("""
id: fee
entities: [money]
elements:
  - {id: fee, id_synonym: false, synonyms: ["a fee of ^^[sum]{# == 'money'}^^"]}
intents: ["intent=fee term(fee)={# == 'fee'}"]
responses: {fee: "{{ fee.sum | money }}"}
""")
    assert Engine(model).ask("a fee of 5 euros").text == "€5.00"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ from.acount }}", "unknown part 'acount' in the template.*\n.*\n.*\n.*'account'"),
        ("{{ pair.persons }}", "unknown part 'persons'"),
    ],
)
def test_an_unknown_part_is_found_when_the_model_is_loaded(template, message):
    with pytest.raises(ModelError, match=message):
        told(template, "send")


@pytest.mark.parametrize(
    "template",
    ["{{ from.upper() }}", "{% set from = {'x': 1} %}{{ from.x }}", "{{ to.title }}"],
)
def test_what_may_be_there_is_no_mistake(template):
    told(template, "send from my savings account")
