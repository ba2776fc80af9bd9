"""Adding exchanges and compressing histories in the PostgreSQL recall store.

Transactions that change the data of users first lock their rows, ordered by place: this prevents
deadlocks, and only one of them updates a user's counts at a time. Only the position of a journal is
locked earlier, by the one process that owns the journal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anaphora.errors import StoreError
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import Measure
from anaphora.ltm.history.working_history import HistoryPart, HistorySettings
from anaphora.ltm.retrieval.postgres.numbering import find_numbers_by_clock, shift_numbers
from anaphora.ltm.retrieval.postgres.records import (
    dump_exchange,
    dump_summary,
    dump_terms,
    encode_text,
    intent_word,
    load_exchange,
    load_summary,
    names_digest,
    slot_word,
    term_word,
)
from anaphora.ltm.retrieval.records import to_microseconds
from anaphora.ltm.retrieval.store import JournalPosition, NewExchange, UserKey
from anaphora.stm.conversation import ConversationKey

if TYPE_CHECKING:
    from anaphora.ltm.retrieval.postgres.connection import Transaction

__all__ = [
    "ExchangeBatch",
    "PostgresWriter",
    "add_words",
    "advance_position",
    "filter_stored",
    "find_or_create_embedder",
    "index_words",
    "lock_user",
    "lock_users",
]


def index_words(exchange: Exchange, terms: Sequence[str]) -> list[bytes]:
    """Return the words by which an exchange is found: its terms, intent and slot values."""
    words = dict.fromkeys(term_word(term) for term in terms)
    if exchange.intent is not None:
        words[intent_word(exchange.intent)] = None
    for name, values in exchange.slots.items():
        words |= dict.fromkeys(slot_word(name, value) for value in values)
    return list(words)


class ExchangeBatch:
    """Exchanges to add, serialized. Raises :class:`StoreError` for one that cannot be stored."""

    def __init__(self, new: Sequence[NewExchange], measure: Measure) -> None:
        self.users: dict[bytes, _NewUser] = {}
        self.rows = [self._build_row(each, measure) for each in new]

    def _build_row(self, new: NewExchange, measure: Measure) -> _NewRow:
        key, exchange = new.key, new.exchange
        user = self.users.setdefault(names_digest(key.tenant, key.user), _NewUser(key))
        words = index_words(exchange, new.terms)
        user.documents += 1
        user.length += len(new.terms)
        user.words.update(words)
        conversation = user.conversations.setdefault(names_digest(*key), _NewConversation(key))
        rest = (len(new.terms), dump_terms(new.terms), dump_exchange(key, exchange))
        return _NewRow(
            user,
            conversation,
            exchange.clock,
            measure.count_exchange(exchange),
            (to_microseconds(exchange.at), *rest),
            words,
            new.terms_version,
        )


class PostgresWriter:
    """Writes in transactions, with working histories limited by ``settings``."""

    def __init__(self, settings: HistorySettings, measure: Measure) -> None:
        self._settings, self._measure = settings, measure
        self._measured_in = encode_text(measure.name)

    def add(self, transaction: Transaction, batch: ExchangeBatch) -> None:
        """Store a batch."""
        # A new embedder waits for all who add, and they wait for it.
        transaction.execute("LOCK TABLE embedders IN ROW SHARE MODE")
        _add_users(transaction, batch.users)
        _add_words(transaction, list(batch.users.values()))
        late, rows = _split_late_rows(transaction, batch.rows)
        _insert_exchanges(
            transaction, [each for rows in late for each in self._assign_numbers(transaction, rows)]
        )
        for row in rows:
            row.conversation.add(row)
        self._add_conversations(transaction, batch)
        _insert_exchanges(transaction, [(row, row.conversation.next_number()) for row in rows])
        for user in batch.users.values():
            for conversation in user.conversations.values():
                self._drop_oldest(transaction, conversation)

    def _add_conversations(self, transaction: Transaction, batch: ExchangeBatch) -> None:
        all_of_them = {
            place: (user, each)
            for user in batch.users.values()
            for place, each in user.conversations.items()
        }
        for (place,) in transaction.fetch_all(
            "SELECT place FROM conversations WHERE place = ANY(%s::bytea[]) AND measure <> %s",
            *(list(all_of_them), self._measured_in),
        ):
            self.recount_size(transaction, bytes(place))
        rows = transaction.fetch_all(
            "INSERT INTO conversations AS old (user_id, place, model, last, verbatim, size, "
            "clock, measure) SELECT user_id, place, model, count, count, size, clock, %s "
            "FROM unnest(%s::bigint[], %s::bytea[], %s::bytea[], %s::bigint[], %s::bigint[], "
            "%s::bigint[]) AS new (user_id, place, model, count, size, clock) "
            "ON CONFLICT (place) DO UPDATE SET last = old.last + excluded.last, "
            "verbatim = old.verbatim + excluded.verbatim, size = old.size + excluded.size, "
            "clock = greatest(old.clock, excluded.clock) "
            "RETURNING place, id, last, verbatim, first",
            self._measured_in,
            [user.id for user, _ in all_of_them.values()],
            list(all_of_them),
            [encode_text(each.key.model) for _, each in all_of_them.values()],
            [each.count for _, each in all_of_them.values()],
            [each.size for _, each in all_of_them.values()],
            [each.clock for _, each in all_of_them.values()],
        )
        for place, id, last, verbatim, first in rows:
            _, each = all_of_them[bytes(place)]
            each.id, each.verbatim, each.first = id, verbatim, first
            each.number = last - each.count

    def _assign_numbers(
        self, transaction: Transaction, rows: Sequence[_NewRow]
    ) -> Sequence[tuple[_NewRow, int]]:
        """Assign numbers to late exchanges of one conversation, by their clocks, and make room for
        them. They enter the working history unless they belong before it."""
        conversation = rows[0].conversation
        self.recount_size(transaction, conversation.place)
        places = find_numbers_by_clock(transaction, conversation.id, [row.clock for row in rows])
        shift_numbers(transaction, conversation.id, places)
        numbers = [place + i for i, place in enumerate(places)]
        transaction.execute(
            "UPDATE conversations SET verbatim = verbatim + new.count, "
            "size = conversations.size + new.size FROM (SELECT count(*) AS count, "
            "coalesce(sum(each.size), 0) AS size FROM unnest(%s::bigint[], %s::bigint[]) "
            "AS each (number, size), conversations WHERE id = %s AND number >= first) AS new "
            "WHERE id = %s",
            *(numbers, [row.size for row in rows], conversation.id, conversation.id),
        )
        return list(zip(rows, numbers, strict=True))

    def _drop_oldest(self, transaction: Transaction, conversation: _NewConversation) -> None:
        """Drop the oldest exchanges of a history that has too many."""
        leaving = conversation.verbatim - self._settings.max_exchanges
        if leaving > 0:
            transaction.execute(
                "UPDATE conversations SET verbatim = verbatim - %s, first = oldest.number + 1, "
                "size = conversations.size - oldest.size "
                "FROM (SELECT max(number) AS number, sum(size) AS size FROM (SELECT number, size "
                "FROM exchanges WHERE conversation_id = %s AND number >= %s "
                "ORDER BY number LIMIT %s) AS leaving) AS oldest WHERE id = %s",
                *(leaving, conversation.id, conversation.first, leaving, conversation.id),
            )

    def compress(
        self,
        transaction: Transaction,
        key: ConversationKey,
        replaced: Sequence[HistoryPart],
        by: Sequence[Summary],
    ) -> bool:
        """Replace parts of a history by summaries; False if they are not its oldest parts."""
        place = names_digest(*key)
        if not replaced or not lock_user(transaction, UserKey(key.user, key.tenant)):
            return False
        self.recount_size(transaction, place)
        conversation = transaction.fetch_one(
            "SELECT id, user_id, first FROM conversations WHERE place = %s", place
        )
        if conversation is None:
            return False
        id, user, first = conversation
        exchanges = [part for part in replaced if isinstance(part, Exchange)]
        gone = [part.id for part in replaced if isinstance(part, Summary)]
        parts = _load_oldest(transaction, id, first, len(gone), len(exchanges))
        if [part for _, part in parts] != list(replaced):
            return False
        sizes = [self._measure.count(each.text) for each in by]
        transaction.execute("UPDATE summaries SET active = false WHERE id = ANY(%s)", gone)
        transaction.execute_many(
            "INSERT INTO summaries (user_id, conversation_id, first, last, size, record) "
            "VALUES (%s, %s, %s, %s, %s, %s)",
            [
                (user, id, each.first, each.last, size, dump_summary(each))
                for each, size in zip(by, sizes, strict=True)
            ],
        )
        transaction.execute(
            "UPDATE conversations SET first = %s, verbatim = verbatim - %s, size = size + %s "
            "WHERE id = %s",
            *(exchanges[-1].number + 1 if exchanges else first, len(exchanges)),
            *(sum(sizes) - sum(size for size, _ in parts), id),
        )
        return True

    def recount_size(self, transaction: Transaction, place: bytes) -> None:
        """Recount the size of a history, whose user is locked, if it is in another measure."""
        found = transaction.fetch_one(
            "SELECT id, first FROM conversations WHERE place = %s AND measure <> %s",
            *(place, self._measured_in),
        )
        if found is None:
            return
        id, first = found
        sizes: dict[str, list[tuple[int, int]]] = {"exchanges": [], "summaries": []}
        for row, number, record in transaction.fetch_all(
            "SELECT id, number, record FROM exchanges WHERE conversation_id = %s AND number >= %s",
            *(id, first),
        ):
            with suppress(StoreError):  # damaged exchanges are quarantined when they are read
                exchange = load_exchange(record, number)
                sizes["exchanges"].append((self._measure.count_exchange(exchange), row))
        for row, record in transaction.fetch_all(
            "SELECT id, record FROM summaries WHERE conversation_id = %s AND active", id
        ):
            with suppress(StoreError):
                sizes["summaries"].append(
                    (self._measure.count(load_summary(record, row).text), row)
                )
        for table, counted in sizes.items():
            transaction.execute_many(f"UPDATE {table} SET size = %s WHERE id = %s", counted)
        transaction.execute(
            "UPDATE conversations SET size = %s, measure = %s WHERE id = %s",
            *(sum(size for each in sizes.values() for size, _ in each), self._measured_in, id),
        )

    def lock_and_recount_size(self, transaction: Transaction, key: ConversationKey) -> None:
        """Lock the user of a conversation, then recount its size."""
        if lock_user(transaction, UserKey(key.user, key.tenant)):
            self.recount_size(transaction, names_digest(*key))

    def put_vectors(
        self, transaction: Transaction, embedder: str, ids: Sequence[int], rows: Sequence[Any]
    ) -> None:
        """Store vectors, in the form of the database driver."""
        known = find_or_create_embedder(transaction, embedder)
        lock_users(transaction, ids)
        there: dict[int, int] = dict(
            transaction.fetch_all("SELECT id, user_id FROM exchanges WHERE id = ANY(%s)", list(ids))
        )
        values = {
            id: (there[id], known, id, row)
            for id, row in zip(ids, rows, strict=True)
            if id in there
        }
        found = list(values)
        gone = transaction.fetch_all(
            "DELETE FROM vectors WHERE embedder_id = %s AND exchange_id = ANY(%s) "
            "RETURNING user_id",
            *(known, found),
        )
        if gone:
            transaction.execute(
                "UPDATE users SET changes = changes + 1 WHERE id = ANY(%s)",
                sorted({user for (user,) in gone}),
            )
        transaction.execute_many(
            "INSERT INTO vectors (user_id, embedder_id, exchange_id, vector) "
            "VALUES (%s, %s, %s, %s)",
            values.values(),
        )
        transaction.execute(
            "DELETE FROM unembedded WHERE embedder_id = %s AND exchange_id = ANY(%s)",
            *(known, found),
        )


@dataclass(slots=True)
class _NewConversation:
    """A conversation, with the number, total size and largest clock of the exchanges to append."""

    key: ConversationKey
    count: int = 0
    size: int = 0
    clock: int = 0
    id: int = 0
    number: int = 0
    first: int = 1
    verbatim: int = 0

    @property
    def place(self) -> bytes:
        return names_digest(*self.key)

    def add(self, row: _NewRow) -> None:
        self.count += 1
        self.size += row.size
        self.clock = max(self.clock, row.clock)

    def next_number(self) -> int:
        self.number += 1
        return self.number


@dataclass(slots=True)
class _NewUser:
    key: ConversationKey
    documents: int = 0
    length: int = 0
    words: Counter[bytes] = field(default_factory=Counter)
    conversations: dict[bytes, _NewConversation] = field(default_factory=dict)
    id: int = 0
    ids: dict[bytes, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _NewRow:
    user: _NewUser
    conversation: _NewConversation
    clock: int
    size: int
    values: tuple[Any, ...]  # at, length, terms, record
    words: list[bytes]
    terms_version: int


def _add_users(transaction: Transaction, users: Mapping[bytes, _NewUser]) -> None:
    """Add to the counts of users, which locks them."""
    rows = transaction.fetch_all(
        "INSERT INTO users AS old (place, tenant, name, documents, length) SELECT * FROM "
        "unnest(%s::bytea[], %s::bytea[], %s::bytea[], %s::bigint[], %s::bigint[]) "
        "AS new (place, tenant, name, documents, length) ORDER BY place "
        "ON CONFLICT (place) DO UPDATE SET documents = old.documents + excluded.documents, "
        "length = old.length + excluded.length RETURNING place, id",
        list(users),
        [encode_text(user.key.tenant) for user in users.values()],
        [encode_text(user.key.user) for user in users.values()],
        [user.documents for user in users.values()],
        [user.length for user in users.values()],
    )
    for place, id in rows:
        users[bytes(place)].id = id


def _add_words(transaction: Transaction, users: Sequence[_NewUser]) -> None:
    """Add to the counts of the users' words, and set their ids."""
    ids = add_words(transaction, {user.id: user.words for user in users})
    for user in users:
        user.ids = ids[user.id]


