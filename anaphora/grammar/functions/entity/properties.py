"""Functions on the entity under test: its element, its words, its position in the text.

Each accepts another entity as its argument: ``ent_text(first(ent_all))``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext, EntityView
from anaphora.grammar.functions.registry import CURRENT_ENTITY, function

_FREE_WORD = "nlpcraft:nlp"  # the element of a word that no other element covers


@function("entity", "ent_type", "tok_id", "#", examples=("# == 'city'", "ent_type == #"))
def ent_type(entity: EntityView = CURRENT_ENTITY) -> str:
    """The id of the entity's element."""
    return entity.element


@function("entity", "ent_text", "tok_txt", examples=("ent_text == 'Tokyo'",))
def ent_text(entity: EntityView = CURRENT_ENTITY) -> str:
    """The text of the entity."""
    return entity.text


@function("entity", "ent_norm_text", "tok_norm_txt", examples=("ent_norm_text == 'tokyo'",))
def ent_norm_text(entity: EntityView = CURRENT_ENTITY) -> str:
    """The text of the entity in lower case, with single blanks between the words."""
    return " ".join(entity.text.lower().split())


@function("entity", "ent_groups", "tok_groups", examples=("has(ent_groups, 'place')",))
def ent_groups(entity: EntityView = CURRENT_ENTITY) -> Sequence[str]:
    """The groups of its element, in alphabetical order."""
    return tuple(sorted(entity.groups))


@function("entity", "ent_value", "tok_value", examples=("ent_value == 'Tokyo'",))
def ent_value(entity: EntityView = CURRENT_ENTITY) -> str | None:
    """The name of the entity's value, or null."""
    return entity.value


@function("entity", "ent_parent", "tok_parent", examples=("tok_parent == 'settlement'",))
def tok_parent(entity: EntityView = CURRENT_ENTITY) -> str | None:
    """The id of its element's parent, or null."""
    return entity.ancestors[0] if entity.ancestors else None


@function("entity", "ent_ancestors", "tok_ancestors", examples=("has(tok_ancestors, 'location')",))
def tok_ancestors(entity: EntityView = CURRENT_ENTITY) -> Sequence[str]:
    """The ids of its element's ancestors: the parent, the parent's parent and so on."""
    return tuple(entity.ancestors)


@function("entity", "ent_lemma", "tok_lemma", examples=("tok_lemma == 'tokyo'",))
def ent_lemma(entity: EntityView = CURRENT_ENTITY) -> str:
    """The lemmas of its words; the words in lower case if the pipeline has no lemmatizer."""
    return entity.lemma


@function("entity", "ent_stem", "tok_stem", examples=("tok_stem == 'tokyo'",))
def ent_stem(entity: EntityView = CURRENT_ENTITY) -> str:
    """The stems of its words, separated by blanks."""
    return entity.stem


@function("entity", "ent_pos", "tok_pos", examples=("tok_pos == 'PROPN'",))
def ent_pos(entity: EntityView = CURRENT_ENTITY) -> str:
    """The parts of speech of its words; an empty text if the pipeline has no tagger."""
    return entity.pos


@function("entity", "ent_unid", "tok_unid", examples=("tok_unid == 'city:11-16'",))
def ent_unid(entity: EntityView = CURRENT_ENTITY) -> str:
    """An identifier, unique in its sentence, from its element and its position in the text."""
    return f"{entity.element}:{entity.start}-{entity.end}"


@function("entity", "ent_start_idx", "tok_start_idx", examples=("tok_start_idx == 11",))
def ent_start_idx(entity: EntityView = CURRENT_ENTITY) -> int:
    """The offset of its first character in the text, from 0."""
    return entity.start


@function(
    "entity",
    "ent_end_idx",
    "tok_end_idx",
    examples=("tok_end_idx - tok_start_idx == size(ent_text)",),
)
def ent_end_idx(entity: EntityView = CURRENT_ENTITY) -> int:
    """The offset after its last character in the text."""
    return entity.end


@function("entity", "ent_sparsity", "tok_sparsity", examples=("tok_sparsity == 0",))
def ent_sparsity(entity: EntityView = CURRENT_ENTITY) -> int:
    """The number of other words between its own."""
    return entity.gaps


@function("entity", "ent_this", "tok_this", reads_entity=True, examples=("#(ent_this) == #",))
def ent_this(context: EntityContext) -> EntityView:
    """The entity under test."""
    return current_entity(context)


@function("entity", "ent_is_abstract", "tok_is_abstract", examples=("!tok_is_abstract",))
def ent_is_abstract(entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether its element is abstract: only a part of other elements."""
    return "abstract" in entity.marks


@function("entity", "ent_is_bracketed", "tok_is_bracketed", examples=("!tok_is_bracketed",))
def ent_is_bracketed(entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether it is in brackets."""
    return "bracketed" in entity.marks


@function("entity", "ent_is_quoted", "tok_is_quoted", examples=("!tok_is_quoted",))
def ent_is_quoted(entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether it is in quotes."""
    return "quoted" in entity.marks


@function("entity", "ent_is_permutated", "tok_is_permutated", examples=("!tok_is_permutated",))
def ent_is_permutated(entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether the order of its words differs from the synonym."""
    return "permuted" in entity.marks


@function("entity", "ent_is_direct", "tok_is_direct", examples=("tok_is_direct",))
def ent_is_direct(entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether its words are in the order of the synonym."""
    return "permuted" not in entity.marks


@function("entity", "ent_is_misspelt", examples=("!ent_is_misspelt",))
def ent_is_misspelt(entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether one of its words is misspelt, as 'typos' of its element allows."""
    return "misspelt" in entity.marks


@function("entity", "ent_is_english", "tok_is_english", examples=("tok_is_english",))
def ent_is_english(entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether every letter of its text is Latin."""
    text = entity.text
    return text.isascii() or all(_is_latin(letter) for letter in text if letter.isalpha())


@function("entity", "ent_is_swear", "tok_is_swear", examples=("!tok_is_swear",))
def ent_is_swear(entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether it contains one of the model's swear words."""
    return "swear" in entity.marks


@function("entity", "ent_is_user", "tok_is_user", examples=("tok_is_user",))
def ent_is_user(entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether the model itself declares its element: it is not a built-in one."""
    return entity.own


@function("entity", "ent_is_freeword", "tok_is_freeword", examples=("!tok_is_freeword",))
def ent_is_freeword(entity: EntityView = CURRENT_ENTITY) -> bool:
    """Whether it is a word that no element covers: one of the element 'nlpcraft:nlp'."""
    return entity.element == _FREE_WORD


@function("entity", "ent_is_stopword", "tok_is_stopword", examples=("!tok_is_stopword",))
def ent_is_stopword(entity: EntityView = CURRENT_ENTITY) -> bool:
    """Always false: a word in a synonym is not a stop word there."""
    return False


def current_entity(context: EntityContext) -> EntityView:
    """The entity under test; raises EvaluationError if there is none."""
    if context.entity is None:
        raise EvaluationError("there is no entity under test")
    return context.entity


def _is_latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(("LATIN", "FULLWIDTH LATIN"))
