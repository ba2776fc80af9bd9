"""Map the modules of the package to the stages of a question."""

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
        "engine.bots.model_upgrade",
        "engine.callbacks.live_conversation",
        "engine.long_term",
    ),
    "solving": ("intents",),
    "answering": ("engine",),  # including handlers of bots, but not their recognizers
    "template": ("engine.responses", "models.templates"),
    "store": ("stm.stores", "storage"),
    REST: ("engine.engine",),
}
"""Modules of the package by stage; the longest matching name counts."""

STAGES = tuple(_MODULES)
"""The stages in the order of a question."""

_STAGE_OF = {module: stage for stage, modules in _MODULES.items() for module in modules}


def stage_of(module: str) -> str | None:
    """The stage of a module of the package (``entities.phrases.trie``), None for other modules."""
    name = module
    while name:
        if name in _STAGE_OF:
            return _STAGE_OF[name]
        name = name.rpartition(".")[0]
    return None


def stage_of_stack(modules: Sequence[str]) -> str:
    """The stage of a stack, outermost caller first: that of the innermost function that has one, so
    that time in a library counts for its caller."""
    stages = (stage_of(module) for module in reversed(modules))
    return next((stage for stage in stages if stage), REST)
