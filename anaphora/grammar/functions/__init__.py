"""The functions of the intent language, one module per group; ``FUNCTIONS`` maps their names."""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.grammar.functions import collections, logic, maths, statistics, text
from anaphora.grammar.functions.entity import metadata, parts, positions, properties
from anaphora.grammar.functions.question import attributes, dates
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
    attributes,
    logic,
)

QUESTION_FUNCTIONS: frozenset[Function] = frozenset(
    {
        *collect_functions(dates).values(),
        *(one for one in collect_functions(attributes).values() if one.group != "model"),
        *metadata.question_metadata_functions,
    }
)
"""Functions that read the question, which is unknown while synonyms are matched."""
