"""Functions on the entity under test: its element, its words, its position in the text.

Each accepts another entity as its argument: ``ent_text(first(ent_all))``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from anaphora.core.utterance import Entity
from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.registry import Function, Parameter, function
from anaphora.grammar.values import (
    BOOLEAN,
    INTEGER,
    LIST,
    NUMERIC_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    Kind,
    Type,
)

_FREE_WORD = "nlpcraft:nlp"  # the element of a word that no other element covers
_ENTITY = Parameter("entity", frozenset({Kind.ENTITY}), defaults_to_current=True)


def _is_latin(text: str) -> bool:
    return text.isascii() or all(
        unicodedata.name(letter, "").startswith(("LATIN", "FULLWIDTH LATIN"))
        for letter in text
        if letter.isalpha()
    )


def _has_mark(mark: str) -> Callable[[Entity], bool]:
    return lambda entity: mark in entity.marks


def _declare(
    names: str, read: Callable[[Entity], Any], returns: Type, doc: str, *examples: str
) -> Function:
    return Function(
        names=tuple(names.split()),
        group="entity",
        parameters=(_ENTITY,),
        returns=returns,
        doc=doc,
        python=read,
        reads_entity=True,
        examples=examples,
    )


# fmt: off
ent_type = _declare(
    "ent_type tok_id #", attrgetter("element"), TEXT,
    "The id of the entity's element.", "# == 'city'", "ent_type == #")
ent_text = _declare(
    "ent_text tok_txt", attrgetter("text"), TEXT, "The text of the entity.", "ent_text == 'Tokyo'")
ent_norm_text = _declare(
    "ent_norm_text tok_norm_txt", lambda entity: " ".join(entity.text.lower().split()), TEXT,
    "The text of the entity in lower case, with single blanks between the words.",
    "ent_norm_text == 'tokyo'")
ent_groups = _declare(
    "ent_groups tok_groups", lambda entity: tuple(sorted(entity.groups)), LIST,
    "The groups of its element, in alphabetical order.", "has(ent_groups, 'place')")
ent_value = _declare(
    "ent_value tok_value", attrgetter("value"), TEXT_OR_NULL,
    "The name of the entity's value, or null.", "ent_value == 'Tokyo'")
tok_parent = _declare(
    "ent_parent tok_parent", lambda entity: entity.ancestors[0] if entity.ancestors else None,
    TEXT_OR_NULL, "The id of its element's parent, or null.", "tok_parent == 'settlement'")
tok_ancestors = _declare(
    "ent_ancestors tok_ancestors", lambda entity: tuple(entity.ancestors), LIST,
    "The ids of its element's ancestors: the parent, the parent's parent and so on.",
    "has(tok_ancestors, 'location')")
ent_lemma = _declare(
    "ent_lemma tok_lemma", attrgetter("lemma"), TEXT,
    "The lemmas of its words; the words in lower case if the pipeline has no lemmatizer.",
    "tok_lemma == 'tokyo'")
ent_stem = _declare(
    "ent_stem tok_stem", attrgetter("stem"), TEXT,
    "The stems of its words, separated by blanks.", "tok_stem == 'tokyo'")
ent_pos = _declare(
    "ent_pos tok_pos", attrgetter("pos"), TEXT,
    "The parts of speech of its words; an empty text if the pipeline has no tagger.",
    "tok_pos == 'PROPN'")
ent_unid = _declare(
    "ent_unid tok_unid", lambda entity: f"{entity.element}:{entity.start}-{entity.end}", TEXT,
    "An identifier, unique in its sentence, from its element and its position in the text.",
    "tok_unid == 'city:11-16'")
ent_start_idx = _declare(
    "ent_start_idx tok_start_idx", attrgetter("start"), INTEGER,
    "The offset of its first character in the text, from 0.", "tok_start_idx == 11")
ent_end_idx = _declare(
    "ent_end_idx tok_end_idx", attrgetter("end"), INTEGER,
    "The offset after its last character in the text.",
    "tok_end_idx - tok_start_idx == size(ent_text)")
ent_sparsity = _declare(
    "ent_sparsity tok_sparsity", attrgetter("gaps"), INTEGER,
    "The number of other words between its own.", "tok_sparsity == 0")
# fmt: on


@function("entity", "ent_this", "tok_this", reads_entity=True, examples=("#(ent_this) == #",))
def ent_this(context: EntityContext) -> Entity:
    """The entity under test."""
    return current_entity(context)


# fmt: off
ent_is_abstract = _declare(
    "ent_is_abstract tok_is_abstract", _has_mark("abstract"), BOOLEAN,
    "Whether its element is abstract: only a part of other elements.", "!tok_is_abstract")
ent_is_bracketed = _declare(
    "ent_is_bracketed tok_is_bracketed", _has_mark("bracketed"), BOOLEAN,
    "Whether it is in brackets.", "!tok_is_bracketed")
ent_is_quoted = _declare(
    "ent_is_quoted tok_is_quoted", _has_mark("quoted"), BOOLEAN,
    "Whether it is in quotes.", "!tok_is_quoted")
ent_is_permutated = _declare(
    "ent_is_permutated tok_is_permutated", _has_mark("permuted"), BOOLEAN,
    "Whether the order of its words differs from the synonym.", "!tok_is_permutated")
ent_is_direct = _declare(
    "ent_is_direct tok_is_direct", lambda entity: "permuted" not in entity.marks, BOOLEAN,
    "Whether its words are in the order of the synonym.", "tok_is_direct")
ent_is_misspelt = _declare(
    "ent_is_misspelt", _has_mark("misspelt"), BOOLEAN,
    "Whether one of its words is misspelt, as 'typos' of its element allows.", "!ent_is_misspelt")
ent_is_english = _declare(
    "ent_is_english tok_is_english", lambda entity: _is_latin(entity.text), BOOLEAN,
    "Whether every letter of its text is Latin.", "tok_is_english")
ent_is_swear = _declare(
    "ent_is_swear tok_is_swear", _has_mark("swear"), BOOLEAN,
    "Whether it contains one of the model's swear words.", "!tok_is_swear")
ent_is_user = _declare(
    "ent_is_user tok_is_user", attrgetter("is_from_phrase"), BOOLEAN,
    "Whether a phrase of the model found it, not a recognizer.", "tok_is_user")
ent_is_freeword = _declare(
    "ent_is_freeword tok_is_freeword", lambda entity: entity.element == _FREE_WORD, BOOLEAN,
    "Whether it is a word that no element covers: one of the element 'nlpcraft:nlp'.",
    "!tok_is_freeword")
ent_is_stopword = _declare(
    "ent_is_stopword tok_is_stopword", lambda entity: False, BOOLEAN,
    "Always false: a word in a synonym is not a stop word there.", "!tok_is_stopword")
ent_negated = _declare(
    "ent_negated", attrgetter("negated"), BOOLEAN,
    "Whether the user excludes it: without onions. A term whose predicate does not use this "
    "function takes no such entity.", "!ent_negated")
ent_quantity = _declare(
    "ent_quantity", attrgetter("quantity"), NUMERIC_OR_NULL,
    "The number that counts it in the text (two pizzas), or null; its element says what counts "
    "it.", "ent_quantity == null")
# fmt: on


def current_entity(context: EntityContext) -> Entity:
    """The entity under test; raises EvaluationError if there is none."""
    if context.entity is None:
        raise EvaluationError("there is no entity under test")
    return context.entity
