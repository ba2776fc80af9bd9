"""Says in plain words what is wrong where the intent language could not be read on.

The parser knows which terminals could follow and which brackets are open. The mistakes that
authors make most have a lesson each; for the others the terminals are listed in plain words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, NamedTuple

from lark import Token
from lark.exceptions import UnexpectedInput, UnexpectedToken

from anaphora.errors import Problem
from anaphora.grammar.source_positions import problem_at

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
_CONDITION_TERMINALS = frozenset(
    {"ID", "TILDE", "NOT"}
)  # where a condition of the short form begins
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
    """The problem that made the parser stop at ``error``. ``inside`` says what the whole text
    is: "predicate", or intents ("")."""
    spot = _locate_error(error, text, inside)
    lesson = next((found for teach in _EXPLAINERS if (found := teach(spot))), None)
    if lesson is None:
        lesson = _Explanation(
            f"{_describe_unexpected(spot.rest)}; expected is {_describe_expected(spot.expected)}"
        )
    at = spot.at if lesson.at is None else lesson.at
    return problem_at(text, source, at, lesson.message, lesson.hint)


class _Explanation(NamedTuple):
    message: str
    hint: str = ""
    at: int | None = None  # if not the place where the parser stopped


@dataclass(frozen=True, slots=True)
class _ErrorLocation:
    """Where the parser stopped: the texts on both sides, and what it knows there.

    ``open`` is the innermost bracket that is not closed; ``inside`` what it opens: a predicate,
    JSON, a quantifier, or '' outside of them.
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
        """A pattern that ends where the text before does."""
        return pattern.search(self.text, max(0, self.at - 200), self.at)


def _explain_comment(spot: _ErrorLocation) -> _Explanation | None:
    at = spot.at - 1 if spot.rest.startswith("*") and spot.before.endswith("/") else spot.at
    if not spot.text.startswith("/*", at):
        return None
    return _Explanation("this comment is not closed", "a comment ends with */", at)


def _explain_missing_intent(spot: _ErrorLocation) -> _Explanation | None:
    if "INTENT" not in spot.expected or "TERM" in spot.expected:
        return None
    hint = "did you mean 'intent'?" if get_close_matches(spot.word, ["intent"]) else ""
    if spot.word == "fragment":
        hint = "a fragment is declared so: fragment=place term(city)~{# == 'city'}"
    at = spot.at if spot.rest.strip() else 0
    return _Explanation(f"expected an intent, such as: {EXAMPLE}", hint, at)


def _explain_quote(spot: _ErrorLocation) -> _Explanation | None:
    first = spot.rest[:1]
    if first and first in _FOREIGN_QUOTES:
        return _Explanation(f"'{first}' does not begin a text", "texts stand between ' or \"")
    if first in ("'", '"') and not _STRING.match(spot.rest):
        return _Explanation(
            "this text has no closing quote", "a text ends on the line it begins on"
        )
    return None


def _explain_foreign_operator(spot: _ErrorLocation) -> _Explanation | None:
    """Operators of other languages."""
    if spot.inside != "predicate":
        return None
    for slip, meant in _FOREIGN_OPERATORS.items():
        for at in range(max(spot.at - 2, 0), spot.at + 1):
            if at + len(slip) > spot.at and spot.text.startswith(slip, at):
                return _Explanation(f"'{slip}' is no operator", f"write {meant}", at)
    if spot.rest[:1] in ("&", "|"):
        return _Explanation(f"'{spot.rest[0]}' is no operator", f"write {spot.rest[0] * 2}")
    if spot.word.lower() == "in" and spot.wants_operator and "HASH" not in spot.expected:
        return _Explanation(f"'{spot.word}' is no operator", "write has(list('a', 'b'), …)")
    if (operator := _WORD_OPERATORS.get(spot.word.lower())) and spot.wants_operator:
        return _Explanation(f"'{spot.word}' is no operator", f"write {operator}")
    last = spot.find(_LAST_WORD)
    if last and (operator := _WORD_OPERATORS.get(last[1].lower())) and spot.rest[:1] not in "})":
        return _Explanation(f"'{last[1]}' is no operator", f"write {operator}", last.start(1))
    return None


