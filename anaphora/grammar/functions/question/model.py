"""Functions on the model."""

from __future__ import annotations

from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.registry import function


@function("model", examples=("mdl_id == 'travel'",))
def mdl_id(context: EntityContext) -> str:
    """The id of the model."""
    return context.question.model.id


@function("model", examples=("mdl_name == 'Travel'",))
def mdl_name(context: EntityContext) -> str:
    """The name of the model."""
    return context.question.model.name


@function("model", examples=("mdl_ver == '1.2.0'",))
def mdl_ver(context: EntityContext) -> str:
    """The version of the model."""
    return context.question.model.version


@function("model", examples=("mdl_origin == ''",))
def mdl_origin(context: EntityContext) -> str:
    """What the model says of where it comes from; an empty text if nothing."""
    return context.question.model.origin
