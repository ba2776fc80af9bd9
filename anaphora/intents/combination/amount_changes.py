"""Find what a sentence adds to an amount or takes from it ("30 minutes longer", "10 less"), and by
what it multiplies one ("twice as long", "half of that")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.cues.clauses import COMMAS
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.cue_words import PhraseMatch, load_cue_words

__all__ = ["AmountChange", "find_amount_changes", "has_trailing_change", "read_factor"]

_MAX_BETWEEN = 1  # word between an amount and what changes it: two *people* more

_Sign: TypeAlias = Literal[1, -1]


class AmountChange(NamedTuple):
    """An amount of the sentence, whether it is added (1) or taken away (-1), and the same amount
    with the words that say so."""

    amount: Entity
    sign: _Sign
    whole: Entity


def find_amount_changes(utterance: Utterance, said: Iterable[Entity]) -> list[AmountChange]:
    """Find the amounts among what is ``said`` that change others. The words of the model mean
    what the model says."""
    said = tuple(said)
    amounts = [one for one in said if _is_amount(one)]
    if not amounts:
        return []
    atoms, matches = load_cue_words(utterance.language).read(utterance.text)
    own = [one for one in said if one.is_from_phrase]
    found: dict[tuple[str, int, int], AmountChange] = {}
    changes = [one for one in matches if one.reading.kind == "change"]
    for match in changes:
        if any(_is_within(match, other) for other in changes):
            continue  # "plus froid" is less
        start, end = _span_of(match, atoms)
        if any(one.start < end and start < one.end for one in own):
            continue
        sign: _Sign = 1 if match.reading.value == "more" else -1
        for amount in _find_beside(utterance, amounts, start, end, match.reading.side):
            key = amount.element, amount.start, amount.end
            whole = _extend(found[key].whole if key in found else amount, utterance, start, end)
            found[key] = AmountChange(amount, sign, whole)
    return list(found.values())


def read_factor(cue: Cue, old: Entity) -> Fraction | None:
    """The number by which a cue multiplies an old amount; None if it multiplies no such amount."""
    if cue.kind != "factor":
        return None
    kind = "length" if "seconds" in old.meta else "sum" if "currency" in old.meta else "count"
    if cue.value not in ("", kind):
        return None
    return Fraction(cue.number) if cue.number > 0 else Fraction(1, -cue.number)


def has_trailing_change(utterance: Utterance) -> bool:
    """Whether a sentence has words that change what stands before them: "one less"."""
    _, matches = load_cue_words(utterance.language).read(utterance.text)
    return any(
        match.reading.kind == "change" and match.reading.side == "behind" and match.start > 0
        for match in matches
    )


def _is_amount(entity: Entity) -> bool:
    """Whether an entity is a plain amount: no comparison, no range, no ordinal."""
    meta = entity.meta
    if entity.is_from_phrase or "comparison" in meta or meta.get("kind") == "ordinal":
        return False
    return any(isinstance(meta.get(key), int | float) for key in ("value", "amount", "seconds"))


def _is_within(match: PhraseMatch, other: PhraseMatch) -> bool:
    """Whether a match is a part of another, longer one."""
    is_longer = other.last - other.first > match.last - match.first
    return is_longer and other.first <= match.first and match.last <= other.last


def _span_of(match: PhraseMatch, atoms: Sequence[Atom]) -> tuple[int, int]:
    return atoms[match.first].start, atoms[match.last - 1].end


def _find_beside(
    utterance: Utterance, amounts: Sequence[Entity], start: int, end: int, side: str
) -> Iterator[Entity]:
    """The amounts beside the words from ``start`` to ``end``, or around them."""
    for one in amounts:
        is_before = side == "before" and end <= one.start and _are_beside(utterance, end, one.start)
        is_behind = side == "behind" and one.end <= start and _are_beside(utterance, one.end, start)
        if is_before or is_behind or (one.start <= start and end <= one.end):
            yield one


def _are_beside(utterance: Utterance, start: int, end: int) -> bool:
    between = [one for one in utterance.tokens if start <= one.start and one.end <= end]
    if any(one.text in COMMAS for one in between):
        return False
    return len(between) <= _MAX_BETWEEN


def _extend(entity: Entity, utterance: Utterance, start: int, end: int) -> Entity:
    """The entity with the words from ``start`` to ``end``."""
    start, end = min(start, entity.start), max(end, entity.end)
    tokens = [one.index for one in utterance.tokens if start < one.end and one.start < end]
    return replace(
        entity, tokens=tuple(tokens), start=start, end=end, text=utterance.text[start:end]
    )
