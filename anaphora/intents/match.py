"""The results of matching: the entities that fill each term, and what an intent lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from anaphora.core.utterance import Entity, Variant
from anaphora.grammar.idl.intent import Intent, Term
from anaphora.intents.ranking_steps import Rank
from anaphora.stm.conversation import RememberedEntity

__all__ = [
    "Candidate",
    "ContentWords",
    "Match",
    "Slot",
    "SlotFilling",
    "Source",
    "TermMatch",
    "build_slots",
]

Source: TypeAlias = Literal["sentence", "memory"]
_Item = TypeVar("_Item")


class Candidate(Struct, frozen=True, gc=False):
    """An entity that a term may take, and its source.

    An entity of the sentence has neither ``remembered`` nor ``pending``. A pending one belongs to
    an earlier question that is being completed, or lies on the table (``offered``). ``distance`` is
    how many questions ago a remembered one was stored, counted from the present question, so 1 for
    the last one.
    """

    entity: Entity
    remembered: RememberedEntity | None = None
    pending: bool = False
    distance: int = 0
    offered: bool = False

    @property
    def source(self) -> Source:
        return "memory" if self.pending or self.remembered else "sentence"


class TermMatch(Struct, frozen=True, gc=False):
    """A term and the entities that it took; ``hits`` also counts those that fit but were not
    taken."""

    term: Term
    taken: tuple[Candidate, ...]
    hits: int


class SlotFilling(Struct, frozen=True, gc=False):
    """One intent evaluated in one match context: the entities of each term, the missing terms,
    and what blocks a match.

    ``taken`` are the entities of all terms. ``blocking_reason`` tells why the intent does not
    match though no term is missing ('' if it does).
    """

    intent: Intent
    intent_index: int
    variant: Variant
    terms: tuple[TermMatch, ...]
    taken: tuple[Candidate, ...] = ()
    missing: tuple[Term, ...] = ()
    blocking_reason: str = ""

    @property
    def from_sentence(self) -> tuple[Candidate, ...]:
        return tuple(taken for taken in self.taken if taken.source == "sentence")

    @property
    def takes_required_from_sentence(self) -> bool:
        """Whether no required term takes an entity from memory."""
        return all(
            taken.source == "sentence"
            for one in self.terms
            if one.term.min > 0
            for taken in one.taken
        )

    @property
    def mismatch_reason(self) -> str:
        """Why the intent does not match, as a text ('' if it does)."""
        if missing := self.missing:
            return "; ".join(_format_missing_term(term) for term in missing)
        return self.blocking_reason


def _format_missing_term(term: Term) -> str:
    where = "" if term.conversational else " in the sentence itself"
    predicate = f" ({{{term.predicate.text}}})" if term.id else ""
    return f"nothing fills {term.label}{predicate}{where}"


class ContentWords(NamedTuple):
    """The indexes of the content words of a sentence, and of those among them that negate or
    restrict others within an entity."""

    content: Sequence[int] = ()
    qualifiers: Sequence[int] = ()


class Match(Struct, frozen=True, gc=False):
    """An intent that the sentence and the memory fill, with its rank."""

    filling: SlotFilling
    rank: Rank

    @property
    def intent(self) -> Intent:
        return self.filling.intent

    @property
    def entities(self) -> tuple[Entity, ...]:
        """All entities that the intent took, in the order of its terms."""
        return tuple(taken.entity for taken in self.filling.taken)

    @property
    def slots(self) -> dict[str, Slot]:
        return build_slots(self.filling)


class Slot(Struct, frozen=True, gc=False):
    """The entities that fill a named term. Its properties are lists if the term may take several
    entities."""

    name: str
    taken: tuple[Candidate, ...]
    is_multiple: bool

    @property
    def value(self) -> str | list[str]:
        """The value of the entity, else its text."""
        return self._unwrap([taken.entity.value_or_text for taken in self.taken])

    @property
    def text(self) -> str | list[str]:
        """The words of the utterance."""
        return self._unwrap([taken.entity.text for taken in self.taken])

    @property
    def element(self) -> str | list[str]:
        return self._unwrap([taken.entity.element for taken in self.taken])

    @property
    def source(self) -> str | list[str]:
        """``"sentence"`` or ``"memory"``."""
        return self._unwrap([taken.source for taken in self.taken])

    @property
    def meta(self) -> Mapping[str, Any] | list[Mapping[str, Any]]:
        """The metadata of the entity: the interval of a date, the country of a place."""
        return self._unwrap([taken.entity.meta for taken in self.taken])

    @property
    def quantity(self) -> float | list[float | None] | None:
        """The number that counts the entity in the text; None without one."""
        return self._unwrap([taken.entity.quantity for taken in self.taken])

    @property
    def negated(self) -> bool | list[bool]:
        """Whether the user excludes the entity."""
        return self._unwrap([taken.entity.negated for taken in self.taken])

    @property
    def entities(self) -> tuple[Entity, ...]:
        return tuple(taken.entity for taken in self.taken)

    def to_dict(self) -> dict[str, Any]:
        """Convert the slot to JSON-able data: with metadata if a recognizer found an entity, with
        quantities and negations if there are any."""
        plain: dict[str, Any] = {
            "value": self.value,
            "text": self.text,
            "element": self.element,
            "source": self.source,
        }
        if not all(taken.entity.is_from_phrase for taken in self.taken):
            plain["meta"] = self._unwrap([dict(taken.entity.meta) for taken in self.taken])
        modifiers = {name for taken in self.taken for name in taken.entity.modifiers}
        return plain | {name: getattr(self, name) for name in sorted(modifiers)}

    def _unwrap(self, items: list[_Item]) -> _Item | list[_Item]:
        return items if self.is_multiple else items[0]


def build_slots(filling: SlotFilling) -> dict[str, Slot]:
    """Return the filled slots by name, in the order of the terms."""
    return {
        one.term.id: Slot(one.term.id, one.taken, is_multiple=one.term.max > 1)
        for one in filling.terms
        if one.term.id is not None and one.taken
    }
