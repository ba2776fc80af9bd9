"""Aims are met or missed, and verdicts say by how much."""

from __future__ import annotations

import pytest

from benchmarks.report.aims import AIMS, judge_aims

each = pytest.mark.parametrize


def test_every_aim_has_its_own_figure():
    assert len({aim.figure for aim in AIMS}) == len(AIMS)


def test_an_aim_without_a_figure_is_not_judged():
    assert {verdict.word for verdict in judge_aims({}, {})} == {"not measured"}


@each(
    ("figure", "value", "word"),
    [
        ("home.over_hassil", 20.0, "met"),
        ("home.over_hassil", 19.99, "missed"),
        ("synonyms.growth", 1.5, "met"),
        ("synonyms.growth", 1.51, "missed"),
        ("start.seconds", 0.99, "met"),
        ("start.seconds", 1.0, "missed"),
        ("home.slots_lead", 0.0, "met"),
        ("home.slots_lead", -0.001, "missed"),
    ],
)
def test_an_aim_is_met_at_its_target(figure, value, word):
    (verdict,) = (one for one in judge_aims({figure: value}, {}) if one.word != "not measured")
    assert verdict.word == word


def test_a_missed_aim_has_its_factor_and_its_limit():
    limits = {"building.seconds": "the tokenizer alone takes 2 s"}
    by_name = {one.what: one for one in judge_aims({"building.seconds": 4.5}, limits)}
    missed = by_name["Building a model of 100,000 synonyms"]
    assert missed.note == "missed by a factor of 1.50; the tokenizer alone takes 2 s"
    assert missed.measured == "4.50 s"


def test_a_missed_lead_is_given_in_points():
    (missed,) = (one for one in judge_aims({"home.slots_lead": -0.012}, {}) if one.word == "missed")
    assert missed.note == "short by 1.2 points"


def test_an_aim_reports_a_met_stretch_target():
    notes = [one.note for one in judge_aims({"home.over_adapt": 5.5}, {}) if one.word == "met"]
    assert notes == ["the stretch, too"]
