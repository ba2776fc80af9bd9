"""Measured curves are compared with their expected growth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.report.checks import Expectation, Growth, dearest, judge, steepness

each = pytest.mark.parametrize

SIZES = (1, 10, 100, 1_000, 10_000)


def curve(cost):
    return tuple((float(size), cost(size)) for size in SIZES)


FLAT, LOGARITHMIC, LINEAR = (Expectation(growth) for growth in Growth)


@each(
    ("expected", "cost", "word"),
    [
        (FLAT, lambda size: 2.0, "met"),
        (FLAT, lambda size: 2.0 + size / 20_000, "met"),
        (FLAT, lambda size: 2.0 + size / 5_000, "missed"),
        (FLAT, lambda size: 1 / size, "met"),
        (FLAT, lambda size: 9.0 if size == 100 else 2.0, "missed"),
        (LOGARITHMIC, lambda size: 3.0, "met"),
        (LOGARITHMIC, lambda size: 1 + 0.7 * len(str(size)), "met"),
        (LOGARITHMIC, lambda size: size**0.5, "missed"),
        (LINEAR, lambda size: 0.001 * size, "met"),
        (LINEAR, lambda size: 5 + 0.001 * size, "met"),
        (LINEAR, lambda size: 5.0, "met"),
        (LINEAR, lambda size: 0.001 * size**1.5, "missed"),
        (LINEAR, lambda size: 5 + 1e-9 * size**3, "missed"),
    ],
)
def test_a_curve_is_compared_with_its_expectation(expected, cost, word):
    assert judge("time", expected, curve(cost)).word == word


def test_sizes_beyond_the_limit_do_not_count():
    points = curve(lambda size: 1.0 if size < 10_000 else 50.0)
    assert judge("time", Expectation(Growth.FLAT, until=1_000), points).word == "met"
    assert judge("time", Expectation(Growth.FLAT), points).word == "missed"


def test_growth_needs_two_sizes():
    assert judge("time", FLAT, ((1.0, 1.0),)).word == "not measured"


def test_a_verdict_has_the_expected_and_the_measured_growth():
    verdict = judge("time", Expectation(Growth.FLAT, within=2, until=1_000), curve(lambda n: n))
    assert (verdict.expected, verdict.measured) == ("flat within 2 × up to 1,000", "1000.00 ×")


@given(
    slope=st.floats(-2, 3),
    factor=st.floats(1e-6, 1e6),
    sizes=st.sets(st.integers(1, 10**6), min_size=2, max_size=8),
)
def test_the_slope_of_a_power_is_its_exponent(slope, factor, sizes):
    points = [(float(size), factor * float(size) ** slope) for size in sorted(sizes)]
    assert steepness(points) == pytest.approx(slope, abs=1e-6)


@given(st.lists(st.floats(1e-6, 1e3), min_size=1), st.floats(1e-3, 1e3))
def test_ratios_are_independent_of_the_unit(costs, factor):
    points = [(float(size), cost) for size, cost in enumerate(costs, 1)]
    scaled = [(size, cost * factor) for size, cost in points]
    assert dearest(scaled) == pytest.approx(dearest(points))
