"""What a tagger looks for, by way of a cache: of a big model it takes long to learn."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

import msgspec
import Stemmer
from spacy.about import __version__ as spacy_version

from anaphora.entities.guesses import Vocabulary
from anaphora.entities.languages import base
from anaphora.entities.layers import Entries, Layer, entries
from anaphora.entities.lexicon import Lexicon, Word
from anaphora.entities.morphology import analyzer_version
from anaphora.entities.phrases import PhraseReader
from anaphora.entities.saved import as_data
from anaphora.entities.scattered import Scattered, Spread
from anaphora.entities.search import Knowledge, knowledge, layers_of
from anaphora.entities.separable_verbs import SeparablePhrase, SeparableVerbs
from anaphora.entities.trie import Nodes, Step, Trie
from anaphora.errors import AnaphoraError
from anaphora.grammar.compiler import compile_part
from anaphora.grammar.parts import Part
from anaphora.grammar.patterns import Pattern
from anaphora.models.domain import Model
from anaphora.storage.cache import Cache, digest

__all__ = ["learn_through"]

_KIND = "phrases"
_ARRAYS = {"hashes": "Q", "edges": "i", "labels": "i", "first": "i", "entries": "i", "forms": "Q"}


def learn_through(
    cache: Cache, model: Model, language: str, reader: PhraseReader, lexicon: Lexicon
) -> Knowledge:
    """As :func:`~anaphora.entities.search.learn` with the tokenizer of a blank pipeline: from the
    cache if it is there, else learnt, and kept if it can be.

    Raises what that raises.
    """
    try:
        said = msgspec.msgpack.encode(as_data(model, language))
    except (
        TypeError,
        ValueError,
        OverflowError,
        RecursionError,
    ):  # metadata of which a cache cannot know what it is
        said = None
    made_by = (spacy_version, Stemmer.version(), analyzer_version(base(language)))
    key = said and digest(said, language, *made_by)
    vocabulary = Vocabulary(lexicon)
    if key and (kept := cache.get(_KIND, key)) is not None:
        layers = _revived(kept, entries(model, language), vocabulary)
        if layers is not None:
            return knowledge(model, layers, vocabulary)
        vocabulary = Vocabulary(lexicon)
    layers = layers_of(model, language, reader, vocabulary)
    if key:
        cache.put(_KIND, key, _as_plain(layers, vocabulary))
    return knowledge(model, layers, vocabulary)


def _as_plain(layers: tuple[Layer, ...], vocabulary: Vocabulary) -> dict[str, Any]:
    return {
        "layers": [_layer_as_plain(layer) for layer in layers],
        "bare": [(bare, sorted(stems)) for bare, stems in vocabulary.bare.items()],
        "heads": sorted(vocabulary.heads),
        "stems": [(stem, sorted(lemmas)) for stem, lemmas in vocabulary.stems.items()],
        "tolerant": [(*key, typos) for key, typos in vocabulary.tolerant.items()],
    }


def _revived(
    data: Any, all_entries: list[Entries], vocabulary: Vocabulary
) -> tuple[Layer, ...] | None:
    """The layers of the data, whose words the vocabulary gets."""
    try:
        vocabulary.bare.update((bare, set(stems)) for bare, stems in data["bare"])
        vocabulary.stems.update((stem, set(lemmas)) for stem, lemmas in data["stems"])
        vocabulary.heads.update(data["heads"])
        vocabulary.tolerant.update(
            ((lower, stem), typos) for lower, stem, typos in data["tolerant"]
        )
        return tuple(
            _layer_from(one, layer, vocabulary.lexicon)
            for one, layer in zip(data["layers"], all_entries, strict=True)
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
        return None  # whoever wrote it, it was not us


def _layer_as_plain(layer: Layer) -> dict[str, Any]:
    nodes = layer.trie.nodes
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
        "said_with": {id: sorted(stems) for id, stems in layer.said_with.items()},
        "spread": [
            (
                [_step_as_plain(step) for step in one.steps],
                one.entry,
                one.any_order,
                one.typos,
                one.max_gap,
                one.compounds,
            )
            for one in layer.scattered.phrases
        ],
        "separable": [
            (one.prefix, one.base, list(map(_step_as_plain, one.steps)), one.entry, one.typos)
            for one in (layer.separable.phrases if layer.separable else ())
        ],
    }


def _layer_from(data: Mapping[str, Any], entries: Entries, lexicon: Lexicon) -> Layer:
    patterns: dict[int, list[tuple[Pattern, int]]] = {}
    parts: dict[int, list[tuple[Part, int]]] = {}
    for node, text, child in data["patterns"]:
        patterns.setdefault(node, []).append((Pattern(text), child))
    for node, alias, text, child in data["parts"]:
        part = Part(alias, text, compile_part(text))
        parts.setdefault(node, []).append((part, child))
    arrays = {name: array(code, data[name]) for name, code in _ARRAYS.items()}
    nodes = Nodes(**arrays, patterns=patterns, parts=parts)
    said_with = {id: frozenset(stems) for id, stems in data["said_with"].items()}
    spread = [Spread(tuple(map(_step_from, steps)), *others) for steps, *others in data["spread"]]
    separable = [
        SeparablePhrase(prefix, base, tuple(map(_step_from, steps)), entry, typos)
        for prefix, base, steps, entry, typos in data["separable"]
    ]
    verbs = SeparableVerbs(separable, lexicon) if separable else None
    return Layer(entries, Trie(nodes), Scattered(spread), said_with, verbs)


def _step_as_plain(step: Step) -> Any:
    match step:
        case Pattern():
            return step.text
        case Part():
            return [step.alias, step.text]
    return {name: getattr(step, name) for name in step.__struct_fields__}


def _step_from(data: Any) -> Step:
    match data:
        case str():
            return Pattern(data)
        case [alias, text]:
            return Part(alias, text, compile_part(text))
    return msgspec.convert(data, Word)
