"""``anaphora quarantine``: list, retry and drop quarantined items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from anaphora.cli.terminal import value_option
from anaphora.errors import AnaphoraError, Conflict, Problem

if TYPE_CHECKING:
    from anaphora.ltm.retrieval.store import QuarantinedItem
    from anaphora.stm.stores.quarantine import QuarantinedConversation

    _Item: TypeAlias = QuarantinedItem | QuarantinedConversation

__all__ = ["quarantine"]

_MAX_LISTED = 1_000  # items
_NO_LIMIT = 1_000_000
_SQLITE_HEADER = b"SQLite format 3\0"
_STORE_PREFIX = "store:"  # tells the ids of the store from those of the memory


@dataclass(frozen=True, slots=True)
class _Quarantine:
    """The quarantine of the memory or of the store; ``prefix`` is put before its ids."""

    prefix: str
    items: Callable[[int], Sequence[_Item]]
    release: Callable[[str], bool]
    discard: Callable[[str], bool]


def quarantine(
    url: Annotated[
        str | None, typer.Argument(metavar="URL", help="The same as --memory.", show_default=False)
    ] = None,
    *,
    memory: Annotated[
        str | None,
        value_option(
            "URL",
            "The long-term memory: sqlite:///memory.db, sqlite:////var/lib/memory.db "
            "or postgresql://user:password@host/database.",
        ),
    ] = None,
    store: Annotated[
        str | None,
        value_option(
            "URL",
            "The store of conversations: sqlite:///bot.db, redis://host:6379/0 or "
            "postgresql://user:password@host/database.",
        ),
    ] = None,
    retry: Annotated[
        list[str] | None,
        typer.Option("--retry", metavar="ID", help="Retry this item ('all': each)."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", metavar="ID", help="Delete this item permanently ('all': each)."),
    ] = None,
) -> None:
    """List the items that a long-term memory could not process and the conversations that a store
    could not read.

    Entries, exchanges, summaries and conversations are quarantined if they are damaged, tasks
    ('embed', 'compress') if the embedder or the summarizer rejects them. A service that uses the
    memory or the store may keep running.

    Example: anaphora quarantine sqlite:///memory.db --retry all
    """
    if url is not None and memory is not None:
        raise AnaphoraError("the URL of the long-term memory is given twice: give it once")
    memory = memory or url
    if memory is None and store is None:
        raise AnaphoraError(
            "no URL is given: give that of a long-term memory (--memory URL), of a store of "
            "conversations (--store URL) or both, the same as for 'anaphora serve'"
        )
    with ExitStack() as stack:
        sources = []
        if memory is not None:
            sources.append(_open_memory(memory, stack))
        if store is not None:
            sources.append(_open_store(store, stack))
        failures = [*_retry_each(sources, retry or []), *_drop_each(sources, drop or [])]
        if failures:
            raise AnaphoraError("\n".join(failures))
        if retry or drop:
            return
        lines = [
            _format_item(source, item) for source in sources for item in source.items(_MAX_LISTED)
        ]
        for line in lines or ["nothing is quarantined"]:
            typer.echo(line)


def _open_memory(url: str, stack: ExitStack) -> _Quarantine:
    from anaphora.ltm.history.working_history import HistorySettings
    from anaphora.ltm.memory import LongTermMemory
    from anaphora.ltm.retrieval.urls import database_file, open_recall_store

    _require_existing(url, "long-term memory", "--memory", database_file)
    if database_file(url) is None:
        existing = open_recall_store(url, settings=HistorySettings(), create=False)
        with closing(existing.store):
            existing.store.ping()
    memory = stack.enter_context(LongTermMemory(url, summarizer=None))
    return _Quarantine("", memory.quarantined, memory.release, memory.discard)


def _open_store(url: str, stack: ExitStack) -> _Quarantine:
    from anaphora.stm.stores.quarantine import quarantine_of
    from anaphora.stm.stores.urls import database_file, store_at

    _require_existing(url, "store", "--store", database_file)
    store = stack.enter_context(closing(store_at(url)))
    quarantine = quarantine_of(store)
    assert quarantine is not None, "every store except MemoryStore has a quarantine"
    return _Quarantine(_STORE_PREFIX, quarantine.items, quarantine.release, quarantine.discard)


def _require_existing(
    url: str, what: str, option: str, database_file: Callable[[str], Path | None]
) -> None:
    """Raise :class:`AnaphoraError` if opening the memory or the store would create a new one."""

    def refusal(message: str, part: str, source: str = "") -> AnaphoraError:
        hint = f"give the {part} of the {what} that 'anaphora serve' gets as {option}"
        return AnaphoraError(str(Problem(message, source, hint=hint)))

    if url.partition("?")[0] == "memory:":
        raise refusal("memory: is empty in each process, so it has no quarantine", "URL")
    path = database_file(url)
    if path is None:
        return
    if not path.is_file():
        raise refusal("there is no such file", "file", str(path))
    with path.open("rb") as file:
        if file.read(len(_SQLITE_HEADER)) != _SQLITE_HEADER:
            raise refusal("this file is not a SQLite database", "file", str(path))


def _retry_each(sources: Sequence[_Quarantine], ids: list[str]) -> Iterator[str]:
    """Retry the items; yield a message for each failure."""
    for id, source in _select(sources, ids):
        try:
            is_released = source.release(id.removeprefix(source.prefix))
        except Conflict as error:
            yield f"{id}: {error}"
            continue
        if is_released:
            typer.echo(f"{id} is retried")
        else:
            yield f"{id} is not quarantined, or is still unreadable"


def _drop_each(sources: Sequence[_Quarantine], ids: list[str]) -> Iterator[str]:
    """Delete the items; yield a message for each failure."""
    for id, source in _select(sources, ids):
        if source.discard(id.removeprefix(source.prefix)):
            typer.echo(f"{id} is dropped")
        else:
            yield f"{id} is not quarantined"


def _select(sources: Sequence[_Quarantine], ids: list[str]) -> list[tuple[str, _Quarantine]]:
    """The ids, each with its quarantine; for 'all', those of all items."""
    if ids == ["all"]:
        return [
            (source.prefix + item.id, source)
            for source in sources
            for item in source.items(_NO_LIMIT)
        ]
    return [(id, _find_source(sources, id)) for id in ids]


def _find_source(sources: Sequence[_Quarantine], id: str) -> _Quarantine:
    for source in sources:
        if id.startswith(_STORE_PREFIX) == (source.prefix == _STORE_PREFIX):
            return source
    option = "--store" if id.startswith(_STORE_PREFIX) else "--memory"
    raise AnaphoraError(f"{id} is in another quarantine: give its URL with {option}")


def _format_item(source: _Quarantine, item: _Item) -> str:
    when = f"{item.at.astimezone():%Y-%m-%d %H:%M}"
    return f"{source.prefix}{item.id}  {item.kind}  {when}  {_format_owner(item)}: {item.reason}"


def _format_owner(item: _Item) -> str:
    if item.key is None:
        return "?"
    tenant = f" of {item.key.tenant}" if item.key.tenant else ""
    return f"{item.key.user}{tenant} with {item.key.model}"
