"""How a language is written, as far as a table tells it:
``languages/<code>/orthography.yaml``.

A table needs no more than what holds for its language, and a language needs no table. Keys:

- ``same``: letters that count as others ("ё: е"), ``last`` such letters at the end of a word;
- ``pairs``: the same for many, each pair as two letters in a row ("東东 車车");
- ``unseen``: marks that need not be written;
- ``lowercase``: capitals whose small letters are not those of other languages ("I: ı");
- ``also``: what people write who lack a letter ("ä: ae");
- ``apart``: letters with a mark that are never the letter without it to one who writes them;
- ``optional``: letters with a mark that those leave out who write the other marks, and the
  ``distinct`` words that begin with them and are others without it (Turkish kâr and kar);
- ``before`` and ``behind``: what may be attached to a word, ``least`` how long the rest must be,
  ``whole`` that a word of the dictionary has nothing attached but what is in ``loose``: that may
  come off an inflected form where the rest is a base form, as may anything off a form that is its
  lemma with one of the ``loose_endings``; ``contracted``: what an attached word
  and the beginning of the rest become together (Arabic "لل: ال"), ``whole_from`` letters that
  have nothing attached before them, though they count as others that may be;
- ``inflections``: patterns that take inflected forms back to others that the dictionary has (see
  :mod:`~anaphora.entities.words.inflection`), ``base_inflections`` those that hold for base
  forms, too, ``unknown_inflections`` those for words alone that the dictionary lacks;
  ``lemma_variants``: patterns from a lemma to other forms under which models may have the word;
- for languages without a stemmer: ``endings``, what a word changes at its end, ``fleeting``, the
  vowels that come and go before the last consonant of what is left, ``silent``, marks that may be
  missing, and ``once``, letters that may stand twice;
- ``forms``: words that count as forms of others;
- ``irregular``: forms that the dictionary lacks, or has as another word alone, by their lemma
  ("leave: left"), also behind the ``prefixes`` of verbs (understood);
- ``forms_end``: the same by endings, each with what a lemma has in its place ("ing: e = -"): the
  first that makes a lemma of the dictionary counts, that of a longer ending before others; "-" is
  no ending, "=" the rest without its doubled letter (planning); no word with less than
  ``least_of_form`` letters is such a form;
- ``verb_forms``: endings of verbs, each with those of other forms of the same stem, infinitives
  included ("o: an en ar"): what is a verb by one of these in the dictionary is one by the first as
  well (*juego* by *juegan*); keys may be several endings;
- ``adjectives``: endings of adjectives, each with what the lemma has in its place ("as: o"), where
  the dictionary has what is made of adjectives alone, by the ``adjectival`` endings ("amente");
- ``participles``: what stands before the verb in participles that end in -en ("ge");
- ``clitics``: pronouns that are written as one with the verb before them, whose lemma ends in one
  of the ``infinitives``;
- ``auxiliaries``: verbs that ``negators`` follow, each with its forms, which stand for each other
  there; ``fragments``: forms that are no words by themselves ("wo" of "won't");
- ``elided``: what is written before a vowel with an apostrophe, and by many people without ("l"
  of "lhotel");
- ``suffix_marks``: signs behind which a name or an abbreviation has its endings ("Ankara'da");
- ``light_verbs``: verbs that make one of a noun, each with the list of what takes its place;
- ``separable_verbs``: the prefixes of verbs that may stand apart, and what tells them from other
  words, see :class:`~anaphora.entities.words.separable_prefixes.SeparablePrefixes`;
- ``compounds``: how words are joined to one, see :mod:`~anaphora.entities.words.compounds`;
- ``particles``: what stands behind a verb and is often written as one with it ("log in");
  ``phrasal_verbs``: the verbs that make a noun with a particle of two letters ("login");
- ``segments``: of a language without blanks, where the words of its dictionary may be parted,
  see :class:`SegmentRules`;
- ``unspaced``: that words have no blanks between them;
- ``unsplit``: words that spaCy would part as it does others ("id" as "I'd"), and ``stop_words``,
  those of them that are stop words;
- ``tokens``: "words" to cut texts at blanks and marks, "letters" to make a token of each letter,
  where spaCy's own tokenizer needs a package.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, TypeVar

import numpy as np

from anaphora.entities.languages import load_table
from anaphora.entities.words.inflection import Paths, compile_paths

__all__ = [
    "Orthography",
    "SegmentRules",
    "distinct_characters",
    "load_orthography",
    "replace_characters",
    "split_word_lists",
]

_MAX_LENGTH = 64  # characters of a word that may have anything attached
_MIN_FORM_LENGTH = 2  # letters before the ending of a form
_MIN_LENGTH_AFTER_PREFIX = 3  # letters of an irregular form
_MIN_VERB_LENGTH = 2  # letters before its clitics
_MIN_LENGTH_AFTER_ELISION = 3  # letters
_VOWELS = frozenset("aeiouyh")
_NOTHING, _UNDOUBLED = "-", "="  # instead of an ending
_Value = TypeVar("_Value")
_LETTERS = ("LATIN", "GREEK")  # scripts whose marks people leave out; й is never written и


@dataclass(frozen=True, slots=True)
class SegmentRules:
    """Rules for splitting words of a dictionary that consist of others: a verb and its object
    ("drink tea").

    ``objects`` are nouns that are words of their own. So are all words of ``least`` characters and
    more, or, if that is 0, all nouns of the dictionary, except those that are ``bound``. ``verbs``
    are verbs that the dictionary has as other words; ``complements`` follow a verb. Words in
    ``before`` and ``behind`` are not part of the noun or adjective beside them; ``modifiers`` stand
    before the ``objects`` alone, and a word in ``between`` separates a word from its repetition
    ("cold or not cold"). If ``adjectives`` is set, they follow a noun. Two words of ``phrases``
    characters and more each are never one (0 for no such rule). ``whole`` are words that must not
    be split, ``additional`` words that the dictionary may lack. ``homographs`` are nouns that are
    verbs before one of the given texts.
    """

    objects: frozenset[str] = frozenset()
    least: int = 0
    bound: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    complements: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    modifiers: frozenset[str] = frozenset()
    between: frozenset[str] = frozenset()
    behind: frozenset[str] = frozenset()
    adjectives: bool = False
    phrases: int = 0
    whole: frozenset[str] = frozenset()
    additional: frozenset[str] = frozenset()
    homographs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def from_table(cls, data: dict[str, Any]) -> SegmentRules:
        """Create the rules from ``segments`` of a table."""
        homographs = {noun: tuple(one.split()) for noun, one in data.get("homographs", {}).items()}
        return cls(**split_word_lists(cls, data) | {"homographs": homographs})


@dataclass(frozen=True, slots=True)
class Orthography:
    """The table of a language; see the module for the keys."""

    same: Mapping[int, str | None] = field(default_factory=dict)
    last: Mapping[str, str] = field(default_factory=dict)
    lowercase: Mapping[int, str] = field(default_factory=dict)
    also: Mapping[int, str] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()
    optional: Mapping[int, str] = field(default_factory=dict)
    distinct: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    least: int = 2
    least_of_form: int = 0
    whole: bool = False
    loose: tuple[str, ...] = ()
    loose_endings: tuple[str, ...] = ()
    whole_from: str = ""
    contracted: Mapping[str, str] = field(default_factory=dict)
    inflections: Paths = ()
    base_inflections: Paths = ()
    unknown_inflections: Paths = ()
    lemma_variants: Paths = ()
    endings: tuple[str, ...] = ()
    fleeting: frozenset[str] = frozenset()
    silent: str = ""
    once: str = ""
    tokens: Literal["", "words", "letters"] = ""
    unspaced: bool = False
    unsplit: frozenset[str] = frozenset()
    stop_words: frozenset[str] = frozenset()
    forms: Mapping[str, str] = field(default_factory=dict)
    auxiliaries: tuple[tuple[str, ...], ...] = ()
    negators: tuple[str, ...] = ()
    fragments: tuple[str, ...] = ()
    particles: tuple[str, ...] = ()
    irregular: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    prefixes: tuple[str, ...] = ()
    forms_end: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    verb_forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    adjectives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    adjectival: tuple[str, ...] = ()
    participles: tuple[str, ...] = ()
    clitics: tuple[str, ...] = ()
    infinitives: tuple[str, ...] = ()
    elided: tuple[str, ...] = ()
    suffix_marks: str = ""
    phrasal_verbs: tuple[str, ...] = ()
    light_verbs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    segments: SegmentRules = field(default_factory=SegmentRules)
    separable_verbs: Mapping[str, Any] = field(default_factory=dict)
    compounds: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_stems(self) -> bool:
        """Whether the table has rules for stemming."""
        return bool(self.endings or self.silent or self.once)

    @property
    def has_inflections(self) -> bool:
        """Whether the table has patterns of inflected forms."""
        return bool(self.inflections or self.base_inflections or self.unknown_inflections)

    def fold_letters(self, word: str) -> str:
        """Replace letters by those that count as equal."""
        word = word.translate(self.same)
        end = self.last.get(word[-1:])
        return word if end is None or len(word) == 1 else word[:-1] + end

    def fold_letters_in_lines(self, text: str) -> str:
        """Fold the letters of each line of the text, as :meth:`fold_letters` does."""
        text = replace_characters(text, self.same)
        for last, end in self.last.items():
            text = re.sub(f"(?<=[^\n]){last}$", end, text, flags=re.MULTILINE)
        return text

    def stem(self, word: str) -> str:
        """Stem a word by the rules of the table."""
        for char in self.silent:
            word = word.replace(char, "")
        for char in self.once:
            word = word.replace(char * 2, char)
        for ending in self.endings:
            if word.endswith(ending) and len(word) - len(ending) >= self.least:
                word = word[: -len(ending)]
                break
        if self.fleeting and len(word) > 2 and word[-2] in self.fleeting:
            return word[:-2] + word[-1]
        return word

    def unmarked_spellings(self, word: str) -> tuple[str, ...]:
        """Return how the word is written without its marks."""
        if word.isascii():
            return ()
        spelled = _strip_marks(word), _strip_marks(word.translate(self.also))
        return _distinct_others(word, *spelled, word.translate(self.optional))

    def unmarked_spellings_in_lines(self, words: Sequence[str]) -> Iterator[list[str]]:
        """Return :meth:`unmarked_spellings` of many words, none of which contains a line feed:
        first all words in one spelling, then in another."""
        if not words:
            return
        text = "\n".join(words)
        for one in dict.fromkeys((text, replace_characters(text, self.also))):
            unmarked = {
                ord(char): _strip_mark(char) for char in distinct_characters(one) if char > "\x7f"
            }
            yield replace_characters(one, unmarked).split("\n")

    def alternative_spellings(self, word: str) -> tuple[str, ...]:
        """Return spellings without marks that the phrases of a model may have instead."""
        if word.isascii() or len(word) > _MAX_LENGTH or word.startswith(self.distinct):
            return ()
        spelled = (word, word.translate(self.also))
        return _distinct_others(word, *(_strip_marks(one, self.apart) for one in spelled))

    def candidate_lemmas(self, word: str) -> Iterator[str]:
        """Yield possible lemmas of the word by the endings and prefixes in the table, the likeliest
        first."""
        if not self.least_of_form <= len(word) <= _MAX_LENGTH:
            return
        for prefix in self.participles:
            if word.startswith(prefix):
                yield from self._infinitives_of(word[len(prefix) :])
        for rest, others in _match_endings(word, self.forms_end):
            yield from _replace_ending(rest, others)

    def related_verb_forms(self, word: str) -> Iterator[str]:
        """Yield other forms of the verb that the word may be a form of."""
        if 1 < len(word) <= _MAX_LENGTH:
            for rest, others in _match_endings(word, self.verb_forms, least=0):
                yield from (rest + other for other in others)

    def candidate_adjectives(self, word: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield possible base forms of the word as an adjective, each with derived words that
        confirm it."""
        if len(word) > _MAX_LENGTH:
            return
        for rest, others in _match_endings(word, self.adjectives):
            for lemma in _replace_ending(rest, others):
                yield lemma, tuple([rest + ending for ending in self.adjectival])

    def prefixed_irregular_lemmas(self, word: str) -> Iterator[str]:
        """Yield possible lemmas of the word as an irregular form behind a prefix."""
        for prefix in self.prefixes:
            rest = word[len(prefix) :]
            if len(rest) >= _MIN_LENGTH_AFTER_PREFIX and word.startswith(prefix):
                yield from (prefix + lemma for lemma in self.irregular.get(rest, ()))

    def _infinitives_of(self, rest: str) -> Iterator[str]:
        if len(rest) > _MIN_FORM_LENGTH and rest.endswith("en"):
            yield rest
        if len(rest) > _MIN_FORM_LENGTH and rest.endswith(("t", "d")):
            yield from (rest[:-1] + "en", rest + "en")

    def without_clitics(self, word: str) -> Iterator[str]:
        """Yield the verb without the pronouns attached to it, also without its accent."""
        if len(word) > _MAX_LENGTH:
            return
        for clitic in self.clitics:
            if word.endswith(clitic) and len(word) - len(clitic) >= _MIN_VERB_LENGTH:
                rest = word[: -len(clitic)]
                yield from _distinct_others("", rest, _strip_marks(rest, self.apart))

    def without_elided(self, word: str) -> Iterator[str]:
        """Yield what follows an elided word in a word that lacks the apostrophe."""
        for elided in self.elided:
            rest = word[len(elided) :]
            if (
                word.startswith(elided)
                and len(rest) >= _MIN_LENGTH_AFTER_ELISION
                and _strip_mark(rest[0])[0] in _VOWELS
            ):
                yield rest

    def without_attachments(self, word: str, *, loose: bool = False) -> tuple[str, ...]:
        """Return the word without attached particles; with ``loose``, without those alone that are
        ``loose``."""
        if word.isascii() or len(word) > _MAX_LENGTH:
            return ()
        rests = [
            start + word[len(before) : len(word) - len(behind)]
            for before in (self.loose if loose else ("", *self.before))
            if word.startswith(before)
            for behind in (("",) if loose else ("", *self.behind))
            if len(word) - len(before) - len(behind) >= self.least and word.endswith(behind)
            for start in dict.fromkeys(("", self.contracted.get(before, "")))
        ]
        return _distinct_others(word, *rests)


