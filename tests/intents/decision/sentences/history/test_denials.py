"""What a no is about: what is left to do, or what was done last."""

from __future__ import annotations

import pytest

from tests.intents.decision.sentences.homes import NAMES, said, talk

pytest.importorskip("home_assistant_intents")

BOTH_OFF = {
    "nl": ("zet de lamp en de radio uit", "nee, niet de radio", "ja", "nee bedankt"),
    "pl": ("wyłącz lampa i radio", "nie, nie radio", "tak", "nie, dziękuję"),
    "it": ("spegni la lampada e la radio", "no, non la radio", "sì", "no grazie"),
    "pt": ("desliga a lâmpada e o rádio", "não, o rádio não", "sim", "não"),
    "ru": ("выключи лампа и радио", "нет, не радио", "да", "нет"),
    "uk": ("вимкни лампа і радіо", "ні, не радіо", "так", "ні"),
    "cs": ("vypni lampa a rádio", "ne, ne rádio", "ano", "ne"),
    "sv": ("stäng av lampan och radion", "nej, inte radion", "ja", "nej tack"),
    "da": ("sluk lampen og radioen", "nej, ikke radioen", "ja", "nej tak"),
    "nb": ("slå av lampen og radioen", "nei, ikke radioen", "ja", "nei takk"),
    "fi": ("sammuta lamppu ja radio", "ei, ei radio", "kyllä", "ei"),
    "hu": ("kapcsold ki a lámpa és a rádió", "nem, a rádió ne", "igen", "nem"),
    "tr": ("lamba ve radyo kapat", "hayır, radyo değil", "evet", "hayır"),
}


@pytest.mark.parametrize("language", BOTH_OFF)
def test_a_yes_does_the_rest(language: str) -> None:
    both, _, yes, _ = BOTH_OFF[language]
    assert talk(both, yes, language=language)[1].endswith(f" name={NAMES[language][6]}")


@pytest.mark.parametrize("language", BOTH_OFF)
def test_what_is_denied_is_never_done(language: str) -> None:
    both, denial, yes, no = BOTH_OFF[language]
    for first in (denial, no):
        answers = talk(both, first, yes, language=language)
        assert not any(one.startswith("Hass") for one in answers[1:])


@pytest.mark.parametrize("denial", ["ne, ne dveře", "ne dveře"])
def test_a_no_that_is_a_not_as_well_locks_no_door(denial: str) -> None:
    assert not talk("zamkni vrata", denial, language="cs")[1].startswith("Hass")


def test_a_no_with_a_comma_corrects_in_such_a_language() -> None:
    assert talk("zamkni vrata", "ne, dveře", language="cs")[1] == "HassTurnOn name=dveře"


@pytest.mark.parametrize(
    ("texts", "answer"),
    [
        (("no",), "All right, not that then."),
        (("turn off the tv and the oven", "no"), "All right, not that then."),
        (("is the front door locked", "no"), "All right, not that then."),
        (("turn on the lamp", "no"), "Not undone: lamp."),
        (("turn on the lamp", "no, thank you"), "Not undone: lamp."),
        (("turn on the lamp", "not the lamp"), "Not undone: lamp."),
        (("turn on the lamp", "turn on the moon", "no"), "All right, not that then."),
        (("set a timer for 5 minutes", "no"), "Not undone: timer."),
        (("add milk to the shopping list", "no, not milk"), "Not undone: milk."),
    ],
)
def test_a_no_is_acknowledged(texts: tuple[str, ...], answer: str) -> None:
    assert said(*texts) == answer


def test_a_no_is_acknowledged_in_the_language_of_the_talk() -> None:
    assert said("mach die Lampe und das Radio aus", "nein", language="de") == "Gut, dann nicht."
    assert said("zet de lamp en de radio uit", "nee", language="nl") == "Goed, dan niet."
    assert said("spegni la lampada", "no", language="it") == "Non annullato: lampada."


def test_after_a_no_the_last_command_can_be_undone() -> None:
    assert talk("turn on the lamp", "no", "undo that")[2] == "HassTurnOff name=lamp"


@pytest.mark.parametrize("no", ["not the left one", "all but the left one", "no, not the left one"])
def test_what_is_done_already_stays_and_the_rest_is_still_to_do(no: str) -> None:
    first = "close the left blind and the right blind"
    assert said(first, no) == "Not undone: left blind. Still to do: the right blind."
    assert talk(first, no, "yes")[2] == "HassTurnOff name=right blind"


def test_only_what_is_named_is_left_out_of_the_rest() -> None:
    first = "turn off the tv, the lamp and the radio"
    assert said(first, "not the lamp") == "Still to do: the radio."
    assert talk(first, "not the lamp", "the rest", "the rest")[2:] == [
        "HassTurnOff name=radio",
        "I don't know which one you mean.",
    ]


def test_what_nobody_minds_is_not_left_to_do() -> None:
    texts = "turn off the tv and the oven", "never mind", "the rest"
    assert talk(*texts)[1:] == ["HassNevermind", "I don't know which one you mean."]


def test_what_is_left_is_explained_once() -> None:
    first = "turn off the tv, the lamp and the oven"
    assert said(first).endswith("I do one thing at a time. Still to do: the lamp and the oven.")
    assert said(first, "yes") == "Still to do: the oven."


@pytest.mark.parametrize("first", ["no", "not the back door"])
def test_a_no_to_what_was_dropped_speaks_of_nothing_else(first: str) -> None:
    both = "lock the front door and the back door"
    assert said(both, first, "not the back door") == "All right, not that then."
    assert said(both, first, "not the front door") == "Not undone: front door."


