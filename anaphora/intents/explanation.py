"""Why a question was answered as it was: the decision as data and as text to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Any

from anaphora.core.utterance import Entity
from anaphora.errors import EvaluationError
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.decision import BridgeResult, Decision, IndexedModel
from anaphora.intents.index import entity_keys
from anaphora.intents.match import Candidate, Match, SlotFilling
from anaphora.intents.ranking import explain_precedence
from anaphora.intents.solver import MatchContext, fill_intents
from anaphora.models.domain import Status
from anaphora.models.schema.durations import format_duration
from anaphora.stm.conversation import ForgetRule, ForgottenEntity, RecallOffer

__all__ = ["Explanation", "IntentMiss", "RankedMatch", "explain"]

_MAX_MISSES = 100
_MAX_MISS_LINES = 10  # of them in the text


@dataclass(frozen=True, slots=True)
class RankedMatch:
    """An intent that matched. ``why`` says what puts it before the next one ('' for the last);
    ``skipped`` that its handler left the question to the next."""

    intent: str
    taken: tuple[tuple[str, Candidate], ...]
    why: str
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class IntentMiss:
    """An intent that did not match, and why."""

    intent: str
    reason: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The path of one question.

    ``entities`` are all that could stand in the sentence, ``reading`` those of the variant that
    was answered; ``unused`` are those of it that the answer took nothing from, ``unknown`` the
    words that nothing in the model covers; ``offered`` is what the memory held ready, ``hidden``
    what an entity of the sentence stood in for, with the groups of that entity; ``forgotten``
    what left the memory and by which rule; ``notes`` what else happened (a change of topic, a
    reset phrase, an earlier question completed, what the long-term memory had to do with it). Of
    the misses at most the 100 nearest are listed, ``untouched`` counts the other intents.
    """

    text: str
    language: str
    status: Status
    reason: str
    entities: tuple[Entity, ...]
    reading: tuple[Entity, ...]
    unused: tuple[Entity, ...]
    unknown: tuple[str, ...]
    offered: tuple[Candidate, ...]
    hidden: tuple[tuple[Entity, frozenset[str]], ...]
    matches: tuple[RankedMatch, ...]
    misses: tuple[IntentMiss, ...]
    untouched: int
    forgotten: tuple[ForgottenEntity, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The explanation as text, a line at a time."""
        yield f"{self.text!r} is {self.status}" + (f": {self.reason}" if self.reason else "")
        yield from (f"  note: {note}" for note in self.notes)
        yield "  understood: " + (
            ", ".join(
                f"{_format_entity(entity)} from {_format_source_text(entity)}"
                for entity in self.reading
            )
            or "nothing"
        )
        if others := [entity for entity in self.entities if entity not in self.reading]:
            yield "  read otherwise: " + ", ".join(
                f"{entity} from {_format_source_text(entity)}"
                f"{_format_containing_entity(entity, self.reading)}"
                for entity in others
            )
        if self.unknown:
            yield "  not understood: " + ", ".join(self.unknown)
        if self.unused:
            yield "  not used: " + ", ".join(f"{_format_entity(entity)}" for entity in self.unused)
        for candidate in self.offered:
            yield f"  remembered: {_format_entity(candidate.entity)}, {_format_age(candidate)}"
        for entity, groups in self.hidden:
            yield (
                f"  not offered: {_format_entity(entity)}, for the sentence has another of "
                f"{_format_groups(groups)}"
            )
        for place, match in enumerate(self.matches, 1):
            took = ", ".join(
                f"{name}={taken.entity.value_or_text} ({taken.source})"
                for name, taken in match.taken
            )
            skipped = ", skipped by its handler" if match.skipped else ""
            why = f"; before the next, for {match.why}" if match.why else ""
            yield f"  match {place}: {match.intent} with {took or 'no entity'}{skipped}{why}"
        for miss in self.misses[:_MAX_MISS_LINES]:
            yield f"  no match: {miss.intent}: {miss.reason}"
        if more := self.untouched + len(self.misses[_MAX_MISS_LINES:]):
            yield f"  and {more} more intents that are further off"
        for gone in self.forgotten:
            named = _format_entity(gone.remembered.entity)
            yield f"  forgotten: {named}, {_format_forget_rule(gone)}"

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON-able data."""
        return {
            "text": self.text,
            "language": self.language,
            "status": self.status,
            "reason": self.reason,
            "entities": [_entity_to_dict(entity) for entity in self.entities],
            "reading": [_entity_to_dict(entity) for entity in self.reading],
            "unused": [_entity_to_dict(entity) for entity in self.unused],
            "unknown": list(self.unknown),
            "offered": [
                _entity_to_dict(candidate.entity) | {"ago": candidate.ago}
                for candidate in self.offered
            ],
            "hidden": [
                _entity_to_dict(entity) | {"by": sorted(groups)} for entity, groups in self.hidden
            ],
            "matches": [
                {
                    "intent": match.intent,
                    "taken": [
                        _entity_to_dict(taken.entity) | {"term": name, "source": taken.source}
                        for name, taken in match.taken
                    ],
                    "why": match.why,
                    "skipped": match.skipped,
                }
                for match in self.matches
            ],
            "misses": [{"intent": miss.intent, "reason": miss.reason} for miss in self.misses],
            "untouched": self.untouched,
            "forgotten": [
                _entity_to_dict(gone.remembered.entity)
                | {"rule": gone.rule.value, "by": str(gone.by) if gone.by else None}
                for gone in self.forgotten
            ],
            "notes": list(self.notes),
        }


def explain(
    indexed: IndexedModel,
    decision: Decision,
    status: Status,
    reason: str,
    *,
    winner: Match | None,
    skipped: Sequence[Match] = (),
    evicted: Sequence[ForgottenEntity] = (),
) -> Explanation:
    """Tell how ``decision`` came about and what became of it."""
    scene = _find_match_context(
        decision, winner.filling if winner else decision.incomplete or decision.near_miss
    )
    beside_the_point = decision.error or status == "reset"
    misses, untouched = ((), 0) if beside_the_point else _collect_misses(indexed, decision, scene)
    return Explanation(
        text=decision.question.utterance.text,
        language=decision.question.utterance.language,
        status=status,
        reason=reason,
        entities=decision.question.utterance.entities,
        reading=scene.variant.entities,
        unused=_find_unused_entities(scene, winner),
        unknown=tuple(_find_unknown_words(decision, scene)),
        offered=(*(held for held in scene.sentence if held.pending), *scene.memory),
        hidden=tuple((held.entity, groups) for held, groups in scene.hidden),
        matches=_build_ranked_matches(decision.matches, skipped),
        misses=misses,
        untouched=untouched,
        forgotten=(*decision.forgotten, *evicted),
        notes=tuple(_iter_notes(decision, scene)),
    )


def _find_match_context(decision: Decision, shown: SlotFilling | None) -> MatchContext:
    chosen = shown.variant if shown else None
    return next(
        (scene for scene in decision.match_contexts if scene.variant is chosen),
        decision.match_contexts[0],
    )


def _find_unused_entities(context: MatchContext, winner: Match | None) -> tuple[Entity, ...]:
    taken = winner.entities if winner else context.variant.entities
    return tuple(entity for entity in context.variant.entities if entity not in taken)


def _find_unknown_words(decision: Decision, context: MatchContext) -> Iterator[str]:
    utterance = decision.question.utterance
    spans = (*(entity.tokens for entity in context.variant.entities), *utterance.resets)
    known = {index for span in spans for index in span}
    return (
        token.text
        for token in utterance.tokens
        if token.is_content_word and token.index not in known
    )


def _collect_misses(
    indexed: IndexedModel, decision: Decision, context: MatchContext
) -> tuple[tuple[IntentMiss, ...], int]:
    intents = indexed.model.intents
    matched = {match.intent.id for match in decision.matches}
    if len(intents) <= _MAX_MISSES:
        orders: list[int] = list(range(len(intents)))
    else:
        keys = {
            key
            for candidate in (*context.sentence, *context.memory)
            for key in entity_keys(candidate.entity)
        }
        touched = indexed.index.orders_by_required_terms(keys)
        orders = list(dict.fromkeys(order for _, some in touched for order in some))
        orders = orders[:_MAX_MISSES]
    others = (order for order in orders if intents[order].id not in matched)
    missed = sorted(_iter_misses(intents, others, context))
    misses = tuple(IntentMiss(intents[order].id, reason) for _, _, order, reason in missed)
    return misses, len(intents) - len(matched) - len(misses)


def _iter_misses(
    intents: Sequence[Intent], orders: Iterable[int], context: MatchContext
) -> Iterator[tuple[bool, int, int, str]]:
    """For each intent how far it is from matching, its place in the model, and the reason."""
    for order in orders:
        try:
            (filling,) = fill_intents(intents, (order,), context)
        except EvaluationError as error:
            yield True, 0, order, str(error)
            continue
        reason = filling.mismatch_reason or "an earlier question that it completes goes first"
        yield bool(filling.blocking_reason), len(filling.missing), order, reason


def _build_ranked_matches(
    matches: Sequence[Match], skipped: Sequence[Match]
) -> tuple[RankedMatch, ...]:
    return tuple(
        RankedMatch(
            intent=match.intent.id,
            taken=tuple(
                (part.term.label, taken) for part in match.filling.terms for taken in part.taken
            ),
            why=explain_precedence(match, other) if other else "",
            skipped=match in skipped,
        )
        for match, other in zip_longest(matches, matches[1:])
    )


def _iter_notes(decision: Decision, context: MatchContext) -> Iterator[str]:
    yield from decision.question.notes
    if decision.has_reset_phrase:
        yield "a reset phrase: everything remembered is forgotten before the rest is read"
    if decision.previous_topic:
        yield "a complete question on another topic: the memory was reset before it was matched"
    if decision.pending_action:
        yield _PENDING_ACTION_NOTES[decision.pending_action]
    if decision.pending_entities:
        kept = ", ".join(str(held.entity) for held in context.sentence if held.pending)
        yield f"it goes on with an earlier question that was incomplete{kept and ': '}{kept}"
    if decision.bridge:
        yield from _iter_bridge_notes(decision.bridge, decision)


def _iter_bridge_notes(bridge: BridgeResult, decision: Decision) -> Iterator[str]:
    """What the long-term memory, or an offer that was made of it, had to do with the question."""
    offer, said = bridge.offer, repr(bridge.answer_text)
    if bridge.outcome in ("unreadable", "nothing found", "offered", "used"):
        yield (
            f"nothing is remembered{_format_forget_reason(decision)}: the long-term memory is "
            f"looked at"
        )
    if bridge.outcome == "unreadable":
        yield "the long-term memory cannot be read now"
    elif bridge.outcome == "nothing found":
        looked_at = bridge.exchanges_tried
        many = f"{looked_at} exchange{'s' if looked_at != 1 else ''}"
        yield (
            f"what {many} of it remembered does not complete the question"
            if looked_at
            else "it holds nothing that might complete the question"
        )
    if offer is None:
        return
    held = _format_offer(offer, decision.question.question_context.at)
    match bridge.outcome:
        case "offered":
            yield f"{held} would complete it: that is offered"
        case "used":
            yield f"{held} completes it: that is used at once"
        case "accepted":
            yield f"{said} accepts the offer: {held} is remembered again"
        case "declined":
            yield f"{said} declines the offer: {held} stays forgotten"
        case "dropped":
            yield f"it is no answer to the offer, which is dropped: {held}"


def _format_forget_reason(decision: Decision) -> str:
    why = next(
        (_FORGET_REASONS[gone.rule] for gone in decision.forgotten if gone.rule in _FORGET_REASONS),
        "",
    )
    return f", {why}" if why else ""


def _format_offer(offer: RecallOffer, at: datetime) -> str:
    """What the offer brings back, from which exchange, and how long ago that was."""
    number = f"exchange {offer.exchange}" if offer.exchange else "an exchange"
    ago = format_duration(_round_duration(at - offer.said_at))
    return f"what {number}, {ago} ago, remembered ({', '.join(map(str, offer.entities))})"


def _round_duration(duration: timedelta) -> timedelta:
    """The duration in days, hours, minutes or seconds, whatever is just fine enough."""
    seconds = max(0, round(duration.total_seconds()))
    unit = 3_600 if seconds >= 172_800 else 60 if seconds >= 7_200 else 1
    return timedelta(seconds=seconds - seconds % unit)


def _format_entity(entity: Entity) -> str:
    """The entity, with its groups where they are not just its element."""
    own = entity.groups == {entity.element}
    return str(entity) if own else f"{entity} ({_format_groups(entity.groups)})"


def _format_source_text(entity: Entity) -> str:
    """What was said of it, and whether that has wrong letters, or only a head or a stem in
    common."""
    for mark, note in _MARK_NOTES.items():
        if mark in entity.marks:
            return f"{entity.text!r} ({note})"
    return repr(entity.text)


def _format_containing_entity(entity: Entity, reading: Iterable[Entity]) -> str:
    """Of which longer entity of the reading it is a part."""
    tokens = set(entity.tokens)
    whole = next((one for one in reading if tokens < set(one.tokens)), None)
    return f", a part of {whole.text!r}" if whole else ""


def _format_groups(groups: frozenset[str]) -> str:
    names = ", ".join(sorted(groups))
    return f"group {names}" if len(groups) == 1 else f"groups {names}"


def _format_age(candidate: Candidate) -> str:
    if candidate.pending:
        return "from the question that is being completed"
    return f"{candidate.ago} question{'s' if candidate.ago != 1 else ''} ago"


def _format_forget_rule(gone: ForgottenEntity) -> str:
    if gone.by is None:
        return _FORGET_REASONS[gone.rule]
    old = gone.remembered.entity
    again = (gone.by.element, gone.by.value) == (old.element, old.value)
    return f"evicted by {'itself, mentioned again' if again else _format_entity(gone.by)}"


_MARK_NOTES = {"misspelt": "misspelt", "compound": "by its head", "stem": "by its stem"}
_PENDING_ACTION_NOTES = {
    "asked again": "it says nothing about what is asked for: it is asked for again",
    "confirmed": "a yes: the earlier question is answered without what it left unused",
    "declined": "a no: the earlier question is dropped",
}
_FORGET_REASONS = {
    ForgetRule.TIMEOUT: "for the pause was longer than the timeout",
    ForgetRule.AGE: "for nothing has used it for longer than the timeout",
    ForgetRule.DEPTH: "for the last matched questions did not use it",
    ForgetRule.REJECTIONS: "for too many questions in a row were rejected",
    ForgetRule.EVICTED: "evicted",
    ForgetRule.TOPIC: "for the topic changed",
    ForgetRule.RESET: "for the conversation was reset",
}


def _entity_to_dict(entity: Entity) -> dict[str, Any]:
    return {
        "element": entity.element,
        "value": entity.value,
        "text": entity.text,
        "groups": sorted(entity.groups),
        "start": entity.start,
        "end": entity.end,
        "misspelt": "misspelt" in entity.marks,
    }
