"""What the SQLite recall store does in a transaction to keep exchanges and working histories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any, NamedTuple

from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import Measure
from anaphora.ltm.history.working_history import HistoryPart, HistorySettings
from anaphora.ltm.retrieval.sqlite.numbering import find_numbers_by_clock, is_stored, shift_numbers
from anaphora.ltm.retrieval.sqlite.postings import add_postings
from anaphora.ltm.retrieval.sqlite.records import (
    EXCHANGE_COLUMNS,
    SUMMARY_COLUMNS,
    dump_exchange,
    dump_summary,
    dump_terms,
    load_exchange,
    load_summary,
    parse_rows,
)
from anaphora.ltm.retrieval.store import NewExchange
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.sqlite.text_encoding import EncodedText, decode_text, encode_text

__all__ = [
    "ConversationRow",
    "PreparedExchange",
    "add_exchanges",
    "find_conversation",
    "load_conversation",
    "load_summaries",
    "load_verbatim",
    "prepare_exchange",
    "recount_size",
    "replace_parts",
    "save_conversation",
]


@dataclass(slots=True)
class ConversationRow:
    """The row of a conversation; see the schema."""

    id: int
    owner: int
    count: int
    first: int
    verbatim: int
    size: int
    measure: EncodedText
    clock: int


class PreparedExchange(NamedTuple):
    """An exchange that is to be kept, as far as it can be made ready before the transaction."""

    key: ConversationKey
    terms: tuple[str, ...]
    packed: EncodedText
    columns: tuple[Any, ...]
    slots: list[tuple[EncodedText, EncodedText]]
    size: int
    clock: int
    terms_version: int


def prepare_exchange(new: NewExchange, measure: Measure) -> PreparedExchange:
    """Raises :class:`StoreError` for one with something in it that cannot be kept."""
    exchange = new.exchange
    return PreparedExchange(
        new.key,
        new.terms,
        dump_terms(new.terms),
        dump_exchange(exchange),
        [
            (encode_text(name), encode_text(value))
            for name, values in exchange.slots.items()
            for value in dict.fromkeys(values)
        ],
        measure.count_exchange(exchange),
        exchange.clock,
        new.terms_version,
    )


def add_exchanges(
    connection: Connection,
    rows: Iterable[PreparedExchange],
    settings: HistorySettings,
    measure: Measure,
) -> None:
    """Keep exchanges, and shorten the histories that have become too long."""
    batch = list(rows)
    by_key: dict[ConversationKey, list[int]] = {}
    for position, row in enumerate(batch):
        by_key.setdefault(row.key, []).append(position)
    talks: dict[ConversationKey, ConversationRow] = {}
    numbers: dict[int, int] = {}
    for key, positions in by_key.items():
        talk = talks[key] = _find_or_create_conversation(connection, key, measure)
        numbers |= _assign_numbers(connection, talk, {each: batch[each] for each in positions})
    documents: dict[int, list[tuple[int, tuple[str, ...]]]] = {}
    for position, row in enumerate(batch):
        if position in numbers:
            talk = talks[row.key]
            id = _insert_exchange(connection, talk, row, numbers[position])
            documents.setdefault(talk.owner, []).append((id, row.terms))
    for talk in talks.values():
        _drop_oldest(connection, talk, settings, measure)
        save_conversation(connection, talk)
    for owner, added in documents.items():
        add_postings(connection, owner, added)
        connection.execute(
            "UPDATE owners SET documents = documents + ?, length = length + ? WHERE id = ?",
            (len(added), sum(len(terms) for _, terms in added), owner),
        )


def replace_parts(
    connection: Connection,
    key: ConversationKey,
    replaced: Sequence[HistoryPart],
    by: Sequence[Summary],
    measure: Measure,
) -> bool:
    """Let summaries stand for the oldest parts of a history, if these are they."""
    talk = find_conversation(connection, key)
    if talk is None or not _are_oldest(connection, talk, replaced):
        return False
    if talk.measure != encode_text(measure.name):
        recount_size(connection, talk, measure)
    for part in replaced:
        if isinstance(part, Summary):
            connection.execute("UPDATE summaries SET active = 0 WHERE id = ?", (part.id,))
        else:
            talk.first = part.number + 1
            talk.verbatim -= 1
    connection.executemany(_ADD_SUMMARY, [(talk.id, *dump_summary(each)) for each in by])
    talk.size += measure.total(by) - measure.total(replaced)
    save_conversation(connection, talk)
    return True


def recount_size(connection: Connection, conversation: ConversationRow, measure: Measure) -> None:
    """Count the size of a history anew, in this measure."""
    exchanges = connection.execute(
        "SELECT question, answer FROM exchanges WHERE conversation = ? AND number >= ?",
        (conversation.id, conversation.first),
    )
    summaries = connection.execute(
        "SELECT text FROM summaries WHERE conversation = ? AND active = 1", (conversation.id,)
    )
    conversation.size = sum(
        _text_size(measure, text) for rows in (exchanges, summaries) for row in rows for text in row
    )
    conversation.measure = encode_text(measure.name)


def find_conversation(connection: Connection, key: ConversationKey) -> ConversationRow | None:
    """The row of a conversation, if there is one."""
    row = connection.execute(
        _FIND, (encode_text(key.tenant), encode_text(key.user), encode_text(key.model))
    ).fetchone()
    return ConversationRow(*row) if row else None


def load_conversation(connection: Connection, id: Any) -> ConversationRow | None:
    row = connection.execute(
        "SELECT id, owner, count, first, verbatim, size, measure, clock FROM conversations "
        "WHERE id = ?",
        (id,),
    ).fetchone()
    return ConversationRow(*row) if row else None


def save_conversation(connection: Connection, conversation: ConversationRow) -> None:
    """Write the row of a conversation back."""
    connection.execute(
        "UPDATE conversations SET count = ?, first = ?, verbatim = ?, size = ?, measure = ?, "
        "clock = ? WHERE id = ?",
        (
            conversation.count,
            conversation.first,
            conversation.verbatim,
            conversation.size,
            conversation.measure,
            conversation.clock,
            conversation.id,
        ),
    )


def load_verbatim(
    connection: Connection, conversation: ConversationRow, limit: int = -1
) -> list[Exchange]:
    """The first exchanges (all of them) that stand in a history as they were said."""
    rows = connection.execute(_VERBATIM, (conversation.id, conversation.first, limit))
    return parse_rows("exchange", rows, load_exchange)


def load_summaries(
    connection: Connection, conversation: ConversationRow, limit: int = -1
) -> list[Summary]:
    """The first summaries (all of them) that stand in a history, by what they stand for."""
    return parse_rows(
        "summary", connection.execute(_ACTIVE, (conversation.id, limit)), load_summary
    )


def _find_or_create_conversation(
    connection: Connection, key: ConversationKey, measure: Measure
) -> ConversationRow:
    """The row of a conversation, made if there is none."""
    talk = find_conversation(connection, key)
    if talk is None:
        owner = _find_or_create_owner(connection, encode_text(key.tenant), encode_text(key.user))
        name = encode_text(measure.name)
        id = connection.execute(_ADD_CONVERSATION, (owner, encode_text(key.model), name)).lastrowid
        assert id is not None
        talk = ConversationRow(id, owner, 0, 1, 0, 0, name, 0)
    elif talk.measure != encode_text(measure.name):
        recount_size(connection, talk, measure)
    return talk


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
    """The numbers of exchanges that are to be added to a conversation, by their positions in the
    batch, for which there is room then; none for one that is there already."""
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
    connection.executemany(
        "INSERT INTO slots (owner, name, value, exchange) VALUES (?, ?, ?, ?)",
        [(conversation.owner, name, value, id) for name, value in row.slots],
    )
    return id


def _drop_oldest(
    connection: Connection,
    conversation: ConversationRow,
    settings: HistorySettings,
    measure: Measure,
) -> None:
    """Let the oldest exchanges leave a history that has too many."""
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
    conversation.size -= sum(_text_size(measure, text) for _, *texts in leaving for text in texts)


def _text_size(measure: Measure, text: Any) -> int:
    """The size of a text, 0 for a damaged one: it goes into quarantine when it is read."""
    try:
        return measure.count(decode_text(text))
    except (AttributeError, UnicodeDecodeError):
        return 0


def _are_oldest(
    connection: Connection, conversation: ConversationRow, parts: Sequence[HistoryPart]
) -> bool:
    """Whether these are the first summaries of a history, its first exchanges, or both."""
    summaries = [part for part in parts if isinstance(part, Summary)]
    exchanges = [part for part in parts if not isinstance(part, Summary)]
    in_order = [*summaries, *exchanges] == list(parts) != []
    return (
        in_order
        and summaries == load_summaries(connection, conversation, len(summaries))
        and exchanges == load_verbatim(connection, conversation, len(exchanges))
    )


_FIND = (
    "SELECT c.id, c.owner, c.count, c.first, c.verbatim, c.size, c.measure, c.clock FROM owners o "
    "JOIN conversations c ON c.owner = o.id WHERE o.tenant = ? AND o.user = ? AND c.model = ?"
)
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
