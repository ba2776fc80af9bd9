"""Several of one kind: adding, taking away, replacing (rule 21)."""

from __future__ import annotations

import pytest

from anaphora import Engine, parse_model
from tests.support.dialog_models import ORDERS
from tests.support.dialogs import check_dialog

DIALOGS = {
    "English": """
        > a rye sandwich with egg
        order bread=rye fillings=egg
        > and cress
        order bread=rye fillings=egg+cress
        notes: something is added or taken away: the last question is asked again
        > no egg
        order bread=rye fillings=cress
        remembers: sandwich, bread=rye, filling=cress
        > plus butter
        order bread=rye fillings=cress+butter
        > just salmon
        order bread=rye fillings=salmon
        > no, white
        order bread=white fillings=salmon
        """,
    "Russian": """
        > ржаной бутерброд с яйцом
        order bread=rye fillings=egg
        > и кресс
        order bread=rye fillings=egg+cress
        > без яйца
        order bread=rye fillings=cress
        > только лосось
        order bread=rye fillings=salmon
        > ещё масло
        order bread=rye fillings=salmon+butter
        > нет, белый
        order bread=white fillings=salmon+butter
        """,
    "German": """
        > ein Brötchen, weiß, mit Ei
        order bread=white fillings=egg
        > und Kresse
        order bread=white fillings=egg+cress
        > ohne Ei
        order bread=white fillings=cress
        > nur Lachs
        order bread=white fillings=salmon
        > auch Butter
        order bread=white fillings=salmon+butter
        > nein, Roggen
        order bread=rye fillings=salmon+butter
        """,
    "Spanish": """
        > un bocadillo blanco con huevo
        order bread=white fillings=egg
        > y berro
        order bread=white fillings=egg+cress
        > sin huevo
        order bread=white fillings=cress
        > solo salmón
        order bread=white fillings=salmon
        > también mantequilla
        order bread=white fillings=salmon+butter
        """,
}


@pytest.mark.parametrize("language", DIALOGS)
def test_an_order_is_changed_step_by_step(bot, language):
    check_dialog(bot(ORDERS), DIALOGS[language])


SANDWICH = """
id: bakery
language: {language}
dialog_acts: true
elements:
  - {{id: sandwich, topic: true, synonyms: ["{words[0]}"]}}
  - id: filling
    several: true
    values:
      egg: ["{words[1]}"]
      salmon: ["{words[2]}"]
      cress: ["{words[3]}"]
      butter: ["{words[4]}"]
intents:
  - "intent=order term(sandwich)~{{# == 'sandwich'}} term(fillings)~{{# == 'filling'}}[0,4]"
"""
CHANGES = {
    "nl": (
        ("broodje", "ei", "zalm", "tuinkers", "boter"),
        (
            "broodje met ei",
            "en tuinkers",
            "zonder ei",
            "alleen zalm",
            "ook boter",
            "haal de boter eraf",
            "nog ei",
            "in plaats van ei graag tuinkers",
            "geen zalm meer",
        ),
    ),
    "pl": (
        (
            "kanapka",
            "{jajko|jajka|jajkiem}",
            "{łosoś|łososia}",
            "{rzeżucha|rzeżuchą}",
            "{masło|masła}",
        ),
        (
            "kanapka z jajkiem",
            "i rzeżucha",
            "bez jajka",
            "tylko łosoś",
            "też masło",
            "usuń masło",
            "dodaj jajko",
            "zamiast jajka rzeżucha",
            "łososia nie chcę",
        ),
    ),
    "tr": (
        ("sandviç", "yumurta", "somon", "tere", "tereyağı"),
        (
            "yumurtalı sandviç",
            "tere de",
            "yumurta olmasın",
            "sadece somon",
            "tereyağı da ekle",
            "tereyağını çıkar",
            "bir de yumurta",
            "yumurta yerine tere",
            "somon istemiyorum",
        ),
    ),
    "ar": (
        ("شطيرة", "بيض", "سلمون", "جرجير", "زبدة"),
        (
            "شطيرة مع بيض",
            "جرجير أيضا",
            "بدون بيض",
            "فقط سلمون",
            "زبدة كمان",
            "احذف الزبدة",
            "أضف بيض",
            "بدلا من البيض جرجير",
            "لا أريد سلمون",
        ),
    ),
    "he": (
        ("כריך", "ביצה", "סלמון", "רשד", "חמאה"),
        (
            "כריך עם ביצה",
            "גם רשד",
            "בלי ביצה",
            "רק סלמון",
            "גם חמאה",
            "תוריד את החמאה",
            "תוסיף ביצה",
            "במקום ביצה רשד",
            "אני לא רוצה סלמון",
        ),
    ),
}
FILLINGS = (
    "egg", "egg cress", "cress", "salmon", "salmon butter", "salmon", "salmon egg", "salmon cress",
    "cress",
)  # fmt: skip


