"""What do built-in entities cost per utterance: none, each alone, all, and dateparser's search?

All utterances are distinct, so that no cache of whole texts helps; the time of the question
advances by a second each.
"""

from datetime import UTC, datetime, timedelta
from itertools import count, cycle, product

import pytest
from dateparser.search import search_dates

from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer
from anaphora.entities.pipeline import Pipeline
from anaphora.models.loader import parse_model

AT = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)

SAID = {
    "en": (
        ["What's the {} like in {} {}?", "and the {} of {} {}", "show me {} for {} {}, please"],
        ["weather", "traffic", "price", "news", "mood", "music", "coffee", "view"],
        ["Tokyo", "Nizhny Novgorod", "the old town", "New York", "my office", "Rio de Janeiro"],
        ["tomorrow at 5pm", "next Friday", "over the last 3 days", "again", "from May 1 to June 3"],
    ),
    "ru": (
        ["Какая {} в {} {}?", "а {} для {} {}", "покажи, какая {} на {} {}"],
        ["погода", "цена", "музыка", "очередь", "статистика", "карта", "книга", "дорога"],
        ["Токио", "Нижнем Новгороде", "старом городе", "Париже", "офисе", "Самаре"],
        ["завтра в 17:00", "в следующую пятницу", "за 3 дня", "опять", "с 1 мая по 3 июня"],
    ),
}

ENTITIES = {
    "none": [],
    "date": ["date"],
    "number": ["number"],
    "place": ["place"],
    "date, number and place": ["date", "number", "place"],
}


def utterances(language):
    patterns, things, places, times = SAID[language]
    rows = product(things, places, patterns, times)
    return [pattern.format(thing, place, time) for thing, place, pattern, time in rows]


def pipeline(language, entities):
    listed = ", ".join(entities)
    return Pipeline(
        parse_model(
            f"id: bench\nlanguage: {language}\nentities: [{listed}]\n"
            "elements: [{id: topic, synonyms: [weather, погода]}]\n"
            "intents: [\"intent=topic term(topic)~{# == 'topic'}\"]\n"
        )
    )


@pytest.mark.parametrize("entities", ENTITIES)
@pytest.mark.parametrize("language", SAID)
def test_read_an_utterance(benchmark, language, entities):
    read = pipeline(language, ENTITIES[entities])
    said, seconds = cycle(utterances(language)), count()
    for text in utterances(language):  # the words of every day are known
        read(text, at=AT)
    benchmark(lambda: read(next(said), at=AT + timedelta(seconds=next(seconds))))


@pytest.mark.parametrize("language", SAID)
def test_find_the_dates_of_an_utterance(benchmark, language):
    """Recognizing dates only, for the comparison with dateparser's search."""
    recognize = DateRecognizer(get_date_parser(language))
    said, seconds = cycle(utterances(language)), count()
    for text in utterances(language):
        recognize.read(text, AT)
    benchmark(lambda: recognize.read(next(said), AT + timedelta(seconds=next(seconds))))


@pytest.mark.parametrize("language", SAID)
def test_search_an_utterance_with_dateparser(benchmark, language):
    said = cycle(utterances(language))
    settings = {"RELATIVE_BASE": AT.replace(tzinfo=None)}
    search_dates(next(said), [language], settings)
    benchmark(lambda: search_dates(next(said), [language], settings))


@pytest.mark.parametrize("language", SAID)
def test_search_an_utterance_with_dateparser_that_finds_the_language(benchmark, language):
    said = cycle(utterances(language)[:50])
    search_dates(next(said))
    benchmark.pedantic(lambda: search_dates(next(said)), rounds=50)
