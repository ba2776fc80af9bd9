"""Derive comparatives and superlatives from adjectives, by the templates of a language.

In a template ``~`` stands for the adjective: ``more ~``, ``~er``. With ``up`` templates the
adjective keeps its direction on its scale, with ``down`` templates ("less ~") it is reversed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

__all__ = ["expand_comparisons"]

_Comparison: TypeAlias = tuple[str, int, list[str]]

_DEGREES = {"superlative": 1, "comparative": 0}
_REVERSED = {"less": "more", "more": "less"}
_VOWELS = frozenset("aeiou")


def expand_comparisons(table: Mapping[str, Any]) -> Iterator[_Comparison]:
    """The phrases of the section ``comparison``, each list with its scale and direction
    ("price:less") and 1 for superlatives or 0 for comparatives."""
    for degree, number in _DEGREES.items():
        for scale, poles in table.get(f"{degree}s", {}).items():
            for direction, phrases in poles.items():
                yield f"{scale}:{direction}", number, list(phrases)
        templates = table.get(degree, {})
        for scale, poles in table.get("adjectives", {}).items():
            for direction, adjectives in poles.items():
                up = _fill(templates.get("up", ()), adjectives)
                yield f"{scale}:{direction}", number, up
                down = _fill(templates.get("down", ()), adjectives)
                yield f"{scale}:{_REVERSED[direction]}", number, down


def _fill(templates: Sequence[str], adjectives: Sequence[str]) -> list[str]:
    return [
        phrase
        for template in templates
        for adjective in adjectives
        for phrase in _fill_template(template, adjective)
    ]


def _fill_template(template: str, adjective: str) -> list[str]:
    _, _, behind = template.partition("~")
    if not behind[:1].isalpha():
        return [template.replace("~", adjective)]
    return [template.replace("~", stem) for stem in _stems(adjective.rstrip("*"), behind)]


def _stems(adjective: str, ending: str) -> list[str]:
    """The ways to spell an adjective before an ending: late-r, earli-er, bigg-er."""
    last = adjective[-1]
    if last == ending[0] == "e":
        return [adjective[:-1]]
    if last == "y":
        return [adjective[:-1] + "i", adjective.removesuffix("ey") + "i"]
    if last not in _VOWELS and adjective[-2:-1] in _VOWELS and last.isascii():
        return [adjective, adjective + last]
    return [adjective]
