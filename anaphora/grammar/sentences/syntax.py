"""The syntax tree of a sentence template."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

__all__ = [
    "Alternative",
    "Expression",
    "ListReference",
    "Permutation",
    "RuleReference",
    "Sequence",
    "Text",
]


class Text(Struct, frozen=True, gc=False, array_like=True, tag=True):
    """Literal text. White space is folded to single blanks; those at its ends count."""

    text: str


class ListReference(Struct, frozen=True, gc=False, array_like=True, tag=True):
    """``{list}`` or ``{list:slot}``: a value of a list, which fills a slot.

    ``ends_word``: white space follows it in the template. A ``capture`` (``{list:@name}``) is not a
    slot, but only available to responses.
    """

    list: str
    slot: str
    ends_word: bool = False
    capture: bool = False
    offset: int = 0


class RuleReference(Struct, frozen=True, gc=False, array_like=True, tag=True):
    """``<rule>``: the body of an expansion rule."""

    rule: str
    offset: int = 0


class Sequence(Struct, frozen=True, gc=False, array_like=True, tag=True):
    """Expressions, one after the other."""

    items: tuple[Expression, ...]


class Alternative(Struct, frozen=True, gc=False, array_like=True, tag=True):
    """``(a|b)``: one of several expressions. ``[a]`` has an empty sequence as its last one."""

    items: tuple[Expression, ...]


class Permutation(Struct, frozen=True, gc=False, array_like=True, tag=True):
    """``(a;b)``: all of several expressions, in any order, separated by white space."""

    items: tuple[Expression, ...]


Expression: TypeAlias = Text | ListReference | RuleReference | Sequence | Alternative | Permutation
