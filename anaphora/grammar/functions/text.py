"""Functions on texts. Patterns are regular expressions of RE2; indexes start at 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anaphora.errors import EvaluationError
from anaphora.grammar.functions.registry import function
from anaphora.grammar.operators import to_text
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.values import Kind, check_length, describe_value, kind_of

_NO_BREAK_SPACES = "\x85\xa0\u2007\u202f"
_PRINTABLE = frozenset({Kind.TEXT, Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN})


@function("text", examples=("lowercase('Tokyo') == 'tokyo'",))
def lowercase(text: str) -> str:
    """The text in lower case."""
    return str(check_length(text.lower()))


@function("text", examples=("uppercase('hnd') == 'HND'",))
def uppercase(text: str) -> str:
    """The text in upper case."""
    return str(check_length(text.upper()))


@function("text", "trim", "strip", examples=("trim(' a b ') == 'a b'",))
def trim(text: str) -> str:
    """The text without leading and trailing white space."""
    return text.strip()


@function("text", examples=("starts_with('tokyo', 'to')",))
def starts_with(text: str, beginning: str) -> bool:
    """Whether the text starts with the given beginning."""
    return text.startswith(beginning)


@function("text", examples=("ends_with('tokyo', 'kyo')",))
def ends_with(text: str, ending: str) -> bool:
    """Whether the text ends with the given ending."""
    return text.endswith(ending)


@function("text", examples=("contains('tokyo', 'oky')",))
def contains(text: str, part: str) -> bool:
    """Whether the part occurs in the text."""
    return part in text


@function("text", examples=("regex('tokyo', 't.*o')",))
def regex(text: str, pattern: Pattern) -> bool:
    """Whether the pattern matches the whole text."""
    return pattern.fullmatch(text)


@function("text", examples=("split('a, b,c', ', *') == list('a', 'b', 'c')",))
def split(text: str, separator: Pattern) -> Sequence[str]:
    """The pieces of the text between matches of the pattern, without empty ones at the end."""
    return tuple(separator.split(text))


@function("text", examples=("split_trim('a , b', ',') == list('a', 'b')",))
def split_trim(text: str, separator: Pattern) -> Sequence[str]:
    """The pieces as in ``split``, each without leading and trailing white space."""
    return tuple(piece.strip() for piece in separator.split(text))


@function("text", examples=("replace('a-b', '(.)-(.)', '$2-$1') == 'b-a'",))
def replace(text: str, pattern: Pattern, replacement: str) -> str:
    """The text with every match of the pattern replaced.

    As in Java, ``$1`` in the replacement refers to the first group of the pattern and ``${name}``
    to a named group. A backslash escapes the next character; texts of the language write it
    twice: ``'\\\\$'`` is a dollar sign.
    """
    return pattern.replace(text, replacement)


@function("text", examples=("index_of('tokyo', 'k') == 2", "index_of('tokyo', 'x') == -1"))
def index_of(text: str, part: str) -> int:
    """The index of the first occurrence of the part in the text; -1 if there is none."""
    return text.find(part)


@function("text", examples=("substr('tokyo', 1, 3) == 'ok'",))
def substr(text: str, start: int, end: int) -> str:
    """The characters from ``start`` up to, but not including, ``end``."""
    if 0 <= start <= end <= len(text):
        return text[start:end]
    raise EvaluationError(
        f"'substr' finds no characters from {describe_value(start)} to {describe_value(end)} in a "
        f"text of {len(text)}"
    )


@function("text", examples=("is_alpha('Ä')", "!is_alpha('')"))
def is_alpha(text: str) -> bool:
    """Whether the text has only letters; false for an empty text."""
    return text.isalpha()


@function("text", examples=("is_alphanum('b2')",))
def is_alphanum(text: str) -> bool:
    """Whether the text has only letters and digits; false for an empty text."""
    return bool(text) and _has_only(text, _is_letter_or_digit)


@function("text", examples=("is_num('007')", "!is_num('-7')"))
def is_num(text: str) -> bool:
    """Whether the text has only decimal digits, of any script; false for an empty text."""
    return text.isdecimal()


@function("text", examples=("is_whitespace(' ')", "is_whitespace('')"))
def is_whitespace(text: str) -> bool:
    """Whether the text has only white space; true for an empty text."""
    return _has_only(text, _is_white)


@function("text", examples=("is_alphaspace('New York')",))
def is_alphaspace(text: str) -> bool:
    """Whether the text has only letters and blanks; true for an empty text."""
    return _has_only(text, lambda one: one == " " or one.isalpha())


@function("text", examples=("is_numspace('12 000')",))
def is_numspace(text: str) -> bool:
    """Whether the text has only digits and blanks; true for an empty text."""
    return _has_only(text, lambda one: one == " " or one.isdecimal())


@function("text", examples=("is_alphanumspace('Gate 7')",))
def is_alphanumspace(text: str) -> bool:
    """Whether the text has only letters, digits and blanks; true for an empty text."""
    return _has_only(text, lambda one: one == " " or _is_letter_or_digit(one))


@function("text", examples=("to_string(4.5) == '4.5'",))
def to_string(value: object) -> str | Sequence[str]:
    """Convert a text, number or boolean, or each element of a list, to a text."""
    if isinstance(value, list | tuple):
        return tuple(check_length([_to_text(item) for item in value]))
    return _to_text(value)


def _has_only(text: str, test: Callable[[str], bool]) -> bool:
    return all(map(test, set(text)))


def _is_letter_or_digit(character: str) -> bool:
    return character.isalpha() or character.isdecimal()


def _is_white(character: str) -> bool:
    """White space as in Java, without no-break spaces."""
    return character.isspace() and character not in _NO_BREAK_SPACES


def _to_text(value: Any) -> str:
    if kind_of(value) not in _PRINTABLE:
        raise EvaluationError(f"'to_string' cannot make a text of {describe_value(value)}")
    return to_text(value)
