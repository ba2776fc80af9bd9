"""``python -m benchmarks.peers``: tables of Anaphora and its peers on the same work."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from benchmarks.peers import compare, dates, stores, tagging
from benchmarks.peers.smart_home.utterances import KINDS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    works = ("home", "tagging", "stores", "dates")
    parser.add_argument("work", nargs="?", choices=works, default="home", help="home if left out")
    parser.add_argument("--count", type=int, help="utterances, texts or turns of a round")
    parser.add_argument("--rounds", type=int, default=3, help="how many rounds there are (3)")
    parser.add_argument("--seed", type=int, default=1, help="of what is said (1)")
    parser.add_argument("--engines", help="home: those to be asked, with commas between")
    parser.add_argument("--variants", action="store_true", help="home: also what else was tried")
    parser.add_argument("--wrong", type=int, default=0, help="home: wrong answers of each")
    parser.add_argument("--sizes", default="100,1000,10000", help="tagging: how many names")
    parser.add_argument(
        "--memory", action="store_true", help="tagging: also what is held of a name"
    )
    asked = parser.parse_args()
    console = Console(width=max(Console().width, 120))
    {"home": _home, "tagging": _tagging, "stores": _stores, "dates": _dates}[asked.work](
        console, asked
    )


_TIMES = ("median", "mean", "p99")
_Timed = compare.Row | tagging.Row | stores.Row | dates.Row


def _home(console: Console, asked: argparse.Namespace) -> None:
    engines = [*compare.ENGINES, *(compare.VARIANTS if asked.variants else ())]
    if asked.engines:
        engines = asked.engines.split(",")
    rows = compare.compare(
        asked.count or 2_000, seed=asked.seed, rounds=asked.rounds, engines=engines
    )
    _print(
        console,
        "Time of an utterance",
        ("engine", "build", *_TIMES, "processor", "per second", "of Anaphora's", "of the median"),
        (
            (
                row.engine,
                f"{row.build:.2f} s",
                *_times(row),
                f"{row.worked * 1e6:.1f} µs",
                f"{row.per_second:.0f}",
                row.ratio,
                row.ratio_of_medians,
            )
            for row in rows
        ),
    )
    scored = [(row, row.score) for row in rows if row.score is not None]
    _print(
        console,
        "Understood (intent and slots, for each kind of sentence)",
        ("engine", "intent", "slots", "both", "elsewhere", *KINDS),
        (
            (
                row.engine,
                *(f"{share * 100:.1f}" for share in (score.intents, score.slots, score.both)),
                f"{row.elsewhere.both * 100:.1f}" if row.elsewhere else "",
                *(
                    f"{row.by_kind[one].both * 100:.1f}" if one in row.by_kind else ""
                    for one in KINDS
                ),
            )
            for row, score in scored
        ),
    )
    for row in rows:
        for utterance, answer in row.wrong[: asked.wrong]:
            console.print(
                f"{row.engine}, {utterance.kind}: {utterance.text} → {answer.intent} "
                f"{answer.slots}, not {utterance.intent} {utterance.slots}",
                markup=False,
                highlight=False,
            )


def _tagging(console: Console, asked: argparse.Namespace) -> None:
    sizes = [int(size) for size in asked.sizes.split(",")]
    rows = tagging.tagging(sizes, count=asked.count or 500, rounds=asked.rounds, seed=asked.seed)
    if asked.memory:
        rows = tagging.remember(rows)
    _print(
        console,
        "Tagging a text of eight or nine words",
        (
            *("tagger", "names", "build", *_TIMES, "processor", "of Anaphora's", "tokens given"),
            *("right", "bytes a name", "skipped"),
        ),
        (
            (
                row.tagger,
                f"{row.synonyms:,}",
                f"{row.build:.2f} s",
                *_times(row),
                f"{row.worked * 1e6:.1f} µs",
                row.ratio,
                f"{row.finding * 1e6:.1f} µs" if row.finding else "",
                _percent(row.right),
                f"{row.footprint.resident:.0f}" if row.footprint else "",
                row.skipped,
            )
            for row in rows
        ),
    )


def _stores(console: Console, asked: argparse.Namespace) -> None:
    rows = stores.stores(asked.count or 1_000, rounds=asked.rounds)
    _print(
        console,
        "A turn: a conversation is opened and kept",
        ("store", *_TIMES, "of GET and SET", "skipped"),
        ((row.store, *_times(row), row.ratio, row.skipped) for row in rows),
    )


def _dates(console: Console, asked: argparse.Namespace) -> None:
    rows = dates.dates(rounds=asked.rounds, seed=asked.seed)
    _print(
        console,
        "The dates of an utterance",
        ("finder", "language", *_TIMES, "processor", "of Anaphora's", "right"),
        (
            (
                row.finder,
                row.language,
                *_times(row),
                f"{row.worked * 1e6:.1f} µs",
                row.ratio,
                _percent(row.right),
            )
            for row in rows
        ),
    )


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"


def _times(row: _Timed) -> tuple[str, ...]:
    return tuple(f"{time * 1e6:.1f} µs" for time in (row.median, row.mean, row.p99))


def _print(
    console: Console, title: str, heads: Iterable[str], rows: Iterable[Iterable[str | float]]
) -> None:
    table = Table(title=title)
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if place else "left", no_wrap=not place)
    for row in rows:
        table.add_row(*(cell if isinstance(cell, str) else f"× {cell:.2f}" for cell in row))
    console.print(table)


if __name__ == "__main__":
    main()
