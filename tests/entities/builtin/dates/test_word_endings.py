"""Endings of words of dates, split off in Turkish."""

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