def _explain_missing_brace(spot: _ErrorLocation) -> _Explanation | None:
    """A term or an intent that begins while a predicate is open."""
    if spot.inside != "predicate" or spot.open is None:
        return None
    if spot.rest[:1] in ("=", "~") and (term := spot.find(_LAST_TERM)):
        return _explain_unclosed(spot.open, spot.text, at=term.start(1))
    if spot.wants_operator and re.match(r"(term\b\s*[(=~])|(intent|id)\s*=[^=]", spot.rest):
        return _explain_unclosed(spot.open, spot.text)
    return None


def _explain_unmatched_bracket(spot: _ErrorLocation) -> _Explanation | None:
    first = spot.rest[:1]
    if first.strip() and first not in _CLOSERS.values():
        return None
    if spot.open is None or first == _CLOSERS[spot.open.value]:
        opener = next((opener for opener, closer in _CLOSERS.items() if closer == first), "")
        unopened = spot.open is None and opener
        return _Explanation(f"there is no '{opener}' for this '{first}'") if unopened else None
    if spot.inside == "predicate" and first == ")" and spot.open.value == "{":
        return _Explanation("there is no '(' for this ')'")
    return _explain_unclosed(spot.open, spot.text, more=bool(first))


def _explain_separator(spot: _ErrorLocation) -> _Explanation | None:
    """Commas and semicolons where things simply follow each other."""
    if spot.rest[:1] not in (",", ";"):
        return None
    found = f"'{spot.rest[0]}' is not expected here"
    if not spot.inside:
        return _Explanation(found, "the parts of an intent stand side by side, without commas")
    if spot.inside == "predicate" and spot.open is not None and spot.open.value == "{":
        return _Explanation(found, "variables and the condition stand side by side, without commas")
    return None


def _explain_foreign_value(spot: _ErrorLocation) -> _Explanation | None:
    """Values as other languages, or the short form, write them."""
    if spot.inside != "predicate" or "HASH" not in spot.expected:
        return None
    if number := _BARE_FRACTION.match(spot.rest):
        return _Explanation("a number begins with a digit", f"write 0{number[0]}")
    if meta := _SHORT_META.match(spot.rest):
        hint = f"here it is written meta_ent('{meta[1]}')"
        return _Explanation("'~' belongs to intents that begin with id=", hint)
    return None


def _explain_assignment(spot: _ErrorLocation) -> _Explanation | None:
    if spot.inside == "predicate" and spot.rest.startswith("=") and spot.wants_operator:
        return _Explanation("'=' does not compare", "a comparison is written ==")
    return None


def _explain_missing_value(spot: _ErrorLocation) -> _Explanation | None:
    """A value or a condition that is left out before a bracket or a comma."""
    if spot.inside != "predicate" or spot.rest[:1] not in tuple("}),]"):
        return None
    if spot.rest[0] == "}" and spot.before.endswith("{"):
        return _Explanation(
            "this predicate is empty", "a condition stands there, such as # == 'food'"
        )
    if spot.rest[0] == "}" and spot.wants_value and not spot.before.endswith(tuple("=!<>&|+-*/%@")):
        return _Explanation("after its variables a predicate needs a condition")
    if spot.wants_value or "STRING" in spot.expected:
        return _Explanation(f"a value is missing before '{spot.rest[0]}'")
    return None


def _explain_quantifier(spot: _ErrorLocation) -> _Explanation | None:
    braces = spot.rest.startswith("{") and {"LSQB", "OPTIONAL"} <= spot.expected
    if spot.inside != "quantifier" and not braces:
        return None
    return _Explanation("this is no quantifier", "there are ?, *, + and [min,max], such as [1,2]")


