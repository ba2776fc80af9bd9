"""The combiners of a model, by the elements whose values they combine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.combination import create_builtin_combiner
from anaphora.entities.recognizers.combiner import AmountChanger, Combiner
from anaphora.entities.recognizers.function_combiner import FunctionCombiner
from anaphora.entities.recognizers.number_changer import NumberChanger
from anaphora.models.domain import Element, Model

if TYPE_CHECKING:
    from anaphora.entities.builtin.dates.recurrences.combiner import RecurrenceCombiner

__all__ = ["Combiners", "create_combiners"]

_AMOUNTS = frozenset({"number", "money", "duration"})


class Combiners(NamedTuple):
    """The combiners of a model by the ids of their elements; ``completing`` are the elements that
    words which are no entity may complete. ``recurring`` are the combiners of recurrences, which
    also combine these with the ``dates``; ``amounts`` change what more, less or a factor is said
    of, the numbers that the model recognizes itself among them. ``takes_lengths`` says whether an
    intent takes durations."""

    by_element: Mapping[str, Combiner]
    completing: frozenset[str]
    recurring: Mapping[str, RecurrenceCombiner]
    dates: frozenset[str]
    amounts: Mapping[str, AmountChanger]
    takes_lengths: bool

    def can_change(self, element: str) -> bool:
        """Whether an entity of an element may be combined with an old one, or change it."""
        return element in self.by_element or element in self.amounts

    def may_combine(self, said: Iterable[Entity]) -> bool:
        """Whether any of the entities may be combined with an old one."""
        for one in said:
            combiner = self.by_element.get(one.element)
            if combiner is not None and combiner.may_combine(one):
                return True
        return False


def create_combiners(model: Model) -> Combiners | None:
    """Create the combiners of a model; None if it needs none. Without ``dialog_acts`` those of the
    built-in entities only complete dates without a month or a start."""
    elements = {element.id: element for element in model.elements}
    found = {id: _create_combiner(element, model) for id, element in elements.items()}
    combiners = {id: combiner for id, combiner in found.items() if combiner is not None}
    completing = frozenset(id for id, combiner in combiners.items() if combiner.completes)
    recurring = {
        id: cast("RecurrenceCombiner", combiner)
        for id, combiner in combiners.items()
        if _builtin_name(elements[id]) == "recurrence"
    }
    dates = frozenset(id for id in combiners if _builtin_name(elements[id]) == "date")
    amounts = {
        id: cast("AmountChanger", combiner)
        for id, combiner in combiners.items()
        if _builtin_name(elements[id]) in _AMOUNTS
    }
    if model.dialog_acts is not None:
        amounts |= {id: NumberChanger() for id, one in elements.items() if _is_own(one)}
    if not (combiners or amounts):
        return None
    lengths = {id for id in combiners if _builtin_name(elements[id]) == "duration"}
    taken = (term.predicate.elements for intent in model.intents for term in intent.terms)
    takes_lengths = any(one is None or not lengths.isdisjoint(one) for one in taken)
    return Combiners(combiners, completing, recurring, dates, amounts, takes_lengths)


def _create_combiner(element: Element, model: Model) -> Combiner | None:
    if element.combine is not None:
        return FunctionCombiner(element.id, element.combine)
    recognition = element.recognition
    if recognition is None or recognition.kind != "built-in":
        return None
    is_full = model.dialog_acts is not None
    return create_builtin_combiner(
        recognition.name,
        model.locale_of(model.languages[0]),
        recognition.options,
        is_full=is_full,
    )


def _is_own(element: Element) -> bool:
    """Whether the model recognizes an element itself, and no function combines what it finds."""
    recognition = element.recognition
    if element.combine is not None or recognition is None:
        return False
    return recognition.kind in ("function", "component")


def _builtin_name(element: Element) -> str:
    """The name of the built-in entity that an element is; '' for other elements, and for those
    that a function combines."""
    recognition = element.recognition
    if element.combine is not None or recognition is None or recognition.kind != "built-in":
        return ""
    return recognition.name
