"""The functions of the intent language, one module a group; ``FUNCTIONS`` finds them by name."""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.grammar.functions import (
    collections,
    company,
    dates,
    entities,
    logic,
    maths,
    metadata,
    model,
    parts,
    positions,
    request,
    statistics,
    text,
    user,
)
from anaphora.grammar.functions.registry import ABSENT, Function, collect

__all__ = ["ABSENT", "FUNCTIONS"]

FUNCTIONS: Mapping[str, Function] = collect(
    entities,
    positions,
    parts,
    text,
    maths,
    collections,
    statistics,
    dates,
    metadata,
    request,
    user,
    company,
    model,
    logic,
)
