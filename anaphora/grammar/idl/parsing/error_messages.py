"""Explain syntax errors of the intent language.

The parser knows the expected terminals and the open brackets. Each common mistake has an
explainer of its own; for other errors the message lists the expected terminals.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from lark import Token
from lark.exceptions import UnexpectedInput, UnexpectedToken

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import Problem
from anaphora.grammar.diagnostics import problem_at

__all__ = ["explain_syntax_error"]

_EXAMPLE_TERM = "term(food)={# == 'food'}"
EXAMPLE = f"intent=order {_EXAMPLE_TERM}"

_TERMINAL_NAMES = {
    "INTENT": "an intent ('intent=…')",
    "METHOD": "a function in Python ('/module#name/')",
    "TERM": "a term ('term(…)={…}')",
    "EQUAL": "'='",
    "_EQUAL": "'='",
    "TILDE": "'~'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "_LPAR": "'('",
    "LPAR": "'('",
    "_RPAR": "')'",
    "LSQB": "'['",
    "_RSQB": "']'",
    "_COMMA": "','",
    "_COLON": "':'",
    "ID": "a name",
    "STRING": "a text in quotes",
    "NUMBER": "a number",
    "TRUE": "true",
    "FALSE": "false",
}
_VALUE_TERMINALS = frozenset({"ID", "HASH", "STRING", "NUMBER", "NULL"})
_CONDITION_TERMINALS = frozenset({"ID", "TILDE", "NOT"})  # begin a condition of the short form
_CLAUSE_NAMES = {
    "OPTIONS": "options",
    "ORDERED": "ordered",
    "FLOW": "flow",
    "META": "meta",
    "TERM": "term",
    "FRAGMENT_REFERENCE": "fragment",
    "INTENT": "intent",
}
_CLOSERS = {"{": "}", "(": ")", "[": "]"}
_WORD_OPERATORS = {"and": "&&", "or": "||", "not": "!"}
_FOREIGN_OPERATORS = {"===": "==", "=<": "<=", "=>": ">=", "<>": "!=", "!==": "!="}
_FOREIGN_QUOTES = "‘’‚“”„«»`´"  # not the language's own quotation marks

_MAX_EXCERPT_LENGTH = 24

_WORD = re.compile(r"[^\W\d]\w*")
_LAST_WORD = re.compile(r"(?<!\w)([^\W\d]\w*)\s*$")
_LAST_TERM = re.compile(r"(?<!\w)(term\s*(?:\([^()]*\))?)\s*$")
_STRING = re.compile(r"'(\\.|[^'\\\n])*'|\"(\\.|[^\"\\\n])*\"")
_BARE_FRACTION = re.compile(r"\.[0-9]+")
_SHORT_META = re.compile(r"~\s*([^\W\d]\w*)")
_FIRST_TOKEN = re.compile(r"\w+|\S|.", re.DOTALL)


def explain_syntax_error(
    error: UnexpectedInput, text: str, source: str, *, inside: str = ""
) -> Problem:
    """Describe the syntax error at which the parser stopped. ``inside`` is the kind of the whole
    text: "predicate", or "" for intents."""
    location = _locate_error(error, text, inside)
    explanation = next((found for explain in _EXPLAINERS if (found := explain(location))), None)
    if explanation is None:
        explanation = _Explanation(_describe_mismatch(location))
    at = location.at if explanation.at is None else explanation.at
    return problem_at(text, source, at, explanation.message, explanation.hint)


class _Explanation(NamedTuple):
    message: str
    hint: str = ""
    at: int | None = None  # None for the offset where the parser stopped


@dataclass(frozen=True, slots=True)
class _ErrorLocation:
    """The point where the parser stopped, with its state.

    ``open`` is the innermost unclosed bracket; ``inside`` is what it encloses: "predicate",
    "json", "quantifier" or ''.
    """

    text: str
    at: int
    expected: frozenset[str]
    open: Token | None
    inside: str

    @property
    def before(self) -> str:
        return self.text[: self.at].rstrip()

    @property
    def rest(self) -> str:
        return self.text[self.at :]

    @property
    def word(self) -> str:
        return match[0] if (match := _WORD.match(self.rest)) else ""

    @property
    def wants_value(self) -> bool:
        return self.expected >= _VALUE_TERMINALS or self.expected >= _CONDITION_TERMINALS

    @property
    def wants_operator(self) -> bool:
        return bool(self.expected & {"AND", "IS"})

    def find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Match a pattern that ends at this point."""
        return pattern.search(self.text, max(0, self.at - 200), self.at)


