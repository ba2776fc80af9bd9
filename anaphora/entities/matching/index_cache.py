"""Cache the compiled phrase index of a model on disk."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import msgspec
import Stemmer
from spacy.about import __version__ as spacy_version

from anaphora.entities.matching.levels import CompositionLevel, EntryTable, build_entry_tables
from anaphora.entities.matching.matcher import PhraseIndex, compile_levels, create_index
from anaphora.entities.matching.serialization import model_to_data
from anaphora.entities.phrases.phrase_reader import PhraseReader
from anaphora.entities.phrases.separable_verbs import SeparablePhrase, SeparableVerbMatcher
from anaphora.entities.phrases.sparse_matcher import SparseMatcher, SparsePhrase
from anaphora.entities.phrases.stem_candidates import PhraseVocabulary
from anaphora.entities.phrases.trie import Nodes, Step, Trie
from anaphora.entities.words.korean import analyzer_version
from anaphora.entities.words.lexicon import Lexicon, Word
from anaphora.entities.words.normalization import base_code
from anaphora.errors import AnaphoraError
from anaphora.grammar.idl.compiler import compile_entity_part
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.domain import Model
from anaphora.storage.cache import Cache, digest

__all__ = ["load_or_compile"]

_KIND = "phrases"
_ARRAYS = {"hashes": "Q", "edges": "i", "labels": "i", "first": "i", "entries": "i", "forms": "Q"}


def load_or_compile(
    cache: Cache, model: Model, language: str, reader: PhraseReader, lexicon: Lexicon
) -> PhraseIndex:
    """Load the phrase index from the cache, or compile and store it.

    The result and the errors are those of :func:`~anaphora.entities.matching.matcher.compile_index`
    with the tokenizer of a blank pipeline.
    """
    try:
        data = msgspec.msgpack.encode(model_to_data(model, language))
    except (TypeError, ValueError, OverflowError, RecursionError):  # metadata that is no plain data
        data = None
    made_by = (spacy_version, Stemmer.version(), analyzer_version(base_code(language)))
    key = data and digest(data, language, *made_by)
    vocabulary = PhraseVocabulary(lexicon)
    if key and (kept := cache.get(_KIND, key)) is not None:
        levels = _decode_levels(kept, build_entry_tables(model, language), vocabulary)
        if levels is not None:
            return create_index(model, levels, vocabulary)
        vocabulary = PhraseVocabulary(lexicon)
    levels = compile_levels(model, language, reader, vocabulary)
    if key:
        cache.put(_KIND, key, _encode_index(levels, vocabulary))
    return create_index(model, levels, vocabulary)


def _encode_index(
    levels: tuple[CompositionLevel, ...], vocabulary: PhraseVocabulary
) -> dict[str, Any]:
    return {
        "layers": [_encode_level(level) for level in levels],
        "bare": [(bare, sorted(stems)) for bare, stems in vocabulary.unmarked.items()],
        "heads": sorted(vocabulary.heads),
        "stems": [(stem, sorted(lemmas)) for stem, lemmas in vocabulary.stems.items()],
        "tolerant": [(*key, typos) for key, typos in vocabulary.tolerant.items()],
    }


def _decode_levels(
    data: Any, all_entries: list[EntryTable], vocabulary: PhraseVocabulary
) -> tuple[CompositionLevel, ...] | None:
    """Decode the levels, and add their words to the ``vocabulary``; None for data in another
    format."""
    try:
        vocabulary.unmarked.update((bare, set(stems)) for bare, stems in data["bare"])
        vocabulary.stems.update((stem, set(lemmas)) for stem, lemmas in data["stems"])
        vocabulary.heads.update(data["heads"])
        vocabulary.tolerant.update(
            ((lower, stem), typos) for lower, stem, typos in data["tolerant"]
        )
        return tuple(
            _decode_level(one, level, vocabulary.lexicon)
            for one, level in zip(data["layers"], all_entries, strict=True)
        )
    except (
        AnaphoraError,
        AttributeError,
        LookupError,
        OverflowError,
        TypeError,
        ValueError,
        msgspec.MsgspecError,
    ):
        return None  # written by other code


def _encode_level(level: CompositionLevel) -> dict[str, Any]:
    nodes = level.trie.nodes
    return {
        **{name: getattr(nodes, name).tobytes() for name in _ARRAYS},
        "patterns": [
            (node, pattern.text, child)
            for node, steps in nodes.patterns.items()
            for pattern, child in steps
        ],
        "parts": [
            (node, part.alias, part.text, child)
            for node, steps in nodes.parts.items()
            for part, child in steps
        ],
        "said_with": {id: sorted(stems) for id, stems in level.stop_word_stems.items()},
        "sparse": list(map(_encode_phrase, level.sparse.phrases)),
        "separable": list(map(_encode_phrase, level.separable.phrases if level.separable else ())),
    }


def _decode_level(
    data: Mapping[str, Any], entries: EntryTable, lexicon: Lexicon
) -> CompositionLevel:
    patterns: dict[int, list[tuple[Pattern, int]]] = {}
    parts: dict[int, list[tuple[EntityPart, int]]] = {}
    for node, text, child in data["patterns"]:
        patterns.setdefault(node, []).append((Pattern(text), child))
    for node, alias, text, child in data["parts"]:
        part = EntityPart(alias, text, compile_entity_part(text))
        parts.setdefault(node, []).append((part, child))
    arrays = {name: array(code, data[name]) for name, code in _ARRAYS.items()}
    nodes = Nodes(**arrays, patterns=patterns, parts=parts)
    stop_word_stems = {id: frozenset(stems) for id, stems in data["said_with"].items()}
    sparse = [SparsePhrase(**_decode_phrase(one)) for one in data["sparse"]]
    separable = [SeparablePhrase(**_decode_phrase(one)) for one in data["separable"]]
    verbs = SeparableVerbMatcher(separable, lexicon) if separable else None
    return CompositionLevel(entries, Trie(nodes), SparseMatcher(sparse), stop_word_stems, verbs)


def _encode_phrase(phrase: SparsePhrase | SeparablePhrase) -> dict[str, Any]:
    data = {field.name: getattr(phrase, field.name) for field in fields(phrase)}
    return data | {"steps": list(map(_encode_step, phrase.steps))}


def _decode_phrase(data: Mapping[str, Any]) -> dict[str, Any]:
    return {**data, "steps": tuple(map(_decode_step, data["steps"]))}


def _encode_step(step: Step) -> Any:
    match step:
        case Pattern():
            return step.text
        case EntityPart():
            return [step.alias, step.text]
    return step  # a Word: msgspec encodes it


def _decode_step(data: Any) -> Step:
    match data:
        case str():
            return Pattern(data)
        case [alias, text]:
            return EntityPart(alias, text, compile_entity_part(text))
    return msgspec.convert(data, Word)
