"""Decide whether a question is read with its fallback entities: the less likely ones."""

from __future__ import annotations

from anaphora.core.utterance import Entity
from anaphora.intents.decision.decision import Decision
from anaphora.intents.match import Candidate, SlotFilling
from anaphora.intents.ranking import rank_coverage
from anaphora.intents.solver import ParsedQuestion, find_content_words
from anaphora.stm.conversation import PendingQuestion
from anaphora.stm.rules import find_replacement

__all__ = ["covers_more", "ignores_words", "is_completed_by", "needs_fallback_entities"]


def needs_fallback_entities(
    decision: Decision, fallback: ParsedQuestion, pending: PendingQuestion | None
) -> bool:
    """Whether nothing matches, unless an undivided sentence answers what the bot has asked; or if
    something matches only with a remembered entity that a fallback entity of the sentence replaces,
    while its words are not used otherwise."""
    if not decision.matches:
        is_divided = bool(_entities_only_in(decision.question, fallback))
        return is_divided or not _answers(decision.incomplete, pending)
    filling = decision.matches[0].filling
    groups_from_memory = {
        taken.entity.groups for taken in filling.taken if not _is_from_sentence(taken)
    }
    if not groups_from_memory:
        return False
    said = [{*taken.entity.tokens} for taken in filling.taken if _is_from_sentence(taken)]
    new = [
        one for one in _find_new_entities(fallback, decision.question) if {*one.tokens} not in said
    ]
    return any(find_replacement(groups, new) for groups in groups_from_memory)


def _answers(filling: SlotFilling | None, pending: PendingQuestion | None) -> bool:
    """Whether the sentence fills the term that the bot has asked for."""
    if filling is None or pending is None or pending.intent != filling.intent.id:
        return False
    return any(
        one.term.label in pending.missing[:1] and any(map(_is_from_sentence, one.taken))
        for one in filling.terms
    )


def _is_from_sentence(taken: Candidate) -> bool:
    return not taken.pending and taken.remembered is None


def is_completed_by(decision: Decision, other: Decision) -> bool:
    """Whether the fallback entities complete a question, or fill one of its missing terms."""
    filling = other.matches[0].filling if other.matches else other.incomplete
    if filling is None:
        return False
    if not other.matches:
        asked = None if decision.matches else decision.incomplete
        if asked is None or asked.intent is not filling.intent:
            return False
        is_divided = _entities_only_in(decision.question, other.question)
        if is_divided and len(filling.missing) >= len(asked.missing):
            return False
    new = _find_new_entities(other.question, decision.question)
    filled = [one.term.label for one in filling.terms if any(c.entity in new for c in one.taken)]
    pending = other.conversation.pending
    if pending is not None and pending.intent == filling.intent.id and not pending.confirms:
        return any(label in pending.missing for label in filled)  # the bot asked for these only
    return bool(filled)


def ignores_words(decision: Decision) -> bool:
    """Whether a question matches with something remembered, but takes not all that the sentence
    says in words of the model: "send 20" as 20 of what was bought."""
    if not (decision.matches and decision.uses_memory and decision.question.variants):
        return False
    taken = [one.entity for one in decision.matches[0].filling.from_sentence]
    named = [one for one in decision.question.variants[0].entities if one.is_from_phrase]
    return any(one not in taken for one in named)


def covers_more(other: Decision, decision: Decision) -> bool:
    """Whether a question, read with its fallback entities, covers more of the sentence with these:
    it may also lack something that is asked for."""
    filling = other.matches[0].filling if other.matches else other.incomplete
    if filling is None or not decision.matches:
        return False
    new = _find_new_entities(other.question, decision.question)
    if not any(one.entity in new for one in filling.taken):
        return False
    words = find_content_words(decision.question.utterance)
    own = rank_coverage(decision.matches[0].filling, words)
    return rank_coverage(filling, words).uncovered < own.uncovered


def _find_new_entities(fallback: ParsedQuestion, question: ParsedQuestion) -> list[Entity]:
    """Return the entities that only the fallback has; if it divides one, the parts of that."""
    whole = _entities_only_in(question, fallback)
    divided = {index for one in whole for index in one.tokens}
    if divided:
        parts = [
            one
            for one in fallback.utterance.entities
            if not (one.is_from_phrase or divided.isdisjoint(one.tokens))
        ]
        spans = [frozenset(one.tokens) for one in parts]
        elements = {one.element for one in whole}
        own = {frozenset(one.tokens) for one in parts if one.element in elements}
        return [
            one
            for one in parts
            if not any(map(frozenset(one.tokens).__lt__, spans))
            and (one.element in elements or frozenset(one.tokens) not in own)
        ]
    return _entities_only_in(fallback, question)


def _entities_only_in(question: ParsedQuestion, other: ParsedQuestion) -> list[Entity]:
    """Return the entities of a question that the other one does not have."""
    known = other.utterance.entities
    return [entity for entity in question.utterance.entities if entity not in known]
