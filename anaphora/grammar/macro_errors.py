"""Says in plain words what is wrong where the synonym language could not be read on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from lark.exceptions import UnexpectedInput, UnexpectedToken

from anaphora.errors import Problem
from anaphora.grammar.places import problem_at

__all__ = ["masked", "problem_of", "shortened"]

_OPAQUE = re.compile(
    r"\\."
    r"|//(?:\\.|(?!//)[^\\])*//"
    r"|\^\^(?:'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|(?!\^\^)[^'\"])*\^\^",
    re.DOTALL,
)
_QUOTED = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"")
_REPETITION = re.compile(r"\[([^\[\]{}|]*)(\]?)")
_NAME = re.compile(r"<[^<>{}|]*>")
_LAST_NAME = re.compile(r"(?<![^\s{}|])[A-Za-z0-9_-]*[A-Za-z0-9]$")

_LONGEST_EXCERPT = 80
_WIDEST_HINT = 24


def problem_of(error: UnexpectedInput, text: str, source: str) -> Problem:
    """The problem that made the parser stop at ``error``."""
    position: int | None = error.pos_in_stream
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    at = len(text.rstrip()) if ended or position is None else position
    spot = _Spot(text, at, masked(text[:at]).rstrip())
    lesson = next((found for teach in _LESSONS if (found := teach(spot))), None)
    if lesson is None:
        lesson = _Lesson(f"'{spot.found}' is not expected here", "a synonym is {a|b} c")
    place = at if lesson.at is None else lesson.at
    return problem_at(text, source, place, lesson.message, lesson.hint)


def masked(text: str) -> str:
    """The text with an ``x`` for each character that is escaped or stands in a regular
    expression or a predicate, so that the brackets that are left are those of the language."""
    return _OPAQUE.sub(lambda found: "x" * len(found[0]), text)


def shortened(text: str) -> str:
    """The text as a message quotes it."""
    return text if len(text) <= _LONGEST_EXCERPT else f"{text[: _LONGEST_EXCERPT - 1]}…"


class _Lesson(NamedTuple):
    message: str
    hint: str = ""
    at: int | None = None  # if not the place where the parser stopped


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where the parser stopped; ``before`` is the masked text up to there."""

    text: str
    at: int
    before: str

    @property
    def found(self) -> str:
        return self.text[self.at : self.at + 1]

    @property
    def rest(self) -> str:
        return self.text[self.at :]

    @property
    def in_group(self) -> bool:
        return self.before.count("{") > self.before.count("}")


def _repetition(spot: _Spot) -> _Lesson | None:
    start = spot.before.rfind("[")
    if start > spot.before.rfind("]"):
        return _of_repetition(spot, start)
    if spot.found == "]":
        return _Lesson("there is no '[' for this ']'", "a bracket itself is written \\]")
    if spot.found != "[":
        return None
    if spot.before.endswith("]"):
        return _Lesson("this group has a repetition already", "write {{a}[1,2]}[3,4] for both")
    if spot.before.endswith("?"):
        return _Lesson("this group has a repetition already: ? is [0,1]", "write {a}[0,2]")
    return _Lesson(
        "a repetition stands behind a group", "write {word}[1,2]; a bracket itself is written \\["
    )


def _of_repetition(spot: _Spot, start: int) -> _Lesson:
    """What is wrong between a bracket and the end of the group's repetition."""
    written = _REPETITION.match(spot.text, start)
    if not written or not written[2]:
        hint = "a repetition is written {word}[1,2]"
        return _Lesson("a '[' is not closed", hint, None if not spot.found else start)
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
    return _Lesson(f"'{shortened(written[0])}' is no repetition", hint, start)


def _underscore(spot: _Spot) -> _Lesson | None:
    """``_`` that is not alone in its alternative."""
    alone = "_ stands for nothing and must be alone between bars"
    if spot.before.endswith("_") and spot.found not in ("", "<", ">", "\\"):
        at = len(spot.before) - 1
        return _Lesson(alone, "write {a|_} for a or nothing, \\_ for the sign", at)
    if spot.found != "_":
        return None
    if spot.in_group:
        return _Lesson(alone, "write {a|_} for a or nothing, \\_ for the sign")
    return _Lesson("_ stands outside of a group", "write {a|_} for a or nothing, \\_ for the sign")


def _regex(spot: _Spot) -> _Lesson | None:
    if not spot.rest.startswith("//"):
        return None
    return _Lesson(
        "this regular expression is not closed", "it ends with // as it begins; // is \\/\\/"
    )


def _part(spot: _Spot) -> _Lesson | None:
    """A predicate without its end, which may lie in a text that is not closed."""
    if not spot.rest.startswith("^^"):
        return None
    left = _QUOTED.sub(lambda found: "x" * len(found[0]), spot.rest)
    quote = min((at for at in map(left.find, "'\"") if at >= 0), default=-1)
    if "^^" in left[2:] and quote >= 0:
        return _Lesson(
            "this text has no closing quote",
            "in a predicate a text ends on the line it begins on",
            spot.at + quote,
        )
    hint = "write ^^{# == 'city'}^^; the sign itself is written \\^\\^"
    return _Lesson("this predicate is not closed", f"it ends with ^^ as it begins: {hint}")


def _group(spot: _Spot) -> _Lesson | None:
    if spot.found in ("|", "}") and spot.before.endswith(("{", "|")) and spot.in_group:
        return _Lesson("an alternative is empty", "write _ for nothing")
    if spot.found == "":
        return _unclosed(spot)
    if spot.found == "}":
        return _Lesson("there is no '{' for this '}'", "a brace itself is written \\}")
    if spot.found == "|":
        return _Lesson("'|' stands outside of a group", "write {a|b}; the bar itself is \\|")
    return None


def _unclosed(spot: _Spot) -> _Lesson:
    depth, start = 0, 0
    for start in range(len(spot.before) - 1, -1, -1):
        depth += {"{": 1, "}": -1}.get(spot.before[start], 0)
        if depth > 0:
            break
    written = spot.text[start:].split("\n", 1)[0].rstrip()
    shown = written if len(written) <= _WIDEST_HINT else f"{written[:_WIDEST_HINT]}…"
    return _Lesson("a '{' is not closed", f"add the missing }} for: {shown}")


def _macro(spot: _Spot) -> _Lesson | None:
    escape = f"the sign itself is written \\{spot.found}"
    if spot.found == ">":
        name = _LAST_NAME.search(spot.before)
        hint = f"write <{shortened(name[0])}>; {escape}" if name else escape
        return _Lesson("a macro is written <NAME>", hint)
    if spot.found != "<":
        return None
    if _NAME.match(spot.text, spot.at):
        return _Lesson("the name of a macro has no blanks", f"write <NAME>; {escape}")
    return _Lesson("a macro is written <NAME>", escape)


def _escape(spot: _Spot) -> _Lesson | None:
    if spot.found != "\\":
        return None
    hint = "a backslash itself is written \\\\"
    if len(spot.rest) == 1 or spot.rest[1].isspace():
        return _Lesson("this backslash is no escape: nothing follows it", hint)
    return _Lesson(f"'{spot.rest[:2]}' is no escape", f"{hint}; in //…// it needs no other")


_LESSONS: tuple[Callable[[_Spot], _Lesson | None], ...] = (
    _repetition,
    _underscore,
    _regex,
    _part,
    _macro,
    _escape,
    _group,
)
