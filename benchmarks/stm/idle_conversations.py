"""How much space does an idle conversation take in each store, and how long does it take to store a
million of them?

    python -m benchmarks.stm.idle_conversations [--conversations N] [STORE ...]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from anaphora import Engine, Store, store_at
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.records import dump, load
from benchmarks.process_memory import resident
from tests.support.postgres_server import PostgresServer, with_pgvector
from tests.support.redis_server import RedisServer

QUESTIONS = ("What is the weather in Tokyo today?", "And in Kyoto?", "Tomorrow?")
IDLE = timedelta(days=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", nargs="*", default=["memory", "sqlite", "redis", "postgres"])
    parser.add_argument("--conversations", type=int, default=1_000_000)
    chosen = parser.parse_args()
    pattern = _pattern()
    print(f"a conversation of the weather model after three questions: {len(dump(pattern))} bytes")
    print("| store | conversations | bytes each | seconds |\n| --- | ---: | ---: | ---: |")
    for name in chosen.stores:
        with tempfile.TemporaryDirectory() as folder, _open_store(name, Path(folder)) as opened:
            store, room = opened
            before = room()
            begin = time.perf_counter()
            _fill(store, pattern, chosen.conversations)
            seconds = time.perf_counter() - begin
            each = (room() - before) / chosen.conversations
        print(f"| {name} | {chosen.conversations:,} | {each:,.0f} | {seconds:,.0f} |", flush=True)


def _pattern() -> Conversation:
    engine = Engine("weather")
    for question in QUESTIONS:
        assert engine.ask(question).status == "matched"
    kept = engine.store.peek(ConversationKey("user", "weather"))
    assert kept is not None
    return kept


def _fill(store: Store, pattern: Conversation, number: int) -> None:
    record = dump(pattern)
    for user in range(number):
        # Read anew, for conversations share nothing with each other.
        one = replace(load(record), user=f"user-{user:07}")
        with store.open(one.key, IDLE) as session:
            session.commit(one)


@contextmanager
def _open_store(name: str, folder: Path) -> Iterator[tuple[Store, Callable[[], int]]]:
    """A store, and a function that returns its size in bytes."""
    if name == "redis":
        with RedisServer() as server, server.client() as client:
            store = store_at(server.url)
            yield store, lambda: client.info("memory")["used_memory"]
            store.close()
        return
    if name == "postgres":
        with PostgresServer(with_pgvector(), autovacuum="on") as server, server.client() as client:
            store = store_at(server.url)
            store.ping()
            size = "SELECT pg_total_relation_size('anaphora_conversations.stm_conversations')"
            yield store, lambda: client.execute(size).fetchone()[0]
            store.close()
        return
    if name == "sqlite":
        store = store_at(f"sqlite:///{folder}/bot.db?synchronous=normal")
        yield store, lambda: sum(file.stat().st_size for file in folder.glob("bot.db*"))
        store.close()
        return
    store = store_at(f"{name}:")
    yield store, resident
    store.close()


if __name__ == "__main__":
    main()
