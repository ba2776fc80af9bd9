"""Slot filling: which intent a question that matches none came nearest to, what to ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from anaphora.grammar.idl.intent import Intent
from anaphora.intents.index import IntentIndex, entity_keys
from anaphora.intents.match import SlotFilling
from anaphora.intents.solver import MatchContext, available_entities, fill_intents

__all__ = ["find_blocked", "find_near_miss"]


def find_near_miss(
    intents: Sequence[Intent],
    index: IntentIndex,
    contexts: Iterable[MatchContext],
    accept: Callable[[SlotFilling], bool] = lambda filling: True,
) -> SlotFilling | None:
    """The near miss that lacks the fewest terms, then uses the most entities of the sentence,
    then stands first in the model; None if there is none that ``accept`` takes.

    A near miss is an intent of which the sentence filled a term while others are missing;
    :func:`find_blocked` finds those that lack nothing and still do not match.

    Raises :class:`EvaluationError` for a predicate that cannot be evaluated.
    """
    best: tuple[tuple[int, int, int], SlotFilling] | None = None
    for scene in contexts:
        best = _search_near_miss(scene, intents, index, accept, best)
    return best[1] if best else None


def find_blocked(
    intents: Sequence[Intent], index: IntentIndex, contexts: Iterable[MatchContext]
) -> SlotFilling | None:
    """The first intent of which the sentence fills all that it needs, and which something else
    keeps from matching: its flow, its order, what it leaves unused. None if there is none.

    Raises :class:`EvaluationError` for a predicate that cannot be evaluated.
    """
    for scene in contexts:
        for filling in fill_intents(intents, index.candidates(available_entities(scene)), scene):
            if filling.blocking_reason and not filling.missing and filling.from_sentence:
                return filling
    return None


def _search_near_miss(
    context: MatchContext,
    intents: Sequence[Intent],
    index: IntentIndex,
    accept: Callable[[SlotFilling], bool],
    best: tuple[tuple[int, int, int], SlotFilling] | None,
) -> tuple[tuple[int, int, int], SlotFilling] | None:
    """Intents come by the number of terms they require, so the search ends as soon as none of
    the rest can be better than the best one found: its cost doesn't grow with the model."""
    own = [candidate for candidate in context.sentence if candidate.source == "sentence"]
    at_hand = len(context.sentence) + len(context.memory)
    keys = {key for candidate in own for key in entity_keys(candidate.entity)}
    for required, orders in index.orders_by_required_terms(keys):
        bound = (max(1, required - at_hand), -len(own))
        if best and bound > best[0][:2]:
            break
        for order in orders:
            if best and (*bound, order) >= best[0]:
                break
            (filling,) = fill_intents(intents, (order,), context)
            used = len(filling.from_sentence)
            key = (len(filling.missing), -used, order)
            near = used and filling.missing and not filling.blocking_reason
            if near and (best is None or key < best[0]) and accept(filling):
                best = (key, filling)
    return best
