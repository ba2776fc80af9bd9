"""Which numbers exchanges have in their conversation, in the SQLite recall store."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any

from anaphora.ltm.recall.sqlite_records import QUARANTINE_COLUMNS

if TYPE_CHECKING:
    from anaphora.ltm.recall.sqlite_histories import Talk

__all__ = ["is_kept", "make_room", "places_by_clock", "vacancy"]


def is_kept(connection: Connection, talk: Talk, columns: tuple[Any, ...], clock: int) -> bool:
    """Whether an exchange with exactly these columns is in the conversation."""
    return columns in connection.execute(_AT_CLOCK, (talk.id, clock))


def places_by_clock(connection: Connection, talk: Talk, clocks: Sequence[int]) -> list[int]:
    """The number before which each exchange with these clocks, in ascending order, comes: behind
    all that were not said later, those in quarantine included."""
    away = _numbers_in_quarantine(connection, talk) if clocks else []

    def place(clock: int) -> int:
        later = (number for number, its_clock in away if its_clock > clock)
        end = min((_later(connection, talk, clock), *later))
        return max(
            (_behind(connection, talk, end), *(number + 1 for number, _ in away if number < end))
        )

    return list(accumulate(map(place, clocks), max))


def make_room(connection: Connection, talk: Talk, places: Sequence[int]) -> None:
    """Move all exchanges, summaries and quarantined rows on by as many numbers as there are
    ``places``, in ascending order, up to theirs. Place ``i`` is then free as ``places[i] + i``.

    The row of the conversation is changed only in memory."""
    if not places:
        return

    def shift(number: int) -> int:
        return number + bisect_right(places, number)

    starts = sorted(set(places))
    ranges = [
        (start, end - 1, shift(start) - start) for start, end in pairwise([*starts, talk.count + 1])
    ]
    # By negative numbers, for no two exchanges may have the same for a moment.
    connection.executemany(
        "UPDATE exchanges SET number = -number - ? WHERE conversation = ? "
        "AND number BETWEEN ? AND ?",
        [(by, talk.id, start, end) for start, end, by in ranges],
    )
    connection.execute(
        "UPDATE exchanges SET number = -number WHERE conversation = ? AND number < 0", (talk.id,)
    )
    summaries = connection.execute(_SUMMARIES_FROM, (talk.id, places[0])).fetchall()
    connection.executemany(
        "UPDATE summaries SET first = ?, last = ? WHERE id = ?",
        [(shift(first), shift(last), id) for id, first, last in summaries],
    )
    _move_quarantine(connection, talk, shift)
    talk.count += len(places)
    talk.first += sum(place < talk.first for place in places)


def vacancy(connection: Connection, talk: Talk, number: int, clock: int) -> int:
    """The number of an exchange that comes back: its old one, or another between those said
    before and after it, for which room is made if there is none."""
    end = _later(connection, talk, clock) if clock else talk.count + 1
    before = connection.execute(_EARLIER, (talk.id, talk.id, clock)).fetchone()[0]
    taken = connection.execute(
        "SELECT 1 FROM exchanges WHERE conversation = ? AND number = ?", (talk.id, number)
    ).fetchone()
    if before < number < end and not taken:
        return number
    place = _behind(connection, talk, end)
    if place >= end:
        make_room(connection, talk, [place])
    return place


def _later(connection: Connection, talk: Talk, clock: int) -> int:
    """The number of the first exchange with a larger clock, or what would follow the last one."""
    (number,) = connection.execute(_LATER, (talk.id, talk.id, clock)).fetchone()
    return talk.count + 1 if number is None else int(number)


def _behind(connection: Connection, talk: Talk, end: int) -> int:
    """The number after that of the last exchange before ``end``."""
    (number,) = connection.execute(
        "SELECT coalesce(max(number), 0) + 1 FROM exchanges WHERE conversation = ? AND number < ?",
        (talk.id, end),
    ).fetchone()
    return int(number)


def _move_quarantine(connection: Connection, talk: Talk, shift: Callable[[int], int]) -> None:
    """Let rows in quarantine keep their places among the others."""
    for id, _, names in _quarantine(connection, talk):
        values = [
            shift(value) if name in ("number", "first", "last") and type(value) is int else value
            for name, value in names.items()
        ]
        connection.execute(
            "UPDATE quarantine SET record = ? WHERE id = ?", (json.dumps(values), id)
        )


def _numbers_in_quarantine(connection: Connection, talk: Talk) -> list[tuple[int, int]]:
    """The numbers and clocks of exchanges in quarantine, as far as these are not damaged."""
    return [
        (names["number"], names["clock"])
        for _, kind, names in _quarantine(connection, talk)
        if kind == "exchange" and type(names["number"]) is type(names.get("clock")) is int
    ]


def _quarantine(connection: Connection, talk: Talk) -> list[tuple[int, str, dict[str, Any]]]:
    """The ids and kinds of the rows in quarantine, and their columns by name."""
    rows = connection.execute(
        "SELECT id, kind, record FROM quarantine WHERE owner = ? AND conversation = ? "
        "AND record IS NOT NULL",
        (talk.owner, talk.id),
    ).fetchall()
    return [
        (
            id,
            kind,
            dict(zip(QUARANTINE_COLUMNS[kind].split(", "), json.loads(record), strict=False)),
        )
        for id, kind, record in rows
    ]


# A number or clock that is none is that of a damaged row.
_AT_CLOCK = (
    "SELECT at, intent, question, answer, rest, clock FROM exchanges "
    "WHERE conversation = ? AND clock = ?"
)
_LATER = (
    "SELECT min(number) FROM exchanges WHERE conversation = ? AND typeof(number) = 'integer' "
    "AND clock = (SELECT min(clock) FROM exchanges WHERE conversation = ? AND clock > ?)"
)
_EARLIER = (
    "SELECT coalesce(max(number), 0) FROM exchanges WHERE conversation = ? "
    "AND typeof(number) = 'integer' AND clock = (SELECT max(clock) FROM exchanges "
    "WHERE conversation = ? AND clock > 0 AND clock <= ?)"
)
_SUMMARIES_FROM = (
    "SELECT id, first, last FROM summaries WHERE conversation = ? AND last >= ? "
    "AND typeof(first) = 'integer' AND typeof(last) = 'integer'"
)
