"""The answers of a collection that say in which direction a value was changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from anaphora.models.hassil.analysis.combinations import ReferenceFinder
from anaphora.models.hassil.collection import RangeList, SentenceCollection, SlotList, TextList

__all__ = ["find_directed_responses"]

_SIGNS: Mapping[str, int] = {"up": 1, "down": -1}


def find_directed_responses(
    collection: SentenceCollection, slots: Collection[str]
) -> dict[str, dict[int, str]]:
    """By intents, the keys of the answers to sentences whose values of the ``slots`` go up (1) and
    to those whose values go down (-1); none for an intent that has not one of each."""
    found: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for block in collection.blocks:
        if not slots or len(collection.responses.get(block.intent, ())) < len(_SIGNS):
            continue
        finder = ReferenceFinder({**collection.rules, **block.rules})
        lists = {**collection.lists, **block.lists}
        for sentence in block.sentences:
            named = [one.list for one in finder.find(sentence) if one.slot in slots]
            signs = _find_signs(lists[one] for one in named if one in lists)
            if len(signs) == 1:
                found[block.intent][signs.pop()].add(block.response)
    return {
        intent: {sign: key for sign, keys in by_sign.items() for key in keys}
        for intent, by_sign in found.items()
        if len(by_sign) == len(_SIGNS) and all(len(keys) == 1 for keys in by_sign.values())
    }


def _find_signs(lists: Iterable[SlotList]) -> set[int]:
    """The directions of the values of some lists; 0 for what may be either."""
    signs: set[int] = set()
    for listed in lists:
        if isinstance(listed, TextList):
            signs.update(_SIGNS.get(str(one.value), 0) for one in listed.values)
        elif isinstance(listed, RangeList):
            low, high = sorted(
                one * (listed.multiplier or 1) for one in (listed.start, listed.stop)
            )
            signs.add(1 if low >= 0 else -1 if high <= 0 else 0)
        else:
            signs.add(0)
    return signs
