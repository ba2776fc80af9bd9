"""Tokenizers that spaCy's blank pipelines lack, and blank pipelines that use them."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import regex
import spacy
from spacy.lang.char_classes import ALPHA, ALPHA_LOWER, ALPHA_UPPER
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.util import (
    DummyTokenizer,
    compile_infix_regex,
    compile_prefix_regex,
    compile_suffix_regex,
    registry,
)
from spacy.vocab import Vocab

from anaphora.entities.words.normalization import base_code
from anaphora.entities.words.orthography import load_orthography
from anaphora.errors import ModelError, Problem
from anaphora.models.checking.spacy_languages import describe_unknown_language

__all__ = ["LETTER_TOKENIZER", "WORD_TOKENIZER", "LetterTokenizer", "blank", "is_package_free"]

LETTER_TOKENIZER = "anaphora.Letters.v1"
"""The name under which spaCy knows the tokenizer that makes a token of each letter."""

WORD_TOKENIZER = "anaphora.Words.v1"
"""The name under which spaCy knows its own tokenizer, but that it parts two words also at a mark
without a blank behind it that ends a sentence or stands between its parts ("in Tokyo?And in
Kyoto"). spaCy's rules know the comma and the colon there, but not these. The period of a sentence
is a token everywhere ("for $500."): where "5." is an ordinal, spaCy makes it one word even at the
end, and with Arabic also "5kg."; abbreviations of the language stay whole."""

# For languages whose tokenizer in spaCy needs a package: results don't depend on packages.
_TOKENIZERS = {"words": WORD_TOKENIZER, "letters": LETTER_TOKENIZER}
_SPACYS_OWN = "spacy.Tokenizer.v1"
_MARK_INSIDE = rf"(?<=[{ALPHA}])[?!;|؟،؛۔।]+(?=[{ALPHA}\d])"
_MARKUP = rf"</?[{ALPHA}]{{1,10}}\d?>"
# Signs beside a word that are no part of it: "coffee-", "~coffee~", "<3".
_BEFORE_WORD = rf"(?:[~•·→|<]+|/(?=[{ALPHA}]+$))(?=[{ALPHA}]{{2}})"
_BEHIND_WORD = rf"(?<=[{ALPHA}]{{2}})(?:[-–—]|[~•·→|/\\+=&@]+|<3+)"
_SHARP = rf"(?:(?<=[{ALPHA}]{{2}})|(?<=[^{ALPHA}]))#"  # no "C#"
# "coffee+tea", "2coffees", but no "C++", "R&B" and "5kg". A letter of some scripts is a word.
_SYLLABLES = "\uac00-\ud7a3\u3040-\u30ff\u4e00-\u9fff"
_SIGNS = r"(?:[-=]+>|[+/|&=*~•×→—<>()\[\]{}\"“”„«»]+)"
_JOINTS = (
    rf"(?<=[{ALPHA}]{{2}}){_SIGNS}(?=[{ALPHA}]{{2}}|[{_SYLLABLES}])",
    rf"(?<=[{_SYLLABLES}]){_SIGNS}(?=[{ALPHA}]{{2}}|[{_SYLLABLES}])",
    rf"(?<=[{ALPHA}]{{2}})[+=:*(\[{{]+(?=\d)",
    rf"(?:(?<=^\d)|(?<=^\d\d))×?(?=[{ALPHA}]{{4}}|[א-תء-ي]{{3}})",
    rf"(?<=^\d)[.)](?=[{ALPHA}]{{2}})|(?<=^[{ALPHA}])\)(?=[{ALPHA}]{{2}})",
)
# Paths, which are single tokens: "/home/ann", "C:\tea".
_PATH = re.compile(r"(?:[~.]{0,2}[\\/]|[A-Za-z]:[\\/])[^\s\\/]+[\\/]\S*$|[A-Za-z]:\\\S+$")
_PERIODS = (
    r"(?<=\d|[^\w\s.])\.",
    rf"(?<=[{ALPHA_LOWER}])\.",
    rf"(?<=[{ALPHA_UPPER}]{{2}})\.",
)
_ORDINAL = re.compile(r"\d+\.")
_INLINE_FLAGS = re.compile(r"^\(\?[a-zA-Z]+\)")
_PACKAGES = {"ja": "install it with: pip install 'anaphora[japanese]'"}


def blank(language: str, *, source: str = "") -> Language:
    """Create a spaCy pipeline of a language with nothing but its tokenizer.

    Raises :class:`ModelError` when spaCy does not have the language or lacks a package for it.
    """
    code = base_code(language)
    if not code.isalnum():
        raise _unknown_language_error(language, source)
    tokens = load_orthography(code).tokens
    try:
        usual = spacy.util.get_lang_class(code).default_config["nlp"]["tokenizer"]["@tokenizers"]
        tokenizer = (
            _TOKENIZERS[tokens] if tokens else WORD_TOKENIZER if usual == _SPACYS_OWN else usual
        )
        return spacy.blank(code, config={"nlp": {"tokenizer": {"@tokenizers": tokenizer}}})
    except ImportError as error:
        if "[E048]" in str(error):
            raise _unknown_language_error(language, source) from None
        needs = _PACKAGES.get(code) or " ".join(str(error).split())
        raise ModelError(
            Problem(
                f"the language '{language}' needs a package that is missing", source, hint=needs
            )
        ) from error


def is_package_free(language: str) -> bool:
    """Whether spaCy has a language, and :func:`blank` needs no package for it. Unlike ``blank``
    this imports nothing."""
    code = base_code(language)
    if not code.isalnum() or find_spec(f"spacy.lang.{code}") is None:
        return False
    return code not in _PACKAGES


class LetterTokenizer(DummyTokenizer):
    """Splits scripts without blanks into letters with their marks, other scripts into words; any
    other character is a token of its own. The Thai vowel am counts as a letter, in one code point
    or in two."""

    _TOKENS = regex.compile(
        r"\u0e4d\u0e32|[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}](?:(?!\u0e4d\u0e32)\p{M})*|[^\W\d_]\p{M}*(?:(?!"
        r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}])[^\W\d_]\p{M}*)*|\d+|\s+|[^\w\s]|_"
    )

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        """Tokenize a text. A single blank belongs to the token before it."""
        words: list[str] = []
        spaces: list[bool] = []
        for piece in self._TOKENS.findall(text):
            if piece[0] == " " and words and not spaces[-1] and not words[-1].isspace():
                spaces[-1] = True
                piece = piece[1:]
            if piece:
                words.append(piece)
                spaces.append(False)
        return Doc(self.vocab, words=words, spaces=spaces)


def _letter_tokenizer() -> Callable[[Language], LetterTokenizer]:
    return lambda nlp: LetterTokenizer(nlp.vocab)


def _word_tokenizer() -> Callable[[Language], Tokenizer]:
    return _create_word_tokenizer


def _create_word_tokenizer(nlp: Language) -> Tokenizer:
    # All at once: setting the infixes afterwards reads the 1,300 rules twice more.
    of = nlp.Defaults
    rules = of.tokenizer_exceptions
    unsplit = load_orthography(nlp.lang or "").unsplit
    # A suffix that starts with ^ would include the number before the period.
    suffixes = [
        _MARKUP,
        _BEHIND_WORD,
        *(
            _SHARP if rule == "#" else rule
            for rule in of.suffixes or ()
            if not str(rule).startswith("^")
        ),
    ]
    infixes = [*_JOINTS, *map(_remove_curly_apostrophe, of.infixes or ()), _MARK_INSIDE]
    return Tokenizer(
        nlp.vocab,
        rules={
            text: rules[text]
            for text in rules
            if not (_ORDINAL.fullmatch(text) or text.lower() in unsplit)
        },
        prefix_search=compile_prefix_regex([_MARKUP, _BEFORE_WORD, *(of.prefixes or ())]).search,
        suffix_search=compile_suffix_regex([*suffixes, *_PERIODS]).search,
        infix_finditer=compile_infix_regex(infixes).finditer,
        token_match=None if of.token_match is None else _NonOrdinals(of.token_match).match,
        url_match=_PATH.match if of.url_match is None else _match_url_or_path(of.url_match),
    )


def _remove_curly_apostrophe(rule: Any) -> Any:
    """Remove the typographic apostrophe from a rule that does not have the straight one."""
    pattern = str(rule)
    return rule if "'" in pattern else pattern.replace("’", "")


def _match_url_or_path(url_match: Any) -> Callable[[str], Any]:
    """Create a matcher of the same URLs, and of file paths."""
    addresses: re.Pattern[str] = url_match.__self__  # a bound method, as spaCy wants it
    pattern = _INLINE_FLAGS.sub("", addresses.pattern)
    return re.compile(rf"(?:{pattern})|(?:{_PATH.pattern})", addresses.flags).match


class _NonOrdinals:
    """Matches the words that a rule of spaCy matches, except numbers with a period.

    No pattern of its own: French has a rule of 1.4 million characters, which takes seconds to
    compile once more."""

    _NUMBER = re.compile(r".*\d\.$")

    def __init__(self, token_match: Any) -> None:
        words: re.Pattern[str] = token_match.__self__  # a bound method, as spaCy wants it
        self.pattern = words.pattern  # which spaCy reads when a tokenizer is saved
        self._match = words.match

    def match(self, text: str) -> re.Match[str] | None:
        return None if self._NUMBER.match(text) else self._match(text)


registry.tokenizers.register(LETTER_TOKENIZER, func=_letter_tokenizer)
registry.tokenizers.register(WORD_TOKENIZER, func=_word_tokenizer)


def _unknown_language_error(language: str, source: str) -> ModelError:
    message, hint = describe_unknown_language(language)
    return ModelError(Problem(message, source, hint=hint))
