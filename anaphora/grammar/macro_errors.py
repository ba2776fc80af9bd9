"""Says in plain words what is wrong where the synonym language could not be read on."""

from __future__ import annotations

import re

from lark.exceptions import UnexpectedInput, UnexpectedToken

from anaphora.errors import Problem
from anaphora.grammar.places import problem_at

__all__ = ["problem_of"]

_ESCAPE = re.compile(r"\\.", re.DOTALL)
_ESCAPED = "a character with a meaning of its own is written with a backslash: "


def problem_of(error: UnexpectedInput, text: str, source: str) -> Problem:
    """The problem that made the parser stop at ``error``."""
    position: int | None = error.pos_in_stream
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    at = len(text.rstrip()) if ended or position is None else position
    message, hint = _said(text, at)
    return problem_at(text, source, at, message, hint)


def _said(text: str, at: int) -> tuple[str, str]:
    found = text[at : at + 1]
    before = _ESCAPE.sub("", text[:at]).rstrip()
    if text.startswith("//", at):
        return "this regular expression is not closed", "it ends with // as it begins; // is \\/\\/"
    if text.startswith("^^", at):
        return "'^^' has no meaning in a synonym", f"{_ESCAPED}\\^\\^"
    if found in ("[", "]") or before.rfind("[") > before.rfind("]"):
        return _of_repetition(found, before)
    match found:
        case "":
            return "a '{' is not closed", "add the missing }"
        case "}" | "|" if before.endswith(("{", "|")):
            return "an alternative is empty", "write _ for nothing"
        case "}":
            return "there is no '{' for this '}'", f"{_ESCAPED}\\}}"
        case "|":
            return "'|' stands outside of a group", "write {a|b}"
        case "_" if before.count("{") > before.count("}"):
            return "_ stands for nothing and must be alone between bars", "write {a|_}, or \\_"
        case "_":
            return "_ stands outside of a group", "write {a|_} for a or nothing, or \\_ for itself"
        case "<" | ">":
            return "a macro is written <NAME>", f"{_ESCAPED}\\{found}"
        case "\\":
            return "this is no escape", "a backslash itself is written \\\\"
        case _ if before.endswith("_"):
            return "_ stands for nothing and must be alone between bars", "write {a|_}, or \\_"
        case _:
            return f"'{found}' is not expected here", ""


def _of_repetition(found: str, before: str) -> tuple[str, str]:
    example = "a repetition is written {word}[1,2]"
    if not found:
        return "a '[' is not closed", example
    if before.rfind("[") > before.rfind("]"):
        return "this is no repetition", example
    return example, f"{_ESCAPED}\\{found}"
