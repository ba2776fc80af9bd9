"""Parse sentence templates: ``turn on [the] {area} (light|lamp)[s]``."""

from __future__ import annotations

import re
from typing import NoReturn

from anaphora.errors import GrammarError
from anaphora.grammar.diagnostics import problem_at
from anaphora.grammar.sentences.normalization import normalize_text
from anaphora.grammar.sentences.syntax import (
    Alternative,
    Expression,
    ListReference,
    Permutation,
    RuleReference,
    Sequence,
    Text,
)

__all__ = ["INLINE_RANGE", "is_template", "parse_sentence"]

_TOKEN = re.compile(
    r"(?P<text>(?:\\.|[^()\[\]{}<>|;\\])+)"
    r"|\{(?P<list>(?:\\.|[^{}\\])*)\}"
    r"|<(?P<rule>(?:\\.|[^<>\\])*)>"
    r"|(?P<mark>[()\[\]|;])",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SYNTAX = re.compile(r"[(){}<>\[\]|@]")
_CLOSING = {"(": ")", "[": "]"}
_EMPTY = Sequence(())

INLINE_RANGE = re.compile(r"(\d+)\.\.(\d+)(?:,(\d+))?")
"""The name of a list that is a range of numbers, with a step: ``{0..100,5:brightness}``."""


def parse_sentence(text: str, source: str = "<sentence>") -> Expression:
    """Parse a template. Raises :class:`GrammarError` with the position of the mistake."""
    return _Parser(text, source).parse()


def is_template(text: str) -> bool:
    """Whether a text has any syntax of templates."""
    return _SYNTAX.search(text) is not None


class _Group:
    """A group that is being read. As in hassil, ``|`` and ``;`` apply to all before them."""

    __slots__ = ("items", "kind", "mark", "offset", "options")

    def __init__(self, mark: str, offset: int) -> None:
        self.mark, self.offset = mark, offset
        self.items: list[Expression] = []
        self.options: list[Expression] = []
        self.kind = ""

    def separate(self, mark: str) -> None:
        if self.kind and self.kind != mark:
            whole = self._build(self.kind)
            self.options, self.items = [], [whole]
        self.kind = mark
        self.options.append(_sequence(self.items))
        self.items = []

    def close(self) -> Expression:
        if not self.kind:
            return _sequence(self.items)
        return self._build(self.kind)

    def _build(self, kind: str) -> Expression:
        options = (*self.options, _sequence(self.items))
        return Alternative(options) if kind == "|" else Permutation(options)


class _Parser:
    def __init__(self, text: str, source: str) -> None:
        self._text, self._source = text, source

    def parse(self) -> Expression:
        text = self._text
        end, at = len(text.rstrip()), len(text) - len(text.lstrip())
        groups = [_Group("", at)]
        while at < end:
            found = _TOKEN.match(text, at, end)
            if found is None:
                self._fail_at(at)
            kind, value = found.lastgroup, found[found.lastgroup or 0]
            if kind == "text":
                groups[-1].items.append(Text(normalize_text(_ESCAPE.sub(r"\1", value))))
            elif kind == "list":
                groups[-1].items.append(self._reference(value, at, found.end(), end))
            elif kind == "rule":
                if not value.strip():
                    self._fail(at, "a rule has no name", "write <name>")
                groups[-1].items.append(RuleReference(_ESCAPE.sub(r"\1", value).strip(), at))
            elif value in _CLOSING:
                groups.append(_Group(value, at))
            elif value in "|;":
                groups[-1].separate(value)
            else:
                self._close(groups, value, at)
            at = found.end()
        if len(groups) > 1:
            mark = groups[-1].mark
            message = f"'{mark}' is not closed"
            self._fail(groups[-1].offset, message, f"add '{_CLOSING[mark]}'")
        return groups[0].close()

    def _close(self, groups: list[_Group], mark: str, at: int) -> None:
        group = groups.pop()
        if not group.mark or _CLOSING[group.mark] != mark:
            opening = "(" if mark == ")" else "["
            self._fail(at, f"'{mark}' closes nothing", f"remove it, or write '{opening}' before it")
        expression = group.close()
        if mark == "]":
            options = expression.items if isinstance(expression, Alternative) else (expression,)
            expression = Alternative((*options, _EMPTY))
        groups[-1].items.append(expression)

    def _reference(self, written: str, at: int, after: int, end: int) -> ListReference:
        written = _ESCAPE.sub(r"\1", written).strip()
        name, colon, slot = written.partition(":")
        if not colon:
            slot, name = name, name.removeprefix("@")
        if not name or not slot.removeprefix("@"):
            self._fail(at, "a list has no name", "write {list} or {list:slot}")
        ends_word = after < end and self._text[after].isspace()
        capture = slot.startswith("@")
        return ListReference(name, slot.removeprefix("@"), ends_word, capture, at)

    def _fail_at(self, at: int) -> NoReturn:
        found = self._text[at]
        if found in "{<":
            closing = "}" if found == "{" else ">"
            self._fail(at, f"'{found}' is not closed", f"add '{closing}'")
        if found == "\\":
            self._fail(at, "a backslash ends the template", "write \\\\ for a backslash")
        self._fail(at, f"'{found}' closes nothing", f"write \\{found} for the character itself")

    def _fail(self, at: int, message: str, hint: str = "") -> NoReturn:
        problem = problem_at(self._text, self._source, at, message, hint)
        raise GrammarError([problem])


def _sequence(items: list[Expression]) -> Expression:
    return items[0] if len(items) == 1 else Sequence(tuple(items))
