"""Expand synonyms into phrases and check macro definitions.

The number of phrases is computed before the first is built, so that no synonym can exhaust the
memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, product
from typing import NamedTuple, TypeAlias, assert_never

from anaphora.core.name_hints import closest_match
from anaphora.errors import GrammarError, Problem
from anaphora.grammar.diagnostics import problem_at
from anaphora.grammar.lark_support import SourceError, grammar_errors
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.grammar.synonyms.error_messages import explain_syntax_error, shorten
from anaphora.grammar.synonyms.parser import (
    MAX_NESTING,
    compile_part_predicate,
    compile_pattern,
    parse_cached,
    parse_synonym,
)
from anaphora.grammar.synonyms.syntax import (
    BlankPiece,
    EntityPiece,
    GroupPiece,
    Piece,
    ReferencePiece,
    RegexPiece,
    SequencePiece,
    TextPiece,
)

__all__ = ["MAX_PHRASES", "Phrase", "SynonymExpander", "check_macros", "expand_synonym"]

Phrase: TypeAlias = tuple[str | Pattern | EntityPart, ...]
_Way: TypeAlias = str | Phrase
"""A phrase whose blanks are as they were written. Most are mere text."""

MAX_PHRASES = 100_000  # per synonym: a short text can expand to many
MAX_PHRASE_LENGTH = 2_000  # characters

_COUNT_CAP = 10**12
_MAX_COMPARED = 100  # macros among which a misspelt one is looked for
_MAX_CYCLE_LENGTH = 10  # names that a message shows
_TOO_DEEP = f"macros are nested more than {MAX_NESTING} deep"
_SYNTAX = re.compile(r"[{}<>\\|_\[\]\ud800-\udfff]|//|\^\^")
_MACRO_NAME = re.compile(r"<[A-Za-z0-9_-]+>")


def expand_synonym(
    text: str,
    macros: Mapping[str, str] | None = None,
    *,
    source: str = "",
    limit: int = MAX_PHRASES,
) -> tuple[Phrase, ...]:
    """Expand a synonym to its distinct phrases, in the order of the text.

    ``macros`` maps names with their angle brackets to texts; ``source`` names the text in
    messages. Raises :class:`GrammarError` for a syntax error, for more than ``limit`` phrases and
    for an empty phrase.
    """
    return SynonymExpander(macros or {}).expand(text, source=source, limit=limit)


class SynonymExpander:
    """Expands many synonyms with the same macros, by their names with the angle brackets: each
    macro is read and expanded once."""

    def __init__(self, macros: Mapping[str, str]) -> None:
        self._macros = _MacroExpander(macros)

    def expand(
        self, text: str, *, source: str = "", limit: int = MAX_PHRASES
    ) -> tuple[Phrase, ...]:
        """Expand a synonym, like :func:`expand_synonym`."""
        if len(text) <= MAX_PHRASE_LENGTH and not _SYNTAX.search(text):
            plain = " ".join(text.split())
            if plain:
                return ((plain,),)
        if not text.strip():
            raise GrammarError(problem_at(text, source, 0, "the synonym is empty"))
        with grammar_errors(text, source, explain_syntax_error):
            return _expand_text(text, self._macros, limit)


def check_macros(macros: Mapping[str, str]) -> list[tuple[str, Problem]]:
    """Check the macros of a model: at most one problem per macro, with its name and the position
    in its text.

    A macro that only uses an invalid one is not reported, and of a cycle only the first macro is.
    """
    problems: dict[str, Problem] = {}
    uses: dict[str, list[ReferencePiece]] = {}
    for name, text in macros.items():
        try:
            with grammar_errors(text, "", explain_syntax_error):
                uses[name] = _find_macro_references(name, macros)
        except GrammarError as error:
            (problems[name],) = error.problems
    heights, cycles = _find_depths_and_cycles(
        {name: [one.name for one in uses[name]] for name in uses}
    )
    order = {name: index for index, name in enumerate(macros)}
    for cycle in cycles:
        first = cycle.index(min(cycle, key=order.__getitem__))
        way = (*cycle[first:], *cycle[: first + 1])
        at = next(one.at for one in uses[way[0]] if one.name == way[1])
        problems[way[0]] = problem_at(macros[way[0]], "", at, _describe_cycle(way))
    for name in (name for name, height in heights.items() if height == MAX_NESTING + 1):
        at = next(one.at for one in uses[name] if heights.get(one.name) == MAX_NESTING)
        problems.setdefault(name, problem_at(macros[name], "", at, _TOO_DEEP))
    return sorted(problems.items(), key=lambda found: order[found[0]])


def _find_macro_references(name: str, macros: Mapping[str, str]) -> list[ReferencePiece]:
    """The references in the text of a macro. Raises for an error in this macro, but not in those
    that it references."""
    if not _MACRO_NAME.fullmatch(name):
        hint = "a name looks like <WORDS>, of letters from a to z, digits, - and _"
        raise SourceError(-1, f"'{shorten(name)}' is not the name of a macro", hint)
    references = list(_iter_references(parse_cached(macros[name])))
    for reference in references:
        if reference.name not in macros:
            raise SourceError(reference.at, *_describe_unknown(reference.name, macros))
    return references


def _find_depths_and_cycles(
    uses: Mapping[str, Sequence[str]],
) -> tuple[dict[str, int], list[list[str]]]:
    """The nesting depth of each macro, and the reference cycles. Of cycles that share a macro only
    one is found."""
    heights: dict[str, int] = {}
    cycles: list[list[str]] = []
    in_cycles: set[str] = set()
    for start in uses:
        path = {} if start in heights else {start: iter(uses[start])}
        while path:
            name, inner = next(reversed(path.items()))
            child = next(inner, None)
            if child is None:
                heights[name] = 1 + max((heights.get(one, 0) for one in uses[name]), default=0)
                path.popitem()
            elif child in path and child not in in_cycles:
                cycle = list(path)[list(path).index(child) :]
                if in_cycles.isdisjoint(cycle):
                    cycles.append(cycle)
                in_cycles.update(cycle)
            elif child in uses and child not in heights and child not in path:
                path[child] = iter(uses[child])
    return heights, cycles


class _ExpansionSize(NamedTuple):
    phrases: int
    longest: int


def _capped_size(phrases: int, longest: int) -> _ExpansionSize:
    """An expansion size, capped because the exact numbers may be huge."""
    return _ExpansionSize(min(phrases, _COUNT_CAP), min(longest, _COUNT_CAP))


class _MacroExpander:
    """Expands texts with the macros of a model; each macro is expanded once.

    Macros are processed innermost first, without recursion from one into another. Only groups
    within a text recurse, and their depth is bounded.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._read: dict[str, Piece] = {}
        self._sizes: dict[str, _ExpansionSize] = {}
        self._expansions: dict[str, list[_Way]] = {}

    def measure(self, tree: Piece) -> _ExpansionSize:
        """Upper bounds for the number of phrases of a tree and for their length."""
        path = [_OpenMacro("", 0, tree, _iter_references(tree))]
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
                path.append(self._open_macro(reference, path))

    def expand(self, tree: Piece) -> Iterable[_Way]:
        """The phrases of a measured tree, with their original blanks."""
        known = self._expansions
        pending = [one.name for one in _iter_references(tree)]
        while pending:  # innermost first
            read = self._read[pending[-1]]
            inner = [one.name for one in _iter_references(read) if one.name not in known]
            if inner:
                pending += inner
            elif (name := pending.pop()) not in known:
                known[name] = list(self._expand_piece(read))
        return self._expand_piece(tree)

    def _open_macro(self, reference: ReferencePiece, path: Sequence[_OpenMacro]) -> _OpenMacro:
        """Parse a macro. Its errors are reported at the reference in the outermost text."""
        name = reference.name
        at = path[1].at if len(path) > 1 else reference.at
        names = [one.name for one in path]
        if name in names:
            raise SourceError(at, _describe_cycle((*names[names.index(name) :], name)))
        if name not in self._texts:
            message, hint = _describe_unknown(name, self._texts)
            where = f"in {path[-1].name}: " if len(path) > 1 else ""
            raise SourceError(at, f"{where}{message}", hint)
        if len(path) > MAX_NESTING:
            raise SourceError(at, _TOO_DEEP)
        try:
            tree = self._read[name] = parse_synonym(self._texts[name])
        except GrammarError as error:
            raise SourceError(at, f"in {name}: {error.message}", error.hint) from None
        return _OpenMacro(name, at, tree, _iter_references(tree))

    def _size_of(self, piece: Piece) -> _ExpansionSize:
        match piece:
            case TextPiece(text):
                return _ExpansionSize(1, len(text))
            case BlankPiece() | RegexPiece() | EntityPiece():
                return _ExpansionSize(1, 1)
            case ReferencePiece(name):
                return self._sizes[name]
            case SequencePiece(pieces):
                sizes = [self._size_of(one) for one in pieces]
                phrases = 1
                for size in sizes:
                    phrases = min(phrases * size.phrases, _COUNT_CAP)
                return _capped_size(phrases, sum(size.longest for size in sizes))
            case GroupPiece(alternatives, least, most):
                sizes = [self._size_of(one) for one in alternatives]
                longest = max(size.longest for size in sizes) * most
                return _capped_size(
                    sum(size.phrases for size in sizes) * (most - least + 1), longest
                )
            case _:
                assert_never(piece)

    def _expand_piece(self, piece: Piece) -> Iterable[_Way]:
        match piece:
            case TextPiece(text):
                return (text,)
            case BlankPiece():
                return (" ",)
            case ReferencePiece(name):
                return self._expansions[name]
            case SequencePiece(pieces):
                ways = [self._expand_piece(one) for one in pieces]
                return map(_join_ways, product(*ways))
            case GroupPiece(alternatives, least, most):
                ways = [self._expand_piece(one) for one in alternatives]
                if least == most == 1:
                    return chain.from_iterable(ways)
                times = range(least, most + 1)
                return (_repeat(way, some) for one in ways for way in one for some in times)
            case RegexPiece(text):
                return ((compile_pattern(text),),)
            case EntityPiece(alias, text):
                return ((EntityPart(alias, text, compile_part_predicate(text)),),)
            case _:
                assert_never(piece)


