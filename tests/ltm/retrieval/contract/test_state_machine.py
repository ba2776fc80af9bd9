"""Whatever is done to a recall store, it holds what plain lists would."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import timedelta

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.store import (
    JournalPosition,
    NewExchange,
    RecallStore,
    SearchFilter,
    TermStatistics,
    UserKey,
)
from anaphora.stm.conversation import ConversationKey
from tests.ltm.retrieval.store_contract import (
    BEGIN,
    Home,
    make_exchange,
    make_summary,
    stack_vectors,
    vector,
)
from tests.ltm.retrieval.stored_rows import stored_keys, stored_summary

SETTINGS = HistorySettings(max_exchanges=4, max_size=8)
TERMS = ("the", "rain", "sun", "\ud800")
INTENTS = (None, "weather", "")
keys = st.builds(
    ConversationKey,
    st.sampled_from(["ann", "ben"]),
    st.sampled_from(["weather", ""]),
    st.sampled_from(["", "acme"]),
)
texts = st.lists(st.sampled_from(TERMS), max_size=4).map(tuple)
slots = st.dictionaries(
    st.sampled_from(["city", "day"]), st.sampled_from([("x",), ("y",), ("x", "y")]), max_size=2
)
minutes = st.integers(0, 6)
exchanges = st.builds(
    lambda terms, answer, minute, intent, slots: (
        make_exchange(" ".join(terms), answer, minute=minute, intent=intent, slots=slots),
        terms,
    ),
    texts,
    st.sampled_from(["", "yes", "no no"]),
    minutes,
    st.sampled_from(INTENTS),
    slots,
)
search_filters = st.builds(
    SearchFilter,
    st.sampled_from([None, None, "weather", ""]),
    st.one_of(st.none(), minutes.map(lambda minute: BEGIN + timedelta(minutes=minute))),
    st.one_of(st.none(), minutes.map(lambda minute: BEGIN + timedelta(minutes=minute))),
    st.sampled_from(INTENTS),
    st.dictionaries(st.sampled_from(["city", "day"]), st.sampled_from(["x", "y"]), max_size=1),
)


@dataclass
class Talk:
    """What is kept of one conversation."""

    count: int = 0
    first: int = 1  # of the verbatim exchanges
    said: dict[int, tuple[Exchange, tuple[str, ...]]] = field(default_factory=dict)
    active: list[Summary] = field(default_factory=list)
    replaced: list[Summary] = field(default_factory=list)
    vectors: dict[int, int] = field(default_factory=dict)

    @property
    def verbatim(self) -> list[Exchange]:
        return [self.said[number][0] for number in sorted(self.said) if number >= self.first]

    def add(self, exchange: Exchange, terms: tuple[str, ...]) -> None:
        self.count += 1
        self.said[self.count] = replace(exchange, number=self.count), terms
        while len(self.verbatim) > SETTINGS.max_exchanges:
            self.first = self.verbatim[0].number + 1

    def drop(self, number: int) -> None:
        del self.said[number]
        self.vectors.pop(number, None)
        for kept in (self.active, self.replaced):
            kept[:] = [
                each
                for each in kept
                if not each.first <= number <= each.last
                or any(each.first <= left <= each.last for left in self.said)
            ]


def fits(key: ConversationKey, exchange: Exchange, filters: SearchFilter) -> bool:
    return (
        filters.model in (None, key.model)
        and (filters.since is None or exchange.at >= filters.since)
        and (filters.until is None or exchange.at < filters.until)
        and filters.intent in (None, exchange.intent)
        and all(value in exchange.slots.get(name, ()) for name, value in filters.slots.items())
    )


class Stores(RuleBasedStateMachine):
    """Two stores on the same data beside what they should hold."""

    def __init__(self, home: Home) -> None:
        super().__init__()
        self.home = home

    @initialize()
    def begin(self) -> None:
        self.home.move()
        self.stores = [self.home.store(SETTINGS), self.home.store(SETTINGS)]
        self.talks: dict[ConversationKey, Talk] = {}
        self.position = 0

    @property
    def store(self) -> RecallStore:
        """The two in turns."""
        self.stores.reverse()
        return self.stores[0]

    @rule(added=st.lists(st.tuples(keys, exchanges), min_size=1, max_size=6))
    def add(self, added) -> None:
        self.position += len(added)
        self.store.add(
            [NewExchange(key, exchange, terms) for key, (exchange, terms) in added],
            mark=JournalPosition("log", self.position),
        )
        for key, (exchange, terms) in added:
            self.talks.setdefault(key, Talk()).add(exchange, terms)

    @rule(key=keys, count=st.integers(1, 3), text=st.sampled_from(["", "in short"]))
    def summarize_exchanges(self, key: ConversationKey, count: int, text: str) -> None:
        talk = self.talks.get(key, Talk())
        parts = self.store.history(key).exchanges[:count]
        by = [make_summary(parts, text)] if parts else []
        assert self.store.compress(key, parts, by) is bool(parts)
        if parts:
            talk.first = parts[-1].number + 1
            talk.active.append(self.store.history(key).summaries[-1])

    @rule(key=keys, count=st.integers(2, 3))
    def summarize_summaries(self, key: ConversationKey, count: int) -> None:
        parts = self.store.history(key).summaries[:count]
        if not parts:
            return
        talk = self.talks[key]
        assert self.store.compress(key, parts, [make_summary(parts, "of them", level=2)])
        talk.replaced += parts
        talk.active[: len(parts)] = [self.store.history(key).summaries[0]]

    @rule(key=keys)
    def replace_what_is_not_the_oldest(self, key: ConversationKey) -> None:
        parts = self.store.history(key).exchanges[1:]
        if parts:
            assert self.store.compress(key, parts, [make_summary(parts)]) is False

    @rule(limit=st.integers(1, 5), value=st.integers(-5, 5))
    def embed(self, limit: int, value: int) -> None:
        waiting = self.store.find_unembedded("m", limit)
        missing = sum(len(talk.said) - len(talk.vectors) for talk in self.talks.values())
        assert len(waiting) == min(limit, missing)
        vectors = [vector(1, value)] * len(waiting)
        if waiting:
            self.store.put_vectors("m", [id for id, _ in waiting], stack_vectors(*vectors))
        for whose in {UserKey(key.user, key.tenant) for key in self.talks}:
            found = self.store.fetch(whose, [id for id, _ in waiting])
            for key, exchange in found.values():
                self.talks[key].vectors[exchange.number] = value

    @rule(key=keys, what=st.sampled_from(["all", "one model"]))
    def erase(self, key: ConversationKey, what: str) -> None:
        gone = [
            each
            for each in self.talks
            if (each.user, each.tenant) == (key.user, key.tenant)
            and (what == "all" or each.model == key.model)
        ]
        expected = sum(len(self.talks.pop(each).said) for each in gone)
        whose = UserKey(key.user, key.tenant)
        assert self.store.erase(whose, model=None if what == "all" else key.model) == expected

    @rule(minute=minutes, limit=st.sampled_from([2, 1_000]))
    def expire(self, minute: int, limit: int) -> None:
        before = BEGIN + timedelta(minutes=minute)
        old = sorted(
            (exchange.at, key, number)
            for key, talk in self.talks.items()
            for number, (exchange, _) in talk.said.items()
            if exchange.at < before
        )
        if limit < len(old):
            return  # which of those said at the same time go first is not ours to say
        assert self.store.expire(before, limit=limit) == len(old)
        for _, key, number in old:
            self.talks[key].drop(number)
            if not self.talks[key].said:
                del self.talks[key]

    @rule()
    def reopen(self) -> None:
        self.stores[0].close()
        self.stores[0] = self.home.store(SETTINGS)

    @rule(key=keys, filters=search_filters, terms=texts)
    def search(self, key: ConversationKey, filters: SearchFilter, terms: tuple[str, ...]) -> None:
        whose, store = UserKey(key.user, key.tenant), self.store
        all_of_them = {
            (each, number): talk.said[number]
            for each, talk in self.talks.items()
            if (each.user, each.tenant) == (key.user, key.tenant)
            for number in talk.said
        }
        expected = {
            place: held for place, held in all_of_them.items() if fits(place[0], held[0], filters)
        }
        ids = store.list_ids(whose, filters, skip=0, limit=99)
        found = store.fetch(whose, ids)
        times = [found[id][1].at for id in ids]
        assert times == sorted(times, reverse=True)
        said = {place for place, held in expected.items() if held[1]}
        assert {(each, exchange.number) for each, exchange in found.values()} == said

        documents = store.find_matching(whose, terms, filters, 99)
        near = store.find_nearest(whose, "m", vector(1, 0), filters, 99)
        found = store.fetch(whose, [*(each.id for each in documents), *(id for id, _ in near)])
        matched = {(found[each.id][0], each.number, each.terms) for each in documents}
        assert matched == {
            (*place, held[1]) for place, held in expected.items() if set(terms) & set(held[1])
        }
        assert [cosine for _, cosine in near] == sorted((c for _, c in near), reverse=True)
        assert {(found[id][0], found[id][1].number) for id, _ in near} == {
            place for place in expected if place[1] in self.talks[place[0]].vectors
        }
        counts = Counter(term for _, held in all_of_them.values() for term in set(held))
        length = sum(len(held) for _, held in all_of_them.values())
        assert store.statistics(whose, terms) == TermStatistics(
            len(all_of_them),
            length / len(all_of_them) if all_of_them else 0.0,
            {term: counts[term] for term in terms},
        )

    @invariant()
    def histories_are_what_was_said_and_summarized(self) -> None:
        store = self.store
        assert set(stored_keys(store)) == set(self.talks)
        assert store.journal_position("log") == self.position
        for key, talk in self.talks.items():
            history = store.history(key)
            assert list(history.summaries) == talk.active
            assert list(history.exchanges) == talk.verbatim
            assert history.size == WORDS.total(history.parts)
            assert list(store.exchanges(key, first=0, last=99)) == [
                talk.said[number][0] for number in sorted(talk.said)
            ]
            assert [stored_summary(store, key, each.id) for each in talk.replaced] == talk.replaced
        too_large = {
            key
            for key, talk in self.talks.items()
            if WORDS.total((*talk.active, *talk.verbatim)) > SETTINGS.max_size
        }
        assert set(store.find_oversized(99)) == too_large


def test_a_recall_store_behaves_like_a_store_of_lists(home):
    run_state_machine_as_test(
        lambda: Stores(home),
        settings=settings(
            max_examples=25,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
