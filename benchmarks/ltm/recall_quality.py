"""How well does a search find the turns of a dialog that answer a question: on LoCoMo, by words, by
meaning and by both, compared with plain BM25?

    python -m benchmarks.ltm.recall_quality locomo10.json [--paraphrases [FILE]] [--vectors FOLDER]
        [--fit]

A turn is an exchange without an answer, a dialog the only conversation of its user. Recall is the
share of a question's evidence among the first 1, 5, 10 or 20; MRR is the mean reciprocal rank of
the first. ``--paraphrases`` reports also on questions in other words, by default on the two hundred
of this repository, as a person asks who has forgotten the words of the dialog. ``--fit`` fits the
weights of the product's ranking on either half of the dialogs, questions and paraphrases (with
numpy, without searches), and reports on the other half; then it fits them on all dialogs.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from anaphora.ltm.background.tasks import embed_exchanges
from anaphora.ltm.dates.mentions import add_dates
from anaphora.ltm.embedders.embedder import Embedder, Vectors
from anaphora.ltm.embedders.minilm import MiniLM
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.indexing import embedding_text, exchange_terms
from anaphora.ltm.retrieval.search import SearchMode, search
from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
from anaphora.ltm.retrieval.store import NewExchange, UserKey
from anaphora.ltm.retrieval.terms import extract_terms
from anaphora.stm.conversation import ConversationKey
from benchmarks.ltm.locomo import (
    Dialog,
    Question,
    Turn,
    load_dialogs,
    load_paraphrases,
    split_dialogs,
)
from benchmarks.ltm.recall_report import Result, has_evidence, print_header, report
from benchmarks.ltm.weight_fitting import fit_weights

Find = Callable[[Dialog, Question], Sequence[str]]

DEPTH = 20
PARAPHRASES = Path(__file__).with_name("paraphrases.jsonl")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("data", type=Path, help="locomo10.json")
    parser.add_argument(
        "--paraphrases", type=Path, nargs="?", const=PARAPHRASES, help="questions in other words"
    )
    parser.add_argument("--vectors", type=Path, help="a folder to keep vectors in")
    parser.add_argument("--fit", action="store_true", help="choose the weights anew")
    chosen = parser.parse_args()
    dialogs = load_dialogs(chosen.data)
    paraphrased = load_paraphrases(chosen.paraphrases or PARAPHRASES, dialogs)
    embedder = _CachedEmbedder(chosen.vectors)
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteRecallStore(
            Path(folder) / "recall.db", settings=HistorySettings(), synchronous="normal"
        )
        ids = {dialog.id: _store_dialog(store, dialog, embedder) for dialog in dialogs}
        print_header()
        methods = {**_baseline_searches(dialogs), **_search_functions(store, embedder)}
        for name, find in methods.items():
            report(name, _measure(dialogs, find))
        if chosen.paraphrases:
            for name, find in methods.items():
                report(f"paraphrases: {name}", _measure(paraphrased, find))
            for number, half in enumerate(split_dialogs(paraphrased), start=1):
                found = _measure(half, methods["hybrid"])
                report(f"paraphrases, half {number}: hybrid", found)
        if chosen.fit:
            fit_weights(store, dialogs, paraphrased, ids, embedder)
        embedder.save()
        store.close()


def _measure(dialogs: Sequence[Dialog], find: Find) -> Result:
    result = Result()
    for dialog in dialogs:
        for question in filter(has_evidence, dialog.questions):
            begin = time.perf_counter()
            found = find(dialog, question)
            result.add(question, found, milliseconds=(time.perf_counter() - begin) * 1e3)
    return result


# -- the product -------------------------------------------------------------------------------


def _exchange(turn: Turn) -> Exchange:
    caption = f" [{turn.caption}]" if turn.caption else ""
    return add_dates(Exchange(f"{turn.speaker}: {turn.text}{caption}", "", turn.at))


def _store_dialog(store: SqliteRecallStore, dialog: Dialog, embedder: _CachedEmbedder) -> list[int]:
    """Store the turns of a dialog with their vectors; return their ids in order."""
    exchanges = [_exchange(turn) for turn in dialog.turns]
    key = ConversationKey(dialog.id, "dialog")
    store.add([NewExchange(key, one, exchange_terms(one)) for one in exchanges])
    ids: list[int] = []
    while waiting := store.find_unembedded(embedder.name, 1_000):
        texts = [embedding_text(said[-1], *said[:-1]) for _, said in waiting]
        own_texts = [embedding_text(said[-1]) for _, said in waiting]
        new = [id for id, _ in waiting]
        embed_exchanges(store, embedder, new, texts, own_texts)
        ids += new
    embedder.save()
    return ids


def _search_functions(store: SqliteRecallStore, cached: _CachedEmbedder) -> dict[str, Find]:
    def by(how: SearchMode, embedder: Embedder = cached) -> Find:
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

    modes: tuple[SearchMode, ...] = ("text", "meaning", "rrf", "hybrid")
    plain = "hybrid, without tokens"
    return {how: by(how) for how in modes} | {plain: by("hybrid", _WithoutTokens(cached))}


class _CachedEmbedder:
    """MiniLM with its vectors cached in a folder, so that a second run is fast."""

    def __init__(self, folder: Path | None) -> None:
        self._embedder = MiniLM()
        self.name, self.dimension = self._embedder.name, self._embedder.dimension
        self.token_name = self._embedder.token_name
        self._file = folder / f"{self.token_name}.npz" if folder else None
        self._known: dict[str, tuple[Vectors, Vectors]] = {}
        self._saved = 0
        if self._file and self._file.exists():
            kept = np.load(self._file)
            tokens = np.split(kept["tokens"], np.cumsum(kept["counts"])[:-1])
            pairs = zip(kept["vectors"], tokens, strict=True)
            self._known = dict(zip(kept["texts"].tolist(), pairs, strict=True))
            self._saved = len(self._known)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self.embed_with_tokens(texts)[0]

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            pairs = zip(*self._embedder.embed_with_tokens(new), strict=True)
            self._known.update(zip(new, pairs, strict=True))
        vectors, tokens = zip(*[self._known[text] for text in texts], strict=True)
        return np.stack(vectors), list(tokens)

    def save(self) -> None:
        if self._file and len(self._known) > self._saved:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            vectors, tokens = zip(*self._known.values(), strict=True)
            np.savez(
                self._file,
                texts=np.array(list(self._known)),
                vectors=np.stack(vectors),
                tokens=np.concatenate(tokens),
                counts=np.array(list(map(len, tokens))),
            )
            self._saved = len(self._known)


class _WithoutTokens:
    """An embedder without vectors of tokens."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dimension, self.embed = embedder.name, embedder.dimension, embedder.embed


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


if __name__ == "__main__":
    main()