def add_words(
    transaction: Transaction, words: Mapping[int, Mapping[bytes, int]]
) -> dict[int, dict[bytes, int]]:
    """Add to the counts of words, by ids of locked users; return the ids of the words."""
    counted = [
        (user, word, count) for user, counts in words.items() for word, count in counts.items()
    ]
    ids: dict[int, dict[bytes, int]] = {user: {} for user in words}
    for user, word, id in transaction.fetch_all(
        "INSERT INTO words AS old (user_id, word, count) "
        "SELECT * FROM unnest(%s::bigint[], %s::bytea[], %s::bigint[]) "
        "ON CONFLICT (user_id, word) DO UPDATE SET count = old.count + excluded.count "
        "RETURNING user_id, word, id",
        *([each[part] for each in counted] for part in range(3)),
    ):
        ids[user][bytes(word)] = id
    return ids


def _split_late_rows(
    transaction: Transaction, rows: Sequence[_NewRow]
) -> tuple[list[list[_NewRow]], list[_NewRow]]:
    """Split rows into late ones, by conversation, and ones that follow all stored exchanges. Both
    are ordered by clock, those without a clock last. Their users must be locked."""
    conversations = {row.conversation.place: row.conversation for row in rows}
    for place, id, clock in transaction.fetch_all(
        "SELECT place, id, clock FROM conversations WHERE place = ANY(%s::bytea[])",
        list(conversations),
    ):
        conversations[bytes(place)].id, conversations[bytes(place)].clock = id, clock
    late: dict[int, list[_NewRow]] = {}
    last: list[_NewRow] = []
    for row in sorted(rows, key=lambda row: (not row.clock, row.clock)):
        if 0 < row.clock <= row.conversation.clock:
            late.setdefault(row.conversation.id, []).append(row)
        else:
            last.append(row)
    return list(late.values()), last


