"""The checker of histories finds what it is for."""

from __future__ import annotations

from anaphora.stm.conversation import ConversationKey
from tests.stm.stores.redis.several.history import Question, violations

ANN, BEN = ConversationKey("ann", "weather"), ConversationKey("ben", "weather")
FIRST = Question(1, ANN, 0, 1, ())
SECOND = Question(2, ANN, 2, 3, (1,))
REFUSED = Question(3, ANN, 2, 4, None)


def test_each_question_once_and_in_order():
    assert violations([FIRST, SECOND], {ANN: [1, 2]}) == []
    assert violations([FIRST, Question(2, BEN, 0, 1, ())], {ANN: [1], BEN: [2]}) == []


def test_questions_at_the_same_time_have_any_order():
    other = Question(2, ANN, 0, 1, (1,))
    assert violations([other, FIRST], {ANN: [1, 2]}) == []


def test_a_refused_question_may_be_kept_once():
    assert violations([FIRST, REFUSED], {ANN: [1]}) == []
    assert violations([FIRST, REFUSED], {ANN: [1, 3]}) == []
    assert violations([FIRST, REFUSED], {ANN: [1, 3, 3]}) == ["ann: 3 is there 2 times"]


def test_an_answered_question_that_is_lost():
    assert "ann: 1 was answered and is lost" in violations([FIRST], {})
    assert "ann: 2 was answered and is lost" in violations([FIRST, SECOND], {ANN: [1]})


def test_a_question_that_is_in_another_conversation():
    assert "ben: 1 was never asked" in violations([FIRST], {ANN: [1], BEN: [1]})


def test_a_question_that_did_not_see_the_one_before():
    blind = Question(2, ANN, 2, 3, ())
    found = violations([FIRST, blind], {ANN: [1, 2]})
    assert found == ["ann: 2 did not see what came before it"]


def test_questions_in_the_wrong_order():
    early, late = Question(1, ANN, 0, 1, (2,)), Question(2, ANN, 2, 3, ())
    found = violations([early, late], {ANN: [2, 1]})
    assert found == ["ann: 1 comes after 2, which was asked after its answer"]
