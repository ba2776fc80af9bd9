"""What is read on the chart of an island, a run of atoms that may form dates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from anaphora.entities.builtin.chart_parser import Chart, Item
from anaphora.entities.builtin.dates.operations.durations import DURATION_OPERATIONS
from anaphora.entities.builtin.dates.operations.registry import TimeExpression, iter_expressions

__all__ = ["DateMatch", "Island", "select_matches"]

DateMatch: TypeAlias = tuple[int, int, TimeExpression]
"""The offsets in the text (half open) and the time expression."""


class Island(NamedTuple):
    """The dates, durations and recurrences of one run of atoms, and the number of chart edges
    used. ``moved`` are the dates in a text in which something is moved: from one to the other, or
    by a duration."""

    dates: tuple[DateMatch, ...] = ()
    moved: tuple[DateMatch, ...] = ()
    durations: tuple[DateMatch, ...] = ()
    recurrences: tuple[DateMatch, ...] = ()
    edges: int = 0


def select_matches(chart: Chart, is_weak: Sequence[bool]) -> Island:
    """What is found on the chart of an island. ``is_weak`` tells of each atom whether it may be
    stripped from the ends."""
    items, nights = chart.items("date"), chart.items("overnight")
    amounts = chart.items("span")
    shifted = chart.items("shifted")
    moved = _select_longest([*shifted, *items], is_weak, amounts)
    dates = moved
    if shifted or nights:
        dates = _select_longest([*nights, *items], is_weak, amounts)
    durations = _select_longest(chart.items("duration"), is_weak, amounts)
    durations = tuple([one for one in durations if not _belongs_to_date(one, dates)])
    return Island(dates, moved, durations, edges=chart.edges)


def _belongs_to_date(duration: DateMatch, dates: Sequence[DateMatch]) -> bool:
    """Whether a duration overlaps a longer date whose expression contains no duration: a quarter
    past seven, 3 мая 2024 года."""
    start, end, _ = duration
    return any(
        first < end
        and start < last
        and last - first > end - start
        and meaning != ("never",)
        and not any(part[0] in DURATION_OPERATIONS for part in iter_expressions(meaning))
        for first, last, meaning in dates
    )


def _select_longest(
    items: Sequence[Item], is_weak: Sequence[bool], amounts: Sequence[Item]
) -> tuple[DateMatch, ...]:
    """The longest items that do not overlap, the first of equal ones, in the order of the text; of
    two times of a day on both of its sides the one behind it. They keep the whole of the
    ``amounts`` in them."""
    kept: list[Item] = []
    timed = [one for one in items if one.meaning[0] == "at"]
    for item in sorted(items, key=lambda item: (item.start - item.end, item.start)):
        if all(item.end <= one.start or one.end <= item.start for one in kept):
            if _has_time_behind(item, timed):
                continue  # Russian на 4 *завтра в 8*: four people
            kept.append(item)
    return tuple(
        _trim_weak_words(item, items, is_weak, amounts)
        for item in sorted(kept, key=lambda item: item.start)
    )


def _has_time_behind(item: Item, timed: Sequence[Item]) -> bool:
    """Whether another time is behind the day of an item, and is not that of a third date."""

    def shares(first: Item, last: Item) -> bool:
        is_near = first.start < last.start < first.end < last.end
        return is_near and last.end - last.start == first.end - first.start

    return item.meaning[0] == "at" and any(
        shares(item, other)
        and other.meaning[1] == item.meaning[1]
        and not any(shares(other, third) for third in timed)
        for other in timed
    )


def _trim_weak_words(
    item: Item, items: Sequence[Item], is_weak: Sequence[bool], amounts: Sequence[Item]
) -> DateMatch:
    """Strip weak words from both ends that do not change the meaning, as they may belong to
    something else ("what's on tomorrow"), but not from an amount ("a half hour earlier")."""
    spans = [
        (one.start, one.end)
        for one in items
        if item.start <= one.start
        and one.end <= item.end
        and one.meaning == item.meaning
        and all(is_weak[item.start : one.start])
        and all(is_weak[one.end : item.end])
        and not any(
            item.start <= whole.start < one.start < whole.end <= item.end for whole in amounts
        )
    ]
    return *min(spans, key=lambda span: span[1] - span[0]), item.meaning
