"""What follows "add milk to the shopping list" is an item, or nothing."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import talk

pytest.importorskip("home_assistant_intents")

ADD = {
    "en": "add milk to the shopping list",
    "de": "setze Milch auf die Einkaufsliste",
    "fr": "ajoute du lait à la liste de courses",
    "pl": "dodaj mleko do listy zakupów",
}
NO_ITEMS = {
    "en": ["no milk", "no bread", "no butter instead of bread", "and one more thing", "once more",
           "and another thing", "and that's it", "and that's all", "again"],
    "de": ["keine Milch", "nein Butter statt Brot", "und das war's", "noch einmal", "und noch was",
           "und wieder"],
    "fr": ["pas de lait", "encore une fois", "et c'est tout", "non du beurre au lieu de pain"],
    "pl": ["z powrotem", "jeszcze raz", "to wszystko"],
}  # fmt: skip
ITEMS = {
    "en": [
        ("and flour", "flour"),
        ("and peanut butter", "peanut butter"),
        ("no, butter", "butter"),
    ],
    "de": [("und Mehl", "Mehl"), ("noch Eier", "Eier"), ("nein, Butter", "Butter")],
    "fr": [("et du beurre", "beurre"), ("et encore des œufs", "œufs")],
    "pl": [("i chleb", "chleb"), ("i jeszcze jajka", "jajka")],
}


@pytest.mark.parametrize("language", NO_ITEMS)
def test_what_is_no_item_is_not_added(language: str) -> None:
    for text in NO_ITEMS[language]:
        assert not talk(ADD[language], text, language=language)[1].startswith("Hass"), text


@pytest.mark.parametrize("language", ITEMS)
def test_an_item_is_added(language: str) -> None:
    for text, item in ITEMS[language]:
        assert talk(ADD[language], text, language=language)[1].endswith(f"AddItem item={item}")


def test_an_item_is_added_after_what_was_none() -> None:
    assert talk(ADD["en"], "and one more thing", "and flour")[2].endswith("item=flour")
    assert talk(ADD["de"], "und das war's", "und Mehl", language="de")[2].endswith("item=Mehl")
