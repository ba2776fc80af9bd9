"""A process that answers one question in a conversation and takes as long as it is told.

``python -m tests.stm.stores.redis.lock_holder URL LEASE`` says ``held`` once it has its turn, waits
for a line, and says how it ended. With ``fork`` behind, it forks while it holds its turn.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from msgspec.structs import replace

from anaphora.errors import Conflict
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.store import Store
from anaphora.stm.stores.urls import store_at

KEY = ConversationKey("ann", "held")
TIMEOUT = timedelta(minutes=5)
ROOM = ConversationKey("ben", "held")


def count_up(store: Store, key: ConversationKey) -> int:
    """Answer a question in no time; how many there have been."""
    with store.open(key, TIMEOUT) as session:
        asked = session.conversation.questions + 1
        session.commit(replace(session.conversation, questions=asked))
    return asked


@contextmanager
def holder(url: str, lease: float, *words: str) -> Iterator[subprocess.Popen[str]]:
    """The process, which has its turn already; it ends with the block."""
    command = [sys.executable, "-m", "tests.stm.stores.redis.lock_holder", url, str(lease), *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def _hold(store: Store) -> str:
    try:
        with store.open(KEY, TIMEOUT) as session:
            print("held", flush=True)
            sys.stdin.readline()
            asked = session.conversation.questions + 1
            session.commit(replace(session.conversation, questions=asked))
    except Conflict as conflict:
        return f"Conflict: {conflict}"
    return "kept"


def _fork(store: Store) -> str:
    """The child has turns of its own and none of its parent's."""
    with store.open(KEY, TIMEOUT) as session:
        print("held", flush=True)
        child = os.fork()
        if not child:
            os._exit(_in_child(store))
        _, status = os.waitpid(child, 0)
        session.commit(replace(session.conversation, questions=7))
    return f"kept, and the child has ended with {os.waitstatus_to_exitcode(status)}"


def _in_child(store: Store) -> int:
    if count_up(store, ROOM) != 1:
        return 1
    try:
        count_up(store, KEY)
    except Conflict as conflict:
        return 0 if "has been busy" in str(conflict) else 2
    return 3


if __name__ == "__main__":
    url, lease, *words = sys.argv[1:]
    store = store_at(f"{url}{'&' if '?' in url else '?'}lease={lease}&wait=0.3")
    print(_fork(store) if words else _hold(store), flush=True)
    store.close()
