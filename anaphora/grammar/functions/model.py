"""Functions on the model."""

from __future__ import annotations

from anaphora.grammar.context import Context
from anaphora.grammar.functions.registry import function


@function("model", examples=("mdl_id == 'travel'",))
def mdl_id(context: Context) -> str:
    """The id of the model."""
    return context.surroundings.model.id


@function("model", examples=("mdl_name == 'Travel'",))
def mdl_name(context: Context) -> str:
    """The name of the model."""
    return context.surroundings.model.name


@function("model", examples=("mdl_ver == '1.2.0'",))
def mdl_ver(context: Context) -> str:
    """The version of the model."""
    return context.surroundings.model.version


@function("model", examples=("mdl_origin == ''",))
def mdl_origin(context: Context) -> str:
    """What the model says of where it comes from; an empty text if nothing."""
    return context.surroundings.model.origin
