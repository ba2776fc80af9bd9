"""The syntax tree of a sentence template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "Alternative",
    "Expression",
    "ListReference",
    "Permutation",
    "RuleReference",
    "Sequence",
    "Text",
]


@dataclass(frozen=True, slots=True)
class Text:
    """Literal text. White space is folded to single blanks; those at its ends count."""

    text: str


@dataclass(frozen=True, slots=True)
class ListReference:
    """``{list}`` or ``{list:slot}``: a value of a list, which fills a slot.

    ``ends_word``: white space follows it in the template. A ``capture`` (``{list:@name}``) is not a
    slot, but only available to responses.
    """

    list: str
    slot: str
    ends_word: bool = False
    capture: bool = False
    offset: int = 0


@dataclass(frozen=True, slots=True)
class RuleReference:
    """``<rule>``: the body of an expansion rule."""

    rule: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Sequence:
    """Expressions, one after the other."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """``(a|b)``: one of several expressions. ``[a]`` has an empty sequence as its last one."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Permutation:
    """``(a;b)``: all of several expressions, in any order, separated by white space."""

    items: tuple[Expression, ...]


Expression: TypeAlias = Text | ListReference | RuleReference | Sequence | Alternative | Permutation
