"""Dictionaries of lemmas, compiled from those of simplemma.

simplemma has some fifty languages and needs up to five seconds and 300 MB to load one. So each is
compiled once into a table of hashes in the user's cache. Later processes open it in milliseconds,
and a look-up takes one microsecond.
"""

from __future__ import annotations

import logging
import os
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from itertools import accumulate, pairwise
from struct import Struct
from typing import NamedTuple
from unicodedata import unidata_version

import numpy as np
from platformdirs import user_cache_path
from spacy.strings import get_string_id

from anaphora.entities.words.normalization import create_batch_normalizer
from anaphora.entities.words.orthography import load_orthography
from anaphora.errors import AnaphoraError
from anaphora.storage.cache import Cache

__all__ = ["Dictionary", "Lemmas", "compile_table", "load_dictionary"]

_log = logging.getLogger(__name__)

_FORMAT = 7  # increased with every change of the normalization of words

_CODES = {"sr": "hbs", "hr": "hbs", "bs": "hbs"}
_NONE = (1 << 32) - 1
_SIZES = Struct("<5Q")  # bytes of the parts: hashes, numbers, others, offsets, lemmas
_NO_FORMS = _NONE - 1  # instead of another lemma: the word is a lemma without other forms


class Lemmas(NamedTuple):
    """The normalized lemma of a word, and the lemma of another word with the same spelling: "saw"
    of the tool, "see" of the verb; '' if there is none."""

    first: str
    other: str = ""


class Dictionary:
    """The lemmas of the words of one language; ``table`` is the result of :func:`compile_table`."""

    def __init__(self, table: bytes | memoryview) -> None:
        data = memoryview(table)
        sizes = _SIZES.unpack_from(data)
        ends = list(accumulate(sizes, initial=_SIZES.size))
        parts = [data[start:end] for start, end in pairwise(ends)]
        self._hashes = parts[0].cast("Q")
        self._numbers, self._others, self._offsets = (part.cast("I") for part in parts[1:4])
        self._lemmas = parts[4]

    def __contains__(self, word: str) -> bool:
        return self._find(word) >= 0

    def __len__(self) -> int:
        return len(self._hashes)

    def get(self, word: str) -> Lemmas | None:
        """Return the lemmas of a normalized word; None if the dictionary does not have it."""
        place = self._find(word)
        if place < 0:
            return None
        other = self._others[place]
        first = self._lemma_text(self._numbers[place])
        return Lemmas(first, "" if other >= _NO_FORMS else self._lemma_text(other))

    def is_lemma(self, word: str) -> bool:
        """Whether the normalized word is a lemma with other forms. Word lists also have inflected
        forms as lemmas of themselves alone."""
        place = self._find(word)
        if place < 0 or self._others[place] == _NO_FORMS:
            return False
        return self._lemma_text(self._numbers[place]) == word

    def _lemma_text(self, number: int) -> str:
        return str(self._lemmas[self._offsets[number] : self._offsets[number + 1]], "utf-8")

    def _find(self, word: str) -> int:
        hashes, wanted = self._hashes, get_string_id(word)
        place = bisect_left(hashes, wanted)
        return place if place < len(hashes) and hashes[place] == wanted else -1


@cache
def load_dictionary(code: str) -> Dictionary | None:
    """Load the dictionary of a language by its code (``en``, not ``en-US``); None if there is none.

    The first call for a language on a machine takes up to some seconds, the first one of a process
    some milliseconds. The table is kept in the folder ``ANAPHORA_CACHE``, else in the user's cache
    folder.
    """
    code = _CODES.get(code, code)
    cache, kind, key = _open_cache(), f"lemmas-{code}", _cache_key(code)
    if cache is not None and (kept := cache.get_bytes(kind, key)) is not None:
        return Dictionary(kept)
    # Importing simplemma takes longer than reading the cache.
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    if code not in SUPPORTED_LANGUAGES:
        return None
    _log.info("preparing the dictionary of the language '%s', once on this machine …", code)
    table = compile_table(_entries(code), code)
    if cache is not None:
        cache.put_bytes(kind, key, table)
        if (kept := cache.get_bytes(kind, key)) is not None:  # shared by processes
            return Dictionary(kept)
    return Dictionary(table)


