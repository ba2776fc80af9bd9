"""Derive base forms from inflected forms, by the patterns of a language.

A language has several paths ("imperfect", "possessive"), each a sequence of stages. A stage maps
regular expressions to replacements; every result of a stage goes on to the next one. An empty
expression leaves a word unchanged, so a stage without one is required.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

__all__ = ["Paths", "compile_paths", "find_base_forms"]

Stage: TypeAlias = tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]
Paths: TypeAlias = tuple[tuple[Stage, ...], ...]

_NOTHING = "-"  # instead of an empty replacement
_MAX_FORMS = 200  # forms of one word: more than any real one has


def compile_paths(
    table: Mapping[str, Sequence[Mapping[str, str]]], spelling: Mapping[int, str | None]
) -> Paths:
    """Compile the paths of a table, with folded letters."""
    return tuple(
        tuple(
            tuple(
                (re.compile(pattern.translate(spelling)), _replacements(results, spelling))
                for pattern, results in stage.items()
            )
            for stage in path
        )
        for path in table.values()
    )


def find_base_forms(word: str, paths: Paths) -> Iterator[str]:
    """Yield the forms that the word may be derived from, without itself. A form may come twice."""
    for stages in paths:
        forms = {word: None}
        for stage in stages:
            forms = {
                form: None
                for one in forms
                for pattern, results in stage
                if (match := pattern.search(one))
                for result in results
                if (form := one[: match.start()] + match.expand(result) + one[match.end() :])
            }
            if len(forms) > _MAX_FORMS:
                break
        yield from (form for form in forms if form != word)


def _replacements(results: str, spelling: Mapping[int, str | None]) -> tuple[str, ...]:
    return tuple(
        "" if one == _NOTHING else one.translate(spelling) for one in results.split() or [""]
    )
