"""What a graph learns from the answered exchanges of an engine."""

from __future__ import annotations

import pytest

from anaphora import Engine
from anaphora.ltm.retrieval.store import UserKey
from tests.agents.graph.sample_graphs import (
    ANN,
    BEN,
    add,
    day,
    make_entity,
    make_exchange,
    texts,
)
from tests.support.fake_long_term import ListMemory


def test_which_cities_did_she_ask_for(graph):
    for clock, city in enumerate(["Kyoto", "Tokyo", "Kyoto"], 1):
        graph.observe(
            ANN, make_exchange("weather", {"city": [city]}, clock=clock, at=clock), model="weather"
        )
    graph.observe(ANN, make_exchange("time", {"city": ["Paris"]}, clock=4, at=4), model="time")
    cities = graph.facts(ANN, subject="user", relation="*: city")
    assert [(fact.relation, fact.object, fact.count) for fact in cities] == [
        ("time: city", "Paris", 1),
        ("weather: city", "Kyoto", 2),
        ("weather: city", "Tokyo", 1),
    ]
    assert (cities[1].valid_at, cities[1].last_stated) == (day(1), day(3))
    assert cities[1].source == "weather/3"


def test_what_has_ann_asked_about_kyoto(graph):
    graph.observe(
        ANN, make_exchange("weather", {"city": ["Kyoto"], "date": ["2026-01-03"]}), model="m"
    )
    graph.observe(ANN, make_exchange("time", {"city": ["Kyoto"]}, clock=2), model="m")
    assert sorted(texts(graph.neighbourhood(ANN, "kyoto"))) == [
        "Kyoto, weather: date, 2026-01-03",
        "user, time: city, Kyoto",
        "user, weather: city, Kyoto",
    ]
    assert graph.neighbourhood(BEN, "kyoto") == []


def test_what_was_ordered_with_the_pizza(graph):
    graph.observe(
        ANN, make_exchange("order", {"food": ["pizza", "salad"], "drink": ["cola"]}), model="m"
    )
    graph.observe(ANN, make_exchange("order", {"food": ["soup"]}, clock=2), model="m")
    with_pizza = [
        fact.object if fact.subject == "pizza" else fact.subject
        for fact in graph.neighbourhood(ANN, "pizza")
        if fact.subject != "user"
    ]
    assert sorted(with_pizza) == ["cola", "salad"]


def test_an_exchange_is_observed_once(graph):
    said = make_exchange("weather", {"city": ["Kyoto"]})
    assert graph.observe(ANN, said, model="m") == 1
    assert graph.observe(ANN, said, model="m") == 0
    assert graph.observe(ANN, said, model="other") == 1
    assert graph.facts(ANN)[0].count == 2
    assert graph.entities(ANN)[0].count == 2
    assert len(graph.stream(ANN)) == 2


def test_exchanges_without_a_clock_are_told_apart_by_their_time(graph):
    counts = [
        graph.observe(ANN, make_exchange("weather", {"city": ["Kyoto"]}, clock=0, at=at), model="m")
        for at in (1, 2, 2)
    ]
    assert counts == [1, 1, 0]


@pytest.mark.parametrize("status", ["rejected", "incomplete", "reset"])
def test_what_was_not_answered_gives_no_facts(graph, status):
    said = make_exchange("weather", {"city": ["Kyoto"]}, status=status)
    assert graph.observe(ANN, said, model="m") == 0
    assert graph.observe(ANN, make_exchange(None, {"city": ["Kyoto"]}, clock=2), model="m") == 0
    assert graph.entities(ANN) == graph.facts(ANN) == graph.stream(ANN) == []


def test_the_words_of_a_request_are_no_entity(graph):
    memory = [
        make_entity("weather", None, "What is the weather"),
        make_entity("code", None, "AB12"),
        make_entity("name", None, "Rex"),
    ]
    slots = {"topic": ["What is the weather"], "code": ["AB12"], "name": ["Rex"]}
    graph.observe(ANN, make_exchange("track", slots, memory=memory), model="m")
    assert [entity.name for entity in graph.entities(ANN)] == ["AB12"]


def test_the_text_of_an_element_can_be_its_value(make_graph):
    graph = make_graph(text_elements=["name"])
    memory = [make_entity("name", None, "Rex")]
    graph.observe(ANN, make_exchange("call", {"who": ["Rex"]}, memory=memory), model="m")
    assert texts(graph.facts(ANN)) == ["user, call: who, Rex"]


def test_the_kind_of_an_entity_is_its_element(graph):
    memory = [make_entity("place", "Kyoto", "kyoto city")]
    graph.observe(ANN, make_exchange("weather", {"city": ["Kyoto"]}, memory=memory), model="m")
    graph.observe(ANN, make_exchange("order", {"drink": ["cola"]}, clock=2), model="m")
    assert {entity.name: entity.kind for entity in graph.entities(ANN)} == {
        "Kyoto": "place",
        "cola": "drink",
    }


