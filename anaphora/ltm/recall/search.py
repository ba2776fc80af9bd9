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
from anaphora.ltm.recall.days import find_days
from anaphora.ltm.recall.ranking import HYBRID, REACH, TEXT, Asked, Scores, features, fused
from anaphora.ltm.recall.rarest import rarest
from anaphora.ltm.recall.store import Among, Document, RecallStore, Statistics, Whose
from anaphora.ltm.recall.terms import DEFAULT_LANGUAGE, language_terms
from anaphora.stm.conversation import Key

__all__ = ["How", "Page", "Passage", "search"]

How: TypeAlias = Literal["text", "meaning", "hybrid", "rrf"]
_EVERYTHING = Among()

# How many exchanges are looked at: so many that have the words, so many of a like meaning, and the
# neighbours of the best of them.
_MATCHING, _NEAREST, _BEST = 100, 100, 30
# The words that stand in most exchanges find nothing: as many of the rarest are looked up as
# stand in so many exchanges together.
_LOOKED_UP = 20_000
_NUMBER = re.compile(r"\w*\d\w*")


@dataclass(frozen=True, slots=True)
class Passage:
    """An exchange that was found: its conversation, its ``score`` (the greater the better; 0
    where nothing was searched for), and its neighbours in the conversation, oldest first."""

    key: Key
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
    whose: Whose,
    text: str = "",
    *,
    how: How | None = None,
    among: Among = _EVERYTHING,
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
    either way, weighed together (the best: see :mod:`~anaphora.ltm.recall.ranking`); "rrf", by
    the ranks that "text" and "meaning" give them. The default is "hybrid" if there is an
    ``embedder``, else "text". The scores of two ways, or of two texts, don't compare. A search
    looks closely at a few hundred exchanges, and its pages end with those.

    ``language`` is that of the text, or several that it may be in; by default all in which the
    user's exchanges are.

    Raises :class:`AnaphoraError` if the meaning is to be searched for and there is no embedder,
    or if that fails; :class:`StoreError`; ValueError for another ``how``, a page or a size below
    1, or a negative number of neighbours.
    """
    if how is not None and how not in get_args(How):
        raise ValueError(f"how is one of {', '.join(get_args(How))}, not {how!r}")
    if page < 1 or size < 1 or neighbours < 0:
        raise ValueError(f"no such page: page={page}, size={size}, neighbours={neighbours}")
    skip = (page - 1) * size
    if not text.strip():
        ids = store.listed(whose, among, skip=skip, limit=size + 1)
        ranked = dict.fromkeys(ids, 0.0)
    else:
        looked = _Search(store, whose, among, text, language, embedder, at or datetime.now(UTC))
        everything = looked.ranked(how or ("hybrid" if embedder else "text"))
        ranked = dict(list(everything.items())[skip : skip + size + 1])
    shown = dict(list(ranked.items())[:size])
    passages = _passages(store, whose, shown, neighbours)
    return Page(passages, page, more=len(ranked) > size)


class _Search:
    """One search: whose exchanges, among which, for what."""

    def __init__(
        self,
        store: RecallStore,
        whose: Whose,
        among: Among,
        text: str,
        language: str | Sequence[str] | None,
        embedder: Embedder | None,
        at: datetime,
    ) -> None:
        self._store, self._whose, self._among = store, whose, among
        self._text, self._embedder = text, embedder
        self._languages = self._spoken() if language is None else _listed(language)
        self._at = at
        self._asked = Asked.of(text, *self._languages)

    def ranked(self, how: How) -> Mapping[int, float]:
        """The ids that are found, best first, with their scores."""
        match how:
            case "text":
                return self._by_text()
            case "meaning":
                return self._cosines()
            case "hybrid":
                return self._by_both()
            case "rrf":
                return fused(list(self._by_text()), list(self._cosines()))
            case _:
                assert_never(how)

    def _spoken(self) -> Sequence[str]:
        """The languages of the user's exchanges, the commonest first."""
        known = language_terms()
        frequency = self._store.statistics(self._whose, tuple(known)).frequency
        spoken = [(-count, known[term]) for term, count in frequency.items() if count]
        return [code for _, code in sorted(spoken)] or [DEFAULT_LANGUAGE]

    def _by_text(self) -> Mapping[int, float]:
        statistics = self._statistics()
        matching = self._matching(statistics)
        return self._weighed(matching, statistics, {}, TEXT)

    def _by_both(self) -> Mapping[int, float]:
        cosines = self._cosines()
        if not cosines:  # nothing has a vector yet
            return self._by_text()
        statistics = self._statistics()
        matching = self._matching(statistics)
        known = {document.id for document in matching}
        near = self._store.documents(self._whose, [id for id in cosines if id not in known])
        return self._weighed([*matching, *near], statistics, cosines, HYBRID)

    def _cosines(self) -> dict[int, float]:
        """The exchanges that are nearest in meaning, with their cosines."""
        embedder = self._embedder
        if embedder is None:
            raise AnaphoraError(
                "searching by meaning needs an embedder; install one: "
                "pip install 'anaphora[embeddings]', and give it: embedder=MiniLM()"
            )
        (vector,) = embedder.embed([self._text])
        near = dict(self._store.nearest(self._whose, embedder.name, vector, self._among, _NEAREST))
        documents = self._store.documents(self._whose, list(near))
        said = {document.id for document in documents if document.terms}
        return {id: cosine for id, cosine in near.items() if id in said}

    def _statistics(self) -> Statistics:
        """The statistics of all terms of the question, after the days in it have become terms:
        those on which anything was said, or that were mentioned."""
        days = find_days(self._text, self._languages, self._at)
        terms = [term for day in days for term in day.terms]
        statistics = self._store.statistics(self._whose, (*self._asked.terms, *terms))
        known = {term for term in terms if statistics.frequency.get(term)}
        if known:
            text = self._text
            for day in sorted(days, reverse=True):
                # Its numbers alone say nothing: those of "08.11.2026" and of "4 days ago" stand in
                # other dates, too.
                if known.intersection(day.terms):
                    words = _NUMBER.sub(" ", text[day.start : day.end])
                    text = f"{text[: day.start]} {words} {text[day.end :]}"
            self._asked = Asked.of(text, *self._languages).on(known)
        return statistics

    def _matching(self, statistics: Statistics) -> Sequence[Document]:
        frequency = statistics.frequency
        known = sorted(
            (count, term) for term in self._asked.terms if (count := frequency.get(term, 0))
        )
        looked_up = rarest(known, _LOOKED_UP)
        if not looked_up:
            return ()
        return self._store.matching(self._whose, looked_up, self._among, _MATCHING)

    def _weighed(
        self,
        found: Sequence[Document],
        statistics: Statistics,
        cosines: Mapping[int, float],
        weights: Scores,
    ) -> Mapping[int, float]:
        """The documents found, and the neighbours of the best where those may be shown, by the
        sum of what speaks for them."""

        def scored(documents: Sequence[Document]) -> Scores:
            return features(self._asked, documents, statistics, cosines) @ weights

        found = sorted(found, key=_place)
        best = np.argsort(-scored(found), kind="stable")[:_BEST]
        near = self._store.around([found[row] for row in best], REACH) if found else ()
        documents = sorted({one.id: one for one in (*near, *found)}.values(), key=_place)
        scores = scored(documents)
        rows = np.flatnonzero(self._shown(found, documents))
        order = rows[np.lexsort((-rows, -scores[rows]))]  # of equals the later first
        return {documents[row].id: float(scores[row]) for row in order}

    def _shown(self, found: Sequence[Document], documents: Sequence[Document]) -> NDArray[np.bool_]:
        """Whether each document may be shown: none in which nothing was said, and a neighbour
        only where it need not be looked up whether it fits ``among``."""
        if self._among == Among(model=self._among.model):  # neighbours are of the same model
            return np.fromiter((bool(document.terms) for document in documents), np.bool_)
        ids = {document.id for document in found if document.terms}
        return np.fromiter((document.id in ids for document in documents), np.bool_)


def _listed(language: str | Sequence[str]) -> Sequence[str]:
    return [language] if isinstance(language, str) else language


def _place(document: Document) -> tuple[int, int]:
    return document.conversation, document.number


def _passages(
    store: RecallStore, whose: Whose, scores: Mapping[int, float], neighbours: int
) -> tuple[Passage, ...]:
    """The exchanges of those ids, with their neighbours; such as are gone meanwhile are left
    out."""
    fetched = store.fetch(whose, list(scores))
    return tuple(
        _passage(store, *fetched[id], score, neighbours)
        for id, score in scores.items()
        if id in fetched
    )


def _passage(
    store: RecallStore, key: Key, exchange: Exchange, score: float, neighbours: int
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
