"""Names of entities and relations: their stored form and the keys by which they are compared."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from functools import lru_cache

from anaphora.ltm.retrieval.terms import DEFAULT_LANGUAGE, extract_terms
from anaphora.storage.logical_clock import to_microseconds, to_utc

__all__ = [
    "MAX_NAME",
    "MAX_RELATION",
    "clean_name",
    "clean_relation",
    "clean_text",
    "name_key",
    "source_name",
    "time_to_int",
    "word_key",
]

MAX_NAME, MAX_RELATION = 200, 80  # characters; an entry of a PostgreSQL index is limited, too
_OTHER_CATEGORIES = ("Cc", "Cs")  # control characters and surrogates, which PostgreSQL rejects
_CACHE_SIZE = 4_096


@lru_cache(maxsize=_CACHE_SIZE)
def clean_text(text: str, limit: int) -> str:
    """Return ``text`` on one line, normalized by NFKC, of at most ``limit`` characters."""
    text = unicodedata.normalize("NFKC", text[: 4 * limit])
    if not text.isprintable():
        text = "".join(
            " " if unicodedata.category(one) in _OTHER_CATEGORIES else one for one in text
        )
    return " ".join(text.split())[:limit].rstrip()


def clean_name(name: str) -> str:
    """Return the stored form of the name of an entity; "" if nothing is left of it."""
    return clean_text(name, MAX_NAME)


def name_key(name: str) -> str:
    """Return the key by which entities are compared: a clean name without case."""
    return clean_name(name).casefold()[:MAX_NAME]


@lru_cache(maxsize=_CACHE_SIZE)
def word_key(name: str, language: str = DEFAULT_LANGUAGE) -> str:
    """Return the base forms of the words of a name, by which it is found in a text: "big dog" for
    "Big Dogs"."""
    return " ".join(extract_terms(name, language))[:MAX_NAME]


def clean_relation(relation: str) -> str:
    """Return the stored form of a relation: in lower case, its words separated by spaces."""
    return clean_text(relation.replace("_", " "), MAX_RELATION).casefold()[:MAX_RELATION]


def source_name(model: str, clock: int) -> str:
    """Return the name of an exchange with ``model`` as the source of facts."""
    return f"{model}/{clock}"


def time_to_int(time: datetime) -> int:
    """Return a time in microseconds since 1970. Raises ValueError if it has no time zone."""
    return to_microseconds(to_utc(time))