def _open_cache() -> Cache | None:
    """Open the cache of the tables; None for a user without a home folder."""
    try:
        return Cache(os.environ.get("ANAPHORA_CACHE") or user_cache_path("anaphora"))
    except AnaphoraError as error:
        _log.info("no dictionary is kept for the next process: %s", error)
        return None


def _cache_key(code: str) -> str:
    """Key of a table by its data and by the code that shapes it. Unlike other digests, it stays the
    same when unrelated code changes, since compiling a table takes seconds."""
    known = load_orthography(code)
    made_by = (_FORMAT, version("simplemma"), unidata_version, sys.byteorder)
    spelling = [sorted(map(repr, one.items())) for one in (known.same, known.last, known.also)]
    return blake2b(repr((made_by, spelling)).encode(), digest_size=16).hexdigest()


def compile_table(entries: Iterable[tuple[str, str]], code: str) -> bytes:
    """Compile the table of words and their lemmas in the language with that code.

    Of several words with the same normalized form, one that is written in that form takes
    precedence over others in lower case, these over capitalized ones, and all over a word without
    its marks. A word that is the lemma of others is its own lemma, and never another one without a
    letter set apart.
    """
    # Dutch lemmas mark the parts of compounds ("over_nemen").
    pairs = [(word, lemma.replace("_", "")) for word, lemma in entries if " " not in word]
    normalize, known = create_batch_normalizer(code), load_orthography(code)
    words = normalize([word for word, _ in pairs])
    distinct = list(dict.fromkeys(lemma for _, lemma in pairs))
    spelled = dict(zip(distinct, normalize(distinct), strict=True))
    lemmas: dict[str, str] = {}
    capitalized: dict[str, str] = {}
    others: dict[str, str] = {}
    respelled = []
    for (written, lemma), word in zip(pairs, words, strict=True):
        if written[:1].isupper():
            capitalized.setdefault(word, spelled[lemma])
        elif written == word:
            lemmas[word] = spelled[lemma]
        else:
            respelled.append((word, spelled[lemma]))
    _add_lemmas(lemmas, others, respelled)
    _add_lemmas(lemmas, others, capitalized.items())
    of_others = {lemma for word, lemma in lemmas.items() if word != lemma}
    for word in lemmas.keys() & of_others:
        if (lemma := lemmas[word]) != word:
            lemmas[word], others[word] = word, lemma
    # Marks that are spelled with a second letter instead are not left out.
    apart = frozenset() if known.also else known.apart
    marked = [word for word in lemmas if not word.isascii()]
    for unmarked in known.unmarked_spellings_in_lines(marked):
        _add_lemmas(lemmas, others, [
            (one, lemmas[word])
            for word, one in zip(marked, unmarked, strict=True)
            if one != word and (apart.isdisjoint(word) or one not in of_others)
        ])  # fmt: skip
    listed = dict.fromkeys((*lemmas.values(), *others.values()))
    number_of = {lemma: number for number, lemma in enumerate(listed)}
    hashes = np.fromiter(map(get_string_id, lemmas), np.uint64)
    numbers = np.fromiter(map(number_of.__getitem__, lemmas.values()), np.uint32)
    seconds = np.full(len(lemmas), _NONE, np.uint32)
    place_of = {word: place for place, word in enumerate(lemmas)}
    for word, lemma in others.items():
        seconds[place_of[word]] = number_of[lemma]
    for word, lemma in lemmas.items():
        if word == lemma and word not in of_others and word not in others:
            seconds[place_of[word]] = _NO_FORMS
    order = np.argsort(hashes)
    texts = [lemma.encode() for lemma in number_of]
    offsets = np.cumsum([0, *map(len, texts)])
    parts = [
        hashes[order].tobytes(),
        numbers[order].tobytes(),
        seconds[order].tobytes(),
        offsets.astype(np.uint32).tobytes(),
        b"".join(texts),
    ]
    return _SIZES.pack(*map(len, parts)) + b"".join(parts)


def _add_lemmas(
    lemmas: dict[str, str], others: dict[str, str], further: Iterable[tuple[str, str]]
) -> None:
    """Add words that may already have another lemma, which takes precedence."""
    for word, lemma in further:
        known = lemmas.setdefault(word, lemma)
        if known != lemma:
            others.setdefault(word, lemma)


def _entries(code: str) -> Iterator[tuple[str, str]]:
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    words = DefaultDictionaryFactory(cache_max_size=0).get_dictionary(code)
    return ((word, words[word]) for word in words)
