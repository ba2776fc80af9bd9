"""Annotated values become entities at their places; those without a place get one."""

from __future__ import annotations

from benchmarks.dialogs.annotations import annotate, annotated, find_mentions
from benchmarks.dialogs.schema_guided import Action, Exchange, Frame


def exchange(text, *actions, spans=None):
    return Exchange(text, (Frame("Garden_1", actions, spans or {}, {}),), "", ())


def places(text, *actions, spans=None):
    return {
        one.element: text[one.start : one.end]
        for one in annotate(exchange(text, *actions, spans=spans))
    }


def test_a_value_stands_at_its_span():
    day = Action("INFORM", "day", "Friday", "2019-03-01")
    (found,) = annotate(exchange("On Friday or Friday", day, spans={"day": (13, 19)}))
    assert (found.element, found.start, found.end, found.value) == (
        "Garden_1.day",
        13,
        19,
        "2019-03-01",
    )


def test_a_value_without_span_is_looked_for():
    assert places("I want three of them", Action("INFORM", "pots", "3", "3")) == {
        "Garden_1.pots": "three"
    }
    assert places("Any pot will do", Action("INFORM", "pot", "dontcare", "dontcare")) == {
        "Garden_1.pot": "pot"
    }


def test_an_intent_is_named_by_a_word_of_its_name_or_by_a_long_word():
    order = Action("INFORM_INTENT", "intent", "OrderPlant", "OrderPlant")
    assert places("Yes, I want to order it", order) == {"Garden_1:OrderPlant": "order"}
    assert places("Could you reserve it?", order) == {"Garden_1:OrderPlant": "reserve"}
    text = "That is wonderful. Could you reserve it?"
    assert places(text, order) == {"Garden_1:OrderPlant": "reserve"}


def test_a_question_is_about_a_slot():
    text = "What is its maximum height?"
    assert places(text, Action("REQUEST", "max_height")) == {"Garden_1.question": "height"}


def test_no_word_has_two_meanings():
    text = "Two plants on Friday"
    found = annotate(
        exchange(
            text,
            Action("INFORM", "day", "Friday", "Friday"),
            Action("INFORM", "pots", "2", "2"),
            Action("INFORM_INTENT", "intent", "OrderPlant", "OrderPlant"),
            spans={"day": (14, 20)},
        )
    )
    assert sorted(text[one.start : one.end] for one in found) == ["Friday", "Two", "plants"]


def test_acts_without_a_value_are_no_entities():
    assert not places("Yes, thanks", Action("AFFIRM"), Action("THANK_YOU"))


def test_the_recognizer_finds_them_in_the_present_text_alone():
    text = "On Friday"
    day = Action("INFORM", "day", "Friday", "5")
    with annotated(exchange(text, day, spans={"day": (3, 9)})):
        (mention,) = find_mentions(text, "Garden_1.day")
        assert (mention.start, mention.end, mention.value) == (3, 9, "5")
        assert not list(find_mentions(text, "Garden_1.pots"))
        assert not list(find_mentions("Lady Fern", "Garden_1.day"))
    assert not list(find_mentions(text, "Garden_1.day"))
