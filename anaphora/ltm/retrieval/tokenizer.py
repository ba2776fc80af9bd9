"""Tokenizer of the index: words, and other tokens that can be searched for.

These are emoji, names with special characters (C++, .NET), codes of letters and digits in any form
(LH454, LH-454), amounts in any grouping (1250, $1,250.00) and telephone numbers by their digits.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import regex

__all__ = ["CompoundPart", "Token", "VerbatimToken", "tokenize"]

# Scripts without spaces between words, and Hangul, whose words carry particles.
_UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Yi}\p{Tibetan}"
)
_LETTER = rf"(?:(?![{_UNSPACED}])[\p{{L}}\p{{N}}\p{{M}}])"
_WORD_START, _WORD_END = r"(?<![\p{L}\p{N}])", r"(?![\p{L}\p{N}])"
_TOKEN = regex.compile(
    rf"""
      (?P<unspaced>[{_UNSPACED}][{_UNSPACED}\p{{M}}]*)
    | (?P<symbol>\p{{RI}}\p{{RI}} | [\d\#*]\uFE0F?\u20E3 | \p{{Sc}}
        | [\p{{Extended_Pictographic}}\p{{So}}][\uFE0F\p{{EMod}}]*
          (?:\u200D[\p{{Extended_Pictographic}}\p{{So}}][\uFE0F\p{{EMod}}]*)*)
    | (?P<digits>{_WORD_START}[+(]{{0,2}}\d(?:[ ()./-]{{0,3}}\d){{5,}}){_WORD_END}
    | (?P<amount>{_WORD_START}(?:\d{{1,3}}(?:\ \d{{3}})+(?=,\d\d?{_WORD_END}|\ ?\p{{Sc}})(?:,\d+)?
        | \d+(?:[.,'’]\d+)+))
    | (?P<code>{_WORD_START}[A-Z]{{1,4}}\ \d{{2,6}}){_WORD_END}
    | (?P<abbreviation>(?<![\p{{L}}\p{{N}}.])(?:\p{{L}}\.){{2,}}\p{{L}}?){_WORD_END}
    | (?P<marked>(?<!\S)[#@.](?=\p{{L}}){_LETTER}+)
    | (?P<word>{_LETTER}+(?:[-‐‑]{_LETTER}+){{0,2}}(?:\+\+(?!\p{{L}})|[+\#]{_WORD_END})?)
    """,
    regex.VERBOSE,
)
_ASCII_WORD = regex.compile(r"[A-Za-z]+")
_SPECIAL = regex.compile(r"[0-9#+$@]|(?<!\S)\.|(?<=[A-Za-z])(?:-[A-Za-z]|\.[A-Za-z]\.)")
_RUNS = regex.compile(r"\d+|[^\d\W_]+")
_HYPHEN = regex.compile("[-‐‑]")
_HAN = regex.compile(r"\p{Han}")
# Spaces that can only be thousands separators.
_DIGIT_SPACE = regex.compile(r"(?<=\d)[\u00A0\u2009\u202F](?=\d{3})")
_MODIFIERS = regex.compile(r"[\uFE0F\p{EMod}]")
_DATE = regex.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}")
# A code with more runs of letters or digits, or longer ones, is not split.
_MAX_RUNS, _MAX_RUN_LENGTH = 5, 3
_MAX_CODE_LENGTH = 24
_PHONE_DIGITS = range(7, 16)
_LOCAL_DIGITS = 7


class VerbatimToken(NamedTuple):
    """A token in lower case without inflected forms: an emoji, a code, an amount."""

    text: str


class CompoundPart(NamedTuple):
    """A word as written, and the ``whole`` of the hyphenated word: "mail", "email"."""

    text: str
    whole: str


Token: TypeAlias = str | CompoundPart | VerbatimToken
"""A string is a word as written."""


def tokenize(text: str) -> Iterable[Token]:
    """Split ``text``, normalized by NFKC, into tokens.

    Different spellings give the same tokens: "LH-454" and "LH454" are "lh454", "lh" and "454";
    "$1,250.00" is "$" and "1250". In scripts without spaces, each pair of letters is a token, and
    so is each Han character.
    """
    if text.isascii() and not _SPECIAL.search(text):  # 2 µs for nine words, otherwise 20
        words: list[str] = _ASCII_WORD.findall(text)
        return words
    written = unicodedata.normalize("NFKC", _DIGIT_SPACE.sub("'", text))
    return _tokenize_all(unicodedata.normalize("NFC", written))


def _tokenize_all(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        found = match[0]
        match match.lastgroup:
            case "unspaced":
                yield from _bigrams(_lower(found))
            case "symbol":
                yield VerbatimToken(_MODIFIERS.sub("", found))
            case "digits":
                yield from _digit_tokens(found)
            case "amount":
                yield from _amount_tokens(found)
            case "code":
                yield from _split_word(found.replace(" ", "-"))
            case "abbreviation":
                letters = found.replace(".", "")
                # "US" may be a pronoun, and "am" a verb; "U.S." and "a.m." are neither.
                yield letters if len(letters) > 2 else VerbatimToken(_lower(letters))
            case "marked":
                yield VerbatimToken(_lower(found))
                yield from _split_word(found[1:])
            case _:
                yield from _split_word(found)


def _bigrams(run: str) -> Iterator[Token]:
    """Yield the bigrams of a run without spaces; a single letter as it is."""
    if len(run) == 1:
        yield VerbatimToken(run)
        return
    for first, second in pairwise(f"{run} "):
        if _HAN.match(first):
            yield VerbatimToken(first)
        if second != " ":
            yield VerbatimToken(first + second)


def _split_word(written: str) -> Iterator[Token]:
    """Split a word, a hyphenated word, a name with special characters, or a code."""
    if (name := written.rstrip("+#")) != written:
        yield VerbatimToken(_lower(written).replace("-", ""))
        written = name
    if not any(map(str.isdigit, written)):
        words = _HYPHEN.split(written)
        if len(words) == 1:
            yield written
        else:
            yield from [CompoundPart(word, "".join(words)) for word in words]
        return
    parts = _HYPHEN.split(_lower(written))
    joined = "".join(parts)
    runs = _RUNS.findall(joined)
    if joined.isdigit():
        for part in parts:
            yield part
            yield from _local_number(part)
        return
    if len(joined) <= _MAX_CODE_LENGTH:
        yield VerbatimToken(joined)
    elif len(parts) == 1:
        yield joined
    if len(runs) <= _MAX_RUNS and all(len(run) <= _MAX_RUN_LENGTH or run.isdigit() for run in runs):
        yield from runs
    elif len(parts) > 1:
        yield from parts


def _amount_tokens(written: str) -> Iterator[Token]:
    """Yield a number without grouping characters and trailing zeros."""
    number = _parse_number(written)
    if number is None:
        yield from _RUNS.findall(written)
    else:
        yield VerbatimToken(number)
        if number.isdigit():
            yield from _local_number(number)


def _parse_number(written: str) -> str | None:
    """Parse "1,250.00" as "1250", "1.250,50" as "1250.5"; None if it is no number ("8.11.2026").

    A point or comma before three digits is taken for a thousands separator. Most texts have only
    one of the two, and the reading must be the same in all texts."""
    groups = regex.findall(r"\d+", written)
    signs = regex.findall(r"\D", written)
    *before, last = signs
    groups_all = len(groups[-1]) == 3 and len(groups[0]) <= 3 and groups[0][0] != "0"
    is_decimal = last in ".," and last not in before and not (not before and groups_all)
    fraction = groups.pop().rstrip("0") if is_decimal else ""
    if is_decimal:
        signs.pop()
    head, *tail = groups
    if len(set(signs)) > 1 or (tail and (len(head) > 3 or len(tail[-1]) != 3)):
        return None
    if any(len(one) != len(tail[0]) or len(one) not in (2, 3) for one in tail[:-1]):
        return None
    whole = "".join(groups)
    return f"{whole}.{fraction}" if fraction else whole


def _digit_tokens(written: str) -> Iterator[Token]:
    """Split grouped digits; a telephone number also gives all its digits as one token."""
    digits = "".join(regex.findall(r"\d", written.replace("(0)", "")))
    if written.lstrip("(")[:1] != "+":
        digits = digits.removeprefix("00")
    is_grouped = not written.isdigit()
    is_amount = regex.fullmatch(r"\d+(?:[.]\d+)+", written) and _parse_number(written)
    if is_grouped and not is_amount and not _DATE.fullmatch(written):
        if len(digits) in _PHONE_DIGITS:
            yield VerbatimToken(digits)
            yield from _local_number(digits)
    elif digits != written and not is_grouped:
        yield VerbatimToken(digits)
    for group in regex.findall(r"\d+(?:\.\d+)*", written):
        if "." in group:
            yield from _amount_tokens(group)
        else:
            yield from _split_word(group)


def _local_number(digits: str) -> Iterator[Token]:
    """Yield the last digits of a telephone number, which don't depend on its area code."""
    if len(digits) in _PHONE_DIGITS:
        yield VerbatimToken(f"…{digits[-_LOCAL_DIGITS:]}")


def _lower(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())
