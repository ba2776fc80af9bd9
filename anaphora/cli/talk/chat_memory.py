"""The long-term memory of a chat, and how it is shown in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from anaphora.ltm.exchange import Exchange, Summary
    from anaphora.ltm.memory import LongTermMemory
    from anaphora.models.domain import Model

__all__ = ["ChatMemory"]

_USER = "user"  # whom the engine takes one for who says nothing of it
_MAX_PASSAGES = 5  # passages that /recall shows


class ChatMemory:
    """A long-term memory whose histories have about ``max_words`` words, and what the commands of
    a chat show of it."""

    def __init__(self, memory: LongTermMemory, *, max_words: int) -> None:
        self.memory = memory
        self._max_words = max_words

    @classmethod
    def open(cls, url: str, *, summarizer: str, embedder: str) -> ChatMemory:
        """The long-term memory at ``url``.

        Raises :class:`AnaphoraError` for one that cannot be used.
        """
        from anaphora.ltm.factory import MemoryConfig, build_memory

        plan = MemoryConfig(url, summarizer=summarizer, embedder=embedder)
        return cls(build_memory(plan), max_words=plan.max_words)

    def close(self) -> None:
        """Keep what is still to be kept."""
        self.memory.close()

    def show(
        self,
        out: Console,
        what: Literal["history", "summary", "recall"],
        model: Model,
        argument: str,
    ) -> None:
        """Print what one of the commands is to show of the conversation with ``model``.

        Raises :class:`StoreError` if it cannot be read.
        """
        commands: dict[str, Callable[[Console, Model, str], None]] = {
            "history": self._show_history,
            "summary": self._show_summary,
            "recall": self._show_recall,
        }
        commands[what](out, model, argument)

    def _show_history(self, out: Console, model: Model, _: str) -> None:
        from anaphora.stm.conversation import ConversationKey

        history = self.memory.history(ConversationKey(_USER, model.id))
        if not history.exchanges and not history.summaries:
            out.print(Text("nothing was said yet", style="dim"))
        for summary in history.summaries:
            _print_summary(out, summary)
        for exchange in history.exchanges:
            _print_exchange(out, exchange)

    def _show_summary(self, out: Console, model: Model, _: str) -> None:
        from anaphora.stm.conversation import ConversationKey

        history = self.memory.history(ConversationKey(_USER, model.id))
        for summary in history.summaries:
            _print_summary(out, summary)
        verbatim, most = len(history.exchanges), self._max_words
        out.print(
            f"The history has {_pluralize(history.size, 'word')} (summarized when it has more than "
            f"{most:,}): {_pluralize(len(history.summaries), 'summary')}, and "
            f"{_pluralize(verbatim, 'exchange')} as said"
        )
        status = self.memory.status()
        if failure := status.last_failures.get("compress"):
            out.print(Text(f"It could not be summarized: {failure}", style="red"))

    def _show_recall(self, out: Console, model: Model, text: str) -> None:
        from anaphora.ltm.retrieval.store import SearchFilter, UserKey

        if not text:
            out.print("/recall TEXT looks for what was said about something")
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
                    _print_exchange(out, exchange)
                elif exchange.number not in seen:
                    _print_exchange(out, exchange, style="dim")
                    seen.add(exchange.number)


def _print_summary(out: Console, summary: Summary) -> None:
    """The span of a summary and what it is of, then its text."""
    count = _pluralize(summary.last - summary.first + 1, "exchange")
    level = f", level {summary.level}" if summary.level > 1 else ""
    span = _format_span(summary.since, summary.until)
    out.print(Text(f"{span}  summary of {count}{level}, by {summary.by}", style="cyan"))
    _print_lines(out, "  ", summary.text.splitlines())


def _print_exchange(out: Console, exchange: Exchange, *, style: str = "") -> None:
    """When it was, what the user said and the bot answered."""
    said = Text(f"{_format_time(exchange.at)}  ", style="dim")
    said.append("you  ", style=style or "bold")
    said.append(" ".join(exchange.question.split()), style=style)
    said.append(_format_truncation(exchange, "question"), style="dim")
    out.print(said)
    if exchange.answer:
        answered = Text(" " * len(f"{_format_time(exchange.at)}  "))
        answered.append("bot  ", style=style or "bold")
        answered.append(" ".join(exchange.answer.split()), style=style)
        answered.append(_format_truncation(exchange, "answer"), style="dim")
        out.print(answered)


def _format_truncation(exchange: Exchange, name: str) -> str:
    length = exchange.truncated.get(name)
    return f" [… truncated, {length:,} characters in all]" if length else ""


def _print_lines(out: Console, indent: str, lines: Iterable[str]) -> None:
    for line in lines:
        out.print(Text(f"{indent}{line}"))


def _format_time(time: datetime) -> str:
    """A time as it was on the clock of whoever reads it."""
    return f"{time.astimezone():%Y-%m-%d %H:%M}"


def _format_span(since: datetime, until: datetime) -> str:
    begin, end = since.astimezone(), until.astimezone()
    last = f"{end:%H:%M}" if begin.date() == end.date() else f"{end:%Y-%m-%d %H:%M}"
    return (
        _format_time(since)
        if _format_time(since) == _format_time(until)
        else f"{_format_time(since)} – {last}"
    )


def _pluralize(number: int, what: str) -> str:
    many = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number:,} {what if number == 1 else many}"
