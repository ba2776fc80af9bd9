"""How much of what a user wants by now does the memory hold, in dialogs between people?

    python -m benchmarks.sgd FOLDER-OR-FILE [--mode acts] [--failures 20] [--json]

Every dialog of the Schema-Guided Dialogue data is played through the engine. The annotated values
of the user's turns are the entities, as if a tagger made no mistakes; what the system offers, asks
to confirm and tells is what the bot says. After each turn of the user, the remembered values are
held against the annotated state. :mod:`benchmarks.dialogs.schema_guided` says where the data is,
:mod:`benchmarks.dialogs.scoring` what counts as right.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.dialogs.joining import join_dialogs
from benchmarks.dialogs.player import MODES, Mode, Player
from benchmarks.dialogs.report import format_report, format_summary, to_dict
from benchmarks.dialogs.schema_guided import DataError, Dialog, load_data
from benchmarks.dialogs.scoring import TurnScore, score_dialog

_PROGRESS_STEP = 100  # dialogs


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sgd",
        description=(__doc__ or "").partition("\n\n    ")[0],
        epilog="modes: " + "; ".join(f"{mode}: {meaning}" for mode, meaning in MODES.items()),
    )
    parser.add_argument(
        "data", type=Path, help="a folder of the data, or one file with 'schema' and 'dialogues'"
    )
    parser.add_argument("--mode", choices=list(MODES), action="append", help="left out: all")
    parser.add_argument("--limit", type=_count, metavar="N", help="play only the first N dialogs")
    parser.add_argument(
        "--failures", type=_count, default=0, metavar="N", help="show N turns that add an error"
    )
    parser.add_argument(
        "--summary", action="store_true", help="print one table with a line for each run"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, with all failures")
    chosen = parser.parse_args()
    try:
        dialogs = load_data(chosen.data)[: chosen.limit]
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    results = {
        f"{kind}, {mode}": _play(mode, played)
        for mode in chosen.mode or MODES
        for kind, played in _split(dialogs)
    }
    if chosen.json:
        print(json.dumps({title: to_dict(scores) for title, scores in results.items()}, indent=1))
    elif chosen.summary:
        print("\n".join(format_summary(results)))
    else:
        for title, scores in results.items():
            print("\n".join(format_report(title, scores, chosen.failures)))
    return 0


def _split(dialogs: Sequence[Dialog]) -> Iterator[tuple[str, Sequence[Dialog]]]:
    """The dialogs with one service and those with several; if none has several, pairs of those
    with one."""
    single = [dialog for dialog in dialogs if len(dialog.services) == 1]
    several = [dialog for dialog in dialogs if len(dialog.services) > 1]
    if single:
        yield "one service", single
    if several:
        yield "several services", several
    elif joined := join_dialogs(single):
        yield "two dialogs in one", joined


def _play(mode: Mode, dialogs: Sequence[Dialog]) -> list[TurnScore]:
    player = Player(mode)
    scores: list[TurnScore] = []
    for number, dialog in enumerate(dialogs, 1):
        scores += score_dialog(dialog.id, player.play(dialog))
        if number % _PROGRESS_STEP == 0 or number == len(dialogs):
            print(f"{mode}: {number} of {len(dialogs)} dialogs", file=sys.stderr, flush=True)
    return scores


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("it must not be negative")
    return number


if __name__ == "__main__":
    sys.exit(main())
