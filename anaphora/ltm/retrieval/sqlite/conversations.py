"""Rows of conversations in the SQLite recall store."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from sqlite3 import Connection
from typing import Any

from anaphora.ltm.history.measure import Measure
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.sqlite.text_encoding import EncodedText, decode_text, encode_text

__all__ = [
    "ConversationRow",
    "find_conversation",
    "load_conversation",
    "recount_size",
    "save_conversation",
    "text_size",
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


def find_conversation(connection: Connection, key: ConversationKey) -> ConversationRow | None:
    """Find the row of a conversation by its key."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM owners o JOIN conversations c ON c.owner = o.id "
        "WHERE o.tenant = ? AND o.user = ? AND c.model = ?",
        (encode_text(key.tenant), encode_text(key.user), encode_text(key.model)),
    ).fetchone()
    return ConversationRow(*row) if row else None


def load_conversation(connection: Connection, id: Any) -> ConversationRow | None:
    """Load the row of a conversation by its id."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM conversations c WHERE id = ?", (id,)
    ).fetchone()
    return ConversationRow(*row) if row else None


def save_conversation(connection: Connection, conversation: ConversationRow) -> None:
    """Write a changed row."""
    connection.execute(
        "UPDATE conversations SET count = :count, first = :first, verbatim = :verbatim, "
        "size = :size, measure = :measure, clock = :clock WHERE id = :id",
        asdict(conversation),
    )


def recount_size(connection: Connection, conversation: ConversationRow, measure: Measure) -> None:
    """Recount the size of a working history, in this measure."""
    exchanges = connection.execute(
        "SELECT question, answer FROM exchanges WHERE conversation = ? AND number >= ?",
        (conversation.id, conversation.first),
    )
    summaries = connection.execute(
        "SELECT text FROM summaries WHERE conversation = ? AND active = 1", (conversation.id,)
    )
    conversation.size = sum(
        text_size(measure, text) for rows in (exchanges, summaries) for row in rows for text in row
    )
    conversation.measure = encode_text(measure.name)


def text_size(measure: Measure, text: Any) -> int:
    """Measure a stored text; 0 if it is damaged: it is quarantined when it is read."""
    try:
        return measure.count(decode_text(text))
    except (AttributeError, UnicodeDecodeError):
        return 0


_COLUMNS = "c.id, c.owner, c.count, c.first, c.verbatim, c.size, c.measure, c.clock"
