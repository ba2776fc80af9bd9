"""The variables that responses, prompts and offers may use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypedDict

from anaphora.core.utterance import Entity
from anaphora.engine.callbacks.answer import Answer
from anaphora.engine.responses import SlotView
from anaphora.intents.decision.decision import Decision
from anaphora.intents.match import SlotFilling, build_slots
from anaphora.intents.unused import UnusedPart, find_unused_parts
from anaphora.models.templates.entity_text import to_template_value
from anaphora.models.templates.formatting.filters import FORMAT_LOCALE_KEY

__all__ = [
    "ActValues",
    "build_act_values",
    "build_result_values",
    "build_template_values",
    "find_unused",
]


def build_template_values(
    decision: Decision,
    filling: SlotFilling | None,
    unused: Sequence[str] | None = None,
    **others: Any,
) -> dict[str, Any]:
    """Build the variables of a template, by name; without a ``filling`` there are no slots.
    ``unused`` are the unused parts of the sentence, found here if left out; ``others`` are more
    variables."""
    question = decision.question
    utterance = question.utterance
    values: dict[str, Any] = {
        "user": decision.conversation.user,
        "text": utterance.text,
        FORMAT_LOCALE_KEY: (utterance.language, question.question_context.at.tzinfo),
        **build_act_values(decision),
        **others,
    }
    if filling is None:
        return values
    slots = build_slots(filling)
    values |= {
        "intent": filling.intent.id,
        "slots": SlotView(slots),
        "unused": find_unused(decision, filling) if unused is None else unused,
    }
    for term in filling.intent.terms:  # even an empty slot hides a variable of the same name
        if term.id in values:
            del values[term.id]
    for name, slot in slots.items():
        found = [to_template_value(taken.entity) for taken in slot.taken]
        values[name] = found if slot.is_multiple else found[0]
    return values


def build_result_values(decision: Decision, filling: SlotFilling, result: Any) -> dict[str, Any]:
    """Build the variables of a template with the ``result`` of a handler, or that of its
    :class:`Answer`; a slot of that name hides it."""
    result = result.result if isinstance(result, Answer) else result
    return build_template_values(decision, filling, result=result)


class ActValues(TypedDict):
    """The dialog act of a question, for handlers and templates.

    ``accepted`` has the values of the offer that the user takes, by element; ``declined`` those of
    all offers that the user did not want. ``comparison`` is what is wanted instead, such as
    "price:less" ('' for nothing). ``correction``: the question was answered before, with other
    values.
    """

    accepted: Mapping[str, str]
    declined: Sequence[Mapping[str, str]]
    comparison: str
    correction: bool


def build_act_values(decision: Decision) -> ActValues:
    """Build what handlers and templates get of the dialog act."""
    act, pending = decision.act, decision.conversation.pending
    corrects = (
        pending is not None
        and pending.corrects
        and any(match.intent.id == pending.intent for match in decision.matches[:1])
    )
    if act is None:
        return {**_NO_ACT, "correction": True} if corrects else _NO_ACT
    return ActValues(
        accepted=_values_of(act.accepted),
        declined=[_values_of(bundle) for bundle in act.declined],
        comparison=act.comparison,
        correction=corrects or act.kind in ("corrected", "changed"),
    )


def _values_of(bundle: Iterable[Entity]) -> dict[str, str]:
    return {entity.element: entity.value_or_text for entity in bundle}


_NO_ACT = ActValues(accepted=MappingProxyType({}), declined=(), comparison="", correction=False)


def find_unused(decision: Decision, filling: SlotFilling) -> Sequence[UnusedPart]:
    """Find the unused parts of the sentence; none of a sentence that only confirms."""
    if decision.pending_action == "confirmed":
        return ()
    return find_unused_parts(decision.question.utterance, filling)
