"""Questions that begin afresh (rule 22)."""

from __future__ import annotations

from msgspec.structs import replace

from anaphora.intents.decision.decide import decide
from anaphora.intents.decision.decision import Decision
from anaphora.intents.decision.matching import IndexedModel, ask_again, find_incomplete
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.interpretation.answers import read_confirmation
from anaphora.intents.interpretation.dialog_turn import DialogTurn, find_affirmed
from anaphora.intents.interpretation.references import References
from anaphora.intents.interpretation.repetition import ask_for_rest
from anaphora.intents.solver import ParsedQuestion
from anaphora.stm.conversation import ForgottenEntity, PendingQuestion
from anaphora.stm.rules import set_aside

__all__ = ["FreshStarts"]


class FreshStarts:
    """Sets aside what was filled before by a question about the same that begins afresh."""

    def __init__(self, indexed: IndexedModel, references: References) -> None:
        self._indexed = indexed
        self._references = references
        elements = indexed.model.elements
        self._fresh = frozenset(one.id for one in elements if one.fresh)
        self._asks = frozenset(one.id for one in elements if one.fresh == "ask")

    def may_begin(self, question: ParsedQuestion) -> bool:
        """Whether a question has an entity with which one may begin afresh."""
        return bool(self._fresh) and any(
            one.element in self._fresh for one in find_affirmed(question)
        )

    def decide(self, turn: DialogTurn) -> Decision | None:
        """Resolve a question that begins afresh, or the answer to whether one does. None for
        others, and if it means nothing without what was said before."""
        if turn.pending is not None and turn.pending.afresh:
            decision = self._answer(turn, turn.pending)
            if decision is not None:
                return decision
        if (
            not turn.conversation.remembered
            or not self.may_begin(turn.question)
            or turn.has("correct", "decline", "only", "instead")
        ):
            return None
        if self._is_open(turn):
            decision = decide(self._indexed, turn.question, turn.conversation, turn.at)
            if decision.matches:
                return replace(decision, act=DialogAct("afresh"))
        begun, forgotten = set_aside(turn.conversation)
        fresh = self._references.bind(replace(turn, conversation=begun))
        decision = decide(self._indexed, fresh.question, begun, turn.at)
        if not decision.matches and not decision.incomplete:
            return None
        return replace(decision, forgotten=(*forgotten, *decision.forgotten))

    def _is_open(self, turn: DialogTurn) -> bool:
        """Whether the user is to be asked: the topic is the one that is remembered."""
        asked = {one.element for one in turn.said} & self._asks
        return any(held.entity.element in asked for held in turn.conversation.remembered)

    def _answer(self, turn: DialogTurn, pending: PendingQuestion) -> Decision | None:
        """Resolve the answer to the question whether to begin afresh; None for anything else."""
        answer, intent = read_confirmation(turn), self._indexed.intents_by_id.get(pending.intent)
        if answer is None or answer.is_command or intent is None:
            return None
        after = replace(turn.conversation, pending=pending.suspended)
        forgotten: tuple[ForgottenEntity, ...] = ()
        if answer.is_yes:
            after, forgotten = set_aside(after)
        decision = ask_again(self._indexed, intent, turn.question, after, pending.entities)
        if not decision.matches:
            decision = find_incomplete(self._indexed.with_only(intent), decision)
        found: Decision | None = decision
        if not decision.matches and decision.incomplete is None:
            settled = replace(turn, conversation=after)
            found = ask_for_rest(self._indexed, intent, settled, pending.entities)
        return found and replace(found, forgotten=(*forgotten, *found.forgotten))