def _explain_comment(location: _ErrorLocation) -> _Explanation | None:
    at = (
        location.at - 1
        if location.rest.startswith("*") and location.before.endswith("/")
        else location.at
    )
    if not location.text.startswith("/*", at):
        return None
    return _Explanation("this comment is not closed", "a comment ends with */", at)


def _explain_missing_intent(location: _ErrorLocation) -> _Explanation | None:
    if "INTENT" not in location.expected or "TERM" in location.expected:
        return None
    hint = did_you_mean(location.word, ["intent"])
    if location.word == "fragment":
        hint = "a fragment is declared so: fragment=place term(city)~{# == 'city'}"
    at = location.at if location.rest.strip() else 0
    return _Explanation(f"expected an intent, such as: {EXAMPLE}", hint, at)


def _explain_quote(location: _ErrorLocation) -> _Explanation | None:
    first = location.rest[:1]
    if first and first in _FOREIGN_QUOTES:
        return _Explanation(f"'{first}' does not begin a text", "texts are quoted with ' or \"")
    if first in ("'", '"') and not _STRING.match(location.rest):
        return _Explanation(
            "this text has no closing quote", "a text ends on the line it begins on"
        )
    return None


def _explain_foreign_operator(location: _ErrorLocation) -> _Explanation | None:
    """Operators of other languages."""
    if location.inside != "predicate":
        return None
    for slip, meant in _FOREIGN_OPERATORS.items():
        for at in range(max(location.at - 2, 0), location.at + 1):
            if at + len(slip) > location.at and location.text.startswith(slip, at):
                return _Explanation(f"'{slip}' is no operator", f"write {meant}", at)
    if location.rest[:1] in ("&", "|"):
        return _Explanation(f"'{location.rest[0]}' is no operator", f"write {location.rest[0] * 2}")
    if (
        location.word.lower() == "in"
        and location.wants_operator
        and "HASH" not in location.expected
    ):
        return _Explanation(f"'{location.word}' is no operator", "write has(list('a', 'b'), …)")
    if (operator := _WORD_OPERATORS.get(location.word.lower())) and location.wants_operator:
        return _Explanation(f"'{location.word}' is no operator", f"write {operator}")
    last = location.find(_LAST_WORD)
    if (
        last
        and (operator := _WORD_OPERATORS.get(last[1].lower()))
        and location.rest[:1] not in "})"
    ):
        return _Explanation(f"'{last[1]}' is no operator", f"write {operator}", last.start(1))
    return None


def _explain_missing_brace(location: _ErrorLocation) -> _Explanation | None:
    """A term or an intent begins inside an unclosed predicate."""
    if location.inside != "predicate" or location.open is None:
        return None
    if location.rest[:1] in ("=", "~") and (term := location.find(_LAST_TERM)):
        return _explain_unclosed(location.open, location.text, at=term.start(1))
    if location.wants_operator and re.match(r"(term\b\s*[(=~])|(intent|id)\s*=[^=]", location.rest):
        return _explain_unclosed(location.open, location.text)
    return None


def _explain_unmatched_bracket(location: _ErrorLocation) -> _Explanation | None:
    first = location.rest[:1]
    if first.strip() and first not in _CLOSERS.values():
        return None
    if location.open is None or first == _CLOSERS[location.open.value]:
        opener = next((opener for opener, closer in _CLOSERS.items() if closer == first), "")
        unopened = location.open is None and opener
        return _Explanation(f"there is no '{opener}' for this '{first}'") if unopened else None
    if location.inside == "predicate" and first == ")" and location.open.value == "{":
        return _Explanation("there is no '(' for this ')'")
    return _explain_unclosed(location.open, location.text, more=bool(first))


def _explain_separator(location: _ErrorLocation) -> _Explanation | None:
    """Commas and semicolons where blanks separate."""
    if location.rest[:1] not in (",", ";"):
        return None
    found = f"'{location.rest[0]}' is not expected here"
    if not location.inside:
        return _Explanation(found, "the parts of an intent are separated by blanks, not commas")
    if location.inside == "predicate" and location.open is not None and location.open.value == "{":
        return _Explanation(
            found, "variables and the condition are separated by blanks, not commas"
        )
    return None


