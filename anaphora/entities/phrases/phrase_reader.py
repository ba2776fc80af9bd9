"""Read the phrases of a model as words, with the tokenizer of the utterances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice, product
from typing import TypeAlias

from spacy.tokens import Doc

from anaphora.entities.phrases.spelling_variants import SpellingVariants
from anaphora.entities.phrases.trie import Step
from anaphora.entities.tokens.affix_rules import AffixRules, case_variants
from anaphora.entities.words.lexicon import Lexicon, Word, phrase_word_indexes
from anaphora.entities.words.normalization import base_code, normalize_apostrophes
from anaphora.entities.words.orthography import load_orthography
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.domain import Phrase

__all__ = ["PhraseReader"]

_BATCH_SIZE = 1_000  # phrases; larger batches cost more time in the garbage collector
_MAX_CACHED = 20_000  # words of earlier batches

_Chunk: TypeAlias = str | Pattern | EntityPart


class PhraseReader:
    """Turns phrases into steps of a trie.

    Tokenizers split some words depending on their case (English takes "id" for "i'd", and "ID" for
    one word). So a phrase is also read in lower case, in upper case and capitalized; equal results
    are merged. The spelling variants of a phrase follow.
    """

    def __init__(self, tokenizer: Callable[[str], Doc], lexicon: Lexicon) -> None:
        self._tokenizer = tokenizer
        self._lexicon = lexicon
        self._affixes = AffixRules.for_tokenizer(tokenizer)
        self._variants = SpellingVariants(
            tokenizer, lexicon, load_orthography(base_code(lexicon.language))
        )
        self._single_tokens: dict[str, Word | None] = {}

    def read(self, phrases: Iterable[tuple[int, Phrase]]) -> Iterator[tuple[int, tuple[Step, ...]]]:
        """Yield the readings of each of the numbered phrases, with its number."""
        rest = iter(phrases)
        while batch := [
            (number, _join_texts(phrase)) for number, phrase in islice(rest, _BATCH_SIZE)
        ]:
            texts = {chunk for _, chunks in batch for chunk in chunks if isinstance(chunk, str)}
            readings = self._readings(texts)
            for number, chunks in batch:
                if len(chunks) == 1:
                    for steps in _readings_of(chunks[0], readings):
                        yield number, steps
                else:
                    for way in product(*(_readings_of(chunk, readings) for chunk in chunks)):
                        yield number, sum(way, ())

    def _readings(self, texts: set[str]) -> dict[str, list[tuple[Step, ...]]]:
        readings = self._read_texts(texts)
        variants = {
            text: list(self._variants.generate(text))
            for text in texts
            if self._variants.may_vary(text)
        }
        others = self._read_texts({one for some in variants.values() for one in some})
        for text, some in variants.items():
            ways = [way for one in some for way in others[one]]
            readings[text] = [*readings[text], *self._read_variants(readings[text], ways)]
        return readings

    def _read_variants(
        self, known: Sequence[tuple[Step, ...]], others: Sequence[tuple[Step, ...]]
    ) -> list[tuple[Step, ...]]:
        """Return the readings of the spelling variants of a text that are not readings of the text
        itself."""
        ways: dict[tuple[str, ...], tuple[Word, ...]] = {}
        for way in [*known, *others]:
            words = tuple([step for step in way if isinstance(step, Word)])
            for varied in (words, *self._variants.negation_variants(words)):
                ways.setdefault(_stems(varied), varied)
        for way in known:
            ways.pop(_stems(way), None)
        return [self._variants.mark_inexact(way) for way in ways.values()]

    def _read_texts(self, texts: set[str]) -> dict[str, list[tuple[Step, ...]]]:
        if self._affixes is None:
            return {text: self._read_case_variants(text) for text in texts}
        self._read_single_tokens(set(" ".join(texts).split(" ")))
        single = self._single_tokens
        readings: dict[str, list[tuple[Step, ...]]] = {}
        for text in texts:
            words = text.split(" ")
            known = tuple([word for one in words if (word := single[one])])
            readings[text] = [known] if len(known) == len(words) else self._read_case_variants(text)
        return readings

    def _read_single_tokens(self, words: set[str]) -> None:
        """Find the words that are always a single token, and cache them."""
        assert self._affixes is not None
        if len(self._single_tokens) > _MAX_CACHED:
            self._single_tokens = {}
        new = [word for word in words if word not in self._single_tokens]
        self._single_tokens.update(dict.fromkeys(new))
        whole = list(filter(self._affixes.is_single_token, new))
        self._single_tokens.update(zip(whole, self._lexicon.read_phrase_words(whole), strict=True))

    def _read_case_variants(self, text: str) -> list[tuple[Step, ...]]:
        """Tokenize the text in each of its case variants."""
        ways = map(self._tokenize, dict.fromkeys(case_variants(text)))
        distinct = {tuple([word.form for word in way]): way for way in ways if way}
        return list(distinct.values())

    def _tokenize(self, text: str) -> tuple[Word, ...]:
        doc = self._tokenizer(text)
        words = self._lexicon.words_of_doc(doc)
        starts = [token.idx for token in doc]
        ends = [token.idx + len(token.text) for token in doc]
        return tuple([words[index] for index in phrase_word_indexes(words, starts, ends)])


def _readings_of(
    chunk: _Chunk, readings: dict[str, list[tuple[Step, ...]]]
) -> list[tuple[Step, ...]]:
    return readings[chunk] if isinstance(chunk, str) else [(chunk,)]


def _stems(steps: Iterable[Step]) -> tuple[str, ...]:
    words = [step for step in steps if isinstance(step, Word)]
    return tuple([stem for word in words for stem in word.parts or (word.stem,)])


def _join_texts(phrase: Phrase) -> list[_Chunk]:
    """Join neighbouring texts of a phrase, since a tokenizer looks across blanks."""
    if len(phrase) == 1:
        only = phrase[0]
        return [normalize_apostrophes(only) if isinstance(only, str) else only]
    chunks: list[_Chunk] = []
    for is_text, group in groupby(phrase, key=lambda chunk: isinstance(chunk, str)):
        members = list(group)
        chunks += [normalize_apostrophes(" ".join(map(str, members)))] if is_text else members
    return chunks
