"""What is known of a language by its code: spaCy's class, Snowball's stemmer, spelling."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, TypeAlias

import regex
import spacy
import Stemmer
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

from anaphora.entities.languages import load_table
from anaphora.entities.words.orthography import (
    distinct_characters,
    load_orthography,
    replace_characters,
)
from anaphora.errors import ModelError, Problem
from anaphora.storage.forks import fork_safe_lock

__all__ = [
    "LETTER_TOKENIZER",
    "WORD_TOKENIZER",
    "LetterTokenizer",
    "StemFunction",
    "base_code",
    "blank",
    "create_batch_normalizer",
    "create_normalizer",
    "create_stemmer",
    "is_visible",
    "load_courtesy_phrases",
    "load_qualifiers",
    "load_qualifiers_by_kind",
    "load_stop_words",
    "normalize_apostrophes",
]

StemFunction: TypeAlias = Callable[[Sequence[str]], list[str]]

_ALIASES = {"no": "nb", "nn": "nb", "iw": "he", "ji": "yi"}

_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian",
    "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

# Before NFKC: it would turn the acute accent into a blank and a combining mark.
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ‛′´＇", "'"))
# Signs in the place of an apostrophe that tokenizers do not take for one.
_UNUSUAL_APOSTROPHE = re.compile(
    r"(?<=[^\W\d_])[`´‘ʼ‛′＇](?=[^\W\d_])|(?<=[а-яґА-ЯҐ])[\"*](?=[єїюяЄЇЮЯ])"
)
_MISPLACED_APOSTROPHE = re.compile(r"(?<=[a-zA-Z])'nt\b")
# The mark of Hebrew abbreviations, as phones write it.
_UNUSUAL_GERSHAYIM = re.compile("(?<=[א-ת])[”“„″](?=[א-ת])")

LETTER_TOKENIZER = "anaphora.Letters.v1"
"""The name under which spaCy knows the tokenizer that makes a token of each letter."""

WORD_TOKENIZER = "anaphora.Words.v1"
"""The name under which spaCy knows its own tokenizer, but that it parts two words also at a mark
without a blank behind it that ends a sentence or stands between its parts ("in Tokyo?And in
Kyoto"). spaCy's rules know the comma and the colon there, but not these. The period of a sentence
is a token everywhere ("for $500."): where "5." is an ordinal, spaCy makes it one word even at the
end, and with Arabic also "5kg."; abbreviations of the language stay whole."""

# Where spaCy's own tokenizer needs a package: one result everywhere counts more.
_TOKENIZERS = {"words": WORD_TOKENIZER, "letters": LETTER_TOKENIZER}
_SPACYS_OWN = "spacy.Tokenizer.v1"
_MARK_INSIDE = rf"(?<=[{ALPHA}])[?!;|؟،؛۔।]+(?=[{ALPHA}\d])"
_MARKUP = rf"</?[{ALPHA}]{{1,10}}\d?>"
# What stands at a word without a blank, but is no part of it: "coffee-", "~coffee~", "<3".
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
# Tokens that are no words joined by signs: "/home/ann", "C:\tea".
_PATH = re.compile(r"(?:[~.]{0,2}[\\/]|[A-Za-z]:[\\/])[^\s\\/]+[\\/]\S*$|[A-Za-z]:\\\S+$")
_PERIODS = (
    r"(?<=\d|[^\w\s.])\.",
    rf"(?<=[{ALPHA_LOWER}])\.",
    rf"(?<=[{ALPHA_UPPER}]{{2}})\.",
)
_ORDINAL = re.compile(r"\d+\.")
_INLINE_FLAGS = re.compile(r"^\(\?[a-zA-Z]+\)")
_PACKAGES = {"ja": "install it with: pip install 'anaphora[japanese]'"}


def base_code(language: str) -> str:
    """The code that spaCy and Snowball go by: ``en`` for ``en-US``, ``nb`` for ``no``."""
    code = language.replace("_", "-").partition("-")[0].lower()
    return _ALIASES.get(code, code)


def blank(language: str, *, source: str = "") -> Language:
    """A spaCy pipeline of that language with nothing but its tokenizer.

    Raises :class:`ModelError` when spaCy has no such language or lacks a package for it.
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


def load_stop_words(language: str) -> frozenset[str]:
    """spaCy's stop words of the language, and those that it would cut into such; none for a
    language that it does not know."""
    code = base_code(language)
    try:
        known = spacy.util.get_lang_class(code).Defaults.stop_words
    except ImportError:
        return frozenset()
    return frozenset(known) | load_orthography(code).stop_words


def load_qualifiers_by_kind(language: str) -> Mapping[str, tuple[str, ...]]:
    """The function words of the language that turn the sense of others or bound it, by kind:
    ``negation`` (not), ``exclusion`` (without), ``restriction`` (only), ``universal`` (all) and
    ``modality`` (may). They come from ``function_words.yaml`` in the
    folder of the language, the commonest first."""
    table = _load_function_words(base_code(language))
    return {kind: tuple(words.split()) for kind, words in table.items() if isinstance(words, str)}


@lru_cache(maxsize=100)
def load_courtesy_phrases(language: str) -> frozenset[tuple[str, ...]]:
    """The words and phrases of the language that only make a request polite ("please", "would
    like"), each as its words are compared. They come from ``courtesy`` in
    ``function_words.yaml`` of the language: phrases with a blank between the tokens."""
    from anaphora.grammar.synonyms.expansion import expand_synonym

    normalize = create_normalizer(language)
    return frozenset(
        tuple(normalize(token) for word in written for token in str(word).split())
        for phrase in _load_function_words(base_code(language)).get("courtesy", ())
        for written in expand_synonym(phrase)
    )


@lru_cache(maxsize=100)
def _load_function_words(code: str) -> Mapping[str, Any]:
    return load_table(code, "function_words")


def load_qualifiers(language: str, *kinds: str) -> frozenset[str]:
    """The words of :func:`load_qualifiers_by_kind`, of some kinds or of all, as words are compared.
    They count as content words, though lists of stop words have them."""
    known = load_qualifiers_by_kind(language)
    words = chain.from_iterable(known.get(kind, ()) for kind in kinds or known)
    return frozenset(map(create_normalizer(language), words))


def create_stemmer(language: str) -> StemFunction:
    """A function from words to their stems: Snowball's, else what the table of the language says
    of its endings, else one to the words themselves."""
    code = base_code(language)
    algorithm = _STEMMERS.get(code)
    if algorithm not in Stemmer.algorithms():
        known = load_orthography(code)
        return (lambda words: list(map(known.stem, words))) if known.has_stems else list
    # Its own cache is off: purging it stops the world, and the lexicon keeps the stems.
    snowball = Stemmer.Stemmer(algorithm, 0)
    lock = fork_safe_lock()  # a stemmer keeps its work in one buffer

    def stem(words: Sequence[str]) -> list[str]:
        with lock:
            stems: list[str] = snowball.stemWords(words)
            return stems

    return stem


def create_normalizer(language: str) -> Callable[[str], str]:
    """A function that gives the spelling of a word under which it is compared: NFKC, without
    case and invisible marks, with straight apostrophes, and with those letters for one another
    that the table of the language counts as the same (``е`` for ``ё``)."""
    code = base_code(language)
    known = load_orthography(code)
    before = {**_APOSTROPHES, **known.lowercase}
    is_spelled = known.same or known.last
    lowers_ascii = not known.lowercase

    def normalize(word: str) -> str:
        if lowers_ascii and word.isascii():
            return word.lower()
        if not lowers_ascii:  # I and a dot, typed one after the other
            word = unicodedata.normalize("NFC", word)
        text = unicodedata.normalize("NFKC", word.translate(before)).casefold()
        if is_spelled:
            text = known.fold_letters(text) or text
        visible = text if text.isalpha() else "".join(filter(is_visible, text))
        return unicodedata.normalize("NFC", visible) or text

    return normalize


def create_batch_normalizer(language: str) -> Callable[[Sequence[str]], list[str]]:
    """As :func:`create_normalizer` for many words at once, none of which has a line feed: a tenth
    of the time. A word of invisible marks alone becomes empty."""
    code = base_code(language)
    known = load_orthography(code)
    before = {**_APOSTROPHES, **known.lowercase}

    def normalize(words: Sequence[str]) -> list[str]:
        if not words:
            return []
        text = "\n".join(words)
        if known.lowercase:
            text = unicodedata.normalize("NFC", text)
        text = replace_characters(text, before)
        # Word by word: only a few take time.
        text = "\n".join([unicodedata.normalize("NFKC", word) for word in text.split("\n")])
        text = known.fold_letters_in_lines(text.casefold())
        unseen = {ord(char): None for char in distinct_characters(text) if not is_visible(char)}
        text = replace_characters(text, unseen)
        return [unicodedata.normalize("NFC", word) for word in text.split("\n")]

    return normalize


def normalize_apostrophes(text: str) -> str:
    """The text with an apostrophe where another sign takes its place between two letters, as many
    keyboards have it ("don`t", "don´t"), and where it stands a letter too early ("does'nt"); the
    same for the quote inside of a Hebrew word."""
    if "'nt" in text:
        text = _MISPLACED_APOSTROPHE.sub("n't", text)
    if text.isascii() and "`" not in text:
        return text
    return _UNUSUAL_GERSHAYIM.sub('"', _UNUSUAL_APOSTROPHE.sub("'", text))


def is_visible(char: str) -> bool:
    """Whether a character is more than a mark on how others are drawn."""
    # Variation selectors are no format characters: a sun with one is a sun in colours.
    return unicodedata.category(char) != "Cf" and not "\ufe00" <= char <= "\ufe0f"


class LetterTokenizer(DummyTokenizer):
    """Cuts scripts without blanks between words into letters with their marks, others into words;
    what is no letter or digit stands alone. The Thai vowel am is a letter, in one code point or
    in two."""

    _TOKENS = regex.compile(
        r"\u0e4d\u0e32|[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}](?:(?!\u0e4d\u0e32)\p{M})*|[^\W\d_]\p{M}*(?:(?!"
        r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}])[^\W\d_]\p{M}*)*|\d+|\s+|[^\w\s]|_"
    )

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        """The text as a Doc; a single blank belongs to the token before it."""
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
    # All at once: to set the infixes of one that is there reads its 1,300 rules twice more.
    of = nlp.Defaults
    rules = of.tokenizer_exceptions
    unsplit = load_orthography(nlp.lang or "").unsplit
    # A suffix from the start on takes the number with the period.
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
        token_match=None if of.token_match is None else _match_non_ordinal(of.token_match),
        url_match=_PATH.match if of.url_match is None else _match_url_or_path(of.url_match),
    )


