"""Which numbers exchanges have in their conversation, in the SQLite recall store."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any

from anaphora.ltm.retrieval.sqlite.records import QUARANTINE_COLUMNS

if TYPE_CHECKING:
    from anaphora.ltm.retrieval.sqlite.writer import ConversationRow

__all__ = ["find_free_number", "find_numbers_by_clock", "is_stored", "shift_numbers"]


def is_stored(
    connection: Connection, conversation: ConversationRow, columns: tuple[Any, ...], clock: int
) -> bool:
    """Whether an exchange with exactly these columns is in the conversation."""
    return columns in connection.execute(_AT_CLOCK, (conversation.id, clock))


def find_numbers_by_clock(
    connection: Connection, conversation: ConversationRow, clocks: Sequence[int]
) -> list[int]:
    """The number before which each exchange with these clocks, in ascending order, comes: behind
    all that were not said later, those in quarantine included."""
    away = _quarantined_numbers(connection, conversation) if clocks else []

    def place(clock: int) -> int:
        later = (number for number, its_clock in away if its_clock > clock)
        end = min((_first_later_number(connection, conversation, clock), *later))
        return max(
            (
                _next_number(connection, conversation, end),
                *(number + 1 for number, _ in away if number < end),
            )
        )

    return list(accumulate(map(place, clocks), max))


def shift_numbers(
    connection: Connection, conversation: ConversationRow, numbers: Sequence[int]
) -> None:
    """Move all exchanges, summaries and quarantined rows on by as many numbers as there are
    ``places``, in ascending order, up to theirs. Place ``i`` is then free as ``places[i] + i``.

    The row of the conversation is changed only in memory."""
    if not numbers:
        return

    def shift(number: int) -> int:
        return number + bisect_right(numbers, number)

    starts = sorted(set(numbers))
    ranges = [
        (start, end - 1, shift(start) - start)
        for start, end in pairwise([*starts, conversation.count + 1])
    ]
    # By negative numbers, for no two exchanges may have the same for a moment.
    connection.executemany(
        "UPDATE exchanges SET number = -number - ? WHERE conversation = ? "
        "AND number BETWEEN ? AND ?",
        [(by, conversation.id, start, end) for start, end, by in ranges],
    )
    connection.execute(
        "UPDATE exchanges SET number = -number WHERE conversation = ? AND number < 0",
        (conversation.id,),
    )
    summaries = connection.execute(_SUMMARIES_FROM, (conversation.id, numbers[0])).fetchall()
    connection.executemany(
        "UPDATE summaries SET first = ?, last = ? WHERE id = ?",
        [(shift(first), shift(last), id) for id, first, last in summaries],
    )
    _shift_quarantined(connection, conversation, shift)
    conversation.count += len(numbers)
    conversation.first += sum(place < conversation.first for place in numbers)


def find_free_number(
    connection: Connection, conversation: ConversationRow, number: int, clock: int
) -> int:
    """The number of an exchange that comes back: its old one, or another between those said
    before and after it, for which room is made if there is none."""
    end = _first_later_number(connection, conversation, clock) if clock else conversation.count + 1
    before = connection.execute(_EARLIER, (conversation.id, conversation.id, clock)).fetchone()[0]
    taken = connection.execute(
        "SELECT 1 FROM exchanges WHERE conversation = ? AND number = ?", (conversation.id, number)
    ).fetchone()
    if before < number < end and not taken:
        return number
    place = _next_number(connection, conversation, end)
    if place >= end:
        shift_numbers(connection, conversation, [place])
    return place


def _first_later_number(connection: Connection, conversation: ConversationRow, clock: int) -> int:
    """The number of the first exchange with a larger clock, or what would follow the last one."""
    (number,) = connection.execute(_LATER, (conversation.id, conversation.id, clock)).fetchone()
    return conversation.count + 1 if number is None else int(number)


def _next_number(connection: Connection, conversation: ConversationRow, end: int) -> int:
    """The number after that of the last exchange before ``end``."""
    (number,) = connection.execute(
        "SELECT coalesce(max(number), 0) + 1 FROM exchanges WHERE conversation = ? AND number < ?",
        (conversation.id, end),
    ).fetchone()
    return int(number)


def _shift_quarantined(
    connection: Connection, conversation: ConversationRow, shift: Callable[[int], int]
) -> None:
    """Let rows in quarantine keep their places among the others."""
    for id, _, names in _load_quarantined_rows(connection, conversation):
        values = [
            shift(value) if name in ("number", "first", "last") and type(value) is int else value
            for name, value in names.items()
        ]
        connection.execute(
            "UPDATE quarantine SET record = ? WHERE id = ?", (json.dumps(values), id)
        )


def _quarantined_numbers(
    connection: Connection, conversation: ConversationRow
) -> list[tuple[int, int]]:
    """The numbers and clocks of exchanges in quarantine, as far as these are not damaged."""
    return [
        (names["number"], names["clock"])
        for _, kind, names in _load_quarantined_rows(connection, conversation)
        if kind == "exchange" and type(names["number"]) is type(names.get("clock")) is int
    ]


def _load_quarantined_rows(
    connection: Connection, conversation: ConversationRow
) -> list[tuple[int, str, dict[str, Any]]]:
    """The ids and kinds of the rows in quarantine, and their columns by name."""
    rows = connection.execute(
        "SELECT id, kind, record FROM quarantine WHERE owner = ? AND conversation = ? "
        "AND record IS NOT NULL",
        (conversation.owner, conversation.id),
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
