"""What does erasing one user take in a store of several hundred megabytes: peak memory, time, and
the wait of another writer?

    python -m benchmarks.ltm.erasure [--megabytes N] [memory] [conversations]

With VACUUM in memory, erasing one of 200 users in a file of 402 MB took a peak of 450 MB (53 MB
before the erasure), and a writer waited 6.5 s. Incremental erasure takes 52 MB (50 before) and
1.4 s.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from benchmarks import process_memory

BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)
BATCH = 500
USERS = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", nargs="*", default=["memory", "conversations"])
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--erase", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.erase:
        _ERASE[chosen.stores[0]](chosen.erase)
        return
    print("| store | file (MB) | after (MB) | peak (MB) | of these before (MB) | s | wait (s) |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in chosen.stores:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "store.db")
            _FILL[name](path, chosen.megabytes << 20)
            before = path.stat().st_size
            # A new process, so that the peak is that of the erasure.
            run = [sys.executable, "-m", "benchmarks.ltm.erasure", name, "--erase", str(path)]
            done = subprocess.run(run, check=True, capture_output=True, text=True)
            after = path.stat().st_size
            sizes = f"{before >> 20:,} | {after >> 20:,}"
            print(f"| {name} | {sizes} {done.stdout.strip()}", flush=True)


def _text(random: Random) -> str:
    return " ".join(f"word{random.randrange(2_000)}" for _ in range(300))


def _fill_memory(path: Path, size: int) -> None:
    from anaphora.ltm.exchange import Exchange
    from anaphora.ltm.history.working_history import HistorySettings
    from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
    from anaphora.ltm.retrieval.store import NewExchange
    from anaphora.stm.conversation import ConversationKey

    store = SqliteRecallStore(path, settings=HistorySettings(), synchronous="normal")
    random, number = Random(1), 0
    while path.stat().st_size < size:
        new = []
        for _ in range(BATCH):
            number += 1
            question, answer = _text(random), _text(random)
            exchange = Exchange(question, answer, BEGIN + timedelta(minutes=number))
            terms = tuple(question.split()[:10])
            new.append(
                NewExchange(
                    ConversationKey(f"user{random.randrange(USERS)}", "bot"), exchange, terms
                )
            )
        store.add(new)
    store.close()


def _fill_conversations(path: Path, size: int) -> None:
    from msgspec.structs import replace

    from anaphora.stm.conversation import ConversationKey
    from anaphora.stm.stores.sqlite.store import SqliteStore

    store = SqliteStore(path, synchronous="normal")
    random, number = Random(1), 0
    while path.stat().st_size < size:
        for _ in range(BATCH):
            number += 1
            data = {"text": random.randbytes(4_000).hex()}
            with store.open(ConversationKey(f"user{number}", "bot"), timedelta(days=1)) as session:
                session.commit(replace(session.conversation, questions=1, data=data))
    store.close()


def _erase_memory(path: Path) -> None:
    from anaphora.ltm.history.working_history import HistorySettings
    from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
    from anaphora.ltm.retrieval.store import JournalPosition, UserKey

    store = SqliteRecallStore(path, settings=HistorySettings(), synchronous="normal")

    def write(number: int) -> None:
        store.add((), mark=JournalPosition("benchmark", number))

    _measure(lambda: store.erase(UserKey("user7")), write)
    store.close()


def _erase_conversations(path: Path) -> None:
    from anaphora.stm.conversation import ConversationKey
    from anaphora.stm.stores.sqlite.store import SqliteStore

    store = SqliteStore(path, synchronous="normal")

    def erase() -> None:
        store.forget(ConversationKey("user7", "bot"))
        store.scrub()

    def write(number: int) -> None:
        store.put_note("benchmark", "number", str(number), timedelta(days=1))

    _measure(erase, write)
    store.close()


def _measure(erase: Callable[[], object], write: Callable[[int], None]) -> None:
    """Print the costs of ``erase`` while another thread keeps calling ``write``."""
    write(1)
    before = process_memory.peak() >> 20
    ended, longest = threading.Event(), 0.0

    def keep_writing() -> None:
        nonlocal longest
        number = 1
        while not ended.wait(0.005):
            number += 1
            begin = time.perf_counter()
            write(number)
            longest = max(longest, time.perf_counter() - begin)

    thread = threading.Thread(target=keep_writing)
    thread.start()
    begin = time.perf_counter()
    erase()
    seconds = time.perf_counter() - begin
    ended.set()
    thread.join()
    print(f"| {process_memory.peak() >> 20:,} | {before:,} | {seconds:.1f} | {longest:.2f} |")


_FILL = {"memory": _fill_memory, "conversations": _fill_conversations}
_ERASE = {"memory": _erase_memory, "conversations": _erase_conversations}

if __name__ == "__main__":
    main()
