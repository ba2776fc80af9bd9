"""Many questions at once are answered as if each were asked alone, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from textwrap import dedent
from typing import Any

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc

from anaphora import (
    AnaphoraError,
    Conversation,
    ConversationKey,
    Engine,
    HandlerError,
    Question,
    Reply,
    Request,
    UnknownModel,
    User,
    parse_model,
)
from tests.support.weather_models import TOPICS, WEATHER, values

NINE = datetime(2026, 1, 5, 9, tzinfo=UTC)

BILINGUAL = """
    id: bilingual
    language: [en, ru]
    entities: [date]
    elements:
      - {id: weather, groups: [topic], synonyms: {en: [forecast], ru: [погода]}}
      - {id: city, values: {Tokyo: {ru: [Токио]}, Kyoto: []}}
    intents:
      - intent=weather term(topic)~{# == 'weather'} term(city)~{# == 'city'}
        term(date)~{# == 'date'}?
    reset: {en: [forget it], ru: [забудь]}
"""


@Language.component("test_batches_reading")
def reading(doc: Doc) -> Doc:
    """Stands for a component of the user's that cannot read everything."""
    if "unreadable" in doc.text:
        raise ValueError("no sense in it")
    for token in doc:
        token.lemma_ = token.lower_
    return doc


def interrupted(*_: Any) -> None:
    raise KeyboardInterrupt


def with_a_pipeline(text: str, **more: Any) -> Engine:
    nlp = spacy.blank("en")
    nlp.add_pipe("test_batches_reading")
    engine = Engine(parse_model(dedent(text)), nlp=nlp, clock=lambda: NINE, **more)
    _failing_at_kyoto(engine)
    return engine


def of_ours(*texts: str, **more: Any) -> Engine:
    models = (parse_model(dedent(text)) for text in texts)
    engine = Engine(*models, clock=lambda: NINE, **more)
    _failing_at_kyoto(engine)
    return engine


def _failing_at_kyoto(engine: Engine) -> None:
    """The handler knows nothing of Kyoto, and counts in the conversation."""

    @engine.on("weather")
    def weather(city: str, data: dict[str, Any], at: datetime) -> str:
        if city == "Kyoto":
            raise RuntimeError("no weather there")
        data["asked"] = data.get("asked", 0) + 1
        return f"{data['asked']}. {city} at {at:%H:%M}"


ENGINES: dict[str, Callable[[], Engine]] = {
    "one model": lambda: of_ours(WEATHER),
    "two models": lambda: of_ours(WEATHER, TOPICS),
    "two languages": lambda: of_ours(BILINGUAL),
    "a pipeline of the user's": lambda: with_a_pipeline(WEATHER),
    "a pipeline for one of two languages": lambda: with_a_pipeline(BILINGUAL),
    "short questions alone": lambda: with_a_pipeline(WEATHER, max_characters=20),
}

SAID = [
    "What is the weather in Tokyo?",
    "forecast for Kyoto",
    "And in New York tomorrow?",
    "And now?",
    "какая погода в Токио завтра?",
    "Tokyo",
    "how much is a coffee",
    "forget it",
    "unreadable weather",
    "",
]


@cache
def twins(name: str) -> tuple[Engine, Engine]:
    return ENGINES[name](), ENGINES[name]()


def forgotten(engine: Engine) -> dict[ConversationKey, Conversation | None]:
    """All conversations, of which the engine knows nothing any more."""
    store = engine.store
    held = {key: store.peek(key) for key in list(store.keys())}
    for key in held:
        store.forget(key)
    return held


QUESTIONS = st.one_of(
    st.sampled_from(SAID),
    st.builds(
        Question,
        st.sampled_from([*SAID, 7]),
        user=st.sampled_from([None, "ann", User("ben", admin=True)]),
        model=st.sampled_from([None, None, "weather", "both", "unknown"]),
        at=st.one_of(
            st.none(),
            st.integers(0, 20).map(lambda minutes: NINE + timedelta(minutes=minutes)),
        ),
        language=st.sampled_from([None, None, "en", "ru"]),
        request=st.sampled_from([None, Request(time_zone="Asia/Tokyo"), {}]),
        explain=st.sampled_from([None, True]),
    ),
)


def one_by_one(engine: Engine, questions: list[str | Question]) -> list[Reply | str]:
    def ask(question: str | Question) -> Reply:
        if not isinstance(question, Question):
            return engine.ask(question, user="cleo")
        said = {name: getattr(question, name) for name in question.__struct_fields__[1:]}
        given = {name: value for name, value in said.items() if value is not None}
        return engine.ask(question.text, **{"user": "cleo", **given})

    return [_outcome(lambda question=question: ask(question)) for question in questions]


def at_once(engine: Engine, questions: list[str | Question], size: int) -> list[Reply | str]:
    replies = engine.ask_many(questions, user="cleo", batch_size=size)
    outcomes = [_outcome(lambda: next(replies)) for _ in questions]
    assert next(replies, None) is None
    return outcomes


def _outcome(ask: Callable[[], Reply]) -> Reply | str:
    try:
        return ask()
    except (AnaphoraError, TypeError) as error:
        return str(error)


@settings(deadline=None)
@given(
    name=st.sampled_from(list(ENGINES)),
    questions=st.lists(QUESTIONS, max_size=8),
    size=st.integers(1, 4),
)
def test_the_replies_are_those_to_one_question_after_the_other(name, questions, size):
    alone, many = twins(name)
    assert at_once(many, questions, size) == one_by_one(alone, questions)
    assert forgotten(many) == forgotten(alone)


def test_texts_are_questions_of_one_conversation():
    replies = of_ours(WEATHER).ask_many(["weather in Tokyo now", "And in New York?"])
    assert [values(reply).get("city") for reply in replies] == ["Tokyo", "New York"]


def test_a_question_may_be_of_another_user_and_of_another_time():
    engine = of_ours(WEATHER)
    replies = engine.ask_many(
        [
            "weather in Tokyo now",
            Question("tomorrow?", user="ben"),
            Question("tomorrow?"),
            Question("now?", at=NINE + timedelta(hours=1)),
        ],
        user="ann",
        at=NINE,
    )
    assert [reply.status for reply in replies] == ["matched", "rejected", "matched", "rejected"]


class TestLooking:
    """How far ahead the questions are looked at."""

    def test_they_may_be_answers_to_the_replies(self):
        said: list[str] = []

        def questions() -> Iterator[str]:
            yield "What's the weather?"
            while said[-1] == "For which city?":
                yield "Tokyo"

        for reply in of_ours(WEATHER).ask_many(questions()):
            said += [reply.text]
        assert said == ["For which city?", "1. Tokyo at 09:00"]

    def test_a_pipeline_of_the_users_is_given_a_batch(self, monkeypatch):
        nlp = spacy.blank("en")
        batches: list[int] = []
        pipe = nlp.pipe
        monkeypatch.setattr(
            nlp, "pipe", lambda docs, **more: batches.append(len(docs)) or pipe(docs, **more)
        )
        questions = iter(["weather in Tokyo"] * 7)
        replies = Engine(parse_model(dedent(WEATHER)), nlp=nlp).ask_many(questions, batch_size=3)
        next(replies)
        assert len(batches) == 1
        assert sum(1 for _ in replies) == 6
        assert batches == [3, 3, 1]

    @pytest.mark.parametrize(("engine", "left"), [(with_a_pipeline, 3), (of_ours, 4)])
    def test_no_more_questions_are_taken_than_a_batch_needs(self, engine, left):
        questions = iter(["weather in Tokyo"] * 5)
        next(engine(WEATHER).ask_many(questions, batch_size=2))
        assert len(list(questions)) == left

    def test_nothing_is_answered_before_its_reply_is_asked_for(self):
        engine = with_a_pipeline(WEATHER)
        replies = engine.ask_many(["weather in Tokyo", "forget it"])
        assert engine.memory() == ()
        next(replies)
        assert {held.entity.element for held in engine.memory()} == {"weather", "city"}

    def test_each_is_asked_at_the_time_of_its_turn(self, clock):
        nlp = spacy.blank("en")
        engine = Engine(parse_model(dedent(WEATHER)), nlp=nlp, clock=clock)
        replies = engine.ask_many(["weather in Tokyo", "now", "tomorrow", "today"])
        outcomes = []
        for reply in replies:
            outcomes.append(reply.status)
            clock.pass_time(minutes=3 if len(outcomes) < 3 else 6)
        assert outcomes == ["matched", "matched", "matched", "rejected"]

    @pytest.mark.parametrize("first", ["weather in Tokyo", "погода в Tokyo"])
    def test_one_in_any_language_is_in_that_of_the_question_before_it(self, first):
        engine = with_a_pipeline(BILINGUAL)
        replies = engine.ask_many([first, "Tokyo"])
        next(replies)
        language = engine.conversation().language
        next(replies)
        assert engine.conversation().language == language

    def test_a_model_that_was_reloaded_meanwhile_reads_for_itself(self, tmp_path):
        file = tmp_path / "weather.yaml"
        file.write_text(dedent(WEATHER), encoding="utf-8")
        engine = Engine(file, nlp=spacy.blank("en"))
        replies = engine.ask_many(["weather in Tokyo", "weather in Oslo"])
        assert next(replies).status == "matched"
        file.write_text(dedent(WEATHER).replace("Kyoto: []", "Oslo: []"), encoding="utf-8")
        engine.reload()
        assert values(next(replies))["city"] == "Oslo"

    def test_a_user_may_switch_to_another_model_between_two_questions(self):
        engine = of_ours(WEATHER, TOPICS)
        replies = engine.ask_many(["weather in Tokyo", "how much is a coffee"])
        assert next(replies).intent == "weather"
        engine.switch("both")
        assert next(replies).intent == "price"


class TestFailing:
    @pytest.mark.parametrize("engine", [of_ours, with_a_pipeline])
    def test_a_handler_that_fails_is_told_in_its_turn_and_the_next_is_answered(self, engine):
        asked = engine(WEATHER)
        replies = asked.ask_many(["weather in Tokyo", "And in Kyoto?", "And tomorrow?"])
        assert next(replies).text == "1. Tokyo at 09:00"
        before = asked.conversation()
        with pytest.raises(HandlerError, match="no weather there"):
            next(replies)
        assert asked.conversation() == before
        assert next(replies).text == "2. Tokyo at 09:00"
        assert next(replies, None) is None

    def test_a_text_that_cannot_be_read_fails_alone(self):
        replies = with_a_pipeline(WEATHER).ask_many(["weather in Tokyo", "unreadable", "now?"])
        assert next(replies).text == "1. Tokyo at 09:00"
        with pytest.raises(HandlerError, match="no sense in it"):
            next(replies)
        assert next(replies).text == "2. Tokyo at 09:00"

    def test_so_does_one_to_a_model_that_is_not_there(self):
        replies = with_a_pipeline(WEATHER).ask_many([Question("Tokyo", model="wether"), "forecast"])
        with pytest.raises(UnknownModel, match="did you mean 'weather'"):
            next(replies)
        assert next(replies).status == "incomplete"

    @pytest.mark.parametrize("engine", [of_ours, with_a_pipeline])
    def test_questions_that_break_off_are_answered_as_far_as_they_came(self, engine):
        def questions() -> Iterator[str]:
            yield "weather in Tokyo"
            yield "And now?"
            raise OSError("the file ends here")

        replies = engine(WEATHER).ask_many(questions())
        assert [next(replies).status, next(replies).status] == ["matched", "matched"]
        with pytest.raises(OSError, match="the file ends here"):
            next(replies)
        assert next(replies, None) is None

    def test_none_is_lost_when_reading_is_interrupted(self, monkeypatch):
        engine = with_a_pipeline(WEATHER)
        questions = ["weather in Tokyo", "And now?", "weather in Tokyo"]
        replies = engine.ask_many(questions, batch_size=2)
        bot = engine._bots.get("weather")
        monkeypatch.setattr(bot, "prefetch", interrupted)
        with pytest.raises(KeyboardInterrupt):
            next(replies)
        monkeypatch.undo()
        assert [reply.status for reply in replies] == ["matched"] * 3

    def test_a_store_that_is_closed_fails_in_the_turn_of_the_question(self, tmp_path):
        engine = of_ours(WEATHER, store=f"sqlite:///{tmp_path}/bot.db")
        replies = engine.ask_many(["weather in Tokyo", "And now?"])
        next(replies)
        engine.close()
        with pytest.raises(AnaphoraError):
            next(replies)

    def test_what_cannot_be_meant_is_told_at_once(self):
        engine = of_ours(WEATHER)
        with pytest.raises(TypeError, match="write ask"):
            engine.ask_many("weather in Tokyo")
        with pytest.raises(ValueError, match="at least one question, not 0"):
            engine.ask_many(["weather in Tokyo"], batch_size=0)
