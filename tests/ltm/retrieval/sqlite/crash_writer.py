"""A process that adds exchanges and writes down how far it was when it was told that they are
kept: ``python -m tests.ltm.retrieval.sqlite.crash_writer FILE LOG NAME``. It ends when it is
killed."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore
from anaphora.ltm.retrieval.store import JournalPosition
from tests.ltm.retrieval.store_contract import ANN, BEN, make_new_exchange

BATCH = 3


def main() -> None:
    path, log, name = sys.argv[1:]
    store = SqliteRecallStore(path, settings=HistorySettings(), synchronous="normal")
    with Path(log).open("a", buffering=1) as promised:
        for first in count(store.journal_position(name), BATCH):
            batch = [
                make_new_exchange(key, f"{name} {number}")
                for number in range(first, first + BATCH)
                for key in (ANN, BEN)
            ]
            store.add(batch, mark=JournalPosition(name, first + BATCH))
            promised.write(f"{first + BATCH}\n")


if __name__ == "__main__":
    main()
