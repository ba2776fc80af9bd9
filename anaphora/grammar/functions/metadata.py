"""Functions on metadata, and on what surrounds an entity: request, user, model, conversation.

A key that is missing gives null.
"""

from __future__ import annotations

from typing import Any

from anaphora.errors import EvaluationError
from anaphora.grammar.context import Context
from anaphora.grammar.functions.registry import function
from anaphora.grammar.values import plain


@function("metadata", "meta_ent", "meta_tok", reads_entity=True)
def meta_ent(context: Context, key: str) -> Any:
    """From the metadata of the entity in question."""
    if context.entity is None:
        raise EvaluationError("there is no entity in question")
    return plain(context.entity.meta.get(key))


@function("metadata", "meta_cfg", "meta_model")
def meta_model(context: Context, key: str) -> Any:
    """From the metadata of the model."""
    return plain(context.surroundings.model_meta.get(key))


@function("metadata")
def meta_intent(context: Context, key: str) -> Any:
    """From the metadata of the intent."""
    return plain(context.surroundings.intent_meta.get(key))


@function("metadata")
def meta_conv(context: Context, key: str) -> Any:
    """From the data that handlers keep in the conversation."""
    return plain(context.surroundings.conversation_data.get(key))


@function("request")
def req_text(context: Context) -> str:
    """The text of the question."""
    return context.surroundings.text


@function("request")
def user_id(context: Context) -> str:
    """The id of the user who asks."""
    return context.surroundings.user


@function("request")
def mdl_id(context: Context) -> str:
    """The id of the model."""
    return context.surroundings.model_id


@function("request")
def mdl_name(context: Context) -> str:
    """The name of the model."""
    return context.surroundings.model_name


@function("request")
def mdl_ver(context: Context) -> str:
    """The version of the model."""
    return context.surroundings.model_version
