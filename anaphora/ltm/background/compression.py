"""When and how a history is compressed: which of its parts become one summary each.

A history larger than ``max_size`` is brought down to ``low_water`` × ``max_size``: the oldest
exchanges first, ``segment`` of them to a summary. Where that is not enough, summaries are
summarized: the oldest run of ``segment`` on the lowest level that has one, so that a text is
summarized again only once for each level (as levels merge in a log-structured tree). Summaries
may always have two fifths of ``max_size``: where the verbatim exchanges alone are too large,
nothing would be left of what is older.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import Measure, count_words
from anaphora.ltm.history.working_history import History, HistoryPart, HistorySettings
from anaphora.ltm.summarizers.summarizer import Segment

__all__ = ["apply_summaries", "plan_segments", "total_words"]

_MIN_SUMMARY_WORDS = 8  # of a summary: less says nothing
_SUMMARY_SHARE = 0.4  # what share of max_size summaries may have whatever the exchanges take


def plan_segments(
    history: History, settings: HistorySettings, measure: Measure
) -> tuple[Segment, ...]:
    """The segments that are to be summarized now, in their order; none if the history is not
    too large, or if nothing in it may be summarized."""
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
    """What the summaries ``texts`` of the segments replace, and by what: the oldest parts of the
    history up to the last of the segments, and the summaries that stand there then. ``by``
    names the summarizer of each."""
    last = segments[-1].parts[-1]
    parts = list(history.parts)
    replaced = parts[: parts.index(last) + 1]
    made = {
        id(segment.parts[0]): _build_summary(segment.parts, text, name)
        for segment, text, name in zip(segments, texts, by, strict=True)
    }
    covered = {id(part) for segment in segments for part in segment.parts}
    standing = (
        made.get(id(part), part) for part in replaced if id(part) in made or id(part) not in covered
    )
    return tuple(replaced), tuple(part for part in standing if isinstance(part, Summary))


def total_words(parts: Sequence[HistoryPart]) -> int:
    """The number of words of parts of a history."""
    return sum(
        count_words(part.text)
        if isinstance(part, Summary)
        else count_words(part.question) + count_words(part.answer)
        for part in parts
    )


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
    size = total_words(parts)
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
