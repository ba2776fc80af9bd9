"""A fast negative test for numbers in a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

import re2

from anaphora.entities.builtin.numbers.digits import VULGAR
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.numerals.numeral_vocabulary import (
    NumeralVocabulary,
    load_vocabulary,
)
from anaphora.entities.builtin.numbers.phrase_lookup import PhraseLookup, iter_phrases
from anaphora.entities.builtin.numbers.roman import ROMAN_LETTERS
from anaphora.entities.languages import cached_table
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.entities.words.orthography import load_orthography
from anaphora.entities.words.scripts import starts_unspaced

__all__ = ["build_prefilter"]

_NUMERIC_CHARACTER = rf"[\p{{Nd}}\p{{Cf}}\p{{Mn}}]|[{VULGAR}]"
_EDGE = r"[^\p{L}\p{M}]"  # \W has letters in it, but takes a tenth of the time to compile
_APOSTROPHES = "'’‘ʼ‛′´＇`"


@lru_cache(maxsize=64)
def build_prefilter(
    language: str, articles: tuple[str, ...] = (), counted: tuple[str, ...] = ()
) -> Callable[[str], bool]:
    """Build the test of a language: it is False only for texts without digits, without a word that
    starts a numeral, and without a ``counted`` word behind one of the ``articles`` ("a dollar"). It
    takes 1 to 2 µs."""
    options = re2.Options()
    options.log_errors = False
    vocabulary = load_vocabulary(language)
    phrases = load_number_phrases(language)
    unit_words = {(word,) for word in phrases.unit_words}
    duals = iter_phrases(cached_table(base_code(language), "money"), "duals")
    normalize = create_normalizer(language)
    unit_words |= {(normalize(str(word)),) for word, _ in duals}
    unit_words |= {("".join(pair),) for pair in phrases.pairs}
    spellings = _spelling_classes(language, vocabulary.fold)
    patterns = [
        _NUMERIC_CHARACTER,
        *_opener_patterns(
            vocabulary,
            vocabulary.openers | unit_words,
            spellings,
            attaches=bool(phrases.attaching),
            endings=phrases.compared_endings | phrases.case_endings,
        ),
        *_context_patterns(language, _spelling_classes(language, {})),
    ]
    if counted:
        before, behind = _alternatives(articles, spellings), _alternatives(counted, spellings)
        patterns.append(f"(?:^|{_EDGE})(?:{before}){_EDGE}+(?:{behind})(?:$|{_EDGE})")
    # A set of one pattern takes a fifth of the time of a search, which finds the position too.
    pattern_set = re2.Set.SearchSet(options)
    pattern_set.Add("|".join(patterns))
    pattern_set.Compile()

    def may_contain_number(text: str) -> bool:
        if not text.isascii() and not unicodedata.is_normalized("NFKC", text):
            return True
        # RE2 reads UTF-8, which has no lone surrogates.
        return bool(pattern_set.Match(text.lower().encode("utf-8", "replace")))

    return may_contain_number


def _opener_patterns(
    words: NumeralVocabulary,
    openers: Collection[tuple[str, ...]],
    spellings: Mapping[str, str],
    *,
    attaches: bool,
    endings: Collection[str],
) -> Iterable[str]:
    """``attaches``: other words may be written as one with a numeral before them; ``endings`` may
    stand behind one."""
    spaced = [key for key in openers if not starts_unspaced(key[0])]
    unspaced = {
        spellings.get(key[0][0], key[0][0]).strip("[]")
        for key in openers
        if starts_unspaced(key[0])
    }
    single = {key[0] for key in spaced if len(key) == 1}
    if unspaced:
        yield f"[{''.join(sorted(unspaced))}]"
    for key in spaced:
        if single.isdisjoint(key):  # la moitié, but not every la
            words_alone = [word for word in key if word[0].isalnum()]  # z'n: \W+ matches the mark
            yield r"\W+".join(_alternatives([word], spellings) for word in words_alone)
    if single:
        word = f"(?:{_alternatives(single, spellings)})"
        if words.compounds is not None:
            binders = [binder for binder in words.binders if not starts_unspaced(binder)]
            word = f"(?:{word}(?:{_alternatives(binders, spellings)})?)+"
        prefixes = (*words.prefixes, *words.attached)
        prefix = f"(?:{_alternatives(prefixes, spellings)})?" if prefixes else ""
        ending = f"(?:{_alternatives(endings, spellings)})?" if endings else ""
        end = "" if attaches else f"{ending}(?:$|{_EDGE})"
        yield f"(?:^|{_EDGE}){prefix}{word}{end}"


def _context_patterns(language: str, spellings: Mapping[str, str]) -> Iterable[str]:
    """The patterns of words that are a number as the whole text, and of Roman digits."""
    phrases = load_number_phrases(language)
    if alone := _phrase_alternatives(phrases.alone, spellings):
        yield rf"^\W*(?:{alone})\W*$"
    if phrases.roman is None:
        return
    suffixes = "|".join(f"-?{re2.escape(word)}" for word in sorted(phrases.ordinals))
    roman = f"[{ROMAN_LETTERS}]+"
    if before := _phrase_alternatives(phrases.roman.before, spellings):
        yield rf"(?:{before})\W+{roman}(?:$|{_EDGE})"
    if after := _phrase_alternatives(phrases.roman.after, spellings):
        yield rf"(?:^|{_EDGE}){roman}(?:{suffixes})?\W+(?:{after})"


def _phrase_alternatives(lookup: PhraseLookup[Any], spellings: Mapping[str, str]) -> str:
    return "|".join(
        r"\W+".join(_alternatives([word], spellings) for word in words)
        for words in sorted(lookup.phrases)
    )


def _alternatives(words: Iterable[str], spellings: Mapping[str, str]) -> str:
    double_s = spellings.get("s", "s") * 2
    known = {**spellings, "ß": f"(?:{double_s}|ß)"}
    spelled = (
        "".join(
            known.get(char) or (char if char.isalnum() else re2.escape(char))
            for char in word.replace("ss", "ß")
        )
        for word in words
    )
    return "|".join(sorted(spelled))


def _spelling_classes(language: str, fold: Mapping[int, str]) -> dict[str, str]:
    """Character classes of the letters that are equivalent in the language (``[её]``), by the one
    that stands for all; ``fold`` has other ones."""
    orthography = load_orthography(base_code(language))
    same = [(chr(code), letter) for code, letter in orthography.same.items() if letter]
    folded = [(chr(code), letter) for code, letter in fold.items() if letter]
    classes: dict[str, set[str]] = {"'": set(_APOSTROPHES)}
    for letter, base in [*same, *folded, *orthography.last.items()]:
        classes.setdefault(base, {base}).add(letter)
    for letter, base in folded:  # and the letters that are equivalent to the folded one
        classes[base] |= classes.get(letter, set())
    for code, letter in orthography.lowercase.items():  # the Turkish I, which lower() makes an i
        classes.setdefault(letter, {letter}).add(chr(code).lower()[0])
    return {
        letter: f"[{''.join(sorted(others))}]"
        for letter, others in classes.items()
        if len(letter) == 1
    }
