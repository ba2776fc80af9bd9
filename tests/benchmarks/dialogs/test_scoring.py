"""A turn is right if what is remembered is what the user wants by then."""

from __future__ import annotations

from benchmarks.dialogs.schema_guided import Action, Exchange, Frame
from benchmarks.dialogs.scoring import PlayedTurn, Score, score_dialog, summarize


def played(remembered, state, *actions, offered=None, service="Garden_1"):
    exchange = Exchange("", (Frame(service, actions, {}, state),), "", ())
    return PlayedTurn(exchange, remembered, offered or {}, "matched")


FRIDAY = Action("INFORM", "day", "on Friday", "5")


def test_a_value_may_have_several_forms():
    (score,) = score_dialog("1", [played({"Garden_1.day": "5"}, {"day": ("on Friday",)}, FRIDAY)])
    assert not score.failures
    assert not score.relies_on_memory


def test_a_turn_that_leaves_something_out_relies_on_memory():
    state = {"day": ("on Friday",), "pots": ("2",)}
    remembered = {"Garden_1.day": "5", "Garden_1.pots": "2"}
    (score,) = score_dialog("1", [played(remembered, state, FRIDAY)])
    assert score.relies_on_memory
    assert not score.failures


def test_missing_and_surplus_values_are_failures():
    (score,) = score_dialog("1", [played({"Garden_1.pots": "2"}, {"day": ("on Friday",)})])
    assert [(one.element, one.expected, one.remembered) for one in score.failures] == [
        ("Garden_1.day", ("on Friday",), None),
        ("Garden_1.pots", (), "2"),
    ]


def test_an_error_that_stays_is_added_once():
    wrong = played({}, {"day": ("5",)})
    right = played({"Garden_1.day": "5"}, {"day": ("5",)})
    scores = score_dialog("1", [wrong, wrong, right, wrong])
    assert [bool(one.failures) for one in scores] == [True, True, False, True]
    assert [bool(one.added) for one in scores] == [True, False, False, True]


def test_a_turn_is_held_against_the_services_that_it_is_about():
    both = {"Garden_1.day": "5", "Library_1.title": "Emma"}
    (score,) = score_dialog("1", [played(both, {"title": ("Emma",)}, service="Library_1")])
    assert not score.failures


def test_the_cause_is_named():
    yes, no = Action("SELECT"), Action("NEGATE")
    offered = {"Garden_1.plant": "Fern"}
    state = {"plant": ("Fern",)}
    causes = {
        "accepted, not remembered": [played({}, state, yes, offered=offered)],
        "an offer that nobody accepted": [played(offered, {}, no, offered=offered)],
        "an offer that the state lacks": [played(offered, {}, yes, offered=offered)],
        "said by the user, not remembered": [played({}, {"day": ("5",)}, FRIDAY)],
        "forgotten": [played(offered, state), played({}, state)],
        "replaced": [played(offered, state), played({"Garden_1.plant": "Rose"}, state)],
        "of the user or the bot, not in the state": [played({"Garden_1.pots": "1"}, {})],
        "neither said nor offered": [played({}, state)],
    }
    for cause, turns in causes.items():
        assert [one.cause for one in score_dialog("1", turns)[-1].failures] == [cause]


def test_scores_are_counted_by_key():
    wrong, right = played({}, {"day": ("5",)}), played({}, {})
    scores = score_dialog("1", [right, wrong, wrong])
    assert summarize(scores, lambda score: [str(score.relies_on_memory), "all"]) == {
        "False": Score(turns=1, right=1, added_none=1),
        "True": Score(turns=2, right=0, added_none=1),
        "all": Score(turns=3, right=1, added_none=2),
    }
