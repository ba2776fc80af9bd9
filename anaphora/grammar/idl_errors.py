"""Says in plain words what is wrong where the intent language could not be read on."""

from __future__ import annotations

import re
from difflib import get_close_matches

from lark.exceptions import UnexpectedInput, UnexpectedToken

from anaphora.errors import Problem
from anaphora.grammar.places import problem_at

__all__ = ["problem_of"]

EXAMPLE = "intent=order term(food)~{# == 'food'}"

_PLAIN = {
    "INTENT": "an intent ('intent=…')",
    "TERM": "a term ('term(…)={…}')",
    "EQUAL": "'='",
    "_EQUAL": "'='",
    "TILDE": "'~'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "_LPAR": "'('",
    "_RPAR": "')'",
    "LSQB": "'['",
    "_RSQB": "']'",
    "_COMMA": "','",
    "_COLON": "':'",
    "ID": "a name",
    "STRING": "a text in quotes",
    "NUMBER": "a number",
}
_VALUE = {"ID", "HASH", "STRING", "NUMBER", "NULL"}
_CLAUSES = ("options", "flow", "meta", "ordered", "term", "intent")
_WORD = re.compile(r"[^\W\d]\w*")
_SHOWN = re.compile(r"\w+|\S")


def problem_of(error: UnexpectedInput, text: str, source: str) -> Problem:
    """The problem that made the parser stop at ``error``."""
    expected = set(_expected(error))
    at = _place(error, text)
    rest = text[at:]
    if not text.strip() or (at >= len(text) and "INTENT" in expected and "TERM" not in expected):
        return problem_at(text, source, 0, "there is no intent", f"one is written {EXAMPLE}")
    message, hint = _special(rest, text[:at], expected)
    if not message:
        found = _SHOWN.search(rest)
        what = f"'{found[0]}' is not expected here" if found else "the text ends too early"
        message = f"{what}; expected is {_listed(expected)}"
    return problem_at(text, source, at, message, hint)


def _special(rest: str, before: str, expected: set[str]) -> tuple[str, str]:
    """A message and a hint for the mistakes that are made most."""
    word = match[0] if (match := _WORD.match(rest)) else ""
    in_expression = bool(expected & {"AND", "IS"}) or expected >= _VALUE
    if rest.startswith("/*"):
        return "this comment is not closed", "a comment ends with */"
    if rest[:1] in ("'", '"'):
        if "AND" in expected or "STRING" not in expected:
            return f"a text is not expected here; expected is {_listed(expected)}", ""
        return "this text has no closing quote", ""
    if word in ("and", "or") and "AND" in expected:
        return f"'{word}' is no operator", f"write {'&&' if word == 'and' else '||'}"
    if rest.startswith("=") and "IS" in expected:
        return "'=' does not compare", "write =="
    if rest[:1] in ("&", "|") and in_expression:
        return f"'{rest[0]}' is no operator", f"write {rest[0] * 2}"
    if not rest.strip() and "RBRACE" in expected:
        return "a '{' is not closed", "add the missing }"
    if not rest.strip() and "_RPAR" in expected and "RBRACE" not in expected:
        return "a '(' is not closed", "add the missing )"
    if word and "TERM" in expected and before.rstrip()[-1:] != "=":
        close = get_close_matches(word, _CLAUSES, n=1)
        meant = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(_CLAUSES)}"
        return f"an intent has no part '{word}'", meant
    if word and before.rstrip().endswith("term"):
        return "a term's name stands in parentheses", f"write term({word})"
    return "", ""


def _listed(expected: set[str]) -> str:
    """The terminals that could follow, in plain words."""
    words = []
    if expected >= _VALUE:
        words.append("a value, such as #, 'text', 42 or a function")
        expected = expected - _VALUE - {"LSQB", "_LPAR"}
    elif "AND" in expected:
        words.append("an operator, such as == or &&")
    words += sorted({_PLAIN[name] for name in expected & _PLAIN.keys()})
    return " or ".join(words) or "something else"


def _expected(error: UnexpectedInput) -> set[str]:
    if isinstance(error, UnexpectedToken):
        return set(error.accepts or error.expected)
    return set(getattr(error, "allowed", None) or getattr(error, "expected", None) or ())


def _place(error: UnexpectedInput, text: str) -> int:
    """The offset where reading stopped: at the end, behind the last thing that was written."""
    position: int | None = error.pos_in_stream
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    return len(text.rstrip()) if ended or position is None else position
