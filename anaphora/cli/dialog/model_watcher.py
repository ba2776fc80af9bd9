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

__all__ = ["WatchedModel"]


class WatchedModel:
    """An engine of one model that can reload its file.

    ``name`` is a model file, the name of a bundled model, a folder of sentence templates, or
    ``home-assistant:en``; ``user`` is the user whose conversation continues, and ``cache`` the
    folder for compiled models. Raises :class:`ModelError` for a model that cannot be loaded.
    """

    def __init__(
        self,
        name: str,
        *,
        user: str = "user",
        long_term: LongTerm | None = None,
        cache: Path | None = None,
    ) -> None:
        from anaphora.models.hassil.attachment import describe_sentence_model
        from anaphora.models.reading.file_watcher import FileWatcher
        from anaphora.models.reading.files import find_model
        from anaphora.stm.stores.memory import MemoryStore

        self._user = user
        self._long_term = long_term
        self._cache = cache
        self._store = MemoryStore()
        is_file = describe_sentence_model(name) is None
        self._source = find_model(name) if is_file else name
        self._watched = [Path(self._source)] if is_file else []
        self._watcher = FileWatcher(self._watched)  # before it is read: no change is missed
        self.engine = self._load()

    def reload_if_changed(self) -> str:
        """Reload the model if its file or an import has changed; return a message, '' if nothing
        has changed.

        Raises :class:`ModelError` once for a file with mistakes; the engine stays the same until
        the file changes again.
        """
        if not self._watcher.has_changed():
            return ""
        before = self.engine.models[0]
        engine = self._load()
        forgotten = self._migrate_conversation(before, engine.models[0])
        self.engine = engine
        lost = f"; forgotten, as no longer in the model: {', '.join(forgotten)}"
        return f"reloaded {Path(self._source).name}{lost if forgotten else ''}"

    def _load(self) -> Engine:
        from anaphora.engine.engine import Engine

        engine = Engine(
            self._source, store=self._store, long_term=self._long_term, cache=self._cache
        )
        self._watcher.watch([*self._watched, *engine.models[0].imports])
        return engine

    def _migrate_conversation(self, before: Model, now: Model) -> list[str]:
        """Migrate the conversation to the model; return the forgotten entities as text."""
        from anaphora.engine.bots.model_upgrade import ModelUpgrade
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