class _OpenMacro(NamedTuple):
    """A text being measured: its macro, and the offset of the reference in the outermost text."""

    name: str
    at: int
    tree: Piece
    references: Iterator[ReferencePiece]


def _iter_references(tree: Piece) -> Iterator[ReferencePiece]:
    pending = [tree]
    while pending:
        match pending.pop():
            case ReferencePiece() as reference:
                yield reference
            case SequencePiece(pieces) | GroupPiece(pieces):
                pending.extend(reversed(pieces))


def _expand_text(text: str, macros: _MacroExpander, limit: int) -> tuple[Phrase, ...]:
    tree = parse_cached(text)
    size = macros.measure(tree)
    if size.phrases > limit:
        many = f"{size.phrases:,}{' or more' if size.phrases == _COUNT_CAP else ''}"
        raise SourceError(
            0, f"'{shorten(text)}' expands to {many} phrases, more than the {limit:,} allowed"
        )
    if size.longest > MAX_PHRASE_LENGTH:
        raise SourceError(
            0, f"'{shorten(text)}' expands to phrases of more than {MAX_PHRASE_LENGTH:,} characters"
        )
    phrases = tuple(dict.fromkeys(map(_normalize, macros.expand(tree))))
    if () in phrases:
        raise SourceError(
            0, f"'{shorten(text)}' can expand to nothing", "at least one word must remain"
        )
    return phrases


