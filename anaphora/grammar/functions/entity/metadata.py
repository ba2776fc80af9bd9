"""Functions that read metadata. The value of a missing key is null."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anaphora.grammar.context import EntityContext, EntityView
from anaphora.grammar.functions.entity import properties
from anaphora.grammar.functions.entity.properties import current_entity
from anaphora.grammar.functions.registry import function
from anaphora.grammar.values import to_language_value


@function(
    "metadata",
    "meta_ent",
    "meta_tok",
    reads_entity=True,
    examples=("meta_ent('population') > 10_000_000", "meta_ent('city:value') == 'Tokyo'"),
)
def meta_ent(context: EntityContext, key: str) -> Any:
    """A value from the metadata of the entity under test.

    As in NLPCraft 1.0, the key may have the id of the element and a colon as prefix; with this
    prefix, the key 'value' gives the value of the entity.
    """
    return find_metadata(current_entity(context), key)


@function("metadata", "meta_cfg", "meta_model", examples=("meta_model('airline') == 'ANA'",))
def meta_model(context: EntityContext, key: str) -> Any:
    """A value from the metadata of the model."""
    return to_language_value(context.question.model.meta.get(key))


@function("metadata", examples=("meta_intent('topic') == 'travel'",))
def meta_intent(context: EntityContext, key: str) -> Any:
    """A value from the metadata of the intent."""
    return to_language_value(context.question.intent_meta.get(key))


@function("metadata", examples=("meta_frag('far')",))
def meta_frag(context: EntityContext, key: str) -> Any:
    """A value from the arguments of the fragment that the term comes from."""
    return to_language_value(context.arguments.get(key))


@function("metadata", examples=("meta_conv('booked') == null",))
def meta_conv(context: EntityContext, key: str) -> Any:
    """A value from the data that handlers keep in the conversation."""
    return to_language_value(context.question.conversation_data.get(key))


@function("metadata", examples=("meta_req('channel') == 'web'",))
def meta_req(context: EntityContext, key: str) -> Any:
    """A value from the data of the request."""
    return to_language_value(context.question.request.data.get(key))


@function("metadata", examples=("meta_user('miles') == 1200",))
def meta_user(context: EntityContext, key: str) -> Any:
    """A value from the metadata of the user."""
    return to_language_value(context.question.user.meta.get(key))


@function("metadata", examples=("meta_company('plan') == 'gold'",))
def meta_company(context: EntityContext, key: str) -> Any:
    """A value from the metadata of the user's company."""
    company = context.question.user.company
    return to_language_value(company.meta.get(key)) if company else None


@function("metadata", examples=("meta_sys('NO_SUCH_VARIABLE') == null",))
def meta_sys(context: EntityContext, key: str) -> str | None:
    """An environment variable of the bot."""
    return context.question.environment.get(key)


def find_metadata(entity: EntityView, key: str) -> Any:
    """The value of a key in the metadata of an entity. The key may have the id of the element as
    prefix, or be one that NLPCraft 0.9 provides for every token."""
    found = entity.meta.get(key)
    if found is None and key.startswith(_TOKEN_KEY_PREFIX):
        read = _TOKEN_METADATA.get(key.removeprefix(_TOKEN_KEY_PREFIX))
        return read(entity) if read else None
    element, colon, name = key.rpartition(":")
    if found is None and colon and element == entity.element:
        found = entity.meta.get(name)
        if found is None and name == "value":
            found = entity.value
    return to_language_value(found)


_TOKEN_KEY_PREFIX = "nlpcraft:nlp:"
_TOKEN_METADATA: Mapping[str, Callable[[EntityView], Any]] = {
    "unid": properties.ent_unid.python,
    "origtext": properties.ent_text.python,
    "normtext": properties.ent_norm_text.python,
    "lemma": properties.ent_lemma.python,
    "stem": properties.ent_stem.python,
    "pos": properties.ent_pos.python,
    "start": properties.ent_start_idx.python,
    "end": properties.ent_end_idx.python,
    "sparsity": properties.ent_sparsity.python,
    "direct": properties.ent_is_direct.python,
    "english": properties.ent_is_english.python,
    "swear": properties.ent_is_swear.python,
    "quoted": properties.ent_is_quoted.python,
    "bracketed": properties.ent_is_bracketed.python,
    "freeword": properties.ent_is_freeword.python,
    "stopword": properties.ent_is_stopword.python,
    "wordindexes": lambda entity: tuple(entity.tokens),
    "minindex": lambda entity: min(entity.tokens, default=-1),
    "maxindex": lambda entity: max(entity.tokens, default=-1),
    "wordlength": lambda entity: len(entity.tokens),
    "charlength": lambda entity: len(entity.text),
    "contiguous": lambda entity: entity.gaps == 0,
}
