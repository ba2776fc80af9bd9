"""Which stage of a question a function works for, by its module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

REST = "the rest of `ask`"

_MODULES: Mapping[str, tuple[str, ...]] = {
    "tokenizing": ("entities.tokens",),
    "words": (
        "entities.words",
        "entities.language_detection",
        "entities.tokens.sentence",
        "entities.tokens.enclosures",
    ),
    "phrases": ("entities",),
    "recognizers": (
        "entities.recognizers",
        "entities.builtin",
        "entities.spacy.entity_component",
        "entities.spacy.recognized_entities",
    ),
    "variants": ("entities.variants", "entities.matching.longest_match"),
    "memory": (
        "stm",
        "engine.model_upgrade",
        "engine.callbacks.live_conversation",
        "engine.long_term",
    ),
    "solving": ("intents",),
    "answering": ("engine",),  # the handlers of the bots, too; their recognizers are not
    "template": ("engine.responses", "models.templates"),
    "store": ("stm.stores", "storage"),
    REST: ("engine.engine",),
}
"""Modules of the package by their stages; the longest name that fits a module counts."""

STAGES = tuple(_MODULES)
"""In the order in which a question passes through them."""

_STAGE_OF = {module: stage for stage, modules in _MODULES.items() for module in modules}


def stage_of(module: str) -> str | None:
    """The stage of a module of the package (``entities.trie``), None for any other module."""
    name = module
    while name:
        if name in _STAGE_OF:
            return _STAGE_OF[name]
        name = name.rpartition(".")[0]
    return None


def stage_of_stack(modules: Sequence[str]) -> str:
    """The stage of a whole stack, the caller first: that of the innermost function that has one,
    for what a library does is done for whoever calls it."""
    found = (stage_of(module) for module in reversed(modules))
    return next((stage for stage in found if stage), REST)
