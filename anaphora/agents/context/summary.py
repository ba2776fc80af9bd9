"""The recursive summary: old summary + messages that leave the queue → new summary."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from anaphora.agents.context.paging import split_pages
from anaphora.agents.state.records import MessageAdded, MessageSent, Record
from anaphora.errors import AnaphoraError
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import count_words
from anaphora.ltm.history.working_history import HistoryPart
from anaphora.ltm.prompt.escaping import escape
from anaphora.ltm.summarizers.summarizer import Segment, Summarizer

__all__ = ["RecursiveSummarizer", "collect_exchanges", "split_exchange"]

_PAGE = 4_000  # characters
_CHARACTERS_PER_WORD = 6  # with the blank behind it

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RecursiveSummarizer:
    """Folds exchanges into a summary of at most ``max_words`` words, in portions of at most
    ``portion`` words, so that no prompt of a summarizer overflows. Where ``primary`` fails,
    ``fallback`` takes its place."""

    primary: Summarizer
    fallback: Summarizer
    max_words: int
    portion: int

    def summarize(self, old: str, exchanges: Sequence[Exchange]) -> tuple[str, str]:
        """Return the new summary and the name of the summarizer."""
        text, by = old, self.primary.name
        for portion in self._split_portions(exchanges):
            parts: list[HistoryPart] = list(portion)
            if text:
                first = portion[0]
                parts.insert(0, Summary(text, 1, 1, first.at, first.at, by))
            text, by = self._summarize(Segment(tuple(parts), self.max_words))
        return text, by

    def _summarize(self, segment: Segment) -> tuple[str, str]:
        try:
            (text,) = self.primary.summarize([segment])
            if text.strip():
                return self._cut(text), self.primary.name
        except AnaphoraError as error:
            _log.warning("%s: %s; using %s", self.primary.name, error, self.fallback.name)
        (text,) = self.fallback.summarize([segment])
        return self._cut(text), self.fallback.name

    def _cut(self, text: str) -> str:
        """A summarizer may exceed its length: a summary that grows would fill the window."""
        words = text.split()
        longest = 2 * self.max_words
        cut = " ".join(words[:longest]) if len(words) > longest else text.strip()
        return cut[: 20 * self.max_words]

    def _split_portions(self, exchanges: Sequence[Exchange]) -> Iterable[list[Exchange]]:
        portion: list[Exchange] = []
        size = 0.0
        for exchange in exchanges:
            shortened = self._shorten(exchange)
            words = _measure(shortened.question) + _measure(shortened.answer)
            if portion and size + words > self.portion:
                yield portion
                portion, size = [], 0.0
            portion.append(shortened)
            size += words
        if portion:
            yield portion

    def _shorten(self, exchange: Exchange) -> Exchange:
        """Shorten an exchange that alone exceeds a portion; it stays whole in recall memory."""
        most = 4 * self.portion  # characters of each text: a word has more than that
        question, answer = (
            _cut_escaped(exchange.question, most),
            _cut_escaped(exchange.answer, most),
        )
        if (question, answer) == (exchange.question, exchange.answer):
            return exchange
        return Exchange(question, answer, exchange.at)


def _measure(text: str) -> float:
    """The length of a text in words. Marks without blanks between them, and those that a prompt
    escapes, count by their characters: they take more tokens than words do."""
    return max(count_words(text), len(escape(text)) / _CHARACTERS_PER_WORD)


def _cut_escaped(text: str, most: int) -> str:
    """The beginning of a text that has at most ``most`` characters once it is escaped."""
    text = text[:most]
    while (length := len(escape(text))) > most:
        text = text[: len(text) * most // length]
    return text


def collect_exchanges(records: Iterable[Record]) -> list[Exchange]:
    """Collect what the user and the agent said from records, one exchange for each event."""
    spoken: dict[str, tuple[list[str], list[str], datetime]] = {}
    for record in records:
        match record:
            case MessageAdded(message) if message.is_user_message:
                spoken.setdefault(message.event, ([], [], message.at))[0].append(message.text)
            case MessageSent(event, text, at):
                spoken.setdefault(event, ([], [], at))[1].append(text)
    return [
        Exchange("\n".join(asked), "\n".join(answered), at)
        for asked, answered, at in spoken.values()
    ]


def split_exchange(exchange: Exchange) -> list[Exchange]:
    """Split an exchange of long texts into pages: the long-term memory truncates long exchanges,
    and a page is what a search finds and shows."""
    asked, answered = split_pages(exchange.question, _PAGE), split_pages(exchange.answer, _PAGE)
    pages = [(page, "") for page in asked[:-1]] + [(asked[-1], answered[0])]
    pages += [("", page) for page in answered[1:]]
    return [Exchange(question, answer, exchange.at) for question, answer in pages]
