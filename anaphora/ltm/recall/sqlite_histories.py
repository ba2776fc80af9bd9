"""What the SQLite recall store does in a transaction to keep exchanges and working histories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any, NamedTuple

from anaphora.ltm.counting import Measure
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history import HistorySettings, Part
from anaphora.ltm.recall.sqlite_numbering import is_kept, make_room, places_by_clock
from anaphora.ltm.recall.sqlite_postings import add_terms
from anaphora.ltm.recall.sqlite_records import (
    EXCHANGE,
    SUMMARY,
    exchange_of,
    exchange_row,
    pack_terms,
    parsed,
    summary_of,
    summary_row,
)
from anaphora.ltm.recall.store import New
from anaphora.stm.conversation import Key
from anaphora.storage.texts import Text, kept, read

__all__ = [
    "Row",
    "Talk",
    "add",
    "prepare",
    "recount",
    "replace_parts",
    "save",
    "summaries_of",
    "talk_by_id",
    "talk_of",
    "verbatim_of",
]


@dataclass(slots=True)
class Talk:
    """The row of a conversation; see the schema."""

    id: int
    owner: int
    count: int
    first: int
    verbatim: int
    size: int
    measure: Text
    clock: int


class Row(NamedTuple):
    """An exchange that is to be kept, as far as it can be made ready before the transaction."""

    key: Key
    terms: tuple[str, ...]
    packed: Text
    columns: tuple[Any, ...]
    slots: list[tuple[Text, Text]]
    size: int
    clock: int
    terms_version: int


def prepare(new: New, measure: Measure) -> Row:
    """Raises :class:`StoreError` for one with something in it that cannot be kept."""
    exchange = new.exchange
    return Row(
        new.key,
        new.terms,
        pack_terms(new.terms),
        exchange_row(exchange),
        [
            (kept(name), kept(value))
            for name, values in exchange.slots.items()
            for value in dict.fromkeys(values)
        ],
        measure.exchange(exchange),
        exchange.clock,
        new.terms_version,
    )


def add(
    connection: Connection, rows: Iterable[Row], settings: HistorySettings, measure: Measure
) -> None:
    """Keep exchanges, and shorten the histories that have become too long."""
    batch = list(rows)
    by_key: dict[Key, list[int]] = {}
    for position, row in enumerate(batch):
        by_key.setdefault(row.key, []).append(position)
    talks: dict[Key, Talk] = {}
    numbers: dict[int, int] = {}
    for key, positions in by_key.items():
        talk = talks[key] = _begun(connection, key, measure)
        numbers |= _number(connection, talk, {each: batch[each] for each in positions})
    documents: dict[int, list[tuple[int, tuple[str, ...]]]] = {}
    for position, row in enumerate(batch):
        if position in numbers:
            talk = talks[row.key]
            id = _insert(connection, talk, row, numbers[position])
            documents.setdefault(talk.owner, []).append((id, row.terms))
    for talk in talks.values():
        _shorten(connection, talk, settings, measure)
        save(connection, talk)
    for owner, added in documents.items():
        add_terms(connection, owner, added)
        connection.execute(
            "UPDATE owners SET documents = documents + ?, length = length + ? WHERE id = ?",
            (len(added), sum(len(terms) for _, terms in added), owner),
        )


def replace_parts(
    connection: Connection,
    key: Key,
    replaced: Sequence[Part],
    by: Sequence[Summary],
    measure: Measure,
) -> bool:
    """Let summaries stand for the oldest parts of a history, if these are they."""
    talk = talk_of(connection, key)
    if talk is None or not _are_oldest(connection, talk, replaced):
        return False
    if talk.measure != kept(measure.name):
        recount(connection, talk, measure)
    for part in replaced:
        if isinstance(part, Summary):
            connection.execute("UPDATE summaries SET active = 0 WHERE id = ?", (part.id,))
        else:
            talk.first = part.number + 1
            talk.verbatim -= 1
    connection.executemany(_ADD_SUMMARY, [(talk.id, *summary_row(each)) for each in by])
    talk.size += measure.total(by) - measure.total(replaced)
    save(connection, talk)
    return True


def recount(connection: Connection, talk: Talk, measure: Measure) -> None:
    """Count the size of a history anew, in this measure."""
    exchanges = connection.execute(
        "SELECT question, answer FROM exchanges WHERE conversation = ? AND number >= ?",
        (talk.id, talk.first),
    )
    summaries = connection.execute(
        "SELECT text FROM summaries WHERE conversation = ? AND active = 1", (talk.id,)
    )
    talk.size = sum(
        _size(measure, text) for rows in (exchanges, summaries) for row in rows for text in row
    )
    talk.measure = kept(measure.name)


def talk_of(connection: Connection, key: Key) -> Talk | None:
    """The row of a conversation, if there is one."""
    row = connection.execute(_FIND, (kept(key.tenant), kept(key.user), kept(key.model))).fetchone()
    return Talk(*row) if row else None


def talk_by_id(connection: Connection, id: Any) -> Talk | None:
    row = connection.execute(
        "SELECT id, owner, count, first, verbatim, size, measure, clock FROM conversations "
        "WHERE id = ?",
        (id,),
    ).fetchone()
    return Talk(*row) if row else None


def save(connection: Connection, talk: Talk) -> None:
    """Write the row of a conversation back."""
    connection.execute(
        "UPDATE conversations SET count = ?, first = ?, verbatim = ?, size = ?, measure = ?, "
        "clock = ? WHERE id = ?",
        (talk.count, talk.first, talk.verbatim, talk.size, talk.measure, talk.clock, talk.id),
    )


def verbatim_of(connection: Connection, talk: Talk, limit: int = -1) -> list[Exchange]:
    """The first exchanges (all of them) that stand in a history as they were said."""
    rows = connection.execute(_VERBATIM, (talk.id, talk.first, limit))
    return parsed("exchange", rows, exchange_of)


def summaries_of(connection: Connection, talk: Talk, limit: int = -1) -> list[Summary]:
    """The first summaries (all of them) that stand in a history, by what they stand for."""
    return parsed("summary", connection.execute(_ACTIVE, (talk.id, limit)), summary_of)


def _begun(connection: Connection, key: Key, measure: Measure) -> Talk:
    """The row of a conversation, made if there is none."""
    talk = talk_of(connection, key)
    if talk is None:
        owner = _owner(connection, kept(key.tenant), kept(key.user))
        name = kept(measure.name)
        id = connection.execute(_ADD_TALK, (owner, kept(key.model), name)).lastrowid
        assert id is not None
        talk = Talk(id, owner, 0, 1, 0, 0, name, 0)
    elif talk.measure != kept(measure.name):
        recount(connection, talk, measure)
    return talk


def _owner(connection: Connection, tenant: Text, user: Text) -> int:
    row = connection.execute(
        "SELECT id FROM owners WHERE tenant = ? AND user = ?", (tenant, user)
    ).fetchone()
    id: int | None = row[0] if row else connection.execute(_ADD_OWNER, (tenant, user)).lastrowid
    assert id is not None
    return id


def _number(connection: Connection, talk: Talk, rows: Mapping[int, Row]) -> dict[int, int]:
    """The numbers of exchanges that are to be added to a conversation, by their positions in the
    batch, for which there is room then; none for one that is there already."""
    late: list[int] = []
    last: list[int] = []
    copies: set[tuple[Any, ...]] = set()
    for position, row in sorted(rows.items(), key=lambda each: (not each[1].clock, each[1].clock)):
        if row.clock and row.columns in copies:
            continue
        copies.add(row.columns)
        if not 0 < row.clock <= talk.clock:
            last.append(position)
        elif not is_kept(connection, talk, row.columns, row.clock):
            late.append(position)
    places = places_by_clock(connection, talk, [rows[position].clock for position in late])
    make_room(connection, talk, places)
    numbers = {late[i]: place + i for i, place in enumerate(places)}
    numbers |= {position: number for number, position in enumerate(last, talk.count + 1)}
    talk.count += len(last)
    for position, number in numbers.items():
        talk.clock = max(talk.clock, rows[position].clock)
        if number >= talk.first:
            talk.verbatim += 1
            talk.size += rows[position].size
    return numbers


def _insert(connection: Connection, talk: Talk, row: Row, number: int) -> int:
    id = connection.execute(
        _ADD_EXCHANGE,
        (talk.owner, talk.id, number, row.terms_version, row.packed, *row.columns),
    ).lastrowid
    assert id is not None
    connection.executemany(
        "INSERT INTO slots (owner, name, value, exchange) VALUES (?, ?, ?, ?)",
        [(talk.owner, name, value, id) for name, value in row.slots],
    )
    return id


def _shorten(
    connection: Connection, talk: Talk, settings: HistorySettings, measure: Measure
) -> None:
    """Let the oldest exchanges leave a history that has too many."""
    too_many = talk.verbatim - settings.max_exchanges
    if too_many <= 0:
        return
    leaving = connection.execute(
        "SELECT number, question, answer FROM exchanges "
        "WHERE conversation = ? AND number >= ? ORDER BY number LIMIT ?",
        (talk.id, talk.first, too_many),
    ).fetchall()
    talk.verbatim -= len(leaving)
    talk.first = leaving[-1][0] + 1
    talk.size -= sum(_size(measure, text) for _, *texts in leaving for text in texts)


def _size(measure: Measure, text: Any) -> int:
    """The size of a text, 0 for a damaged one: it goes into quarantine when it is read."""
    try:
        return measure.of(read(text))
    except (AttributeError, UnicodeDecodeError):
        return 0


def _are_oldest(connection: Connection, talk: Talk, parts: Sequence[Part]) -> bool:
    """Whether these are the first summaries of a history, its first exchanges, or both."""
    summaries = [part for part in parts if isinstance(part, Summary)]
    exchanges = [part for part in parts if not isinstance(part, Summary)]
    in_order = [*summaries, *exchanges] == list(parts) != []
    return (
        in_order
        and summaries == summaries_of(connection, talk, len(summaries))
        and exchanges == verbatim_of(connection, talk, len(exchanges))
    )


_FIND = (
    "SELECT c.id, c.owner, c.count, c.first, c.verbatim, c.size, c.measure, c.clock FROM owners o "
    "JOIN conversations c ON c.owner = o.id WHERE o.tenant = ? AND o.user = ? AND c.model = ?"
)
_VERBATIM = (
    f"SELECT id, {EXCHANGE} FROM exchanges WHERE conversation = ? AND number >= ? "
    "ORDER BY number LIMIT ?"
)
_ACTIVE = (
    f"SELECT id, {SUMMARY} FROM summaries WHERE conversation = ? AND active = 1 "
    "ORDER BY first, id LIMIT ?"
)
_ADD_OWNER = (
    "INSERT INTO owners (tenant, user, documents, length, generation) VALUES (?, ?, 0, 0, 0)"
)
_ADD_TALK = (
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
