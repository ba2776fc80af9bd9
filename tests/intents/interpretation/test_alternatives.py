"""Of several values for one slot, the bot asks which is meant; it says what it cannot choose."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Engine, parse_model

AT = datetime(2026, 11, 23, 9, tzinfo=UTC)
OR = {
    "en": ("Ann or Ben", "the second one", "whatever"),
    "de": ("Ann oder Ben", "das zweite", "egal"),
    "fr": ("Ann ou Ben", "le deuxième", "peu importe"),
    "es": ("Ann o Ben", "el segundo", "me da igual"),
    "it": ("Ann o Ben", "il secondo", "è lo stesso"),
    "pt": ("Ann ou Ben", "o segundo", "tanto faz"),
    "ru": ("Ann или Ben", "второй", "неважно"),
    "uk": ("Ann або Ben", "другий", "байдуже"),
    "zh": ("Ann 或者 Ben", "第二个", "随便"),
    "ja": ("Ann または Ben", "二番目", "どちらでもいい"),
    "ko": ("Ann 또는 Ben", "두 번째", "상관없어요"),
    "nl": ("Ann of Ben", "de tweede", "maakt niet uit"),
    "pl": ("Ann albo Ben", "drugi", "wszystko jedno"),
    "tr": ("Ann veya Ben", "ikincisi", "fark etmez"),
    "ar": ("Ann أو Ben", "الثاني", "لا يهم"),
    "he": ("Ann או Ben", "השני", "לא משנה לי"),
}
MODEL = """
id: shop
language: LANGUAGE
dialog_acts: true
elements:
  - {id: book, synonyms: [xbook]}
  - {id: person, values: [Ann, Ben, Clara], id_synonym: false}
  - {id: day, recognizer: date, id_synonym: false}
intents:
  - {id: book, slots: {book: book, person: {ask: xwho}, day: {ask: xwhen}}}
responses: {book: "{{ person }}, {{ slots.day.value }}"}
"""


def talk(*said, language="en"):
    engine = Engine(parse_model(MODEL.replace("LANGUAGE", language)))
    return [engine.ask(text, at=AT) for text in said]


@pytest.mark.parametrize(
    "language",
    [pytest.param(one, marks=() if one in ("en", "de") else pytest.mark.thorough) for one in OR],
)
def test_one_of_two_is_chosen_and_what_is_needed_is_not(language):
    either, second, whatever = OR[language]
    which, chosen, needed = (
        talk("xbook", either, second, language=language)[1:]
        + talk("xbook", whatever, language=language)[1:]
    )
    assert (which.status, which.missing) == ("incomplete", ("person", "day"))
    assert chosen.slots["person"].value == "Ben"
    assert needed.text.endswith("xwho")
    assert needed.text != "xwho"


@pytest.mark.parametrize("answer", ["Thursday", "the last one", "no, Thursday"])
def test_a_date_is_chosen_from_several(answer):
    which, reply = talk("xbook Ann on Wednesday or on Thursday?", answer)
    assert which.text == "Which one: Wednesday, Thursday?"
    assert (reply.status, reply.text) == ("matched", "Ann, 2026-11-26")


def test_whoever_does_not_mind_gets_the_first_one():
    assert talk("xbook Ann on Wednesday or Thursday", "whatever")[-1].text == "Ann, 2026-11-25"


def test_the_rest_waits_for_the_answer():
    replies = talk("xbook Ann, Ben or Clara", "on Friday", "the second one")
    assert replies[-1].text == "Ben, 2026-11-27"
    assert replies[0].text == "Which one: Ann, Ben, Clara?"


def test_two_values_with_and_between_them_are_no_choice():
    assert talk("xbook Ann and Ben on Friday")[-1].status == "matched"
