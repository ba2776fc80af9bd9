"""Numbering of exchanges within their conversation, in the SQLite recall store."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from sqlite3 import Connection
from typing import Any

from anaphora.ltm.retrieval.sqlite.conversations import ConversationRow
from anaphora.ltm.retrieval.sqlite.records import QUARANTINE_COLUMNS

__all__ = ["find_free_number", "find_numbers_by_clock", "is_stored", "shift_numbers"]


def is_stored(
    connection: Connection, conversation: ConversationRow, columns: tuple[Any, ...], clock: int
) -> bool:
    """Whether the conversation has an exchange with exactly these columns."""
    return columns in connection.execute(_AT_CLOCK, (conversation.id, clock))


def find_numbers_by_clock(
    connection: Connection, conversation: ConversationRow, clocks: Sequence[int]
) -> list[int]:
    """Return the number that each exchange with these clocks, in ascending order, takes: behind all
    that are not later, including those in quarantine."""
    quarantined = _quarantined_numbers(connection, conversation) if clocks else []

    def place(clock: int) -> int:
        later = (number for number, its_clock in quarantined if its_clock > clock)
        end = min((_first_later_number(connection, conversation, clock), *later))
        return max(
            (
                _next_number(connection, conversation, end),
                *(number + 1 for number, _ in quarantined if number < end),
            )
        )

    return list(accumulate(map(place, clocks), max))


def shift_numbers(
    connection: Connection, conversation: ConversationRow, numbers: Sequence[int]
) -> None:
    """Shift exchanges, summaries and quarantined rows so that a number becomes free at each of
    ``numbers``, which are in ascending order: the i-th is then ``numbers[i] + i``.

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
    # Through negative numbers, because numbers must be unique at all times.
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
    """Return a number for an exchange that is restored: its old one, or another between its
    neighbours by clock, which are shifted if necessary."""
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
    """Return the number of the first exchange with a larger clock, or one past the last."""
    (number,) = connection.execute(_LATER, (conversation.id, conversation.id, clock)).fetchone()
    return conversation.count + 1 if number is None else int(number)


def _next_number(connection: Connection, conversation: ConversationRow, end: int) -> int:
    """Return the number after the last exchange before ``end``."""
    (number,) = connection.execute(
        "SELECT coalesce(max(number), 0) + 1 FROM exchanges WHERE conversation = ? AND number < ?",
        (conversation.id, end),
    ).fetchone()
    return int(number)


def _shift_quarantined(
    connection: Connection, conversation: ConversationRow, shift: Callable[[int], int]
) -> None:
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
    """Return the numbers and clocks of quarantined exchanges in which both are undamaged."""
    return [
        (names["number"], names["clock"])
        for _, kind, names in _load_quarantined_rows(connection, conversation)
        if kind == "exchange" and type(names["number"]) is type(names.get("clock")) is int
    ]


def _load_quarantined_rows(
    connection: Connection, conversation: ConversationRow
) -> list[tuple[int, str, dict[str, Any]]]:
    """Load ids, kinds and columns (by name) of the rows in quarantine."""
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


# Numbers and clocks of damaged rows may be of another type.
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