def _insert_exchanges(transaction: Transaction, numbered: Sequence[tuple[_NewRow, int]]) -> None:
    """Insert exchanges with these numbers."""
    ids = transaction.fetch_all(
        "SELECT nextval(pg_get_serial_sequence('exchanges', 'id')) FROM generate_series(1, %s)",
        len(numbered),
    )
    transaction.execute_many(
        "INSERT INTO exchanges (id, user_id, conversation_id, number, words, clock, size, at, "
        "length, terms, record, terms_version) OVERRIDING SYSTEM VALUE "
        "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
        [
            (
                id,
                row.user.id,
                row.conversation.id,
                number,
                [row.user.ids[word] for word in row.words],
                row.clock,
                row.size,
                *row.values,
                row.terms_version,
            )
            for (id,), (row, number) in zip(ids, numbered, strict=True)
        ],
    )
    transaction.execute(
        "INSERT INTO unembedded (exchange_id, embedder_id, user_id) "
        "SELECT exchanges.id, embedders.id, user_id FROM exchanges, embedders "
        "WHERE exchanges.id = ANY(%s)",
        [id for (id,) in ids],
    )


def find_or_create_embedder(transaction: Transaction, name: str) -> int:
    """Return the id of an embedder. For a new one, all exchanges become unembedded."""
    place = names_digest(name)
    find = "SELECT id FROM embedders WHERE place = %s"
    found = transaction.fetch_one(find, place)
    if found is None:
        transaction.execute("LOCK TABLE embedders IN EXCLUSIVE MODE")
        found = transaction.fetch_one(find, place)
    if found is None:
        found = transaction.fetch_one(
            "INSERT INTO embedders (place, name) VALUES (%s, %s) RETURNING id",
            *(place, encode_text(name)),
        )
        assert found
        transaction.execute(
            "INSERT INTO unembedded (exchange_id, embedder_id, user_id) "
            "SELECT id, %s, user_id FROM exchanges",
            found[0],
        )
    (id,) = found
    return int(id)


