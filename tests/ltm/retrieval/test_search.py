"""Searching what was said: by words, by meaning, by both."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.errors import AnaphoraError
from anaphora.ltm.dates.mentions import add_dates
from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.indexing import exchange_terms
from anaphora.ltm.retrieval.search import Page, rank, search
from anaphora.ltm.retrieval.store import NewExchange, SearchFilter, UserKey
from anaphora.ltm.retrieval.terms import extract_terms
from anaphora.ltm.retrieval.token_vectors import pack_tokens
from anaphora.stm.conversation import ConversationKey
from tests.ltm.retrieval.list_store import ListRecallStore
from tests.support.examples import examples

ANN, BEN, ANN_ELSEWHERE = (
    ConversationKey("ann", "guide"),
    ConversationKey("ben", "guide"),
    ConversationKey("ann", "guide", "acme"),
)
ANN_HOTELS = ConversationKey("ann", "hotels")
OF_ANN = UserKey("ann")
BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)
FILLER = (
    "How are you today?",
    "The bus was late again.",
    "Did you watch the match?",
    "My sister sends her love.",
    "Lunch was quite good.",
)
SAME = ({"car", "automobile"}, {"doctor", "physician"}, {"child", "kid", "toddler"})


class Synonyms:
    """Texts are the nearer, the more of their words mean the same."""

    name, dimension = "synonyms", 512

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = [self._vector(text) for text in texts]
        return np.array(vectors, np.float32).reshape(-1, self.dimension)

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros(self.dimension, np.float32)
        for term in extract_terms(text):
            meant = min(next((same for same in SAME if term in same), {term}))
            vector[sum(meant.encode()) * 31 % self.dimension] += 1
        return vector / max(float(np.linalg.norm(vector)), 1e-9)


def told(
    *texts: str, key: ConversationKey = ANN, store: ListRecallStore | None = None, **more
) -> ListRecallStore:
    """A store in which the texts were said, a minute after another, with their vectors."""
    store = store or ListRecallStore()
    first = len(store.kept)
    said = [
        Exchange(text, "", BEGIN + timedelta(minutes=first + minute), **more)
        for minute, text in enumerate(texts)
    ]
    store.add([NewExchange(key, one, exchange_terms(one)) for one in said])
    ids = [one.id for one in store.kept[first:]]
    store.put_vectors(Synonyms.name, ids, Synonyms().embed(texts))
    return store


def questions(page: Page) -> list[str]:
    return [one.exchange.question for one in page.passages]


HOWS = ("text", "meaning", "hybrid", "rrf")


@pytest.mark.parametrize("mode", HOWS)
def test_exchanges_with_the_words_come_first(mode):
    store = told(*FILLER, "I adopted a tabby kitten in Lisbon.", *FILLER)
    page = search(store, OF_ANN, "tabby kitten Lisbon", mode=mode, embedder=Synonyms())
    assert questions(page)[0] == "I adopted a tabby kitten in Lisbon."
    scores = [one.score for one in page.passages]
    assert scores == sorted(scores, reverse=True)


def test_an_exchange_with_the_word_comes_before_its_neighbours():
    long = "Well, there is so much to be told of that long journey and of all who came along."
    store = told(*FILLER, long, "Porto!", long, *FILLER)
    assert questions(search(store, OF_ANN, "porto"))[0] == "Porto!"


def test_the_words_of_neighbours_count():
    store = told(
        "I bought a telescope.",
        "It cost ninety euros.",
        *FILLER * 3,
        "I bought a scarf.",
        "It cost nine euros.",
        *FILLER * 3,
    )
    page = search(store, OF_ANN, "What did the telescope cost in euros?", mode="text")
    assert questions(page)[0] == "It cost ninety euros."


def test_without_context_the_words_of_neighbours_do_not_count():
    store = told(
        "I bought a telescope.",
        "It cost ninety euros.",
        "A telescope, at last.",
        *FILLER * 3,
        "The telescope cost too much.",
        *FILLER * 3,
    )
    text = "What did the telescope cost in euros?"
    first, *_ = rank(store, OF_ANN, text, with_context=False)
    assert store.fetch(OF_ANN, [first])[first][1].question == "The telescope cost too much."
    assert questions(search(store, OF_ANN, text))[0] == "It cost ninety euros."


def test_scores_of_users_compare_in_a_common_corpus():
    store = told("The name of her sister is Mia.", "Her sister is tall.", "The name is Rex.")
    told("The name of her rose is unknown.", *FILLER * 5, key=BEN, store=store)
    text = "What is the name of her sister?"

    def best(user_key: UserKey, **options) -> float:
        return max(rank(store, user_key, text, with_context=False, **options).values())

    of_ben = UserKey("ben")
    assert best(OF_ANN) < best(of_ben)
    corpus = (OF_ANN, of_ben)
    assert best(OF_ANN, corpus=corpus) > best(of_ben, corpus=corpus)


def test_exchanges_are_found_by_the_words_of_their_neighbours():
    store = told(*FILLER * 2, "Which of the volcanoes did you climb?", "Etna.", *FILLER * 2)
    assert "Etna." in questions(search(store, OF_ANN, "climbed volcanoes"))[:3]


def test_neighbours_belong_to_the_same_conversation():
    store = told("Tell me about Etna.")
    told("Nothing.", key=ANN_HOTELS, store=store)
    assert questions(search(store, OF_ANN, "Etna")) == ["Tell me about Etna."]


def test_forms_of_the_words_and_the_day_are_found():
    store = told(*FILLER, "We painted the fence.", *FILLER)
    assert questions(search(store, OF_ANN, "painting fences"))[0] == "We painted the fence."
    other_day = Exchange("Again.", "", BEGIN + timedelta(days=40))
    store.add([NewExchange(ANN_HOTELS, other_day, exchange_terms(other_day))])
    assert questions(search(store, OF_ANN, "What was in February?"))[0] == "Again."


def test_the_language_of_the_text_counts():
    store = told("Мы покрасили забор в Казани.", *FILLER, language="ru")
    page = search(store, OF_ANN, "о Казань", language="ru")
    assert questions(page)[0] == "Мы покрасили забор в Казани."


@pytest.mark.parametrize("mode", ["meaning", "hybrid", "rrf"])
def test_similar_meanings_are_found_without_common_words(mode):
    store = told(*FILLER, "The physician was kind.", *FILLER)
    page = search(store, OF_ANN, "doctor", mode=mode, embedder=Synonyms())
    assert questions(page)[0] == "The physician was kind."


def test_the_default_mode_is_hybrid_with_an_embedder_else_text():
    store = told(*FILLER, "The physician was kind.", *FILLER)
    assert questions(search(store, OF_ANN, "doctor", embedder=Synonyms())) != []
    assert search(store, OF_ANN, "doctor") == Page()


def test_without_vectors_hybrid_search_uses_the_words():
    store = told(*FILLER, "The physician was kind.")
    store.vectors.clear()
    page = search(store, OF_ANN, "physician", mode="hybrid", embedder=Synonyms())
    assert page == search(store, OF_ANN, "physician", mode="text")
    assert questions(page)[0] == "The physician was kind."


@pytest.mark.parametrize("mode", ["text", "hybrid"])
def test_a_named_speaker_comes_before_others_who_said_the_same(mode):
    said = ("Ann: I sold Ben my boat.", "Ben: I sold Ann my boat.")
    store = told(*FILLER, said[0], *FILLER, said[1], *FILLER)
    for name, text in zip(("ann", "Ben's"), said, strict=True):
        page = search(store, OF_ANN, f"{name} sold boat", mode=mode, embedder=Synonyms())
        assert questions(page)[0] == text


def test_a_statement_comes_before_a_question_of_the_same_words():
    store = told(*FILLER, "You sold your boat?", *FILLER, "I sold my boat.", *FILLER)
    told("Did I sell the boat?", key=ANN_HOTELS, store=store)
    assert questions(search(store, OF_ANN, "sold boat"))[0] == "I sold my boat."


@pytest.mark.parametrize("text", ["When was the boat painted?", "Wann was the boat painted?"])
def test_a_question_for_a_time_prefers_exchanges_that_mention_a_date(text):
    said = "The boat was painted.", "The boat was painted last week."
    store = ListRecallStore()
    for one in (said[1], *FILLER * 2, said[0]):
        exchange = add_dates(Exchange(one, "", BEGIN))
        store.add([NewExchange(ANN, exchange, exchange_terms(exchange))])
    assert questions(search(store, OF_ANN, text))[0] == said[1]
    assert questions(search(store, OF_ANN, "the boat was painted"))[0] == said[0]


def test_an_answer_is_found_by_the_meaning_of_its_question():
    after_question, after_statement = "It happened in May.", "It happened in June."
    store = told(
        *("Did the automobile break down?", after_question),
        *FILLER * 4,
        *("Your automobile broke down.", after_statement),
        *FILLER * 4,
    )
    found = questions(search(store, OF_ANN, "car", embedder=Synonyms()))
    assert found.index(after_question) < found.index(after_statement)


def test_the_name_of_a_speaker_does_not_count_as_meaning():
    store = told(*FILLER, "Ann: Ann, Ann!", *FILLER, "Ann: The physician was kind.", *FILLER)
    page = search(store, OF_ANN, "Ann doctor", mode="meaning", embedder=Synonyms())
    assert questions(page)[0] == "Ann: The physician was kind."


def test_the_meaning_of_neighbours_counts():
    store = told(
        "My automobile broke down.",
        "That took ages.",
        "The automobile is fixed.",
        *FILLER * 4,
        "The soup was cold.",
        "That took ages.",
        "The spoon was bent.",
        *FILLER * 4,
    )
    page = search(store, OF_ANN, "car ages", embedder=Synonyms(), size=99)
    places = [one.exchange.number for one in page.passages if "ages" in one.exchange.question]
    assert places[0] == 2


@pytest.mark.parametrize("mode", ["meaning", "hybrid", "rrf"])
def test_search_by_meaning_without_an_embedder_is_explained(mode):
    with pytest.raises(AnaphoraError, match=r"pip install 'anaphora\[embeddings\]'"):
        search(told("Hello"), OF_ANN, "hello", mode=mode)


@pytest.mark.parametrize("mode", HOWS)
def test_users_do_not_affect_the_searches_of_others(mode):
    store = told(*FILLER, "My secret is the lighthouse.")
    before = search(store, OF_ANN, "lighthouse secret", mode=mode, embedder=Synonyms())
    told("The lighthouse is mine.", "secret secret", key=BEN, store=store)
    told("The lighthouse of the tenant.", key=ANN_ELSEWHERE, store=store)
    assert search(store, OF_ANN, "lighthouse secret", mode=mode, embedder=Synonyms()) == before
    assert search(store, UserKey("nobody"), "lighthouse", mode=mode, embedder=Synonyms()) == Page()


@pytest.mark.parametrize("mode", HOWS)
@pytest.mark.parametrize(
    "filters",
    [
        SearchFilter(model="hotels"),
        SearchFilter(intent="book"),
        SearchFilter(slots={"city": "Porto"}),
        SearchFilter(since=BEGIN + timedelta(minutes=5)),
        SearchFilter(until=BEGIN + timedelta(minutes=5)),
        SearchFilter(model="guide", intent="book", until=BEGIN + timedelta(hours=1)),
    ],
)
def test_filters_restrict_the_results(mode, filters):
    store = told("A room with a view", "No room", "Rooms, rooms")
    told("room one", "rooms two", store=store, intent="book", slots={"city": ("Porto", "Faro")})
    told("room three", "room four", key=ANN_HOTELS, store=store)
    page = search(store, OF_ANN, "room", mode=mode, filters=filters, embedder=Synonyms(), size=99)
    allowed = set(store.list_ids(OF_ANN, filters, skip=0, limit=99))
    expected = {one.exchange.question for one in store.kept if one.id in allowed}
    assert set(questions(page)) == expected


def test_an_empty_text_lists_all_exchanges_newest_first():
    store = told(*FILLER)
    page = search(
        store, OF_ANN, " ", filters=SearchFilter(since=BEGIN + timedelta(minutes=2)), size=2
    )
    assert questions(page) == [FILLER[4], FILLER[3]]
    assert page.more
    assert {one.score for one in page.passages} == {0.0}


@pytest.mark.parametrize("text", ["?!…", "🙂", "xyzzy"])
def test_unknown_words_find_nothing(text):
    assert search(told(*FILLER), OF_ANN, text) == Page()


@settings(max_examples=examples(30), deadline=None)
@given(st.sampled_from(["", "bus late", "the good love of my sister"]), st.sampled_from(HOWS),
       st.integers(1, 7))  # fmt: skip
def test_pages_continue_each_other(text, mode, size):
    store = told(*FILLER, *FILLER)
    everything = search(store, OF_ANN, text, mode=mode, embedder=Synonyms(), size=100)
    found, number, more = [], 0, True
    while more:
        number += 1
        page = search(store, OF_ANN, text, mode=mode, embedder=Synonyms(), page=number, size=size)
        assert page.page == number
        assert len(page.passages) == size or not page.more
        found += page.passages
        more = page.more
    assert tuple(found) == everything.passages
    beyond = search(store, OF_ANN, text, mode=mode, embedder=Synonyms(), page=number + 1, size=size)
    assert beyond == Page((), number + 1)


def test_passages_come_with_their_neighbours():
    store = told("one", "two", "three", "four", "five")
    told("elsewhere", key=ANN_HOTELS, store=store)
    found = search(store, OF_ANN, "two", neighbours=2).passages[0]
    assert [one.question for one in found.before] == ["one"]
    assert [one.question for one in found.after] == ["three", "four"]
    assert (found.key, found.exchange.number) == (ANN, 2)
    alone = search(store, OF_ANN, "two", neighbours=0).passages[0]
    assert (alone.before, alone.after) == ((), ())


def test_exchanges_erased_meanwhile_are_left_out():
    store = told("one two", "two three")
    kept = store.fetch
    store.fetch = lambda whose, ids: {  # type: ignore[method-assign]
        id: found for id, found in kept(whose, ids).items() if id != 1
    }
    assert questions(search(store, OF_ANN, "two")) == ["two three"]


@pytest.mark.parametrize("wrong", [{"page": 0}, {"size": 0}, {"neighbours": -1}])
def test_invalid_pages_are_rejected(wrong):
    with pytest.raises(ValueError, match="no such page"):
        search(told("Hello"), OF_ANN, "hello", **wrong)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.text(alphabet="abcdefg 123ÄЖ猫", max_size=30), max_size=25),
    st.text(alphabet="abcdefg 123ÄЖ猫", min_size=1, max_size=30),
    st.sampled_from(HOWS),
)
def test_any_search_finds_each_exchange_once_with_a_finite_score(said, text, mode):
    store = told(*said)
    page = search(store, OF_ANN, text, mode=mode, embedder=Synonyms(), size=1_000)
    numbers = [one.exchange.number for one in page.passages]
    assert len(numbers) == len(set(numbers))
    assert all(np.isfinite(one.score) for one in page.passages)
    if (
        mode != "meaning"
        and text.strip()
        and set(extract_terms(text)) & {term for one in store.kept for term in one.terms}
    ):
        assert numbers


@pytest.mark.parametrize("mode", ["text", "meaning", "hybrid", "rrf"])
@pytest.mark.parametrize("text", ["", "coffee", "January"])
def test_silent_exchanges_are_not_found(mode, text):
    store = told("Coffee, please.")
    store.add([NewExchange(ANN, Exchange("", "", BEGIN + timedelta(minutes=1), "reset"), ())])
    store.put_vectors(Synonyms.name, [store.kept[-1].id], Synonyms().embed(["Coffee, please."]))
    told("And a large coffee.", store=store)
    page = search(store, OF_ANN, text, mode=mode, embedder=Synonyms())
    around = [one for passage in page.passages for one in (*passage.before, *passage.after)]
    assert "" not in questions(page) + [one.question for one in around]
    assert len(page.passages) == 2


class TokenSynonyms(Synonyms):
    """Synonyms that also knows what each word means."""

    token_name = "synonyms of tokens"

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        return self.embed(texts), [self.embed(extract_terms(text)) for text in texts]


def with_tokens(store: ListRecallStore, *ids: int) -> ListRecallStore:
    """The store with the vectors of the tokens of these exchanges, by default of all."""
    chosen = [one for one in store.kept if not ids or one.id in ids]
    _, tokens = TokenSynonyms().embed_with_tokens([one.exchange.question for one in chosen])
    store.put_token_vectors(
        TokenSynonyms.token_name, [one.id for one in chosen], list(map(pack_tokens, tokens))
    )
    return store


ONE_OF_THEM = "Automobile, automobile, automobile and automobile."
BOTH = "Toddler in a big old slow blue automobile yesterday."


def test_an_exchange_that_means_every_word_comes_before_one_that_repeats_one():
    store = told(*FILLER, ONE_OF_THEM, *FILLER, BOTH, *FILLER)
    asked = "car kid"
    assert questions(search(store, OF_ANN, asked, embedder=TokenSynonyms()))[0] == ONE_OF_THEM
    with_tokens(store)
    assert questions(search(store, OF_ANN, asked, embedder=TokenSynonyms()))[0] == BOTH
    assert questions(search(store, OF_ANN, asked, embedder=Synonyms()))[0] == ONE_OF_THEM
    for mode in ("meaning", "text", "rrf"):
        found = [
            questions(search(store, OF_ANN, asked, embedder=embedder, mode=mode))
            for embedder in (TokenSynonyms(), Synonyms())
        ]
        assert found[0] == found[1]


def test_the_tokens_of_a_neighbour_count():
    store = told(*FILLER, ONE_OF_THEM, *FILLER, "Whose automobile?", "The toddler.", *FILLER)
    asked = "car kid"
    with_tokens(store)
    found = questions(search(store, OF_ANN, asked, embedder=TokenSynonyms()))
    assert set(found[:2]) == {"Whose automobile?", "The toddler."}
    first, *_ = rank(store, OF_ANN, asked, embedder=TokenSynonyms(), with_context=False)
    assert store.fetch(OF_ANN, [first])[first][1].question == ONE_OF_THEM


def test_exchanges_without_vectors_of_tokens_are_not_the_last():
    store = told(*FILLER, "A child.", *FILLER, BOTH, *FILLER)
    ids = {one.exchange.question: one.id for one in store.kept}
    with_tokens(store, *(id for question, id in ids.items() if question != "A child."))
    found = questions(search(store, OF_ANN, "kid", embedder=TokenSynonyms()))
    assert found[0] == BOTH
    assert found.index("A child.") < found.index("The bus was late again.")


def test_a_filter_holds_for_tokens_as_well():
    store = told(*FILLER, BOTH, *FILLER, ONE_OF_THEM, *FILLER)
    with_tokens(store)
    since = SearchFilter(since=BEGIN + timedelta(minutes=7))
    found = search(store, OF_ANN, "car kid", embedder=TokenSynonyms(), filters=since, size=99)
    assert questions(found)[0] == ONE_OF_THEM
    assert BOTH not in questions(found)


def test_a_question_without_tokens_is_ranked_without_them():
    store = with_tokens(told(*FILLER, BOTH, *FILLER))
    found = [
        questions(search(store, OF_ANN, "!?", mode="hybrid", embedder=embedder))
        for embedder in (TokenSynonyms(), Synonyms())
    ]
    assert found[0] == found[1] != []


def test_unknown_modes_are_rejected():
    with pytest.raises(
        ValueError, match="mode must be one of text, meaning, hybrid, rrf, not 'magic'"
    ):
        search(told("Coffee."), OF_ANN, "coffee", mode="magic")
