"""Numbering of exchanges within their conversation, in the PostgreSQL recall store.

The user of the conversation must be locked.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from anaphora.errors import StoreError
from anaphora.ltm.retrieval.postgres.records import dump_summary, load_summary

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Transaction

__all__ = ["find_free_number", "find_numbers_by_clock", "shift_numbers"]


def find_numbers_by_clock(
    transaction: Transaction, user: int, conversation: int, clocks: Sequence[int]
) -> list[int]:
    """Return the number that each exchange with these clocks, in ascending order, takes in a
    conversation of a user: behind all that are not later, including those in quarantine."""
    rows = transaction.fetch_all(
        "WITH talk AS (SELECT id, user_id, last FROM conversations WHERE id = %s), "
        "away AS (SELECT (row_data->>'number')::bigint AS number, "
        "(row_data->>'clock')::bigint AS clock FROM quarantine, talk WHERE "
        "quarantine.user_id = talk.user_id AND conversation_id = talk.id AND kind = 'exchange') "
        "SELECT 1 + coalesce(greatest("
        "(SELECT max(number) FROM exchanges WHERE user_id = %s AND conversation_id = talk.id "
        "AND number < stop), "
        "(SELECT max(number) FROM away WHERE number < stop)), 0) "
        "FROM unnest(%s::bigint[]) WITH ORDINALITY AS new (clock, position) CROSS JOIN talk "
        "CROSS JOIN LATERAL (SELECT coalesce(least("
        "(SELECT number FROM exchanges WHERE user_id = %s AND conversation_id = talk.id "
        "AND clock > new.clock ORDER BY clock, number LIMIT 1), "
        "(SELECT min(number) FROM away WHERE clock > new.clock)), talk.last + 1)) AS ends (stop) "
        "ORDER BY position",
        *(conversation, user, list(clocks), user),
    )
    return list(accumulate((place for (place,) in rows), max))


def shift_numbers(
    transaction: Transaction, user: int, conversation: int, numbers: Sequence[int]
) -> None:
    """Shift exchanges, summaries and quarantined rows of a conversation of a user so that a number
    becomes free at each of ``numbers``, which are in ascending order: the i-th is then
    ``numbers[i] + i``."""
    array = list(numbers)
    # Through negative numbers, because numbers must be unique at all times.
    transaction.execute(
        "UPDATE exchanges SET number = -number - width_bucket(number, %s::bigint[]) "
        "WHERE user_id = %s AND conversation_id = %s AND number >= %s",
        *(array, user, conversation, array[0]),
    )
    transaction.execute(
        "UPDATE exchanges SET number = -number WHERE user_id = %s AND conversation_id = %s "
        "AND number < 0",
        *(user, conversation),
    )
    for id, record, first, last in transaction.fetch_all(
        "UPDATE summaries SET first = first + width_bucket(first, %s::bigint[]), "
        "last = last + width_bucket(last, %s::bigint[]) "
        "WHERE user_id = %s AND conversation_id = %s AND last >= %s "
        "RETURNING id, record, first, last",
        *(array, array, user, conversation, array[0]),
    ):
        with suppress(StoreError):  # damaged summaries are quarantined when they are read
            new = replace(load_summary(record, id), first=first, last=last)
            transaction.execute(
                "UPDATE summaries SET record = %s WHERE user_id = %s AND id = %s",
                *(dump_summary(new), user, id),
            )
    for kind, names in (("exchange", ("number",)), ("summary", ("first", "last"))):
        for name in names:
            transaction.execute(
                f"UPDATE quarantine SET row_data = jsonb_set(row_data, '{{{name}}}', "
                f"to_jsonb((row_data->>'{name}')::bigint + "
                f"width_bucket((row_data->>'{name}')::bigint, %s::bigint[]))) "
                "WHERE user_id = %s AND conversation_id = %s AND kind = %s",
                *(array, user, conversation, kind),
            )
    transaction.execute(
        "UPDATE conversations SET last = last + %s, first = first + "
        "(SELECT count(*) FROM unnest(%s::bigint[]) AS place WHERE place < first) WHERE id = %s",
        *(len(array), array, conversation),
    )


def find_free_number(
    transaction: Transaction, user: int, conversation: int, number: int, clock: int
) -> int:
    """Return a number for an exchange that is restored: its old one, or another between its
    neighbours by clock, which are shifted if necessary."""
    found = transaction.fetch_one(
        "SELECT coalesce((SELECT number FROM exchanges WHERE user_id = %s "
        "AND conversation_id = talk.id AND clock > 0 AND clock <= %s "
        "ORDER BY clock DESC, number DESC LIMIT 1), 0), "
        "coalesce((SELECT number FROM exchanges WHERE user_id = %s "
        "AND conversation_id = talk.id AND %s > 0 AND clock > %s "
        "ORDER BY clock, number LIMIT 1), last + 1), "
        "EXISTS (SELECT FROM exchanges WHERE user_id = %s AND conversation_id = talk.id "
        "AND number = %s) "
        "FROM conversations AS talk WHERE id = %s",
        *(user, clock, user, clock, clock, user, number, conversation),
    )
    assert found
    before, end, taken = found
    if before < number < end and not taken:
        return number
    behind = transaction.fetch_one(
        "SELECT coalesce(max(number), 0) + 1 FROM exchanges "
        "WHERE user_id = %s AND conversation_id = %s AND number < %s",
        *(user, conversation, end),
    )
    assert behind
    place = int(behind[0])
    if place >= end:
        shift_numbers(transaction, user, conversation, [place])
    return place
