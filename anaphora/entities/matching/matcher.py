"""Finds the elements of a model in a sentence, layer by layer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.matching.entity_chart import EntityChart
from anaphora.entities.matching.levels import CompositionLevel, Entry, build_entry_tables
from anaphora.entities.phrases.gaps import Gaps
from anaphora.entities.phrases.phrase_reader import PhraseReader
from anaphora.entities.phrases.stem_candidates import (
    CandidateFinder,
    PhraseVocabulary,
    StemCandidate,
)
from anaphora.entities.phrases.trie import PhraseMatch
from anaphora.entities.phrases.word_boundaries import WordBoundaries
from anaphora.entities.tokens.sentence import Sentence
from anaphora.entities.tokens.token_runs import TokenRuns
from anaphora.entities.words.function_words import load_qualifiers
from anaphora.entities.words.lexicon import Lexicon, Word, phrase_word_indexes
from anaphora.entities.words.normalization import base_code
from anaphora.entities.words.segmentation import SEGMENTED_LANGUAGES, load_segmentation
from anaphora.grammar.context import QuestionContext
from anaphora.models.domain import Element, Model

__all__ = [
    "ElementMatch",
    "PhraseIndex",
    "compile_index",
    "compile_levels",
    "create_index",
    "match_elements",
]


# Phrases in one text and for each of its words (20 µs each); what stands behind goes unfound.
_MAX_MATCHES = 10_000
_MAX_MATCHES_PER_WORD = 5
_MAX_JOINED = 4  # words by hyphens, that a model may have as one

ElementMatch: TypeAlias = tuple[Entry, PhraseMatch, Entity | None]
"""An entry, where a phrase of it stands by the tokens of a Doc, and the entity if it is one of
which a span of spaCy does not say all."""


@dataclass(frozen=True, slots=True)
class PhraseIndex:
    """What is looked for: ``swear`` are the stems of swear words; ``skips`` says whether stop
    words may stand inside a phrase, ``universals`` are words such as "all" that may as well,
    though they are no part of what is found; ``negations`` are words such as "not" that no sparse
    phrase spans; ``recognized`` are the elements, by their ids, that
    others have looked for and that phrases may be composed of; ``guesses`` tells what a word may
    stand for that no phrase has; ``segmented`` is the code of a language without blanks between
    its words, '' for others."""

    levels: tuple[CompositionLevel, ...] = ()
    swear_stems: frozenset[str] = frozenset()
    skips_stop_words: bool = False
    universals: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()
    recognized_elements: Mapping[str, Element] = field(default_factory=dict)
    context: QuestionContext = field(default_factory=lambda: QuestionContext(entities=None))
    candidates: CandidateFinder | None = None
    segmentation_code: str = ""

    has_composition: bool = field(init=False)
    """Whether phrases are composed of entities."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "has_composition", len(self.levels) > 1)


def compile_index(
    model: Model, language: str, reader: PhraseReader, lexicon: Lexicon
) -> PhraseIndex:
    """What is to be looked for of ``model`` in texts in that language.

    Raises :class:`~anaphora.errors.ModelError` for elements that are composed of each other in a
    circle.
    """
    vocabulary = PhraseVocabulary(lexicon)
    return create_index(model, compile_levels(model, language, reader, vocabulary), vocabulary)


def compile_levels(
    model: Model, language: str, reader: PhraseReader, vocabulary: PhraseVocabulary
) -> tuple[CompositionLevel, ...]:
    """The phrases of ``model`` in that language, whose words the ``vocabulary`` gets. Raises as
    :func:`compile_index` does."""
    skips = model.stop_words.skipped
    return tuple(
        CompositionLevel.compile(layer, reader, vocabulary, skips_stop_words=skips)
        for layer in build_entry_tables(model, language)
    )


