"""The built-in entity ``url``: web addresses, with ``https://`` or without.

linkify-it-py finds them; it takes about 10 ms for any text of 10,000 characters. The value is the
address with its scheme (``https`` by default) and with its host in lower case; the metadata has
``host``, ``path``, and ``scheme``, ``port``, ``query`` and ``fragment``, if the text has them.
``tables/url.yaml`` lists top-level domains, and the extensions of files that are no domains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import regex
from linkify_it import LinkifyIt
from spacy.tokens import Doc

from anaphora.entities.languages import load_yaml
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.entities.words.scripts import UNSPACED
from anaphora.storage.forks import fork_safe_lock

__all__ = ["create"]

_PREFILTER = regex.compile(r"://|\p{L}\.[\p{L}\p{Nd}]|\p{Nd}\.\p{L}|www\.", regex.I)
_UNSPACED_LETTER = regex.compile(f"[{UNSPACED}]")
_SCHEMES = frozenset({"http", "https", "ftp"})


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """Create the recognizer of web addresses, the same for all languages; it has no options."""
    return _find_urls


def _find_urls(doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
    text = get_text(doc)
    if not ("." in text or ":" in text) or not _PREFILTER.search(text):
        return []
    links = _get_link_finder()
    found = links.find(text)
    if not text.isascii() and _UNSPACED_LETTER.search(text):
        # Letters of scripts without spaces hide an adjacent address, but may be part of one.
        taken = {index for one in found for index in range(one.start, one.end)}
        more = links.find(_UNSPACED_LETTER.sub(" ", text))
        found += [one for one in more if taken.isdisjoint(range(one.start, one.end))]
    return found


class _LinkFinder:
    """A wrapper of linkify-it-py, which stores the text it reads, so that it needs a lock."""

    def __init__(self) -> None:
        table = load_yaml(__package__, "tables/url.yaml")
        self._files = frozenset(table["files"])
        self._linkify = LinkifyIt().tlds(sorted(set(table["endings"])), True)
        self._lock = fork_safe_lock()

    def find(self, text: str) -> list[Mention]:
        with self._lock:
            matches = self._linkify.match(text) or ()
        found = (self._to_mention(one.schema, one.index, one.text) for one in matches)
        return [mention for mention in found if mention is not None]

    def _to_mention(self, schema: str, start: int, written: str) -> Mention | None:
        scheme = schema.rstrip(":/").lower()
        if scheme and scheme not in _SCHEMES:
            return None
        bare = not scheme and not schema
        address = written if scheme else f"https://{written.removeprefix('//')}"
        try:
            parts = urlsplit(address)
            port = parts.port
        except ValueError:  # an invalid port or address in brackets
            return None
        host = (parts.hostname or "").lower()
        if not host or (bare and self._is_file(written)):
            return None
        meta: dict[str, Any] = {"host": host, "path": parts.path}
        more = {"scheme": scheme, "port": port, "query": parts.query, "fragment": parts.fragment}
        meta.update({key: value for key, value in more.items() if value})
        user, at, name = parts.netloc.rpartition("@")
        value = parts._replace(netloc=f"{user}{at}{name.lower()}").geturl()
        return Mention(start, start + len(written), value, meta)

    def _is_file(self, written: str) -> bool:
        name, _, ending = written.rpartition(".")
        return ending.lower() in self._files and "." not in name and "/" not in written


_get_link_finder = cache(_LinkFinder)
