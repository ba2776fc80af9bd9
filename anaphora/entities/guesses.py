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

from anaphora.entities.compounds import CompoundHeads
from anaphora.entities.dictionary import is_word
from anaphora.entities.lexicon import Lexicon, Word
from anaphora.entities.misspelt import LEAST, Spellings
from anaphora.entities.numbered import Stems

__all__ = ["Guess", "Guesses", "Vocabulary"]

_MOST_LOOKED_UP = 300  # of the words of one text (0.3 ms each among 100,000)
_MOST_KEPT = 5_000  # words and what they may stand for, twice
_LONGEST = 64  # characters; longer ones are no words
_SHORT = 4  # letters of a word that is more often another than a misspelt one ("rest", "rent")
_LEAST_OF_HALF = 3  # letters of each of two words that are written as one
_LEAST_OF_QUALIFIERS = 7  # letters; shorter ones have other words near them (never, fever)
_SHORT_HEAD = 3  # letters of a stop word that other words end with (Uhr, Abfuhr)
_DIGIT = re.compile(r"\d")


_Key: TypeAlias = tuple[str, tuple[str, ...]]
"""A word, and what it may mean without what is attached to it."""


class Guess(Struct, frozen=True, gc=False):
    """The stems that a word may stand for (several for one with hyphens inside), and the most
    wrong letters that one of them would have. ``words`` counts the words from this one on that
    stand for it, joined by hyphens. ``by_head`` says that the stem is that of the head alone of a
    compound."""

    stems: tuple[str, ...]
    typos: int = 0
    words: int = 1
    by_head: bool = False


@dataclass(slots=True)
class Vocabulary:
    """What the words of phrases are collected in while they are learnt: ``bare`` are the stems
    of words by how they are written without their marks, ``tolerant`` the spellings and
    stems of words of elements with typos, each with how many wrong letters it may have;
    ``stems`` are the lemmas of words by their Snowball stems, ``heads`` are the stems of words
    that may be the head of a compound."""

    lexicon: Lexicon
    bare: dict[str, set[str]] = field(default_factory=dict)
    tolerant: dict[tuple[str, str], int] = field(default_factory=dict)
    stems: dict[str, set[str]] = field(default_factory=dict)
    heads: set[str] = field(default_factory=set)
    _seen: dict[str, dict[str, frozenset[str]]] = field(default_factory=dict)

    def add(self, word: Word, typos: int) -> None:
        """Puts in a word of a phrase of an element with so many typos."""
        if stem := self.lexicon.stem_of_unknown(word):
            self.stems.setdefault(stem, set()).add(word.stem)
        form = word.form or word.lower  # of a spelling variant
        if not typos and form.isascii():
            return
        for lower, stem in zip(form.split(" "), word.parts or (word.stem,), strict=False):
            bare = () if lower.isascii() else self._bare_of(lower, stem)
            if typos:
                snowball = self.lexicon.stem_of_unknown(word)
                self._add_tolerant((lower, *bare, snowball), stem, typos)

    def add_head(self, word: Word) -> None:
        """Puts in a word of a phrase that is found in compounds."""
        if word.lower.isalpha() and (word.free or len(word.lower) > _SHORT_HEAD):
            self.heads.add(word.stem)

    def add_forms(self, forms: Iterable[str], word: Word, typos: int) -> None:
        """Puts in forms of a word that may have so many typos."""
        if typos:
            self._add_tolerant(forms, word.stem, typos)

    def _bare_of(self, lower: str, stem: str) -> Iterable[str]:
        if lower not in self._seen:
            self._seen[lower] = self.lexicon.bare(lower, stem)
            for one in frozenset().union(*self._seen[lower].values()):
                self.bare.setdefault(one, set()).add(stem)
        return self._seen[lower]

    def _add_tolerant(self, spellings: Iterable[str], stem: str, typos: int) -> None:
        for lower in spellings:
            if len(lower) < _LEAST_OF_QUALIFIERS and lower in self.lexicon.qualifiers:
                continue
            if len(lower) >= LEAST and not _DIGIT.search(lower):
                key = lower, stem
                self.tolerant[key] = max(typos, self.tolerant.get(key, 0))


