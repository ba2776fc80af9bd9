"""Reads the synonym language and writes out the phrases that a synonym stands for.

The language is defined by ``macro.lark``. How many phrases there will be is known before the
first is made, so that no synonym can explode.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.macro_errors import problem_of
from anaphora.grammar.parsing import MistakeError, check_text, load_parser, located, offset
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.places import problem_at

__all__ = ["Phrase", "check_macros", "expand"]

Phrase: TypeAlias = tuple[str | Pattern, ...]

LONGEST_TEXT = 16 * 1024  # characters
DEEPEST_NESTING = 50
MOST_REPEATED = 100
LONGEST_PHRASE = 2_000  # characters

_ENDLESS = 10**12
_SPECIAL = re.compile(r"[{}<>\\|_\[\]\ud800-\udfff]|//|\^\^")
_BRACE = re.compile(r"\\.|[{}]")
_MACRO_NAME = re.compile(r"<[A-Za-z0-9_-]+>")


def expand(
    text: str, macros: Mapping[str, str] | None = None, *, source: str = "", limit: int = 10_000
) -> tuple[Phrase, ...]:
    """The distinct phrases that ``text`` stands for, in the order in which it names them.

    ``macros`` maps names with their angle brackets to texts; ``source`` names the text in
    messages. Raises :class:`GrammarError` for a text that is not in the language, that stands
    for more than ``limit`` phrases, or for an empty one.
    """
    if not _SPECIAL.search(text):
        plain = " ".join(text.split())
        if plain:
            return ((plain,),)
    if not text.strip():
        raise GrammarError(problem_at(text, source, 0, "the synonym is empty"))
    with located(text, source, problem_of):
        return _expanded(text, _Macros(macros or {}), limit)


def check_macros(macros: Mapping[str, str]) -> list[tuple[str, Problem]]:
    """What is wrong with the macros of a model: at most one problem for each, with its name and
    its place in the macro's text."""
    problems = []
    for name, text in macros.items():
        if not _MACRO_NAME.fullmatch(name):
            message = f"'{name}' is not the name of a macro"
            problems.append((name, Problem(message, hint="a name looks like <WORDS>")))
            continue
        try:
            _Macros(macros).measure(_parsed(text), name)
        except UnexpectedInput as error:
            problems.append((name, problem_of(error, text, "")))
        except MistakeError as mistake:
            found = problem_at(text, "", mistake.at, mistake.message, mistake.hint)
            problems.append((name, found))
    return problems


@dataclass(frozen=True, slots=True)
class _Macro:
    name: str
    at: int


