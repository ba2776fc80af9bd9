"""Ranking features of exchanges for a query, and their weights."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.embedders.products import multiply
from anaphora.ltm.retrieval.store import Document, TermStatistics
from anaphora.ltm.retrieval.terms import (
    DATE_TERM,
    DEFAULT_LANGUAGE,
    QUESTION_TERM,
    analyze_words,
)
from anaphora.ltm.retrieval.token_vectors import match_tokens

__all__ = [
    "FEATURES",
    "HYBRID_WEIGHTS",
    "NEIGHBOUR_REACH",
    "TEXT_WEIGHTS",
    "TOKEN_LIMIT",
    "TOKEN_WEIGHTS",
    "Scores",
    "SearchQuery",
    "add_token_feature",
    "compute_features",
    "reciprocal_rank_fusion",
    "select_rarest",
]

Scores: TypeAlias = NDArray[np.float32]
_Term = TypeVar("_Term")

FEATURES = (
    *("window", "own", "pairs", "named", "length"),
    *("speaker", "month", "date", "question", "meaning", "context", "answer", "tokens"),
)

NEIGHBOUR_REACH = 4
"""Number of neighbours before and after an exchange that count as its context."""

# Weights of FEATURES. benchmarks/ltm/recall_quality.py --fit found them as the weights of a softmax
# over all exchanges that maximize the likelihood of the evidence of LoCoMo's questions, as they are
# and in other words. Some are set by hand: "own" ranks an exchange with the words above one beside
# it; "month" is smaller, because words such as "spring" and "fall" have other meanings; "context"
# and "answer" share what was fitted, so that a place is found among ten as often as before.
TEXT_WEIGHTS = np.array(
    (9.0, 2.0, 2.5, 0.1, 1.4, 1.5, 2.5, 3.2, -1.3, 0.0, 0.0, 0.0, 0.0), np.float32
)
HYBRID_WEIGHTS = np.array(
    (4.3, 2.0, 2.6, 0.1, 1.3, 1.3, 2.5, 3.3, -1.4, 13.7, 6.5, 5.0, 0.0), np.float32
)
# For the first documents, if the vectors of tokens are known: fitted to the first by the others.
TOKEN_WEIGHTS = np.array(
    (2.4, 2.0, 2.6, 0.0, 0.4, 1.1, 2.5, 3.0, -1.0, 7.3, 2.7, 5.9, 18.8), np.float32
)
TOKEN_LIMIT = 40
"""Number of documents that are ranked once more by the vectors of tokens."""

_NEIGHBOUR_DECAY = 0.65  # weight of a word per place of distance
_CONTEXT_DECAYS = (0.5, 0.25)  # weights of the cosines of neighbours, by distance
_TRUST_IN_WORDS = 0.9  # how little the meaning counts where all words of the query are found
_K1 = 1.5
_IDF_POWER = 1.5
_LENGTH_RANGE = (0.5, 2.0)  # of average lengths; beyond it length makes no difference
_ALTERNATIVE_TERM_WEIGHT = 0.7  # of a word that is found by another term than its key
_TOKEN_DECAY = 0.9  # weight of the cosines of a neighbour's tokens
_TOKEN_POWER = 3  # of their distances: one without a match counts more than two near ones
_RRF_K = 60  # k of the reciprocal rank fusion


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A parsed query: its distinct ``words`` by key, each with its search terms and their weights;
    the ``pairs`` of adjacent keys; the keys of ``named`` words (capitalized words and numbers);
    the terms of the ``speakers`` and ``months`` that it names; and whether it ``asks_when``."""

    words: Mapping[str, Mapping[str, float]]
    pairs: frozenset[tuple[str, str]]
    named: frozenset[str]
    speakers: frozenset[str] = frozenset()
    months: frozenset[str] = frozenset()
    asks_when: bool = False

    @classmethod
    def parse(cls, text: str, *languages: str) -> SearchQuery:
        """Parse a query that is in one of these languages."""
        spoken = tuple(dict.fromkeys(languages)) or (DEFAULT_LANGUAGE,)
        found = [tuple(analyze_words(text, language)) for language in spoken]
        first: dict[str, str] = {}  # the key of a word in the first language that has it
        words: dict[str, dict[str, float]] = {}
        for word in chain.from_iterable(found):
            terms = words.setdefault(first.setdefault(word.text, word.key), {})
            terms[word.key] = 1.0
            for term in word.query_terms:
                terms.setdefault(term, _ALTERNATIVE_TERM_WEIGHT)
        named = "\n".join(
            word
            for place, word in enumerate(text.split())
            if (place and word[:1].isupper()) or any(map(str.isdigit, word))
        )
        return cls(
            words=words,
            pairs=frozenset(
                chain.from_iterable(pairwise([word.key for word in one]) for one in found)
            ),
            named=frozenset(
                first[word.text] for word in analyze_words(named, spoken[0]) if word.text in first
            ),
        )

    @property
    def terms(self) -> tuple[str, ...]:
        """The distinct terms of all words."""
        return tuple(dict.fromkeys(chain.from_iterable(self.words.values())))

    def with_days(self, days: Collection[str]) -> SearchQuery:
        """Return the query extended by the terms of days."""
        words = {**self.words, **{day: {day: 1.0} for day in days}}
        return replace(self, words=words, named=self.named | frozenset(days))


