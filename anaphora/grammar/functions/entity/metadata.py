"""Functions that read metadata. The value of a missing key is null."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from anaphora.core.utterance import Entity
from anaphora.frozen import EMPTY
from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.entity import properties
from anaphora.grammar.functions.entity.properties import current_entity
from anaphora.grammar.functions.registry import Function, function
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


def _read_company(context: EntityContext) -> Mapping[str, Any]:
    company = context.question.user.company
    return company.meta if company else EMPTY


def _declare(
    names: str, read: Callable[[EntityContext], Mapping[str, Any]], doc: str, example: str
) -> Function:
    @function("metadata", *names.split(), examples=(example,), doc=doc)
    def read_key(context: EntityContext, key: str) -> Any:
        return to_language_value(read(context).get(key))

    return read_key


# fmt: off
meta_model = _declare(
    "meta_cfg meta_model", attrgetter("question.model.meta"),
    "A value from the metadata of the model.", "meta_model('airline') == 'ANA'")
question_metadata_functions = (
    _declare("meta_intent", attrgetter("question.intent_meta"),
             "A value from the metadata of the intent.", "meta_intent('topic') == 'travel'"),
    _declare("meta_frag", attrgetter("arguments"),
             "A value from the arguments of the fragment that the term comes from.",
             "meta_frag('far')"),
    _declare("meta_conv", attrgetter("question.conversation_data"),
             "A value from the data that handlers keep in the conversation.",
             "meta_conv('booked') == null"),
    _declare("meta_req", attrgetter("question.request.data"),
             "A value from the data of the request.", "meta_req('channel') == 'web'"),
    _declare("meta_user", attrgetter("question.user.meta"),
             "A value from the metadata of the user.", "meta_user('miles') == 1200"),
    _declare("meta_company", _read_company,
             "A value from the metadata of the user's company.", "meta_company('plan') == 'gold'"),
)
# fmt: on


@function("metadata", examples=("meta_sys('NO_SUCH_VARIABLE') == null",))
def meta_sys(context: EntityContext, key: str) -> str | None:
    """An environment variable of the bot."""
    return context.question.environment.get(key)


def find_metadata(entity: Entity, key: str) -> Any:
    """The value of a key in the metadata of an entity. The key may have the id of the element as
    prefix, or be one that NLPCraft provides for every token."""
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
_TOKEN_METADATA: Mapping[str, Callable[[Entity], Any]] = {
    "unid": properties.ent_unid.python,
    "text": properties.ent_text.python,  # 1.0
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
