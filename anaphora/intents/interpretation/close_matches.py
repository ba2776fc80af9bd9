"""Ask which of two intents is meant that fit almost as well (rule 19)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.intents.decision.decision import Decision
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.match import Match
from anaphora.intents.ranking_steps import is_close
from anaphora.models.domain import Model
from anaphora.stm.conversation import Offers

__all__ = ["ask_if_close"]


def ask_if_close(model: Model, decision: Decision, at: datetime) -> Decision:
    """Ask which of the best two matches is meant if only the last steps of the ranking tell them
    apart, and the model wants to be asked."""
    settings = model.dialog_acts
    if settings is None or not settings.ask_if_close or len(decision.matches) < 2:
        return decision
    best = decision.matches[0].rank
    close = [one for one in decision.matches if is_close(best, one.rank)]
    bundles = tuple([_taken_now(match) for match in close])
    intents = tuple([match.intent.id for match in close])
    if len(close) < 2 or len(set(zip(map(_values_of, bundles), intents, strict=True))) < 2:
        return decision
    offers = Offers(intents[0], bundles, at.astimezone(UTC), intents=intents)
    conversation = replace(decision.conversation, offers=offers)
    act = DialogAct("unclear", choices=bundles)
    return replace(decision, conversation=conversation, matches=(), act=act)


def _taken_now(match: Match) -> tuple[Entity, ...]:
    """What a match takes from the sentence and from the question that it completes."""
    return tuple([one.entity for one in match.filling.taken if one.remembered is None])


def _values_of(bundle: Iterable[Entity]) -> tuple[tuple[str, str], ...]:
    return tuple([(one.element, one.value_or_text) for one in bundle])
