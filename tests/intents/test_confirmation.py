"""What the bridge says where a model has no words for it, and what it takes for an answer."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Entity
from anaphora.entities.builtin.boolean import parse_yes_no
from anaphora.entities.languages import languages_with
from anaphora.intents.confirmation import (
    display_name,
    format_declined,
    format_offer,
    format_quick_replies,
    parse_answer,
)
from anaphora.stm.conversation import Conversation, Offers, PendingQuestion
from tests.entities.cues.cue_phrases import read_phrase

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)

LANGUAGES = sorted(
    {
        *languages_with("orthography"),
        *languages_with("dates"),
        *languages_with("booleans"),
        *languages_with("home"),
    }
    - {"ca"}  # of Catalan a table knows how words are written alone
)
YES_AND_NO = dict(
    line.split(maxsplit=1)
    for line in """
        ar نعم لا
        az bəli xeyr
        bg да не
        cs ano ne
        da ja nej
        de ja nein
        en yes no
        es sí no
        et jah ei
        fa بله نه
        fi kyllä ei
        fr oui non
        he כן לא
        hi हाँ नहीं
        hu igen nem
        it sì no
        ja はい いいえ
        ko 네 아니요
        nb ja nei
        nl ja nee
        pl tak nie
        pt sim não
        ru да нет
        sv ja nej
        th ใช่ ไม่
        tr evet hayır
        uk так ні
        vi vâng không
        zh 是 不是
    """.strip().splitlines()
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_of_the_package_has_words_of_its_own(language):
    asked = format_offer(["A", "B"], language)
    assert "A" in asked
    assert "B" in asked
    assert "{" not in asked
    assert language == "en" or asked != format_offer(["A", "B"], "en")
    assert language == "en" or format_declined(language) != format_declined("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_of_the_package_knows_yes_and_no(language):
    yes, no = YES_AND_NO[language].split()
    assert parse_answer(f"{yes.capitalize()}!", [language]) is True
    assert parse_answer(no, [language]) is False
    assert parse_answer("Tokyo", [language]) is None


def test_other_languages_are_spoken_to_in_english():
    assert format_offer(["Tokyo"], "ro") == "Still about Tokyo?"
    assert parse_answer("yes", ["ro"]) is True
    assert parse_answer("yes", ["de"]) is None


def test_the_language_of_the_conversation_counts_as_well():
    assert parse_answer("ja", ["en", "de"]) is True


def test_what_is_named_twice_is_said_once():
    assert format_offer(["Tokyo", "Tokyo"], "en") == "Still about Tokyo?"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("oh yes, please!", True),
        ("Of course", True),
        ("👍", True),
        ("no, thank you", False),
        ("nope.", False),
        ("", None),
        ("?", None),
        ("but yes", True),
        ("yes, but", None),
        ("yes, in Oslo", None),
        ("Oslo, yes", None),
        ("yes 5", None),
        ("no, yes", None),
        ("yes or no", None),
        ("not sure", None),
        ("turn right", None),
    ],
)
def test_only_a_whole_sentence_is_an_answer(text, answer):
    assert parse_yes_no(text, "en") is answer


@pytest.mark.parametrize(
    ("language", "leading", "hesitating"),
    [
        ("de", "aber ja", "ja, aber"),
        ("es", "pero sí", "sí, pero"),
        ("fr", "mais oui", "oui, mais"),
        ("it", "ma sì", "sì, ma"),
        ("pt", "mas sim", "sim, mas"),
        ("ru", "ну да", "да ну"),
    ],
)
def test_who_goes_on_with_a_but_has_not_answered(language, leading, hesitating):
    assert parse_yes_no(leading, language) is True
    assert parse_yes_no(hesitating, language) is None


@pytest.mark.parametrize(
    ("text", "value", "name"),
    [
        ("what is the weather like", None, "local weather"),
        ("forecast", None, "forecast"),
        ("the big apple of America", "New York", "New York"),
    ],
)
def test_what_was_said_at_length_is_named_in_short(text, value, name):
    entity = Entity("local_weather", frozenset({"topic"}), text, value=value)
    assert display_name(entity) == name


def test_a_long_text_is_no_yes():
    assert parse_answer("yes " * 10, ["en"]) is True
    assert parse_answer("yes " * 100, ["en"]) is None


def offering(count: int, *, asked: bool = False) -> Conversation:
    """A conversation with offers on the table; ``asked`` has the bot wait for a yes."""
    entities = [Entity("film", frozenset({"film"}), f"film {place}") for place in range(count)]
    pending = PendingQuestion("book", (), (), NOW, confirms=True) if asked else None
    offers = Offers("find", tuple((entity,) for entity in entities), NOW)
    return Conversation("user", "cinema", pending=pending, offers=offers)


@pytest.mark.parametrize("language", sorted(languages_with("replies")))
def test_a_button_says_yes_and_no_in_every_language(language: str):
    yes, no = format_quick_replies(offering(1, asked=True), language)
    assert parse_answer(yes, [language]) is True
    assert parse_answer(no, [language]) is False


@pytest.mark.parametrize("language", sorted(languages_with("cues")))
def test_a_button_accepts_an_offer_by_its_place_in_every_language_with_cues(language: str):
    texts = format_quick_replies(offering(12), language)
    assert len(texts) == 12
    found = [read_phrase(language, text)[0] for text in texts]
    assert found == [[f"ordinal {place}: {text}"] for place, text in enumerate(texts, 1)]


def test_the_only_offer_is_accepted_by_a_yes():
    assert format_quick_replies(offering(1), "ru") == ("да",)


def test_where_nothing_is_offered_there_is_no_button():
    assert format_quick_replies(Conversation("user", "cinema"), "en") == ()


def test_a_language_without_cues_has_no_buttons_for_places():
    assert format_quick_replies(offering(2), "sv") == ()
