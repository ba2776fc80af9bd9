"""Who asks, and what comes with the question, as predicates see it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Company, Engine, Request, User, parse_model

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def engine_with(predicate, **how):
    return Engine(
        parse_model(
            "id: m\nversion: '1.2'\norigin: here\nelements: [{id: go}]\n",
            intents=[f"intent=x term={{{predicate}}} term={{# == 'go'}}"],
        ),
        **how,
    )


ANN = User(
    "ann",
    first_name="Ann",
    last_name="Lee",
    admin=True,
    meta={"miles": 5},
    company=Company("acme", city="Cork", meta={"plan": "gold"}),
)


@pytest.mark.parametrize(
    "predicate",
    [
        "user_id == 'ann' && user_fname == 'Ann' && user_admin",
        "user_email == null && meta_user('miles') == 5",
        "comp_city == 'Cork' && meta_company('plan') == 'gold'",
        "req_id == 'r1' && req_addr == '192.0.2.1' && req_agent == 'curl'",
        "meta_req('channel') == 'web' && meta_req('nothing') == null",
        "req_text == 'Go  now!' && starts_with(req_normtext, 'go')",
        "hour == 12 && year == 2026 && req_tstamp == now",
        "mdl_ver == '1.2' && mdl_origin == 'here'",
    ],
)
def test_a_predicate_reads_who_asks_and_what_comes_with_the_question(predicate):
    request = Request("r1", "192.0.2.1", "curl", {"channel": "web"})
    reply = engine_with(predicate).ask("Go  now!", user=ANN, request=request, at=NOON)
    assert reply.status == "matched", reply.reason


def test_the_conversation_is_that_of_the_users_id():
    engine = engine_with("true")
    engine.ask("go", user=User("ann", first_name="Ann"))
    assert [held.entity.element for held in engine.memory(user="ann")] == ["go"]


def test_users_of_different_companies_are_different_users():
    engine = engine_with("true")
    engine.ask("go", user=User("ann", company=Company("shop")))
    assert [
        held.entity.element for held in engine.memory(user=User("ann", company=Company("shop")))
    ] == ["go"]
    assert not engine.memory(user="ann")
    assert not engine.memory(user=User("ann", company=Company("bank")))
    engine.forget(user="ann")
    assert engine.conversation(user=User("ann", company=Company("shop"))).questions == 1
    assert not engine.memory()


def test_chance_is_handed_in():
    assert engine_with("rand() < 0.5", random=lambda: 0.4).ask("go").status == "matched"
    assert engine_with("rand() < 0.5", random=lambda: 0.6).ask("go").status == "rejected"


def test_an_explanation_takes_the_same():
    engine = engine_with("meta_req('channel') == 'web'")
    request = Request(data={"channel": "web"})
    assert engine.explain("go", request=request).status == "matched"
    assert engine.explain("go").status == "rejected"


def test_an_error_in_a_term_without_a_name_shows_its_predicate_once():
    engine = Engine(
        parse_model(
            "id: m\nelements: [{id: a}]\n"
            "intents: [\"intent=x term={# == 'a' && meta_conv('k') > 1}\"]"
        )
    )
    reason = engine.ask("a").reason
    assert reason.startswith("intent x, term {# == 'a' && meta_conv('k') > 1} for a: ")
