"""What the bot calls its offers: the value that tells them apart, as people write it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from anaphora import Answer, Engine, parse_model

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)  # a Monday
SALON = """
id: salon
language: [en, ru, de]
dialog_acts: true
entities: [date, money]
elements:
  - {id: free, synonyms: {en: [what is free], ru: [что свободно], de: [was ist frei]}}
  - {id: book, synonyms: {en: [book], ru: [запиши], de: [buche]}}
  - {id: master, id_synonym: false, values: [Anna, Bruno]}
intents:
  - {id: free, slots: {free: free}, response: Here they are.}
  - id: book
    slots: {book: book, date: {ask: When?}, master: {optional: true}}
    response: "{{ date | date('d') }} {{ date | time('H:mm') }} {{ master }}"
"""
QUESTION = {"en": "what is free", "ru": "что свободно", "de": "was ist frei"}
YES = {"en": "yes", "ru": "да", "de": "ja"}
NINE, TEN = "2026-11-24 09:00", "2026-11-24 10:00"


def salon(*offers: dict[str, Any], more: str = "") -> Engine:
    engine = Engine(parse_model(SALON + more), clock=lambda: NOON)
    engine.on("free")(lambda: Answer(offers=offers, then="book"))
    return engine


@pytest.mark.parametrize(
    ("language", "dates", "asked"),
    [
        ("en", (NINE, TEN), "Which one: 9:00\u202fAM, 10:00\u202fAM?"),
        ("ru", (NINE, TEN), "Что именно: 09:00, 10:00?"),
        ("de", (NINE, TEN), "Was meinen Sie: 09:00, 10:00?"),
        ("en", (NINE, "2026-11-26 09:00"), "Which one: Tuesday, Thursday?"),
        ("ru", (NINE, "2026-11-26 09:00"), "Что именно: вторник, четверг?"),
        ("en", (NINE, "2026-12-04"), "Which one: Tuesday, November 24, 9:00\u202fAM; Friday, "
         "December 4?"),
        ("de", ("2026-12-03", "2027-01-04"), "Was meinen Sie: Donnerstag, 3. Dezember 2026; "
         "Montag, 4. Januar 2027?"),
    ],
)  # fmt: skip
def test_dates_are_named_by_what_tells_them_apart(
    language: str, dates: tuple[str, ...], asked: str
) -> None:
    engine = salon(*({"date": one, "master": "Anna"} for one in dates))
    engine.ask(QUESTION[language])
    assert engine.ask(YES[language]).text == asked


@pytest.mark.parametrize(
    ("offers", "buttons"),
    [
        (({"date": NINE}, {"date": TEN}), ("9:00\u202fAM", "10:00\u202fAM")),
        (
            ({"date": NINE, "money": "$20"}, {"date": NINE, "money": "$30.5"}),
            ("$20.00", "$30.50"),
        ),
        (
            ({"master": "Anna", "date": NINE}, {"master": "Anna", "date": TEN},
             {"master": "Bruno", "date": NINE}),
            ("Anna Tuesday, 9:00\u202fAM", "Anna Tuesday, 10:00\u202fAM",
             "Bruno Tuesday, 9:00\u202fAM"),
        ),
        (({"date": NINE, "master": "Anna"}, {"date": TEN, "master": "Bruno"}),
         ("9:00\u202fAM", "10:00\u202fAM")),
    ],
)  # fmt: skip
def test_a_button_has_the_name_of_its_offer_and_accepts_it(
    offers: tuple[dict[str, Any], ...], buttons: tuple[str, ...]
) -> None:
    engine = salon(*offers)
    assert engine.ask(QUESTION["en"]).quick_replies == buttons
    for index, button in enumerate(buttons):
        engine.forget()
        offered = engine.ask(QUESTION["en"]).offers[index]
        booked = {slot.value for slot in engine.ask(button).slots.values()}
        assert booked >= {one.value for one in offered if one.element != "money"}


def test_a_button_whose_name_would_mean_something_else_counts() -> None:
    more = "reset: [Anna]\n"
    engine = salon({"master": "Anna"}, {"master": "Bruno"}, more=more)
    assert engine.ask(QUESTION["en"]).quick_replies == ("option 1", "Bruno")


def test_the_texts_of_choices_format_and_look_into_the_offers() -> None:
    engine = salon(
        {"date": NINE, "master": "Anna"},
        {"date": TEN, "master": "Bruno"},
        more="""
choices:
  free: "{{ user }}, {{ choices | map('time', 'H:mm') | join(' or ') }} ({{ choices }})?
    {% for one in choices %}{{ one.master }}, {{ one.date | date('EEE') }}. {% endfor %}"
""",
    )
    engine.ask(QUESTION["en"])
    assert engine.ask("yes").text == (
        "user, 9:00 or 10:00 (9:00\u202fAM and 10:00\u202fAM)? Anna, Tue. Bruno, Tue. "
    )


LIST = """
id: list
language: [en, ru, de]
elements:
  - {id: cut, synonyms: {en: [do], ru: [сделай], de: [mach]}}
  - {id: work, values: {a cut: {ru: [стрижку], de: [schneiden]}, dye: {ru: [краску], de: [färben]},
      a wash: {ru: [мытье], de: [waschen]}}}
intents:
  - id: cut
    slots: {cut: cut, work: {several: true, ask: What?}}
    confirm: "{{ work }}?"
    response: "{{ work | join('+') }}; {{ work | map('upper') | list }}; {{ work | length }}"
"""


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("do a cut", "a cut?"),
        ("do a cut and dye", "a cut and dye?"),
        ("do a cut, dye and a wash", "a cut, dye, and a wash?"),
        ("сделай стрижку, краску и мытье", "a cut, dye и a wash?"),
        ("mach schneiden, färben und waschen", "a cut, dye und a wash?"),
    ],
)
def test_several_values_are_joined_as_the_language_does(said: str, read: str) -> None:
    assert Engine(parse_model(LIST)).ask(said).text == read


def test_a_list_stays_a_list_for_filters() -> None:
    engine = Engine(parse_model(LIST))
    engine.ask("do a cut and dye")
    assert engine.ask("yes").text == "a cut+dye; A CUT and DYE; 2"