def advance_position(transaction: Transaction, mark: JournalPosition) -> bool:
    """Advance the position of a journal; False if it was there or beyond already."""
    return bool(
        transaction.execute(
            "INSERT INTO marks AS old (place, position) VALUES (%s, %s) ON CONFLICT (place) "
            "DO UPDATE SET position = excluded.position WHERE old.position < excluded.position",
            *(names_digest(mark.journal), mark.position),
        )
    )


def filter_stored(transaction: Transaction, new: Sequence[NewExchange]) -> Sequence[NewExchange]:
    """Return the exchanges that are not stored yet. They may be if a commit was not confirmed and
    the journal has grown since. Nobody else can add them meanwhile: their position is locked."""
    places = {each.key: names_digest(*each.key) for each in new}
    clocks: dict[bytes, int] = dict(
        transaction.fetch_all(
            "SELECT place, clock FROM conversations WHERE place = ANY(%s::bytea[])",
            list(places.values()),
        )
    )
    doubtful: list[NewExchange] = []
    for each in new:
        place, clock = places[each.key], each.exchange.clock
        if 0 < clock <= clocks.get(place, 0):
            doubtful.append(each)
        clocks[place] = max(clock, clocks.get(place, 0))
    if not doubtful:
        return new
    there = {
        (bytes(place), bytes(record))
        for place, record in transaction.fetch_all(
            "SELECT place, record FROM conversations "
            "JOIN exchanges ON conversation_id = conversations.id "
            "WHERE place = ANY(%s::bytea[]) AND exchanges.clock = ANY(%s::bigint[])",
            [places[each.key] for each in doubtful],
            [each.exchange.clock for each in doubtful],
        )
    }
    left: list[NewExchange] = []
    for each in new:
        known = places[each.key], dump_exchange(each.key, each.exchange)
        if known not in there or not each.exchange.clock:
            left.append(each)
            there.add(known)
    return left


