"""Convert literal tokens of the intent language to values."""

from __future__ import annotations

import re
from math import isinf

from lark import Token

from anaphora.grammar.lark_support import SourceError, offset_of
from anaphora.grammar.values import MAX_INT64

__all__ = ["parse_literal", "parse_number", "unquote"]

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "/": "/"}
_SURROGATE_PAIR = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rf"\\({_SURROGATE_PAIR}|u[0-9a-fA-F]{{4}}|.)", re.DOTALL)
_UNICODE_HINT = r"\u takes four hexadecimal digits of a whole character, such as \u00e9"


def parse_literal(token: Token) -> bool | int | float | str | None:
    """The value of a literal of any kind; raises SourceError for an invalid one."""
    match token.type:
        case "NULL":
            return None
        case "TRUE" | "FALSE":
            return token.type == "TRUE"
        case "STRING":
            return unquote(token)
        case _:
            return parse_number(token)


def parse_number(token: Token) -> int | float:
    """The integer or float. Raises SourceError for an integer that does not fit 64 bits; the
    smallest integer is a token of its own, with its sign."""
    digits = token.replace("_", "")
    if digits[0] == "0" and digits[1:2].isdigit():
        raise SourceError(offset_of(token), "a number does not begin with 0")
    fraction = float(digits)
    if isinf(fraction):
        raise SourceError(offset_of(token), "this number is too large")
    if not digits.isdigit():
        return fraction
    whole = int(digits)  # numbers too long for int() are infinite above
    if whole > MAX_INT64:
        raise SourceError(
            offset_of(token),
            "this integer does not fit 64 bits",
            f"the largest is {MAX_INT64}; a fraction is written with a point, such as 1.5e20",
        )
    return whole


def unquote(token: Token) -> str:
    """The text without quotes and escapes. A backslash before any other character is kept, as in
    NLPCraft, because regular expressions are full of them."""

    def character(match: re.Match[str]) -> str:
        escape = match[1]
        found = _decode_utf16_units(escape) if len(escape) > 1 else _ESCAPES.get(escape)
        if found:
            return found
        if escape[0] != "u":
            return match[0]
        at = offset_of(token) + 1 + match.start()
        raise SourceError(at, f"'\\{escape}' is no escape", _UNICODE_HINT)

    return _ESCAPE.sub(character, token[1:-1])


def _decode_utf16_units(escape: str) -> str:
    """Decode ``u00e9`` or a surrogate pair; '' for a lone surrogate."""
    units = (int(unit, 16) for unit in escape[1:].split("\\u"))
    return b"".join(unit.to_bytes(2, "big") for unit in units).decode("utf-16-be", "ignore")
