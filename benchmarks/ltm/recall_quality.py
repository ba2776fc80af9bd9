"""How well does a search find the turns of a dialog that answer a question: on LoCoMo, by words, by
meaning and by both, compared with plain BM25?

    python -m benchmarks.ltm.recall_quality locomo10.json [--vectors FOLDER] [--fit]

A turn is an exchange without an answer, a dialog the only conversation of its user. Recall is the
share of a question's evidence among the first 1, 5, 10 or 20; MRR is the mean reciprocal rank of
the first. ``--fit`` fits the weights of the product's ranking on either half of the dialogs (with
numpy, without searches) and reports on the other half; then it fits them on all dialogs.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.embedders.minilm import MiniLM
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.indexing import embedding_text, exchange_terms
from anaphora.ltm.retrieval.ranking import (
    FEATURES,
    HYBRID_WEIGHTS,
    TEXT_WEIGHTS,
    SearchQuery,
    compute_features,
)
from anaphora.ltm.retrieval.search import SearchMode, search
from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
from anaphora.ltm.retrieval.store import Document, NewExchange, SearchFilter, UserKey
from anaphora.ltm.retrieval.terms import extract_terms
from anaphora.stm.conversation import ConversationKey
from benchmarks.ltm.locomo import CATEGORIES, Dialog, Question, Turn, load_dialogs, split_dialogs

Find = Callable[[Dialog, Question], Sequence[str]]
Array = NDArray[np.float64]

DEPTH = 20
LITTLE = 0.34  # a question is a paraphrase if its evidence has less of its words' weight
PENALTY = 1e-4  # of the squares of weights
SET = FEATURES.index("own")  # whose weight is not fitted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("data", type=Path, help="locomo10.json")
    parser.add_argument("--vectors", type=Path, help="a folder to keep vectors in")
    parser.add_argument("--fit", action="store_true", help="choose the weights anew")
    chosen = parser.parse_args()
    dialogs = load_dialogs(chosen.data)
    embedder = _CachedEmbedder(chosen.vectors)
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteRecallStore(
            Path(folder) / "recall.db", settings=HistorySettings(), synchronous="normal"
        )
        ids = {dialog.id: _store_dialog(store, dialog, embedder) for dialog in dialogs}
        _header()
        for name, find in {
            **_baseline_searches(dialogs),
            **_search_functions(store, embedder),
        }.items():
            _report(name, _measure(dialogs, find))
        if chosen.fit:
            _fit_weights(store, dialogs, ids, embedder)
        store.close()


# -- what is measured --------------------------------------------------------------------------


@dataclass
class _Result:
    """For each question: category, recall at 1, 5, 10 and 20, reciprocal rank, and milliseconds."""

    categories: list[int] = field(default_factory=list)
    figures: list[tuple[float, ...]] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)


def _measure(dialogs: Sequence[Dialog], find: Find) -> _Result:
    result = _Result()
    for dialog in dialogs:
        for question in filter(_has_evidence, dialog.questions):
            begin = time.perf_counter()
            found = find(dialog, question)
            result.milliseconds.append((time.perf_counter() - begin) * 1e3)
            result.categories.append(question.category)
            result.figures.append(_scores(question, found))
    return result


def _has_evidence(question: Question) -> bool:
    return bool(question.evidence)


def _scores(question: Question, found: Sequence[str]) -> tuple[float, ...]:
    evidence = frozenset(question.evidence)
    recalls = [len(evidence.intersection(found[:top])) / len(evidence) for top in (1, 5, 10, 20)]
    first = next((rank for rank, id in enumerate(found, start=1) if id in evidence), 0)
    return (*recalls, 1 / first if first else 0.0)


def _header() -> None:
    names = " | ".join(f"{name} R@10" for name in CATEGORIES.values())
    print(f"| method | R@1 | R@5 | R@10 | R@20 | MRR | {names} | ms |")
    print("| --- |" + " ---: |" * (6 + len(CATEGORIES)))


def _report(name: str, result: _Result) -> None:
    figures, categories = np.array(result.figures), np.array(result.categories)
    overall = " | ".join(f"{value:.3f}" for value in figures.mean(0))
    by = " | ".join(f"{figures[categories == one, 2].mean():.3f}" for one in CATEGORIES)
    took = f"{np.median(result.milliseconds):.2f}" if result.milliseconds else "–"
    print(f"| {name} | {overall} | {by} | {took} |", flush=True)


# -- the product -------------------------------------------------------------------------------


def _exchange(turn: Turn) -> Exchange:
    caption = f" [{turn.caption}]" if turn.caption else ""
    return Exchange(f"{turn.speaker}: {turn.text}{caption}", "", turn.at)


def _store_dialog(store: SqliteRecallStore, dialog: Dialog, embedder: _CachedEmbedder) -> list[int]:
    """Store the turns of a dialog with their vectors; return the ids of the turns in order."""
    exchanges = [_exchange(turn) for turn in dialog.turns]
    key = ConversationKey(dialog.id, "dialog")
    store.add([NewExchange(key, one, exchange_terms(one)) for one in exchanges])
    ids: list[int] = []
    while waiting := store.find_unembedded(embedder.name, 1_000):
        texts = [embedding_text(said[-1], *said[:-1]) for _, said in waiting]
        new = [id for id, _ in waiting]
        store.put_vectors(embedder.name, new, embedder.embed(texts))
        ids += new
    embedder.embed([question.text for question in dialog.questions])
    embedder.save()
    return ids


def _search_functions(store: SqliteRecallStore, embedder: _CachedEmbedder) -> dict[str, Find]:
    def by(how: SearchMode) -> Find:
        def find(dialog: Dialog, question: Question) -> Sequence[str]:
            page = search(
                store,
                UserKey(dialog.id),
                question.text,
                mode=how,
                embedder=embedder,
                size=DEPTH,
                neighbours=0,
            )
            ids = [turn.id for turn in dialog.turns]
            return [ids[one.exchange.number - 1] for one in page.passages]

        return find

    return {how: by(how) for how in ("text", "meaning", "rrf", "hybrid")}


class _CachedEmbedder:
    """MiniLM with its vectors cached in a folder, so that a second run is fast."""

    def __init__(self, folder: Path | None) -> None:
        self._embedder = MiniLM()
        self.name, self.dimension = self._embedder.name, self._embedder.dimension
        self._file = folder / "minilm.npz" if folder else None
        self._known: dict[str, Vectors] = {}
        self._saved = 0
        if self._file and self._file.exists():
            kept = np.load(self._file)
            self._known = dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))
            self._saved = len(self._known)

    def embed(self, texts: Sequence[str]) -> Vectors:
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    def save(self) -> None:
        if self._file and len(self._known) > self._saved:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            texts, vectors = list(self._known), list(self._known.values())
            np.savez(self._file, texts=np.array(texts), vectors=np.stack(vectors))
            self._saved = len(self._known)


# -- the baseline ------------------------------------------------------------------------------


def _baseline_searches(dialogs: Sequence[Dialog]) -> dict[str, Find]:
    """SQLite's FTS5 with its BM25 and Porter stems, one table for all dialogs, a common setup: on
    the texts alone, and with speaker and date before them."""
    return {
        "FTS5 bm25, text": _fts_search(dialogs, lambda turn, _: turn.text),
        "FTS5 bm25, speaker + text": _fts_search(
            dialogs, lambda turn, _: f"{turn.speaker}: {turn.text}"
        ),
        "FTS5 bm25, date + speaker + text": _fts_search(
            dialogs, lambda turn, date: f"{date} {turn.speaker}: {turn.text}"
        ),
    }


def _fts_search(dialogs: Sequence[Dialog], text: Callable[[Turn, str], str]) -> Find:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE said USING fts5(text, dialog UNINDEXED, id UNINDEXED, "
        "tokenize='porter unicode61')"
    )
    rows = [
        (text(turn, session.date), dialog.id, turn.id)
        for dialog in dialogs
        for session in dialog.sessions
        for turn in session.turns
    ]
    connection.executemany("INSERT INTO said VALUES (?, ?, ?)", rows)

    def find(dialog: Dialog, question: Question) -> Sequence[str]:
        words = " OR ".join(f'"{word}"' for word in extract_terms(question.text, "none"))
        query = "SELECT id FROM said WHERE said MATCH ? AND dialog = ? ORDER BY rank LIMIT ?"
        return [id for (id,) in connection.execute(query, (words, dialog.id, DEPTH))]

    return find


# -- fitting weights ---------------------------------------------------------------------------


@dataclass
class _Case:
    """A question: the features of each turn of its dialog, and which turns are its evidence."""

    question: Question
    turns: Sequence[str]
    features: Array
    evidence: Array


def _fit_weights(
    store: SqliteRecallStore,
    dialogs: Sequence[Dialog],
    ids: dict[str, list[int]],
    embedder: _CachedEmbedder,
) -> None:
    """Print how well weights that were fitted on one half find the evidence of the other."""
    cases = {one.id: _collect_cases(store, one, ids[one.id], embedder) for one in dialogs}
    both = split_dialogs(dialogs)

    def of(some: Sequence[Dialog]) -> list[_Case]:
        return [case for dialog in some for case in cases[dialog.id]]

    for name, shipped in (("text", TEXT_WEIGHTS), ("hybrid", HYBRID_WEIGHTS)):
        used = [n for n in range(len(FEATURES)) if n != SET and shipped[n]]
        found: list[tuple[_Case, Array]] = []
        for chosen, reported in (both, both[::-1]):
            weights = _estimate_weights(of(chosen), used, shipped)
            scored = [(case, case.features @ weights) for case in of(reported)]
            found += scored
            _report(f"{name}, {_format_weights(weights)}", _evaluate_weights(scored))
        _report(f"{name}, each half by the weights of the other", _evaluate_weights(found))
        shipped_found = [(case, case.features @ shipped) for case in of(dialogs)]
        _report(f"{name}, as shipped, {_format_weights(shipped)}", _evaluate_weights(shipped_found))
        far = [(case, scores) for case, scores in found if _is_paraphrase(case)]
        _report(f"{name}, the {len(far)} questions of other words", _evaluate_weights(far))
        print(f"on all: {name} {_format_weights(_estimate_weights(of(dialogs), used, shipped))}")
    far = [(case, case.features[:, FEATURES.index("meaning")]) for case in of(dialogs)]
    _report(
        "meaning, the questions of other words",
        _evaluate_weights([x for x in far if _is_paraphrase(x[0])]),
    )


def _collect_cases(
    store: SqliteRecallStore, dialog: Dialog, ids: Sequence[int], embedder: _CachedEmbedder
) -> list[_Case]:
    whose, turns = UserKey(dialog.id), [turn.id for turn in dialog.turns]
    documents: Sequence[Document] = store.with_neighbours(store.documents(whose, ids), 0)
    made = []
    for question in filter(_has_evidence, dialog.questions):
        asked = SearchQuery.parse(question.text)
        statistics = store.statistics(whose, asked.terms)
        (vector,) = embedder.embed([question.text])
        cosines = dict(_nearest_passages(store, whose, embedder.name, vector))
        spoken = compute_features(asked, documents, statistics, cosines).astype(float)
        evidence = np.array([turn in question.evidence for turn in turns], float)
        made.append(_Case(question, turns, spoken, evidence))
    return made


def _nearest_passages(
    store: SqliteRecallStore, whose: UserKey, name: str, vector: Vectors
) -> Sequence[tuple[int, float]]:
    return store.find_nearest(whose, name, vector, SearchFilter(), 100)


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
    penalty = PENALTY * len(cases)
    total = -penalty / 2 * float(weights[used] @ weights[used])
    slope, curve = -penalty * weights[used], np.eye(len(used)) * penalty
    for case in cases:
        scores = case.features @ weights
        scores -= scores.max()
        likely = np.exp(scores)
        scores -= np.log(likely.sum())
        likely /= likely.sum()
        own = case.features[:, used]
        mean = likely @ own
        total += float(case.evidence @ scores / case.evidence.sum())
        slope += case.evidence @ own / case.evidence.sum() - mean
        curve += (own * likely[:, None]).T @ own - np.outer(mean, mean)
    return total, slope, curve


def _evaluate_weights(cases: Sequence[tuple[_Case, Array]]) -> _Result:
    result = _Result()
    for case, scores in cases:
        best = np.argsort(-scores, kind="stable")[:DEPTH]
        result.categories.append(case.question.category)
        result.figures.append(_scores(case.question, [case.turns[row] for row in best]))
    return result


def _is_paraphrase(case: _Case) -> bool:
    own = case.features[:, FEATURES.index("own")]
    return float(own[case.evidence > 0].max()) < LITTLE


def _format_weights(weights: Sequence[float] | NDArray[np.floating]) -> str:
    return ", ".join(f"{name} {value:.1f}" for name, value in zip(FEATURES, weights, strict=True))


if __name__ == "__main__":
    main()
