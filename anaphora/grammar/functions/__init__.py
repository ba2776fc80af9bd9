"""The functions of the intent language, one module a group; ``FUNCTIONS`` finds them by name."""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.grammar.functions import collections, logic, maths, statistics, text
from anaphora.grammar.functions.entity import metadata, parts, positions, properties
from anaphora.grammar.functions.question import company, dates, model, request, user
from anaphora.grammar.functions.registry import UNSUPPORTED_FUNCTIONS, Function, collect_functions

__all__ = ["FUNCTIONS", "QUESTION_FUNCTIONS", "UNSUPPORTED_FUNCTIONS"]

FUNCTIONS: Mapping[str, Function] = collect_functions(
    properties,
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

QUESTION_FUNCTIONS: frozenset[Function] = frozenset(
    {
        *collect_functions(positions, dates, request, user, company).values(),
        metadata.meta_conv,
        metadata.meta_company,
        metadata.meta_frag,
        metadata.meta_intent,
        metadata.meta_req,
        metadata.meta_user,
    }
)
"""Functions of what surrounds an entity in a question: nothing of that is known in a synonym."""
