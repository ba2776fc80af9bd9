"""Other forms of an utterance by the entities in it: with the names as the home has them, and
without the place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from anaphora.core.utterance import Entity, SentenceReading, Utterance
from anaphora.entities.languages import cached_table
from anaphora.entities.sentences.input_text import InputText, Piece, replace_pieces
from anaphora.entities.words.function_words import load_qualifiers
from anaphora.grammar.sentences.normalization import fold_case, normalize_text
from anaphora.models.hassil.inverse_intents import INVERSE_INTENTS

__all__ = [
    "FormWithoutPlace",
    "find_named",
    "find_rest_words",
    "load_excluding",
    "restore_names",
    "says_action",
    "says_more",
    "without_excluded",
    "without_places",
]

_NAMED = frozenset(("name", "area", "floor"))
_THINGS = frozenset(("name", "domain", "device_class", "area", "floor"))
_PLACES = frozenset(("area", "floor"))


class FormWithoutPlace(NamedTuple):
    """A text without its only place, the entity of the place, and the words before it that are left
    out with it."""

    text: InputText
    place: Entity
    left_out: frozenset[str]


def find_named(utterance: Utterance) -> list[Entity]:
    """The things and places of a home that an utterance names, the longest of those that overlap,
    in the order of the text."""
    return _find_longest(utterance, _NAMED)


def _find_longest(utterance: Utterance, slots: Collection[str]) -> list[Entity]:
    """The entities of some slots, the longest of those that overlap, in the order of the text."""
    found: list[Entity] = []
    known = (one for one in utterance.entities if one.element in slots and one.tokens)
    for entity in sorted(known, key=lambda one: (one.start - one.end, not one.exact, one.start)):
        if all(entity.end <= one.start or entity.start >= one.end for one in found):
            found.append(entity)
    return sorted(found, key=lambda one: one.start)


def restore_names(text: InputText, named: Sequence[Entity]) -> InputText:
    """The text with each name as the home has it, if it stands there in another form: "das linke
    Rollo" with "linkes Rollo". The same object if there is none."""
    pieces = []
    at = 0
    for entity in named:
        if entity.exact or entity.value is None:
            continue
        start, end = text.position(entity.start), text.position(entity.end)
        pieces += [Piece(at, start, text.text[at:start])]
        pieces += [Piece(start, end, fold_case(normalize_text(entity.value)))]
        at = end
    if not pieces:
        return text
    return replace_pieces(text, [*pieces, Piece(at, len(text.text), text.text[at:])])


def without_places(
    text: InputText, utterance: Utterance, named: Sequence[Entity]
) -> Iterator[FormWithoutPlace]:
    """The forms of a text without its only place, with fewer and fewer of the function words before
    it: "lights on [on the ground floor]"."""
    places = [one for one in named if one.element in _PLACES]
    if len(places) != 1:
        return
    place, content = places[0], frozenset(utterance.content_words)
    end = text.position(place.end)
    first = min(place.tokens)
    while first and first - 1 not in content:
        first -= 1
    for index in range(first, min(place.tokens) + 1):
        start = text.position(utterance.tokens[index].start)
        rest = text.cut([(0, len(text.text[:start].rstrip())), (end + 1, len(text.text))])
        if rest.text:
            before = utterance.tokens[index : min(place.tokens)]
            words = frozenset(fold_case(normalize_text(one.text)) for one in before)
            yield FormWithoutPlace(rest, place, words)


def load_excluding(language: str) -> frozenset[str]:
    """The words before what is left out of all things: "everything BUT the radio"."""
    listed = cached_table(language, "home").get("excluding") or ()
    return load_qualifiers(language, "exclusion").union(listed)


def without_excluded(
    text: InputText, utterance: Utterance
) -> tuple[InputText, list[Entity]] | None:
    """A text without the part that excludes things, kinds or places, and their entities: "turn off
    all lights [but those in the kitchen]". None if it excludes nothing, or something unknown."""
    tokens, excluding = utterance.tokens, load_excluding(utterance.language)
    first = next((one.index for one in tokens if one.text.casefold() in excluding), 0)
    begin = len(text.text[: text.position(tokens[first].start)].rstrip()) if first else 0
    excluded = [one for one in _find_longest(utterance, _THINGS) if min(one.tokens) > first]
    if not begin or not excluded:
        return None
    covered = {index for one in excluded for index in one.tokens}
    if any(first < one < max(covered) and one not in covered for one in utterance.content_words):
        return None
    end = text.position(excluded[-1].end)
    return text.cut([(0, begin), (end + 1, len(text.text))]), excluded


def says_more(bare: InputText, utterance: Utterance, place: Entity) -> bool:
    """Whether a text without a place has a content word: "on" may belong to the place."""
    words = frozenset(bare.text.split())
    tokens = utterance.tokens
    return any(
        index not in place.tokens and fold_case(normalize_text(tokens[index].text)) in words
        for index in utterance.content_words
    )


def find_rest_words(
    rest: InputText, text: str, readings: Iterable[SentenceReading], *, is_whole: bool
) -> str:
    """The words of a text that only the ``rest`` of it has: all of them if that ``is_whole``, a
    command of its own ("schließe die Haustür AUF"), else those up to the end of the last thing that
    readings of it name: "the desk lamp", which is to be set "to 20 percent" as well."""
    start, end = rest.find(0, len(rest.text), text)
    if is_whole:
        return text[start:end]
    named = [
        entity.end
        for reading in readings
        for entity in reading.entities
        if start <= entity.start and entity.end <= end
    ]
    return text[start : max(named, default=end)]


def says_action(words: Mapping[str, frozenset[str]], intent: str, text: str) -> bool:
    """Whether a text has one of the ``words`` of an intent that its opposite has not: "activate" is
    one, "please" is none."""
    undoing = words.get(INVERSE_INTENTS.get(intent, ""), frozenset())
    return not (words[intent] - undoing).isdisjoint(re.findall(r"[^\W\d_]+", text))
