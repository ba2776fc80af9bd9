"""What becomes of a question: the rules of memory and of asking, in the order in which they apply.

Everything here is a pure function of the model, the question and the conversation. Handlers
are not called and nothing is stored: the engine does that with the decision.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from anaphora.errors import EvaluationError, HandlerError
from anaphora.grammar.intent import Intent
from anaphora.intents.index import IntentIndex
from anaphora.intents.limits import breach
from anaphora.intents.match import Filling, Match, ReadingRank
from anaphora.intents.ranking import rank_of_use
from anaphora.intents.slots import nearest, obstructed
from anaphora.intents.solver import (
    Question,
    Scene,
    content_words,
    exact_phrases,
    fillings,
    not_replaced,
    reads_a_part,
    scenes,
    solve,
)
from anaphora.intents.wording import confirmation_in
from anaphora.models.domain import Limits, Model
from anaphora.models.utterance import Entity, Variant
from anaphora.stm.conversation import Conversation, Forgotten, Offer, Pending, Rule
from anaphora.stm.rules import forget_all, recall

__all__ = ["Bridged", "Decision", "Mind", "decide", "pending_of"]


@dataclasses.dataclass(frozen=True, slots=True)
class Mind:
    """A model with what is derived from it once. ``limits`` is None for a model without any."""

    model: Model
    index: IntentIndex
    by_id: Mapping[str, Intent]
    limits: Limits | None

    @classmethod
    def of(cls, model: Model) -> Mind:
        by_id = {intent.id: intent for intent in model.intents}
        limits = None if model.limits == Limits() else model.limits
        return cls(model, IntentIndex(model.intents), by_id, limits)


class Bridged(Struct, frozen=True):
    """What the long-term memory, or an offer that was made of it, had to do with a question.

    ``match`` is what the ``offer`` would let the question be; ``looked_at`` counts the exchanges
    that were held against it; ``said`` is what accepted or declined the offer.
    """

    how: Literal[
        "unreadable", "nothing found", "offered", "used", "accepted", "declined", "dropped"
    ]
    offer: Offer | None = None
    match: Match | None = None
    looked_at: int = 0
    said: str = ""


class Decision(Struct, frozen=True):
    """What a question comes to, before any handler has run.

    ``conversation`` is the memory in which it was answered: after the timeouts, and after a
    reset if the question brought one. ``matches`` are best first. Without any, ``asking`` is
    the intent whose missing terms can be asked for, else ``nearest`` the one that came nearest.
    ``pending`` are the entities of an earlier question that this one completes; ``left`` is the
    memory that a change of topic left behind; ``error`` says why it cannot be answered at all:
    what a predicate could not work with, or the limit that it breaks; ``failure`` is that of a
    hook, to be raised when the question is answered. ``bridged`` is what the long-term memory had
    to do with it; ``is_reset`` whether a hook has forgotten on purpose before. ``pending_is`` says
    what becomes of the pending question through a sentence that adds nothing to it.
    """

    question: Question
    conversation: Conversation
    scenes: tuple[Scene, ...]
    matches: tuple[Match, ...] = ()
    asking: Filling | None = None
    nearest: Filling | None = None
    pending: tuple[Entity, ...] = ()
    forgotten: tuple[Forgotten, ...] = ()
    left: Conversation | None = None
    reset_phrase: bool = False
    error: str = ""
    failure: HandlerError | None = None
    bridged: Bridged | None = None
    is_reset: bool = False
    pending_is: Literal["", "asked again", "confirmed", "declined"] = ""

    @property
    def goes_on(self) -> bool:
        """Whether what was said before has a part in it: remembered, or still to be completed."""
        filling = self.matches[0].filling if self.matches else self.asking
        if filling is None or self.left is not None or self.reset_phrase:
            return False
        return any(taken.source == "memory" for taken in filling.taken)

    @property
    def before(self) -> Conversation:
        """The memory without the change of topic that the question may have brought."""
        return self.left or self.conversation


def decide(mind: Mind, question: Question, conversation: Conversation, at: datetime) -> Decision:
    """Resolve ``question`` against ``conversation`` as it is at the time ``at``."""
    conversation, forgotten = recall(conversation, at, mind.model.conversation)
    try:
        decision = _refused(mind, question, conversation) or _resolve(mind, question, conversation)
    except EvaluationError as error:
        decision = _failed(question, conversation, str(error))
    if not forgotten:
        return decision
    return replace(decision, forgotten=(*forgotten, *decision.forgotten))


def _resolve(mind: Mind, question: Question, conversation: Conversation) -> Decision:
    decision = _resolve_as_read(mind, question, conversation)
    if question.fallback is None or not _needs_fallback(decision, question.fallback):
        return decision
    other = _resolve_as_read(mind, question.fallback, conversation)
    return other if _fills(decision, other) else decision


def _needs_fallback(decision: Decision, fallback: Question) -> bool:
    """Whether nothing matches, or only with something remembered for which a fallback entity of
    the sentence stands in."""
    if not decision.matches:
        return True
    recalled = {
        taken.entity.groups
        for taken in decision.matches[0].filling.taken
        if taken.pending or taken.remembered is not None
    }
    if not recalled:
        return False
    new = _only_in(fallback, decision.question)
    return any(entity.groups <= groups for entity in new for groups in recalled)


def _fills(decision: Decision, other: Decision) -> bool:
    """Whether fallback entities complete a question, or fill one of the terms to be asked for."""
    filling = other.matches[0].filling if other.matches else None
    if filling is None and not decision.matches and decision.asking and other.asking:
        filling = other.asking if other.asking.intent is decision.asking.intent else None
    if filling is None:
        return False
    new = _only_in(other.question, decision.question)
    filled = [
        match.term.label for match in filling.terms if any(c.entity in new for c in match.taken)
    ]
    pending = other.conversation.pending
    if pending is not None and pending.intent == filling.intent.id:
        return any(label in pending.missing for label in filled)  # nothing else was asked for
    return bool(filled)


def _only_in(question: Question, other: Question) -> list[Entity]:
    """The entities of a question that the other one does not have."""
    known = other.utterance.entities
    return [entity for entity in question.utterance.entities if entity not in known]


def _resolve_as_read(mind: Mind, question: Question, conversation: Conversation) -> Decision:
    if question.utterance.resets:
        return _after_reset(mind, question, conversation)
    if conversation.pending and (answer := _confirming(mind, question, conversation)):
        return answer
    return (
        _on_another_topic(mind, question, conversation)
        or _completing(mind, question, conversation)
        or _on_its_own(mind, question, conversation)
    )


def _refused(mind: Mind, question: Question, conversation: Conversation) -> Decision | None:
    """A question that cannot be read, or that the limits of the model forbid; None for others."""
    utterance = question.utterance
    error = utterance.error
    if not error and not question.variants:
        error = "every way to read it was refused"
    if not error and not utterance.resets:
        limits = mind.limits
        error = breach(limits, utterance, question.variants[0]) if limits else ""
    return _failed(question, conversation, error) if error else None


def _failed(question: Question, conversation: Conversation, error: str) -> Decision:
    return Decision(question, conversation, scenes(question, conversation), error=error)


def pending_of(decision: Decision, at: datetime) -> Pending:
    """What an incomplete question understood, kept until it is completed or dropped."""
    filling = decision.asking
    assert filling is not None
    waiting = decision.conversation.pending
    if waiting is not None and decision.pending_is == "asked again":
        return replace(waiting, at=at)
    return Pending(
        intent=filling.intent.id,
        entities=tuple(taken.entity for taken in filling.taken if not taken.remembered),
        missing=tuple(term.label for term in filling.missing),
        at=at,
    )


def _after_reset(mind: Mind, question: Question, conversation: Conversation) -> Decision:
    """A reset phrase forgets everything; a question beside it is answered afresh if it is
    complete."""
    fresh, wiped = forget_all(conversation, Rule.RESET)
    try:
        decision = _solve(mind, question, fresh)
    except EvaluationError as error:  # whatever else the sentence says, it is a reset
        decision = _failed(question, fresh, str(error))
    return replace(decision, forgotten=wiped, reset_phrase=True)


def _on_another_topic(
    mind: Mind, question: Question, conversation: Conversation
) -> Decision | None:
    """A question that is complete without any memory and whose topic is not the remembered
    one: the memory is reset before it is matched. None if this is no such question."""
    current = _current_topics(conversation)
    if not current or _topics(question.utterance.entities) <= current:
        return None
    fresh, wiped = forget_all(conversation, Rule.TOPIC)
    # The flow so far may be what lets an intent match; it is forgotten with the rest then.
    decision = _solve(mind, question, replace(fresh, flow=conversation.flow))
    if not decision.matches or _topics(decision.matches[0].entities) <= current:
        return None
    return replace(decision, conversation=fresh, forgotten=wiped, left=conversation)


def _completing(mind: Mind, question: Question, conversation: Conversation) -> Decision | None:
    """The pending question with what this sentence adds to it. None if nothing is pending, if
    it adds nothing, or if the sentence makes sense by its own strength."""
    pending = conversation.pending
    intent = mind.by_id.get(pending.intent) if pending else None
    if pending is None or intent is None:
        return None
    if _solve(mind, question, replace(conversation, remembered=())).matches:
        return None
    alone = Mind.of(dataclasses.replace(mind.model, intents=(intent,)))
    # An answer stands in for what was said before or, where more is needed, is added to it.
    ways = [
        _solve(alone, replace(question, variants=(variant,)), conversation, entities)
        for keep in (False, True)
        for variant in question.variants
        for entities in [pending.entities if keep else not_replaced(pending.entities, variant)]
    ]
    ways = [way if way.matches else _ask(alone, way) for way in ways]
    words = content_words(question.utterance)

    def filling_of(way: Decision) -> Filling | None:
        filling = way.matches[0].filling if way.matches else way.asking
        return filling if filling is not None and filling.from_sentence else None

    def rank(way: Decision) -> tuple[ReadingRank, bool, int]:
        """The better reading of the answer first, then what it completes."""
        filling = filling_of(way)
        assert filling is not None
        taken = 0 if way.matches else -len(filling.taken)
        return rank_of_use(filling, words), not way.matches, taken

    return min(filter(filling_of, ways), key=rank, default=None)


def _on_its_own(mind: Mind, question: Question, conversation: Conversation) -> Decision:
    decision = _solve(mind, question, conversation)
    if not decision.matches:
        decision = _ask(mind, decision)
    if decision.matches or decision.asking:
        return decision
    return _asking_again(mind, question, conversation) or decision


def _asking_again(mind: Mind, question: Question, conversation: Conversation) -> Decision | None:
    """What is pending, to be asked for again after a sentence of which nothing came. None if
    nothing is pending, or if that has happened so often that it is given up."""
    pending = conversation.pending
    intent = mind.by_id.get(pending.intent) if pending else None
    if pending is None or intent is None:
        return None
    if conversation.rejections >= mind.model.conversation.depth:
        return None
    (scene,) = scenes(_without_entities(question), conversation, pending.entities)
    (filling,) = fillings((intent,), (0,), scene)
    if bool(filling.missing) != bool(pending.missing):  # what it took from memory is gone
        return None
    asking = replace(filling, variant=question.variants[0])
    return Decision(
        question,
        conversation,
        scenes(question, conversation, pending.entities),
        asking=asking,
        nearest=asking,
        pending=pending.entities,
        pending_is="asked again",
    )


def _confirming(mind: Mind, question: Question, conversation: Conversation) -> Decision | None:
    """The pending question that waits for nothing but a yes or a no, if this is one; one that
    waits for more is dropped by a command such as "stop". A command is none where an intent of
    the model takes it."""
    pending = conversation.pending
    intent = mind.by_id.get(pending.intent) if pending else None
    if pending is None or intent is None:
        return None
    if (pending.missing and question.utterance.entities) or not (pending.missing or pending.unused):
        return None
    languages = (question.utterance.language, conversation.language, *mind.model.languages)
    answer = confirmation_in(question.utterance.text, languages)
    if answer is None or (answer.is_command and _takes_all(mind, question, conversation)):
        return None
    if pending.missing and (answer.is_yes or not answer.is_command):
        return None
    if not answer.is_yes:
        dropped = replace(conversation, pending=None)
        return Decision(question, dropped, scenes(question, dropped), pending_is="declined")
    options = dataclasses.replace(intent.options, allow_stm_only=True)  # all that it takes is there
    intent = dataclasses.replace(intent, options=options)
    alone = Mind.of(dataclasses.replace(mind.model, intents=(intent,)))
    decision = _solve(alone, _without_entities(question), conversation, pending.entities)
    return replace(decision, pending_is="confirmed") if decision.matches else None


def _takes_all(mind: Mind, question: Question, conversation: Conversation) -> bool:
    """Whether an intent matches by all that the sentence says, some element of the model's own in
    it, and by nothing else."""
    alone = _solve(mind, question, replace(conversation, remembered=()))
    fillings = (match.filling for match in alone.matches)
    return any(
        not filling.variant.uncovered
        and len(filling.from_sentence) == len(filling.variant.entities)
        and any(taken.entity.own for taken in filling.from_sentence)
        for filling in fillings
    )


def _without_entities(question: Question) -> Question:
    """The question as if nothing had been found in it."""
    return replace(question, variants=(Variant(()),))


def _solve(
    mind: Mind, question: Question, conversation: Conversation, pending: Sequence[Entity] = ()
) -> Decision:
    where = scenes(question, conversation, pending)
    matches = solve(mind.model.intents, mind.index, where)
    return Decision(question, conversation, where, matches, pending=tuple(pending))


def _ask(mind: Mind, decision: Decision) -> Decision:
    """Look for an intent that can be completed by asking, else for the nearest one."""
    intents, index, where = mind.model.intents, mind.index, decision.scenes
    prompts = mind.model.prompts
    phrases = exact_phrases(where)

    def is_whole(filling: Filling) -> bool:
        return not reads_a_part(filling, intents, phrases)

    def askable(filling: Filling) -> bool:
        known = prompts.get(filling.intent.id, {})
        return all(term.id in known for term in filling.missing) and is_whole(filling)

    if prompts:
        asking = nearest(intents, index, where, askable)
        if asking:
            return replace(decision, asking=asking, nearest=asking)
    near = obstructed(intents, index, where) or nearest(intents, index, where, is_whole)
    return replace(decision, nearest=near)


def _current_topics(conversation: Conversation) -> set[tuple[str, str | None]]:
    """The topics that were used last: an incomplete question may have left older ones."""
    topics = [held for held in conversation.remembered if held.entity.topic]
    if not topics:
        return set()
    last = max(held.used_match for held in topics)
    return _topics(held.entity for held in topics if held.used_match == last)


def _topics(entities: Iterable[Entity]) -> set[tuple[str, str | None]]:
    return {(entity.element, entity.value) for entity in entities if entity.topic}
