"""Offers that a sentence refuses, alone or beside the one that it chooses (rule 14)."""

from __future__ import annotations

import pytest

from tests.support.dialogs import check_dialog


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("trains to Bonn", "not the first but the second"),
        ("trains to Bonn", "the first, no, the second"),
        ("trains to Bonn", "the Heron instead of the Comet"),
        ("trains to Bonn", "rather the Heron than the Comet"),
        ("trains to Bonn", "the Comet? No, the Heron"),
        ("поезда в Бонн", "не первый, а второй"),
        ("поезда в Бонн", "первый, нет, второй"),
        ("поезда в Бонн", "Цапля вместо Кометы"),
        ("поезда в Бонн", "лучше Цапля, чем Комета"),
        ("Züge nach Bonn", "nicht der erste, sondern der zweite"),
        ("Züge nach Bonn", "Reiher statt Komet"),
        ("Züge nach Bonn", "lieber den Reiher als den Komet"),
        ("trenes a Bonn", "no el primero sino el segundo"),
        ("trenes a Bonn", "mejor Garza que Cometa"),
    ],
)
def test_what_is_chosen_beside_the_refused_is_taken(trains, question, answer):
    check_dialog(
        trains(),
        f"""
        > {question}
        find city=Bonn
        > {answer}
        buy? line=Heron, asks for seats
        remembers: line=Heron*, date=2026-01-05T09:00*, money=20 EUR*, find, city=Bonn
        offers: nothing
        """,
    )


@pytest.mark.parametrize(
    ("question", "answer", "left"),
    [
        ("trains to Bonn", "not the first", "Heron or Swift"),
        ("trains to Bonn", "anything but the first", "Heron or Swift"),
        ("trains to Bonn", "not the cheapest", "Comet or Swift"),
        ("trains to Bonn", "the Comet? No", "Heron or Swift"),
        ("trains to Bonn", "neither the Comet nor the Heron", "Swift"),
        ("поезда в Бонн", "не первый", "Heron or Swift"),
        ("поезда в Бонн", "любой, кроме первого", "Heron or Swift"),
        ("поезда в Бонн", "первый не подходит", "Heron or Swift"),
        ("поезда в Бонн", "не самый дешёвый", "Comet or Swift"),
        ("поезда в Бонн", "Комета? Нет", "Heron or Swift"),
        ("поезда в Бонн", "ни Комета, ни Цапля", "Swift"),
        ("Züge nach Bonn", "nicht der erste", "Heron or Swift"),
        ("Züge nach Bonn", "nicht den billigsten", "Comet or Swift"),
        ("Züge nach Bonn", "Komet? Nein", "Heron or Swift"),
        ("trenes a Bonn", "el primero no", "Heron or Swift"),
        ("trenes a Bonn", "ni la Cometa ni la Garza", "Swift"),
    ],
)
def test_the_others_are_offered_again(trains, question, answer, left):
    check_dialog(
        trains(),
        f"""
        > {question}
        find city=Bonn
        > {answer}
        find city=Bonn
        says: {left}
        remembers: find, city=Bonn
        """,
    )
