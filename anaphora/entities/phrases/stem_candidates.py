"""What a word may stand for that no phrase of a model has: one with marks left out ("meteo" for
"météo") or with others attached (ומחר for מחר), else one with wrong letters.

Wrong letters are only looked for in what elements with ``typos`` are said with. The number of
different words of one text that are looked up is bounded, and so is what is kept of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec import Struct

from anaphora.entities.phrases.edit_distance import MIN_LENGTH, SpellingIndex
from anaphora.entities.phrases.stem_ids import StemIds
from anaphora.entities.words.compounds import CompoundSplitter
from anaphora.entities.words.dictionary import is_dictionary_word
from anaphora.entities.words.lexicon import Lexicon, Word

__all__ = ["CandidateFinder", "PhraseVocabulary", "StemCandidate"]

_MAX_LOOKUPS = 300  # of the words of one text (0.3 ms each among 100,000)
_MAX_CACHED = 5_000  # words and what they may stand for, twice
_MAX_LENGTH = 64  # characters; longer ones are no words
_SHORT_WORD_LENGTH = (
    4  # letters of a word that is more often another than a misspelt one ("rest", "rent")
)
_MIN_HALF_LENGTH = 3  # letters of each of two words that are written as one
_MIN_QUALIFIER_LENGTH = 7  # letters; shorter ones have other words near them (never, fever)
_SHORT_HEAD_LENGTH = 3  # letters of a stop word that other words end with (Uhr, Abfuhr)
_DIGIT = re.compile(r"\d")


_Key: TypeAlias = tuple[str, tuple[str, ...]]
"""A word, and what it may mean without what is attached to it."""


class StemCandidate(Struct, frozen=True, gc=False):
    """The stems that a word may stand for (several for one with hyphens inside), and the most
    wrong letters that one of them would have. ``words`` counts the words from this one on that
    stand for it, joined by hyphens. ``by_head`` says that the stem is that of the head alone of a
    compound."""

    stems: tuple[str, ...]
    typos: int = 0
    words: int = 1
    by_compound_head: bool = False


@dataclass(slots=True)
class PhraseVocabulary:
    """What the words of phrases are collected in while they are learnt: ``bare`` are the stems
    of words by how they are written without their marks, ``tolerant`` the spellings and
    stems of words of elements with typos, each with how many wrong letters it may have;
    ``stems`` are the lemmas of words by their Snowball stems, ``heads`` are the stems of words
    that may be the head of a compound."""

    lexicon: Lexicon
    unmarked: dict[str, set[str]] = field(default_factory=dict)
    tolerant: dict[tuple[str, str], int] = field(default_factory=dict)
    stems: dict[str, set[str]] = field(default_factory=dict)
    heads: set[str] = field(default_factory=set)
    _seen: dict[str, dict[str, frozenset[str]]] = field(default_factory=dict)

    def add_word(self, word: Word, typos: int) -> None:
        """Puts in a word of a phrase of an element with so many typos."""
        if stem := self.lexicon.fallback_stem(word):
            self.stems.setdefault(stem, set()).add(word.stem)
        form = word.form or word.lower  # of a spelling variant
        if not typos and form.isascii():
            return
        for lower, stem in zip(form.split(" "), word.parts or (word.stem,), strict=False):
            bare = () if lower.isascii() else self._unmarked_spellings(lower, stem)
            if typos:
                snowball = self.lexicon.fallback_stem(word)
                self._add_tolerant((lower, *bare, snowball), stem, typos)

    def add_head(self, word: Word) -> None:
        """Puts in a word of a phrase that is found in compounds."""
        if word.lower.isalpha() and (word.free or len(word.lower) > _SHORT_HEAD_LENGTH):
            self.heads.add(word.stem)

    def add_forms(self, forms: Iterable[str], word: Word, typos: int) -> None:
        """Puts in forms of a word that may have so many typos."""
        if typos:
            self._add_tolerant(forms, word.stem, typos)

    def _unmarked_spellings(self, lower: str, stem: str) -> Iterable[str]:
        if lower not in self._seen:
            self._seen[lower] = self.lexicon.unmarked_spellings(lower, stem)
            for one in frozenset().union(*self._seen[lower].values()):
                self.unmarked.setdefault(one, set()).add(stem)
        return self._seen[lower]

    def _add_tolerant(self, spellings: Iterable[str], stem: str, typos: int) -> None:
        for lower in spellings:
            if len(lower) < _MIN_QUALIFIER_LENGTH and lower in self.lexicon.qualifiers:
                continue
            if len(lower) >= MIN_LENGTH and not _DIGIT.search(lower):
                key = lower, stem
                self.tolerant[key] = max(typos, self.tolerant.get(key, 0))


class CandidateFinder:
    """What words may stand for; ``known`` are the numbers of the stems that stand in phrases,
    layer by layer, -1 for others. ``is_phrase`` tells of a stem whether it is one by itself."""

    def __init__(
        self,
        vocabulary: PhraseVocabulary,
        known: Sequence[StemIds],
        is_phrase: Callable[[str], bool],
    ) -> None:
        self._lexicon = vocabulary.lexicon
        self._known = tuple(known)
        self._is_phrase = is_phrase
        self._bare = {bare: tuple(sorted(stems)) for bare, stems in vocabulary.unmarked.items()}
        self._stems = {stem: tuple(sorted(lemmas)) for stem, lemmas in vocabulary.stems.items()}
        self._spellings = SpellingIndex(vocabulary.tolerant) if vocabulary.tolerant else None
        self._compounds = CompoundSplitter(vocabulary.heads, vocabulary.lexicon)
        self.applies_to_every_word = (
            bool(self._bare or vocabulary.heads) or self._spellings is not None
        )
        """Whether not only a word that means something else may stand for another."""
        self._plain_hashes: set[int] = set()  # hashes, for users may want their words erased
        self._young: dict[_Key, tuple[StemCandidate, ...]] = {}
        self._old: dict[_Key, tuple[StemCandidate, ...]] = {}
        self._two_words_cache: dict[str, tuple[StemCandidate, ...]] = {}

    @property
    def allows_typos(self) -> bool:
        """Whether any word may have wrong letters."""
        return self._spellings is not None

    def find(
        self, words: Sequence[Word], without_typos: frozenset[int] = frozenset()
    ) -> list[tuple[StemCandidate, ...]] | None:
        """For each word what it may stand for, the likeliest first; None if no word stands for
        another. The words with the numbers ``sure`` have no wrong letters."""
        if self._spellings is None:
            odd = self._uncertain_positions(words)
            return self._find_at(words, odd) if odd else None
        if sum(map(_count_lookups, words)) > _MAX_LOOKUPS:
            without_typos = without_typos | self._beyond_lookup_limit(words)
        first = self._known[0]  # has most of them: a tenth of the time of a call
        found = [
            self._homographs(word)
            if first[word.stem] >= 0
            else self._find_one(word, is_sure=index in without_typos)
            for index, word in enumerate(words)
        ]
        return found if any(found) else None

    def find_joined(self, words: Sequence[Word]) -> StemCandidate | None:
        """What the words mean that hyphens join, if the model has them as one ("e-mail": email)."""
        stem = self._lexicon.word("".join([word.lower for word in words])).stem
        return StemCandidate((stem,), words=len(words)) if self._is_known(stem) else None

    def _uncertain_positions(self, words: Sequence[Word]) -> list[int]:
        """The places of words that something else than wrong letters may make stand for others."""
        bare, plain, has_compounds = self._bare, self._plain_hashes, bool(self._compounds)
        return [
            index
            for index, word in enumerate(words)
            if ((word.is_uncertain or has_compounds) and hash(word.lower) not in plain)
            or word.stem in bare
        ]

    def _find_at(
        self, words: Sequence[Word], places: Iterable[int]
    ) -> list[tuple[StemCandidate, ...]] | None:
        found: list[tuple[StemCandidate, ...]] = [()] * len(words)
        for index in places:
            word = words[index]
            found[index] = self._find_one(word, is_sure=False)
            # What has marks may mean something else by how it is written.
            if not (
                found[index] or word.alternatives or word.is_special or word.stem in self._bare
            ):
                if len(self._plain_hashes) >= _MAX_CACHED:
                    self._plain_hashes = set()
                self._plain_hashes.add(hash(word.lower))
        return found if any(found) else None

    def _find_one(self, word: Word, *, is_sure: bool) -> tuple[StemCandidate, ...]:
        if word.is_blank or self._is_known(word.stem):
            return self._homographs(word)
        return self._find_unknown(word, is_sure=is_sure)

    def _beyond_lookup_limit(self, words: Sequence[Word]) -> frozenset[int]:
        """The words that come when as many as may be looked up have come."""
        left = _MAX_LOOKUPS
        seen: set[str] = set()
        beyond = []
        for index, word in enumerate(words):
            if word.lower in seen or self._is_known(word.stem):
                continue
            if left <= 0:
                beyond.append(index)
                continue
            seen.add(word.lower)
            left -= _count_lookups(word)
        return frozenset(beyond)

    def _is_known(self, stem: str) -> bool:
        return any(stems[stem] >= 0 for stems in self._known)

    def _homographs(self, word: Word) -> tuple[StemCandidate, ...]:
        others = word.homographs
        if word.derived and not (word.is_blank or self._is_phrase(word.stem)):
            others += word.derived  # "reserva" of "fazer reserva" may be "reservar" alone
        return tuple([StemCandidate((lemma,)) for lemma in others if self._is_known(lemma)])

    def _find_unknown(self, word: Word, *, is_sure: bool) -> tuple[StemCandidate, ...]:
        # No guess may turn the sense round: "never" is no "fever" with a wrong letter.
        if len(word.lower) > _MAX_LENGTH or word.lower in self._lexicon.qualifiers:
            return ()
        if word.parts:
            return self._find_hyphenated(word, is_sure=is_sure) or self._find_compound_heads(word)
        others = (*word.homographs, *word.derived, *word.alternatives)
        meant = [stem for stem in others if self._is_known(stem)]
        is_marked = word.in_dictionary and not word.lower.isascii()
        for stem in (word.stem, *word.alternatives):
            # The marks that a word has say which one it is, but it may lack others.
            if not (is_marked and stem.isascii()):
                meant += self._bare.get(stem, ())
        if not (meant or word.in_dictionary):
            meant += self._stems.get(word.stem, ())
        if meant:
            return tuple([StemCandidate((stem,)) for stem in dict.fromkeys(meant)])
        if not word.free:
            return ()
        if guesses := self._find_compound_heads(word) or self._find_two_words(word):
            return guesses
        return () if is_sure else self._find_misspelled(word)

    def _find_compound_heads(self, word: Word) -> tuple[StemCandidate, ...]:
        return tuple(
            [
                StemCandidate((stem,), by_compound_head=True)
                for stem in self._compounds.find_heads(word)
            ]
        )

    def _find_hyphenated(self, word: Word, *, is_sure: bool) -> tuple[StemCandidate, ...]:
        """The one likeliest guess at a word with hyphens inside."""
        for lemma in word.derived:
            if self._is_known(lemma):
                return (StemCandidate((lemma,)),)
        joined = self._lexicon.word(word.form.replace(" ", "")).stem
        if self._is_known(joined):
            return (StemCandidate((joined,)),)
        if all(map(self._is_known, word.parts)):
            return ()
        best: list[StemCandidate] = []
        for piece in self._lexicon.words(word.form.split(" ")):
            known = self._is_known(piece.stem)
            guesses = (
                (StemCandidate((piece.stem,)),)
                if known
                else self._find_unknown(piece, is_sure=is_sure)
            )
            if not guesses:
                return ()
            best.append(guesses[0])
        return (StemCandidate(_stems(best), max(guess.typos for guess in best)),)

    def _find_two_words(self, word: Word) -> tuple[StemCandidate, ...]:
        """What a word that no dictionary has means as two of the model: "icecream"."""
        lower, least = word.lower, _MIN_HALF_LENGTH
        if word.in_dictionary or len(lower) < 2 * least or not lower.isalpha():
            return ()
        known = self._two_words_cache.get(lower)
        if known is None:
            cuts = range(least, len(lower) - least + 1)
            halves = [lower[at:] if behind else lower[:at] for at in cuts for behind in (0, 1)]
            stems = self._lexicon.stem_words(halves)
            pairs = zip(stems[::2], stems[1::2], strict=True)
            known = tuple([StemCandidate(pair) for pair in pairs if all(map(self._is_known, pair))])
            if len(self._two_words_cache) >= _MAX_CACHED:
                self._two_words_cache = {}
            self._two_words_cache[lower] = known
        return known

    def _find_misspelled(self, word: Word) -> tuple[StemCandidate, ...]:
        lower = word.lower
        if self._spellings is None or len(lower) < MIN_LENGTH or _DIGIT.search(lower):
            return ()
        key = lower, word.alternatives
        known = self._young.get(key)
        if known is None:
            known = self._old.get(key)
            if known is None:
                near = self._spellings.find_nearest(lower, word.stem, word.alternatives)
                if (
                    near
                    and len(lower) <= _SHORT_WORD_LENGTH
                    and is_dictionary_word(lower, self._lexicon.language)
                ):
                    near = []
                known = tuple([StemCandidate((one,), typos) for one, typos in near])
            if len(self._young) >= _MAX_CACHED:
                self._old, self._young = self._young, {}
            self._young[key] = known
        return known


def _count_lookups(word: Word) -> int:
    """How many texts it may be compared by, where it may be misspelt."""
    if word.parts:
        return 2 * len(word.parts)
    return 1 + (word.stem != word.lower) + len(word.alternatives)


def _stems(guesses: Iterable[StemCandidate]) -> tuple[str, ...]:
    return tuple([stem for guess in guesses for stem in guess.stems])
