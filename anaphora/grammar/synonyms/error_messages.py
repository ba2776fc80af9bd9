"""Explain syntax errors of the synonym language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from lark.exceptions import UnexpectedInput, UnexpectedToken

from anaphora.errors import Problem
from anaphora.grammar.diagnostics import problem_at

__all__ = ["LITERAL", "explain_syntax_error", "mask_literals", "shorten"]

LITERAL = re.compile(
    r"\\."
    r"|//(?:\\.|(?!//)[^\\])*//"
    r"|\^\^(?:'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|(?!\^\^)[^'\"])*\^\^",
    re.DOTALL,
)
"""An escape, a regular expression or a predicate in a synonym."""

_QUOTED = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"")
_REPETITION = re.compile(r"\[([^\[\]{}|]*)(\]?)")
_NAME = re.compile(r"<[^<>{}|]*>")
_LAST_NAME = re.compile(r"(?<![^\s{}|])[A-Za-z0-9_-]*[A-Za-z0-9]$")

_MAX_EXCERPT_LENGTH = 80
_MAX_HINT_LENGTH = 24


def explain_syntax_error(error: UnexpectedInput, text: str, source: str) -> Problem:
    """Describe the syntax error at which the parser stopped."""
    position: int | None = error.pos_in_stream
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    at = len(text.rstrip()) if ended or position is None else position
    location = _ErrorLocation(text, at, mask_literals(text[:at]).rstrip())
    explanation = next((found for explain in _EXPLAINERS if (found := explain(location))), None)
    if explanation is None:
        explanation = _Explanation(
            f"'{location.character}' is not expected here", "a synonym is {a|b} c"
        )
    place = at if explanation.at is None else explanation.at
    return problem_at(text, source, place, explanation.message, explanation.hint)


def mask_literals(text: str) -> str:
    """Replace escapes, regular expressions and predicates with ``x``, so that only the brackets
    of the synonym language are left."""
    return LITERAL.sub(lambda found: "x" * len(found[0]), text)


def shorten(text: str) -> str:
    """Shorten a text for a message."""
    return text if len(text) <= _MAX_EXCERPT_LENGTH else f"{text[: _MAX_EXCERPT_LENGTH - 1]}…"


class _Explanation(NamedTuple):
    message: str
    hint: str = ""
    at: int | None = None  # None for the offset where the parser stopped


@dataclass(frozen=True, slots=True)
class _ErrorLocation:
    """The point where the parser stopped; ``before`` is the masked text up to it."""

    text: str
    at: int
    before: str

    @property
    def character(self) -> str:
        return self.text[self.at : self.at + 1]

    @property
    def rest(self) -> str:
        return self.text[self.at :]

    @property
    def in_group(self) -> bool:
        return self.before.count("{") > self.before.count("}")


def _explain_repetition(location: _ErrorLocation) -> _Explanation | None:
    start = location.before.rfind("[")
    if start > location.before.rfind("]"):
        return _explain_malformed_repetition(location, start)
    if location.character == "]":
        return _Explanation("there is no '[' for this ']'", "a bracket itself is written \\]")
    if location.character != "[":
        return None
    if location.before.endswith("]"):
        return _Explanation("this group has a repetition already", "write {{a}[1,2]}[3,4] for both")
    if location.before.endswith("?"):
        return _Explanation("this group has a repetition already: ? is [0,1]", "write {a}[0,2]")
    return _Explanation(
        "a repetition must follow a group", "write {word}[1,2]; a bracket itself is written \\["
    )


def _explain_malformed_repetition(location: _ErrorLocation, start: int) -> _Explanation:
    """Explain an invalid repetition that starts at the offset ``start``."""
    match = _REPETITION.match(location.text, start)
    if not match or not match[2]:
        hint = "a repetition is written {word}[1,2]"
        return _Explanation("a '[' is not closed", hint, None if not location.character else start)
    inner = [part.strip() for part in re.split("[,:;]|\\.\\.+|-", match[1])]
    numbers = [part for part in inner if part.isdecimal() and part.isascii()]
    hint = "a repetition is written {word}[1,2], from the least to the most"
    if len(numbers) == 2 == len(inner):
        hint = f"write [{numbers[0][:9]},{numbers[1][:9]}]"
    elif len(numbers) == 1 == len(inner):
        hint = f"for exactly {numbers[0][:9]} write [{numbers[0][:9]},{numbers[0][:9]}]"
    elif len(numbers) == 1 and inner == ["", *numbers]:
        hint = f"write [0,{numbers[0][:9]}]"
    elif len(numbers) == 1 and inner == [*numbers, ""]:
        hint = f"say how often at the most, such as [{numbers[0][:9]},9]"
    return _Explanation(f"'{shorten(match[0])}' is no repetition", hint, start)


def _explain_underscore(location: _ErrorLocation) -> _Explanation | None:
    """A ``_`` that is not alone in its alternative."""
    alone = "_ means nothing and must be alone between bars"
    if location.before.endswith("_") and location.character not in ("", "<", ">", "\\"):
        at = len(location.before) - 1
        return _Explanation(alone, "write {a|_} for a or nothing, \\_ for the sign", at)
    if location.character != "_":
        return None
    if location.in_group:
        return _Explanation(alone, "write {a|_} for a or nothing, \\_ for the sign")
    return _Explanation("_ is outside of a group", "write {a|_} for a or nothing, \\_ for the sign")


def _explain_regex(location: _ErrorLocation) -> _Explanation | None:
    if not location.rest.startswith("//"):
        return None
    return _Explanation(
        "this regular expression is not closed", "it ends with // as it begins; // is \\/\\/"
    )


def _explain_part(location: _ErrorLocation) -> _Explanation | None:
    """An unclosed predicate, or an unclosed text within a predicate."""
    if not location.rest.startswith("^^"):
        return None
    left = _QUOTED.sub(lambda found: "x" * len(found[0]), location.rest)
    quote = min((at for at in map(left.find, "'\"") if at >= 0), default=-1)
    if "^^" in left[2:] and quote >= 0:
        return _Explanation(
            "this text has no closing quote",
            "in a predicate a text ends on the line it begins on",
            location.at + quote,
        )
    hint = "write ^^{# == 'city'}^^; the sign itself is written \\^\\^"
    return _Explanation("this predicate is not closed", f"it ends with ^^ as it begins: {hint}")


def _explain_group(location: _ErrorLocation) -> _Explanation | None:
    if (
        location.character in ("|", "}")
        and location.before.endswith(("{", "|"))
        and location.in_group
    ):
        return _Explanation("an alternative is empty", "write _ for nothing")
    if location.character == "":
        return _explain_unclosed_group(location)
    if location.character == "}":
        return _Explanation("there is no '{' for this '}'", "a brace itself is written \\}")
    if location.character == "|":
        return _Explanation("'|' is outside of a group", "write {a|b}; the bar itself is \\|")
    return None


def _explain_unclosed_group(location: _ErrorLocation) -> _Explanation:
    depth, start = 0, 0
    for start in range(len(location.before) - 1, -1, -1):
        depth += {"{": 1, "}": -1}.get(location.before[start], 0)
        if depth > 0:
            break
    match = location.text[start:].split("\n", 1)[0].rstrip()
    shown = match if len(match) <= _MAX_HINT_LENGTH else f"{match[:_MAX_HINT_LENGTH]}…"
    return _Explanation("a '{' is not closed", f"add the missing }} for: {shown}")


def _explain_macro(location: _ErrorLocation) -> _Explanation | None:
    escape = f"the sign itself is written \\{location.character}"
    if location.character == ">":
        name = _LAST_NAME.search(location.before)
        hint = f"write <{shorten(name[0])}>; {escape}" if name else escape
        return _Explanation("a macro is written <NAME>", hint)
    if location.character != "<":
        return None
    if _NAME.match(location.text, location.at):
        return _Explanation("the name of a macro has no blanks", f"write <NAME>; {escape}")
    return _Explanation("a macro is written <NAME>", escape)


def _explain_escape(location: _ErrorLocation) -> _Explanation | None:
    if location.character != "\\":
        return None
    hint = "a backslash itself is written \\\\"
    if len(location.rest) == 1 or location.rest[1].isspace():
        return _Explanation("this backslash is no escape: nothing follows it", hint)
    return _Explanation(
        f"'{location.rest[:2]}' is no escape", f"{hint}; in //…// it needs no other"
    )


_EXPLAINERS: tuple[Callable[[_ErrorLocation], _Explanation | None], ...] = (
    _explain_repetition,
    _explain_underscore,
    _explain_regex,
    _explain_part,
    _explain_macro,
    _explain_escape,
    _explain_group,
)
