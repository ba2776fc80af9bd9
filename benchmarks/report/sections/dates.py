"""Date recognition compared with the search of dateparser."""

from __future__ import annotations

from benchmarks.report.data import Axis, Bars, Column, Section, Table
from benchmarks.report.options import ReportOptions
from benchmarks.report.workloads.subject_process import Tell

_OURS = "anaphora"


def measure(wanted: ReportOptions, tell: Tell) -> Section:
    """See :mod:`benchmarks.peers.dates`."""
    from benchmarks.peers.dates import LANGUAGES, dates

    # More rounds have fewer utterances each: every utterance is asked once.
    languages = wanted.pick(whole=LANGUAGES, short=LANGUAGES[:1])
    tell(", ".join(languages))
    rows = dates(languages=languages, count=wanted.pick(whole=None, short=80))
    return Section(
        "dates",
        "Dates",
        "The same utterances, five sixths of which hold a date, and none of which comes twice; "
        "dateparser is told the language. The time of the question goes on with each, as in life; "
        "dateparser keeps what it has made for a base to count from, so that it is also asked with "
        "one that never changes. Making the Doc belongs to Anaphora's time. The ratio is "
        "that of the mean time of the processor.",
        (
            Table(
                "An utterance",
                (
                    Column("finder"),
                    Column("language"),
                    Column("median", "s"),
                    Column("mean", "s"),
                    Column("p99", "s"),
                    Column("of the processor", "s"),
                    Column("to Anaphora's", "×"),
                    Column("right", "%"),
                ),
                tuple(
                    (
                        row.finder,
                        row.language,
                        row.median,
                        row.mean,
                        row.p99,
                        row.worked,
                        row.ratio,
                        row.right,
                    )
                    for row in rows
                ),
            ),
            Bars(
                "dates-ratios",
                "How many times as long dateparser's search works, on average",
                Axis("times as long as Anaphora", "×"),
                tuple(
                    (f"{row.finder}, {row.language}", row.ratio)
                    for row in rows
                    if row.finder != _OURS
                ),
            ),
        ),
    )