def compute_features(
    query: SearchQuery,
    documents: Sequence[Document],
    statistics: TermStatistics,
    cosines: Mapping[int, float] | None = None,
) -> Scores:
    """Compute the features of documents: a row of :data:`FEATURES` for each.

    ``window``: BM25 (k₁ = 1.5, b = 1) of the query in the document and its neighbours, whose words
    are weighted by 0.65 per place of distance. The idf, ln(1 + (N - n + ½)/(n + ½)), is raised to
    the power 1.5, and the sum is divided by the sum of all weights, so that queries of any length
    compare. ``own``: the share of these weights in the document itself. ``pairs``: the share of
    the query's word pairs. ``named``: the share of names and numbers. ``length``: ln of the length
    over the average, from ½ to 2. ``speaker``: whether a speaker that the query names is one of
    the document. ``month``: whether its day, or one mentioned in it, is in a month or season that
    the query names. ``date``: whether it mentions a date, if the query asks for one. ``question``:
    whether it ends with a question. ``meaning``: the cosine; an unknown one counts as the lowest
    known one. ``context``: the sum of the neighbours' cosines, above their mean and weighted by ½
    and ¼. ``answer``: the cosine of the document before, above the mean, if that ends with a
    question and this one does not. The last three are multiplied by 1 - 0.9 times the greatest
    ``own``: where a document has the words of the query, they say more than its meaning.
    ``tokens`` is 0 until :func:`add_token_feature`.

    ``documents`` must be ordered by conversation and number, as
    :meth:`~anaphora.ltm.retrieval.store.RecallStore.with_neighbours` returns them.
    """
    found = np.zeros((len(documents), len(FEATURES)), np.float32)
    if not documents:
        return found
    place = {key: column for column, key in enumerate(query.words)}
    counts, pairs = _count_terms(query, place, documents, statistics)
    weights = _idf_weights(query, statistics)
    share = weights / weights.sum() if len(weights) else weights
    lengths = np.fromiter((len(document.terms) for document in documents), np.float32)
    average = max(statistics.average_length, 1.0)
    keys = _sequence_keys(documents)
    found[:, 0] = multiply(_window_scores(counts, lengths, keys, average), share)
    found[:, 1] = multiply(np.minimum(counts, 1), share)
    if query.pairs:
        found[:, 2] = pairs / len(query.pairs)
    if query.named:
        named = [place[key] for key in query.named]
        found[:, 3] = (counts[:, named] > 0).sum(1) / len(query.named)
    found[:, 4] = np.log(np.clip((1 + lengths) / (1 + average), *_LENGTH_RANGE))
    dates = {DATE_TERM} if query.asks_when else set()
    for column, terms in enumerate((query.speakers, query.months, dates, {QUESTION_TERM}), start=5):
        if terms:
            found[:, column] = [not terms.isdisjoint(one.terms) for one in documents]
    if cosines:
        lowest = min(cosines.values())
        known = np.fromiter((cosines.get(one.id, lowest) for one in documents), np.float32)
        own = _doubt(found) * known
        above = own - own.mean()
        found[:, 9], found[:, 10] = own, _sum_neighbours(above, keys)
        before, after = _find_followers(keys, 1)
        found[after, 11] = found[before, 8] * (1 - found[after, 8]) * above[before]
    return found