def _explain_foreign_value(location: _ErrorLocation) -> _Explanation | None:
    """Values in the syntax of other languages or of the short form."""
    if location.inside != "predicate" or "HASH" not in location.expected:
        return None
    if number := _BARE_FRACTION.match(location.rest):
        return _Explanation("a number begins with a digit", f"write 0{number[0]}")
    if meta := _SHORT_META.match(location.rest):
        hint = f"write meta_ent('{meta[1]}')"
        return _Explanation("'~' belongs to intents that begin with id=", hint)
    return None


def _explain_assignment(location: _ErrorLocation) -> _Explanation | None:
    if location.inside == "predicate" and location.rest.startswith("=") and location.wants_operator:
        return _Explanation("'=' does not compare", "a comparison is written ==")
    return None


def _explain_missing_value(location: _ErrorLocation) -> _Explanation | None:
    """A missing value or condition before a bracket or comma."""
    if location.inside != "predicate" or location.rest[:1] not in tuple("}),]"):
        return None
    if location.rest[0] == "}" and location.before.endswith("{"):
        return _Explanation("this predicate is empty", "write a condition, such as # == 'food'")
    if (
        location.rest[0] == "}"
        and location.wants_value
        and not location.before.endswith(tuple("=!<>&|+-*/%@"))
    ):
        return _Explanation("after its variables a predicate needs a condition")
    if location.wants_value or "STRING" in location.expected:
        return _Explanation(f"a value is missing before '{location.rest[0]}'")
    return None


def _explain_quantifier(location: _ErrorLocation) -> _Explanation | None:
    braces = location.rest.startswith("{") and {"LSQB", "OPTIONAL"} <= location.expected
    if location.inside != "quantifier" and not braces:
        return None
    return _Explanation("this is no quantifier", "there are ?, *, + and [min,max], such as [1,2]")


def _explain_term_name(location: _ErrorLocation) -> _Explanation | None:
    if "LBRACE" not in location.expected and not {"EQUAL", "TILDE"} <= location.expected:
        return None
    if location.rest.startswith("{") and {"EQUAL", "TILDE"} <= location.expected:
        hint = "= takes from the sentence alone, ~ from memory as well"
        return _Explanation("'=' or '~' is missing before '{'", hint)
    last = location.find(_LAST_WORD)
    if location.word and last and last[1] == "term":
        return _Explanation(
            "the name of a term is put in parentheses", f"write term({location.word})"
        )
    return None


def _explain_unknown_clause(location: _ErrorLocation) -> _Explanation | None:
    if not location.word or "TERM" not in location.expected:
        return None
    if location.word in ("intent", "fragment", "import", "id"):
        return _Explanation(
            f"a term is missing before '{location.word}'", f"such as {_EXAMPLE_TERM}"
        )
    if location.word in _CLAUSE_NAMES.values():
        return _Explanation(f"'{location.word}' must come before the first term of an intent")
    known = [name for terminal, name in _CLAUSE_NAMES.items() if terminal in location.expected]
    hint = did_you_mean(location.word, known) or f"what can stand here: {', '.join(known)}"
    if location.word == "conv":
        hint = "term~{…} may take from memory, term={…} from the sentence alone"
    return _Explanation(f"an intent has no part '{location.word}'", hint)


def _explain_json(location: _ErrorLocation) -> _Explanation | None:
    if location.inside != "json" or not location.word:
        return None
    if "_COLON" not in location.expected and location.word.lower() in ("true", "false", "null"):
        return _Explanation(
            f"'{location.word}' is not expected here", f"write {location.word.lower()}"
        )
    if "STRING" in location.expected:
        return _Explanation("keys and texts need quotes", f"write '{location.word}'")
    return None


def _explain_name(location: _ErrorLocation) -> _Explanation | None:
    if "ID" not in location.expected or len(location.expected) > 1 or not location.rest.strip():
        return None
    if location.rest[0] in ("'", '"'):
        return _Explanation("a name is written without quotes")
    return _Explanation(
        f"{_describe_unexpected(location.rest)}", "a name begins with a letter, '_' or '$'"
    )


def _explain_short_form(location: _ErrorLocation) -> _Explanation | None:
    """Syntax of the long form in the short form."""
    if location.inside != "predicate" or "HASH" in location.expected:
        return None
    if location.rest[:1] in ("#", "@") and location.wants_value:
        hint = "in an intent that begins with id= the element is id, its groups are groups"
        return _Explanation(
            f"'{location.rest[0]}' belongs to intents that begin with intent=", hint
        )
    if location.rest.startswith(",") and "_RPAR" in location.expected:
        hint = "others belong to intents that begin with intent="
        return _Explanation("a function takes one property here", hint)
    return None


