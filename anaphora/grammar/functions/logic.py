"""Functions that evaluate only some of their arguments."""

from __future__ import annotations

from typing import Any

from anaphora.grammar.functions.registry import LazyArgument, function


@function("logic", "if", examples=("if(1 < 2, 'yes', to_int('no')) == 'yes'",))
def choose(condition: bool, then: LazyArgument, otherwise: LazyArgument) -> Any:  # noqa: FBT001 - it is `if`
    """The second argument if the first is true, else the third; the other is not evaluated."""
    return then() if condition else otherwise()


@function("logic", examples=("or_else(meta_ent('no such key'), 1) == 1",))
def or_else(value: object, otherwise: LazyArgument) -> Any:
    """The first argument, or the second if the first is null."""
    return otherwise() if value is None else value
