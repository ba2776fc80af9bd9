"""Adding, indexing and deleting exchanges, and compressing histories, in the SQLite recall store,
within a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from sqlite3 import Connection
from typing import Any, NamedTuple

from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import Measure
from anaphora.ltm.history.working_history import HistoryPart, HistorySettings
from anaphora.ltm.retrieval.sqlite.conversations import (
    ConversationRow,
    find_conversation,
    recount_size,
    save_conversation,
    text_size,
)
from anaphora.ltm.retrieval.sqlite.numbering import find_numbers_by_clock, is_stored, shift_numbers
from anaphora.ltm.retrieval.sqlite.postings import (
    add_postings,
    remove_postings,
    replace_postings,
)
from anaphora.ltm.retrieval.sqlite.records import (
    EXCHANGE_COLUMNS,
    SUMMARY_COLUMNS,
    dump_exchange,
    dump_summary,
    dump_terms,
    load_terms_or_none,
    parse_exchanges,
    parse_summaries,
)
from anaphora.ltm.retrieval.store import NewExchange, TermUpdate
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.sqlite.text_encoding import EncodedText, encode_text

__all__ = [
    "PreparedExchange",
    "add_exchanges",
    "delete_exchanges",
    "encode_slots",
    "insert_slots",
    "load_summaries",
    "load_verbatim",
    "prepare_exchange",
    "reindex",
    "replace_parts",
]


class PreparedExchange(NamedTuple):
    """An exchange to store, serialized before the transaction."""

    key: ConversationKey
    terms: tuple[str, ...]
    packed: EncodedText
    columns: tuple[Any, ...]
    slots: list[tuple[EncodedText, EncodedText]]
    size: int
    clock: int
    terms_version: int


def prepare_exchange(new: NewExchange, measure: Measure) -> PreparedExchange:
    """Serialize an exchange. Raises :class:`StoreError` for values that cannot be stored."""
    exchange = new.exchange
    return PreparedExchange(
        new.key,
        new.terms,
        dump_terms(new.terms),
        dump_exchange(exchange),
        encode_slots(exchange),
        measure.count_exchange(exchange),
        exchange.clock,
        new.terms_version,
    )


def encode_slots(exchange: Exchange) -> list[tuple[EncodedText, EncodedText]]:
    """Return the distinct slot values of an exchange, each with the name of its slot."""
    return [
        (encode_text(name), encode_text(value))
        for name, values in exchange.slots.items()
        for value in dict.fromkeys(values)
    ]


def add_exchanges(
    connection: Connection,
    rows: Iterable[PreparedExchange],
    settings: HistorySettings,
    measure: Measure,
) -> None:
    """Store exchanges, and drop the oldest ones of histories that have too many."""
    batch = list(rows)
    by_key: dict[ConversationKey, list[int]] = {}
    for position, row in enumerate(batch):
        by_key.setdefault(row.key, []).append(position)
    conversations: dict[ConversationKey, ConversationRow] = {}
    numbers: dict[int, int] = {}
    for key, positions in by_key.items():
        conversation = conversations[key] = _find_or_create_conversation(connection, key, measure)
        numbers |= _assign_numbers(
            connection, conversation, {each: batch[each] for each in positions}
        )
    documents: dict[int, list[tuple[int, tuple[str, ...]]]] = {}
    for position, row in enumerate(batch):
        if position in numbers:
            conversation = conversations[row.key]
            id = _insert_exchange(connection, conversation, row, numbers[position])
            documents.setdefault(conversation.owner, []).append((id, row.terms))
    for conversation in conversations.values():
        _drop_oldest(connection, conversation, settings, measure)
        save_conversation(connection, conversation)
    for owner, added in documents.items():
        add_postings(connection, owner, added)


def reindex(connection: Connection, version: int, exchanges: Sequence[TermUpdate]) -> None:
    """Replace the terms of exchanges that still exist and are of an earlier version, and drop
    their vectors."""
    by_owner: dict[int, list[tuple[int, tuple[str, ...] | None, tuple[str, ...]]]] = {}
    for one in exchanges:
        row = connection.execute(_OUTDATED, (one.id, version)).fetchone()
        if row is not None:
            by_owner.setdefault(row[0], []).append((one.id, load_terms_or_none(row[1]), one.terms))
    for owner, documents in by_owner.items():
        replace_postings(connection, owner, documents)
        connection.executemany(
            "UPDATE exchanges SET terms = ?, terms_version = ? WHERE id = ?",
            [(dump_terms(after), version, id) for id, _, after in documents],
        )
        dropped = connection.execute(
            f"DELETE FROM vectors WHERE exchange IN ({', '.join('?' * len(documents))})",
            [id for id, *_ in documents],
        )
        if dropped.rowcount:
            _drop_cached_vectors(connection, owner)


def _drop_cached_vectors(connection: Connection, owner: int) -> None:
    """Make all processes drop the deleted vectors of a user from memory."""
    connection.execute("UPDATE owners SET generation = generation + 1 WHERE id = ?", (owner,))


def delete_exchanges(connection: Connection, ids: Sequence[int]) -> list[tuple[int, int]]:
    """Delete some hundred exchanges with their slots, vectors and postings; return the conversation
    and number of each."""
    places = f"({', '.join('?' * len(ids))})"
    rows = connection.execute(
        f"SELECT id, owner, terms, conversation, number FROM exchanges WHERE id IN {places}", ids
    ).fetchall()
    documents: dict[int, list[tuple[int, tuple[str, ...] | None]]] = {}
    for id, owner, terms, *_ in rows:
        documents.setdefault(owner, []).append((id, load_terms_or_none(terms)))
    for owner, gone in documents.items():
        remove_postings(connection, owner, gone)
        _drop_cached_vectors(connection, owner)
    for table, column in (("slots", "exchange"), ("vectors", "exchange"), ("exchanges", "id")):
        connection.execute(f"DELETE FROM {table} WHERE {column} IN {places}", ids)
    return [(conversation, number) for *_, conversation, number in rows]


def replace_parts(
    connection: Connection,
    key: ConversationKey,
    replaced: Sequence[HistoryPart],
    by: Sequence[Summary],
    measure: Measure,
) -> bool:
    """Replace parts of a history by summaries; False if they are not its oldest parts."""
    conversation = find_conversation(connection, key)
    if conversation is None or not _are_oldest(connection, conversation, replaced):
        return False
    if conversation.measure != encode_text(measure.name):
        recount_size(connection, conversation, measure)
    for part in replaced:
        if isinstance(part, Summary):
            connection.execute("UPDATE summaries SET active = 0 WHERE id = ?", (part.id,))
        else:
            conversation.first = part.number + 1
            conversation.verbatim -= 1
    connection.executemany(_ADD_SUMMARY, [(conversation.id, *dump_summary(each)) for each in by])
    conversation.size += measure.total(by) - measure.total(replaced)
    save_conversation(connection, conversation)
    return True


def load_verbatim(
    connection: Connection, conversation: ConversationRow, limit: int = -1
) -> list[Exchange]:
    """Load the first ``limit`` verbatim exchanges of a history (-1: all)."""
    return parse_exchanges(
        connection.execute(_VERBATIM, (conversation.id, conversation.first, limit))
    )


def load_summaries(
    connection: Connection, conversation: ConversationRow, limit: int = -1
) -> list[Summary]:
    """Load the first ``limit`` summaries of a history (-1: all), in order."""
    return parse_summaries(connection.execute(_ACTIVE, (conversation.id, limit)))


def _find_or_create_conversation(
    connection: Connection, key: ConversationKey, measure: Measure
) -> ConversationRow:
    """Return the row of a conversation, which is created if missing."""
    conversation = find_conversation(connection, key)
    if conversation is None:
        owner = _find_or_create_owner(connection, encode_text(key.tenant), encode_text(key.user))
        name = encode_text(measure.name)
        id = connection.execute(_ADD_CONVERSATION, (owner, encode_text(key.model), name)).lastrowid
        assert id is not None
        conversation = ConversationRow(id, owner, 0, 1, 0, 0, name, 0)
    elif conversation.measure != encode_text(measure.name):
        recount_size(connection, conversation, measure)
    return conversation


def _find_or_create_owner(connection: Connection, tenant: EncodedText, user: EncodedText) -> int:
    row = connection.execute(
        "SELECT id FROM owners WHERE tenant = ? AND user = ?", (tenant, user)
    ).fetchone()
    id: int | None = row[0] if row else connection.execute(_ADD_OWNER, (tenant, user)).lastrowid
    assert id is not None
    return id


def _assign_numbers(
    connection: Connection, conversation: ConversationRow, rows: Mapping[int, PreparedExchange]
) -> dict[int, int]:
    """Return the numbers of new exchanges by their positions in the batch, and make room for them.
    Exchanges that are stored already get none."""
    late: list[int] = []
    last: list[int] = []
    copies: set[tuple[Any, ...]] = set()
    for position, row in sorted(rows.items(), key=lambda each: (not each[1].clock, each[1].clock)):
        if row.clock and row.columns in copies:
            continue
        copies.add(row.columns)
        if not 0 < row.clock <= conversation.clock:
            last.append(position)
        elif not is_stored(connection, conversation, row.columns, row.clock):
            late.append(position)
    places = find_numbers_by_clock(
        connection, conversation, [rows[position].clock for position in late]
    )
    shift_numbers(connection, conversation, places)
    numbers = {late[i]: place + i for i, place in enumerate(places)}
    numbers |= {position: number for number, position in enumerate(last, conversation.count + 1)}
    conversation.count += len(last)
    for position, number in numbers.items():
        conversation.clock = max(conversation.clock, rows[position].clock)
        if number >= conversation.first:
            conversation.verbatim += 1
            conversation.size += rows[position].size
    return numbers


def _insert_exchange(
    connection: Connection, conversation: ConversationRow, row: PreparedExchange, number: int
) -> int:
    id = connection.execute(
        _ADD_EXCHANGE,
        (conversation.owner, conversation.id, number, row.terms_version, row.packed, *row.columns),
    ).lastrowid
    assert id is not None
    insert_slots(connection, conversation.owner, id, row.slots)
    return id


def insert_slots(
    connection: Connection, owner: int, id: int, slots: Sequence[tuple[EncodedText, EncodedText]]
) -> None:
    connection.executemany(
        "INSERT INTO slots (owner, name, value, exchange) VALUES (?, ?, ?, ?)",
        [(owner, name, value, id) for name, value in slots],
    )


def _drop_oldest(
    connection: Connection,
    conversation: ConversationRow,
    settings: HistorySettings,
    measure: Measure,
) -> None:
    """Drop the oldest exchanges of a history that has too many."""
    too_many = conversation.verbatim - settings.max_exchanges
    if too_many <= 0:
        return
    leaving = connection.execute(
        "SELECT number, question, answer FROM exchanges "
        "WHERE conversation = ? AND number >= ? ORDER BY number LIMIT ?",
        (conversation.id, conversation.first, too_many),
    ).fetchall()
    conversation.verbatim -= len(leaving)
    conversation.first = leaving[-1][0] + 1
    conversation.size -= sum(text_size(measure, text) for _, *texts in leaving for text in texts)


def _are_oldest(
    connection: Connection, conversation: ConversationRow, parts: Sequence[HistoryPart]
) -> bool:
    """Whether these are the first summaries of a history, its first exchanges, or both in order."""
    summaries = [part for part in parts if isinstance(part, Summary)]
    exchanges = [part for part in parts if not isinstance(part, Summary)]
    in_order = [*summaries, *exchanges] == list(parts) != []
    return (
        in_order
        and summaries == load_summaries(connection, conversation, len(summaries))
        and exchanges == load_verbatim(connection, conversation, len(exchanges))
    )


_OUTDATED = "SELECT owner, terms FROM exchanges WHERE id = ? AND terms_version < ?"
_VERBATIM = (
    f"SELECT id, {EXCHANGE_COLUMNS} FROM exchanges WHERE conversation = ? AND number >= ? "
    "ORDER BY number LIMIT ?"
)
_ACTIVE = (
    f"SELECT id, {SUMMARY_COLUMNS} FROM summaries WHERE conversation = ? AND active = 1 "
    "ORDER BY first, id LIMIT ?"
)
_ADD_OWNER = (
    "INSERT INTO owners (tenant, user, documents, length, generation) VALUES (?, ?, 0, 0, 0)"
)
_ADD_CONVERSATION = (
    "INSERT INTO conversations (owner, model, count, first, verbatim, size, measure, clock) "
    "VALUES (?, ?, 0, 1, 0, 0, ?, 0)"
)
_ADD_EXCHANGE = (
    "INSERT INTO exchanges (owner, conversation, number, terms_version, terms, at, intent, "
    "question, answer, rest, clock) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ADD_SUMMARY = (
    "INSERT INTO summaries (conversation, first, last, since, until, level, by, of, text, active) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)"
)
