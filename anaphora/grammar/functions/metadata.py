"""Functions on metadata, wherever it is kept. A key that is missing gives null."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anaphora.grammar.context import Context, EntityView
from anaphora.grammar.functions import entities
from anaphora.grammar.functions.entities import in_question
from anaphora.grammar.functions.registry import function
from anaphora.grammar.values import plain


@function(
    "metadata",
    "meta_ent",
    "meta_tok",
    reads_entity=True,
    examples=("meta_ent('population') > 10_000_000", "meta_ent('city:value') == 'Tokyo'"),
)
def meta_ent(context: Context, key: str) -> Any:
    """From the metadata of the entity in question.

    As in NLPCraft 1.0 the id of its element and a colon may stand before the key, and the key
    'value' behind it gives the element's value.
    """
    return property_of(in_question(context), key)


@function("metadata", "meta_cfg", "meta_model", examples=("meta_model('airline') == 'ANA'",))
def meta_model(context: Context, key: str) -> Any:
    """From the metadata of the model."""
    return plain(context.surroundings.model.meta.get(key))


@function("metadata", examples=("meta_intent('topic') == 'travel'",))
def meta_intent(context: Context, key: str) -> Any:
    """From the metadata of the intent."""
    return plain(context.surroundings.intent_meta.get(key))


@function("metadata", examples=("meta_frag('far')",))
def meta_frag(context: Context, key: str) -> Any:
    """From the metadata with which the intent names the fragment that the term is from."""
    return plain(context.arguments.get(key))


@function("metadata", examples=("meta_conv('booked') == null",))
def meta_conv(context: Context, key: str) -> Any:
    """From the data that handlers keep in the conversation."""
    return plain(context.surroundings.conversation_data.get(key))


@function("metadata", examples=("meta_req('channel') == 'web'",))
def meta_req(context: Context, key: str) -> Any:
    """From the data that come along with the question."""
    return plain(context.surroundings.request.data.get(key))


@function("metadata", examples=("meta_user('miles') == 1200",))
def meta_user(context: Context, key: str) -> Any:
    """From the metadata of the user."""
    return plain(context.surroundings.user.meta.get(key))


@function("metadata", examples=("meta_company('plan') == 'gold'",))
def meta_company(context: Context, key: str) -> Any:
    """From the metadata of the user's company."""
    company = context.surroundings.user.company
    return plain(company.meta.get(key)) if company else None


@function("metadata", examples=("meta_sys('NO_SUCH_VARIABLE') == null",))
def meta_sys(context: Context, key: str) -> str | None:
    """A variable of the environment that the bot runs in."""
    return context.surroundings.environment.get(key)


def property_of(entity: EntityView, key: str) -> Any:
    """What the metadata of an entity has under a key, or under the key behind its element's id;
    else, under a key of NLPCraft 0.9, what it knew of every token."""
    found = entity.meta.get(key)
    if found is None and key.startswith(_NLP):
        read = _OF_TOKENS.get(key.removeprefix(_NLP))
        return read(entity) if read else None
    element, colon, name = key.rpartition(":")
    if found is None and colon and element == entity.element:
        found = entity.meta.get(name)
        if found is None and name == "value":
            found = entity.value
    return plain(found)


_NLP = "nlpcraft:nlp:"
_OF_TOKENS: Mapping[str, Callable[[EntityView], Any]] = {
    "unid": entities.ent_unid.python,
    "origtext": entities.ent_text.python,
    "normtext": entities.ent_norm_text.python,
    "lemma": entities.ent_lemma.python,
    "stem": entities.ent_stem.python,
    "pos": entities.ent_pos.python,
    "start": entities.ent_start_idx.python,
    "end": entities.ent_end_idx.python,
    "sparsity": entities.ent_sparsity.python,
    "direct": entities.ent_is_direct.python,
    "english": entities.ent_is_english.python,
    "swear": entities.ent_is_swear.python,
    "quoted": entities.ent_is_quoted.python,
    "bracketed": entities.ent_is_bracketed.python,
    "freeword": entities.ent_is_freeword.python,
    "stopword": entities.ent_is_stopword.python,
    "wordindexes": lambda entity: tuple(entity.tokens),
    "minindex": lambda entity: min(entity.tokens, default=-1),
    "maxindex": lambda entity: max(entity.tokens, default=-1),
    "wordlength": lambda entity: len(entity.tokens),
    "charlength": lambda entity: len(entity.text),
    "contiguous": lambda entity: entity.gaps == 0,
}