@dataclass(frozen=True, slots=True)
class _Sequence:
    pieces: tuple[_Piece, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    alternatives: tuple[_Piece, ...]
    least: int
    most: int


class _Size(NamedTuple):
    phrases: int
    longest: int


def _size(phrases: int, longest: int) -> _Size:
    """A size; what is far beyond any limit is not told apart, for such numbers have no end."""
    return _Size(min(phrases, _ENDLESS), min(longest, _ENDLESS))


_Piece: TypeAlias = str | Pattern | _Macro | _Sequence | _Group
"""A text (a blank is one, too), a pattern, a reference, pieces in a row, or alternatives."""

_NOTHING = _Sequence(())


@cache
def _parser() -> Lark:
    return load_parser("macro.lark", _Builder())


@lru_cache(maxsize=1_000)  # the macros of a model are read again for each synonym that names them
def _parsed(text: str) -> _Piece:
    check_text(text, LONGEST_TEXT)
    depth = 0
    for brace in _BRACE.finditer(text):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth > DEEPEST_NESTING:
            raise MistakeError(brace.start(), f"groups are nested over {DEEPEST_NESTING} deep")
    parsed: Any = _parser().parse(text)
    tree: _Piece = parsed
    return tree


class _Builder(Transformer[Token, Any]):
    """One method for each rule of the grammar."""

    def start(self, children: list[_Piece | None]) -> _Piece:
        return children[0] or _NOTHING

    def sequence(self, children: list[_Piece]) -> _Piece:
        return children[0] if len(children) == 1 else _Sequence(tuple(children))

    def text(self, children: list[Token]) -> str:
        return re.sub(r"\\(.)", r"\1", "".join(children))

    def blank(self, children: list[Token]) -> str:
        return " "

    def regex(self, children: list[Token]) -> Pattern:
        token = children[0]
        at = offset(token)
        if len(token) == 4:
            raise MistakeError(at, "this regular expression is empty")
        try:
            return Pattern(token[2:-2].replace("\\/", "/"))
        except GrammarError as error:
            raise MistakeError(at, error.message, error.hint) from None

    def macro(self, children: list[Token]) -> _Macro:
        return _Macro(str(children[0]), offset(children[0]))

    def nothing(self, children: list[Token | None]) -> _Piece:
        return _NOTHING

    def alternative(self, children: list[_Piece]) -> _Piece:
        return children[0]

    def group(self, children: list[Any]) -> _Group:
        brace, *alternatives, quantifier = children
        at = offset(brace)
        if all(alternative == _NOTHING for alternative in alternatives):
            raise MistakeError(at, "a group of nothing but _ stands for nothing")
        if any(isinstance(one, str) and not one.strip() for one in alternatives):
            raise MistakeError(at, "an alternative of this group is empty", "write _ for nothing")
        least, most = quantifier or (1, 1)
        return _Group(tuple(alternatives), least, most)

    def zero_or_one(self, children: list[Token]) -> tuple[int, int]:
        return 0, 1

    def between(self, children: list[Token]) -> tuple[int, int]:
        least, most = (int(child[:9]) for child in children)
        at = offset(children[0])
        if not 1 <= most <= MOST_REPEATED:
            message = f"the maximum must be from 1 to {MOST_REPEATED}, not {_short(children[1])}"
            raise MistakeError(offset(children[1]), message)
        if least > most:
            raise MistakeError(at, f"the minimum {least} is above the maximum {most}")
        return least, most


class _Macros:
    """The macros of a model. What each stands for is found once, however often it is named: a
    macro that names another one twice, which names a third one twice, costs nothing more.

    Macros are taken innermost first, without recursion from one into the other: only the groups
    of a single text can be nested, and their depth is bounded.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._parsed: dict[str, _Piece] = {}
        self._sizes: dict[str, _Size] = {}
        self._written: dict[str, list[Phrase]] = {}

    def measure(self, tree: _Piece, name: str = "") -> _Size:
        """How many phrases a parsed text stands for at the most, and how long the longest can
        be; ``name`` is the macro whose text it is."""
        path = [_Open(name, 0, tree, _references(tree))]
        while True:
            inner = path[-1]
            reference = next(inner.references, None)
            if reference is None:
                path.pop()
                size = self._size_of(inner.tree)
                if not path:
                    return size
                self._sizes[inner.name] = size
            elif reference.name not in self._sizes:
                path.append(self._opened(reference, path))

    def write(self, tree: _Piece) -> Iterable[Phrase]:
        """The phrases of a text that has been measured, with their blanks as written."""
        for name in self._sizes:  # innermost first
            if name not in self._written:
                self._written[name] = list(self._ways(self._parsed[name]))
        return self._ways(tree)

    def _opened(self, reference: _Macro, path: Sequence[_Open]) -> _Open:
        """A macro, parsed. Mistakes are shown where the outermost text names the way to them."""
        name = reference.name
        at = path[1].at if len(path) > 1 else reference.at
        where = f"in {path[-1].name}: " if len(path) > 1 else ""
        names = [one.name for one in path]
        if name in names:
            circle = " → ".join((*names[names.index(name) :], name))
            raise MistakeError(at, f"the macro {name} contains itself: {circle}")
        if name not in self._texts:
            close = get_close_matches(name, self._texts, n=1)
            hint = f"did you mean {close[0]}?" if close else ""
            raise MistakeError(at, f"{where}there is no macro {_short(name)}", hint)
        if len(path) > DEEPEST_NESTING:
            raise MistakeError(at, f"macros are nested more than {DEEPEST_NESTING} deep")
        try:
            tree = self._parsed[name] = _parsed(self._texts[name])
        except UnexpectedInput as error:
            found = problem_of(error, self._texts[name], "")
            raise MistakeError(at, f"in {name}: {found.message}", found.hint) from None
        except MistakeError as mistake:
            raise MistakeError(at, f"in {name}: {mistake.message}", mistake.hint) from None
        return _Open(name, at, tree, _references(tree))

    def _size_of(self, piece: _Piece) -> _Size:
        match piece:
            case _Macro(name):
                return self._sizes[name]
            case _Sequence(pieces):
                sizes = [self._size_of(one) for one in pieces]
                phrases = 1
                for size in sizes:
                    phrases = min(phrases * size.phrases, _ENDLESS)
                return _size(phrases, sum(size.longest for size in sizes))
            case _Group(alternatives, least, most):
                sizes = [self._size_of(one) for one in alternatives]
                longest = max(size.longest for size in sizes) * most
                return _size(sum(size.phrases for size in sizes) * (most - least + 1), longest)
            case str():
                return _Size(1, len(piece))
            case Pattern():
                return _Size(1, 1)

    def _ways(self, piece: _Piece) -> Iterable[Phrase]:
        match piece:
            case _Macro(name):
                return self._written[name]
            case _Sequence(pieces):
                ways = [list(self._ways(one)) for one in pieces]
                return (tuple(chunk for part in way for chunk in part) for way in product(*ways))
            case _Group(alternatives, least, most):
                return (
                    _repeated(way, times)
                    for alternative in alternatives
                    for way in self._ways(alternative)
                    for times in range(least, most + 1)
                )
            case str() | Pattern():
                return ((piece,),)


class _Open(NamedTuple):
    """A text that is being measured: whose it is, where the outermost text leads to it."""

    name: str
    at: int
    tree: _Piece
    references: Iterator[_Macro]


def _references(tree: _Piece) -> Iterator[_Macro]:
    pending = [tree]
    while pending:
        match pending.pop():
            case _Macro() as macro:
                yield macro
            case _Sequence(pieces) | _Group(pieces):
                pending.extend(reversed(pieces))


def _expanded(text: str, macros: _Macros, limit: int) -> tuple[Phrase, ...]:
    tree = _parsed(text)
    size = macros.measure(tree)
    if size.phrases > limit:
        many = f"{size.phrases:,}{' or more' if size.phrases == _ENDLESS else ''}"
        message = f"'{_short(text)}' stands for {many} phrases, more than the {limit:,} allowed"
        raise MistakeError(0, message)
    if size.longest > LONGEST_PHRASE:
        message = f"'{_short(text)}' stands for phrases of more than {LONGEST_PHRASE:,} characters"
        raise MistakeError(0, message)
    phrases = tuple(dict.fromkeys(_folded(way) for way in macros.write(tree)))
    if () in phrases:
        raise MistakeError(
            0, f"'{_short(text)}' can stand for nothing at all", "one word must stay"
        )
    return phrases


def _repeated(way: Phrase, times: int) -> Phrase:
    return ((*way, " ") * times)[:-1] if times else ()


def _folded(way: Phrase) -> Phrase:
    """The phrase with texts that touch joined and with single blanks between its words."""
    return tuple(_chunks(way))


def _chunks(way: Phrase) -> Iterator[str | Pattern]:
    text = ""
    for chunk in (*way, None):
        if isinstance(chunk, str):
            text += chunk
            continue
        if folded := " ".join(text.split()):
            yield folded
        text = ""
        if chunk is not None:
            yield chunk


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
