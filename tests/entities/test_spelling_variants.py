"""Spelling that people use: apostrophes and hyphens left out, negated verbs in other forms."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants import variants

from .models import element, model


def found(text: str, *elements, language: str = "en") -> list[tuple[str, str, bool]]:
    pipeline = Pipeline(model(*elements, languages=(language,)))
    (best, *_) = variants(pipeline(text))
    return [(str(one), one.text, one.exact) for one in best.entities]


# Apostrophes

BROKEN = element("broken", "doesn't work", "won't start", "isn't working", "can't open")


@pytest.mark.parametrize("text", ["doesn't work", "won’t start", "isn`t working", "can´t open"])
def test_any_sign_that_people_type_for_an_apostrophe_is_one(text: str) -> None:
    assert found(text, BROKEN) == [("broken", text.replace("`", "'").replace("´", "'"), True)]


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
def test_what_is_not_negated_or_has_another_verb_is_not_meant(text: str) -> None:
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


@settings(max_examples=40)
@given(_LETTERS, _LETTERS, st.sampled_from(["en", "de", "ru", "fr"]))
def test_a_compound_with_a_hyphen_is_the_same_with_a_blank_and_as_one_word(
    first: str, second: str, language: str
) -> None:
    pipeline = Pipeline(model(element("it", f"{first}-{second}"), languages=(language,)))
    for text in (f"{first}-{second}", f"{first} {second}", f"{first}{second}"):
        assert [one.element for one in pipeline(text).entities] == ["it"], text


@settings(max_examples=40)
@given(_LETTERS, _LETTERS, st.sampled_from(["en", "de", "ru", "fr"]))
def test_a_compound_that_is_one_word_may_be_written_with_a_hyphen(
    first: str, second: str, language: str
) -> None:
    pipeline = Pipeline(model(element("it", first + second), languages=(language,)))
    assert [one.element for one in pipeline(f"{first}-{second}").entities] == ["it"]


def test_exact_spelling_goes_before_a_variant() -> None:
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