def _remove_curly_apostrophe(rule: Any) -> Any:
    """The rule without the typographic apostrophe, where it leaves the straight one whole."""
    pattern = str(rule)
    return rule if "'" in pattern else pattern.replace("’", "")


def _match_url_or_path(url_match: Any) -> Callable[[str], Any]:
    """The same addresses, and paths of files."""
    addresses: re.Pattern[str] = url_match.__self__  # a bound method, as spaCy wants it
    pattern = _INLINE_FLAGS.sub("", addresses.pattern)
    return re.compile(rf"(?:{pattern})|(?:{_PATH.pattern})", addresses.flags).match


def _match_non_ordinal(token_match: Any) -> Callable[[str], Any]:
    """The same words, but for numbers with a period."""
    words: re.Pattern[str] = token_match.__self__  # a bound method, as spaCy wants it
    pattern = _INLINE_FLAGS.sub("", words.pattern)  # they stand in the flags, too
    return re.compile(rf"(?!.*\d\.$)(?:{pattern})", words.flags).match


registry.tokenizers.register(LETTER_TOKENIZER, func=_letter_tokenizer)
registry.tokenizers.register(WORD_TOKENIZER, func=_word_tokenizer)


def _unknown_language_error(language: str, source: str) -> ModelError:
    return ModelError(
        Problem(
            f"'{language}' is not a language that spaCy knows",
            source,
            hint="codes are like 'en', 'fr' or 'ru'; 'xx' stands for any language",
        )
    )
