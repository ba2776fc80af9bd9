"""Find the parts of a sentence that the answer does not use: untaken entities and unknown words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct

from anaphora.core.utterance import Entity, LazySequence, Token, Utterance
from anaphora.intents.confirmation import parse_answer
from anaphora.intents.match import SlotFilling

__all__ = ["UnusedPart", "find_unknown_parts", "find_unused_parts"]

_Piece: TypeAlias = tuple[int, int, Entity | None]
"""The first and the last token of an entity, or of a content word (None)."""

_COMMAS = frozenset(",،、，")


class UnusedPart(Struct, frozen=True):
    """A span of the sentence with ``entities`` and ``words`` that the answer does not use.

    ``start`` and ``end`` are its offsets in the text (half open); ``words`` are content words that
    no entity covers.
    """

    text: str
    start: int
    end: int
    entities: tuple[Entity, ...] = ()
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Convert the span to JSON-able data."""
        return {
            "text": self.text,
            "start": self.start,
            "end": self.end,
            "entities": [
                {
                    "element": entity.element,
                    "value": entity.value_or_text,
                    "text": entity.text,
                    **entity.modifiers,
                }
                for entity in self.entities
            ],
            "words": list(self.words),
        }


def find_unused_parts(utterance: Utterance, filling: SlotFilling) -> Sequence[UnusedPart]:
    """Return the parts of ``utterance`` that ``filling`` does not use, in their order."""
    variant = filling.variant
    if not variant.uncovered:
        used = [one for one in filling.taken if one.remembered is None and not one.pending]
        # A list comprehension: a call for each entity would take longer than everything else.
        built_in = [one for one in variant.entities if not one.is_from_phrase]
        if len(used) == len(variant.entities) and not (
            built_in and any(map(_is_inequality, built_in))
        ):
            return ()
    # Rarely needed, so found on first access.
    return LazySequence(partial(_iter_unused_parts, utterance, filling))


def _iter_unused_parts(utterance: Utterance, filling: SlotFilling) -> Iterator[UnusedPart]:
    taken = {id(one.entity) for one in filling.from_sentence}
    entities = filling.variant.entities
    meanings = {_meaning_key(entity) for entity in entities if id(entity) in taken}
    # Of entities that mean the same ("I want to book a room") only one is taken: all are used.
    used = {i for entity in entities if _meaning_key(entity) in meanings for i in entity.tokens}
    # What the sentence takes back or rules out has had its effect.
    used.update(i for entity in entities if entity.negated for i in entity.tokens)
    used.update(i for reset in utterance.resets for i in reset)
    used.update(i for one in filling.from_sentence for i in one.entity.tokens)
    covered = used.union(*(entity.tokens for entity in entities))
    # "Not 50" is an amount, but an intent that takes amounts may not mean "all but 50".
    unequal = {i for entity in entities if _is_inequality(entity) for i in entity.tokens}
    turned = unequal.intersection(utterance.qualifiers)
    used -= turned
    covered -= turned
    pieces: list[_Piece] = [
        (min(entity.tokens), max(entity.tokens), entity)
        for entity in entities
        if entity.tokens and id(entity) not in taken and used.isdisjoint(entity.tokens)
    ]
    pieces += [
        (i, i, None)
        for i in utterance.content_words
        if i not in covered and not (i == 0 and _starts_with_answer(utterance))
    ]
    pieces.sort(key=lambda piece: piece[:2])
    yield from _join_pieces(utterance, pieces, used)


def find_unknown_parts(utterance: Utterance) -> Iterator[UnusedPart]:
    """Find the parts of ``utterance`` with content words that no entity covers, and that do nothing
    else in the dialog."""
    known = utterance.understood.union(*(entity.tokens for entity in utterance.entities))
    known = known.union(i for reset in utterance.resets for i in reset)
    pieces: list[_Piece] = [(i, i, None) for i in utterance.content_words if i not in known]
    return _join_pieces(utterance, pieces, known)


def _join_pieces(
    utterance: Utterance, pieces: Iterable[_Piece], used: AbstractSet[int]
) -> Iterator[UnusedPart]:
    """Join neighbouring pieces between which there is no ``used`` token."""
    together: list[_Piece] = []
    for piece in pieces:
        if together and not used.isdisjoint(range(together[-1][1], piece[0])):
            yield _build_part(utterance, together)
            together = []
        together.append(piece)
    if together:
        yield _build_part(utterance, together)


def _meaning_key(entity: Entity) -> tuple[str, str | None]:
    """Identify the meaning of an entity: its element if it has no values, else also its text,
    because "a coffee and an espresso" may be two."""
    is_one = entity.is_from_phrase and entity.value is None
    return entity.element, None if is_one else entity.text.casefold()


def _is_inequality(entity: Entity) -> bool:
    return not entity.is_from_phrase and entity.value_or_text.startswith("!=")


def _starts_with_answer(utterance: Utterance) -> bool:
    """Whether the first word is a yes or a no before a comma, which answers a question ("No, on
    Friday")."""
    tokens = utterance.tokens
    if len(tokens) < 2 or tokens[1].text not in _COMMAS:
        return False
    return parse_answer(tokens[0].text, (utterance.language,)) is not None


def _build_part(utterance: Utterance, pieces: Sequence[_Piece]) -> UnusedPart:
    tokens = utterance.tokens
    first = pieces[0][0]
    while first and _is_split_word(tokens[first - 1], tokens[first]):
        first -= 1
    start = tokens[first].start
    end = max(tokens[last].end for _, last, _ in pieces)
    return UnusedPart(
        text=utterance.text[start:end],
        start=start,
        end=end,
        entities=tuple(entity for *_, entity in pieces if entity is not None),
        words=tuple(tokens[i].text for i, _, entity in pieces if entity is None),
    )


def _is_split_word(before: Token, after: Token) -> bool:
    """Whether the tokenizer split a word into these two tokens: "don't", "cannot"."""
    if before.end != after.start:
        return False
    word = before.text + after.text
    letters = word.replace("'", "").replace("’", "")
    return letters.isalpha() and (len(letters) < len(word) or word.isascii())
