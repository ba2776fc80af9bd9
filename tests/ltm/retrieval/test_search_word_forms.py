"""A search finds what was said in other forms of its words, and nothing by other words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from anaphora import ConversationKey, LongTermMemory, UserKey
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.indexing import exchange_terms
from anaphora.ltm.retrieval.search import search
from anaphora.ltm.retrieval.store import NewExchange
from tests.ltm.retrieval.list_store import ListRecallStore

ANN = ConversationKey("ann", "guide")
OF_ANN = UserKey("ann")
BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)


def store_of(*said: tuple[str, str]) -> ListRecallStore:
    """A store in which the texts were said, each after its language."""
    store = ListRecallStore()
    for minute, (language, text) in enumerate(said):
        one = Exchange(text, "", BEGIN + timedelta(minutes=minute), language=language)
        store.add([NewExchange(ANN, one, exchange_terms(one))])
    return store


def found(store: ListRecallStore, text: str, **options) -> list[str]:
    """What has a word of the text in common with it: neighbours have a lower score."""
    page = search(store, OF_ANN, text, **options)
    return [one.exchange.question for one in page.passages]


@pytest.mark.parametrize(
    ("language", "said", "asked"),
    [
        ("en", "My children went to the shop", "child goes"),
        ("en", "I lost two knives", "knife"),
        ("en", "She bought mice", "buys a mouse"),
        ("en", "The leaves are yellow", "leaf"),
        ("en", "He leaves on Monday", "leave"),
        ("en", "Send me an e-mail", "emails"),
        ("en", "We moved to the U.S.A.", "USA"),
        ("en", "The bloggers met vloggers", "vlogger"),
        ("de", "Ich habe die Autos verkauft", "verkaufe Auto"),
        ("de", "Die Häuser sind teuer", "Haus"),
        ("de", "Ich habe einen Flug storniert", "stornieren"),
        ("de", "Das Buero ist zu", "Büros"),
        ("uk", "Ми гуляли біля річки", "річка"),
        ("uk", "Купи п’ять яблук", "п'ять яблуко"),
        ("uk", "Моя сім'я вдома", "сім’ї"),
        ("tr", "Işık açık kaldı", "IŞIK"),
        ("tr", "İstanbul'a gidiyorum", "istanbul"),
        ("tr", "Kitapları okudum", "kitap"),
        ("tr", "Cocuklar uyuyor", "çocuk"),
        ("he", "קניתי ספרים בחנות", "חנות"),
        ("he", "אני עובד במשרד", "למשרד"),
        ("he", "הספר על השולחן", "ספר"),
        ("es", "Compré dos lápices", "lápiz"),
        ("es", "Los jovenes cantan", "joven cantar"),
        ("es", "Envíame las fotos", "enviar foto"),
        ("es", "Fui a Malaga", "Málaga"),
        ("fr", "J'ai vu les chevaux", "cheval"),
        ("pt", "Os hotéis estão cheios", "hotel"),
        ("ru", "Мы купили подарки", "подарок"),
        ("zh", "我去東京", "东京"),
    ],
)
def test_other_word_forms_are_found(language, said, asked):
    store = store_of((language, said))
    assert found(store, asked, language=language) == [said]
    assert found(store, asked) == [said]  # the language is known


@pytest.mark.parametrize(
    ("language", "said", "asked"),
    [
        ("en", "The university is old", "universe"),
        ("en", "I have an organ", "organize"),
        ("de", "Der Messer der Temperatur", "Masse"),
        ("uk", "Я бачу вікно", "вінок"),
        ("tr", "Masal anlattı", "masa"),
        ("tr", "Sıkıldım", "sıkıntı"),
        ("he", "שמעתי שיר", "יר"),
        ("es", "Vendo mi casa", "caso"),
        ("es", "Cierra la puerta", "puerto"),
        ("pt", "Minha avó canta", "avô"),
        ("fr", "Le poisson est frais", "poison"),
    ],
)
def test_another_word_finds_nothing(language, said, asked):
    assert found(store_of((language, said)), asked, language=language) == []


def test_the_same_word_ranks_before_its_alternatives():
    store = store_of(("en", "Fallen leaf"), ("en", "He will leave"), ("en", "Painted leaf"))
    assert found(store, "to leave", size=1) == ["He will leave"]


def test_a_search_reads_its_words_in_every_language_of_the_user():
    store = store_of(
        ("en", "My children like the knives"),
        ("de", "Meine Kinder mögen die Häuser"),
        ("en", "It rained"),
        ("de", "Es hat geregnet"),
    )
    assert found(store, "Haus", size=1) == ["Meine Kinder mögen die Häuser"]
    assert found(store, "knife", size=1) == ["My children like the knives"]
    assert set(found(store, "Haus und knife", size=2)) == {
        "Meine Kinder mögen die Häuser",
        "My children like the knives",
    }


def test_foreign_words_in_a_text_are_found_in_their_forms():
    store = store_of(("de", "Die Meetings und die Downloads dauern"), ("de", "Es regnet"))
    assert found(store, "meeting download", size=1) == ["Die Meetings und die Downloads dauern"]


def test_a_new_exchange_is_found_at_once_and_in_other_forms_soon(tmp_path):
    with LongTermMemory(f"sqlite:///{tmp_path}/memory.db") as memory:
        memory.add(ANN, Exchange("Die Häuser sind teuer", "Ja", BEGIN, language="de"))
        assert memory.recall(OF_ANN, "Häuser", language="xx").passages
        assert memory.flush()
        assert memory.recall(OF_ANN, "teures Haus").passages
