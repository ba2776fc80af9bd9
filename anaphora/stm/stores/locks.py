"""The turns of the threads of one process in the conversations that they share."""

from __future__ import annotations

import threading

from anaphora.errors import Conflict
from anaphora.stm.conversation import ConversationKey

__all__ = ["ConversationLock", "ConversationLocks", "busy_error", "forked_error"]


class ConversationLock:
    """The lock of one conversation, there as long as somebody holds it or waits for it."""

    __slots__ = ("lock", "owner", "users")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.owner: int | None = None
        self.users = 0


class ConversationLocks:
    """Lets one thread at a time into each conversation. ``wait`` is for how many seconds a thread
    waits: handlers that ask in each other's conversations would wait for ever."""

    def __init__(self, wait: float) -> None:
        self._wait = wait
        self._turns: dict[ConversationKey, ConversationLock] = {}
        self._mutex = threading.Lock()

    def __len__(self) -> int:
        return len(self._turns)

    def acquire(self, key: ConversationKey) -> ConversationLock:
        """Wait for the turn in a conversation; :meth:`give_back` must follow.

        Raises :class:`Conflict` if this thread has it already, or if it does not come in time.
        """
        turn = self._join(key)
        try:
            taken = turn.lock.acquire(timeout=self._wait)
        except BaseException:  # Ctrl-C while it waits
            self._leave(key, turn)
            raise
        if not taken:
            self._leave(key, turn)
            raise busy_error(key, self._wait)
        turn.owner = threading.get_ident()
        return turn

    def release(self, key: ConversationKey, turn: ConversationLock) -> None:
        """Let the next one in."""
        turn.owner = None
        turn.lock.release()
        self._leave(key, turn)

    def _join(self, key: ConversationKey) -> ConversationLock:
        with self._mutex:
            turn = self._turns.get(key)
            if turn is None:
                turn = self._turns[key] = ConversationLock()
            elif turn.owner == threading.get_ident():
                raise Conflict(
                    f"the conversation of {key.user!r} with '{key.model}' is being answered by "
                    "this very thread: a handler cannot ask in its own conversation"
                )
            turn.users += 1
            return turn

    def _leave(self, key: ConversationKey, turn: ConversationLock) -> None:
        with self._mutex:
            turn.users -= 1
            if not turn.users:
                del self._turns[key]


def busy_error(key: ConversationKey, wait: float) -> Conflict:
    """The error of one whose turn did not come within ``wait`` seconds."""
    return Conflict(
        f"the conversation of {key.user!r} with '{key.model}' has been busy for {wait:g} seconds"
    )


def forked_error(key: ConversationKey) -> Conflict:
    """The error of one that a forked process would keep in its parent's stead."""
    return Conflict(
        f"the conversation of {key.user!r} with '{key.model}' was opened before this process was "
        "forked: its parent goes on with it"
    )