def add_token_feature(
    features: Scores,
    documents: Sequence[Document],
    rows: NDArray[np.intp],
    query: Vectors,
    load: Callable[[Sequence[int]], Mapping[int, bytes]],
) -> bool:
    """Fill in the feature ``tokens`` from the packed vectors of tokens that ``load`` returns for
    some ids; False if none of the documents in these ``rows`` has any.

    It is 1 minus the mean of (1 - cosine)³ over the tokens of the ``query``, with the greatest
    cosine of each with a token of the document, or of the one before or after it, which counts 0.9
    times as much. A document in ``rows`` without vectors counts as their mean, any other document
    as the lowest of them. Like ``meaning``, all is multiplied by 1 - 0.9 times the greatest
    ``own``.
    """
    chosen = np.zeros(len(documents), np.bool_)
    chosen[rows] = True
    earlier, later = _find_followers(_sequence_keys(documents), 1)
    needed = chosen.copy()
    needed[earlier] |= chosen[later]
    needed[later] |= chosen[earlier]
    needed_rows: list[int] = np.flatnonzero(needed).tolist()
    stored = load([documents[row].id for row in needed_rows])
    packed = [stored.get(documents[row].id, b"") for row in needed_rows]
    known = np.zeros(len(documents), np.bool_)
    known[needed_rows] = list(map(bool, packed))
    known &= chosen
    if not known.any():
        return False
    matches = np.full((len(documents), len(query)), -1.0, np.float32)
    matches[needed_rows] = match_tokens(query, packed)
    best = matches.copy()
    best[earlier] = np.maximum(best[earlier], _TOKEN_DECAY * matches[later])
    best[later] = np.maximum(best[later], _TOKEN_DECAY * matches[earlier])
    scores = 1 - ((1 - best) ** _TOKEN_POWER).mean(1)
    mean, lowest = scores[known].mean(), scores[known].min()
    scores[~known] = np.where(chosen[~known], mean, lowest)
    features[:, -1] = _doubt(features) * scores
    return True


