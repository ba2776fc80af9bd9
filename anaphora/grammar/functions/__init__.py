"""The functions of the intent language, one module a group; ``FUNCTIONS`` finds them by name."""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.grammar.functions import collections, entities, logic, maths, metadata, text
from anaphora.grammar.functions.registry import Function, collect

__all__ = ["FUNCTIONS"]

FUNCTIONS: Mapping[str, Function] = collect(entities, metadata, text, maths, collections, logic)
