"""What a conversation remembers of recognized entities after its model has changed."""

from __future__ import annotations

from textwrap import dedent

import pytest

from anaphora import Engine

MODEL = """
    id: shop
    entities: [date]
    elements:
      - {id: track, groups: [act], synonyms: [track]}
      - {id: amount, groups: [thing], recognizer: number}
    intents:
      - "intent=track term(act)={# == 'track'} term(rest)={# != 'track'}[0,2]"
"""
AMOUNT = "- {id: amount, groups: [thing], recognizer: number}"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text(dedent(MODEL))
    return path


@pytest.fixture
def engine(file, clock):
    with Engine(file, clock=clock) as engine:
        assert engine.ask("track 12 tomorrow").status == "matched"
        yield engine


def remembered(engine):
    return {held.entity.element: sorted(held.entity.groups) for held in engine.memory()}


def change(engine, file, *changes):
    text = dedent(MODEL)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    engine.reload()


def test_a_number_whose_element_has_left_the_model_is_forgotten(engine, file):
    change(engine, file, (AMOUNT, "- {id: sum, groups: [thing], recognizer: number}"))
    assert remembered(engine) == {"track": ["act"], "date": ["date"]}


def test_a_number_gets_the_groups_that_its_element_has_now_and_keeps_its_metadata(engine, file):
    changed = "- {id: amount, groups: [sum], topic: true, meta: {unit: EUR}, recognizer: number}"
    change(engine, file, (AMOUNT, changed))
    assert remembered(engine)["amount"] == ["sum"]
    (number,) = [one.entity for one in engine.memory() if one.entity.element == "amount"]
    assert (number.topic, "unit" in number.meta, number.value) == (True, False, "12")
    assert number.meta["value"] == 12


def test_a_number_is_forgotten_if_its_element_has_values_instead_of_a_recognizer(engine, file):
    change(engine, file, (AMOUNT, "- {id: amount, groups: [thing], values: [few, many]}"))
    assert "amount" not in remembered(engine)


def test_a_built_in_date_stays_even_if_the_model_no_longer_reads_dates(engine, file):
    change(engine, file, ("entities: [date]", "entities: []"))
    assert remembered(engine)["date"] == ["date"]


def test_a_date_gets_the_groups_of_an_element_that_the_model_declares_for_it(engine, file):
    declared = f"{AMOUNT}\n  - {{id: date, groups: [when], recognizer: date}}"
    change(engine, file, ("entities: [date]\n", ""), (AMOUNT, declared))
    assert remembered(engine)["date"] == ["when"]
