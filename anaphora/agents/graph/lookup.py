"""Find the entities that a text names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

from anaphora.agents.graph.backends.backend import Sql
from anaphora.agents.graph.facts import USER
from anaphora.agents.graph.names import clean_text, name_key
from anaphora.ltm.retrieval.terms import analyze_words

__all__ = ["find_entities"]

_MAX_TEXT = 2_000  # characters
_MAX_WORDS = 6  # of a name
_MAX_CHARACTERS = 8  # of a name in a script without spaces
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"
)
_BY_KEY = "SELECT id, name FROM entities WHERE owner = ? AND name_key = ?"
_BY_WORDS = (
    "SELECT id, name FROM entities INDEXED BY entities_by_words WHERE owner = ? AND words = ?"
)


def find_entities(sql: Sql, owner: int, text: str, language: str) -> list[str]:
    """Return the names of the entities that a text names, in order: longest names first where they
    overlap. Words are compared as written and by their base forms in the language."""
    text = clean_text(text, _MAX_TEXT)
    words = analyze_words(_UNSPACED.sub(" ", text), language)
    written = [word.text for word in words]
    base = [word.key for word in words]
    names = _match(sql, owner, [(_BY_KEY, written), (_BY_WORDS, base)], " ", _MAX_WORDS)
    for run in _UNSPACED.findall(text):
        names += _match(sql, owner, [(_BY_KEY, list(name_key(run)))], "", _MAX_CHARACTERS)
    return list(dict.fromkeys(names))


def _match(
    sql: Sql, owner: int, forms: Sequence[tuple[str, Sequence[str]]], separator: str, longest: int
) -> list[str]:
    """Return the names found in the forms of a sequence of words, each looked up by its query."""
    found: dict[tuple[int, int], str] = {}
    for query, words in forms:
        spans = list(_iter_spans(len(words), longest))
        keys = [(owner, separator.join(words[start:end])) for start, end in spans]
        for span, rows in zip(spans, sql.select_many(query, keys), strict=True):
            for _, name in rows:
                if name_key(name) != USER:
                    found.setdefault(span, name)
    taken: set[int] = set()
    chosen = []
    for start, end in sorted(found, key=lambda span: (span[0] - span[1], span)):
        if taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            chosen.append((start, found[start, end]))
    return [name for _, name in sorted(chosen)]


def _iter_spans(count: int, longest: int) -> Iterator[tuple[int, int]]:
    for start in range(count):
        for end in range(start + 1, min(start + longest, count) + 1):
            yield start, end