def lock_user(transaction: Transaction, user_key: UserKey) -> int | None:
    """Lock a user and return the id; None if nothing is stored."""
    found = transaction.fetch_one(
        "SELECT id FROM users WHERE place = %s FOR UPDATE",
        names_digest(user_key.tenant, user_key.user),
    )
    return None if found is None else int(found[0])


def lock_users(transaction: Transaction, ids: Iterable[int]) -> None:
    """Lock the users of exchanges."""
    transaction.execute(
        "SELECT FROM users WHERE id IN (SELECT user_id FROM exchanges WHERE id = ANY(%s)) "
        "ORDER BY place FOR UPDATE",
        list(ids),
    )


def _load_oldest(
    transaction: Transaction, conversation: int, first: int, summaries: int, exchanges: int
) -> list[tuple[int, HistoryPart]]:
    """Load the given numbers of oldest summaries and exchanges of a working history, with their
    sizes; all summaries if exchanges follow them."""
    short = transaction.fetch_all(
        "SELECT size, id, record FROM summaries WHERE conversation_id = %s AND active "
        "ORDER BY first, id LIMIT %s",
        *(conversation, None if summaries and exchanges else summaries),
    )
    verbatim = transaction.fetch_all(
        "SELECT size, number, record FROM exchanges WHERE conversation_id = %s AND number >= %s "
        "ORDER BY number LIMIT %s",
        *(conversation, first, exchanges),
    )
    return [
        *((size, load_summary(record, id)) for size, id, record in short),
        *((size, load_exchange(record, number)) for size, number, record in verbatim),
    ]
