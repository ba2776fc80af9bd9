"""Fit the weights of the product's ranking to questions whose evidence is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anaphora.ltm.embedders.embedder import TokenEmbedder
from anaphora.ltm.retrieval.day_terms import asks_when, find_days
from anaphora.ltm.retrieval.ranking import (
    FEATURES,
    HYBRID_WEIGHTS,
    TEXT_WEIGHTS,
    TOKEN_LIMIT,
    TOKEN_WEIGHTS,
    SearchQuery,
    add_token_feature,
    compute_features,
)
from anaphora.ltm.retrieval.speakers import find_speaker_terms, remove_names, select_speakers
from anaphora.ltm.retrieval.store import Document, RecallStore, SearchFilter, UserKey
from anaphora.ltm.retrieval.terms import DEFAULT_LANGUAGE
from benchmarks.ltm.locomo import Dialog, Question, split_dialogs
from benchmarks.ltm.recall_report import Result, has_evidence, report

__all__ = ["fit_weights"]

Array = NDArray[np.float64]

PARAPHRASE_WEIGHT = 10.0  # of a paraphrase; there are ten times as many questions
PENALTY = 1e-4  # of the squares of weights
SET = FEATURES.index("own")  # whose weight is not fitted
DEPTH = 20


def fit_weights(
    store: RecallStore,
    dialogs: Sequence[Dialog],
    paraphrased: Sequence[Dialog],
    ids: Mapping[str, Sequence[int]],
    embedder: TokenEmbedder,
) -> None:
    """Print how well weights that were fitted on one half of the dialogs find the evidence of the
    other, then those fitted on all. ``ids`` are those of each dialog's turns in the store. The
    weights with tokens are fitted to the first documents by the weights without."""
    questions = {one.id: _collect_cases(store, one, ids[one.id], embedder) for one in dialogs}
    others = {
        one.id: _collect_cases(store, one, ids[one.id], embedder, weight=PARAPHRASE_WEIGHT)
        for one in paraphrased
    }
    names = [one.id for one in dialogs]
    halves = [[one.id for one in half] for half in split_dialogs(dialogs)]
    for name, shipped in (("text", TEXT_WEIGHTS), ("hybrid", HYBRID_WEIGHTS)):
        used = [n for n in range(len(FEATURES)) if n != SET and shipped[n]]
        weights = [
            _estimate_weights(_of(half, questions, others), used, shipped) for half in halves
        ]
        for title, cases in (("questions", questions), ("paraphrases", others)):
            found: list[tuple[_Case, Array]] = []
            for half, fitted in zip(halves, weights[::-1], strict=True):
                scored = [(case, case.features @ fitted) for case in _of(half, cases)]
                report(f"{title}, {name}, {_format_weights(fitted)}", _evaluate(scored))
                found += scored
            report(f"{title}, {name}, each half by the weights of the other", _evaluate(found))
            as_shipped = [(case, case.features @ shipped) for case in _of(names, cases)]
            report(f"{title}, {name}, as shipped", _evaluate(as_shipped))
        fitted = _estimate_weights(_of(names, questions, others), used, shipped)
        print(f"on all: {name} {_format_weights(fitted)}")
    _fit_token_weights(halves, questions, others, weights)


def _fit_token_weights(
    halves: Sequence[Sequence[str]],
    questions: Mapping[str, Sequence[_Case]],
    others: Mapping[str, Sequence[_Case]],
    weights: Sequence[Array],
) -> None:
    """Fit and report the weights with tokens, given those of both halves without."""
    used = [n for n in range(len(FEATURES)) if n != SET]

    def fit(names: Sequence[str], weights: Array) -> Array:
        first = [_select_first(case, weights) for case in _of(names, questions, others)]
        found = [case for case in first if case.evidence.any()]
        return _estimate_weights(found, used, TOKEN_WEIGHTS)

    both = [fit(half, each) for half, each in zip(halves, weights, strict=True)]
    names = [name for half in halves for name in half]
    for title, cases in (("questions", questions), ("paraphrases", others)):
        found: list[tuple[_Case, Array]] = []
        for half, before, fitted in zip(halves, weights[::-1], both[::-1], strict=True):
            scored = [(case, _score_again(case, before, fitted)) for case in _of(half, cases)]
            report(f"{title}, tokens, {_format_weights(fitted)}", _evaluate(scored))
            found += scored
        report(f"{title}, tokens, each half by the weights of the other", _evaluate(found))
        shipped = HYBRID_WEIGHTS.astype(float), TOKEN_WEIGHTS.astype(float)
        as_shipped = [(case, _score_again(case, *shipped)) for case in _of(names, cases)]
        report(f"{title}, tokens, as shipped", _evaluate(as_shipped))
    print(f"on all: tokens {_format_weights(fit(names, HYBRID_WEIGHTS.astype(float)))}")


def _select_first(case: _Case, weights: Array) -> _Case:
    """The case with the first turns by these weights only."""
    rows = np.argsort(-(case.features @ weights), kind="stable")[:TOKEN_LIMIT]
    turns = [case.turns[row] for row in rows]
    return replace(case, turns=turns, features=case.features[rows], evidence=case.evidence[rows])


def _score_again(case: _Case, weights: Array, token_weights: Array) -> Array:
    """The scores with tokens, which are known of the first turns by the other weights only."""
    order = np.argsort(-(case.features @ weights), kind="stable")
    features = case.features.copy()
    features[order[TOKEN_LIMIT:], -1] = features[order[:TOKEN_LIMIT], -1].min()
    scores: Array = features @ token_weights
    return scores


@dataclass
class _Case:
    """A question: the features of each turn of its dialog, and which turns are its evidence."""

    question: Question
    turns: Sequence[str]
    features: Array
    evidence: Array
    weight: float


def _of(names: Sequence[str], *cases: Mapping[str, Sequence[_Case]]) -> list[_Case]:
    return [case for each in cases for name in names for case in each[name]]


def _collect_cases(
    store: RecallStore,
    dialog: Dialog,
    ids: Sequence[int],
    embedder: TokenEmbedder,
    *,
    weight: float = 1.0,
) -> list[_Case]:
    whose, turns = UserKey(dialog.id), [turn.id for turn in dialog.turns]
    documents: Sequence[Document] = store.with_neighbours(whose, store.documents(whose, ids), 0)
    packed = store.token_vectors(whose, embedder.token_name, ids)
    made = []
    for question in filter(has_evidence, dialog.questions):
        asked, names = SearchQuery.parse(question.text), find_speaker_terms(question.text)
        statistics = store.statistics(whose, (*asked.terms, *names))
        speakers = select_speakers(question.text, statistics.frequency)
        texts = [remove_names(question.text, speakers)]
        (vector,), (tokens,) = embedder.embed_with_tokens(texts)
        cosines = dict(
            store.find_nearest(whose, embedder.name, vector, SearchFilter(), len(documents))
        )
        days = find_days(question.text, [DEFAULT_LANGUAGE], dialog.sessions[-1].at)
        months = frozenset(month for day in days for month in day.months)
        asked = replace(asked, speakers=speakers, months=months, asks_when=asks_when(question.text))
        features = compute_features(asked, documents, statistics, cosines)
        everything = np.arange(len(documents))
        add_token_feature(features, documents, everything, tokens, lambda _: packed)
        evidence = np.array([turn in question.evidence for turn in turns], float)
        made.append(_Case(question, turns, features.astype(float), evidence, weight))
    return made


def _estimate_weights(
    cases: Sequence[_Case], used: Sequence[int], shipped: NDArray[np.float32]
) -> Array:
    """The weights that maximize the likelihood of the evidence: the mean log-softmax with a small
    L2 penalty, by Newton's method."""
    weights = np.zeros(len(FEATURES))
    weights[SET] = shipped[SET]
    best, slope, curve = _likelihood(cases, weights, used)
    for _ in range(12):
        step = np.linalg.solve(curve, slope)
        while True:  # a whole step leads too far at the beginning
            tried = weights.copy()
            tried[used] += step
            likelihood, *rest = _likelihood(cases, tried, used)
            if likelihood >= best or np.abs(step).max() < 1e-4:
                break
            step = step / 2
        weights, best, (slope, curve) = tried, likelihood, rest
        if np.abs(step).max() < 0.01:
            break
    return weights


