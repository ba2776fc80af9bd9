"""The functions by which an agent answers, and edits and searches its memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from anaphora.agents.archive.archive import Archive
from anaphora.agents.functions.context import RunContext
from anaphora.agents.functions.function import AgentFunction, CallError
from anaphora.agents.state.records import BlockChanged, HeartbeatsPaused, MessageSent
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.retrieval.search import Page, Passage
from anaphora.ltm.retrieval.store import SearchFilter, UserKey

__all__ = ["archive_functions", "core_functions", "recall_functions"]

_PAGE_SIZE = 5
_MAX_PAUSE = 360  # minutes
_READ_LENGTH = 2_500  # characters
_FIRST_DAY, _LAST_DAY = date(1970, 1, 1), date(9998, 12, 31)
_NOTHING = "No results found."


def _parse_page(value: Any) -> Any:
    """Models write pages that they do not know as null or "none"."""
    return 0 if value is None or (isinstance(value, str) and value.lower() == "none") else value


_Page = Annotated[
    int, BeforeValidator(_parse_page), Field(ge=0, le=10_000, description="page, from 0")
]


def core_functions() -> list[AgentFunction]:
    """Build the functions that answer the user, edit core memory and read long messages."""
    return [
        AgentFunction.from_callable(
            _send_message, name="send_message", repeatable=True, reads=False, heartbeat=False
        ),
        AgentFunction.from_callable(
            _core_memory_append, name="core_memory_append", repeatable=True, reads=False
        ),
        AgentFunction.from_callable(
            _core_memory_replace, name="core_memory_replace", repeatable=True, reads=False
        ),
        AgentFunction.from_callable(_read_more, name="read_more", repeatable=True),
        AgentFunction.from_callable(
            _pause_heartbeats,
            name="pause_heartbeats",
            repeatable=True,
            reads=False,
            heartbeat=False,
        ),
    ]


def recall_functions(memory: LongTermMemory, *, model: str | None) -> list[AgentFunction]:
    """Build the functions that search the conversations of the user with ``model`` (None: with
    all bots) in the long-term memory."""

    def conversation_search(
        query: Annotated[str, Field(description="what to look for, in any words")],
        context: RunContext,
        page: _Page = 0,
    ) -> str:
        """Search the whole conversation with the user, also its hidden part; best matches first."""
        found = memory.recall(
            UserKey(context.user, context.tenant),
            query,
            filters=SearchFilter(model=model),
            page=page + 1,
            size=_PAGE_SIZE,
            neighbours=0,
            at=context.at,
        )
        return _format_page(found, page)

    def conversation_search_date(
        start_date: Annotated[date, Field(description="YYYY-MM-DD")],
        end_date: Annotated[date, Field(description="YYYY-MM-DD, inclusive")],
        context: RunContext,
        page: _Page = 0,
    ) -> str:
        """List what was said from one day to another, both inclusive; the newest first."""
        if end_date < start_date:
            raise CallError(f"end_date {end_date} is before start_date {start_date}")
        found = memory.recall(
            UserKey(context.user, context.tenant),
            filters=SearchFilter(
                model=model,
                since=_midnight(start_date, context.at),
                until=_midnight(end_date, context.at) + timedelta(days=1),
            ),
            page=page + 1,
            size=_PAGE_SIZE,
            neighbours=0,
        )
        return _format_page(found, page)

    return _repeatable(conversation_search, conversation_search_date)


def archive_functions(
    archive: Archive, owners: Callable[[RunContext], Sequence[UserKey]]
) -> list[AgentFunction]:
    """Build the functions that write to archival memory and search it. The first of ``owners`` owns
    what is inserted."""

    def archival_memory_insert(
        content: Annotated[
            str, Field(min_length=1, description="what to remember, self-contained")
        ],
        context: RunContext,
    ) -> str:
        """Store a text in archival memory, where it stays for good."""
        owner = owners(context)[0]
        # A call that is repeated after a crash has the same source, and replaces what it inserted.
        source = f"note:{context.call_id}"
        if context.may_repeat:
            archive.remove(owner, source)
        count = archive.insert(owner, content, source=source, at=context.at)
        return f"stored in {count} {'passage' if count == 1 else 'passages'}"

    def archival_memory_search(
        query: Annotated[str, Field(description="what to look for, in any words")],
        context: RunContext,
        page: _Page = 0,
    ) -> str:
        """Search documents and stored notes; best matches first."""
        found = archive.search(owners(context), query, page=page + 1, size=_PAGE_SIZE)
        if not found.passages:
            return (
                "No results found."
                if not page
                else f"No more results; the last page is {found.pages - 1}."
            )
        head = (
            f"Showing {len(found.passages)} of {found.total} results (page {page}/"
            f"{found.pages - 1}):"
        )
        return "\n".join(
            [
                head,
                *[
                    _to_line(
                        time=one.at.date().isoformat(), source=_source(one.source), text=one.text
                    )
                    for one in found.passages
                ],
            ]
        )

    insert, search = _repeatable(archival_memory_insert, archival_memory_search)
    return [insert, search]


def _send_message(
    message: Annotated[str, Field(min_length=1, description="what the user will read")],
    context: RunContext,
) -> None:
    """Say something to the user."""
    if not message.strip():
        raise CallError("the message is empty")
    context.emit(MessageSent(context.event, message, context.at))


def _core_memory_append(
    name: Annotated[str, Field(description="label of the block")],
    content: Annotated[str, Field(min_length=1, description="one line to add")],
    context: RunContext,
) -> None:
    """Add a line to a block of core memory."""
    context.emit(BlockChanged(name, context.core.append(name, content), context.at))


def _core_memory_replace(
    name: Annotated[str, Field(description="label of the block")],
    old_content: Annotated[str, Field(description="exact text in the block")],
    new_content: Annotated[str, Field(description="its replacement; empty deletes it")],
    context: RunContext,
) -> None:
    """Replace a text in a block of core memory, wherever it occurs there."""
    value = context.core.replace(name, old_content, new_content)
    context.emit(BlockChanged(name, value, context.at))


def _read_more(
    number: Annotated[int, Field(ge=1, description="number of the message")],
    context: RunContext,
    start: Annotated[int, Field(ge=0, description="first character")] = 0,
) -> str:
    """Read on in a long message or result of which only a part is shown."""
    message = context.read_message(number)
    if message is None:
        raise CallError(f"there is no message {number}")
    text = message.text[start : start + _READ_LENGTH]
    end = start + len(text)
    rest = f"; start={end} continues" if end < len(message.text) else "; this is the end"
    return f"Characters {start} to {end} of {len(message.text)}{rest}: {text}"


def _pause_heartbeats(
    minutes: Annotated[float, Field(gt=0, description="at most 360")], context: RunContext
) -> str:
    """Ignore timed heartbeats for some time."""
    until = context.at + timedelta(minutes=min(minutes, _MAX_PAUSE))
    context.emit(HeartbeatsPaused(until))
    return f"paused until {until.isoformat(sep=' ', timespec='minutes')}"


def _repeatable(*functions: Callable[..., object]) -> list[AgentFunction]:
    return [AgentFunction.from_callable(one, repeatable=True) for one in functions]


def _format_page(found: Page, page: int) -> str:
    """Format results, each a JSON object in a line of its own: no text can pose as another."""
    if not found.passages:
        return "No more results." if page else _NOTHING
    more = f"; page {page + 1} has more" if found.more else ""
    head = f"Showing {len(found.passages)} results (page {page}{more}):"
    return "\n".join([head, *_format_passages(found.passages)])


def _format_passages(passages: Iterable[Passage]) -> list[str]:
    return [
        _to_line(
            time=one.exchange.at.isoformat(sep=" ", timespec="minutes"),
            user=one.exchange.question,
            assistant=one.exchange.answer,
        )
        for one in passages
    ]


def _to_line(**fields: str) -> str:
    return json.dumps({name: text for name, text in fields.items() if text}, ensure_ascii=False)


def _source(source: str) -> str:
    return "" if source.startswith("note:") else source


def _midnight(day: date, at: datetime) -> datetime:
    # The years at both ends cannot be converted to other time zones.
    return datetime.combine(min(max(day, _FIRST_DAY), _LAST_DAY), time(), at.tzinfo)
