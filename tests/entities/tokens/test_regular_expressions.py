"""Regular expressions in synonyms match characters, wherever a tokenizer splits them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.entities.pipeline import Pipeline
from anaphora.grammar.patterns import Pattern
from anaphora.models.domain import Element
from tests.entities.helpers.model_builders import element, model, pattern
from tests.support.examples import examples
from tests.support.line_counter import count_lines


def found(text: str, *elements: Element, language: str = "en") -> list[str]:
    utterance = Pipeline(model(*elements, languages=(language,)))(text)
    return [entity.text for entity in utterance.entities]


def amount(expression: str, **more) -> Element:
    return element("amount", pattern(expression), **more)


@pytest.mark.parametrize("language", ["en", "de", "fr", "ru", "ar", "he", "hi", "zh", "ja"])
@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("[0-9]+%", "50%"),
        (r"\$[0-9]+", "$500"),
        ("[0-9]+kg", "75kg"),
        ("[0-9]+(am|pm)", "10pm"),
        ("[0-9]+:[0-9]+(am|pm)", "10:30pm"),
        ("[0-9]+-[0-9]+", "12-34"),
        ("[A-Z]{2}[0-9]{2} ?[0-9]+", "DE8937040044"),
        (r"[\w.]+/[\w.]+#[0-9]+", "acme/bot.py#17"),
        (r"\+?[0-9()-]{7,}", "+49(30)123-456"),
        ("#[0-9a-f]{6}", "#00ff7f"),
    ],
)
def test_a_match_between_spaces_is_found_in_every_language(expression, text, language):
    assert found(f"x {text} y", amount(expression), language=language) == [text]
    assert found(f"{text}", amount(expression), language=language) == [text]


@pytest.mark.parametrize("text", ["raise it by 50%.", "is it 50%?", "(50%)", '"50%", she said'])
def test_punctuation_beside_a_match_is_no_part_of_it(text):
    assert found(text, amount("[0-9]+%")) == ["50%"]


EVERY_LANGUAGE = (
    *("af", "am", "ar", "az", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu"),
    *("fa", "fi", "fr", "ga", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ko", "lt"),
    *("lv", "mk", "nb", "nl", "nn", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "ta"),
    *("th", "tr", "uk", "ur", "vi", "xx", "zh"),
)


@pytest.mark.parametrize("language", EVERY_LANGUAGE)
def test_the_period_of_a_sentence_is_no_part_of_a_match_in_any_language(language):
    number = element("number", pattern("[A-Z]{2}-[0-9]{3}-[0-9]{3}"))
    amount = element("amount", pattern(r"\$[0-9]+"), pattern("[0-9]+%"), pattern("[0-9]+"))
    read = Pipeline(model(number, amount, languages=(language,)))
    for text in ("AB-123-456", "$500", "50%", "5", "31", "456"):
        for mark in (".", "!", "?", ""):
            first = max(read(f"x {text}{mark}").entities, key=lambda one: one.end - one.start)
            assert (first.text, first.start, first.end) == (text, 2, 2 + len(text)), text + mark


@pytest.mark.parametrize("language", ["ar", "fa", "am", "bn", "de", "en"])
@pytest.mark.parametrize("text", ["75kg", "coffee", "ABC"])
def test_nor_is_it_behind_letters(language, text):
    thing = element("thing", ("coffee",), ("ABC",), pattern("[0-9]+kg"))
    assert found(f"x {text}.", thing, language=language) == [text]


@pytest.mark.parametrize("language", ["de", "nb", "da", "fi", "hu", "tr", "el"])
def test_an_ordinal_is_found_as_it_is_written(language):
    seat = element("seat", ("1.", "x"), pattern(r"[0-9]+\."))
    assert found("1. x", seat, language=language)[0] == "1. x"
    assert found("a 2. x", seat, language=language) == ["2."]


def test_a_pattern_of_anything_leaves_the_punctuation_behind_a_word():
    call = element("call", ("call", Pattern(r"\S+")))
    assert found("call Ann.", call) == ["call Ann"]
    assert found("call the 5%!", element("call", ("the", Pattern(r"\S+")))) == ["the 5%"]
    assert found("number 5.", amount(r"[0-9]+\.")) == ["5."]


def test_a_run_ends_at_whitespace():
    assert found("10 pm", amount("[0-9]+(am|pm)")) == []
    assert found("10  kg", amount(r"[0-9]+\s*kg")) == []
    assert found("10\tkg", amount(r"[0-9]+\s*kg")) == []


def test_a_part_of_a_word_of_the_tokenizer_is_no_match():
    assert found("room 1234", amount("[0-9]{1,3}")) == []
    assert found("10:30pm", amount("[0-9]+:[0-9]+")) == []


def test_the_words_of_the_phrase_go_before_the_longest_run():
    at = element("at", ("at", Pattern(r"\w+"), "pm"))
    assert found("at 10pm", at) == ["at 10pm"]
    assert found("at 10 pm", at) == ["at 10 pm"]


def test_case_and_width_count_as_with_words():
    assert found("75KG", amount("[0-9]+kg")) == ["75KG"]
    assert found("７５ｋｇ", amount("[0-9]+kg")) == ["７５ｋｇ"]
    assert found("75kg", amount("[0-9]+KG")) == []


def test_assertions_hold_at_the_edges_of_the_run():
    for expression in (r"^[0-9]+$", r"\b[0-9]+\b", r"\A[0-9]+\z"):
        assert found("10pm", amount(expression)) == ["10"]
    assert found("10pm", amount(r"^\b[0-9]+pm\b$")) == ["10pm"]


def test_in_sparse_and_permuted_phrases():
    dim = element("dim", ("dim", Pattern("[0-9]+%")), sparse=True)
    (entity,) = Pipeline(model(dim))("dim the lamp to 50% now").entities
    assert (entity.text, entity.gaps) == ("dim 50 %", 3)
    dim = element("dim", ("dim", Pattern("[0-9]+%")), sparse=True, permute=True)
    assert found("to 50% I want it dim", dim) == ["50 % dim"]
    pay = element("pay", ("pay", Pattern(r"[0-9]\w*"), "pm"), sparse=True)
    assert found("pay me 10pm", pay) == ["pay 10 pm"]


def test_as_the_value_of_an_element():
    size = element("size", values={"metric": [pattern("[0-9]+cm")], "other": ["inch"]})
    (entity,) = Pipeline(model(size))("15cm wide").entities
    assert (entity.value, entity.text, entity.start, entity.end) == ("metric", "15cm", 0, 4)


TOKEN = st.text("ab1%-.:/$", min_size=1, max_size=3)
EXPRESSIONS = st.recursive(
    st.one_of(TOKEN.map(re.escape), st.sampled_from(["[0-9]", "[a-z]", "[%$]", r"\w", "[.:-]"])),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        inner.map(lambda one: f"(?:{one})?"),
        inner.map(lambda one: f"(?:{one}){{1,3}}"),
    ),
    max_leaves=6,
)


@settings(max_examples=examples(150), deadline=None)
@given(st.data(), st.sampled_from(["en", "de", "ja", "zh"]))
def test_whatever_matches_between_spaces_is_found(data, language):
    expression = data.draw(EXPRESSIONS)
    text = data.draw(st.from_regex(expression, fullmatch=True, alphabet="ab15%-.:/$"))
    if not 0 < len(text) <= 60:
        return
    pipeline = Pipeline(model(amount(expression), languages=(language,)))
    places = [(one.start, one.end) for one in pipeline(f"x {text} y").entities]
    covered = {at for start, end in places for at in range(start, end)}
    # A shorter match inside may leave out closing punctuation, nothing else.
    left = [text[at - 2] for at in range(2, 2 + len(text)) if at not in covered]
    assert places
    assert set(left) <= set(".:")


@pytest.mark.parametrize("expression", [r"\w+", ".+", "[0-9]+%", "(a|b)*c$", "x{64}"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_work_is_linear_in_the_text(expression, language):
    pipeline = Pipeline(model(amount(expression), languages=(language,)))
    pipeline("a")

    def work(text: str) -> int:
        return count_lines(lambda: pipeline(text))[0]

    assert work("a1%b,c" * 160) < 3 * work("a1%b,c" * 80)
