"""Bare values in the roles of a form: "Hull" after "Where to?"."""

from __future__ import annotations

import pytest

from tests.support.dialogs import check_dialog

VAN = """
    id: van
    language: [en, ru, de]
    dialog_acts: true
    elements:
      - id: move
        topic: true
        synonyms: {en: [book a van], ru: [закажи фургон], de: [bestelle einen Wagen]}
      - id: from
        id_synonym: false
        synonyms:
          en: ["from ^^[city]{# == 'town'}^^"]
          ru: ["из ^^[city]{# == 'town'}^^"]
          de: ["von ^^[city]{# == 'town'}^^"]
      - id: to
        id_synonym: false
        synonyms:
          en: ["to ^^[city]{# == 'town'}^^"]
          ru: ["в ^^[city]{# == 'town'}^^"]
          de: ["nach ^^[city]{# == 'town'}^^"]
      - id: town
        id_synonym: false
        values: {York: {ru: [Йорк]}, Leeds: {ru: [Лидс]}, Hull: {ru: [Халл]}}
    intents:
      - id: move
        slots: {move: move, from: {ask: From where?}, to: {ask: Where to?}}
        confirm: "{{ from.city }}–{{ to.city }}?"
        response: "Booked: {{ from.city }}–{{ to.city }}."
    """

DIALOGS = {
    "English": """
        > book a van
        says: From where?
        > York
        says: Where to?
        > Leeds
        says: York–Leeds?
        > no, Hull
        says: York–Hull?
        > Leeds instead of York
        says: Leeds–Hull?
        > Hull to Leeds
        says: Hull–Leeds?
        > yes
        says: Booked: Hull–Leeds.
        """,
    "Russian": """
        > закажи фургон из Йорка
        says: Where to?
        > Лидс
        says: York–Leeds?
        > не Йорк
        says: From where?
        > Халл
        says: Hull–Leeds?
        > не Лидс, а Йорк
        says: Hull–York?
        """,
    "German": """
        > bestelle einen Wagen nach Leeds
        says: From where?
        > York
        says: York–Leeds?
        > nicht Leeds, sondern Hull
        says: York–Hull?
        > nicht von York
        says: From where?
        """,
}


@pytest.mark.parametrize("dialog", DIALOGS.values(), ids=list(DIALOGS))
def test_a_bare_value_has_the_role_that_is_meant(bot, dialog):
    check_dialog(bot(VAN), dialog)


def test_another_value_of_the_role_is_refused_alone(bot):
    check_dialog(
        bot(VAN),
        """
        > book a van from York to Leeds
        says: York–Leeds?
        > not to Hull
        says: York–Leeds?
        > not to Leeds
        says: Where to?
        """,
    )


def test_a_bare_value_alone_has_no_role_outside_a_dialog(bot):
    assert bot(VAN).ask("Hull").status == "rejected"
