"""Conversations in Redis, shared by processes on many machines.

Where each key is and what each script does is told in :mod:`anaphora.stm.stores.redis_names` and
:mod:`anaphora.stm.stores.redis_scripts`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from functools import partial
from random import uniform
from secrets import token_hex
from typing import TYPE_CHECKING, TypeAlias

from anaphora.errors import Conflict, StoreError
from anaphora.stm.conversation import Conversation, Key
from anaphora.stm.records import dump, revive
from anaphora.stm.stores.quarantine import readable
from anaphora.stm.stores.redis_leases import Leases
from anaphora.stm.stores.redis_names import Names, Naming, as_bytes, as_text
from anaphora.stm.stores.redis_scripts import DROP, KEEP, PUT_NOTE, RENEW, TAKE
from anaphora.stm.stores.store import Session
from anaphora.stm.stores.turns import Turns, busy, forked
from anaphora.storage.forks import Forked, follow_forks

if TYPE_CHECKING:
    from anaphora.stm.stores.redis_link import Link
    from anaphora.stm.stores.redis_quarantine import RedisQuarantine

__all__ = ["RedisStore"]

_MILLISECOND = timedelta(milliseconds=1)
_SLACK = 1_000  # ms; a pause that lasts exactly the timeout must still find the conversation
_KEPT_KNOWN = 15_000  # ms beyond the patience for which a commit may be repeated
_QUEUE_PATIENCE = 500  # ms for which the next one in the queue may be silent
_FIRST_PAUSE, _PAUSE_GROWTH = 0.001, 1.5
_LONGEST_PAUSE = {True: 0.025, False: 0.1}  # by whether one comes next
_LEASES = 0.1, 86_400.0  # seconds, at least and at most
_SHORT = 0.5  # seconds of patience where nothing is lost by a failure

_Load: TypeAlias = Callable[[bytes, Key, Callable[[str], None]], Conversation]

_log = logging.getLogger(__name__)


class RedisStore(Forked):
    """Keeps conversations in the Redis server at ``url`` until they have been idle for longer
    than their timeout, by the time of that server.

    A question costs two commands, one to take its turn and one to keep what became of it. The
    turn is a lock that lasts for ``lease`` seconds and is renewed as long as the question takes:
    if its process dies, another goes on after that time; one that was suspended for longer gets
    :class:`Conflict` and changes nothing. ``wait`` is for how many seconds a question waits for
    its turn. All keys begin with ``prefix``. The ``clock`` of other stores is taken, but not
    asked: clocks of several machines differ. A server that restarts may take ``patience`` seconds
    before a question fails. The store may be used in a process that was forked later.

    See :class:`~anaphora.stm.stores.store.Store` for the methods. Raises :class:`StoreError`
    for a URL that cannot be read; whether there is a server shows when it is needed.
    """

    def __init__(
        self,
        url: str,
        *,
        clock: Callable[[], datetime] | None = None,
        wait: float = 60.0,
        lease: float = 10.0,
        prefix: str = "anaphora",
        patience: float = 5.0,
    ) -> None:
        if not _LEASES[0] <= lease <= _LEASES[1]:
            raise StoreError(
                f"a lease of {lease:g} seconds is of no use: 10 are usual, and {_LEASES[0]:g} to "
                f"{_LEASES[1]:g} can be"
            )
        self._naming = Naming(prefix)
        self._link = _link_to(url, patience)
        self._kept_known = int(patience * 1_000) + _KEPT_KNOWN
        self._wait = wait
        self._lease = lease
        self._process = self._new_process()
        self._looked_at = False
        self._latest = 0  # clock of a session
        follow_forks(self)

    def open(self, key: Key, timeout: timedelta) -> AbstractContextManager[Session]:
        return self._opened(key, timeout, revive)

    @contextmanager
    def _opened(self, key: Key, timeout: timedelta, load: _Load) -> Iterator[Session]:
        process, end = self._process, time.monotonic() + self._wait
        turn = process.turns.take(key)
        token = token_hex(8)
        names = self._naming.of(key, token)
        held = True  # or may be, if the answer was lost
        try:
            record, there, ttl = self._take(key, names, token, end)
            process.leases.add(names.lock, token)
            if record is None:
                found = Conversation.of(key)
            else:
                found = load(record, key, partial(self._put_aside, key, record, there, ttl))
            session = Session(found, self._tick(there))
            yield session
            if session.committed is not None:
                if process is not self._process:
                    raise forked(key)
                self._keep(key, names, token, session.committed, timeout)
                held = False
        finally:
            if process is self._process:
                process.leases.remove(token)
                try:
                    if held:
                        self._drop(names, token)
                finally:
                    process.turns.give_back(key, turn)

    def peek(self, key: Key) -> Conversation | None:
        record = self._link.command("GET", self._naming.record(key))
        return None if record is None else revive(record, key)

    def forget(self, key: Key) -> None:
        with self.forget_after(key):
            pass

    @contextmanager
    def forget_after(self, key: Key) -> Iterator[int]:
        with self._opened(key, timedelta(), _load_to_forget) as session:
            yield max(session.clock, session.conversation.clock + 1)
            self.quarantine.forget(key)
            session.commit(Conversation.of(key))

    def keys(self) -> Iterator[Key]:
        seen = set()
        for record in self._link.scan(self._naming.pattern):
            key = self._naming.key(record)
            if key is not None and key not in seen:
                seen.add(key)
                yield key

    def note(self, shelf: str, name: str) -> str | None:
        text = self._link.command("HGET", self._naming.shelf(shelf), as_bytes(name))
        return None if text is None else _text_of_note(text)

    def notes(self, shelf: str) -> Mapping[str, str]:
        found = self._link.command("HGETALL", self._naming.shelf(shelf))
        return {_text_of_note(name): _text_of_note(text) for name, text in found.items()}

    def put_note(self, shelf: str, name: str, text: str, ttl: timedelta) -> None:
        keys = (self._naming.shelf(shelf),)
        self._link.run(PUT_NOTE, keys, as_bytes(name), as_bytes(text), _in_ms(ttl))

    def drop_note(self, shelf: str, name: str) -> None:
        self._link.command("HDEL", self._naming.shelf(shelf), as_bytes(name))

    def scrub(self, user: str, tenant: str = "") -> None:
        for mark in self._link.scan(self._naming.marks_of(user, tenant)):
            self._link.command("DEL", mark)
        self.quarantine.erase_user(user, tenant)

    @property
    def quarantine(self) -> RedisQuarantine:
        """The conversations that were put aside because they cannot be read."""
        from anaphora.stm.stores.redis_quarantine import RedisQuarantine  # needs the client

        return RedisQuarantine(self._link, self._naming, self.open)

    def ping(self) -> None:
        """As the protocol says. The first time it also logs a warning if the server is set up to
        lose conversations."""
        self._link.command("SET", self._naming.probe, "", "PX", 1_000, patience=_SHORT)
        if not self._looked_at:
            self._looked_at = True
            for risk in _risks(self._link):
                _log.warning("this Redis server may lose conversations: %s", risk)

    def close(self) -> None:
        self._process.leases.close()
        self._link.close()

    def _take(
        self, key: Key, names: Names, token: str, end: float
    ) -> tuple[bytes | None, int, int]:
        """Wait for the lock; the record, if there is one, the server's time, and the milliseconds
        until the record expires."""
        keys = (names.lock, names.record, names.next)
        longest, pause = 0.0, _FIRST_PAUSE
        while True:
            mine, answer, time_there, ttl = self._link.run(
                TAKE, keys, token, self._lease_in_ms, _QUEUE_PATIENCE
            )
            if mine:
                seconds, microseconds = map(int, time_there)
                there = seconds * 1_000_000 + microseconds
                return answer, there or time.time_ns() // 1_000, ttl
            rest = end - time.monotonic()
            if rest <= 0:
                raise busy(key, self._wait)
            if longest != _LONGEST_PAUSE[bool(answer)]:  # comes next now
                longest, pause = _LONGEST_PAUSE[bool(answer)], _FIRST_PAUSE
            time.sleep(min(uniform(pause / 2, pause), rest))
            pause = min(pause * _PAUSE_GROWTH, longest)

    def _keep(
        self, key: Key, names: Names, token: str, conversation: Conversation, timeout: timedelta
    ) -> None:
        record = b"" if conversation.is_new else dump(conversation)
        keys = (names.lock, names.record, names.done)
        if not self._link.run(KEEP, keys, token, record, _in_ms(timeout), self._kept_known):
            raise Conflict(
                f"the conversation of {key.user!r} with '{key.model}' was lost to another "
                f"question: this one was suspended, or cut off from its store, for longer than "
                f"the lease of {self._lease:g} seconds; nothing of it is kept"
            )

    def _put_aside(self, key: Key, record: bytes, there: int, ttl: int, reason: str) -> None:
        """Copy a record that cannot be read into the quarantine; the next commit takes its place.
        The conversation goes on if that fails: a user of the server may have no right to it."""
        try:
            self.quarantine.put(key, record, reason, at=there // 1_000, ttl=ttl)
        except StoreError as error:
            _log.error(
                "a damaged conversation cannot be put in quarantine",
                extra={"reason": str(error), **key._asdict()},
            )

    def _tick(self, time_there: int) -> int:
        """The clock of a session: the server's time, so that all processes have the same; after
        what this one was told before, should the server be another now, or be set back."""
        self._latest = max(time_there, self._latest + 1)
        return self._latest

    def _drop(self, names: Names, token: str) -> None:
        try:
            self._link.run(DROP, (names.lock, names.next), token, patience=_SHORT)
        except StoreError as error:  # there is a reason for it already, and the lease will end
            _log.info("a lock cannot be given back: %s", error)

    def _renew(self, lock: bytes, token: str) -> bool:
        return bool(self._link.run(RENEW, (lock,), token, self._lease_in_ms, patience=_SHORT))

    def after_fork_in_child(self) -> None:
        """Go on with turns of its own; no thread renews yet."""
        self._process = self._new_process()

    def _new_process(self) -> _Process:
        return _Process(Turns(self._wait), Leases(self._renew, every=self._lease / 3))

    @property
    def _lease_in_ms(self) -> int:
        return max(int(self._lease * 1_000), 1)


class _Process:
    """The turns and the leases of one process."""

    __slots__ = ("leases", "turns")

    def __init__(self, turns: Turns, leases: Leases) -> None:
        self.turns = turns
        self.leases = leases


def _link_to(url: str, patience: float) -> Link:
    try:
        from anaphora.stm.stores.redis_link import Link
    except ImportError as error:
        raise StoreError("a Redis store needs its client: pip install 'anaphora[redis]'") from error
    return Link(url, patience=patience)


def _risks(link: Link) -> Iterator[str]:
    """What in the server's settings may lose conversations, as far as it tells."""
    try:
        info = link.command("INFO", patience=_SHORT)
        policy = info.get("maxmemory_policy", "noeviction")
        if policy != "noeviction" and info.get("maxmemory"):
            yield (
                f"it forgets some when its memory is full: set maxmemory-policy, now {policy}, "
                "to noeviction"
            )
        if info.get("aof_enabled") == 0:
            saves = link.command("CONFIG GET", "save", patience=_SHORT).get("save")
            if not saves:
                yield "it keeps nothing over a restart: set appendonly to yes"
    except StoreError:  # many hosts hide their settings
        return


def _load_to_forget(record: bytes, key: Key, put_aside: Callable[[str], None]) -> Conversation:
    """The conversation of a record, an empty one if it cannot be read."""
    return readable(record) or Conversation.of(key)


def _in_ms(duration: timedelta) -> int:
    return max(duration // _MILLISECOND, 0) + _SLACK


def _text_of_note(data: bytes) -> str:
    try:
        return as_text(data)
    except UnicodeDecodeError as error:
        raise StoreError(f"a note cannot be read: {error}") from error
