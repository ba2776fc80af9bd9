"""Words that look like a number are a value only if they clearly say one."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import talk

pytest.importorskip("home_assistant_intents")

_SET = {
    "en": "set the radio to 30",
    "de": "stell das Radio auf 30",
    "fr": "mets la lampe à 30",
    "nl": "zet de lamp op 30",
    "es": "pon la lámpara al 30",
    "it": "imposta la luminosità della lampada al 30%",
    "pl": "ustaw jasność lampa na 30%",
}


def _answer(language: str, text: str) -> str:
    return talk(_SET[language], text, language=language)[-1]


@pytest.mark.parametrize("word", ["nein", "ach", "nee", "nun", "doch", "einer", "ein", "noch eins"])
def test_a_word_of_the_language_is_no_misspelt_number(word: str) -> None:
    answers = talk("mach das Licht in der Küche an", word, language="de")
    assert "temperature" not in answers[1]


def test_a_number_may_lack_its_accents() -> None:
    answer = talk("stell die Heizung auf funfzehn Grad", language="de")[-1]
    assert answer == "HassClimateSetTemperature name=Heizung temperature=15"


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("en", "nothing"),
        ("en", "none"),
        ("en", "nobody"),
        ("en", "nada"),
        ("de", "keiner"),
        ("de", "keins"),
        ("de", "nichts"),
        ("fr", "aucun"),
        ("fr", "aucune"),
        ("pl", "nic"),
        ("pl", "żaden"),
        ("es", "nada"),
        ("es", "ninguno"),
        ("it", "niente"),
        ("it", "nessuno"),
        ("nl", "niets"),
        ("nl", "geen"),
    ],
)
def test_a_word_for_none_is_not_the_number_zero(language: str, word: str) -> None:
    assert not {"brightness=0", "volume_level=0"} & set(_answer(language, word).split())


@pytest.mark.parametrize(
    ("language", "word", "value"),
    [
        ("en", "zero", "volume_level=0"),
        ("en", "0", "volume_level=0"),
        ("de", "null", "volume_level=0"),
        ("de", "auf eins", "volume_level=1"),
        ("fr", "zéro", "brightness=0"),
        ("fr", "à deux", "brightness=2"),
        ("en", "to one", "volume_level=1"),
        ("en", "two", "volume_level=2"),
        ("en", "make it two", "volume_level=2"),
        ("de", "zwei", "volume_level=2"),
        ("en", "no, twenty", "volume_level=20"),
    ],
)
def test_a_number_in_words_is_a_value(language: str, word: str, value: str) -> None:
    assert value in _answer(language, word).split()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "this one"),
        ("en", "no one"),
        ("en", "one"),
        ("en", "one of the two"),
        ("en", "these two"),
        ("de", "die eine"),
        ("de", "die zwei"),
        ("de", "noch eins"),
        ("de", "einer"),
        ("fr", "l'une des deux"),
        ("fr", "celui-là"),
        ("fr", "les deux"),
        ("es", "ese uno"),
        ("es", "una"),
        ("es", "una de las dos"),
        ("it", "uno"),
        ("it", "una delle due"),
        ("nl", "een"),
        ("nl", "die ene"),
        ("nl", "een van de twee"),
    ],
)
def test_one_and_two_of_some_things_are_no_values(language: str, text: str) -> None:
    assert not _answer(language, text).endswith(("=1", "=2"))
    assert "brightness=2 " not in _answer(language, text)
    assert "brightness=1 " not in _answer(language, text)


@pytest.mark.parametrize("text", ["the bedroom one", "and the bedroom one"])
def test_the_one_in_another_room_is_the_same_kind_of_thing(text: str) -> None:
    assert talk("turn on the lights in the kitchen", text)[1] == (
        "HassTurnOn area=Bedroom domain=light"
    )
    assert "brightness" not in talk("turn on the fan", text)[1]
