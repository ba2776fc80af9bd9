"""Another question in the middle of a form, and back."""

from __future__ import annotations

import pytest

from tests.support.dialog_models import SALON
from tests.support.dialogs import check_dialog


@pytest.mark.parametrize(
    ("question", "other", "prompt", "answer"),
    [
        (
            "an appointment for a haircut with Vera",
            "what are the opening hours?",
            "When?",
            "tomorrow",
        ),
        ("запишите меня на стрижку к Вере", "какие часы работы?", "Когда?", "завтра"),
        ("Termin: Haarschnitt bei Vera", "wie sind die Öffnungszeiten?", "Wann?", "morgen"),
        ("una cita, corte con Vera", "¿cuál es el horario?", "¿Cuándo?", "mañana"),
    ],
)
def test_the_bot_comes_back_to_what_it_asked(bot, question, other, prompt, answer):
    check_dialog(
        bot(SALON),
        f"""
        > {question}
        book? service=cut master=Vera, asks for day
        says: {prompt}
        > {other}
        hours
        says: Nine to five. {prompt}
        > {answer}
        book? service=cut master=Vera day=2026-01-06
        """,
    )


def test_the_bot_comes_back_to_an_optional_prompt_and_to_a_confirmation(bot):
    check_dialog(
        bot(SALON),
        """
        > an appointment for a haircut with Vera tomorrow
        book? service=cut master=Vera day=2026-01-06
        says: With a wash?
        > opening hours?
        hours
        says: Nine to five. With a wash?
        > no
        book? service=cut master=Vera day=2026-01-06
        says: cut, Vera, tomorrow?
        > opening hours?
        hours
        says: Nine to five. cut, Vera, tomorrow?
        > yes
        book service=cut master=Vera day=2026-01-06
        """,
    )