def reciprocal_rank_fusion(*rankings: Sequence[int]) -> dict[int, float]:
    """Fuse rankings (Cormack, Clarke and Büttcher, 2009): Σ 1/(60 + rank) for each id, the best
    first."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, one in enumerate(ranking, start=1):
            scores[one] = scores.get(one, 0.0) + 1 / (_RRF_K + rank)
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def select_rarest(counted: Iterable[tuple[int, _Term]], most: int) -> list[_Term]:
    """Return terms, rarest first, until their document frequencies exceed ``most``; at least one:
    words that occur in most exchanges are not looked up. ``counted`` are pairs of document
    frequency and term, rarest first."""
    chosen: list[_Term] = []
    total = 0
    for count, word in counted:
        total += count
        if chosen and total > most:
            break
        chosen.append(word)
    return chosen


def _doubt(features: Scores) -> float:
    """How much the meaning counts: little if a document has all words of the query."""
    return 1 - _TRUST_IN_WORDS * float(features[:, 1].max())


def _idf_weights(query: SearchQuery, statistics: TermStatistics) -> Scores:
    known = statistics.frequency
    frequency = np.array(
        [max([known.get(term, 0) for term in terms]) for terms in query.words.values()], np.float32
    )
    rest = statistics.documents - frequency
    idf = np.log1p((np.maximum(rest, 0) + 0.5) / (frequency + 0.5))
    weighted: Scores = (idf**_IDF_POWER).astype(np.float32)
    return weighted


def _count_terms(
    query: SearchQuery,
    columns_by_key: Mapping[str, int],
    documents: Sequence[Document],
    statistics: TermStatistics,
) -> tuple[Scores, Scores]:
    """Count how often each word of the query, and how many of its pairs, occur in each document."""
    counts = np.zeros((len(documents), len(columns_by_key)), np.float32)
    pairs = np.zeros(len(documents), np.float32)
    columns: dict[str, list[tuple[int, float]]] = {}
    for key, terms in query.words.items():
        for term, weight in terms.items():
            if statistics.frequency.get(term):
                columns.setdefault(term, []).append((columns_by_key[key], weight))
    wanted = frozenset(columns)
    for row, document in enumerate(documents):
        common = wanted.intersection(document.terms)  # 0.5 µs; the main cost of other documents
        best: dict[int, float] = {}
        for term in common:
            count = document.terms.count(term)
            for column, weight in columns[term]:
                if weight * count > best.get(column, 0.0):
                    best[column] = weight * count
        for column, value in best.items():
            counts[row, column] = value
        if len(common) > 1:
            pairs[row] = len(query.pairs.intersection(pairwise(document.terms)))
    return counts, pairs


def _sequence_keys(documents: Sequence[Document]) -> NDArray[np.int64]:
    """Return a number for each document, such that neighbours have consecutive numbers."""
    conversations = np.fromiter((one.conversation for one in documents), np.int64)
    numbers = np.fromiter((one.number for one in documents), np.int64)
    _, ordinals = np.unique(conversations, return_inverse=True)
    keys: NDArray[np.int64] = ordinals * (int(numbers.max()) + 2 * NEIGHBOUR_REACH) + numbers
    return keys


def _find_followers(
    keys: NDArray[np.int64], distance: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows of documents that have one ``distance`` places later, and its row."""
    places = np.searchsorted(keys, keys + distance)
    places[places == len(keys)] = 0
    earlier = np.flatnonzero(keys[places] == keys + distance)
    return earlier, places[earlier]


def _window_scores(
    counts: Scores, lengths: Scores, keys: NDArray[np.int64], average: float
) -> Scores:
    """Compute the saturated counts of terms in each document and its neighbours. Missing neighbours
    count as documents of average length without any of the terms."""
    near, long = counts.copy(), lengths.copy()
    expected = average
    for distance in range(1, NEIGHBOUR_REACH + 1):
        weight = _NEIGHBOUR_DECAY**distance
        earlier, later = _find_followers(keys, distance)
        near[earlier] += weight * counts[later]
        near[later] += weight * counts[earlier]
        extra = np.full_like(lengths, 2 * average)
        extra[earlier] += lengths[later] - average
        extra[later] += lengths[earlier] - average
        long += np.float32(weight) * extra
        expected += 2 * weight * average
    damped = near + (_K1 / expected) * long[:, None]
    return (near * (_K1 + 1) / damped).astype(np.float32)


def _sum_neighbours(cosines: Scores, keys: NDArray[np.int64]) -> Scores:
    """Return the weighted sum of the cosines of each document's neighbours."""
    near = np.zeros_like(cosines)
    for distance, weight in enumerate(_CONTEXT_DECAYS, start=1):
        earlier, later = _find_followers(keys, distance)
        near[earlier] += weight * cosines[later]
        near[later] += weight * cosines[earlier]
    return near
