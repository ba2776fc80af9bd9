"""Finds the elements of a model in a sentence, layer by layer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec.structs import replace

from anaphora.entities.found import Found
from anaphora.entities.gaps import Gaps
from anaphora.entities.guesses import Guess, Guesses, Vocabulary
from anaphora.entities.languages import base, qualifiers
from anaphora.entities.layers import Entry, Layer, entries
from anaphora.entities.lexicon import Lexicon, Word, solid
from anaphora.entities.phrases import PhraseReader
from anaphora.entities.segmentation import SEGMENTED, Edges, segmentation
from anaphora.entities.sentence import Sentence
from anaphora.entities.token_runs import TokenRuns
from anaphora.entities.trie import Hit
from anaphora.grammar.context import Surroundings
from anaphora.models.domain import Element, Model
from anaphora.models.utterance import Entity

__all__ = ["Find", "Knowledge", "knowledge", "layers_of", "learn", "search"]


# Phrases in one text and for each of its words (20 µs each); what stands behind goes unfound.
_MOST_FOUND = 10_000
_MOST_FOUND_EACH = 5
_MOST_JOINED = 4  # words by hyphens, that a model may have as one

Find: TypeAlias = tuple[Entry, Hit, Entity | None]
"""An entry, where a phrase of it stands by the tokens of a Doc, and the entity if it is one of
which a span of spaCy does not say all."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is looked for: ``swear`` are the stems of swear words; ``skips`` says whether stop
    words may stand inside a phrase, ``universals`` are words such as "all" that may as well,
    though they are no part of what is found; ``negations`` are words such as "not" that no sparse
    phrase spans; ``recognized`` are the elements, by their ids, that
    others have looked for and that phrases may be composed of; ``guesses`` tells what a word may
    stand for that no phrase has; ``segmented`` is the code of a language without blanks between
    its words, '' for others."""

    layers: tuple[Layer, ...] = ()
    swear: frozenset[str] = frozenset()
    skips: bool = False
    universals: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()
    recognized: Mapping[str, Element] = field(default_factory=dict)
    surroundings: Surroundings = field(default_factory=lambda: Surroundings(entities=None))
    guesses: Guesses | None = None
    segmented: str = ""

    composes: bool = field(init=False)
    """Whether phrases are composed of entities."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "composes", len(self.layers) > 1)


def learn(model: Model, language: str, reader: PhraseReader, lexicon: Lexicon) -> Knowledge:
    """What is to be looked for of ``model`` in texts in that language.

    Raises :class:`~anaphora.errors.ModelError` for elements that are composed of each other in a
    circle.
    """
    vocabulary = Vocabulary(lexicon)
    return knowledge(model, layers_of(model, language, reader, vocabulary), vocabulary)


def layers_of(
    model: Model, language: str, reader: PhraseReader, vocabulary: Vocabulary
) -> tuple[Layer, ...]:
    """The phrases of ``model`` in that language, whose words the ``vocabulary`` gets. Raises as
    :func:`learn` does."""
    skips = model.stop_words.skipped
    return tuple(
        Layer.read(layer, reader, vocabulary, skips=skips) for layer in entries(model, language)
    )


def knowledge(model: Model, layers: tuple[Layer, ...], vocabulary: Vocabulary) -> Knowledge:
    """What is to be looked for of ``model``, with its phrases in ``layers`` and their words in the
    ``vocabulary``."""
    code = base(vocabulary.lexicon.language)
    return Knowledge(
        layers=layers,
        segmented=code if code in SEGMENTED else "",
        swear=vocabulary.lexicon.stems_of(model.limits.swear_words),
        skips=model.stop_words.skipped,
        universals=qualifiers(vocabulary.lexicon.language, "universal"),
        negations=qualifiers(vocabulary.lexicon.language, "negation"),
        recognized={one.id: one for one in model.elements if one.recognition},
        surroundings=Surroundings(entities=None, model=model.facts, environment=os.environ),
        guesses=Guesses(
            vocabulary,
            [layer.stems for layer in layers],
            lambda stem: any(layer.trie.has(stem) for layer in layers),
        ),
    )


def search(
    sentence: Sentence, known: Knowledge, recognized: Sequence[Entity] = ()
) -> tuple[list[Find], str]:
    """What is in ``sentence``, by its tokens and in their order, and what a predicate of a synonym
    could not work with ('' if nothing). ``recognized`` are the entities that others have found
    in it."""
    words, starts = sentence.words, sentence.starts
    places = None
    if sentence.has_odd:
        ends = [start + len(text) for start, text in zip(starts, sentence.texts, strict=True)]
        places = solid(words, starts, ends)
        words = [words[i] for i in places]
    runs = TokenRuns(sentence.words, sentence.texts, starts, places)
    asks = known.guesses is not None and (sentence.strange or known.guesses.asks_of_all)
    guesses = _guesses(words, known, recognized, places) if asks else None
    if places is not None and known.guesses is not None:
        guesses = _with_joined(guesses, sentence.words, places, known.guesses)
    passable = None
    if known.skips:
        passable = [_is_stop_word(word) or word.lower in known.universals for word in words]
    found = None
    if known.composes:
        found = Found(replace(known.surroundings, text=sentence.text))
        _add_recognized(recognized, found, places)
    edges = None
    if known.segmented:
        at = range(len(words)) if places is None else places
        texts, offsets = [sentence.texts[i] for i in at], [starts[i] for i in at]
        edges = Edges(segmentation(known.segmented), words, texts, offsets)
    named: dict[int, set[int]] = {}
    gaps = Gaps(words, sentence, places, known.negations)
    most = _MOST_FOUND + _MOST_FOUND_EACH * len(words)
    finds: list[Find] = []
    error = ""
    for layer in known.layers:
        hits = layer.find(
            words, gaps, runs.ends, found, passable, guesses, edges, has_odd=sentence.has_odd
        )
        if passable is not None:
            hits = _without_named(hits, layer, named, words)
        for hit in hits[: most - len(finds)]:
            if hit.parts and found is not None and found.is_spent:
                continue
            entry = layer.entries[hit.entry]
            here = hit if places is None else _placed(hit, places)
            entity = None
            special = hit.gaps or hit.permuted or hit.typos or hit.parts or hit.by_head
            if entry.element and (found is not None or special):
                entity = _entity(entry, here, sentence, found)
                if found is not None:
                    found.add(hit.start, hit.end, entity, hit.parts)
            finds.append((entry, here, entity if special else None))
        if found is not None and found.failure and not error:
            part, entity, why = found.failure
            error = f"{layer.owner(part)}, synonym {part} for {entity}: {why}"
    if found is not None:
        finds.sort(key=_order)
    return finds, error