def _explain_two_values(location: _ErrorLocation) -> _Explanation | None:
    if location.inside != "predicate" or not location.wants_operator or not location.word:
        return None
    return _Explanation(_describe_mismatch(location), "texts need quotes")


_EXPLAINERS: tuple[Callable[[_ErrorLocation], _Explanation | None], ...] = (
    _explain_comment,
    _explain_missing_intent,
    _explain_quote,
    _explain_foreign_operator,
    _explain_missing_brace,
    _explain_quantifier,
    _explain_unmatched_bracket,
    _explain_separator,
    _explain_assignment,
    _explain_foreign_value,
    _explain_missing_value,
    _explain_term_name,
    _explain_unknown_clause,
    _explain_json,
    _explain_name,
    _explain_short_form,
    _explain_two_values,
)


def _explain_unclosed(
    bracket: Token, text: str, *, more: bool = True, at: int | None = None
) -> _Explanation:
    start = bracket.start_pos or 0
    line = text[start:].split("\n", 1)[0].rstrip()
    shown = line if len(line) <= _MAX_EXCERPT_LENGTH else f"{line[:_MAX_EXCERPT_LENGTH]}…"
    # At the end of the text the caret says enough.
    hint = f"add the missing {_CLOSERS[bracket.value]} for: {shown}" if more else ""
    return _Explanation(f"a '{bracket}' is not closed", hint, at)


def _describe_mismatch(location: _ErrorLocation) -> str:
    expected = _describe_expected(location.expected)
    return f"{_describe_unexpected(location.rest)}; expected is {expected}"


def _describe_unexpected(rest: str) -> str:
    found = _FIRST_TOKEN.match(rest.lstrip() or rest)
    if not found:
        return "the text ends too early"
    shown = f"'{found[0]}'" if found[0].isprintable() else f"U+{ord(found[0]):04X}"
    return f"{shown} is not expected here"


def _describe_expected(expected: frozenset[str]) -> str:
    """Describe the expected terminals."""
    words = []
    if expected >= _VALUE_TERMINALS:
        words.append("a value, such as #, 'text', 42 or a function")
        expected = expected - _VALUE_TERMINALS - {"LSQB", "_LPAR", "TRUE", "FALSE"}
    elif expected >= _CONDITION_TERMINALS:
        words.append("a condition, such as id == 'food' or ~size > 2")
        expected = expected - _CONDITION_TERMINALS - {"_LPAR"}
    elif expected & {"AND", "IS"}:
        words.append("an operator, such as == or &&" if "AND" in expected else "a comparison")
    words += sorted({_TERMINAL_NAMES[name] for name in expected & _TERMINAL_NAMES.keys()})
    return " or ".join(words)


def _locate_error(error: UnexpectedInput, text: str, around: str) -> _ErrorLocation:
    parser: Any = error.interactive_parser
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    position: int | None = error.pos_in_stream
    at = len(text.rstrip()) if ended or position is None else position
    bracket, inside = _find_open_bracket(parser.parser_state.value_stack, around)
    return _ErrorLocation(
        text, at, frozenset(parser.accepts()) - {"SMALLEST"}, bracket, inside or around
    )


def _find_open_bracket(stack: list[Any], around: str) -> tuple[Token | None, str]:
    """The innermost open bracket on the parser's stack, and what it encloses."""
    opened: list[tuple[Token, str]] = []
    for before, token in pairwise([None, *stack]):
        if not isinstance(token, Token):
            continue
        if token.value in _CLOSERS.values():
            opened.pop()
        elif token.value in _CLOSERS:
            opened.append((token, around or _classify_bracket(before, token, opened)))
    return opened[-1] if opened else (None, "")


def _classify_bracket(before: Any, bracket: Token, opened: list[tuple[Token, str]]) -> str:
    if opened and bracket.value == "{" and opened[-1][0].value == "(":
        return "json"  # the arguments of a fragment
    if opened:
        return opened[-1][1]
    previous = before.type if isinstance(before, Token) else ""
    match bracket.value:
        case "{":
            return "json" if previous == "_EQUAL" else "predicate"
        case "[":
            return "quantifier"
        case _:
            return ""
