"""Other forms of an utterance by the entities in it: with the names as the home has them, and
without the place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.sentences.input_text import InputText, Piece, replace_pieces
from anaphora.grammar.sentences.normalization import fold_case, normalize_text

__all__ = ["FormWithoutPlace", "find_named", "restore_names", "says_more", "without_places"]

_NAMED = frozenset(("name", "area", "floor"))
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
    found: list[Entity] = []
    known = (one for one in utterance.entities if one.element in _NAMED and one.tokens)
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


def says_more(bare: InputText, utterance: Utterance, place: Entity) -> bool:
    """Whether a text without a place has a content word: "on" may belong to the place."""
    words = frozenset(bare.text.split())
    tokens = utterance.tokens
    return any(
        index not in place.tokens and fold_case(normalize_text(tokens[index].text)) in words
        for index in utterance.content_words
    )
