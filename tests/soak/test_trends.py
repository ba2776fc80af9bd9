"""Growth is found in noise, and noise is no growth."""

from __future__ import annotations

from random import Random

from tests.soak.trends import growth

NOISE = [Random(number).gauss(1e6, 100) for number in range(60)]


def test_a_level_with_noise_outliers_and_a_late_sample_does_not_grow():
    assert growth(NOISE) == 0
    assert growth([*NOISE[:-1], 1e9]) == 0
    assert growth([7] * 60) == 0


def test_a_leak_that_each_sample_hides_is_found():
    leak = [value + 30 * number for number, value in enumerate(NOISE)]
    assert 500 < growth(leak) < 30 * 60


def test_a_file_that_is_left_open_now_and_then_is_found():
    assert growth([20 + number // 5 for number in range(60)]) == 8