def test_what_the_user_excluded_is_no_wish(graph):
    memory = [make_entity("topping", "onion", "onions", negated=True)]
    graph.observe(
        ANN,
        make_exchange("order", {"food": ["pizza"], "topping": ["onion"]}, memory=memory),
        model="m",
    )
    assert sorted(texts(graph.facts(ANN))) == [
        "pizza, order: without topping, onion",
        "user, order: food, pizza",
        "user, order: without topping, onion",
    ]


def test_numbers_of_different_slots_connect_nothing(graph):
    graph.observe(ANN, make_exchange("book", {"place": ["Sora"], "people": ["2"]}), model="m")
    graph.observe(ANN, make_exchange("order", {"food": ["tea"], "cups": ["2"]}, clock=2), model="m")
    assert texts(graph.neighbourhood(ANN, "people: 2")) == [
        "Sora, book: people, people: 2",
        "user, book: people, people: 2",
    ]


def test_now_is_a_day_and_an_appointment_a_time(graph):
    slots = {"asked": ["2026-01-05T10:11:12"], "at": ["2026-01-09T19:00"]}
    graph.observe(ANN, make_exchange("remind", slots), model="m")
    found = {entity.name: entity.kind for entity in graph.entities(ANN)}
    assert found == {"2026-01-05": "date", "2026-01-09T19:00": "date"}


def test_a_request_without_values_is_remembered(graph):
    assert graph.observe(ANN, make_exchange("help", {}), model="m") == 1
    assert texts(graph.facts(ANN)) == ["user, asked for, help"]
    assert graph.entities(ANN) == []


def test_an_exchange_with_many_values_is_bounded(graph):
    said = make_exchange("list", {"thing": [f"thing {name}" for name in "abcdefghijklmnop"]})
    assert graph.observe(ANN, said, model="m") == 8 + 8 * 7 // 2
    assert len(graph.stream(ANN)) == 8


def test_a_value_of_two_slots_is_one_entity_with_two_facts(graph):
    said = make_exchange("drive", {"from": ["Kyoto"], "to": ["kyoto"], "via": ["Osaka"]})
    graph.observe(ANN, said, model="m")
    assert sorted(one.entity for one in graph.stream(ANN)) == ["Osaka", "kyoto"]
    assert sorted(texts(graph.facts(ANN, subject="user"))) == [
        "user, drive: from, kyoto",
        "user, drive: to, kyoto",
        "user, drive: via, Osaka",
    ]
    assert texts(graph.facts(ANN, subject="kyoto")) == ["kyoto, drive: via, Osaka"]


def test_an_exchange_that_arrives_late_is_one_of_the_past(graph):
    for clock in (3, 1, 2):
        said = make_exchange("weather", {"city": ["Kyoto"]}, clock=clock, at=clock)
        graph.observe(ANN, said, model="m")
    (fact,) = graph.facts(ANN)
    assert (fact.valid_at, fact.last_stated, fact.source, fact.count) == (day(1), day(3), "m/3", 3)


def test_a_functional_slot_has_one_value_at_a_time(make_graph):
    graph = make_graph(functional=["profile: home"])
    for clock, home in enumerate(["Berlin", "Kyoto"], 1):
        said = make_exchange("profile", {"home": [home]}, clock=clock, at=clock)
        graph.observe(ANN, said, model="m")
    assert texts(graph.facts(ANN)) == ["user, profile: home, Kyoto"]


def test_a_user_named_like_the_own_entity_is_not_mixed_up(graph):
    graph.observe(ANN, make_exchange("call", {"who": ["User", "Bob"]}), model="m")
    assert texts(graph.facts(ANN)) == ["user, call: who, Bob"]


def test_a_dialog_with_the_restaurant_bot_becomes_a_graph(graph):
    memory = ListMemory()
    engine = Engine("restaurant", long_term=memory, clock=lambda: day(0))
    for question in (
        "Find a Japanese restaurant",
        "The cheaper one, for two, on Friday at 7 pm",
        "yes",
    ):
        engine.ask(question, user="ann")
    for key, exchange in memory.kept:
        graph.observe(UserKey(key.user, key.tenant), exchange, model=key.model)
    assert "Sakana, book: when, 2026-01-02T19:00" in texts(graph.neighbourhood(ANN, "Sakana"))
    assert graph.find(ANN, "When did I book at sakana?") == ["Sakana"]
    kitchens = graph.facts(ANN, relation="find: kitchen")
    assert texts(kitchens) == ["user, find: kitchen, japanese"]


def test_facts_of_a_dialog_and_facts_of_a_model_meet(graph):
    graph.observe(ANN, make_exchange("weather", {"city": ["Kyoto"]}), model="m")
    add(graph, "Bob, lives in, KYOTO; user, brother, Bob", 2)
    (path,) = [path for path in graph.paths(ANN, "Bob", "kyoto") if len(path) == 1]
    assert texts(path) == ["Bob, lives in, KYOTO"]
    assert [texts(path) for path in graph.paths(ANN, "user", "Kyoto")] == [
        ["user, weather: city, KYOTO"],
        ["user, brother, Bob", "Bob, lives in, KYOTO"],
    ]
