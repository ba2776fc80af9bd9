"""A form: what it asks for, in which order, and how it is filled."""

from __future__ import annotations

import pytest

from tests.support.dialog_models import SALON
from tests.support.dialogs import check_dialog

STEP_BY_STEP = {
    "English": """
        > make an appointment
        book?, asks for service, master, day
        says: What shall we do?
        > a haircut
        book? service=cut, asks for master, day
        says: With whom?
        > Vera
        book? service=cut master=Vera, asks for day
        says: When?
        > tomorrow
        book? service=cut master=Vera day=2026-01-06
        says: With a wash?
        > no
        book? service=cut master=Vera day=2026-01-06
        says: cut, Vera, tomorrow?
        > yes
        book service=cut master=Vera day=2026-01-06
        says: Done.
        remembers: book, service=cut, master=Vera, date=2026-01-06
        """,
    "Russian": """
        > запишите меня
        book?, asks for service, master, day
        says: Что делаем?
        > на стрижку к Вере
        book? service=cut master=Vera, asks for day
        says: Когда?
        > завтра
        book? service=cut master=Vera day=2026-01-06
        says: С мытьем?
        > нет
        book? service=cut master=Vera day=2026-01-06
        says: cut, Vera, завтра?
        > да
        book service=cut master=Vera day=2026-01-06
        """,
    "German": """
        > einen Termin bitte
        book?, asks for service, master, day
        says: Was darf es sein?
        > Haarschnitt bei Vera
        book? service=cut master=Vera, asks for day
        says: Wann?
        > morgen
        book? service=cut master=Vera day=2026-01-06
        says: Mit Waschen?
        > nein danke
        book? service=cut master=Vera day=2026-01-06
        says: cut, Vera, morgen?
        > ja
        book service=cut master=Vera day=2026-01-06
        """,
    "Spanish": """
        > quiero una cita
        book?, asks for service, master, day
        says: ¿Qué desea?
        > corte con Vera
        book? service=cut master=Vera, asks for day
        says: ¿Cuándo?
        > mañana
        book? service=cut master=Vera day=2026-01-06
        says: ¿Con lavado?
        > no
        book? service=cut master=Vera day=2026-01-06
        says: cut, Vera, mañana?
        > sí
        book service=cut master=Vera day=2026-01-06
        """,
}


@pytest.mark.parametrize("language", STEP_BY_STEP)
def test_terms_are_asked_for_in_their_order_and_optional_ones_once(bot, language):
    check_dialog(bot(SALON), STEP_BY_STEP[language])


def test_several_are_given_in_one_answer(bot):
    check_dialog(
        bot(SALON),
        """
        > make an appointment
        book?, asks for service, master, day
        > colouring with Olga tomorrow, washed
        book? service=colour master=Olga day=2026-01-06 wash=washed
        says: colour, Olga, tomorrow, washed?
        """,
    )


def test_an_answer_may_be_to_a_later_prompt(bot):
    check_dialog(
        bot(SALON),
        """
        > make an appointment
        book?, asks for service, master, day
        says: What shall we do?
        > on Friday
        book? day=2026-01-09, asks for service, master
        says: What shall we do?
        > a cut by Vera
        book? service=cut master=Vera day=2026-01-09
        says: With a wash?
        """,
    )


def test_an_optional_term_is_filled_by_its_answer(bot):
    check_dialog(
        bot(SALON),
        """
        > an appointment for a haircut with Vera tomorrow
        book? service=cut master=Vera day=2026-01-06
        says: With a wash?
        > dry
        book? service=cut master=Vera day=2026-01-06 wash=dry
        says: cut, Vera, tomorrow, dry?
        """,
    )


def test_a_form_is_filled_from_memory(bot):
    check_dialog(
        bot(SALON),
        """
        > an appointment for a haircut with Vera tomorrow, dry
        book? service=cut master=Vera day=2026-01-06 wash=dry
        > yes
        book service=cut master=Vera day=2026-01-06 wash=dry
        > an appointment for colouring
        book? service=colour master=Vera day=2026-01-06 wash=dry
        says: colour, Vera, tomorrow, dry?
        """,
    )


@pytest.mark.parametrize("answer", ["cancel", "forget it", "stop"])
def test_a_form_is_cancelled(bot, answer):
    check_dialog(
        bot(SALON),
        f"""
        > an appointment for a haircut
        book? service=cut, asks for master, day
        > {answer}
        rejected
        says: All right, not that then.
        > Vera
        rejected
        """,
    )
