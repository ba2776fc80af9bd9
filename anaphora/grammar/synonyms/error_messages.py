"""Says in plain words what is wrong where the synonym language could not be read on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from lark.exceptions import UnexpectedInput, UnexpectedToken

from anaphora.errors import Problem
from anaphora.grammar.source_positions import problem_at

__all__ = ["explain_syntax_error", "mask_literals", "shorten"]

_LITERAL = re.compile(
    r"\\."
    r"|//(?:\\.|(?!//)[^\\])*//"
    r"|\^\^(?:'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|(?!\^\^)[^'\"])*\^\^",
    re.DOTALL,
)
_QUOTED = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"")
_REPETITION = re.compile(r"\[([^\[\]{}|]*)(\]?)")
_NAME = re.compile(r"<[^<>{}|]*>")
_LAST_NAME = re.compile(r"(?<![^\s{}|])[A-Za-z0-9_-]*[A-Za-z0-9]$")

_MAX_EXCERPT_LENGTH = 80
_MAX_HINT_LENGTH = 24


def explain_syntax_error(error: UnexpectedInput, text: str, source: str) -> Problem:
    """The problem that made the parser stop at ``error``."""
    position: int | None = error.pos_in_stream
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    at = len(text.rstrip()) if ended or position is None else position
    spot = _ErrorLocation(text, at, mask_literals(text[:at]).rstrip())
    lesson = next((found for teach in _EXPLAINERS if (found := teach(spot))), None)
    if lesson is None:
        lesson = _Explanation(f"'{spot.character}' is not expected here", "a synonym is {a|b} c")
    place = at if lesson.at is None else lesson.at
    return problem_at(text, source, place, lesson.message, lesson.hint)


def mask_literals(text: str) -> str:
    """The text with an ``x`` for each character that is escaped or stands in a regular
    expression or a predicate, so that the brackets that are left are those of the language."""
    return _LITERAL.sub(lambda found: "x" * len(found[0]), text)


def shorten(text: str) -> str:
    """The text as a message quotes it."""
    return text if len(text) <= _MAX_EXCERPT_LENGTH else f"{text[: _MAX_EXCERPT_LENGTH - 1]}…"


class _Explanation(NamedTuple):
    message: str
    hint: str = ""
    at: int | None = None  # if not the place where the parser stopped


@dataclass(frozen=True, slots=True)
class _ErrorLocation:
    """Where the parser stopped; ``before`` is the masked text up to there."""

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


def _explain_repetition(spot: _ErrorLocation) -> _Explanation | None:
    start = spot.before.rfind("[")
    if start > spot.before.rfind("]"):
        return _explain_malformed_repetition(spot, start)
    if spot.character == "]":
        return _Explanation("there is no '[' for this ']'", "a bracket itself is written \\]")
    if spot.character != "[":
        return None
    if spot.before.endswith("]"):
        return _Explanation("this group has a repetition already", "write {{a}[1,2]}[3,4] for both")
    if spot.before.endswith("?"):
        return _Explanation("this group has a repetition already: ? is [0,1]", "write {a}[0,2]")
    return _Explanation(
        "a repetition stands behind a group", "write {word}[1,2]; a bracket itself is written \\["
    )


def _explain_malformed_repetition(spot: _ErrorLocation, start: int) -> _Explanation:
    """What is wrong between a bracket and the end of the group's repetition."""
    written = _REPETITION.match(spot.text, start)
    if not written or not written[2]:
        hint = "a repetition is written {word}[1,2]"
        return _Explanation("a '[' is not closed", hint, None if not spot.character else start)
    inner = [part.strip() for part in re.split("[,:;]|\\.\\.+|-", written[1])]
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
    return _Explanation(f"'{shorten(written[0])}' is no repetition", hint, start)


