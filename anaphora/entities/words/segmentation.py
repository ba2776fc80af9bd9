"""Word segmentation of texts without blanks between words.

Chinese and Thai are matched character by character, since segmenters make errors. Segmentation
decides whether a match consists of whole words: 马 is no word in 马上. A dictionary also has
phrases as words (喝茶, "drink tea"); the rules in the table of the language say where such a word
may be split.

The segmenters are optional packages, loaded when a text first needs them. Without them a match may
start or end anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Literal, Protocol, TypeAlias

from anaphora.entities.words.orthography import SegmentRules, load_orthography

__all__ = [
    "SEGMENTED_LANGUAGES",
    "Segmentation",
    "Segmenter",
    "load_segmentation",
    "missing_segmenter",
]

WordClass: TypeAlias = Literal["verb", "noun", "adjective", "number", ""]

_MAX_CACHED = 20_000  # words and where they may be split
_MAX_CHUNK_LENGTH = 1_000  # characters that are segmented at once
_OF_OTHER_SCRIPTS = re.compile(r"[a-z]+|\d+", re.IGNORECASE)


class Segmenter(Protocol):
    """Splits texts into the words of a dictionary, which also has their most common part of
    speech."""

    def split(self, text: str) -> Sequence[str]: ...

    def is_word(self, text: str) -> bool: ...

    def word_class(self, word: str) -> WordClass: ...


class _ChineseSegmenter:
    """jieba, in Rust, with its dictionary."""

    def __init__(self) -> None:
        from rjieba import Jieba

        self._jieba = Jieba()

    def split(self, text: str) -> Sequence[str]:
        # False: its model of unknown words joins parts of several. The flag is positional.
        return self._jieba.cut(text, False)

    def is_word(self, text: str) -> bool:
        return self._jieba.has_word(text)

    def word_class(self, word: str) -> WordClass:
        ((_, tag),) = self._jieba.tag(word)[:1]
        return _CHINESE_CLASSES.get(tag[:1], "")


class _ThaiSegmenter:
    """Longest matching with the dictionary of PyThaiNLP."""

    def __init__(self) -> None:
        from pythainlp.corpus.common import thai_words
        from pythainlp.tag.unigram import tag
        from pythainlp.tokenize.newmm import segment

        self._words = thai_words()
        self._segment = segment
        self._tag = tag

    def split(self, text: str) -> Sequence[str]:
        words: list[str] = self._segment(text)
        return words

    def is_word(self, text: str) -> bool:
        return text in self._words

    def word_class(self, word: str) -> WordClass:
        for corpus in _THAI_CORPORA:
            ((_, tag),) = self._tag([word], corpus=corpus)
            if tag:
                return _THAI_CLASSES.get(tag, "")
        return ""


_CHINESE_CLASSES: Mapping[str, WordClass] = {
    "v": "verb", "n": "noun", "a": "adjective", "m": "number"
}  # fmt: skip
_THAI_CLASSES: Mapping[str, WordClass] = {"VERB": "verb", "NOUN": "noun", "ADJ": "adjective"}
_THAI_CORPORA = ("tdtb", "tud")  # in the package; PyThaiNLP downloads others
_SEGMENTERS: Mapping[str, Callable[[], Segmenter]] = {
    "zh": _ChineseSegmenter,
    "th": _ThaiSegmenter,
}
_PACKAGES = {"zh": ("rjieba", "chinese"), "th": ("pythainlp", "thai")}

SEGMENTED_LANGUAGES = frozenset(_SEGMENTERS)
"""The codes of the languages whose matches are checked."""


def missing_segmenter(code: str) -> str:
    """Return the extra with the segmenter of the language; '' if it is installed or not needed."""
    package, extra = _PACKAGES.get(code, ("", ""))
    return extra if package and find_spec(package) is None else ""


class Segmentation:
    """Finds words in texts of one language; without a ``segmenter``, only those of other
    scripts."""

    def __init__(self, segmenter: Segmenter | None, rules: SegmentRules) -> None:
        self._segmenter = segmenter
        self.rules = rules
        # Of a word, the offsets at which it may be split.
        self.joints = lru_cache(maxsize=_MAX_CACHED)(self._find_joints)
        lacking = [word for word in rules.additional if segmenter and not segmenter.is_word(word)]
        self._additional_words = (
            re.compile("|".join(map(re.escape, sorted(lacking)))) if lacking else None
        )

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and the end of each word of several characters."""
        for match in _OF_OTHER_SCRIPTS.finditer(text):
            yield match.span()
        if self._segmenter is None:
            return
        if self._additional_words is not None:
            for match in self._additional_words.finditer(text):
                yield match.span()
        for first in range(0, len(text), _MAX_CHUNK_LENGTH):
            start = first
            for word in self._segmenter.split(text[first : first + _MAX_CHUNK_LENGTH]):
                end = start + len(word)
                if len(word) > 1 and not word.isascii() and self._segmenter.is_word(word):
                    yield start, end
                start = end

    def _find_joints(self, word: str) -> frozenset[int]:
        """Return the offsets inside a word where it may be split."""
        if word.isascii() or word in self.rules.whole or word in self.rules.additional:
            return frozenset()
        if len(word) == 3 and word[0] == word[2] and word[1] in self.rules.between:
            return frozenset({1, 2})
        joints: set[int] = set()
        for place in range(1, len(word)):
            first, rest = word[:place], word[place:]
            if self._are_separate_words(first, rest):
                joints |= {place, *self.joints(first), *(place + one for one in self.joints(rest))}
        return frozenset(joints)

    def _are_separate_words(self, first: str, rest: str) -> bool:
        """Whether a word of the dictionary consists of these two words."""
        rules, segmenter = self.rules, self._segmenter
        if segmenter is None or not (segmenter.is_word(first) and segmenter.is_word(rest)):
            return False
        if rules.phrases and min(len(first), len(rest)) >= rules.phrases:
            return True
        if first in rules.before or (len(first) > 1 and self._has_class(first, "number")):
            return self._stands_alone(rest)
        if first in rules.modifiers and rest in rules.objects:
            return True
        if rest in rules.behind:
            return self._stands_alone(first)
        if self._has_class(first, "verb"):
            return rest in rules.complements or first == rest or self._is_object(rest)
        return rules.adjectives and self._is_object(first) and self._has_class(rest, "adjective")

    def _stands_alone(self, word: str) -> bool:
        return self._is_object(word) or self._has_class(word, "adjective")

    def _is_object(self, word: str) -> bool:
        """Whether the word is a noun that is a word of its own."""
        if word in self.rules.objects or word in self.rules.bound:
            return word in self.rules.objects
        least = self.rules.least
        return len(word) >= least if least else self._has_class(word, "noun")

    def _has_class(self, word: str, word_class: WordClass) -> bool:
        assert self._segmenter is not None
        if word in self.rules.verbs:
            return word_class == "verb"
        return self._segmenter.word_class(word) == word_class


@cache
def load_segmentation(code: str) -> Segmentation:
    """Load the segmentation of a language by its code, with its segmenter if that is installed."""
    segmenter = None if missing_segmenter(code) else _SEGMENTERS[code]()
    return Segmentation(segmenter, load_orthography(code).segments)
