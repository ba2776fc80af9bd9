"""Find the intent that a question almost matches, and the terms that it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from anaphora.grammar.idl.intent import Intent
from anaphora.intents.index import IntentIndex, entity_keys
from anaphora.intents.match import SlotFilling
from anaphora.intents.solver import MatchContext, fill_intents

__all__ = ["find_blocked", "find_near_miss"]


def find_near_miss(
    intents: Sequence[Intent],
    index: IntentIndex,
    contexts: Iterable[MatchContext],
    accept: Callable[[SlotFilling], bool] = lambda filling: True,
) -> SlotFilling | None:
    """Return the near miss for which ``accept`` is true with the fewest missing terms, then the
    most entities of the sentence, then the order of the model; None if there is none.

    A near miss is an intent with a term that the sentence fills and others that are missing;
    :func:`find_blocked` finds intents that lack nothing and still do not match.

    Raises :class:`EvaluationError` if a predicate cannot be evaluated.
    """
    best: tuple[tuple[int, int, int], SlotFilling] | None = None
    for context in contexts:
        best = _search_near_miss(context, intents, index, accept, best)
    return best[1] if best else None


def find_blocked(
    intents: Sequence[Intent], index: IntentIndex, contexts: Iterable[MatchContext]
) -> SlotFilling | None:
    """Return the first intent that has all its terms, but is blocked: by its flow, by the order
    of its terms, by unused entities. None if there is none.

    Raises :class:`EvaluationError` if a predicate cannot be evaluated.
    """
    for context in contexts:
        intent_indexes = index.candidates(
            one.entity for one in (*context.sentence_candidates, *context.memory)
        )
        for filling in fill_intents(intents, intent_indexes, context):
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
    """Improve on ``best``. Intents come by their number of required terms, so the search ends when
    no later one can be better: its cost does not grow with the model."""
    own = [candidate for candidate in context.sentence_candidates if candidate.source == "sentence"]
    available = len(context.sentence_candidates) + len(context.memory)
    keys = {key for candidate in own for key in entity_keys(candidate.entity)}
    for required, intent_indexes in index.intents_by_required_terms(keys):
        bound = (max(1, required - available), -len(own))
        if best and bound > best[0][:2]:
            break
        for intent_index in intent_indexes:
            if best and (*bound, intent_index) >= best[0]:
                break
            (filling,) = fill_intents(intents, (intent_index,), context)
            used = len(filling.from_sentence)
            key = (len(filling.missing), -used, intent_index)
            near = used and filling.missing and not filling.blocking_reason
            if near and (best is None or key < best[0]) and accept(filling):
                best = (key, filling)
    return best