@pytest.mark.parametrize("language", CHANGES)
def test_an_order_is_changed_in_a_language_of_its_own(language):
    words, said = CHANGES[language]
    engine = Engine(parse_model(SANDWICH.format(language=language, words=words)))
    fillings = [engine.ask(text).slots["fillings"].entities for text in said]
    assert [" ".join(str(one.value) for one in each) for each in fillings] == list(FILLINGS)


def test_what_is_unwanted_from_the_start_is_not_ordered(bot):
    check_dialog(
        bot(ORDERS),
        """
        > a rye sandwich with egg and salmon, no butter
        order bread=rye fillings=egg+salmon
        """,
    )


def test_a_plain_mention_replaces(bot):
    check_dialog(
        bot(ORDERS),
        """
        > a rye sandwich with egg and cress
        order bread=rye fillings=egg+cress
        > salmon
        order bread=rye fillings=salmon
        """,
    )


def test_what_was_never_ordered_cannot_be_taken_away(bot):
    check_dialog(
        bot(ORDERS),
        """
        > a rye sandwich with egg
        order bread=rye fillings=egg
        > without butter
        order bread=rye fillings=egg
        remembers: sandwich, bread=rye, filling=egg
        """,
    )


CONFIRMED = (
    ORDERS
    + """
confirm: {order: "{{ bread }}: {{ fillings | join(', ') }}?"}
"""
)
ALL = {
    "English": "a rye sandwich with egg, salmon and cress",
    "Russian": "ржаной бутерброд, яйцо, лосось и кресс",
    "German": "ein Brötchen, Roggen, mit Ei, Lachs und Kresse",
    "Spanish": "un bocadillo de centeno con huevo, salmón y berro",
}


@pytest.mark.parametrize(
    ("language", "change", "left"),
    [
        ("English", "only the first one", "egg"),
        ("English", "only the first and the third", "egg, cress"),
        ("English", "without the second", "egg, cress"),
        ("English", "not the last one", "egg, salmon"),
        ("English", "not the first, only the second", "salmon"),
        ("English", "not the fifth", "egg, salmon, cress"),
        ("Russian", "только первый", "egg"),
        ("Russian", "без второго", "egg, cress"),
        ("Russian", "уберите второй", "egg, cress"),
        ("Russian", "второй не надо", "egg, cress"),
        ("German", "nur das erste", "egg"),
        ("German", "ohne das zweite", "egg, cress"),
        ("German", "nicht das letzte", "egg, salmon"),
        ("Spanish", "solo el primero", "egg"),
        ("Spanish", "sin el último", "egg, salmon"),
    ],
)
def test_the_list_to_be_confirmed_is_changed_by_its_places(bot, language, change, left):
    check_dialog(
        bot(CONFIRMED),
        f"""
        > {ALL[language]}
        says: rye: egg, salmon, cress?
        > {change}
        says: rye: {left}?
        """,
    )
