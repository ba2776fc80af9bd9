"""Find the elements of a model in a sentence, level by level."""

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
from anaphora.entities.phrases.trie import PhraseMatch, SearchedText, match_nothing
from anaphora.entities.phrases.word_boundaries import WordBoundaries
from anaphora.entities.tokens.sentence import Sentence
from anaphora.entities.tokens.token_runs import TokenRuns
from anaphora.entities.words.function_words import load_qualifiers
from anaphora.entities.words.lexicon import Word, phrase_word_indexes
from anaphora.entities.words.normalization import base_code
from anaphora.entities.words.segmentation import SEGMENTED_LANGUAGES, load_segmentation
from anaphora.grammar.context import QuestionContext
from anaphora.models.domain import Element, Model

__all__ = [
    "ElementMatch",
    "PhraseIndex",
    "compile_levels",
    "create_index",
    "match_elements",
]


# Phrases in one text and for each of its words (20 µs each); further ones are not found.
_MAX_MATCHES = 10_000
_MAX_MATCHES_PER_WORD = 5
_MAX_JOINED = 4  # words joined by hyphens
_COMMAS = frozenset(",،、，")

ElementMatch: TypeAlias = tuple[Entry, PhraseMatch, Entity | None]
"""An entry, its match by the tokens of a Doc, and the entity; that is set only if a Span cannot
represent it (gaps, parts, typos)."""


