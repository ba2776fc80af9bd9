"""Opens recall stores by URL: ``memory:``, ``sqlite:///path``, ``postgresql://…``."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit
from weakref import finalize

from anaphora.errors import StoreError
from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.store import RecallStore
from anaphora.storage.state_folder import state_folder

if TYPE_CHECKING:
    from anaphora.storage.sqlite.database import Synchronous

__all__ = ["OpenStore", "database_file", "open_recall_store"]

_URL_FORMS = (
    "memory:, sqlite:///relative.db, sqlite:////absolute.db or "
    "postgresql://user:password@host/database"
)


@dataclass(frozen=True, slots=True)
class OpenStore:
    """A recall store, its default journal folder, and a function to ``close`` it, which also
    removes temporary files. ``name`` is a subfolder name for a common journal folder."""

    store: RecallStore
    journal_folder: Path
    close: Callable[[], object]
    name: str = ""

    def journal_folder_in(self, folder: Path | None) -> Path:
        """Return the journal folder, inside ``folder`` if given."""
        return self.journal_folder if folder is None else folder / self.name


def open_recall_store(
    url: str, *, settings: HistorySettings, measure: Measure = WORDS, create: bool = True
) -> OpenStore:
    """Open the store at ``url``, with working histories limited by ``settings`` in the unit of
    ``measure``. PostgreSQL tables are created on first use unless ``create`` is False.

    ``memory:`` is a temporary file; ``sqlite:///`` takes ``?synchronous=normal``; ``postgresql://``
    takes the options of PostgreSQL and ``?schema=name``.

    Raises :class:`StoreError` for any other URL, and for a store that cannot be used. Messages
    never contain passwords.
    """
    scheme = _scheme(url)
    if url == "memory:":
        return _open_in_memory(settings, measure)
    if (path := database_file(url)) is not None:
        return _open_sqlite(url, path, settings, measure)
    if scheme in ("postgresql", "postgres"):
        return _open_postgres(url, settings, measure, create=create)
    begins = f"begins with {scheme!r}" if scheme else "has no scheme"
    raise StoreError(f"the URL of a long-term memory {begins}; write {_URL_FORMS}")


def _scheme(url: str) -> str:
    try:
        return urlsplit(url).scheme
    except ValueError as error:
        raise StoreError(f"the URL of the long-term memory cannot be read: {error}") from error


def database_file(url: str) -> Path | None:
    """Return the file of a ``sqlite:`` URL; None for any other URL.

    Raises :class:`StoreError` if a ``sqlite:`` URL names no file.
    """
    if _scheme(url) != "sqlite":
        return None
    parts = urlsplit(url)
    path = unquote(parts.path)[1:]  # sqlite:///relative.db, sqlite:////absolute.db
    if parts.netloc or not path or parts.fragment:
        raise StoreError(f"this URL names no file; write {_URL_FORMS}")
    return Path(path)


def _open_in_memory(settings: HistorySettings, measure: Measure) -> OpenStore:
    from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore

    folder = Path(mkdtemp(prefix="anaphora-"))
    try:
        store = SqliteRecallStore(
            folder / "memory.db", settings=settings, measure=measure, synchronous="normal"
        )
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise
    # Also if the store is never closed.
    remove = finalize(store, _remove_folder, folder, os.getpid())

    def close() -> None:
        store.close()
        remove()

    return OpenStore(store, folder / "journal", close, folder.name)


def _remove_folder(folder: Path, owner: int) -> None:
    """Remove a folder, unless this process was forked from its ``owner``."""
    if os.getpid() == owner:
        rmtree(folder, ignore_errors=True)


def _open_sqlite(url: str, path: Path, settings: HistorySettings, measure: Measure) -> OpenStore:
    from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore

    options = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
    synchronous = options.pop("synchronous", "full")
    if options:
        raise StoreError(
            f"a long-term memory in a file has no option '{next(iter(options))}'; the only one is "
            "synchronous"
        )
    store = SqliteRecallStore(
        path, settings=settings, measure=measure, synchronous=cast("Synchronous", synchronous)
    )
    real = Path(os.path.realpath(path))  # memory.db-journal is reserved by SQLite
    journal = real.with_name(f"{real.name}-waiting")
    return OpenStore(store, journal, store.close, f"{real.name}-{_url_digest(str(real))}")


def _open_postgres(
    url: str, settings: HistorySettings, measure: Measure, *, create: bool
) -> OpenStore:
    from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore

    parts = urlsplit(url)
    options = parse_qsl(parts.query, keep_blank_values=True)
    schema = dict(options).get("schema", "anaphora")
    query = "&".join(part for part in parts.query.split("&") if not part.startswith("schema="))
    plain = urlunsplit(parts._replace(query=query))
    store = PostgresRecallStore(
        plain, settings=settings, measure=measure, schema=schema, create=create
    )
    name = f"{parts.hostname or 'local'}-{_url_digest(url)}"
    return OpenStore(store, _journal_folder() / name, store.close, name)


def _journal_folder() -> Path:
    """Return the folder of this user's journals."""
    try:
        return state_folder() / "journal"
    except RuntimeError as error:
        raise StoreError(
            "this user has no home folder for the journal of the long-term memory: name a folder "
            "(journal)"
        ) from error


def _url_digest(url: str) -> str:
    """Return a digest that identifies the database, independent of the password."""
    without = re.sub(r"//([^:@/]*):[^@/]*@", r"//\1@", url)
    return blake2b(without.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