def create_index(
    model: Model, levels: tuple[CompositionLevel, ...], vocabulary: PhraseVocabulary
) -> PhraseIndex:
    """What is to be looked for of ``model``, with its phrases in ``layers`` and their words in the
    ``vocabulary``."""
    code = base_code(vocabulary.lexicon.language)
    return PhraseIndex(
        levels=levels,
        segmentation_code=code if code in SEGMENTED_LANGUAGES else "",
        swear_stems=vocabulary.lexicon.stem_texts(model.limits.swear_words),
        skips_stop_words=model.stop_words.skipped,
        universals=load_qualifiers(vocabulary.lexicon.language, "universal"),
        negations=load_qualifiers(vocabulary.lexicon.language, "negation"),
        recognized_elements={one.id: one for one in model.elements if one.recognition},
        context=QuestionContext(entities=None, model=model.info, environment=os.environ),
        candidates=CandidateFinder(
            vocabulary,
            [layer.stems for layer in levels],
            lambda stem: any(layer.trie.is_phrase(stem) for layer in levels),
        ),
    )


def match_elements(
    sentence: Sentence, phrase_index: PhraseIndex, recognized: Sequence[Entity] = ()
) -> tuple[list[ElementMatch], str]:
    """What is in ``sentence``, by its tokens and in their order, and what a predicate of a synonym
    could not work with ('' if nothing). ``recognized`` are the entities that others have found
    in it."""
    words, starts = sentence.words, sentence.starts
    places = None
    if sentence.has_special:
        ends = [start + len(text) for start, text in zip(starts, sentence.texts, strict=True)]
        places = phrase_word_indexes(words, starts, ends)
        words = [words[i] for i in places]
    runs = TokenRuns(sentence.words, sentence.texts, starts, places)
    asks = phrase_index.candidates is not None and (
        sentence.uncertain_words or phrase_index.candidates.applies_to_every_word
    )
    guesses = _find_candidates(words, phrase_index, recognized, places) if asks else None
    if places is not None and phrase_index.candidates is not None:
        guesses = _add_joined(guesses, sentence.words, places, phrase_index.candidates)
    passable = None
    if phrase_index.skips_stop_words:
        passable = [_is_stop_word(word) or word.lower in phrase_index.universals for word in words]
    found = None
    if phrase_index.has_composition:
        found = EntityChart(replace(phrase_index.context, text=sentence.text))
        _add_recognized(recognized, found, places)
    edges = None
    if phrase_index.segmentation_code:
        at = range(len(words)) if places is None else places
        texts, offsets = [sentence.texts[i] for i in at], [starts[i] for i in at]
        edges = WordBoundaries(
            load_segmentation(phrase_index.segmentation_code), words, texts, offsets
        )
    named: dict[int, set[int]] = {}
    gaps = Gaps(words, sentence, places, phrase_index.negations)
    most = _MAX_MATCHES + _MAX_MATCHES_PER_WORD * len(words)
    finds: list[ElementMatch] = []
    error = ""
    for layer in phrase_index.levels:
        hits = layer.find(
            words,
            gaps,
            runs.ends,
            found,
            passable,
            guesses,
            edges,
            has_special=sentence.has_special,
        )
        if passable is not None:
            hits = _exclude_skipped_entities(hits, layer, named, words)
        for hit in hits[: most - len(finds)]:
            if hit.parts and found is not None and found.is_spent:
                continue
            entry = layer.entries[hit.entry]
            here = hit if places is None else _to_token_positions(hit, places)
            entity = None
            special = hit.gaps or hit.permuted or hit.typos or hit.parts or hit.by_compound_head
            if entry.element and (found is not None or special):
                entity = _create_entity(entry, here, sentence, found)
                if found is not None:
                    found.add(hit.start, hit.end, entity, hit.parts)
            finds.append((entry, here, entity if special else None))
        if found is not None and found.failure and not error:
            part, entity, why = found.failure
            error = f"{layer.describe_owner(part)}, synonym {part} for {entity}: {why}"
    if found is not None:
        finds.sort(key=_sort_key)
    return finds, error


