"""Spelling that people use: apostrophes and hyphens left out, negated verbs in other forms."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants.search import find_variants
from tests.entities.helpers.model_builders import element, model
from tests.support.examples import examples


def found(text: str, *elements, language: str = "en") -> list[tuple[str, str, bool]]:
    pipeline = Pipeline(model(*elements, languages=(language,)))
    (best, *_) = find_variants(pipeline(text))
    return [(str(one), one.text, one.exact) for one in best.entities]


# Apostrophes

BROKEN = element("broken", "doesn't work", "won't start", "isn't working", "can't open")


@pytest.mark.parametrize("text", ["doesn't work", "won’t start", "isn`t working", "can´t open"])
def test_any_sign_that_people_type_for_an_apostrophe_is_one(text: str) -> None:
    assert found(text, BROKEN) == [("broken", text, True)]  # shown as it was typed


@pytest.mark.parametrize("text", ["doesnt work", "wont start", "isnt working", "cant open"])
def test_an_apostrophe_may_be_left_out_of_a_negated_verb(text: str) -> None:
    assert found(text, BROKEN) == [("broken", text, False)]


@pytest.mark.parametrize(
    "text",
    [
        "don't work", "didn't work", "dont work", "does not work", "will not start",
        "aren't working", "wasn't working", "ain't working", "cannot open", "can not open",
    ],
)  # fmt: skip
def test_a_negated_verb_is_meant_in_any_of_its_forms(text: str) -> None:
    assert found(text, BROKEN) == [("broken", text, False)]


@pytest.mark.parametrize("text", ["does work", "is working", "would not start", "can open"])
def test_another_verb_or_one_without_negation_is_no_variant(text: str) -> None:
    assert found(text, BROKEN) == []


def test_a_phrase_without_the_apostrophe_stands_for_the_one_with_it() -> None:
    element_ = element("greeting", "whats up", "im lost")
    assert found("what's up", element_) == [("greeting", "what's up", False)]
    assert found("I'm lost", element_) == [("greeting", "I'm lost", False)]


def test_a_word_that_another_one_is_without_its_apostrophe_stays_that_one() -> None:
    assert found("its late", element("it", "it's")) == []
    assert found("size M", element("me", "I'm")) == []
    assert found("I'm here", element("size", values={"M": ["m"]})) == []


@pytest.mark.parametrize(
    ("language", "phrase", "text"),
    [
        ("fr", "qu'est-ce que c'est", "quest-ce que cest"),
        ("fr", "qu'est-ce que c'est", "quest ce que cest"),
        ("fr", "qu'est-ce que c'est", "qu'est ce que c'est"),
        ("fr", "j'ai faim", "jai faim"),
        ("it", "dov'è l'auto", "dovè lauto"),
        ("ca", "l'hora", "lhora"),
        ("uk", "п'ятниця", "пятниця"),
        ("uk", "п'ятниця", "пʼятниця"),
        ("tr", "İstanbul'da", "İstanbulda"),
    ],
)
def test_apostrophes_may_be_left_out_in_every_language(
    language: str, phrase: str, text: str
) -> None:
    assert [name for name, *_ in found(text, element("it", phrase), language=language)] == ["it"]


# Hyphens


@pytest.mark.parametrize("phrase", ["e-mail", "e mail", "email"])
@pytest.mark.parametrize("text", ["e-mail", "e mail", "email", "E-Mail", "Email", "EMAIL"])
@pytest.mark.parametrize("language", ["en", "de", "fr", "ru", "es", "pl", "sv"])
def test_email_is_written_in_three_ways(phrase: str, text: str, language: str) -> None:
    assert [name for name, *_ in found(text, element("mail", phrase), language=language)] == [
        "mail"
    ]


@pytest.mark.parametrize("phrase", ["check-in", "check in"])
@pytest.mark.parametrize("text", ["check-in", "check in", "checkin", "check-ins"])
def test_verbs_and_their_particles_are_written_in_three_ways(phrase: str, text: str) -> None:
    assert [name for name, *_ in found(text, element("check", phrase))] == ["check"]


_LETTERS = st.text("abdgklmoprstuz", min_size=3, max_size=6)


@settings(max_examples=examples(40))
@given(_LETTERS, _LETTERS, st.sampled_from(["en", "de", "ru", "fr"]))
def test_a_compound_with_a_hyphen_is_the_same_with_a_blank_and_as_one_word(
    first: str, second: str, language: str
) -> None:
    pipeline = Pipeline(model(element("it", f"{first}-{second}"), languages=(language,)))
    for text in (f"{first}-{second}", f"{first} {second}", f"{first}{second}"):
        assert [one.element for one in pipeline(text).entities] == ["it"], text


@settings(max_examples=examples(40))
@given(_LETTERS, _LETTERS, st.sampled_from(["en", "de", "ru", "fr"]))
def test_a_compound_that_is_one_word_may_be_written_with_a_hyphen(
    first: str, second: str, language: str
) -> None:
    pipeline = Pipeline(model(element("it", first + second), languages=(language,)))
    assert [one.element for one in pipeline(f"{first}-{second}").entities] == ["it"]


def test_exact_spelling_takes_precedence_over_a_variant() -> None:
    elements = [
        element("hyphen", "e-mail", groups=["mail"]),
        element("joined", "email", groups=["mail"]),
    ]
    assert found("e-mail", *elements) == [("hyphen", "e-mail", True)]
    assert found("email", *elements) == [("joined", "email", True)]
    verbs = [element("one", "don't work"), element("many", "doesn't work")]
    assert found("don't work", *verbs) == [("one", "don't work", True)]
    assert found("doesn't work", *reversed(verbs)) == [("many", "doesn't work", True)]


def test_a_variant_takes_part_in_sparse_phrases() -> None:
    mail = element("send", "send e-mail", sparse=True)
    assert [name for name, *_ in found("send this email", mail)] == ["send"]
    assert [name for name, *_ in found("e-mail", element("send", "send email", sparse=True))] == []


def test_long_chains_of_hyphens_are_read_in_time() -> None:
    text = "-".join(["ab"] * 3_000)
    assert found(text, element("it", "abab"))[0][0] == "it"


# What people leave out or put in


@pytest.mark.parametrize(
    ("language", "synonym", "text"),
    [
        ("fr", "hôtel", "lhotel"),
        ("fr", "ordinateur", "dordinateur"),
        ("fr", "école", "lécole"),
        ("it", "albergo", "dellalbergo"),
        ("it", "amica", "unamica"),
        ("ca", "hotel", "lhotel"),
        ("fr", "l'entrée", "lentree"),
        ("fr", "j'ai faim", "j ai faim"),
        ("en", "can't reach", "can t reach"),
        ("en", "doesn't open", "does'nt open"),
        ("en", "kids' room", "kids room"),
        ("en", "kids' room", "kid's room"),
        ("de", "wie geht's", "wie geht’s"),
        ("nl", "foto", "foto’s"),
        ("nl", "fotos", "foto's"),
        ("nl", "'s avonds", "s avonds"),
        ("uk", "пять", "п'ять"),
        ("uk", "ім'я", "імя"),
        ("uk", "комп'ютер", 'комп"ютер'),
        ("tr", "Türkiye", "Türkiye'nin"),
        ("sv", "tv", "tv:n"),
        ("ca", "col·legi", "collegi"),
    ],
)
def test_an_apostrophe_is_left_out_or_put_in(language: str, synonym: str, text: str) -> None:
    assert [name for name, *_ in found(text, element("it", synonym), language=language)] == ["it"]


@pytest.mark.parametrize(
    ("language", "synonym", "text"),
    [
        ("en", "we'll", "well done"),
        ("en", "she'll", "a shell"),
        ("en", "well", "we'll see"),
        ("en", "hell", "he'll see"),
        ("en", "id", "I'd go"),
        ("en", "it", "its colour"),
        ("fr", "avant", "le savant"),
        ("fr", "une", "la lune"),
        ("fr", "ait", "du lait"),
        ("it", "una", "la luna"),
        ("it", "atte", "il latte"),
    ],
)
def test_another_word_is_no_word_without_its_apostrophe(
    language: str, synonym: str, text: str
) -> None:
    assert found(text, element("it", synonym), language=language) == []


@pytest.mark.parametrize(
    ("language", "synonym", "text"),
    [
        ("en", "wifi", "wi fi"),
        ("en", "t shirt", "tshirt"),
        ("en", "tshirt", "t shirt"),
        ("en", "signup", "sign up"),
        ("en", "checkin", "check in"),
        ("en", "takeaway", "take away"),
        ("en", "take away", "takeaway"),
        ("en", "ice cream", "icecreams"),
        ("en", "livingroom", "living room"),
        ("en", "weekend", "week end"),
        ("de", "Kaffeemaschine", "Kaffee Maschine"),
        ("de", "U-Bahn", "ubahn"),
        ("sv", "kaffemaskin", "kaffe maskin"),
        ("fr", "sèche-linge", "sechelinge"),
    ],
)
def test_a_compound_is_one_word_or_two(language: str, synonym: str, text: str) -> None:
    assert [name for name, *_ in found(text, element("it", synonym), language=language)] == ["it"]


@pytest.mark.parametrize(("synonym", "text"), [("cabin", "a cab in town"), ("office", "off ice")])
def test_two_words_are_no_compound_by_chance(synonym: str, text: str) -> None:
    assert found(text, element("it", synonym)) == []


@pytest.mark.parametrize(
    ("language", "synonym", "text"),
    [
        ("en", "Ph.D.", "PhD"),
        ("en", "PhD", "Ph.D."),
        ("en", "U.S.A.", "U.S.A"),
        ("es", "EE. UU.", "EEUU"),
        ("es", "EE. UU.", "EE UU"),
        ("es", "EEUU", "EE. UU."),
        ("de", "z. B.", "z.B."),
    ],
)
def test_the_periods_of_an_abbreviation_are_left_out(
    language: str, synonym: str, text: str
) -> None:
    assert [name for name, *_ in found(text, element("it", synonym), language=language)] == ["it"]


@pytest.mark.parametrize(
    "text",
    [
        "coffee+tea", "coffee/tea", "coffee&tea", "coffee=tea", "coffee->tea", "coffee>tea",
        "coffee*tea", "coffee(tea)", 'coffee"tea"', "coffee…tea", "coffee☕tea", "coffee—tea",
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", ["en", "de", "fr", "pl", "tr"])
def test_signs_join_two_words(text: str, language: str) -> None:
    drinks = element("coffee", "coffee"), element("tea", "tea")
    assert [name for name, *_ in found(text, *drinks, language=language)] == ["coffee", "tea"]


@pytest.mark.parametrize(
    "text",
    [
        "2coffees", "2×coffee", "1)coffee", "coffee(2)", "coffee:2", "coffee=2", "coffee!!1",
        "~coffee~", "•coffee", "/coffee", "coffee/", "coffee|", "coffee+", "coffee<3", "coffee☕",
        "c\u00adoffee", "cof\u200bfee", "coffee\u00a0please", "ｃｏｆｆｅｅ",
    ],
)  # fmt: skip
def test_signs_stand_at_a_word_without_a_blank(text: str) -> None:
    assert [name for name, *_ in found(text, element("coffee", "coffee"))] == ["coffee"]


@pytest.mark.parametrize(
    "text",
    [
        "/home/tea/x", "C:\\tea\\x", "~/tea/x", "http://x.org/tea/x", "tea@x.org", "www.tea.org",
        "steam", "R&D",
    ],
)  # fmt: skip
def test_paths_and_addresses_stay_whole(text: str) -> None:
    assert found(text, element("tea", "tea"), element("d", "d")) == []


@pytest.mark.parametrize(
    "text", ["C++", "C#", "5kg", "3pm", "AC/DC", "24/7", "12/24", "and/or", "R&B", "x+y"]
)
def test_words_with_signs_are_found_as_they_are(text: str) -> None:
    assert found(f"we like {text} most", element("it", text), element("c", "C")) == [
        ("it", text, True)
    ]
