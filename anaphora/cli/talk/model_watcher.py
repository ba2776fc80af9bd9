"""A model file that is watched while one talks to the model: whether it has changed, and the
conversation as it goes on with the model that the file holds now."""

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
    """A file, and how it was when it was last looked at."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp = self._stat()

    def has_changed(self) -> bool:
        """Whether the file is another than at the last look. One that is gone has not changed:
        an editor may be about to put a new one in its place."""
        stamp = self._stat()
        if stamp is None or stamp == self._stamp:
            return False
        self._stamp = stamp
        return True

    def _stat(self) -> tuple[int, int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


class WatchedModel:
    """An engine of one model that can take up a new state of its file.

    ``name`` is a model file or the name of a bundled model, ``user`` whose conversation goes on,
    ``long_term`` what keeps what was said for good and ``cache`` the folder for what is made of
    models (None: nothing does, and there is none).
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
        self._file = WatchedFile(find_model(name))  # looked at before it is read, not after
        self._imports: list[WatchedFile] = []
        self.engine = self._load()
        self._imports = self._watch_imports()

    def reload_if_changed(self) -> str:
        """Take up the file if it or one that it imports has changed, and say so in one line; ''
        if none has.

        Raises :class:`ModelError` once for a file with mistakes: the engine stays as it is until
        the file changes again.
        """
        if not any([file.has_changed() for file in (self._file, *self._imports)]):  # noqa: C419
            return ""  # all of them are looked at: two may have changed at once
        before = self.engine.models[0]
        engine = self._load()
        forgotten = self._migrate_conversation(before, engine.models[0])
        self.engine = engine
        self._imports = self._watch_imports()
        lost = f"; no longer in it, so forgotten: {', '.join(forgotten)}" if forgotten else ""
        return f"reloaded {self._file.path.name}{lost}"

    def _load(self) -> Engine:
        from anaphora.engine.engine import Engine

        return Engine(
            self._file.path, store=self._store, long_term=self._long_term, cache=self._cache
        )

    def _watch_imports(self) -> list[WatchedFile]:
        known = {file.path: file for file in self._imports}  # looked at before they were read
        imports = self.engine.models[0].imports
        return [known.get(path) or WatchedFile(path) for path in imports]

    def _migrate_conversation(self, before: Model, now: Model) -> list[str]:
        """Fit the conversation to the model; what is forgotten of it, as text."""
        from anaphora.engine.model_upgrade import ModelUpgrade
        from anaphora.stm.conversation import ConversationKey

        earlier, key = ConversationKey(self._user, before.id), ConversationKey(self._user, now.id)
        held = self._store.peek(earlier)
        if held is None:
            return []
        conversation, forgotten = ModelUpgrade(now).migrate(replace(held, model=now.id))
        with self._store.open(key, now.conversation.timeout) as session:
            session.commit(conversation)
        if earlier != key:
            self._store.forget(earlier)
        return [str(gone.remembered.entity) for gone in forgotten]
