"""The cost of a store per question, compared with bare round trips to the same Redis."""

from __future__ import annotations

from benchmarks.report.data import Column, LeftOut, Section, Table
from benchmarks.report.options import ReportOptions
from benchmarks.report.workloads.subject_process import Tell


def measure(wanted: ReportOptions, tell: Tell) -> Section:
    """See :mod:`benchmarks.peers.stores`."""
    from benchmarks.peers.stores import stores

    turns, rounds = wanted.pick(whole=(1_000, 5), short=(20, 1))
    tell(f"{turns:,} turns in {rounds} rounds")
    rows = stores(turns, rounds=rounds)
    return Section(
        "stores",
        "Stores",
        "A conversation, another one each time, is opened, changed and kept; beside it, the bare "
        "round trips to the same Redis with the same record. A turn of the Redis or PostgreSQL "
        "store takes two round trips, as GET and SET do.",
        (
            Table(
                "A turn",
                (
                    Column("store"),
                    Column("median", "s"),
                    Column("mean", "s"),
                    Column("p99", "s"),
                    Column("time to GET and SET", "×"),
                ),
                tuple(
                    (row.store, row.median, row.mean, row.p99, row.ratio or None)
                    for row in rows
                    if not row.skipped
                ),
            ),
        ),
        left_out=tuple(LeftOut(f"store: {row.store}", row.skipped) for row in rows if row.skipped),
    )
