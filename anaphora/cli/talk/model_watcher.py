"""Watch a model file during a chat: reload the model when the file changes, and migrate the
conversation to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from anaphora.engine.engine import Engine
    from anaphora.engine.long_term.protocol import LongTerm
    from anaphora.models.domain import Model

__all__ = ["WatchedFile", "WatchedModel"]


class WatchedFile:
    """A file and its state at the last look: modification time, size and inode."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp = self._stat()

    def has_changed(self) -> bool:
        """Whether the file has changed since the last look. A missing file has not changed: an
        editor may be replacing it."""
        stamp = self._stat()
        if stamp is None or stamp == self._stamp:
            return False
        self._stamp = stamp
        return True

    def _stat(self) -> tuple[int, int, int] | None:
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino


class WatchedModel:
    """An engine of one model that can reload its file.

    ``name`` is a model file or the name of a bundled model, ``user`` the user whose conversation
    continues, ``long_term`` the long-term memory, if any, and ``cache`` the folder for compiled
    models, if any.
    Raises :class:`ModelError` for a model that cannot be loaded.
    """

    def __init__(
        self,
        name: str,
        *,
        user: str = "user",
        long_term: LongTerm | None = None,
        cache: Path | None = None,
    ) -> None:
        from anaphora.models.reading.files import find_model
        from anaphora.stm.stores.memory import MemoryStore

        self._user = user
        self._long_term = long_term
        self._cache = cache
        self._store = MemoryStore()
        self._file = WatchedFile(find_model(name))  # before it is read: no change is missed
        self._imports: list[WatchedFile] = []
        self.engine = self._load()
        self._imports = self._watch_imports()

    def reload_if_changed(self) -> str:
        """Reload the model if its file or an import has changed; return a message, '' if nothing
        has changed.

        Raises :class:`ModelError` once for a file with mistakes; the engine stays the same until
        the file changes again.
        """
        # A list, so that every file is looked at: two may have changed at once.
        if not any([file.has_changed() for file in (self._file, *self._imports)]):  # noqa: C419
            return ""
        before = self.engine.models[0]
        engine = self._load()
        forgotten = self._migrate_conversation(before, engine.models[0])
        self.engine = engine
        self._imports = self._watch_imports()
        lost = f"; forgotten, as no longer in the model: {', '.join(forgotten)}"
        return f"reloaded {self._file.path.name}{lost if forgotten else ''}"

    def _load(self) -> Engine:
        from anaphora.engine.engine import Engine

        return Engine(
            self._file.path, store=self._store, long_term=self._long_term, cache=self._cache
        )

    def _watch_imports(self) -> list[WatchedFile]:
        known = {file.path: file for file in self._imports}
        imports = self.engine.models[0].imports
        return [known.get(path) or WatchedFile(path) for path in imports]

    def _migrate_conversation(self, before: Model, now: Model) -> list[str]:
        """Migrate the conversation to the model; return the forgotten entities as text."""
        from anaphora.engine.model_upgrade import ModelUpgrade
        from anaphora.stm.conversation import ConversationKey

        old_key, key = ConversationKey(self._user, before.id), ConversationKey(self._user, now.id)
        stored = self._store.peek(old_key)
        if stored is None:
            return []
        conversation, forgotten = ModelUpgrade(now).migrate(replace(stored, model=now.id))
        with self._store.open(key, now.conversation.timeout) as session:
            session.commit(conversation)
        if old_key != key:
            self._store.forget(old_key)
        return [str(item.remembered.entity) for item in forgotten]
