"""Find the stems of the model that an unknown word may stand for: missing marks ("meteo" for
"météo"), attached particles (ומחר for מחר), compounds, else typos.

Typos are only accepted in phrases of elements with ``typos``. The number of distinct words of one
text that are looked up is bounded, and so are the caches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from anaphora.entities.phrases.edit_distance import MIN_LENGTH, SpellingIndex
from anaphora.entities.phrases.stem_ids import StemIds
from anaphora.entities.words.compounds import CompoundSplitter
from anaphora.entities.words.lexicon import Lexicon, Word
from anaphora.entities.words.word_cache import WordCache

__all__ = ["CandidateFinder", "PhraseVocabulary", "StemCandidate"]

_MAX_LOOKUPS = 300  # of the words of one text (0.3 ms each among 100,000)
_MAX_CACHED = 5_000  # words and their candidates
_MAX_LENGTH = 64  # characters; longer ones are no words
_SHORT_WORD_LENGTH = 4  # letters; such a word is rarely a typo of another one (rest, rent)
_MIN_HALF_LENGTH = 3  # letters of each of two words that are written as one
_MIN_QUALIFIER_LENGTH = 7  # letters; shorter ones resemble other words (never, fever)
_SHORT_HEAD_LENGTH = 3  # letters of a stop word with which other words end (Uhr, Abfuhr)
_DIGIT = re.compile(r"\d")


class StemCandidate(Struct, frozen=True, gc=False):
    """The stems that a word may stand for (several for a word with hyphens inside), and the maximum
    number of typos in one of them.

    ``words`` is the number of words, joined by hyphens, that stand for it together.
    ``by_compound_head`` says that the stem is that of the head of a compound.
    """

    stems: tuple[str, ...]
    typos: int = 0
    words: int = 1
    by_compound_head: bool = False


@dataclass(slots=True)
class PhraseVocabulary:
    """Collects the words of phrases while they are compiled.

    ``unmarked`` maps spellings without marks to stems, ``tolerant`` maps the spelling and the stem
    of words of elements with typos to the number of typos allowed. ``stems`` maps Snowball stems to
    lemmas. ``heads`` are the stems of words that may be the head of a compound.
    """

    lexicon: Lexicon
    unmarked: dict[str, set[str]] = field(default_factory=dict)
    tolerant: dict[tuple[str, str], int] = field(default_factory=dict)
    stems: dict[str, set[str]] = field(default_factory=dict)
    heads: set[str] = field(default_factory=set)
    _seen: dict[str, dict[str, frozenset[str]]] = field(default_factory=dict)

    def add_word(self, word: Word, typos: int) -> None:
        """Add a word of a phrase of an element with that number of typos."""
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
        """Add a word that is also found as the head of a compound."""
        if word.lower.isalpha() and (word.is_content_word or len(word.lower) > _SHORT_HEAD_LENGTH):
            self.heads.add(word.stem)

    def add_forms(self, forms: Iterable[str], word: Word, typos: int) -> None:
        """Add forms of a word with that number of typos."""
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
    """Finds stem candidates of words.

    ``known`` maps stems to their ids in the phrases of each composition level, -1 for others.
    ``is_phrase`` says whether a stem is a phrase by itself.
    """

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
        """Whether words without further readings may have candidates."""
        self._plain_hashes: set[int] = set()  # hashes alone: texts are private
        self._split_cached = WordCache(self._split_in_two, _MAX_CACHED)
        self._find_near_cached = WordCache(self._find_near, 2 * _MAX_CACHED)

    @property
    def allows_typos(self) -> bool:
        """Whether any word may have typos."""
        return self._spellings is not None

    def find(
        self, words: Sequence[Word], without_typos: frozenset[int] = frozenset()
    ) -> list[tuple[StemCandidate, ...]] | None:
        """Return the candidates of each word, the likeliest first; None if no word has any. No
        typos are accepted in the words with the indexes ``without_typos``."""
        if self._spellings is None:
            odd = self._uncertain_positions(words)
            return self._find_at(words, odd) if odd else None
        if sum(map(_count_lookups, words)) > _MAX_LOOKUPS:
            without_typos = without_typos | self._beyond_lookup_limit(words)
        first = self._known[0]  # has most stems, and saves a call
        found = [
            self._homographs(word)
            if first[word.stem] >= 0
            else self._find_one(word, is_sure=index in without_typos)
            for index, word in enumerate(words)
        ]
        return found if any(found) else None

    def find_joined(self, words: Sequence[Word]) -> StemCandidate | None:
        """Return what words that hyphens join mean as one word, if the model has it ("e-mail":
        email)."""
        stem = self._lexicon.word("".join([word.lower for word in words])).stem
        return StemCandidate((stem,), words=len(words)) if self._is_known(stem) else None

    def _uncertain_positions(self, words: Sequence[Word]) -> list[int]:
        """Return the indexes of words that may have candidates for other reasons than typos."""
        bare, plain, has_compounds = self._bare, self._plain_hashes, bool(self._compounds)
        return [
            index
            for index, word in enumerate(words)
            if ((word.is_uncertain or has_compounds) and hash(word.lower) not in plain)
            or word.stem in bare
        ]

    def _find_at(
        self, words: Sequence[Word], indexes: Iterable[int]
    ) -> list[tuple[StemCandidate, ...]] | None:
        found: list[tuple[StemCandidate, ...]] = [()] * len(words)
        for index in indexes:
            word = words[index]
            found[index] = self._find_one(word, is_sure=False)
            # The candidates of a word with marks depend on its spelling.
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
        """Return the indexes of the words behind the last one that may be looked up."""
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
        # No candidate may reverse the meaning: "never" is no "fever" with a typo.
        if len(word.lower) > _MAX_LENGTH or word.lower in self._lexicon.qualifiers:
            return ()
        if word.parts:
            return self._find_hyphenated(word, is_sure=is_sure) or self._find_compound_heads(word)
        others = (*word.homographs, *word.derived, *word.alternatives)
        meant = [stem for stem in others if self._is_known(stem)]
        is_marked = word.in_dictionary and not word.lower.isascii()
        for stem in (word.stem, *word.alternatives):
            # The marks of a word identify it, but it may lack further ones.
            if not (is_marked and stem.isascii()):
                meant += self._bare.get(stem, ())
        if not (meant or word.in_dictionary):
            meant += self._stems.get(word.stem, ())
        if meant:
            return tuple([StemCandidate((stem,)) for stem in dict.fromkeys(meant)])
        if not word.is_content_word:
            return ()
        if candidates := self._find_compound_heads(word) or self._find_two_words(word):
            return candidates
        return () if is_sure else self._find_misspelt(word)

    def _find_compound_heads(self, word: Word) -> tuple[StemCandidate, ...]:
        heads = self._compounds.find_heads(word)
        return tuple([StemCandidate((stem,), by_compound_head=True) for stem in heads])

    def _find_hyphenated(self, word: Word, *, is_sure: bool) -> tuple[StemCandidate, ...]:
        """Return the likeliest candidate of a word with hyphens inside."""
        joined = self._lexicon.word(word.form.replace(" ", "")).stem
        for stem in (*word.derived, joined):
            if self._is_known(stem):
                return (StemCandidate((stem,)),)
        if all(map(self._is_known, word.parts)):
            return ()
        best: list[StemCandidate] = []
        for piece in self._lexicon.words(word.form.split(" ")):
            known = self._is_known(piece.stem)
            found = () if known else self._find_unknown(piece, is_sure=is_sure)
            if not (known or found):
                return ()
            best.append(found[0] if found else StemCandidate((piece.stem,)))
        stems = tuple([stem for candidate in best for stem in candidate.stems])
        return (StemCandidate(stems, max(candidate.typos for candidate in best)),)

    def _find_two_words(self, word: Word) -> tuple[StemCandidate, ...]:
        """Split a word that no dictionary has into two of the model: "icecream"."""
        lower = word.lower
        if word.in_dictionary or len(lower) < 2 * _MIN_HALF_LENGTH or not lower.isalpha():
            return ()
        return self._split_cached(lower)

    def _split_in_two(self, lower: str) -> tuple[StemCandidate, ...]:
        cuts = range(_MIN_HALF_LENGTH, len(lower) - _MIN_HALF_LENGTH + 1)
        halves = [lower[at:] if behind else lower[:at] for at in cuts for behind in (0, 1)]
        stems = self._lexicon.stem_words(halves)
        pairs = zip(stems[::2], stems[1::2], strict=True)
        return tuple([StemCandidate(pair) for pair in pairs if all(map(self._is_known, pair))])

    def _find_misspelt(self, word: Word) -> tuple[StemCandidate, ...]:
        lower = word.lower
        if self._spellings is None or len(lower) < MIN_LENGTH or _DIGIT.search(lower):
            return ()
        return self._find_near_cached(lower, word.stem, word.alternatives)

    def _find_near(
        self, lower: str, stem: str, alternatives: tuple[str, ...]
    ) -> tuple[StemCandidate, ...]:
        assert self._spellings is not None
        near = self._spellings.find_nearest(lower, stem, alternatives)
        is_short = len(lower) <= _SHORT_WORD_LENGTH
        if near and is_short and self._lexicon.is_known(lower):
            return ()
        return tuple([StemCandidate((one,), typos) for one, typos in near])


def _count_lookups(word: Word) -> int:
    """Count the texts that are looked up for a word with possible typos."""
    if word.parts:
        return 2 * len(word.parts)
    return 1 + (word.stem != word.lower) + len(word.alternatives)
