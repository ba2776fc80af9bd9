"""What a text says of a list: the place in it ("the second one"), what the user compares by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from anaphora.entities.builtin.numbers.numerals.numeral_reader import (
    EmbeddedNumber,
    get_numeral_reader,
)
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.entities.words.normalization import base_code

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity

__all__ = [
    "find_comparison",
    "find_ordinal",
    "has_cue",
    "places",
    "select_by_ordinal",
    "select_other",
    "select_several",
]

_MAX_DIGITS = 2
_FOLLOWING = frozenset({"correct", "decline", "instead", "add"})

_Item = TypeVar("_Item")


def find_ordinal(text: str, language: str, beside: Sequence[Entity] = ()) -> int | None:
    """The place that a text names ``beside`` some entities, from the end if it is negative; None if
    it names none, or more than one."""
    atoms, phrases = load_cue_words(language).read(text)
    places = {
        one.reading.number
        for one in phrases
        if one.reading.kind == "ordinal"
        and not any(
            entity.start <= atoms[one.first].start and atoms[one.last - 1].end <= entity.end
            for entity in beside
        )
    }
    return places.pop() if len(places) == 1 else None


def find_comparison(text: str, language: str) -> str:
    """The scale and the direction of a comparison, "price:less"; '' without one."""
    _, phrases = load_cue_words(language).read(text)
    found = (one.reading.value for one in phrases if one.reading.kind == "comparison")
    return next(found, "")


def has_cue(text: str, language: str, *kinds: str) -> bool:
    """Whether a text has a word that does one of these in a dialog."""
    _, phrases = load_cue_words(language).read(text)
    return any(one.reading.kind in kinds for one in phrases)


def places(text: str, language: str) -> Iterator[Mention]:
    """Recognize a place in a list, of a text that corrects or adds that and says nothing else: "no,
    I meant the second", "and the last one"."""
    atoms, phrases = load_cue_words(language).read(text)
    if all(one.reading.kind not in _FOLLOWING for one in phrases):
        return
    found = [one for one in phrases if one.reading.kind == "ordinal"]
    covered = {index for one in phrases for index in range(one.first, one.last)}
    rest = [one for index, one in enumerate(atoms) if index not in covered and one.kind != "mark"]
    if rest or len({one.reading.number for one in found}) != 1:
        return
    number = found[0].reading.number
    start, end = atoms[found[0].first].start, atoms[found[0].last - 1].end
    yield Mention(start, end, str(number))


def select_several(items: Sequence[_Item], text: str, language: str) -> list[_Item] | None:
    """The first or the last items that a text counts: "the last two"; empty if there are not that
    many, None if it counts none."""
    atoms, phrases = load_cue_words(language).read(text)
    last = {one.last for one in phrases if one.reading.number == -1}
    digits = {
        index: EmbeddedNumber(index + 1, int(atom.text))
        for index, atom in enumerate(atoms)
        if atom.kind == "digits" and len(atom.text) <= _MAX_DIGITS
    }
    numbers = get_numeral_reader(base_code(language)).find_mixed(atoms, digits)
    first = {one.end for one in numbers if one.ordinal and one.value == 1}
    for one in numbers:
        count = int(one.value)
        if one.ordinal or one.start not in first | last or count < 2:
            continue
        if count > len(items):
            return []
        return [*(items[:count] if one.start in first else items[-count:])]
    return None


def select_by_ordinal(items: Sequence[_Item], place: int | None) -> list[_Item]:
    """The item at a place; empty without a place, and if the list is shorter."""
    if place is None or abs(place) > len(items):
        return []
    index = place - 1 if place > 0 else place + len(items)
    return [items[index]]


def select_other(old: Entity, new: Entity) -> str | None:
    """Combine a value with "the other one": of the two under ``either`` in the metadata of the
    element, that which the old entity is not. None if the new entity is one of them itself."""
    either = new.meta["either"]
    others = [one for one in either if one != old.value]
    return others[0] if new.value not in either and len(others) == 1 else None
