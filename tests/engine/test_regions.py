"""The region of a model's language: how its dates are read and its answers are written."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anaphora import Engine, ModelError, load_model, parse_model
from anaphora.storage.cache import Cache

BOT = """
    id: shop
    language: {language}
    entities: [date, money]
    elements:
      - {{id: book, synonyms: [book, réserve]}}
    intents:
      - intent=book term(book)={{# == 'book'}}? term(day)={{# == 'date'}}?
        term(price)={{# == 'money'}}?
    responses: {{book: "{{{{ day | date }}}}, {{{{ price | money }}}}"}}
    """


@pytest.mark.parametrize(
    ("language", "question", "answer"),
    [
        ("en", "book 3/4/2027 for 20 dollars", "March 4, 2027, $20.00"),
        ("en-US", "book 3/4/2027 for 20 dollars", "March 4, 2027, $20.00"),
        ("en-GB", "book 3/4/2027 for 20 dollars", "3 April 2027, US$20.00"),
        ("fr-DZ", "réserve 3/4/2027 pour 20 dinars", "3 avril 2027, 20,00\N{NO-BREAK SPACE}DA"),
        ("[fr-DZ, en-GB]", "book 3/4/2027 for 20 dollars", "3 April 2027, US$20.00"),
    ],
)
def test_dates_and_amounts_are_those_of_the_region(
    bot: Callable[..., Engine], language: str, question: str, answer: str
) -> None:
    assert bot(BOT.format(language=language)).ask(question).text == answer


def test_a_question_may_name_the_region_too(bot: Callable[..., Engine]) -> None:
    engine = bot(BOT.format(language="en-GB"))
    assert engine.ask("book 3/4/2027", language="en-GB").text == "3 April 2027, "
    assert engine.ask("book 3/4/2027", language="en").text == "3 April 2027, "
    with pytest.raises(ModelError, match="does not know the language 'de-AT'"):
        engine.ask("book 3/4/2027", language="de-AT")


def test_the_region_is_kept_in_the_cache(tmp_path) -> None:
    file = tmp_path / "shop.yaml"
    file.write_text(BOT.format(language="en-GB").replace("\n    ", "\n"), encoding="utf-8")
    models = [load_model(file, cache=Cache(tmp_path / "cache")) for _ in range(2)]
    assert models[0] == models[1]
    assert models[1].locale_of("en") == "en-GB"
    assert models[1].languages == ("en",)


@pytest.mark.parametrize(
    ("language", "hint"),
    [
        ("en-gb", "did you mean en-GB?"),
        ("EN-GB", "did you mean en-GB?"),
        ("english", "write it as en, fr or ru, or with a region: en-GB"),
        ("en-", "write it as en, fr or ru, or with a region: en-GB"),
    ],
)
def test_another_spelling_is_corrected(language: str, hint: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_model(f"id: shop\nlanguage: {language}\nelements: []\nintents: []\n")
    assert caught.value.problems[0].hint == hint


def test_a_language_has_one_region() -> None:
    with pytest.raises(ModelError, match="duplicate language 'en'"):
        parse_model("id: shop\nlanguage: [en-GB, en-US]\nelements: []\nintents: []\n")
