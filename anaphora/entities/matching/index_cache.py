"""Cache the compiled phrase index of a model on disk."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import Stemmer
from msgspec.structs import asdict
from spacy.about import __version__ as spacy_version

from anaphora.entities.matching.levels import CompositionLevel, EntryTable, build_entry_tables
from anaphora.entities.matching.matcher import PhraseIndex, compile_levels, create_index
from anaphora.entities.matching.serialization import chunk_from_data, chunk_to_data, model_to_data
from anaphora.entities.phrases.phrase_reader import PhraseReader
from anaphora.entities.phrases.separable_verbs import SeparablePhrase, SeparableVerbMatcher
from anaphora.entities.phrases.sparse_matcher import SparseMatcher, SparsePhrase
from anaphora.entities.phrases.stem_candidates import PhraseVocabulary
from anaphora.entities.phrases.trie import Nodes, Step, Trie
from anaphora.entities.words.korean import analyzer_version
from anaphora.entities.words.lexicon import Lexicon, Word
from anaphora.entities.words.normalization import base_code
from anaphora.errors import AnaphoraError
from anaphora.models.domain import Model
from anaphora.storage.cache import Cache, digest

__all__ = ["load_or_compile"]

_KIND = "phrases"
_ARRAYS = {"hashes": "Q", "edges": "i", "labels": "i", "first": "i", "entries": "i", "forms": "Q"}


class _StoredLevel(msgspec.Struct):
    """A level: its arrays as bytes, and plain data of steps that are no words, and of phrases."""

    arrays: dict[str, bytes]
    special: list[tuple[int, Any, int]]
    stop_word_stems: dict[str, frozenset[str]]
    sparse: list[dict[str, Any]]
    separable: list[dict[str, Any]]


class _StoredIndex(msgspec.Struct):
    """The levels, and the fields of the vocabulary."""

    levels: list[_StoredLevel]
    unmarked: dict[str, set[str]]
    tolerant: dict[tuple[str, str], int]
    stems: dict[str, set[str]]
    heads: set[str]


def load_or_compile(
    cache: Cache | None, model: Model, language: str, reader: PhraseReader, lexicon: Lexicon
) -> PhraseIndex:
    """Load the phrase index of ``model`` in a language from the cache, or compile and store it. A
    cache is for pipelines with the tokenizer of a blank one.

    Raises :class:`~anaphora.errors.ModelError` if elements are composed of each other in a circle.
    """
    key = cache and _cache_key(model, language)
    if cache and key and (kept := cache.get_bytes(_KIND, key)) is not None:
        tables = build_entry_tables(model, language)
        try:
            restored = _restore(kept, tables, lexicon)
        except (AnaphoraError, LookupError, TypeError, ValueError, msgspec.MsgspecError):
            pass  # written by other code
        else:
            return create_index(model, *restored)
    vocabulary = PhraseVocabulary(lexicon)
    levels = compile_levels(model, language, reader, vocabulary)
    if cache and key:
        words = (vocabulary.unmarked, vocabulary.tolerant, vocabulary.stems, vocabulary.heads)
        cache.put(_KIND, key, _StoredIndex(list(map(_store_level, levels)), *words))
    return create_index(model, levels, vocabulary)


def _cache_key(model: Model, language: str) -> str | None:
    """Return the key of what the index is made of; None for metadata that is no plain data."""
    try:
        data = msgspec.msgpack.encode(model_to_data(model, language))
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None
    made_by = (spacy_version, Stemmer.version(), analyzer_version(base_code(language)))
    return digest(data, language, *made_by)


def _restore(
    kept: memoryview, tables: Sequence[EntryTable], lexicon: Lexicon
) -> tuple[tuple[CompositionLevel, ...], PhraseVocabulary]:
    stored = msgspec.msgpack.decode(kept, type=_StoredIndex)
    levels = tuple(
        _create_level(one, table, lexicon) for one, table in zip(stored.levels, tables, strict=True)
    )
    words = (stored.unmarked, stored.tolerant, stored.stems, stored.heads)
    return levels, PhraseVocabulary(lexicon, *words)


def _store_level(level: CompositionLevel) -> _StoredLevel:
    nodes, separable = level.trie.nodes, level.separable
    return _StoredLevel(
        {name: getattr(nodes, name).tobytes() for name in _ARRAYS},
        [
            (node, chunk_to_data(step), child)
            for node, steps in nodes.special.items()
            for step, child in steps
        ],
        {id: frozenset(stems) for id, stems in level.stop_word_stems.items()},
        list(map(_phrase_to_data, level.sparse.phrases)),
        list(map(_phrase_to_data, separable.phrases if separable else ())),
    )


def _create_level(data: _StoredLevel, entries: EntryTable, lexicon: Lexicon) -> CompositionLevel:
    special: dict[int, list[tuple[Any, int]]] = {}
    for node, step, child in data.special:
        special.setdefault(node, []).append((chunk_from_data(step), child))
    arrays = {name: array(code, data.arrays[name]) for name, code in _ARRAYS.items()}
    sparse = [SparsePhrase(**_phrase_from_data(one)) for one in data.sparse]
    separable = [SeparablePhrase(**_phrase_from_data(one)) for one in data.separable]
    verbs = SeparableVerbMatcher(separable, lexicon) if separable else None
    trie = Trie(Nodes(**arrays, special=special))
    return CompositionLevel(entries, trie, SparseMatcher(sparse), data.stop_word_stems, verbs)


def _phrase_to_data(phrase: SparsePhrase | SeparablePhrase) -> dict[str, Any]:
    steps = [step if isinstance(step, Word) else chunk_to_data(step) for step in phrase.steps]
    return asdict(phrase) | {"steps": steps}


def _phrase_from_data(data: Mapping[str, Any]) -> dict[str, Any]:
    return {**data, "steps": tuple(map(_step_from_data, data["steps"]))}


def _step_from_data(data: Any) -> Step:
    return msgspec.convert(data, Word) if "lower" in data else chunk_from_data(data)