@lru_cache(maxsize=100)
def load_orthography(code: str) -> Orthography:
    """Load the orthography of a language by its code (``en``, not ``en-US``)."""
    data = load_table(code, "orthography")
    if not data:
        return Orthography()
    same: dict[str, str | None] = dict.fromkeys(data.pop("unseen", ""))
    same |= {pair[0]: pair[1] for pair in data.pop("pairs", "").split()}
    same |= data.pop("same", {})
    spelling = str.maketrans(same)
    letters = Orthography(same=spelling, last=data.get("last", {}))
    irregular: dict[str, tuple[str, ...]] = {}
    for lemma, forms in data.pop("irregular", {}).items():
        for form in map(letters.fold_letters, forms.split()):
            irregular[form] = (*irregular.get(form, ()), letters.fold_letters(lemma))
    for key in ("forms_end", "adjectives"):
        data[key] = {
            ending: tuple(["" if other == _NOTHING else other for other in others.split()])
            for ending, others in _split_endings(data.get(key, {}))
        }
    verb_forms: dict[str, tuple[str, ...]] = {}
    for ending, others in _split_endings(data.pop("verb_forms", {})):
        verb_forms[ending] = (*verb_forms.get(ending, ()), *others.split())
    for key in ("before", "behind", "loose", "endings", "clitics", "elided"):
        data[key] = tuple(sorted(data.get(key, "").split(), key=len, reverse=True))
    data["light_verbs"] = {verb: tuple(one) for verb, one in data.get("light_verbs", {}).items()}
    for key in ("inflections", "base_inflections", "unknown_inflections", "lemma_variants"):
        data[key] = compile_paths(data.get(key, {}), spelling)
    for key in ("also", "lowercase", "optional"):
        data[key] = str.maketrans(data.get(key, {}))
    for key in ("apart", "fleeting"):
        data[key] = frozenset(data.get(key, ""))
    data["segments"] = SegmentRules.from_table(data.get("segments", {}))
    data["auxiliaries"] = tuple(tuple(forms.split()) for forms in data.get("auxiliaries", ()))
    data |= {"irregular": irregular, "verb_forms": verb_forms, "same": spelling}
    return Orthography(**split_word_lists(Orthography, data))