def _explain_term_name(spot: _ErrorLocation) -> _Explanation | None:
    if "LBRACE" not in spot.expected and not {"EQUAL", "TILDE"} <= spot.expected:
        return None
    if spot.rest.startswith("{") and {"EQUAL", "TILDE"} <= spot.expected:
        hint = "= takes from the sentence alone, ~ from memory as well"
        return _Explanation("'=' or '~' is missing before '{'", hint)
    last = spot.find(_LAST_WORD)
    if spot.word and last and last[1] == "term":
        return _Explanation("a term's name stands in parentheses", f"write term({spot.word})")
    return None


def _explain_unknown_clause(spot: _ErrorLocation) -> _Explanation | None:
    if not spot.word or "TERM" not in spot.expected:
        return None
    if spot.word in ("intent", "fragment", "import", "id"):
        return _Explanation(f"a term is missing before '{spot.word}'", f"such as {_EXAMPLE_TERM}")
    if spot.word in _CLAUSE_NAMES.values():
        return _Explanation(f"'{spot.word}' stands before the first term of an intent")
    known = [name for terminal, name in _CLAUSE_NAMES.items() if terminal in spot.expected]
    close = get_close_matches(spot.word, known, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"what can stand here: {', '.join(known)}"
    if spot.word == "conv":
        hint = "term~{…} may take from memory, term={…} from the sentence alone"
    return _Explanation(f"an intent has no part '{spot.word}'", hint)


def _explain_json(spot: _ErrorLocation) -> _Explanation | None:
    if spot.inside != "json" or not spot.word:
        return None
    if "_COLON" not in spot.expected and spot.word.lower() in ("true", "false", "null"):
        return _Explanation(f"'{spot.word}' is not expected here", f"write {spot.word.lower()}")
    if "STRING" in spot.expected:
        return _Explanation("keys and texts stand in quotes", f"write '{spot.word}'")
    return None


def _explain_name(spot: _ErrorLocation) -> _Explanation | None:
    if "ID" not in spot.expected or len(spot.expected) > 1 or not spot.rest.strip():
        return None
    if spot.rest[0] in ("'", '"'):
        return _Explanation("a name stands without quotes")
    return _Explanation(
        f"{_describe_unexpected(spot.rest)}", "a name begins with a letter, '_' or '$'"
    )


def _explain_short_form(spot: _ErrorLocation) -> _Explanation | None:
    """What only the long form can say."""
    if spot.inside != "predicate" or "HASH" in spot.expected:
        return None
    if spot.rest[:1] in ("#", "@") and spot.wants_value:
        hint = "in an intent that begins with id= the element is id, its groups are groups"
        return _Explanation(f"'{spot.rest[0]}' belongs to intents that begin with intent=", hint)
    if spot.rest.startswith("(") and spot.wants_operator and "AND" not in spot.expected:
        return _Explanation("functions belong to intents that begin with intent=")
    return None


def _explain_two_values(spot: _ErrorLocation) -> _Explanation | None:
    if spot.inside != "predicate" or not spot.wants_operator or not spot.word:
        return None
    message = f"{_describe_unexpected(spot.rest)}; expected is {_describe_expected(spot.expected)}"
    return _Explanation(message, "a text stands in quotes")


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
    # At the end of the text the caret says it; whoever cut the text off may know more.
    hint = f"add the missing {_CLOSERS[bracket.value]} for: {shown}" if more else ""
    return _Explanation(f"a '{bracket}' is not closed", hint, at)


def _describe_unexpected(rest: str) -> str:
    found = _FIRST_TOKEN.match(rest.lstrip() or rest)
    if not found:
        return "the text ends too early"
    shown = f"'{found[0]}'" if found[0].isprintable() else f"U+{ord(found[0]):04X}"
    return f"{shown} is not expected here"


def _describe_expected(expected: frozenset[str]) -> str:
    """The terminals that could follow, in plain words."""
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
    """The last bracket that is open on the parser's stack, and what it is the bracket of."""
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
