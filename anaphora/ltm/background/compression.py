"""Planning of the compression of a history: which of its parts become a summary.

A history larger than ``max_size`` is reduced to ``low_water`` × ``max_size``, the oldest exchanges
first, ``segment`` of them to a summary. If that is not enough, summaries are summarized: the
oldest run of ``segment`` on the lowest level that has one, so that a text is summarized only once
per level (as levels merge in a log-structured tree). Summaries may always take up two fifths of
``max_size``: if the verbatim exchanges alone are too large, the older ones would vanish otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.history.working_history import History, HistoryPart, HistorySettings
from anaphora.ltm.summarizers.summarizer import Segment

__all__ = ["apply_summaries", "plan_segments"]

_MIN_SUMMARY_WORDS = 8  # shorter summaries are useless
_SUMMARY_SHARE = 0.4  # of max_size that summaries may take regardless of the exchanges


def plan_segments(
    history: History, settings: HistorySettings, measure: Measure
) -> tuple[Segment, ...]:
    """Return the segments to summarize now, in order; none if the history is small enough or has
    nothing that may be summarized."""
    if history.size <= settings.max_size:
        return ()
    excess = history.size - settings.low_water * settings.max_size
    if segments := tuple(_segment_exchanges(history, settings, measure, excess)):
        return segments
    spare = measure.total(history.summaries) - _SUMMARY_SHARE * settings.max_size
    return tuple(_segment_summaries(history.summaries, settings, measure, min(excess, spare)))


def apply_summaries(
    history: History, segments: Sequence[Segment], texts: Sequence[str], by: Sequence[str]
) -> tuple[tuple[HistoryPart, ...], tuple[Summary, ...]]:
    """Return the oldest history parts that new summaries replace, and the summaries that take
    their place. ``texts`` and ``by`` hold the summary and the summarizer's name of each segment."""
    last = segments[-1].parts[-1]
    parts = list(history.parts)
    replaced = parts[: parts.index(last) + 1]
    made = {
        id(segment.parts[0]): _build_summary(segment.parts, text, name)
        for segment, text, name in zip(segments, texts, by, strict=True)
    }
    covered = {id(part) for segment in segments for part in segment.parts}
    remaining = (
        made.get(id(part), part) for part in replaced if id(part) in made or id(part) not in covered
    )
    return tuple(replaced), tuple(part for part in remaining if isinstance(part, Summary))


def _segment_exchanges(
    history: History, settings: HistorySettings, measure: Measure, excess: float
) -> Iterator[Segment]:
    old = history.exchanges[: max(0, len(history.exchanges) - settings.verbatim)]
    for start in range(0, len(old), settings.segment):
        if excess <= 0:
            return
        parts = old[start : start + settings.segment]
        excess -= measure.total(parts) * (1 - settings.share)
        yield _build_segment(parts, settings)


def _segment_summaries(
    summaries: Sequence[Summary], settings: HistorySettings, measure: Measure, excess: float
) -> Iterator[Segment]:
    runs = [tuple(run) for _, run in groupby(summaries, key=lambda summary: summary.level)]
    long = [run for run in runs if len(run) >= settings.segment]
    oldest = tuple(summaries[: settings.segment])
    run = min(long, key=lambda run: run[0].level, default=oldest)
    for start in range(0, len(run), settings.segment):
        parts = run[start : start + settings.segment]
        if excess <= 0 or len(parts) < 2:
            return
        excess -= measure.total(parts) * (1 - settings.share)
        yield _build_segment(parts, settings)


def _build_segment(parts: Sequence[HistoryPart], settings: HistorySettings) -> Segment:
    size = WORDS.total(parts)
    most = max(min(_MIN_SUMMARY_WORDS, size // 2), round(settings.share * size))
    return Segment(tuple(parts), most)


def _build_summary(parts: Sequence[HistoryPart], text: str, by: str) -> Summary:
    first, last = parts[0], parts[-1]
    summaries = [part for part in parts if isinstance(part, Summary)]
    return Summary(
        text=text,
        first=first.number if isinstance(first, Exchange) else first.first,
        last=last.number if isinstance(last, Exchange) else last.last,
        since=first.at if isinstance(first, Exchange) else first.since,
        until=last.at if isinstance(last, Exchange) else last.until,
        by=by,
        level=1 + max((summary.level for summary in summaries), default=0),
        of=tuple(summary.id for summary in summaries),
    )