def _find_candidates(
    words: Sequence[Word],
    phrase_index: PhraseIndex,
    recognized: Sequence[Entity],
    places: Sequence[int] | None,
) -> list[tuple[StemCandidate, ...]] | None:
    """What the words may stand for; those that recognizers know have no wrong letters."""
    if phrase_index.candidates is None:
        return None
    if not (recognized and phrase_index.candidates.allows_typos):
        return phrase_index.candidates.find(words)
    tokens = {token for entity in recognized for token in entity.tokens}
    at = range(len(words)) if places is None else places
    sure = frozenset(index for index, token in enumerate(at) if token in tokens)
    return phrase_index.candidates.find(words, sure)


def _add_joined(
    candidates: list[tuple[StemCandidate, ...]] | None,
    words: Sequence[Word],
    places: Sequence[int],
    finder: CandidateFinder,
) -> list[tuple[StemCandidate, ...]] | None:
    """The guesses, and at the first of two or more words that hyphens join, what they mean as
    one."""
    for at in range(len(places)):
        end = at + 1
        while end < min(len(places), at + _MAX_JOINED) and _are_joined(
            words, places[end - 1], places[end]
        ):
            end += 1
            joined = finder.find_joined([words[i] for i in places[at:end]])
            if joined is not None:
                candidates = candidates or [()] * len(places)
                candidates[at] = (*candidates[at], joined)
    return candidates


def _are_joined(words: Sequence[Word], left: int, right: int) -> bool:
    return right == left + 2 and words[left + 1].is_joiner


def _add_recognized(
    recognized: Sequence[Entity], chart: EntityChart, places: Sequence[int] | None
) -> None:
    """Puts what others have found among what phrases may be composed of."""
    index = None if places is None else {place: at for at, place in enumerate(places)}
    for entity in recognized:
        first, last = entity.tokens[0], entity.tokens[-1]
        if index is not None:
            if first not in index or last not in index:
                continue
            first, last = index[first], index[last]
        chart.add(first, last + 1, entity)


def _create_entity(
    entry: Entry, hit: PhraseMatch, sentence: Sentence, chart: EntityChart | None
) -> Entity:
    assert entry.element is not None
    parts = chart.create_parts(hit.parts) if chart else ()
    tokens = hit.tokens or tuple(range(hit.start, hit.end))
    if any(part.gaps for part in parts):
        between = {i for part in parts for i in range(part.tokens[0], part.tokens[-1])}
        between -= {i for part in parts for i in part.tokens}
        tokens = tuple([i for i in tokens if i not in between])
    return sentence.create_entity(
        entry.element,
        entry.value or None,
        tokens,
        exact=hit.exact and all(part.exact for part in parts),
        gaps=hit.gaps + sum([part.gaps for part in parts]),
        permuted=hit.permuted,
        misspelt=hit.typos > 0 or any("misspelt" in part.marks for part in parts),
        compound=hit.by_compound_head or any("compound" in part.marks for part in parts),
        parts=parts,
    )


def _exclude_skipped_entities(
    hits: list[PhraseMatch],
    layer: CompositionLevel,
    named: dict[int, set[int]],
    words: Sequence[Word],
) -> list[PhraseMatch]:
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
        replace(hit, tokens=_own_words(hit, named, words)) if hit.skipped else hit for hit in hits
    ]


def _own_words(
    hit: PhraseMatch, named: Mapping[int, set[int]], words: Sequence[Word]
) -> tuple[int, ...]:
    passed = set(hit.skipped)
    others = {word for word in passed if words[word].free}
    others |= {
        word
        for start in hit.skipped
        for end in named.get(start, ())
        if end - start <= len(passed) and passed.issuperset(range(start, end))
        for word in range(start, end)
    }
    return tuple([i for i in range(hit.start, hit.end) if i not in others]) if others else ()


def _to_token_positions(hit: PhraseMatch, places: Sequence[int]) -> PhraseMatch:
    """The hit by the tokens of the Doc instead of those that count."""
    start, end = places[hit.start], places[hit.end - 1] + 1
    return replace(hit, start=start, end=end, tokens=tuple([places[i] for i in hit.tokens]))


def _is_stop_word(word: Word) -> bool:
    return not word.free and any(map(str.isalnum, word.lower))


def _sort_key(find: ElementMatch) -> tuple[int, int]:
    return find[1].start, -find[1].end