class Guesses:
    """What words may stand for; ``known`` are the numbers of the stems that stand in phrases,
    layer by layer, -1 for others. ``is_phrase`` tells of a stem whether it is one by itself."""

    def __init__(
        self, vocabulary: Vocabulary, known: Sequence[Stems], is_phrase: Callable[[str], bool]
    ) -> None:
        self._lexicon = vocabulary.lexicon
        self._known = tuple(known)
        self._is_phrase = is_phrase
        self._bare = {bare: tuple(sorted(stems)) for bare, stems in vocabulary.bare.items()}
        self._stems = {stem: tuple(sorted(lemmas)) for stem, lemmas in vocabulary.stems.items()}
        self._spellings = Spellings(vocabulary.tolerant) if vocabulary.tolerant else None
        self._compounds = CompoundHeads(vocabulary.heads, vocabulary.lexicon)
        self.asks_of_all = bool(self._bare or vocabulary.heads) or self._spellings is not None
        """Whether not only a word that means something else may stand for another."""
        self._plain: set[int] = set()  # hashes, for users may want their words erased
        self._young: dict[_Key, tuple[Guess, ...]] = {}
        self._old: dict[_Key, tuple[Guess, ...]] = {}
        self._halved: dict[str, tuple[Guess, ...]] = {}

    @property
    def tolerates(self) -> bool:
        """Whether any word may have wrong letters."""
        return self._spellings is not None

    def of(
        self, words: Sequence[Word], sure: frozenset[int] = frozenset()
    ) -> list[tuple[Guess, ...]] | None:
        """For each word what it may stand for, the likeliest first; None if no word stands for
        another. The words with the numbers ``sure`` have no wrong letters."""
        if self._spellings is None:
            odd = self._odd(words)
            return self._of_odd(words, odd) if odd else None
        if sum(map(_lookups, words)) > _MOST_LOOKED_UP:
            sure = sure | self._beyond(words)
        first = self._known[0]  # has most of them: a tenth of the time of a call
        found = [
            self._homographs(word)
            if first[word.stem] >= 0
            else self._of_one(word, is_sure=index in sure)
            for index, word in enumerate(words)
        ]
        return found if any(found) else None

    def joined(self, words: Sequence[Word]) -> Guess | None:
        """What the words mean that hyphens join, if the model has them as one ("e-mail": email)."""
        stem = self._lexicon.word("".join([word.lower for word in words])).stem
        return Guess((stem,), words=len(words)) if self._is_known(stem) else None

    def _odd(self, words: Sequence[Word]) -> list[int]:
        """The places of words that something else than wrong letters may make stand for others."""
        bare, plain, has_compounds = self._bare, self._plain, bool(self._compounds)
        return [
            index
            for index, word in enumerate(words)
            if ((word.strange or has_compounds) and hash(word.lower) not in plain)
            or word.stem in bare
        ]

    def _of_odd(
        self, words: Sequence[Word], places: Iterable[int]
    ) -> list[tuple[Guess, ...]] | None:
        found: list[tuple[Guess, ...]] = [()] * len(words)
        for index in places:
            word = words[index]
            found[index] = self._of_one(word, is_sure=False)
            # What has marks may mean something else by how it is written.
            if not (found[index] or word.meant or word.odd or word.stem in self._bare):
                if len(self._plain) >= _MOST_KEPT:
                    self._plain = set()
                self._plain.add(hash(word.lower))
        return found if any(found) else None

    def _of_one(self, word: Word, *, is_sure: bool) -> tuple[Guess, ...]:
        if word.blank or self._is_known(word.stem):
            return self._homographs(word)
        return self._of(word, is_sure=is_sure)

    def _beyond(self, words: Sequence[Word]) -> frozenset[int]:
        """The words that come when as many as may be looked up have come."""
        left = _MOST_LOOKED_UP
        seen: set[str] = set()
        beyond = []
        for index, word in enumerate(words):
            if word.lower in seen or self._is_known(word.stem):
                continue
            if left <= 0:
                beyond.append(index)
                continue
            seen.add(word.lower)
            left -= _lookups(word)
        return frozenset(beyond)

    def _is_known(self, stem: str) -> bool:
        return any(stems[stem] >= 0 for stems in self._known)

    def _homographs(self, word: Word) -> tuple[Guess, ...]:
        others = word.homographs
        if word.derived and not (word.blank or self._is_phrase(word.stem)):
            others += word.derived  # "reserva" of "fazer reserva" may be "reservar" alone
        return tuple([Guess((lemma,)) for lemma in others if self._is_known(lemma)])

    def _of(self, word: Word, *, is_sure: bool) -> tuple[Guess, ...]:
        # No guess may turn the sense round: "never" is no "fever" with a wrong letter.
        if len(word.lower) > _LONGEST or word.lower in self._lexicon.qualifiers:
            return ()
        if word.parts:
            return self._of_parts(word, is_sure=is_sure) or self._by_head(word)
        others = (*word.homographs, *word.derived, *word.meant)
        meant = [stem for stem in others if self._is_known(stem)]
        is_marked = word.known and not word.lower.isascii()
        for stem in (word.stem, *word.meant):
            # The marks that a word has say which one it is, but it may lack others.
            if not (is_marked and stem.isascii()):
                meant += self._bare.get(stem, ())
        if not (meant or word.known):
            meant += self._stems.get(word.stem, ())
        if meant:
            return tuple([Guess((stem,)) for stem in dict.fromkeys(meant)])
        if not word.free:
            return ()
        if guesses := self._by_head(word) or self._halves(word):
            return guesses
        return () if is_sure else self._misspelt(word)

    def _by_head(self, word: Word) -> tuple[Guess, ...]:
        return tuple([Guess((stem,), by_head=True) for stem in self._compounds.of(word)])

    def _of_parts(self, word: Word, *, is_sure: bool) -> tuple[Guess, ...]:
        """The one likeliest guess at a word with hyphens inside."""
        for lemma in word.derived:
            if self._is_known(lemma):
                return (Guess((lemma,)),)
        joined = self._lexicon.word(word.form.replace(" ", "")).stem
        if self._is_known(joined):
            return (Guess((joined,)),)
        if all(map(self._is_known, word.parts)):
            return ()
        best: list[Guess] = []
        for piece in self._lexicon.words(word.form.split(" ")):
            known = self._is_known(piece.stem)
            guesses = (Guess((piece.stem,)),) if known else self._of(piece, is_sure=is_sure)
            if not guesses:
                return ()
            best.append(guesses[0])
        return (Guess(_stems(best), max(guess.typos for guess in best)),)

    def _halves(self, word: Word) -> tuple[Guess, ...]:
        """What a word that no dictionary has means as two of the model: "icecream"."""
        lower, least = word.lower, _LEAST_OF_HALF
        if word.known or len(lower) < 2 * least or not lower.isalpha():
            return ()
        known = self._halved.get(lower)
        if known is None:
            cuts = range(least, len(lower) - least + 1)
            halves = [lower[at:] if behind else lower[:at] for at in cuts for behind in (0, 1)]
            stems = self._lexicon.stems(halves)
            pairs = zip(stems[::2], stems[1::2], strict=True)
            known = tuple([Guess(pair) for pair in pairs if all(map(self._is_known, pair))])
            if len(self._halved) >= _MOST_KEPT:
                self._halved = {}
            self._halved[lower] = known
        return known

    def _misspelt(self, word: Word) -> tuple[Guess, ...]:
        lower = word.lower
        if self._spellings is None or len(lower) < LEAST or _DIGIT.search(lower):
            return ()
        key = lower, word.meant
        known = self._young.get(key)
        if known is None:
            known = self._old.get(key)
            if known is None:
                near = self._spellings.near(lower, word.stem, word.meant)
                if near and len(lower) <= _SHORT and is_word(lower, self._lexicon.language):
                    near = []
                known = tuple([Guess((one,), typos) for one, typos in near])
            if len(self._young) >= _MOST_KEPT:
                self._old, self._young = self._young, {}
            self._young[key] = known
        return known


def _lookups(word: Word) -> int:
    """How many texts it may be compared by, where it may be misspelt."""
    if word.parts:
        return 2 * len(word.parts)
    return 1 + (word.stem != word.lower) + len(word.meant)


def _stems(guesses: Iterable[Guess]) -> tuple[str, ...]:
    return tuple([stem for guess in guesses for stem in guess.stems])
