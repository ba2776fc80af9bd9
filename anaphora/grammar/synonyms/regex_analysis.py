"""Decide whether a regular expression can match any text without whitespace.

RE2 cannot answer this, so this module parses the structure of a valid expression. Only adjacency
matters: each element is reduced to its assertions and to the kinds of characters that it can
match, word characters (as for ``\\b``) and others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from string import ascii_letters, digits
from typing import NamedTuple, TypeAlias

__all__ = ["can_match_word"]

_START, _WORD, _OTHER, _END = "start", "word", "other", "end"
_ANYTHING = frozenset({_WORD, _OTHER, _END})
_MAX_REPETITIONS = 1_000  # far more than there are states

_TOKEN = re.compile(
    r"(?P<quoted>\\Q(?P<literal>.*?)(?:\\E|$))"
    r"|(?P<open>\((?:\?P?<[^>]*>|\?:)?(?!\?))"
    r"|(?P<flags>\(\?[A-Za-z-]*[:)])"
    r"|(?P<close>\))"
    r"|(?P<bar>\|)"
    r"|(?P<repeat>(?:[*+?]|\{(?P<least>[0-9]+)(?P<comma>,(?P<most>[0-9]*))?\})\??)"
    r"|(?P<assertion>[\^$]|\\[AbBz])"
    r"|(?P<set>\[\^?\]?(?:\[:\^?[a-z]+:\]|\\[pP](?:\{[^}]*\}|.)|\\.|[^\]\\])*\]"
    r"|\\(?:[pP](?:\{[^}]*\}|.)|x(?:\{[^}]*\}|..)|[0-7]{1,3}|.)|.)",
    re.DOTALL,
)


class _State(NamedTuple):
    """The kind of the character before a position, and the kinds that may follow."""

    before: str
    after: frozenset[str]


_States: TypeAlias = frozenset[_State]
_Step: TypeAlias = Callable[[_States], _States]
"""Maps the states before an element to those after it."""


@lru_cache(maxsize=1_000)
def can_match_word(text: str) -> bool:
    """Whether a valid RE2 expression matches any non-empty text without whitespace."""
    states = _RegexParser(text).parse()(frozenset({_State(_START, _ANYTHING)}))
    return any(one.before != _START and _END in one.after for one in states)


class _RegexParser:
    """A recursive descent parser for expressions."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_TOKEN.finditer(text))
        self._at = 0

    def parse(self) -> _Step:
        """Parse alternatives up to and including a closing parenthesis, or to the end."""
        ways: list[_Step] = []
        row: list[_Step] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            match token.lastgroup:
                case "close":
                    break
                case "bar":
                    ways.append(_sequence(row))
                    row = []
                case "open":
                    row.append(self.parse())
                case "flags":
                    if token[0].endswith(":"):
                        row.append(self.parse())
                case "repeat" if row:
                    row.append(_repeat(row.pop(), token))
                case "assertion":
                    row.append(_match_assertion(token[0]))
                case "quoted":
                    row += [
                        _match_kinds(_character_kinds(re.escape(one))) for one in token["literal"]
                    ]
                case _:
                    row.append(_match_kinds(_character_kinds(token[0])))
        return _alternatives([*ways, _sequence(row)])


def _sequence(steps: list[_Step]) -> _Step:
    def step(states: _States) -> _States:
        for one in steps:
            states = one(states)
        return states

    return step


def _alternatives(ways: list[_Step]) -> _Step:
    return lambda states: frozenset().union(*(way(states) for way in ways))


def _repeat(inner: _Step, token: re.Match[str]) -> _Step:
    sign = token[0][0]
    least, most = int(sign == "+"), 1 if sign == "?" else _MAX_REPETITIONS
    if sign == "{":
        least = most = int(token["least"])
        if token["comma"]:
            most = int(token["most"] or _MAX_REPETITIONS)

    def step(states: _States) -> _States:
        for _ in range(least):
            states = inner(states)
        for _ in range(most - least):
            reached = states | inner(states)
            if reached == states:
                break
            states = reached
        return states

    return step


def _match_kinds(kinds: frozenset[str]) -> _Step:
    return lambda states: frozenset(
        _State(kind, _ANYTHING) for one in states for kind in kinds & one.after
    )


def _match_assertion(sign: str) -> _Step:
    def allowed(before: str) -> frozenset[str]:
        match sign:
            case "^" | r"\A":
                return _ANYTHING if before == _START else frozenset()
            case "$" | r"\z":
                return frozenset({_END})
        others = frozenset({_WORD}) if before != _WORD else frozenset({_OTHER, _END})
        return others if sign == r"\b" else _ANYTHING - others

    return lambda states: frozenset(
        _State(one.before, after) for one in states if (after := one.after & allowed(one.before))
    )


@lru_cache(maxsize=10_000)
def _character_kinds(written: str) -> frozenset[str]:
    """The kinds of characters that a character or class matches, apart from whitespace."""
    import re2

    options = re2.Options()
    options.log_errors = False
    pattern = re2.compile(written, options)
    return frozenset(
        kind
        for kind, samples in ((_WORD, _word_samples), (_OTHER, _other_samples))
        if any(pattern.search(sample) for sample in samples())
    )


def _word_samples() -> Iterator[str]:
    """The word characters of RE2, all in ASCII."""
    yield f"_{ascii_letters}{digits}"


def _other_samples() -> Iterator[str]:
    """All other non-whitespace characters, the most frequent ones first."""
    yield "".join(
        char for char in map(chr, range(0x21, 0x80)) if not (char.isalnum() or char == "_")
    )
    # Not one by one: there are a million.
    for first, last in ((0x80, 0x3000), (0x3000, 0xD800), (0xE000, 0x110000)):
        yield "".join("".join(map(chr, range(first, last))).split())
