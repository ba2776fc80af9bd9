"""Slot filling: which intent a question that matches none came nearest to, what to ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from anaphora.grammar.intent import Intent
from anaphora.intents.index import IntentIndex, keys_of
from anaphora.intents.match import Filling
from anaphora.intents.solver import Scene, entities_at_hand, fillings

__all__ = ["nearest", "obstructed"]


def nearest(
    intents: Sequence[Intent],
    index: IntentIndex,
    scenes: Iterable[Scene],
    accept: Callable[[Filling], bool] = lambda filling: True,
) -> Filling | None:
    """The near miss that lacks the fewest terms, then uses the most entities of the sentence,
    then stands first in the model; None if there is none that ``accept`` takes.

    A near miss is an intent of which the sentence filled a term while others are missing;
    :func:`obstructed` finds those that lack nothing and still do not match.

    Raises :class:`EvaluationError` for a predicate that cannot be evaluated.
    """
    best: tuple[tuple[int, int, int], Filling] | None = None
    for scene in scenes:
        best = _nearest_in(scene, intents, index, accept, best)
    return best[1] if best else None


def obstructed(
    intents: Sequence[Intent], index: IntentIndex, scenes: Iterable[Scene]
) -> Filling | None:
    """The first intent of which the sentence fills all that it needs, and which something else
    keeps from matching: its flow, its order, what it leaves unused. None if there is none.

    Raises :class:`EvaluationError` for a predicate that cannot be evaluated.
    """
    for scene in scenes:
        for filling in fillings(intents, index.candidates(entities_at_hand(scene)), scene):
            if filling.obstacle and not filling.missing and filling.from_sentence:
                return filling
    return None


def _nearest_in(
    scene: Scene,
    intents: Sequence[Intent],
    index: IntentIndex,
    accept: Callable[[Filling], bool],
    best: tuple[tuple[int, int, int], Filling] | None,
) -> tuple[tuple[int, int, int], Filling] | None:
    """Intents come by the number of terms they require, so the search ends as soon as none of
    the rest can be better than the best one found: its cost doesn't grow with the model."""
    own = [candidate for candidate in scene.sentence if candidate.source == "sentence"]
    at_hand = len(scene.sentence) + len(scene.memory)
    keys = {key for candidate in own for key in keys_of(candidate.entity)}
    for required, orders in index.touched_by(keys):
        bound = (max(1, required - at_hand), -len(own))
        if best and bound > best[0][:2]:
            break
        for order in orders:
            if best and (*bound, order) >= best[0]:
                break
            (filling,) = fillings(intents, (order,), scene)
            used = len(filling.from_sentence)
            key = (len(filling.missing), -used, order)
            near = used and filling.missing and not filling.obstacle
            if near and (best is None or key < best[0]) and accept(filling):
                best = (key, filling)
    return best
