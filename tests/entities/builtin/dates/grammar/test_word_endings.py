"""Endings of words of dates, split off in Turkish and Korean; letters without their marks."""

import pytest

from anaphora.entities.builtin.dates.date_parser import get_date_parser


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


def test_a_korean_date_ends_before_its_particle():
    text = "내일은 쉬어요"
    ((start, end, _),) = get_date_parser("ko").find_dates(text)
    assert text[start:end] == "내일"
