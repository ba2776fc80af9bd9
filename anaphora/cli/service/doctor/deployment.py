"""Check a deployment: all that the settings of the service name."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

from anaphora.cli.service.doctor.files import (
    check_database,
    check_folder,
    check_private,
    check_space,
)
from anaphora.cli.service.doctor.finding import Finding, error, ok, utc_now, warning
from anaphora.cli.service.doctor.servers import check_postgres, check_redis
from anaphora.errors import AnaphoraError, StoreError
from anaphora.server.processes.startup import check_settings
from anaphora.server.settings.loader import EffectiveSettings, read_settings
from anaphora.server.settings.model import Settings
from anaphora.storage.sqlite.applications import (
    AGENTS,
    CONVERSATIONS,
    KNOWLEDGE_GRAPH,
    LONG_TERM_MEMORY,
)
from anaphora.version import __version__

__all__ = ["check_deployment"]

_IN_MEMORY = "memory:"
_SIBLINGS = {"agents": AGENTS, "archive": LONG_TERM_MEMORY, "graph": KNOWLEDGE_GRAPH}


def check_deployment(
    file: Path | None = None, *, clock: Callable[[], datetime] = utc_now
) -> Iterator[Finding]:
    """Check what the settings in ``file`` and the environment name, one after the other. Nothing
    is created or changed."""
    yield _check_versions()
    try:
        effective = read_settings(file)
    except AnaphoraError as failure:
        yield error("settings", str(failure), "see 'anaphora config' and docs/server.md")
        return
    settings = effective.settings
    yield from _check_settings(effective)
    yield from _check_models(settings)
    yield from _check_store(settings, clock)
    yield from _check_memory(settings, clock)
    if settings.cache is not None:
        yield from _check_cache(Path(settings.cache))
    yield from check_space(_folders(settings))


def _check_versions() -> Finding:
    return ok(
        "versions",
        f"anaphora {__version__}, Python {platform.python_version()}, "
        f"spaCy {metadata.version('spacy')}, SQLite {sqlite3.sqlite_version}",
    )


def _check_settings(effective: EffectiveSettings) -> Iterator[Finding]:
    settings = effective.settings
    try:
        check_settings(settings)
    except AnaphoraError as failure:
        yield error("settings", str(failure))
    else:
        yield ok("settings", str(effective.file or "no file; variables and defaults"))
    urls = (settings.store, settings.memory.url or "")
    if effective.file is not None and any(map(_has_password, urls)):
        yield from check_private("settings", effective.file)


def _check_models(settings: Settings) -> Iterator[Finding]:
    from anaphora.models.loader import load_model

    for name in settings.models:
        try:
            model = load_model(name)
        except AnaphoraError as failure:
            yield error("models", str(failure), f"see 'anaphora check {name}'")
        else:
            yield ok("models", f"{model.id} {model.version}")


def _check_store(settings: Settings, clock: Callable[[], datetime]) -> Iterator[Finding]:
    from anaphora.stm.stores.urls import database_file

    try:
        path = database_file(settings.store)
    except StoreError as failure:
        yield error("store", str(failure))
        return
    if path is not None:
        yield from check_database("store", path, CONVERSATIONS)
    elif settings.store.startswith(_IN_MEMORY):
        yield warning(
            "store",
            "conversations are kept in the memory of the process: a restart forgets them",
            "keep them in a file or in Redis: store: sqlite:///anaphora.db",
        )
    else:
        yield from check_redis(settings.store, clock)


def _check_memory(settings: Settings, clock: Callable[[], datetime]) -> Iterator[Finding]:
    from anaphora.agents.store.urls import sibling_url
    from anaphora.ltm.retrieval.urls import database_file

    url = settings.memory.url
    if url is None or url == _IN_MEMORY:
        return
    try:
        path = database_file(url)
    except StoreError as failure:
        yield error("memory", str(failure))
        return
    if path is None:
        yield from check_postgres(url, clock, needs_vectors=settings.memory.embedder != "none")
    else:
        yield from check_database("memory", path, LONG_TERM_MEMORY)
        for part, application in _SIBLINGS.items() if settings.agents else ():
            sibling = database_file(sibling_url(url, part))
            if sibling is not None and sibling.exists():
                yield from check_database(part, sibling, application)
    if settings.memory.journal is not None:
        yield from check_folder("journal", Path(settings.memory.journal))


def _check_cache(folder: Path) -> Iterator[Finding]:
    faults = [*check_folder("cache", folder)]
    if folder.is_dir() and not faults:
        size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
        yield ok("cache", f"{folder} has {size / (1 << 20):.1f} MB")
    elif not faults:
        yield ok("cache", f"{folder} will be created")
    # Without a cache the service only starts more slowly.
    yield from (warning(one.subject, one.message, one.hint) for one in faults)


def _folders(settings: Settings) -> Iterator[Path]:
    """The folders in which the service writes."""
    for url in (settings.store, settings.memory.url or ""):
        if url.startswith("sqlite:///"):
            yield Path(os.path.realpath(urlsplit(url).path[1:])).parent
    for folder in (settings.memory.journal, settings.cache):
        if folder is not None:
            yield Path(folder).expanduser().absolute()


def _has_password(url: str) -> bool:
    try:
        return bool(urlsplit(url).password)
    except ValueError:
        return False
