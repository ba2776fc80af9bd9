"""Endings of words of dates, split off in Turkish and Korean; letters without their marks."""

from datetime import UTC, datetime

import pytest

from anaphora import Engine, parse_model
from anaphora.entities.builtin.dates.date_parser import get_date_parser

PLANNER = """
id: planner
language: ko
entities: [date, recurrence]
elements: [{id: remind, synonyms: [알려줘]}]
intents:
  - "intent=remind term(act)={# == 'remind'} term(when)={# == 'date' || # == 'recurrence'}"
"""


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("pazartesiden cumaya", ["pazartesi", "den", "cuma", "ya"]),
        ("ayının", ["ay", "ı", "nın"]),  # of its month
        ("yarından", ["yarın", "dan"]),  # no half (yarı), but tomorrow
        ("hafta sonundan", ["hafta", "son", "u", "ndan"]),
        ("carsamba gunu", ["çarşamba", "gün", "u"]),
        ("beşte", ["beş", "te"]),
        ("kadından", ["kadından"]),
    ],
)
def test_endings_are_atoms_behind_a_known_word(text, atoms):
    assert [atom.text for atom in get_date_parser("tr").get_atoms(text)] == atoms


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("do piatku o osmej", ["do", "piątku", "o", "ósmej"]),
        ("piec na drewno", ["piec", "na", "drewno"]),  # an oven, not five
        ("sie", ["sie"]),
    ],
)
def test_words_get_the_marks_of_their_letters_in_a_language_without_endings(text, atoms):
    assert [atom.text for atom in get_date_parser("pl").get_atoms(text)] == atoms


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("세시반까지", ["세", "시", "반", "까지"]),
        ("내일저녁일곱시", ["내일", "저녁", "일곱", "시"]),
        ("이번주말", ["이번", "주말"]),
        ("이번주금요일", ["이번", "주", "금요일"]),
        ("저녁노을", ["저녁노을"]),  # the evening glow
    ],
)
def test_what_korean_writes_as_one_is_split_into_its_words(text, atoms):
    assert [atom.text for atom in get_date_parser("ko").get_atoms(text)] == atoms


def test_the_offsets_are_those_of_the_text():
    text = "Cumartesinden"
    parts = [text[atom.start : atom.end] for atom in get_date_parser("tr").get_atoms(text)]
    assert parts == ["Cumartesi", "nden"]
    assert [atom.glued for atom in get_date_parser("tr").get_atoms(text)] == [False, True]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("pazartesiden itibaren çalışıyorum", "pazartesiden itibaren"),
        ("perşembeye al", "perşembeye"),
        ("alarmı 6:45'e kur", "6:45'e"),
        ("alarmı 6:45’e kur", "6:45’e"),
        ("yarın da gelirim", "yarın"),  # a word of its own
    ],
)
def test_a_date_ends_with_its_last_word(text, date):
    ((start, end, _),) = get_date_parser("tr").find_dates(text)
    assert text[start:end] == date


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("내일까지는", ["내일", "까지는"]),
        ("세시반에", ["세", "시", "반", "에"]),
        ("이십오일부터", ["이십오", "일", "부터"]),
        ("안내일정", ["안내일정"]),  # "tomorrow" is inside
    ],
)
def test_korean_particles_and_units_are_atoms(text, atoms):
    assert [atom.text for atom in get_date_parser("ko").get_atoms(text)] == atoms


def test_a_korean_date_has_the_particle_of_its_word():
    text = "내일은 쉬어요"
    ((start, end, _),) = get_date_parser("ko").find_dates(text)
    assert text[start:end] == "내일은"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("내일 9시에 알려줘", "2026-11-19T09:00"),
        ("5월 3일에 알려줘", "2027-05-03"),
        ("매주 월요일 9시에 알려줘", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
    ],
)
def test_a_bot_understands_dates_with_particles(text, value):
    model = parse_model(PLANNER)
    engine = Engine(model, clock=lambda: datetime(2026, 11, 18, 10, 30, tzinfo=UTC))
    assert engine.ask(text, user="u").slots["when"].value == value


@pytest.mark.parametrize("text", ["내일" * 3000, "내일저녁" * 1200 + "뷁", "이번주" * 2000])
def test_a_text_without_blanks_is_read_however_long_it_is(text):
    assert "".join(atom.text for atom in get_date_parser("ko").get_atoms(text)) == text