def _guesses(
    words: Sequence[Word],
    known: Knowledge,
    recognized: Sequence[Entity],
    places: Sequence[int] | None,
) -> list[tuple[Guess, ...]] | None:
    """What the words may stand for; those that recognizers know have no wrong letters."""
    if known.guesses is None:
        return None
    if not (recognized and known.guesses.tolerates):
        return known.guesses.of(words)
    tokens = {token for entity in recognized for token in entity.tokens}
    at = range(len(words)) if places is None else places
    sure = frozenset(index for index, token in enumerate(at) if token in tokens)
    return known.guesses.of(words, sure)


def _with_joined(
    guesses: list[tuple[Guess, ...]] | None,
    words: Sequence[Word],
    places: Sequence[int],
    known: Guesses,
) -> list[tuple[Guess, ...]] | None:
    """The guesses, and at the first of two or more words that hyphens join, what they mean as
    one."""
    for at in range(len(places)):
        end = at + 1
        while end < min(len(places), at + _MOST_JOINED) and _are_joined(
            words, places[end - 1], places[end]
        ):
            end += 1
            joined = known.joined([words[i] for i in places[at:end]])
            if joined is not None:
                guesses = guesses or [()] * len(places)
                guesses[at] = (*guesses[at], joined)
    return guesses


def _are_joined(words: Sequence[Word], left: int, right: int) -> bool:
    return right == left + 2 and words[left + 1].joiner


def _add_recognized(
    recognized: Sequence[Entity], found: Found, places: Sequence[int] | None
) -> None:
    """Puts what others have found among what phrases may be composed of."""
    index = None if places is None else {place: at for at, place in enumerate(places)}
    for entity in recognized:
        first, last = entity.tokens[0], entity.tokens[-1]
        if index is not None:
            if first not in index or last not in index:
                continue
            first, last = index[first], index[last]
        found.add(first, last + 1, entity)


def _entity(entry: Entry, hit: Hit, sentence: Sentence, found: Found | None) -> Entity:
    assert entry.element is not None
    parts = found.parts(hit.parts) if found else ()
    tokens = hit.tokens or tuple(range(hit.start, hit.end))
    if any(part.gaps for part in parts):
        between = {i for part in parts for i in range(part.tokens[0], part.tokens[-1])}
        between -= {i for part in parts for i in part.tokens}
        tokens = tuple([i for i in tokens if i not in between])
    return sentence.entity(
        entry.element,
        entry.value or None,
        tokens,
        exact=hit.exact and all(part.exact for part in parts),
        gaps=hit.gaps + sum([part.gaps for part in parts]),
        permuted=hit.permuted,
        misspelt=hit.typos > 0 or any("misspelt" in part.marks for part in parts),
        compound=hit.by_head or any("compound" in part.marks for part in parts),
        parts=parts,
    )


def _without_named(
    hits: list[Hit], layer: Layer, named: dict[int, set[int]], words: Sequence[Word]
) -> list[Hit]:
    """The hits without those words that they pass over and that are an entity by themselves or
    mean something.

    ``named`` has the ends of the entities of earlier layers by their starts, and gets those of
    this one.
    """
    for hit in hits:
        element = layer.entries[hit.entry].element
        if element and not element.abstract and not hit.tokens:
            named.setdefault(hit.start, set()).add(hit.end)
    return [
        replace(hit, tokens=_own_words(hit, named, words)) if hit.passed else hit for hit in hits
    ]


def _own_words(hit: Hit, named: Mapping[int, set[int]], words: Sequence[Word]) -> tuple[int, ...]:
    passed = set(hit.passed)
    others = {word for word in passed if words[word].free}
    others |= {
        word
        for start in hit.passed
        for end in named.get(start, ())
        if end - start <= len(passed) and passed.issuperset(range(start, end))
        for word in range(start, end)
    }
    return tuple([i for i in range(hit.start, hit.end) if i not in others]) if others else ()


def _placed(hit: Hit, places: Sequence[int]) -> Hit:
    """The hit by the tokens of the Doc instead of those that count."""
    start, end = places[hit.start], places[hit.end - 1] + 1
    return replace(hit, start=start, end=end, tokens=tuple([places[i] for i in hit.tokens]))


def _is_stop_word(word: Word) -> bool:
    return not word.free and any(map(str.isalnum, word.lower))


def _order(find: Find) -> tuple[int, int]:
    return find[1].start, -find[1].end
