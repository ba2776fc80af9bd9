"""Generated questions have the requested length, and dialogs are mixed fairly."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.models import catalog
from anaphora.models.loader import load_model
from benchmarks.report.workloads import mixed_dialogs, questions

each = pytest.mark.parametrize


@given(st.integers(9, 40), st.integers(0, 1_000))
def test_questions_have_the_requested_length(length, seed):
    for text in questions.orders(["made up"], 8, length=length, seed=seed):
        assert len(text.split()) == length
        assert " made up" in f" {text}"


@each("length", [1, 2, 3, 10, 300])
def test_long_questions_have_the_requested_length(length):
    texts = questions.long_orders(["made up", "up made"], 5, length=length)
    assert {len(text.split()) for text in texts} == {length}


def test_users_are_in_the_middle_of_dialogs_of_all_models():
    models = [load_model(name) for name in ("cafe", "alarm")]
    asked = list(islice(mixed_dialogs.random_questions(models, users=20), 400))
    assert {one.model for one in asked} == {"cafe", "alarm"}
    assert len({one.user for one in asked}) == 20
    for user in {one.user for one in asked}:
        times = [one.at for one in asked if one.user == user]
        assert times == sorted(times)
    assert asked == list(islice(mixed_dialogs.random_questions(models, users=20), 400))


def test_each_bundled_model_is_in_the_mixture():
    models = [load_model(name) for name in catalog.model_names()]
    assert {model for model, _ in mixed_dialogs.sample_dialogs(models)} == set(
        catalog.model_names()
    )