def test_a_no_to_an_earlier_command_says_that_it_still_holds() -> None:
    texts = "lock the back door", "lock the front door", "not the back door"
    assert said(*texts) == "Not undone: back door."
    assert not talk(*texts, "undo that")[3].startswith("Hass")


@pytest.mark.parametrize(
    ("language", "texts", "answer"),
    [
        ("en", ("turn on the lamp", "thanks"), "All right."),
        ("en", ("yes",), "All right."),
        ("de", ("danke",), "Gut."),
        ("fr", ("merci",), "Très bien."),
        ("nl", ("ja",), "Goed."),
        ("pl", ("dziękuję",), "Dobrze."),
    ],
)
def test_a_yes_and_thanks_are_acknowledged(
    language: str, texts: tuple[str, ...], answer: str
) -> None:
    assert said(*texts, language=language) == answer


def test_a_yes_to_a_refusal_confirms_nothing() -> None:
    assert said("turn on the moon", "yes") == "I don't know which one you mean."
    assert said("mach den Mond an", "ja", language="de") == "Ich weiß nicht, was du meinst."


NO = {
    "en": "no", "de": "nein", "fr": "non", "es": "no", "it": "no", "nl": "nee", "pl": "nie",
    "pt": "não", "ru": "нет", "uk": "ні", "cs": "ne", "sv": "nej", "da": "nej", "nb": "nei",
    "fi": "ei", "hu": "nem", "tr": "hayır", "ja": "いいえ", "zh-CN": "不",
}  # fmt: skip
YES = {
    "en": "yes", "de": "ja", "fr": "oui", "es": "sí", "it": "sì", "nl": "ja", "pl": "tak",
    "ru": "да", "cs": "ano", "sv": "ja", "hu": "igen", "tr": "evet",
}  # fmt: skip
NOT_THAT = {
    "en": ("lock the front door", ["not that one", "not this one", "no, not that", "not that"]),
    "de": (
        "schließ die Haustür ab",
        ["nicht die", "nein, nicht das", "die nicht", "nein, die da nicht"],
    ),
    "fr": ("allume la lampe", ["non, pas ça", "pas celle-là", "non pas celle-ci"]),
    "es": ("apaga la lámpara", ["esa no", "no, esa no"]),
    "it": ("spegni la lampada", ["non quella", "no, non quella", "quella no"]),
    "nl": ("doe de lamp uit", ["niet die", "nee, niet die", "nee, die niet"]),
    "pl": ("wyłącz lampa", ["nie ta", "nie to"]),
    "pt": ("desliga a lâmpada", ["essa não", "não, essa não"]),
    "ru": ("выключи лампа", ["не эту", "нет, не эту"]),
    "uk": ("вимкни лампа", ["не цю", "ні, не цю"]),
    "cs": ("vypni lampa", ["tu ne", "ne, tu ne"]),
    "sv": ("släck lampan", ["inte den", "nej, inte den"]),
    "da": ("sluk lampen", ["ikke den", "nej, ikke den"]),
    "nb": ("slå av lampen", ["ikke den", "nei, ikke den"]),
    "fi": ("sammuta lamppu", ["ei tuo", "ei, ei se"]),
    "hu": ("kapcsold ki a lámpa", ["azt ne", "nem, azt ne"]),
    "tr": ("lamba kapat", ["o değil", "hayır, o değil"]),
    "ja": ("ランプを消して", ["それじゃない", "いや、それじゃない"]),
    "zh-CN": ("关闭台灯", ["不是这个"]),
}


@pytest.mark.parametrize("language", NOT_THAT)
def test_not_that_one_is_answered_as_a_no(language: str) -> None:
    first, denials = NOT_THAT[language]
    assert talk(first, language=language)[0].startswith("HassTurn")
    for denial in denials:
        assert said(first, denial, language=language) == said(
            first, NO[language], language=language
        )
        assert not talk(first, denial, language=language)[1].startswith("Hass")


def test_not_that_one_leaves_nothing_to_do() -> None:
    both = "turn off the tv and the oven"
    assert said(both, "not that") == "All right, not that then."
    assert not talk(both, "not that", "the rest")[2].startswith("Hass")


@pytest.mark.parametrize(
    ("language", "first", "please"),
    [
        ("en", "turn off the lamp", ["please", "yes please", "thank you", "and please"]),
        ("de", "mach die Lampe aus", ["bitte", "ja bitte", "danke"]),
        ("fr", "éteins la lampe", ["s'il te plaît", "oui s'il te plaît"]),
        ("es", "apaga la lámpara", ["por favor", "sí por favor"]),
        ("it", "spegni la lampada", ["per favore", "sì per favore"]),
        ("nl", "doe de lamp uit", ["alsjeblieft", "ja graag"]),
        ("pl", "wyłącz lampa", ["proszę", "tak proszę"]),
        ("ru", "выключи лампа", ["пожалуйста", "да пожалуйста"]),
        ("cs", "vypni lampa", ["prosím", "ano prosím"]),
        ("sv", "släck lampan", ["snälla", "ja tack"]),
        ("hu", "kapcsold ki a lámpa", ["kérlek", "igen kérem"]),
        ("tr", "lamba kapat", ["lütfen"]),
    ],
)
def test_a_please_behind_a_command_is_acknowledged(
    language: str, first: str, please: list[str]
) -> None:
    for text in please:
        assert said(first, text, language=language) == said(YES[language], language=language)
        assert not talk(first, text, language=language)[1].startswith("Hass")


def test_a_no_and_an_article_turn_nothing_on() -> None:
    assert not talk("kapcsold ki a lámpa", "nem, nem az", language="hu")[1].startswith("Hass")
