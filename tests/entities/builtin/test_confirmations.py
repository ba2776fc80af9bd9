"""Answers to the question whether to go on: "carry on" and "stop" beside yes and no."""

from __future__ import annotations

import pytest

from anaphora.entities.builtin.boolean import Confirmation, parse_confirmation, parse_yes_no

YES = {
    "en": "you can go on|go on|Go ahead.|continue|do it|carry on!|please continue|ok, go on|"
    "go on without it|"
    "continue anyway|continue, yes|yes, carry on|leave it out|"
    "proceed, please|without it|just do it",
    "de": "weiter|mach weiter|Ja, weiter|machen Sie bitte weiter|weiter ohne das|mach es trotzdem|"
    "fahren Sie fort|nur zu|ohne das",
    "ru": "давай|продолжай|Продолжайте, пожалуйста|дальше|давай без этого|да, продолжай|делай|"
    "ну давай|продолжай без него",
    "fr": "tu peux continuer|continue|continuez|vas-y|Oui, continuez|continuez sans|"
    "continuez sans cela|fais-le",
    "es": "sigue|adelante|continúa|continua|Sí, adelante|siga por favor|hazlo|sigue sin eso",
    "it": "avanti|continua|vai avanti|Sì, continua|continua senza|procedi pure|fallo",
    "pt": "continua|continue|pode continuar|vá em frente|Sim, continue|siga|continue sem isso",
    "uk": "давай|продовжуй|далі|так, продовжуй|продовжуйте, будь ласка|продовжуй без цього",
    "ja": "続けて|続けてください|はい、続けてください|そのまま続けて|どうぞ|やってください",
    "zh": "继续|继续吧|好的，继续|请继续|执行吧|略过它继续",
    "ar": "تابع|استمر",
    "he": "המשך|תמשיך",
}
NO = {
    "en": "No, cancel it please|ok stop|no need|stop|cancel|forget it|never mind|leave it|"
    "No, stop|cancel that, please|stop it|"
    "oh, never mind|don't do it|don't go on|I've changed my mind|abort",
    "de": "bitte abbrechen|lass es|abbrechen|Stopp|stop|nein, abbrechen|vergiss es|lassen Sie es|"
    "lass mal|"
    "brich ab|brich ab, bitte|lassen Sie es bitte sein|doch nicht|mach es nicht",
    "ru": "ладно, не надо|отмена|не надо|хватит|Нет, отмена|отмени|забудь|забудь об этом|стоп|"
    "передумал|"
    "не продолжай|отмените, пожалуйста",
    "fr": "laisse tomber|annule|Non, annule|arrête|stop|oublie ça|annulez tout|tant pis|"
    "ne continue pas|laissez tomber, merci",
    "es": "olvídalo|cancela|No, cancela|para|déjalo|olvidalo|cancela todo|no importa|no lo hagas",
    "it": "lascia stare|annulla|No, annulla|ferma|basta|lascia perdere|non farlo|annulla tutto",
    "pt": "cancela|cancele|Não, cancela|esquece|deixa pra lá|pare|não importa|não faça isso",
    "uk": "скасуй|не треба|досить|ні, скасуй|забудь|відміна|стоп|не продовжуй",
    "ja": "キャンセル|やめて|キャンセルしてください|いいえ、やめてください|中止|もういい|止めて",
    "zh": "取消|取消吧|不，取消|停|算了|停止|别继续了|不要继续",
    "ar": "توقف|إلغاء",
    "he": "עצור|בטל",
}
NEITHER = {
    "en": "stop at Oslo|cancel the order 5|go on Friday|yes, stop|"
    "continue, no|no, continue|continue or cancel?|when",
    "de": "weiter nach Ulm|ja, abbrechen|brich den Rekord",
    "ru": "давай завтра|да, отмена|хватит ли денег",
    "fr": "continue vers Lyon|oui, annule",
}


def phrases_of(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(language, text) for language, texts in table.items() for text in texts.split("|")]


@pytest.mark.parametrize(("language", "text"), phrases_of(YES))
def test_a_yes_confirms(language, text):
    found = parse_confirmation(text, language)
    assert found is not None
    assert found.is_yes


@pytest.mark.parametrize(("language", "text"), phrases_of(NO))
def test_a_no_declines(language, text):
    found = parse_confirmation(text, language)
    assert found is not None
    assert not found.is_yes


@pytest.mark.parametrize(("language", "text"), phrases_of(NEITHER))
def test_another_sentence_is_no_confirmation(language, text):
    assert parse_confirmation(text, language) is None


@pytest.mark.parametrize("text", ["stop", "cancel", "carry on", "continue"])
def test_a_command_is_no_boolean_elsewhere(text):
    assert parse_yes_no(text, "en") is None


@pytest.mark.parametrize(("language", "text"), [("en", "Please."), ("de", "bitte"), ("en", "ok")])
def test_a_filler_alone_is_a_yes(language, text):
    assert parse_confirmation(text, language) == Confirmation(is_yes=True)


def test_a_plain_answer_is_no_command():
    assert parse_confirmation("yes, please", "en") == Confirmation(is_yes=True)
    assert parse_confirmation("yes, continue", "en") == Confirmation(is_yes=True, is_command=True)


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("en", "yess", True),
        ("en", "yesss please", True),
        ("en", "nooo", False),
        ("en", "coool", True),
        ("de", "jaa", True),
        ("de", "neeein, bitte nicht", False),
        ("ru", "даа", True),
        ("ru", "нееет", False),
        ("fr", "ouiii", True),
        ("es", "siii", True),
    ],
)
def test_an_answer_may_have_lengthened_letters(language, text, answer):
    assert parse_yes_no(text, language) is answer


@pytest.mark.parametrize(("language", "text"), [("en", "noon"), ("en", "too"), ("de", "See")])
def test_other_words_with_double_letters_are_no_answers(language, text):
    assert parse_confirmation(text, language) is None
