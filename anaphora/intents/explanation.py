"""Explain how a question was answered: the decision as data and as readable text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Any

from msgspec.structs import replace

from anaphora.core.html import build_card, build_rows, build_text
from anaphora.core.plurals import pluralize
from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.entities.words.normalization import base_code
from anaphora.errors import EvaluationError
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.decision.decision import BridgeResult, Decision
from anaphora.intents.decision.matching import IndexedModel
from anaphora.intents.decision.sentences.notes import describe_sentence, is_command
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.index import entity_keys
from anaphora.intents.match import Candidate, Match, SlotFilling
from anaphora.intents.ranking_steps import explain_precedence
from anaphora.intents.solver import MatchContext, build_match_contexts, fill_intents
from anaphora.models.domain import Status
from anaphora.models.schema.durations import format_duration
from anaphora.stm.conversation import ForgetRule, ForgottenEntity, RecallOffer

__all__ = ["Explanation", "IntentMiss", "RankedMatch", "explain"]

_MAX_MISSES = 100
_MAX_MISS_LINES = 10  # of them in the text


@dataclass(frozen=True, slots=True)
class RankedMatch:
    """An intent that matched. ``why`` explains its rank before the next one ('' for the last);
    ``skipped`` is True if its handler passed the question on."""

    intent: str
    taken: tuple[tuple[str, Candidate], ...]
    rank_reason: str
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class IntentMiss:
    """An intent that did not match, and the reason."""

    intent: str
    reason: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """How one question was answered.

    ``entities`` are all entities found in the sentence, ``reading`` those of the chosen variant,
    ``unused`` those of it that the answer does not use, ``unknown`` the content words that no
    entity covers. ``offered`` are the visible remembered entities; ``hidden`` those that an entity
    of the sentence replaces, with the groups of that entity; ``forgotten`` those that left the
    memory, with the rule. ``notes`` tell what else happened (a change of topic, a reset phrase, the
    completion of an earlier question, the use of the long-term memory). ``misses`` has at most the
    100 nearest intents; ``untouched`` counts the others that did not match.
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
        """Iterate over the lines of the explanation as text."""
        yield f"{self.text!r} is {self.status}" + (f": {self.reason}" if self.reason else "")
        for label, text in self._rows():
            yield f"  {label}: {text}" if label else f"  {text}"

    def _repr_html_(self) -> str:
        """The explanation as HTML, for notebooks."""
        rows = build_rows(self._rows())
        return build_card(self.status, self.text, build_text(self.reason), rows)

    def _rows(self) -> Iterator[tuple[str, str]]:
        """Iterate over the parts of the explanation, each with its label ('' for a remark)."""
        yield from (("note", note) for note in self.notes)
        understood = (
            f"{_format_entity(entity)} from {_format_source_text(entity)}"
            for entity in self.reading
        )
        yield "understood", ", ".join(understood) or "nothing"
        if others := [entity for entity in self.entities if entity not in self.reading]:
            yield (
                "read otherwise",
                ", ".join(
                    f"{entity} from {_format_source_text(entity)}"
                    f"{_format_containing_entity(entity, self.reading)}"
                    for entity in others
                ),
            )
        if self.unknown:
            yield "not understood", ", ".join(self.unknown)
        if self.unused:
            yield "not used", ", ".join(map(_format_entity, self.unused))
        for candidate in self.offered:
            yield "remembered", f"{_format_entity(candidate.entity)}, {_format_age(candidate)}"
        for entity, groups in self.hidden:
            yield (
                "not offered",
                f"{_format_entity(entity)}, because the sentence has another of "
                f"{_format_groups(groups)}",
            )
        for place, match in enumerate(self.matches, 1):
            slots = ", ".join(
                f"{name}={taken.entity.value_or_text} ({taken.source})"
                for name, taken in match.taken
            )
            skipped = ", skipped by its handler" if match.skipped else ""
            why = f"; before the next because {match.rank_reason}" if match.rank_reason else ""
            yield f"match {place}", f"{match.intent} with {slots or 'no entity'}{skipped}{why}"
        for miss in self.misses[:_MAX_MISS_LINES]:
            yield "no match", f"{miss.intent}: {miss.reason}"
        if more := self.untouched + len(self.misses[_MAX_MISS_LINES:]):
            yield "", f"and {more} more intents that are further off"
        for forgotten in self.forgotten:
            entity_text = _format_entity(forgotten.remembered.entity)
            yield "forgotten", f"{entity_text}, {_format_forget_rule(forgotten)}"

    def to_dict(self) -> dict[str, Any]:
        """Convert the explanation to JSON-able data."""
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
                _entity_to_dict(candidate.entity) | {"ago": candidate.distance}
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
                    "why": match.rank_reason,
                    "skipped": match.skipped,
                }
                for match in self.matches
            ],
            "misses": [{"intent": miss.intent, "reason": miss.reason} for miss in self.misses],
            "untouched": self.untouched,
            "forgotten": [
                _entity_to_dict(one.remembered.entity)
                | {"rule": one.rule.value, "by": str(one.by) if one.by else None}
                for one in self.forgotten
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
    """Explain ``decision`` and the answer: its status and reason, the match that won, those that
    their handlers skipped, and the entities that the answer evicted."""
    context = _find_match_context(
        decision, winner.filling if winner else decision.incomplete or decision.nearest
    )
    was_matched = not decision.refusal_reason and status != "reset"
    misses, untouched = _collect_misses(indexed, decision, context) if was_matched else ((), 0)
    forgotten = (*decision.forgotten, *evicted)
    return Explanation(
        text=decision.question.utterance.text,
        language=decision.question.utterance.language,
        status=status,
        reason=reason,
        entities=decision.question.utterance.entities,
        reading=context.variant.entities,
        unused=_find_unused_entities(context, winner),
        unknown=tuple(_find_unknown_words(decision, context)),
        offered=tuple(
            one
            for one in (*_pending_candidates(context), *context.memory)
            if not is_command(one.entity)
        ),
        hidden=tuple((held.entity, groups) for held, groups in context.hidden),
        matches=_build_ranked_matches(decision.matches, skipped),
        misses=misses,
        untouched=untouched,
        forgotten=tuple(one for one in forgotten if not is_command(one.remembered.entity)),
        notes=tuple(_iter_notes(decision, context, indexed.sentences)),
    )


def _find_match_context(decision: Decision, shown: SlotFilling | None) -> MatchContext:
    contexts = decision.match_contexts
    if not contexts:  # hooks have rejected every variant
        question = replace(decision.question, variants=(Variant(()),))
        contexts = build_match_contexts(question, decision.conversation)
    chosen = shown.variant if shown else None
    return next((context for context in contexts if context.variant is chosen), contexts[0])


def _pending_candidates(context: MatchContext) -> list[Candidate]:
    return [one for one in context.sentence_candidates if one.pending]


def _find_unused_entities(context: MatchContext, winner: Match | None) -> tuple[Entity, ...]:
    taken = winner.entities if winner else context.variant.entities
    return tuple(entity for entity in context.variant.entities if entity not in taken)


def _find_unknown_words(decision: Decision, context: MatchContext) -> Iterator[str]:
    utterance = decision.question.utterance
    spans = (*(entity.tokens for entity in context.variant.entities), *utterance.resets)
    known = utterance.understood.union(*spans)
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
    intent_indexes: list[int]
    if indexed.sentences is not None:  # their own notes tell what sentences lack
        by_sentences = indexed.sentences.combinations
        intents = tuple(one for one in intents if one.id not in by_sentences)
    if len(intents) <= _MAX_MISSES or indexed.sentences is not None:
        intent_indexes = list(range(len(intents)))[:_MAX_MISSES]
    else:
        keys = {
            key
            for candidate in (*context.sentence_candidates, *context.memory)
            for key in entity_keys(candidate.entity)
        }
        touched = indexed.index.intents_by_required_terms(keys)
        intent_indexes = list(
            dict.fromkeys(intent_index for _, some in touched for intent_index in some)
        )
        intent_indexes = intent_indexes[:_MAX_MISSES]
    others = (
        intent_index for intent_index in intent_indexes if intents[intent_index].id not in matched
    )
    missed = sorted(_iter_misses(intents, others, context))
    misses = tuple(
        IntentMiss(intents[intent_index].id, reason) for _, _, intent_index, reason in missed
    )
    return misses, len(intents) - len(matched & {one.id for one in intents}) - len(misses)


def _iter_misses(
    intents: Sequence[Intent], intent_indexes: Iterable[int], context: MatchContext
) -> Iterator[tuple[bool, int, int, str]]:
    """Evaluate the intents. Yields sort keys (is it blocked, how many terms are missing), indexes
    and reasons."""
    for intent_index in intent_indexes:
        try:
            (filling,) = fill_intents(intents, (intent_index,), context)
        except EvaluationError as error:
            yield True, 0, intent_index, str(error)
            continue
        reason = filling.mismatch_reason or "an earlier question that it completes goes first"
        yield bool(filling.blocking_reason), len(filling.missing), intent_index, reason


def _build_ranked_matches(
    matches: Sequence[Match], skipped: Sequence[Match]
) -> tuple[RankedMatch, ...]:
    return tuple(
        RankedMatch(
            intent=match.intent.id,
            taken=tuple(
                (one.term.label, taken)
                for one in match.filling.terms
                for taken in one.taken
                if not is_command(taken.entity)
            ),
            rank_reason=explain_precedence(match.rank, other.rank) if other else "",
            skipped=match in skipped,
        )
        for match, other in zip_longest(matches, matches[1:])
    )


def _iter_notes(
    decision: Decision, context: MatchContext, sentences: SentenceIntents | None
) -> Iterator[str]:
    yield from decision.question.notes
    yield from _iter_spelling_notes(decision.question.utterance)
    if decision.has_reset_phrase:
        yield "a reset phrase: everything remembered is forgotten before the rest is matched"
    if decision.previous_topic:
        yield "a complete question on another topic: the memory was reset before it was matched"
    if decision.act:
        yield _describe_act(decision.act)
    if decision.pending_action:
        yield _PENDING_ACTION_NOTES[decision.pending_action]
    if decision.pending_entities:
        pending = ", ".join(str(held.entity) for held in _pending_candidates(context))
        what = "the last question" if decision.act else "an earlier question that was incomplete"
        yield f"it goes on with {what}{pending and ': '}{pending}"
    if decision.bridge:
        yield from _iter_bridge_notes(decision.bridge, decision)
    if sentences is not None:
        yield from describe_sentence(sentences, decision)


def _describe_act(act: DialogAct) -> str:
    """Explain what the question does to what was said before."""
    if act.kind == "accepted":
        return f"it accepts what was offered: {_format_bundle(act.accepted)}"
    if act.kind == "declined":
        wanted = f"; wanted: {act.comparison}" if act.comparison else ""
        declined = "; ".join(map(_format_bundle, act.declined))
        return f"it declines what was offered: {declined}{wanted}"
    if act.kind == "unclear":
        return f"it may mean any of: {'; '.join(map(_format_bundle, act.choices))}"
    return _ACT_NOTES[act.kind]


def _format_bundle(bundle: Iterable[Entity]) -> str:
    return ", ".join(map(str, bundle))


def _iter_spelling_notes(utterance: Utterance) -> Iterator[str]:
    """What the misspelt words of dates are read as."""
    dates = [one for one in utterance.entities if "expression" in one.meta]
    if not dates:
        return
    from anaphora.entities.builtin.dates.date_parser import get_date_parser

    parser = get_date_parser(base_code(utterance.language))
    for written, meant in dict.fromkeys(
        pair for one in dates for pair in parser.find_corrections(one.text)
    ):
        yield f"{written!r} is read as {meant!r}"


def _iter_bridge_notes(bridge: BridgeResult, decision: Decision) -> Iterator[str]:
    """Explain how the long-term memory, or an offer made from it, affected the question."""
    if bridge.outcome in ("unreadable", "nothing found", "offered", "used"):
        reason = f", {_FORGET_REASONS[decision.forgotten[0].rule]}" if decision.forgotten else ""
        yield f"nothing is remembered{reason}: the long-term memory is searched"
    if bridge.outcome == "unreadable":
        yield "the long-term memory cannot be read now"
    elif bridge.outcome == "nothing found":
        tried = bridge.exchanges_tried
        count = pluralize(tried, "exchange")
        yield (
            f"the entities of {count} do not complete the question"
            if tried
            else "it contains nothing that could complete the question"
        )
    if (offer := bridge.offer) is None:
        return
    offered = _format_offer(offer, decision.question.question_context.at)
    yield _OFFER_NOTES[bridge.outcome].format(offered=offered, answer=repr(bridge.answer_text))


def _format_offer(offer: RecallOffer, at: datetime) -> str:
    """Describe the entities of an offer, its exchange, and how long ago that was."""
    number = f"exchange {offer.exchange}" if offer.exchange else "an exchange"
    ago = format_duration(_round_duration(at - offer.said_at))
    return f"what {number}, {ago} ago, remembered ({', '.join(map(str, offer.entities))})"


def _round_duration(duration: timedelta) -> timedelta:
    """Round a duration to hours, minutes or seconds, depending on its length."""
    seconds = max(0, round(duration.total_seconds()))
    unit = 3_600 if seconds >= 172_800 else 60 if seconds >= 7_200 else 1
    return timedelta(seconds=seconds - seconds % unit)


def _format_entity(entity: Entity) -> str:
    """Format an entity, with its groups unless its only group is its element."""
    text = str(entity) if entity.quantity is None else f"{entity.quantity} × {entity}"
    if entity.negated:
        text = f"not {text}"
    if others := entity.meta.get("alternatives"):
        text += "".join([f" or {one['value']}" for one in others if "value" in one])
    own = entity.groups == {entity.element}
    return text if own else f"{text} ({_format_groups(entity.groups)})"


def _format_source_text(entity: Entity) -> str:
    """Format the text of an entity, and how inexactly it was recognized."""
    for mark, note in _MARK_NOTES.items():
        if mark in entity.marks:
            return f"{entity.text!r} ({note})"
    return repr(entity.text)


def _format_containing_entity(entity: Entity, reading: Iterable[Entity]) -> str:
    """Name the longer entity of the reading that contains the entity, if any."""
    tokens = set(entity.tokens)
    whole = next((one for one in reading if tokens < set(one.tokens)), None)
    return f", a part of {whole.text!r}" if whole else ""


def _format_groups(groups: frozenset[str]) -> str:
    names = ", ".join(sorted(groups))
    return f"group {names}" if len(groups) == 1 else f"groups {names}"


def _format_age(candidate: Candidate) -> str:
    if candidate.offered:
        return "offered, or part of a question that waits"
    if candidate.pending:
        return "from the question that is being completed"
    return f"{pluralize(candidate.distance, 'question')} ago"


def _format_forget_rule(forgotten: ForgottenEntity) -> str:
    if forgotten.by is None:
        return _FORGET_REASONS[forgotten.rule]
    old, new = forgotten.remembered.entity, forgotten.by
    if new.negated:
        return f"because the user takes it back ({new.text!r})"
    is_same = (new.element, new.value) == (old.element, old.value)
    return f"evicted by {'itself, mentioned again' if is_same else _format_entity(new)}"


_MARK_NOTES = {"misspelt": "misspelt", "compound": "by its head", "stem": "by its stem"}
_ACT_NOTES = {
    "corrected": "a correction: the last question is asked again",
    "changed": "something is added or taken away: the last question is asked again",
    "afresh": "it may begin afresh or change the last question, which the bot asks",
    "cancelled": "nothing of what was offered is wanted",
}
_PENDING_ACTION_NOTES = {
    "asked again": "it does not answer the prompt, which is repeated",
    "confirmed": "a yes: the earlier question is answered",
    "declined": "a no: the earlier question is dropped",
}
_OFFER_NOTES = {
    "offered": "{offered} would complete it and is offered",
    "used": "{offered} completes it and is used at once",
    "accepted": "{answer} accepts the offer: {offered} is remembered again",
    "declined": "{answer} declines the offer: {offered} stays forgotten",
    "dropped": "it does not answer the offer, which is dropped: {offered}",
}
_FORGET_REASONS = {
    ForgetRule.TIMEOUT: "because the pause was longer than the timeout",
    ForgetRule.AGE: "because nothing has used it for longer than the timeout",
    ForgetRule.DEPTH: "because the last matched questions did not use it",
    ForgetRule.REJECTIONS: "because too many questions in a row were rejected",
    ForgetRule.EVICTED: "evicted",
    ForgetRule.TOPIC: "because the topic changed",
    ForgetRule.RESET: "because the conversation was reset",
    ForgetRule.AFRESH: 'because a new question of the topic begins; "the same" brings it back',
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
        **entity.modifiers,
    }
