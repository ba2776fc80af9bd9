"""Reload model files while the service runs: on request, on another worker's request, and, in
development, when a file changes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from anaphora.errors import AnaphoraError, HandlerError, StoreError
from anaphora.models.domain import Model
from anaphora.models.reading.file_watcher import FileWatcher
from anaphora.server.problems import ProblemError

if TYPE_CHECKING:
    from anaphora.engine.engine import Engine

__all__ = ["ModelReloader"]

_NAMESPACE = "reloads"
_REQUEST_TTL = timedelta(minutes=10)
_REQUEST_INTERVAL = 2.0  # seconds
_FILE_INTERVAL = 0.5

_log = logging.getLogger(__name__)


class ModelReloader:
    """Reloads the models of one worker. ``run`` calls a function in a thread."""

    def __init__(self, engine: Engine, run: Callable[..., Awaitable[None]]) -> None:
        self._engine = engine
        self._run = run
        self._seen: dict[str, str] = {}
        self._watchers = {model.id: FileWatcher(_files(model)) for model in engine.models}
        self._store_failed = False

    def reload(self, model: str) -> Model:
        """Reload a model from its file and request the same of the other workers.

        Raises :class:`ModelError` for a file with mistakes, and :class:`ProblemError` if a handler
        no longer fits the model; the old model stays in use. Raises :class:`StoreError` if the
        other workers cannot be notified.
        """
        # Write the note first: the last writer of all workers then reads the file last.
        note = self._seen[model] = uuid4().hex
        self._engine.store.put_note(_NAMESPACE, model, note, _REQUEST_TTL)
        try:
            return self._engine.reload(model)
        except HandlerError as error:
            raise ProblemError("model-invalid", str(error)) from error

    async def poll_requests(self) -> None:
        """Poll for reload requests of other workers, forever."""
        await self._poll(self.check_requests, _REQUEST_INTERVAL)

    async def poll_files(self) -> None:
        """Poll for changed files, forever."""
        await self._poll(self.check_files, _FILE_INTERVAL)

    def check_requests(self) -> None:
        """Reload the models that other workers have requested since the last check."""
        try:
            notes = self._engine.store.list_notes(_NAMESPACE)
        except StoreError:
            if not self._store_failed:
                _log.warning("the store cannot be asked for models to reload")
            self._store_failed = True
            return
        self._store_failed = False
        known = {model.id for model in self._engine.models}
        for id, note in notes.items():
            if id in known and self._seen.get(id) != note:
                self._seen[id] = note
                self._try_reload(id)

    def check_files(self) -> None:
        """Reload the models whose files have changed since the last check."""
        for id, watcher in self._watchers.items():
            if watcher.has_changed() and (model := self._try_reload(id)):
                watcher.watch(_files(model))

    async def _poll(self, check: Callable[[], None], pause: float) -> None:
        while True:
            try:
                await self._run(check)
            except ProblemError:
                return  # the service is shutting down
            except Exception as error:  # the next attempt may succeed
                _log.error("models cannot be checked for changes", exc_info=error)
            await asyncio.sleep(pause)

    def _try_reload(self, id: str) -> Model | None:
        try:
            model = self._engine.reload(id)
        except AnaphoraError as error:
            _log.error("the model %s was not reloaded: %s", id, error)
            return None
        _log.info("the model %s was reloaded", id)
        return model


def _files(model: Model) -> tuple[Path, ...]:
    return (Path(model.source), *model.imports) if model.source else ()
