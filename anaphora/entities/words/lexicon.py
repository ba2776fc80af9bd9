"""Words: tokens in the form in which they are compared, cached for later texts.

Hyphens between words are ignored: "New-York" is "New York". A tokenizer may make them tokens of
their own (joiners, see :func:`phrase_word_indexes`) or leave them inside a token, whose parts are
then compared one by one. A hyphen beside a blank and other punctuation are words like any other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from spacy.tokens import Doc, Token

from anaphora.entities.words.dictionary import Dictionary, load_dictionary
from anaphora.entities.words.function_words import (
    load_courtesy_phrases,
    load_qualifiers,
    load_stop_words,
)
from anaphora.entities.words.korean import WordAnalysis, load_analyzer
from anaphora.entities.words.lemmatizer import Lemmatizer
from anaphora.entities.words.normalization import (
    base_code,
    create_normalizer,
    create_stemmer,
    is_visible,
)
from anaphora.entities.words.orthography import load_orthography
from anaphora.entities.words.separable_prefixes import load_separable_prefixes
from anaphora.storage.forks import LazyProperty

__all__ = ["Lexicon", "Word", "phrase_word_indexes"]

# NFKC turns the non-breaking hyphen into the second one; the last one joins Japanese words.
_HYPHENS = "-‐‒–−・"
_SPLIT = re.compile(f"[{_HYPHENS}]")
_ABBREVIATION = re.compile(r"(?:[^\W\d_]{1,2}\.){2,}[^\W\d_]?|[^\W\d_]{1,2}\.[^\W\d_]{1,2}")
_WITH_NORMS = frozenset({"ja"})  # languages whose tokenizer provides the lemma as the norm
_MAX_CACHED_LENGTH = 64  # characters; longer texts are no words


class Word(Struct, frozen=True, gc=False):
    """The text of a token as it is compared.

    ``lower`` is its normalized text, ``form`` the same with blanks for hyphens; ``parts`` are the
    stems of a word with hyphens inside, else empty. ``stem`` is the lemma if a dictionary has the
    word (``in_dictionary``), else the Snowball stem.

    Further readings: ``homographs`` are the lemmas of other words with the same spelling ("leaf" of
    "leaves"). If the model does not have the word itself, it may stand for one of ``derived``,
    lemmas by the rules of its language ("buy" of "buying"), or of ``alternatives``, the stems of
    the word without its marks or without attached particles.

    ``is_special`` marks words that phrases treat separately: blanks and invisible characters,
    joiners, words with parts. ``is_uncertain`` marks words that are special, have further readings,
    or are in no dictionary. A ``qualifier`` negates or restricts others. ``courtesy`` are the
    polite phrases of several words that contain the word, each with its position there.
    """

    lower: str
    stem: str
    form: str
    is_content_word: bool
    parts: tuple[str, ...] = ()
    is_blank: bool = False
    is_joiner: bool = False
    is_special: bool = False
    alternatives: tuple[str, ...] = ()
    is_uncertain: bool = False
    qualifier: bool = False
    courtesy: tuple[tuple[int, tuple[str, ...]], ...] = ()
    in_dictionary: bool = False
    homographs: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()

    @property
    def lemmas(self) -> tuple[str, ...]:
        """All lemmas that the word may have, its ``stem`` first."""
        return (self.stem, *self.homographs, *self.derived)

    @property
    def is_alphanumeric(self) -> bool:
        """Whether the word has a letter or a digit."""
        return any(map(str.isalnum, self.lower))


class Lexicon:
    """The words of one language; the cache holds between ``size`` and twice ``size`` of them.

    ``additional`` are stop words beside those of the language, ``excluded`` words that are not stop
    words; both are compared by their stems, and the former take precedence. The ``qualifiers`` of a
    language are content words even if they are in its list of stop words.

    Words are kept in two generations: when the young one is full it becomes the old one, and words
    that are not looked up before the next change are dropped. So no single look-up is slow.
    """

    def __init__(
        self,
        language: str,
        size: int = 20_000,
        additional: Iterable[str] = (),
        excluded: Iterable[str] = (),
    ) -> None:
        self.language = language
        self.code = base_code(language)
        self.additional = frozenset(additional)
        self.excluded = frozenset(excluded)
        self._size = size
        self._normalize = create_normalizer(language)
        self._stem = create_stemmer(language)
        self._orthography = load_orthography(self.code)
        self._analyze = load_analyzer(self.code)
        self._has_norms = self.code in _WITH_NORMS
        self._prefixes = load_separable_prefixes(self.code)
        self._has_apostrophes = "'" in self._orthography.silent
        courtesy = load_courtesy_phrases(language)
        polite = {phrase[0] for phrase in courtesy if len(phrase) == 1}
        self._stop_words = load_stop_words(language).union(self._orthography.fragments, polite)
        self._is_latin = any(map(str.isascii, self._stop_words))
        self._courtesy = _index_by_word(courtesy)
        self.qualifiers = load_qualifiers(language)
        self._extra_stop_words = self.stem_texts(self.additional)
        self._excluded_stop_words = self.stem_texts(self.excluded)
        self._young: dict[str, Word] = {}
        self._old: dict[str, Word] = {}

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    @LazyProperty
    def _dictionary(self) -> Dictionary | None:
        return load_dictionary(self.code)  # loaded when the first word needs it

    @LazyProperty
    def _lemmatizer(self) -> Lemmatizer | None:
        words = self._dictionary
        if words is None:
            return None
        return Lemmatizer(words, self._orthography, self.stem_words, self._prefixes)

    def words(self, texts: Iterable[str]) -> list[Word]:
        """Return the word of each text, from the cache if possible."""
        young, old = self._young, self._old
        return [young.get(text) or self._add(text, old.get(text)) for text in texts]

    def word(self, text: str) -> Word:
        """Return the word of a single text, as :meth:`words` does."""
        return self._young.get(text) or self._add(text, self._old.get(text))

    def words_of_doc(self, doc: Doc) -> list[Word]:
        """Return the word of each token, from the cache if possible; by its lemma in the text if
        the tokenizer provides it."""
        words = self.words([token.text for token in doc])
        if not self._has_norms:
            return words
        return [self._with_doc_norm(word, token) for word, token in zip(words, doc, strict=True)]

    def _with_doc_norm(self, word: Word, token: Token) -> Word:
        norm = token.norm_
        if word.is_blank or word.is_joiner or norm == word.lower:
            return word
        key = f"{token.text}\0{norm}"
        known = self._young.get(key) or self._old.get(key)
        return self._store(
            key, known or replace(word, stem=self._normalize(norm), in_dictionary=True)
        )

    def read_phrase_words(self, texts: Sequence[str]) -> list[Word]:
        """Create the words of a phrase, quickly and without the cache. Their inflected readings are
        left out."""
        lowers = [self._normalize(text) for text in texts]
        stems = self.stem_words(lowers)
        return [
            self._create_word(text, lower, stem, is_typed=False)
            for text, lower, stem in zip(texts, lowers, stems, strict=True)
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        return Lexicon, (self.language, self._size, self.additional, self.excluded)

    def _add(self, text: str, word: Word | None) -> Word:
        if word is None:
            lower = self._normalize(text)
            word = self._create_word(text, lower, self.stem_words((lower,))[0])
        return self._store(text, word)

    def _store(self, key: str, word: Word) -> Word:
        if len(key) <= _MAX_CACHED_LENGTH:
            if len(self._young) >= self._size:
                self._old, self._young = self._young, {}
            self._young[key] = word
        return word

    def _create_word(self, text: str, lower: str, stem: str, *, is_typed: bool = True) -> Word:
        stem = self._orthography.forms.get(lower, stem)
        if lower.isalpha():  # most words by far
            return self._create_alphabetic_word(text, lower, stem, is_typed=is_typed)
        is_blank = lower.isspace() or not any(map(is_visible, lower))
        if is_blank or lower in _HYPHENS:
            return Word(
                lower, stem, lower, is_content_word=False, is_blank=is_blank,
                is_joiner=not is_blank, is_special=True, is_uncertain=True,
            )  # fmt: skip
        if lower[0] in _HYPHENS and lower[1:].isalpha():  # French tokens such as "-ce"
            rest = self._create_word(text[1:], lower[1:], self.stem_words((lower[1:],))[0])
            return Word(lower, rest.stem, lower, rest.is_content_word)
        is_content_word = any(char.isalnum() for char in lower) and self._is_content_word(
            text, lower, stem
        )
        pieces = _SPLIT.split(lower)
        if len(pieces) > 1 and all(any(map(str.isalnum, piece)) for piece in pieces):
            derived: tuple[str, ...] = ()
            if self._lemmatizer is not None:
                derived = self._lemmatizer.infinitives_before_clitics(pieces[1:], pieces[0])
            return Word(
                lower, stem, " ".join(pieces), is_content_word,
                parts=tuple(self.stem_words(pieces)), is_special=True, is_uncertain=True,
                derived=derived,
            )  # fmt: skip
        meant = self._find_alternatives(text, lower, stem)
        if "'" in lower or self._orthography.suffix_marks:
            others = self.stem_words(list(self._without_marks_or_suffixes(lower)))
            meant += tuple([one for one in others if one != stem])
        if _ABBREVIATION.fullmatch(lower.replace(" ", "")):
            meant += tuple(self.stem_words((re.sub("[. ]", "", lower),)))
        qualifier = is_content_word and lower in self.qualifiers  # n't
        strange = bool(meant) or (
            is_content_word and self._dictionary is not None and any(map(str.isalpha, lower))
        )
        courtesy = self._courtesy.get(lower, ()) if is_content_word else ()
        known = self._is_dictionary_form(lower) and self.is_known(lower)
        return Word(
            lower, stem, lower, is_content_word, alternatives=meant, is_uncertain=strange,
            qualifier=qualifier, courtesy=courtesy, in_dictionary=known,
        )  # fmt: skip

    def _create_alphabetic_word(self, text: str, lower: str, stem: str, *, is_typed: bool) -> Word:
        lemmatizer, known = self._lemmatizer, False
        homographs: tuple[str, ...] = ()
        derived: tuple[str, ...] = ()
        if lemmatizer is not None and len(lower) <= _MAX_CACHED_LENGTH:
            stem, known, homographs, derived = lemmatizer.lemmatize(
                text, lower, stem, self._extra_stop_words, is_typed=is_typed
            )
        if morphemes := self._morphemes_of(lower):
            known, homographs = True, morphemes.others
        is_sure = morphemes is not None and morphemes.is_sure
        meant = () if is_sure else self._find_alternatives(text, lower, stem, is_known=known)
        if self._orthography.elided and not known and len(lower) <= _MAX_CACHED_LENGTH:
            behind = self.stem_words(list(self._orthography.without_elided(lower)))
            meant += tuple([one for one in behind if one != stem and one not in meant])
        is_content_word = self._is_content_word(text, lower, stem)
        courtesy = self._courtesy.get(lower, ()) if is_content_word else ()
        is_native = self._is_latin or not lower.isascii()
        lacks = lemmatizer is not None and not known and is_native
        return Word(
            lower, stem, lower, is_content_word, alternatives=meant,
            is_uncertain=bool(meant or homographs or derived or lacks),
            qualifier=is_content_word and lower in self.qualifiers,
            courtesy=courtesy, in_dictionary=known, homographs=homographs, derived=derived,
        )  # fmt: skip

    def _without_marks_or_suffixes(self, lower: str) -> Iterator[str]:
        """Yield the word without its apostrophes, and without endings behind a mark that separates
        them."""
        joined = lower.replace("'", "")
        if joined != lower and joined.isalpha() and lower[0] != "'":  # no "'m"
            yield joined
        for mark in self._orthography.suffix_marks:
            name, found, ending = lower.partition(mark)
            if found and len(name) > 1 and ending.isalpha():
                yield name

    def unmarked_spellings(self, lower: str, stem: str) -> dict[str, frozenset[str]]:
        """Return how the word is written without its marks, each spelling with its stems."""
        bare = self._orthography.unmarked_spellings(lower)
        stems = zip(bare, self.stem_words(bare), strict=True)
        of_stem = self._orthography.unmarked_spellings(stem)
        return {one: frozenset({its_own, *of_stem}) - {stem} for one, its_own in stems}

    def _find_alternatives(
        self, text: str, lower: str, stem: str, *, is_known: bool = False
    ) -> tuple[str, ...]:
        if lower.isascii() and text.isascii():
            return ()
        meant = self._orthography.alternative_spellings(lower)
        if is_known:  # with its marks, the word is no other one
            same = {
                lower.translate(self._orthography.optional),
                lower.translate(self._orthography.also),
            }
            meant = tuple(
                [one for one in meant if one in same or not self._has_other_lemma(one, stem)]
            )
        if not (is_known and self._orthography.whole):
            meant += self._orthography.without_attachments(lower)
        if self._analyze is not None:  # a noun, no stem of a verb
            meant = tuple([one for one in meant if self.stem_words((one,)) == [one]])
        if text.isascii():  # ISTANBUL for İSTANBUL: normalization adds a mark
            meant += self._orthography.unmarked_spellings(lower)
        return tuple(sorted({*self.stem_words(meant)} - {stem})) if meant else ()

    def _has_other_lemma(self, lower: str, stem: str) -> bool:
        found = self._dictionary.get(lower) if self._dictionary else None
        return found is not None and found.first != stem

    def is_known(self, lower: str) -> bool:
        """Whether a dictionary has the word."""
        return self._dictionary is not None and lower in self._dictionary

    def fallback_stem(self, word: Word) -> str:
        """Return the stem that a word of the dictionary shares with forms that no dictionary has;
        '' if that stem is another word."""
        if not word.in_dictionary:
            return ""
        stem = self._stem([word.lower])[0]
        return "" if self._dictionary and stem in self._dictionary else stem

    def _is_content_word(self, text: str, lower: str, stem: str) -> bool:
        if stem in self._extra_stop_words:
            return False
        if stem in self._excluded_stop_words:
            return True
        if lower in self.qualifiers:
            return True
        return lower not in self._stop_words and text.lower() not in self._stop_words

    def stem_texts(self, texts: Iterable[str]) -> frozenset[str]:
        lowers = [self._normalize(text.strip()) for text in texts]
        return frozenset(self.stem_words(lowers)) if lowers else frozenset()

    def stem_words(self, lowers: Sequence[str]) -> list[str]:
        """Return the lemmas or stems of normalized words."""
        if self._analyze is not None:
            analyzed = map(self._morphemes_of, lowers)
            return [
                one.lemma if one else lower for one, lower in zip(analyzed, lowers, strict=True)
            ]
        stems = self._stem([lower if len(lower) <= _MAX_CACHED_LENGTH else "" for lower in lowers])
        words = self._dictionary
        if words is None:
            return [stem or lower for stem, lower in zip(stems, lowers, strict=True)]
        return [
            lemmas.first
            if self._is_dictionary_form(lower) and (lemmas := words.get(lower))
            else stem or lower
            for stem, lower in zip(stems, lowers, strict=True)
        ]

    def _morphemes_of(self, lower: str) -> WordAnalysis | None:
        if self._analyze is None or len(lower) > _MAX_CACHED_LENGTH or not lower.isalpha():
            return None
        return self._analyze(lower)

    def _is_dictionary_form(self, lower: str) -> bool:
        """Whether a dictionary may have the word: no contraction ("'s"), no number."""
        return lower.isalpha() or (
            self._has_apostrophes and lower[:1].isalpha() and lower.replace("'", "").isalpha()
        )


def _index_by_word(
    phrases: Iterable[tuple[str, ...]],
) -> Mapping[str, tuple[tuple[int, tuple[str, ...]], ...]]:
    """Index the phrases of several words by each of their words, with its position in them."""
    found = defaultdict(list)
    for phrase in phrases:
        if len(phrase) > 1:
            for place, word in enumerate(phrase):
                found[word].append((place, phrase))
    return {word: tuple(places) for word, places in found.items()}


def phrase_word_indexes(
    words: Sequence[Word], starts: Sequence[int], ends: Sequence[int]
) -> Sequence[int]:
    """Return the indexes of the words that count inside a phrase: neither blanks nor hyphens that
    join two words. ``starts`` and ``ends`` are the offsets of the words in their text."""
    if not any(word.is_special for word in words):
        return range(len(words))
    last = len(words) - 1
    return [
        index
        for index, word in enumerate(words)
        if not word.is_special
        or not (word.is_blank or word.is_joiner)
        or (
            word.is_joiner
            and not (
                0 < index < last
                and ends[index - 1] == starts[index]
                and ends[index] == starts[index + 1]
                and words[index - 1].is_alphanumeric
                and words[index + 1].is_alphanumeric
            )
        )
    ]