def _explain_underscore(spot: _ErrorLocation) -> _Explanation | None:
    """``_`` that is not alone in its alternative."""
    alone = "_ stands for nothing and must be alone between bars"
    if spot.before.endswith("_") and spot.character not in ("", "<", ">", "\\"):
        at = len(spot.before) - 1
        return _Explanation(alone, "write {a|_} for a or nothing, \\_ for the sign", at)
    if spot.character != "_":
        return None
    if spot.in_group:
        return _Explanation(alone, "write {a|_} for a or nothing, \\_ for the sign")
    return _Explanation(
        "_ stands outside of a group", "write {a|_} for a or nothing, \\_ for the sign"
    )


def _explain_regex(spot: _ErrorLocation) -> _Explanation | None:
    if not spot.rest.startswith("//"):
        return None
    return _Explanation(
        "this regular expression is not closed", "it ends with // as it begins; // is \\/\\/"
    )


def _explain_part(spot: _ErrorLocation) -> _Explanation | None:
    """A predicate without its end, which may lie in a text that is not closed."""
    if not spot.rest.startswith("^^"):
        return None
    left = _QUOTED.sub(lambda found: "x" * len(found[0]), spot.rest)
    quote = min((at for at in map(left.find, "'\"") if at >= 0), default=-1)
    if "^^" in left[2:] and quote >= 0:
        return _Explanation(
            "this text has no closing quote",
            "in a predicate a text ends on the line it begins on",
            spot.at + quote,
        )
    hint = "write ^^{# == 'city'}^^; the sign itself is written \\^\\^"
    return _Explanation("this predicate is not closed", f"it ends with ^^ as it begins: {hint}")


def _explain_group(spot: _ErrorLocation) -> _Explanation | None:
    if spot.character in ("|", "}") and spot.before.endswith(("{", "|")) and spot.in_group:
        return _Explanation("an alternative is empty", "write _ for nothing")
    if spot.character == "":
        return _explain_unclosed_group(spot)
    if spot.character == "}":
        return _Explanation("there is no '{' for this '}'", "a brace itself is written \\}")
    if spot.character == "|":
        return _Explanation("'|' stands outside of a group", "write {a|b}; the bar itself is \\|")
    return None


def _explain_unclosed_group(spot: _ErrorLocation) -> _Explanation:
    depth, start = 0, 0
    for start in range(len(spot.before) - 1, -1, -1):
        depth += {"{": 1, "}": -1}.get(spot.before[start], 0)
        if depth > 0:
            break
    written = spot.text[start:].split("\n", 1)[0].rstrip()
    shown = written if len(written) <= _MAX_HINT_LENGTH else f"{written[:_MAX_HINT_LENGTH]}…"
    return _Explanation("a '{' is not closed", f"add the missing }} for: {shown}")


def _explain_macro(spot: _ErrorLocation) -> _Explanation | None:
    escape = f"the sign itself is written \\{spot.character}"
    if spot.character == ">":
        name = _LAST_NAME.search(spot.before)
        hint = f"write <{shorten(name[0])}>; {escape}" if name else escape
        return _Explanation("a macro is written <NAME>", hint)
    if spot.character != "<":
        return None
    if _NAME.match(spot.text, spot.at):
        return _Explanation("the name of a macro has no blanks", f"write <NAME>; {escape}")
    return _Explanation("a macro is written <NAME>", escape)


def _explain_escape(spot: _ErrorLocation) -> _Explanation | None:
    if spot.character != "\\":
        return None
    hint = "a backslash itself is written \\\\"
    if len(spot.rest) == 1 or spot.rest[1].isspace():
        return _Explanation("this backslash is no escape: nothing follows it", hint)
    return _Explanation(f"'{spot.rest[:2]}' is no escape", f"{hint}; in //…// it needs no other")


_EXPLAINERS: tuple[Callable[[_ErrorLocation], _Explanation | None], ...] = (
    _explain_repetition,
    _explain_underscore,
    _explain_regex,
    _explain_part,
    _explain_macro,
    _explain_escape,
    _explain_group,
)