def _likelihood(
    cases: Sequence[_Case], weights: Array, used: Sequence[int]
) -> tuple[float, Array, Array]:
    """The log-likelihood of the evidence, its gradient and its Hessian."""
    penalty = PENALTY * sum(case.weight for case in cases)
    total = -penalty / 2 * float(weights[used] @ weights[used])
    slope, curve = -penalty * weights[used], np.eye(len(used)) * penalty
    for case in cases:
        scores = case.features @ weights
        scores -= scores.max()
        likely = np.exp(scores)
        scores -= np.log(likely.sum())
        likely /= likely.sum()
        own, evidence = case.features[:, used], case.evidence / case.evidence.sum()
        mean = likely @ own
        total += case.weight * float(evidence @ scores)
        slope += case.weight * (evidence @ own - mean)
        curve += case.weight * ((own * likely[:, None]).T @ own - np.outer(mean, mean))
    return total, slope, curve


def _evaluate(cases: Sequence[tuple[_Case, Array]]) -> Result:
    result = Result()
    for case, scores in cases:
        best = np.argsort(-scores, kind="stable")[:DEPTH]
        result.add(case.question, [case.turns[row] for row in best])
    return result


def _format_weights(weights: Sequence[float] | NDArray[np.floating]) -> str:
    return ", ".join(f"{name} {value:.1f}" for name, value in zip(FEATURES, weights, strict=True))
