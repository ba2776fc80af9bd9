"""What the bundled bots say when they do not understand."""

from __future__ import annotations

import pytest

from anaphora.models.catalog import model_names
from anaphora.models.domain import choose_translation
from tests.bots.dialog import MONDAY, answers, engine

NONSENSE = {
    "en": [
        "sing me a song",
        "tell me a joke",
        "who was the president of France",
    ],
    "ru": ["спой мне песню", "кто написал «Войну и мир»"],
    "fr": ["qui a écrit Hamlet", "chante une chanson"],
    "de": ["wer hat den Faust geschrieben", "sing mir ein Lied"],
}


@pytest.mark.parametrize("name", model_names())
def test_a_helpful_sentence_is_said_in_the_language_of_the_user(name):
    bot = engine(name)
    for language in bot.model().languages:
        examples = choose_translation(bot.model().fallback.examples, language)
        for question in NONSENSE[language]:
            bot.forget()
            reply = bot.ask(question, at=MONDAY, language=language)
            assert (reply.status, reply.text == reply.reason) == ("rejected", False)
            assert all(example in reply.text for example in examples), reply.text


@pytest.mark.parametrize("name", model_names())
def test_what_it_gives_as_an_example_it_understands(name):
    bot = engine(name)
    for language in bot.model().languages:
        examples = choose_translation(bot.model().fallback.examples, language)
        assert 2 <= len(examples) <= 3
        for question in examples:
            bot.forget()
            assert bot.ask(question, at=MONDAY).status == "matched", question


@pytest.mark.parametrize("name", model_names())
def test_all_texts_are_in_all_languages(name):
    model = engine(name).model()
    fallback = model.fallback
    for texts in (fallback.text, fallback.escalation, fallback.examples, *fallback.texts.values()):
        assert set(texts) == ({""} if len(model.languages) == 1 else set(model.languages))


def test_it_says_something_else_if_it_still_does_not_understand():
    first, second, third = answers("weather", "sing", "dance", "jump")
    assert first == second != third
    assert "What's the weather in Tokyo?" in third


def test_half_a_question_is_met_with_another_text_than_nonsense():
    half, nonsense = answers("assistant", "Tokyo", "sing")
    assert half.startswith("Do you mean the weather or a price?")
    assert nonsense.startswith("I only know about the weather")
