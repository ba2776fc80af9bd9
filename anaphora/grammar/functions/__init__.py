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

__all__ = ["ABSENT", "FUNCTIONS", "OF_A_QUESTION"]

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

OF_A_QUESTION: frozenset[Function] = frozenset(
    {
        *collect(positions, dates, request, user, company).values(),
        metadata.meta_conv,
        metadata.meta_company,
        metadata.meta_frag,
        metadata.meta_intent,
        metadata.meta_req,
        metadata.meta_user,
    }
)
"""Functions of what surrounds an entity in a question: nothing of that is known in a synonym."""
