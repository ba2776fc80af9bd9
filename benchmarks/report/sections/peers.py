"""Anaphora beside its peers, on the same work, in the same process and run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchmarks.report.data import (
    Axis,
    Bars,
    Cell,
    Column,
    Distributions,
    Section,
    Spread,
    Table,
)
from benchmarks.report.options import ReportOptions
from benchmarks.report.rendering.numbers import format_number
from benchmarks.report.workloads import timing
from benchmarks.report.workloads.subject_process import Tell
from benchmarks.report.workloads.timing import tokenizer_seconds

if TYPE_CHECKING:
    from benchmarks.peers.compare import Row

_OURS = "anaphora"
_SEED = 1


def measure(wanted: ReportOptions, tell: Tell) -> Section:
    """The smart-home work in each engine; see :mod:`benchmarks.peers`."""
    from benchmarks.peers.compare import compare

    count = wanted.pick(whole=2_000, short=20)
    rounds = wanted.pick(whole=2, short=1)
    tell(f"{count:,} utterances in {rounds} rounds")
    rows = compare(count, seed=_SEED, rounds=rounds)
    tell("distributions")
    ours = next(row for row in rows if row.engine == _OURS)
    peers = [row for row in rows if not row.engine.startswith(_OURS)]
    return Section(
        "peers",
        "Smart home",
        "A smart home of 200 names, 30 areas and 40 intents, in each engine's own format, and "
        f"{count * rounds:,} generated utterances with known answers, which are taken from none of "
        "them; the engines take turns, and each does all of its own work, from the text to the "
        "intent and its slots. Each utterance is the first of a user of its own, but for the row "
        "that says otherwise. Throughput and ratio are those of the processor's time, which leaves "
        "out what other processes took of the machine.",
        (
            _times(rows),
            _understood(rows),
            Bars(
                "home-ratios",
                "How many times as long a peer works on an utterance, on average",
                Axis("times as long as Anaphora", "×"),
                tuple((row.engine, row.ratio) for row in peers),
                (("aim beside adapt", 2.0), ("aim beside hassil", 20.0)),
            ),
            Distributions(
                "home-latency",
                "Time of an utterance",
                tuple(Spread(row.engine, timing.quantiles(row.times)) for row in rows),
            ),
        ),
        _figures(ours, peers),
        _limits(ours, peers),
    )


def _times(rows: Sequence[Row]) -> Table:
    columns = (
        Column("engine"),
        Column("build", "s"),
        Column("median", "s"),
        Column("mean", "s"),
        Column("p99", "s"),
        Column("of the processor", "s"),
        Column("throughput", "1/s"),
        Column("to Anaphora's", "×"),
        Column("of the medians", "×"),
    )
    cells: tuple[tuple[Cell, ...], ...] = tuple(
        (
            row.engine,
            row.build,
            row.median,
            row.mean,
            row.p99,
            row.worked,
            row.per_second,
            row.ratio,
            row.ratio_of_medians,
        )
        for row in rows
    )
    return Table("Time of an utterance", columns, cells)


def _understood(rows: Sequence[Row]) -> Table:
    scored = [(row, row.score) for row in rows if row.score is not None]
    kinds = sorted({kind for row, _ in scored for kind in row.by_kind})
    columns = [Column("engine"), *(Column(name, "%") for name in ("intent", "slots", "both"))]
    columns += [Column("both, elsewhere", "%")]
    columns += [Column(kind, "%") for kind in kinds]
    cells: list[tuple[Cell, ...]] = []
    for row, score in scored:
        shares = (row.by_kind[kind].both if kind in row.by_kind else None for kind in kinds)
        elsewhere = row.elsewhere.both if row.elsewhere else None
        cells.append((row.engine, score.intents, score.slots, score.both, elsewhere, *shares))
    return Table(
        "Understood rightly",
        tuple(columns),
        tuple(cells),
        "By the kind of sentence, both the intent and its slots. “Elsewhere” is another home, "
        "whose devices have other names, with utterances of its own: no engine's format was "
        "written with them in view.",
    )


def _figures(ours: Row, peers: Sequence[Row]) -> dict[str, float]:
    figures = {
        f"home.over_{name}": ours.per_second / row.per_second
        for name in ("hassil", "adapt")
        for row in peers
        if row.engine == name
    }
    scores = [row.score for row in peers if row.score is not None]
    if ours.score is not None and scores:
        best_intents = max(score.intents for score in scores)
        figures["home.intents_lead"] = ours.score.intents - best_intents
        figures["home.slots_lead"] = ours.score.slots - max(score.slots for score in scores)
    return figures


def _limits(ours: Row, peers: Sequence[Row]) -> dict[str, str]:
    """What spaCy's tokenizer alone, without all that Anaphora does, would make of a ratio."""
    from benchmarks.peers.smart_home.utterances import utterances
    from benchmarks.peers.smart_home.work import smart_home

    texts = [one.text for one in utterances(smart_home(_SEED), 500, seed=_SEED)]
    floor = tokenizer_seconds(texts)
    share = format_number(floor / ours.worked, "%")
    return {
        f"home.over_{row.engine}": f"spaCy's tokenizer alone takes {share} of the time, so that no "
        f"more than {row.worked / floor:.1f} × could be reached with it"
        for row in peers
    }
