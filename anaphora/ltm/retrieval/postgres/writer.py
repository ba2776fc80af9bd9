"""Adding exchanges and compressing histories in the PostgreSQL recall store.

Transactions that change the data of users first lock their rows, ordered by place: this prevents
deadlocks, and only one of them updates a user's counts at a time. Only the position of a journal is
locked earlier, by the one process that owns the journal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from anaphora.errors import StoreError
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import Measure
from anaphora.ltm.history.working_history import HistoryPart, HistorySettings
from anaphora.ltm.retrieval.postgres.leases import COMPRESS, release_items
from anaphora.ltm.retrieval.postgres.numbering import find_numbers_by_clock, shift_numbers
from anaphora.ltm.retrieval.postgres.records import (
    dump_exchange,
    dump_summary,
    dump_terms,
    identify_exchange,
    intent_word,
    load_exchange,
    load_summary,
    slot_word,
    term_word,
)
from anaphora.ltm.retrieval.records import to_microseconds
from anaphora.ltm.retrieval.store import JournalPosition, NewExchange, UserKey
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.postgres.text_encoding import encode_text, names_digest

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Transaction

__all__ = [
    "PreparedExchange",
    "add_exchanges",
    "add_words",
    "advance_position",
    "filter_stored",
    "index_words",
    "lock_user",
    "lock_users",
    "prepare_exchange",
    "recount_size",
    "replace_parts",
]


class PreparedExchange(NamedTuple):
    """An exchange to store, serialized before the transaction; ``user`` and ``conversation`` are
    their places."""

    key: ConversationKey
    user: bytes
    conversation: bytes
    clock: int
    size: int
    record: bytes
    at: int
    terms: tuple[str, ...]
    packed_terms: bytes
    terms_version: int
    words: list[bytes]


# From this number of exchanges on, their words enter the index together: 4,000 passages cost the
# server 0.8 s instead of 2.3 s.
_BATCH_SIZE = 100

# In the index of each partition.
_CLEAN_PENDING_WORDS = (
    "SELECT gin_clean_pending_list(indexrelid) FROM pg_index JOIN pg_class AS it "
    "ON it.oid = indexrelid JOIN pg_am ON pg_am.oid = relam WHERE amname = 'gin' AND "
    "relkind = 'i' AND indrelid IN (SELECT 'exchanges'::regclass UNION ALL "
    "SELECT inhrelid FROM pg_inherits WHERE inhparent = 'exchanges'::regclass)"
)

_Numbered = tuple[int, int, PreparedExchange]  # the conversation's id, and the exchange's number


def prepare_exchange(new: NewExchange, measure: Measure) -> PreparedExchange:
    """Serialize an exchange. Raises :class:`StoreError` for one that cannot be stored."""
    key, exchange = new.key, new.exchange
    return PreparedExchange(
        key,
        names_digest(key.tenant, key.user),
        names_digest(*key),
        exchange.clock,
        measure.count_exchange(exchange),
        dump_exchange(key, exchange),
        to_microseconds(exchange.at),
        new.terms,
        dump_terms(new.terms),
        new.terms_version,
        index_words(exchange, new.terms),
    )


def index_words(exchange: Exchange, terms: Sequence[str]) -> list[bytes]:
    """Return the words by which an exchange is found: its terms, intent and slot values."""
    words = dict.fromkeys(term_word(term) for term in terms)
    if exchange.intent is not None:
        words[intent_word(exchange.intent)] = None
    for name, values in exchange.slots.items():
        words |= dict.fromkeys(slot_word(name, value) for value in values)
    return list(words)


def add_exchanges(
    transaction: Transaction,
    rows: Sequence[PreparedExchange],
    settings: HistorySettings,
    measure: Measure,
) -> None:
    """Store exchanges, and drop the oldest ones of histories that have too many."""
    # A new embedder waits for all who add, and they wait for it.
    transaction.execute("LOCK TABLE embedders IN ROW SHARE MODE")
    users = _add_users(transaction, rows)
    counts: dict[int, Counter[bytes]] = {id: Counter() for id in users.values()}
    for row in rows:
        counts[users[row.user]].update(row.words)
    words = add_words(transaction, counts)
    late, last = _split_late_rows(transaction, rows)
    numbered = [
        one
        for conversation, its_rows in late.items()
        for one in _number_late_rows(
            transaction, users[its_rows[0].user], conversation, its_rows, measure
        )
    ]
    appended, histories = _append_rows(transaction, rows, last, users, measure)
    _insert_exchanges(transaction, [*numbered, *appended], users, words)
    for user, conversation, verbatim, first in histories:
        if verbatim > settings.max_exchanges:
            leaving = verbatim - settings.max_exchanges
            _drop_oldest(transaction, user, conversation, first, leaving)


def _add_users(transaction: Transaction, rows: Sequence[PreparedExchange]) -> dict[bytes, int]:
    """Add to the counts of users, which locks them; return their ids by place."""
    keys = {row.user: row.key for row in rows}
    documents, lengths = Counter(row.user for row in rows), Counter[bytes]()
    for row in rows:
        lengths[row.user] += len(row.terms)
    found = transaction.fetch_all(
        "INSERT INTO users AS old (place, tenant, name, documents, length) SELECT * FROM "
        "unnest(%s::bytea[], %s::bytea[], %s::bytea[], %s::bigint[], %s::bigint[]) "
        "AS new (place, tenant, name, documents, length) ORDER BY place "
        "ON CONFLICT (place) DO UPDATE SET documents = old.documents + excluded.documents, "
        "length = old.length + excluded.length RETURNING place, id",
        list(keys),
        [encode_text(key.tenant) for key in keys.values()],
        [encode_text(key.user) for key in keys.values()],
        [documents[user] for user in keys],
        [lengths[user] for user in keys],
    )
    return {bytes(place): id for place, id in found}


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
    transaction: Transaction, rows: Sequence[PreparedExchange]
) -> tuple[dict[int, list[PreparedExchange]], list[PreparedExchange]]:
    """Split rows into late ones, by conversation, and ones that follow all stored exchanges. Both
    are ordered by clock, those without a clock last. Their users must be locked."""
    found = transaction.fetch_all(
        "SELECT place, id, clock FROM conversations WHERE place = ANY(%s::bytea[])",
        list({row.conversation for row in rows}),
    )
    known = {bytes(place): (id, clock) for place, id, clock in found}
    late: dict[int, list[PreparedExchange]] = {}
    last: list[PreparedExchange] = []
    for row in sorted(rows, key=lambda row: (not row.clock, row.clock)):
        id, clock = known.get(row.conversation, (0, 0))
        (late.setdefault(id, []) if 0 < row.clock <= clock else last).append(row)
    return late, last


def _number_late_rows(
    transaction: Transaction,
    user: int,
    conversation: int,
    rows: Sequence[PreparedExchange],
    measure: Measure,
) -> Iterable[_Numbered]:
    """Number late exchanges of one conversation by their clocks, and make room for them. They enter
    the working history unless they belong before it."""
    recount_size(transaction, rows[0].conversation, measure)
    places = find_numbers_by_clock(transaction, user, conversation, [row.clock for row in rows])
    shift_numbers(transaction, user, conversation, places)
    numbers = [place + i for i, place in enumerate(places)]
    transaction.execute(
        "UPDATE conversations SET verbatim = verbatim + new.count, "
        "size = conversations.size + new.size FROM (SELECT count(*) AS count, "
        "coalesce(sum(each.size), 0) AS size FROM unnest(%s::bigint[], %s::bigint[]) "
        "AS each (number, size), conversations WHERE id = %s AND number >= first) AS new "
        "WHERE id = %s",
        *(numbers, [row.size for row in rows], conversation, conversation),
    )
    return zip([conversation] * len(rows), numbers, rows, strict=True)


def _append_rows(
    transaction: Transaction,
    rows: Sequence[PreparedExchange],
    last: Sequence[PreparedExchange],
    users: Mapping[bytes, int],
    measure: Measure,
) -> tuple[list[_Numbered], list[tuple[int, int, int, int]]]:
    """Create or update the conversations of ``rows``, and number those that come ``last``. Return
    these, and the user, id, number of verbatim exchanges and first verbatim number of each
    history."""
    some = {row.conversation: row for row in rows}
    added: dict[bytes, list[PreparedExchange]] = {place: [] for place in some}
    for row in last:
        added[row.conversation].append(row)
    for (place,) in transaction.fetch_all(
        "SELECT place FROM conversations WHERE place = ANY(%s::bytea[]) AND measure <> %s",
        *(list(added), encode_text(measure.name)),
    ):
        recount_size(transaction, bytes(place), measure)
    found = transaction.fetch_all(
        "INSERT INTO conversations AS old (user_id, place, model, last, verbatim, size, "
        "clock, measure) SELECT user_id, place, model, count, count, size, clock, %s "
        "FROM unnest(%s::bigint[], %s::bytea[], %s::bytea[], %s::bigint[], %s::bigint[], "
        "%s::bigint[]) AS new (user_id, place, model, count, size, clock) "
        "ON CONFLICT (place) DO UPDATE SET last = old.last + excluded.last, "
        "verbatim = old.verbatim + excluded.verbatim, size = old.size + excluded.size, "
        "clock = greatest(old.clock, excluded.clock) "
        "RETURNING place, id, last, user_id, verbatim, first",
        encode_text(measure.name),
        [users[row.user] for row in some.values()],
        list(added),
        [encode_text(row.key.model) for row in some.values()],
        [len(each) for each in added.values()],
        [sum(row.size for row in each) for each in added.values()],
        [max((row.clock for row in each), default=0) for each in added.values()],
    )
    following = {
        bytes(place): (id, count(number - len(added[bytes(place)]) + 1))
        for place, id, number, *_ in found
    }
    numbered = [
        (id, next(numbers), row) for row in last for id, numbers in (following[row.conversation],)
    ]
    return numbered, [(user, id, verbatim, first) for _, id, _, user, verbatim, first in found]


def _insert_exchanges(
    transaction: Transaction,
    numbered: Sequence[_Numbered],
    users: Mapping[bytes, int],
    words: Mapping[int, Mapping[bytes, int]],
) -> None:
    is_batch = len(numbered) >= _BATCH_SIZE
    if is_batch:
        transaction.execute("SET LOCAL gin_pending_list_limit = '1GB'")
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
                *(id, users[row.user], conversation, number),
                [words[users[row.user]][word] for word in row.words],
                *(row.clock, row.size, row.at, len(row.terms), row.packed_terms, row.record),
                row.terms_version,
            )
            for (id,), (conversation, number, row) in zip(ids, numbered, strict=True)
        ],
    )
    if is_batch:
        # Only the owner of the index may do this. Otherwise the next exchange does it.
        transaction.try_execute(_CLEAN_PENDING_WORDS)
    transaction.execute(
        "INSERT INTO unembedded (exchange_id, embedder_id, user_id) "
        "SELECT exchange_id, embedders.id, user_id FROM embedders, "
        "unnest(%s::bigint[], %s::bigint[]) AS new (exchange_id, user_id)",
        [id for (id,) in ids],
        [users[row.user] for _, _, row in numbered],
    )


def _drop_oldest(
    transaction: Transaction, user: int, conversation: int, first: int, leaving: int
) -> None:
    transaction.execute(
        "UPDATE conversations SET verbatim = verbatim - %s, first = oldest.number + 1, "
        "size = conversations.size - oldest.size "
        "FROM (SELECT max(number) AS number, sum(size) AS size FROM (SELECT number, size "
        "FROM exchanges WHERE user_id = %s AND conversation_id = %s AND number >= %s "
        "ORDER BY number LIMIT %s) AS leaving) AS oldest WHERE id = %s",
        *(leaving, user, conversation, first, leaving, conversation),
    )


def replace_parts(
    transaction: Transaction,
    key: ConversationKey,
    replaced: Sequence[HistoryPart],
    by: Sequence[Summary],
    measure: Measure,
) -> bool:
    """Replace parts of a history by summaries; False if they are not its oldest parts."""
    place = names_digest(*key)
    if not replaced or not lock_user(transaction, UserKey(key.user, key.tenant)):
        return False
    recount_size(transaction, place, measure)
    conversation = transaction.fetch_one(
        "SELECT id, user_id, first FROM conversations WHERE place = %s", place
    )
    if conversation is None:
        return False
    id, user, first = conversation
    exchanges = [part for part in replaced if isinstance(part, Exchange)]
    gone = [part.id for part in replaced if isinstance(part, Summary)]
    parts = _load_oldest(transaction, user, id, first, len(gone), len(exchanges))
    if [part for _, part in parts] != list(replaced):
        return False
    sizes = [measure.count(each.text) for each in by]
    transaction.execute(
        "UPDATE summaries SET active = false WHERE user_id = %s AND id = ANY(%s)", user, gone
    )
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
    release_items(transaction, COMPRESS, [id])
    return True


def recount_size(transaction: Transaction, place: bytes, measure: Measure) -> None:
    """Recount the size of a history, whose user is locked, if it is in another measure."""
    name = encode_text(measure.name)
    found = transaction.fetch_one(
        "SELECT id, user_id, first FROM conversations WHERE place = %s AND measure <> %s",
        *(place, name),
    )
    if found is None:
        return
    id, user, first = found
    sizes: dict[str, list[tuple[int, int]]] = {"exchanges": [], "summaries": []}
    for row, number, record in transaction.fetch_all(
        "SELECT id, number, record FROM exchanges "
        "WHERE user_id = %s AND conversation_id = %s AND number >= %s",
        *(user, id, first),
    ):
        with suppress(StoreError):  # damaged exchanges are quarantined when they are read
            size = measure.count_exchange(load_exchange(record, number))
            sizes["exchanges"].append((size, row))
    for row, record in transaction.fetch_all(
        "SELECT id, record FROM summaries WHERE user_id = %s AND conversation_id = %s AND active",
        *(user, id),
    ):
        with suppress(StoreError):
            sizes["summaries"].append((measure.count(load_summary(record, row).text), row))
    for table, counted in sizes.items():
        transaction.execute_many(
            f"UPDATE {table} SET size = %s WHERE user_id = {user} AND id = %s", counted
        )
    transaction.execute(
        "UPDATE conversations SET size = %s, measure = %s WHERE id = %s",
        *(sum(size for each in sizes.values() for size, _ in each), name, id),
    )


def advance_position(transaction: Transaction, mark: JournalPosition) -> bool:
    """Advance the position of a journal; False if it was there or beyond already."""
    return bool(
        transaction.execute(
            "INSERT INTO marks AS old (place, position) VALUES (%s, %s) ON CONFLICT (place) "
            "DO UPDATE SET position = excluded.position WHERE old.position < excluded.position",
            *(names_digest(mark.journal), mark.position),
        )
    )


def filter_stored(
    transaction: Transaction, rows: Sequence[PreparedExchange]
) -> Sequence[PreparedExchange]:
    """Return the exchanges that are not stored yet. They may be if a commit was not confirmed and
    the journal has grown since. Nobody else can add them meanwhile: their position is locked."""
    known = transaction.fetch_all(
        "SELECT place, clock, user_id FROM conversations WHERE place = ANY(%s::bytea[])",
        list({row.conversation for row in rows}),
    )
    clocks: dict[bytes, int] = {bytes(place): clock for place, clock, _ in known}
    doubtful: list[PreparedExchange] = []
    for row in rows:
        if 0 < row.clock <= clocks.get(row.conversation, 0):
            doubtful.append(row)
        clocks[row.conversation] = max(row.clock, clocks.get(row.conversation, 0))
    if not doubtful:
        return rows
    there = {
        (bytes(place), identify_exchange(bytes(record)))
        for place, record in transaction.fetch_all(
            "SELECT place, record FROM conversations "
            "JOIN exchanges ON conversation_id = conversations.id "
            "WHERE exchanges.user_id = ANY(%s) AND place = ANY(%s::bytea[]) "
            "AND exchanges.clock = ANY(%s::bigint[])",
            sorted({user for *_, user in known}),
            [row.conversation for row in doubtful],
            [row.clock for row in doubtful],
        )
    }
    left: list[PreparedExchange] = []
    for row in rows:
        identity = row.conversation, identify_exchange(row.record)
        if identity not in there or not row.clock:
            left.append(row)
            there.add(identity)
    return left


def lock_user(transaction: Transaction, user_key: UserKey) -> int | None:
    """Lock a user and return the id; None if nothing is stored."""
    found = transaction.fetch_one(
        "SELECT id FROM users WHERE place = %s FOR UPDATE",
        names_digest(user_key.tenant, user_key.user),
    )
    return None if found is None else int(found[0])


def lock_users(transaction: Transaction, ids: Iterable[int]) -> list[int]:
    """Lock the users of exchanges, and return their ids."""
    wanted = list(ids)
    # Most callers process exchanges that wait for a vector. To look for one in all partitions is
    # slow.
    found: dict[int, int] = dict(
        transaction.fetch_all(
            "SELECT exchange_id, user_id FROM unembedded WHERE exchange_id = ANY(%s)", wanted
        )
    )
    if rest := [id for id in wanted if id not in found]:
        found |= transaction.fetch_all("SELECT id, user_id FROM exchanges WHERE id = ANY(%s)", rest)
    users = sorted(set(found.values()))
    transaction.execute("SELECT FROM users WHERE id = ANY(%s) ORDER BY place FOR UPDATE", users)
    return users


def _load_oldest(
    transaction: Transaction,
    user: int,
    conversation: int,
    first: int,
    summaries: int,
    exchanges: int,
) -> list[tuple[int, HistoryPart]]:
    """Load the given numbers of oldest summaries and exchanges of a working history, with their
    sizes; all summaries if exchanges follow them."""
    short = transaction.fetch_all(
        "SELECT size, id, record FROM summaries WHERE user_id = %s AND conversation_id = %s "
        "AND active ORDER BY first, id LIMIT %s",
        *(user, conversation, None if summaries and exchanges else summaries),
    )
    verbatim = transaction.fetch_all(
        "SELECT size, number, record FROM exchanges WHERE user_id = %s AND conversation_id = %s "
        "AND number >= %s ORDER BY number LIMIT %s",
        *(user, conversation, first, exchanges),
    )
    return [
        *((size, load_summary(record, id)) for size, id, record in short),
        *((size, load_exchange(record, number)) for size, number, record in verbatim),
    ]
