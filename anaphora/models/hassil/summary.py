"""What a collection of sentences says about its slots, whatever the home: computed once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from anaphora.models.hassil.analysis.combinations import (
    Combination,
    ReferenceFinder,
    find_combinations,
)
from anaphora.models.hassil.analysis.domain_words import find_domain_words
from anaphora.models.hassil.analysis.units import find_units
from anaphora.models.hassil.analysis.vocabulary import find_first_words, find_words
from anaphora.models.hassil.collection import SentenceCollection, SlotList
from anaphora.storage.cache import UNCACHED, Cache, CachedParts, digest

__all__ = [
    "CollectionSummary",
    "HomeSentences",
    "ListUse",
    "collection_parts",
    "find_lists",
    "merge_uses",
    "summarize",
]


class ListUse(Struct, frozen=True, array_like=True):
    """A list that a slot takes its values from: that of a block, by its index, or (-1) that of the
    collection or of the home."""

    name: str
    block: int = -1


class CollectionSummary(Struct, frozen=True, array_like=True):
    """What deciding by sentences needs of their templates.

    ``uses`` are the lists by intents and their slots, in the order of the sentences; slots that are
    fixed or come from the context have none. ``units`` are the words that may follow the number of
    a slot, ``words`` those of the templates of each intent, ``first_words`` those that these may
    begin with, ``domain_words`` those that name a domain.
    """

    uses: dict[str, dict[str, tuple[ListUse, ...]]]
    combinations: tuple[Combination, ...]
    units: dict[str, frozenset[str]]
    words: dict[str, frozenset[str]]
    first_words: dict[str, frozenset[str]]
    domain_words: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class HomeSentences:
    """A collection with the lists of a home: the names of its devices, areas and floors.

    ``inputs`` are the files, folders and packaged collections that it was read from, each with a
    digest of its content; ``source`` identifies the collection. ``cache`` keeps what is derived
    from it.
    """

    collection: SentenceCollection
    summary: CollectionSummary
    lists: Mapping[str, SlotList]
    inputs: Mapping[str, str] = field(default_factory=dict, compare=False)
    source: str = field(default="", compare=False)
    cache: Cache | None = field(default=None, compare=False, repr=False)

    def parts(self, cache: Cache | None = None) -> CachedParts:
        """What is derived from the collection, in ``cache`` or in that which it came from."""
        return collection_parts(cache or self.cache, self.source)

    def find_lists(self, intents: Iterable[str] | None = None) -> dict[str, list[SlotList]]:
        """The lists by the slots that they fill, of some ``intents`` or of all."""
        uses = self.summary.uses
        chosen = uses.values() if intents is None else (uses[intent] for intent in intents)
        return find_lists(merge_uses(chosen), self.collection, self.lists)


def collection_parts(cache: Cache | None, source: str) -> CachedParts:
    """What is derived from the collection that ``source`` identifies."""
    return UNCACHED if cache is None else CachedParts(cache, "sentences", digest(source))


def summarize(collection: SentenceCollection) -> CollectionSummary:
    """Summarize the templates of a collection."""
    return CollectionSummary(
        uses=_find_uses(collection),
        combinations=find_combinations(collection),
        units=find_units(collection),
        words=find_words(collection),
        first_words=find_first_words(collection),
        domain_words=find_domain_words(collection),
    )


def merge_uses(
    uses: Iterable[Mapping[str, Iterable[ListUse]]],
) -> dict[str, tuple[ListUse, ...]]:
    """The lists of the slots of several intents together."""
    merged: dict[str, dict[ListUse, None]] = defaultdict(dict)
    for by_slot in uses:
        for slot, listed in by_slot.items():
            merged[slot].update(dict.fromkeys(listed))
    return {slot: tuple(listed) for slot, listed in merged.items()}


def find_lists(
    uses: Mapping[str, Iterable[ListUse]],
    collection: SentenceCollection,
    lists: Mapping[str, SlotList],
) -> dict[str, list[SlotList]]:
    """The lists by the slots that they fill; ``lists`` are those of the home."""
    known = {**collection.lists, **lists}
    return {
        slot: [
            listed
            for use in some
            if (
                listed := known.get(use.name)
                if use.block < 0
                else collection.blocks[use.block].lists[use.name]
            )
            is not None
        ]
        for slot, some in uses.items()
    }


def _find_uses(collection: SentenceCollection) -> dict[str, dict[str, tuple[ListUse, ...]]]:
    found: dict[str, dict[str, dict[ListUse, None]]] = {}
    shared = ReferenceFinder(collection.rules)
    for index, block in enumerate(collection.blocks):
        finder = shared
        if block.rules:
            finder = ReferenceFinder({**collection.rules, **block.rules})
        slots = found.setdefault(block.intent, {})
        for sentence in block.sentences:
            for one in finder.find(sentence):
                if not one.capture:
                    use = ListUse(one.list, index if one.list in block.lists else -1)
                    slots.setdefault(one.slot, {})[use] = None
        for name in (*block.slots, *(rule.slot for rule in block.requires.values() if rule.slot)):
            slots.setdefault(name, {})
    return {
        intent: {slot: tuple(uses) for slot, uses in slots.items()}
        for intent, slots in found.items()
    }