@dataclass(frozen=True, slots=True)
class PhraseIndex:
    """The compiled phrases of a model.

    ``swear_stems`` are the stems of swear words; ``skips_stop_words`` says whether stop words
    inside a phrase may be skipped, and with them ``universals`` such as "all", and ``skips_commas``
    whether commas may; ``negations`` are
    words such as "not" that no sparse phrase spans; ``recognized_elements`` are the elements with a
    recognizer, by id, of which phrases may be composed; ``candidates`` finds the stem candidates of
    unknown words; ``segmentation_code`` is the code of a language without blanks between words, ''
    for others.
    """

    levels: tuple[CompositionLevel, ...]
    swear_stems: frozenset[str]
    skips_stop_words: bool
    skips_commas: bool
    universals: frozenset[str]
    negations: frozenset[str]
    recognized_elements: Mapping[str, Element]
    context: QuestionContext
    candidates: CandidateFinder
    segmentation_code: str

    has_composition: bool = field(init=False)
    """Whether phrases are composed of entities."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "has_composition", len(self.levels) > 1)


def compile_levels(
    model: Model, language: str, reader: PhraseReader, vocabulary: PhraseVocabulary
) -> tuple[CompositionLevel, ...]:
    """Compile the composition levels of ``model`` in a language, and add their words to the
    ``vocabulary``. Raises :class:`~anaphora.errors.ModelError` if elements are composed of each
    other in a circle."""
    skips = model.stop_words.skipped
    return tuple(
        CompositionLevel.compile(level, reader, vocabulary, skips_stop_words=skips)
        for level in build_entry_tables(model, language)
    )


def create_index(
    model: Model, levels: tuple[CompositionLevel, ...], vocabulary: PhraseVocabulary
) -> PhraseIndex:
    """Create the phrase index of ``model`` from its compiled ``levels`` and their
    ``vocabulary``."""
    code = base_code(vocabulary.lexicon.language)
    return PhraseIndex(
        levels=levels,
        segmentation_code=code if code in SEGMENTED_LANGUAGES else "",
        swear_stems=vocabulary.lexicon.stem_texts(model.limits.swear_words),
        skips_stop_words=model.stop_words.skipped,
        skips_commas=model.stop_words.commas,
        universals=load_qualifiers(vocabulary.lexicon.language, "universal"),
        negations=load_qualifiers(vocabulary.lexicon.language, "negation"),
        recognized_elements={one.id: one for one in model.elements if one.recognition},
        context=QuestionContext(model=model.info, environment=os.environ),
        candidates=CandidateFinder(
            vocabulary,
            [level.trie.stems for level in levels],
            lambda stem: any(level.trie.is_phrase(stem) for level in levels),
        ),
    )


def match_elements(
    sentence: Sentence, phrase_index: PhraseIndex, recognized: Sequence[Entity] = ()
) -> tuple[list[ElementMatch], str]:
    """Find the elements in ``sentence``. ``recognized`` are the entities that recognizers have
    found.

    Returns the matches in the order of their tokens, and a description of the first predicate of a
    synonym that failed ('' if none).
    """
    words, starts = sentence.words, sentence.starts
    token_indexes = None
    if sentence.has_special:
        ends = [start + len(text) for start, text in zip(starts, sentence.texts, strict=True)]
        token_indexes = phrase_word_indexes(words, starts, ends)
        words = [words[i] for i in token_indexes]
    chart = None
    if phrase_index.has_composition:
        chart = EntityChart(replace(phrase_index.context, text=sentence.text))
        _add_recognized(recognized, chart, token_indexes)
    text = _prepare_text(sentence, words, token_indexes, phrase_index, recognized, chart)
    boundaries = None
    if phrase_index.segmentation_code:
        segmentation = load_segmentation(phrase_index.segmentation_code)
        boundaries = WordBoundaries(segmentation, words, sentence, token_indexes)
    entity_ends_by_start: dict[int, set[int]] = {}
    gaps = Gaps(words, sentence, token_indexes, phrase_index.negations)
    most = _MAX_MATCHES + _MAX_MATCHES_PER_WORD * len(words)
    element_matches: list[ElementMatch] = []
    error = ""
    for level in phrase_index.levels:
        matches = level.find(text, gaps, boundaries)
        if text.skippable is not None:
            matches = _exclude_skipped_entities(matches, level, entity_ends_by_start, words)
        for match in matches[: most - len(element_matches)]:
            if match.parts and chart is not None and chart.is_spent:
                continue
            entry = level.entries[match.entry]
            token_match = (
                match if token_indexes is None else _to_token_positions(match, token_indexes)
            )
            entity = None
            needs_entity = (
                match.gaps or match.permuted or match.typos or match.parts or match.by_compound_head
            )
            if entry.element and (chart is not None or needs_entity):
                entity = _create_entity(entry, token_match, sentence, chart)
                if chart is not None:
                    chart.add(match.start, match.end, entity, match.parts)
            element_matches.append((entry, token_match, entity if needs_entity else None))
        if chart is not None and chart.failure and not error:
            part, entity, why = chart.failure
            error = f"{level.describe_owner(part)}, synonym {part} for {entity}: {why}"
    if chart is not None:
        element_matches.sort(key=lambda found: (found[1].start, -found[1].end))
    return element_matches, error


def _prepare_text(
    sentence: Sentence,
    words: Sequence[Word],
    token_indexes: Sequence[int] | None,
    phrase_index: PhraseIndex,
    recognized: Sequence[Entity],
    chart: EntityChart | None,
) -> SearchedText:
    """Collect what the ``words`` of ``sentence`` may match."""
    runs = TokenRuns(sentence.words, sentence.texts, sentence.starts, token_indexes)
    finder, candidates = phrase_index.candidates, None
    if sentence.uncertain_words or finder.applies_to_every_word:
        candidates = finder.find(words, _sure_indexes(finder, recognized, token_indexes))
    if token_indexes is not None:
        candidates = _add_joined(candidates, sentence.words, token_indexes, finder)
    skippable = None
    if phrase_index.skips_stop_words or phrase_index.skips_commas:
        skippable = [_is_skippable(word, phrase_index) for word in words]
    return SearchedText(
        words,
        runs.ends,
        chart.matches_at if chart else match_nothing,
        chart.longest_matches if chart else match_nothing,
        skippable,
        candidates,
        sentence.has_special,
    )


def _sure_indexes(
    finder: CandidateFinder, recognized: Sequence[Entity], token_indexes: Sequence[int] | None
) -> frozenset[int]:
    """Return the indexes of the words that have no typos: those of recognized entities."""
    if not (recognized and finder.allows_typos):
        return frozenset()
    tokens = frozenset(token for entity in recognized for token in entity.tokens)
    if token_indexes is None:
        return tokens
    return frozenset(index for index, token in enumerate(token_indexes) if token in tokens)


def _add_joined(
    candidates: list[tuple[StemCandidate, ...]] | None,
    words: Sequence[Word],
    token_indexes: Sequence[int],
    finder: CandidateFinder,
) -> list[tuple[StemCandidate, ...]] | None:
    """Add what two or more words that hyphens join mean as one word, to the candidates of the
    first."""
    for at in range(len(token_indexes)):
        end = at + 1
        while end < min(len(token_indexes), at + _MAX_JOINED) and _are_joined(
            words, token_indexes[end - 1], token_indexes[end]
        ):
            end += 1
            joined = finder.find_joined([words[i] for i in token_indexes[at:end]])
            if joined is not None:
                candidates = candidates or [()] * len(token_indexes)
                candidates[at] = (*candidates[at], joined)
    return candidates


def _are_joined(words: Sequence[Word], left: int, right: int) -> bool:
    return right == left + 2 and words[left + 1].is_joiner


def _add_recognized(
    recognized: Sequence[Entity], chart: EntityChart, token_indexes: Sequence[int] | None
) -> None:
    """Add recognized entities to the chart."""
    index = None if token_indexes is None else {token: at for at, token in enumerate(token_indexes)}
    for entity in recognized:
        first, last = entity.tokens[0], entity.tokens[-1]
        if index is not None:
            if first not in index or last not in index:
                continue
            first, last = index[first], index[last]
        chart.add(first, last + 1, entity)


def _create_entity(
    entry: Entry, match: PhraseMatch, sentence: Sentence, chart: EntityChart | None
) -> Entity:
    assert entry.element is not None
    parts = chart.create_parts(match.parts) if chart else ()
    tokens = match.tokens or tuple(range(match.start, match.end))
    if any(part.gaps for part in parts):
        between = {i for part in parts for i in range(part.tokens[0], part.tokens[-1])}
        between -= {i for part in parts for i in part.tokens}
        tokens = tuple([i for i in tokens if i not in between])
    return sentence.create_entity(
        entry.element,
        entry.value,
        tokens,
        exact=match.exact and all(part.exact for part in parts),
        gaps=match.gaps + sum([part.gaps for part in parts]),
        marks=_match_marks(match, parts),
        parts=parts,
    )


def _match_marks(match: PhraseMatch, parts: Sequence[Entity]) -> frozenset[str]:
    """Return how a match differs from its phrase, or from those of its parts."""
    own = {"permuted": match.permuted, "misspelt": match.typos, "compound": match.by_compound_head}
    inherited = [part.marks & {"misspelt", "compound"} for part in parts]
    return frozenset(mark for mark, holds in own.items() if holds).union(*inherited)


def _exclude_skipped_entities(
    matches: list[PhraseMatch],
    level: CompositionLevel,
    entity_ends_by_start: dict[int, set[int]],
    words: Sequence[Word],
) -> list[PhraseMatch]:
    """Exclude the skipped words that are content words or an entity by themselves from the matches.

    ``entity_ends_by_start`` maps the starts of the entities of earlier levels to their ends;
    those of this level are added.
    """
    for match in matches:
        element = level.entries[match.entry].element
        if element and not element.abstract and not match.tokens:
            entity_ends_by_start.setdefault(match.start, set()).add(match.end)
    return [
        replace(match, tokens=_own_words(match, entity_ends_by_start, words))
        if match.skipped
        else match
        for match in matches
    ]


def _own_words(
    match: PhraseMatch, entity_ends_by_start: Mapping[int, set[int]], words: Sequence[Word]
) -> tuple[int, ...]:
    passed = set(match.skipped)
    others = {word for word in passed if words[word].is_content_word}
    others |= {
        word
        for start in match.skipped
        for end in entity_ends_by_start.get(start, ())
        if end - start <= len(passed) and passed.issuperset(range(start, end))
        for word in range(start, end)
    }
    return tuple([i for i in range(match.start, match.end) if i not in others]) if others else ()


def _to_token_positions(match: PhraseMatch, token_indexes: Sequence[int]) -> PhraseMatch:
    """Convert the positions of words in a match to those of tokens."""
    start, end = token_indexes[match.start], token_indexes[match.end - 1] + 1
    return replace(
        match, start=start, end=end, tokens=tuple([token_indexes[i] for i in match.tokens])
    )


def _is_skippable(word: Word, phrase_index: PhraseIndex) -> bool:
    if phrase_index.skips_commas and word.lower in _COMMAS:
        return True
    return phrase_index.skips_stop_words and (
        _is_stop_word(word) or word.lower in phrase_index.universals
    )


def _is_stop_word(word: Word) -> bool:
    return not word.is_content_word and any(map(str.isalnum, word.lower))