def _join_ways(ways: Sequence[_Way]) -> _Way:
    try:
        return "".join(ways)  # type: ignore[arg-type]  # most ways are mere text, and this is quick
    except TypeError:
        return tuple(chain.from_iterable(map(_to_chunks, ways)))


def _to_chunks(way: _Way) -> Phrase:
    return (way,) if isinstance(way, str) else way


def _repeat(way: _Way, times: int) -> _Way:
    if isinstance(way, str):
        return " ".join((way,) * times)
    return ((*way, " ") * times)[:-1] if times else ""


def _normalize(way: _Way) -> Phrase:
    """Join adjacent texts and normalize blanks."""
    if isinstance(way, str):
        return (folded,) if (folded := " ".join(way.split())) else ()
    return tuple(_join_texts(way))


def _join_texts(way: Phrase) -> Iterator[str | Pattern | EntityPart]:
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


def _describe_cycle(way: Sequence[str]) -> str:
    return f"the macro {shorten(way[0])} contains itself: {_format_cycle(way)}"


def _format_cycle(way: Sequence[str]) -> str:
    shown = way if len(way) <= _MAX_CYCLE_LENGTH else (*way[: _MAX_CYCLE_LENGTH - 2], "…", way[-1])
    return " → ".join(map(shorten, shown))


def _describe_unknown(name: str, macros: Iterable[str]) -> tuple[str, str]:
    close = closest_match(name, islice(macros, _MAX_COMPARED))
    return f"there is no macro {shorten(name)}", f"did you mean {close}?" if close else ""
