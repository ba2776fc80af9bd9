"""Loads documents into a recall store, in batches of passages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from anaphora.agents.archive.document import Document
from anaphora.agents.archive.passages import Passage, split_passages
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.indexing import exchange_terms
from anaphora.ltm.retrieval.store import NewExchange, RecallStore, UserKey
from anaphora.stm.conversation import ConversationKey

__all__ = ["DocumentLoader", "LoadProgress", "make_passage", "passage_text"]

# Passages stored in one transaction. Each distinct term of a batch costs an update of its list in
# the index: 1,000 passages have 15,000 terms, 4,000 have 18,000.
_BATCH_SIZE = 4_000
_DIGEST_SLOT = "document"


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """The numbers of documents and of new passages so far, of ``unchanged`` documents, and the
    ``source`` of the last document."""

    documents: int = 0
    passages: int = 0
    unchanged: int = 0
    source: str = ""


class DocumentLoader:
    """Splits documents of ``owner`` into passages and stores them in batches.

    The last passage of a document carries the digest of the document, so that one that is complete
    and unchanged is recognized.
    """

    def __init__(self, store: RecallStore, owner: UserKey, clock: Callable[[], datetime]) -> None:
        self.progress = LoadProgress()
        self._store, self._owner, self._clock = store, owner, clock
        self._waiting: list[NewExchange] = []
        self._sources: set[str] = set()  # whose passages are waiting
        self._replaced: set[str] = set()  # whose passages are to be erased

    def add(self, document: Document) -> None:
        """Add a document, in place of the one with the same source; it is stored with its batch."""
        if document.source in self._sources:
            self.flush()
        new = 0
        before = self._store.latest(_key(self._owner, document.source), 1)
        unchanged = any(one.slots.get(_DIGEST_SLOT) == (document.digest,) for one in before)
        if not unchanged:
            if before:
                self._replaced.add(document.source)
            new = self._add_passages(document)
        done = self.progress
        self.progress = LoadProgress(
            done.documents + 1, done.passages + new, done.unchanged + unchanged, document.source
        )

    def flush(self) -> None:
        """Store what is waiting."""
        if self._replaced:
            self._store.erase(self._owner, model=frozenset(self._replaced))
        if self._waiting:
            self._store.add(self._waiting)
        self._waiting = []
        self._sources.clear()
        self._replaced.clear()

    def _add_passages(self, document: Document) -> int:
        at = self._clock()
        count = 0
        for passage in split_passages(document.sections):
            if len(self._waiting) >= _BATCH_SIZE:
                self.flush()
            self._sources.add(document.source)
            headings = passage.headings
            if headings[:1] != (document.title,):
                headings = (document.title, *headings)
            self._waiting.append(
                make_passage(
                    self._owner,
                    document.source,
                    Passage(passage.text, headings),
                    at=at,
                    language=document.language,
                )
            )
            count += 1
        if count:
            last = self._waiting[-1]
            marked = replace(last.exchange, slots={_DIGEST_SLOT: (document.digest,)})
            self._waiting[-1] = replace(last, exchange=marked)
        return count


def make_passage(
    owner: UserKey, source: str, passage: Passage, *, at: datetime, language: str = ""
) -> NewExchange:
    """Make the exchange that stores a passage: its headings are the question, its text the
    answer."""
    exchange = Exchange(
        " › ".join(filter(None, passage.headings)),
        passage.text,
        at,
        language=language,
        question_dates=(),  # the recognizer of dates is too slow for documents
        answer_dates=(),
    )
    return NewExchange(_key(owner, source), exchange, exchange_terms(exchange))


def passage_text(exchange: Exchange, before: Exchange | None = None) -> str:
    """Return the text to embed for a passage, with its headings. Unlike an exchange, it stands for
    itself."""
    return "\n".join(filter(None, (exchange.question, exchange.answer)))


def _key(owner: UserKey, source: str) -> ConversationKey:
    return ConversationKey(owner.user, source, owner.tenant)
