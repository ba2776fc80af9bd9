"""How many utterances per second are searched for dates, compared with dateparser's search?"""

from datetime import UTC, datetime, timedelta

import pytest
from dateparser.search import search_dates

from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer
from anaphora.entities.tokens.tokenizers import blank

AT = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)
UTTERANCES = {
    "en": [
        "What's the weather in Tokyo tomorrow?",
        "And in Kyoto next Friday?",
        "show me the sales of the last 3 days in Berlin",
        "wake me up at half past six tomorrow morning",
        "is there a table for two from May 1 to June 3",
        "how much is the big one",
        "what can you do for me",
        "book it for December 24, 2026 at 5pm please",
    ],
    "ru": [
        "Какая погода в Токио завтра?",
        "А в Киото в следующую пятницу?",
        "покажи продажи за последние 3 дня в Берлине",
        "разбуди меня завтра в половине седьмого утра",
        "есть ли столик на двоих с 1 мая по 3 июня",
        "сколько стоит большой",
        "что ты умеешь",
        "забронируй на 24 декабря 2026 года в 17:00",
    ],
}

WITHOUT = {
    "en": [
        "how much is the big one over there",
        "what can you do for me",
        "I would like a large pizza with cheese",
        "it is raining in the old town of Berlin",
    ],
    "ru": [
        "сколько стоит большой красный мяч",
        "что ты умеешь делать для меня",
        "я хочу большую пиццу с сыром и грибами",
        "в старом городе опять идёт дождь",
    ],
}


@pytest.mark.parametrize("language", UTTERANCES)
def test_dates_by_anaphora(benchmark, language):
    """The same utterances repeatedly, while the time goes on, as in a service."""
    nlp = blank(language)
    docs = [nlp(text) for text in UTTERANCES[language]]
    recognize = DateRecognizer(get_date_parser(language))
    times = iter(range(10**9))

    def run():
        at = AT + timedelta(seconds=next(times))
        return [list(recognize(doc, at)) for doc in docs]

    found = benchmark(run)
    assert sum(map(len, found)) >= 6


@pytest.mark.parametrize("language", UTTERANCES)
def test_dates_by_anaphora_never_seen_before(benchmark, language):
    nlp = blank(language)
    docs = [nlp(text) for text in UTTERANCES[language]]
    recognize = DateRecognizer(get_date_parser(language))
    recognize(docs[0], AT)
    fresh = get_date_parser.__wrapped__

    def setup():
        return (DateRecognizer(fresh(language)),), {}

    benchmark.pedantic(lambda one: [list(one(doc, AT)) for doc in docs], setup=setup, rounds=50)


@pytest.mark.parametrize("language", WITHOUT)
def test_utterances_without_dates(benchmark, language):
    nlp = blank(language)
    docs = [nlp(text) for text in WITHOUT[language]]
    recognize = DateRecognizer(get_date_parser(language))
    assert not any(benchmark(lambda: [list(recognize(doc, AT)) for doc in docs]))


@pytest.mark.parametrize("language", UTTERANCES)
def test_dates_by_the_search_of_dateparser(benchmark, language):
    texts = UTTERANCES[language]
    search_dates(texts[0], languages=[language])
    settings = {"RELATIVE_BASE": AT.replace(tzinfo=None)}
    benchmark(lambda: [search_dates(text, [language], settings) for text in texts])
