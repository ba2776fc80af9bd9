"""Words as they are compared: normalised, stemmed, and kept for the next utterance.

Hyphens between words are not there for the comparison: "New-York" is "New York". A tokenizer
may make them tokens of their own (joiners, see :func:`solid`) or leave them inside a token
(whose parts are then compared one by one). A hyphen beside a blank, full stops, commas and
other punctuation are words like any other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from spacy.tokens import Doc, Token

from anaphora.entities.dictionary import Dictionary, dictionary
from anaphora.entities.languages import (
    base,
    courtesy_phrases,
    is_visible,
    normalizer,
    qualifiers,
    stemmer,
    stop_words,
)
from anaphora.entities.lemmatizer import Lemmatizer
from anaphora.entities.morphology import Morphemes, analyzer
from anaphora.entities.separable_prefixes import separable_prefixes
from anaphora.entities.tongue import tongue

__all__ = ["Lexicon", "Word", "solid"]

# The non-breaking one becomes the second of these by NFKC; the last one joins Japanese words.
_HYPHENS = "-‐‒–−・"
_SPLIT = re.compile(f"[{_HYPHENS}]")
_ABBREVIATION = re.compile(r"(?:[^\W\d_]{1,2}\.){2,}[^\W\d_]?|[^\W\d_]{1,2}\.[^\W\d_]{1,2}")
_WITH_NORMS = frozenset({"ja"})  # whose tokenizer tells the usual spelling of the lemma
_LONGEST_KEPT = 64  # characters; longer ones are no words, and must not fill the memory


class Word(Struct, frozen=True, gc=False):
    """One token's text as it is compared.

    ``parts`` are the stems of a word with hyphens inside, else empty; ``form`` is its spelling
    without them. The ``stem`` is what its forms are compared by: its lemma if a dictionary has the
    word (then it is ``known``), else its Snowball stem. ``homographs`` are its lemmas as another
    word: "leaf" of "leaves". Where the model does not have the word itself, it may mean what is
    in ``derived``, lemmas by the rules of its language ("buy" of "buying"), and in ``meant``, the
    stems of the word without its marks, or without others that are attached to it. ``odd`` marks
    what a phrase may have to treat apart: blanks (and what cannot be seen), joiners, words with
    parts; ``strange`` is what is odd, may mean something else, or is in no dictionary. A
    ``qualifier`` turns the sense of others or bounds it. ``courtesy`` are the polite phrases of
    several words in which it stands, each with its place there: as a part of one it means nothing.
    """

    lower: str
    stem: str
    form: str
    free: bool
    parts: tuple[str, ...] = ()
    blank: bool = False
    joiner: bool = False
    odd: bool = False
    meant: tuple[str, ...] = ()
    strange: bool = False
    qualifier: bool = False
    courtesy: tuple[tuple[int, tuple[str, ...]], ...] = ()
    known: bool = False
    homographs: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()


class Lexicon:
    """The words of one language; it keeps between ``size`` and twice ``size`` of them.

    ``additional`` are stop words beside those of the language, ``excluded`` words that are none
    after all; both are compared by their stems, and the former go before the latter. Of the
    language's stop words the ``qualifiers`` are none: they turn the sense of others or bound it.

    Words live in two generations: when the young one is full it becomes the old one, and what
    is not asked for before the next change is gone. No moment is slower than another.
    """

    def __init__(
        self,
        language: str,
        size: int = 20_000,
        additional: Iterable[str] = (),
        excluded: Iterable[str] = (),
    ) -> None:
        self.language = language
        self.code = base(language)
        self.additional = frozenset(additional)
        self.excluded = frozenset(excluded)
        self._size = size
        self._normalize = normalizer(language)
        self._stem = stemmer(language)
        self._tongue = tongue(self.code)
        self._analyze = analyzer(self.code)
        self._has_norms = self.code in _WITH_NORMS
        self._prefixes = separable_prefixes(self.code)
        self._has_apostrophes = "'" in self._tongue.silent
        courtesy = courtesy_phrases(language)
        polite = {phrase[0] for phrase in courtesy if len(phrase) == 1}
        self._stop_words = stop_words(language).union(self._tongue.fragments, polite)
        self._is_latin = any(map(str.isascii, self._stop_words))
        self._courtesy = _by_word(courtesy)
        self.qualifiers = qualifiers(language)
        self._never_free = self.stems_of(self.additional)
        self._always_free = self.stems_of(self.excluded)
        self._made: Lemmatizer | None = None
        self._young: dict[str, Word] = {}
        self._old: dict[str, Word] = {}

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    @property
    def _dictionary(self) -> Dictionary | None:
        return dictionary(self.code)  # loaded when the first word needs it

    @property
    def _lemmatizer(self) -> Lemmatizer | None:
        words = self._dictionary
        if words is None:
            return None
        if self._made is None:
            self._made = Lemmatizer(words, self._tongue, self.stems, self._prefixes)
        return self._made

    def words(self, texts: Iterable[str]) -> list[Word]:
        """A word for each text, from the cache where it is there."""
        young, old = self._young, self._old
        return [young.get(text) or self._keep(text, old.get(text)) for text in texts]

    def word(self, text: str) -> Word:
        """As :meth:`words` for a single text."""
        return self._young.get(text) or self._keep(text, self._old.get(text))

    def of(self, doc: Doc) -> list[Word]:
        """A word for each token, from the cache where it is there; by its lemma in the text, where
        the tokenizer tells it."""
        words = self.words([token.text for token in doc])
        if not self._has_norms:
            return words
        return [self._normed(word, token) for word, token in zip(words, doc, strict=True)]

    def _normed(self, word: Word, token: Token) -> Word:
        norm = token.norm_
        if word.blank or word.joiner or norm == word.lower:
            return word
        key = f"{token.text}\0{norm}"
        known = self._young.get(key) or self._old.get(key)
        if known is None:
            known = replace(word, stem=self._normalize(norm), known=True)
        return self._kept(key, known)

    def read(self, texts: Sequence[str]) -> list[Word]:
        """A word of a phrase for each text, past the cache, quickly for many: what it may be an
        inflected form of stays open."""
        lowers = [self._normalize(text) for text in texts]
        stems = self.stems(lowers)
        return [
            self._word(text, lower, stem, is_typed=False)
            for text, lower, stem in zip(texts, lowers, stems, strict=True)
        ]

    def __reduce__(
        self,
    ) -> tuple[type[Lexicon], tuple[str, int, frozenset[str], frozenset[str]]]:
        return Lexicon, (self.language, self._size, self.additional, self.excluded)

    def _keep(self, text: str, word: Word | None) -> Word:
        if word is None:
            lower = self._normalize(text)
            word = self._word(text, lower, self.stems((lower,))[0])
        return self._kept(text, word)

    def _kept(self, key: str, word: Word) -> Word:
        if len(key) <= _LONGEST_KEPT:
            if len(self._young) >= self._size:
                self._old, self._young = self._young, {}
            self._young[key] = word
        return word

    def _word(self, text: str, lower: str, stem: str, *, is_typed: bool = True) -> Word:
        stem = self._tongue.forms.get(lower, stem)
        if lower.isalpha():  # most words by far
            return self._of_letters(text, lower, stem, is_typed=is_typed)
        if lower.isspace() or not any(map(is_visible, lower)):
            return Word(lower, stem, lower, free=False, blank=True, odd=True, strange=True)
        if lower in _HYPHENS:
            return Word(lower, stem, lower, free=False, joiner=True, odd=True, strange=True)
        if lower[0] in _HYPHENS and lower[1:].isalpha():  # French tokens such as "-ce"
            rest = self._word(text[1:], lower[1:], self.stems((lower[1:],))[0])
            return Word(lower, rest.stem, lower, rest.free)
        free = any(char.isalnum() for char in lower) and self._is_free(text, lower, stem)
        pieces = _SPLIT.split(lower)
        if len(pieces) > 1 and all(any(map(str.isalnum, piece)) for piece in pieces):
            parts = tuple(self.stems(pieces))
            spelled = " ".join(pieces)
            derived: tuple[str, ...] = ()
            if self._lemmatizer is not None:
                derived = self._lemmatizer.infinitives_before(pieces[1:], pieces[0])
            return Word(
                lower, stem, spelled, free, parts=parts, odd=True, strange=True, derived=derived
            )
        meant = self._meant(text, lower, stem)
        if "'" in lower or self._tongue.suffix_marks:
            others = self.stems(list(self._around_marks(lower)))
            meant += tuple([one for one in others if one != stem])
        if _ABBREVIATION.fullmatch(lower.replace(" ", "")):
            meant += tuple(self.stems((re.sub("[. ]", "", lower),)))
        qualifier = free and lower in self.qualifiers  # n't
        strange = bool(meant) or (
            free and self._dictionary is not None and any(map(str.isalpha, lower))
        )
        courtesy = self._courtesy.get(lower, ()) if free else ()
        words = self._dictionary
        known = words is not None and self._is_in_dictionaries(lower) and lower in words
        return Word(
            lower, stem, lower, free, meant=meant, strange=strange, qualifier=qualifier,
            courtesy=courtesy, known=known,
        )  # fmt: skip

    def _of_letters(self, text: str, lower: str, stem: str, *, is_typed: bool) -> Word:
        lemmatizer, known = self._lemmatizer, False
        homographs: tuple[str, ...] = ()
        derived: tuple[str, ...] = ()
        if lemmatizer is not None and len(lower) <= _LONGEST_KEPT:
            stem, known, homographs, derived = lemmatizer.lemmas(
                text, lower, stem, self._never_free, is_typed=is_typed
            )
        if morphemes := self._morphemes_of(lower):
            known, homographs = True, morphemes.others
        is_sure = morphemes is not None and morphemes.is_sure
        meant = () if is_sure else self._meant(text, lower, stem, is_known=known)
        if self._tongue.elided and not known and len(lower) <= _LONGEST_KEPT:
            behind = self.stems(list(self._tongue.without_elided(lower)))
            meant += tuple([one for one in behind if one != stem and one not in meant])
        free = self._is_free(text, lower, stem)
        courtesy = self._courtesy.get(lower, ()) if free else ()
        is_native = self._is_latin or not lower.isascii()
        lacks = lemmatizer is not None and not known and is_native
        return Word(
            lower, stem, lower, free, meant=meant,
            strange=bool(meant or homographs or derived or lacks),
            qualifier=free and lower in self.qualifiers,
            courtesy=courtesy, known=known, homographs=homographs, derived=derived,
        )  # fmt: skip

    def _around_marks(self, lower: str) -> Iterator[str]:
        """The word without its apostrophes, and without the endings that a sign parts from it."""
        joined = lower.replace("'", "")
        if joined != lower and joined.isalpha() and lower[0] != "'":  # no "'m"
            yield joined
        for mark in self._tongue.suffix_marks:
            name, found, ending = lower.partition(mark)
            if found and len(name) > 1 and ending.isalpha():
                yield name

    def bare(self, lower: str, stem: str) -> dict[str, frozenset[str]]:
        """How the word is written by those who leave out its marks, each with its stems."""
        bare = self._tongue.bare(lower)
        stems = zip(bare, self.stems(bare), strict=True)
        of_stem = self._tongue.bare(stem)
        return {one: frozenset({its_own, *of_stem}) - {stem} for one, its_own in stems}

    def _meant(
        self, text: str, lower: str, stem: str, *, is_known: bool = False
    ) -> tuple[str, ...]:
        if lower.isascii() and text.isascii():
            return ()
        meant = self._tongue.meant(lower)
        if is_known:  # whoever writes the marks of one word does not mean another
            same = {lower.translate(self._tongue.optional), lower.translate(self._tongue.also)}
            meant = tuple([one for one in meant if one in same or not self._is_another(one, stem)])
        if not (is_known and self._tongue.whole):
            meant += self._tongue.detached(lower)
        if self._analyze is not None:  # a noun, no stem of a verb
            meant = tuple([one for one in meant if self.stems((one,)) == [one]])
        if text.isascii():  # ISTANBUL of those who have no İ: a mark that nobody wrote
            meant += self._tongue.bare(lower)
        return tuple(sorted({*self.stems(meant)} - {stem})) if meant else ()

    def _is_another(self, lower: str, stem: str) -> bool:
        found = self._dictionary.get(lower) if self._dictionary else None
        return found is not None and found.first != stem

    def is_known(self, lower: str) -> bool:
        """Whether a dictionary has the word."""
        return self._dictionary is not None and lower in self._dictionary

    def stem_of_unknown(self, word: Word) -> str:
        """What forms of the word that no dictionary has may have in common with it; '' where that
        is another word."""
        if not word.known:
            return ""
        stem = self._stem([word.lower])[0]
        return "" if self._dictionary and stem in self._dictionary else stem

    def _is_free(self, text: str, lower: str, stem: str) -> bool:
        if stem in self._never_free:
            return False
        if stem in self._always_free:
            return True
        if lower in self.qualifiers:
            return True
        return lower not in self._stop_words and text.lower() not in self._stop_words

    def stems_of(self, texts: Iterable[str]) -> frozenset[str]:
        lowers = [self._normalize(text.strip()) for text in texts]
        return frozenset(self.stems(lowers)) if lowers else frozenset()

    def stems(self, lowers: Sequence[str]) -> list[str]:
        """What the normalised words are compared by."""
        stems = self._stem([lower if len(lower) <= _LONGEST_KEPT else "" for lower in lowers])
        words = self._dictionary
        if self._analyze is not None:
            analyzed = map(self._morphemes_of, lowers)
            return [
                one.lemma if one else lower for one, lower in zip(analyzed, lowers, strict=True)
            ]
        if words is None:
            return [stem or lower for stem, lower in zip(stems, lowers, strict=True)]
        return [
            lemmas.first
            if self._is_in_dictionaries(lower) and (lemmas := words.get(lower))
            else stem or lower
            for stem, lower in zip(stems, lowers, strict=True)
        ]

    def _morphemes_of(self, lower: str) -> Morphemes | None:
        if self._analyze is None or len(lower) > _LONGEST_KEPT or not lower.isalpha():
            return None
        return self._analyze(lower)

    def _is_in_dictionaries(self, lower: str) -> bool:
        """Whether it is a word as dictionaries have them: no contraction ("'s"), no number."""
        return lower.isalpha() or (
            self._has_apostrophes and lower[:1].isalpha() and lower.replace("'", "").isalpha()
        )


def _by_word(
    phrases: Iterable[tuple[str, ...]],
) -> Mapping[str, tuple[tuple[int, tuple[str, ...]], ...]]:
    """The phrases of several words by each of their words, with its place in them."""
    found = defaultdict(list)
    for phrase in phrases:
        if len(phrase) > 1:
            for place, word in enumerate(phrase):
                found[word].append((place, phrase))
    return {word: tuple(places) for word, places in found.items()}


def solid(words: Sequence[Word], starts: Sequence[int], ends: Sequence[int]) -> Sequence[int]:
    """The indexes of the words that count inside a phrase: neither blanks nor hyphens that
    join two words. ``starts`` and ``ends`` are the offsets of the words in their text."""
    if not any(word.odd for word in words):
        return range(len(words))
    last = len(words) - 1
    return [
        index
        for index, word in enumerate(words)
        if not word.odd
        or not (word.blank or word.joiner)
        or (
            word.joiner
            and not (
                0 < index < last
                and ends[index - 1] == starts[index]
                and ends[index] == starts[index + 1]
                and _is_word(words[index - 1])
                and _is_word(words[index + 1])
            )
        )
    ]


def _is_word(word: Word) -> bool:
    return any(map(str.isalnum, word.lower))
