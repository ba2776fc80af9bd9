"""The long-term memory of a chat, and its display in the terminal."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from anaphora.core.plurals import pluralize

if TYPE_CHECKING:
    from anaphora.ltm.exchange import Exchange, Summary
    from anaphora.ltm.memory import LongTermMemory
    from anaphora.models.domain import Model

__all__ = ["ChatMemory", "print_exchange"]

_USER = "user"  # the default user of the engine
_MAX_PASSAGES = 5  # in the output of /recall


class ChatMemory:
    """A long-term memory and the chat commands that show it for the conversation with a model.
    Histories of more than ``max_words`` words are summarized."""

    def __init__(self, memory: LongTermMemory, *, max_words: int) -> None:
        self.memory = memory
        self._max_words = max_words

    @classmethod
    def open(cls, url: str, *, summarizer: str, embedder: str) -> ChatMemory:
        """Open the long-term memory at ``url``.

        Raises :class:`AnaphoraError` if it cannot be used.
        """
        from anaphora.ltm.factory import MemoryConfig, build_memory

        plan = MemoryConfig(url, summarizer=summarizer, embedder=embedder)
        return cls(build_memory(plan), max_words=plan.max_words)

    def close(self) -> None:
        """Close the memory; pending writes are finished first."""
        self.memory.close()

    def show_history(self, out: Console, model: Model, _: str) -> None:
        from anaphora.stm.conversation import ConversationKey

        history = self.memory.history(ConversationKey(_USER, model.id))
        if not history.exchanges and not history.summaries:
            out.print(Text("the history is empty", style="dim"))
        for summary in history.summaries:
            _print_summary(out, summary)
        for exchange in history.exchanges:
            print_exchange(out, exchange)

    def show_summary(self, out: Console, model: Model, _: str) -> None:
        from anaphora.stm.conversation import ConversationKey

        history = self.memory.history(ConversationKey(_USER, model.id))
        for summary in history.summaries:
            _print_summary(out, summary)
        out.print(
            f"The history has {pluralize(history.size, 'word')} (summarized when it has more than "
            f"{self._max_words:,}): {pluralize(len(history.summaries), 'summary')} and "
            f"{pluralize(len(history.exchanges), 'exchange')} in full"
        )
        status = self.memory.status()
        if failure := status.last_failures.get("compress"):
            out.print(Text(f"It could not be summarized: {failure}", style="red"))

    def show_recall(self, out: Console, model: Model, text: str) -> None:
        from anaphora.ltm.retrieval.store import SearchFilter, UserKey

        if not text:
            out.print("/recall TEXT searches earlier exchanges")
            return
        page = self.memory.recall(
            UserKey(_USER),
            text,
            filters=SearchFilter(model=model.id),
            language=model.languages,
            size=_MAX_PASSAGES,
            at=datetime.now().astimezone(),
        )
        if not page.passages:
            out.print(Text("nothing was found", style="dim"))
        seen = {passage.exchange.number for passage in page.passages}
        for passage in page.passages:
            for exchange in (*passage.before, passage.exchange, *passage.after):
                if exchange is passage.exchange:
                    print_exchange(out, exchange)
                elif exchange.number not in seen:
                    print_exchange(out, exchange, style="dim")
                    seen.add(exchange.number)


def _print_summary(out: Console, summary: Summary) -> None:
    """Print the time span of a summary, the number of its exchanges and its text."""
    count = pluralize(summary.last - summary.first + 1, "exchange")
    level = f", level {summary.level}" if summary.level > 1 else ""
    span = _format_span(summary.since, summary.until)
    out.print(Text(f"{span}  summary of {count}{level}, by {summary.by}", style="cyan"))
    for line in summary.text.splitlines():
        out.print(Text(f"  {line}"))


def print_exchange(out: Console, exchange: Exchange, *, style: str = "") -> None:
    """Print the time, the question and the answer of an exchange."""
    time = f"{_format_time(exchange.at)}  "
    for begin, who, field in ((time, "you", "question"), (" " * len(time), "bot", "answer")):
        text: str = getattr(exchange, field)
        if text or who == "you":
            line = Text(begin, style="dim")
            line.append(f"{who}  ", style=style or "bold")
            line.append(" ".join(text.split()), style=style)
            if length := exchange.truncated.get(field):
                line.append(f" [… truncated, {length:,} characters in all]", style="dim")
            out.print(line)


def _format_time(time: datetime) -> str:
    """A time in the time zone of this machine."""
    return f"{time.astimezone():%Y-%m-%d %H:%M}"


def _format_span(since: datetime, until: datetime) -> str:
    first, last = _format_time(since), _format_time(until)
    if first == last:
        return first
    day = f"{since.astimezone():%Y-%m-%d} "
    return f"{first} – {last.removeprefix(day)}"