def split_word_lists(
    target: type, table: Mapping[str, Any], normalize: Callable[[str], str] = str
) -> dict[str, Any]:
    """Split the texts of a table at blanks where a field of the dataclass ``target`` is a set or
    a tuple of words.

    ``normalize`` is applied to each word. A list that the table lacks is empty; other values stay
    as they are.
    """
    split = dict(table)
    for name, kind in target.__annotations__.items():  # texts, as annotations are postponed
        value = table.get(name, "")
        if isinstance(value, str) and (create := _WORD_LISTS.get(kind)):
            split[name] = create(map(normalize, value.split()))
    return split


_WORD_LISTS: Mapping[str, Callable[[Iterable[str]], Any]] = {
    "frozenset[str]": frozenset,
    "tuple[str, ...]": tuple,
}


def _split_endings(table: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for endings, others in table.items():
        for ending in endings.split():
            yield "" if ending == _NOTHING else ending, others


def _match_endings(
    word: str, table: Mapping[str, _Value], least: int = _MIN_FORM_LENGTH
) -> Iterator[tuple[str, _Value]]:
    """Yield the rest of the word before each of its endings in the table, with the value of the
    ending, the longest ending first."""
    for length in range(len(word) - least, -1, -1):  # the longest first
        if (found := table.get(word[len(word) - length :])) is not None:
            yield word[: len(word) - length], found


def _replace_ending(rest: str, others: Iterable[str]) -> Iterator[str]:
    for other in others:
        if other != _UNDOUBLED:
            yield rest + other
        elif rest[-1] == rest[-2] and rest[-1].isalpha():
            yield rest[:-1]


def replace_characters(text: str, table: Mapping[int, str | None]) -> str:
    """Replace characters as ``text.translate(table)`` does, in a tenth of the time for a long text.
    No replacement may be a character that is replaced itself."""
    for code, other in table.items():
        if (char := chr(code)) != other and char in text:
            text = text.replace(char, other or "")
    return text


def distinct_characters(text: str) -> list[str]:
    """Return the distinct characters of a long text, in a tenth of the time of ``set(text)``."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return [chr(code) for code in np.flatnonzero(np.bincount(codes))]


# Letters with a stroke and ligatures, which Unicode does not decompose.
_UNDIVIDED = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
)


def _strip_marks(word: str, apart: frozenset[str] = frozenset()) -> str:
    """Remove the marks of Latin and Greek letters, except those in ``apart``."""
    return "".join(char if char in apart else _strip_mark(char) for char in word)


@lru_cache(maxsize=2_000)
def _strip_mark(char: str) -> str:
    if char.isascii():
        return char
    char = char.translate(_UNDIVIDED)
    decomposed = unicodedata.normalize("NFD", char)
    first, marks = decomposed[0], decomposed[1:]
    if not marks or not all(map(unicodedata.combining, marks)):
        return char
    return first if unicodedata.name(first, "").startswith(_LETTERS) else char


def _distinct_others(word: str, *others: str) -> tuple[str, ...]:
    return tuple([one for one in dict.fromkeys(others) if one and one != word])
