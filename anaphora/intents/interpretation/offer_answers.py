"""Answers to offers: accepting, declining, asking about them (rules 12 to 14)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.decision import (
    Decision,
    IndexedModel,
    ask_again,
    decide,
    find_incomplete,
    match_question,
)
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.interpretation.answers import (
    asks_about,
    contradicts,
    find_declined,
    last_answer,
    points_at_bundle,
)
from anaphora.intents.interpretation.refusals import read_refusals
from anaphora.intents.interpretation.repetition import (
    acknowledge,
    continue_with,
    is_other_question,
    keep_unreplaced,
)
from anaphora.intents.interpretation.rewriting import (
    add_entities,
    change_entities,
    find_new,
    stand_in,
)
from anaphora.intents.interpretation.selection import Selection, select_bundles
from anaphora.intents.solver import ParsedQuestion
from anaphora.stm.conversation import (
    Conversation,
    Offers,
)
from anaphora.stm.offers import clear_offers, put_back, remove_bundles, take_bundle
from anaphora.stm.rules import find_replacement

__all__ = ["OfferAnswers"]

_CLOSING = frozenset({"thanks", "farewell"})


class OfferAnswers:
    """Resolves what users say to what lies on the table."""

    def __init__(self, indexed: IndexedModel) -> None:
        self._indexed = indexed
        self._bare_values = frozenset(  # numbers, dates and the like say little by themselves
            one.id
            for one in indexed.model.elements
            if one.recognition and one.recognition.kind == "built-in"
        )

    def answer(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        offers: Offers,
        at: datetime,
    ) -> Decision | None:
        """Resolve an answer to what lies on the table. None for another question."""
        kinds = {cue.kind for cue in cues}
        question, cues, refused = read_refusals(question, cues, offers)
        said = find_new(question)
        if "cancel" in kinds and not said:
            cleared = replace(clear_offers(conversation), pending=None)
            return acknowledge(question, cleared, DialogAct("cancelled"))
        declined = find_declined(question, cues, offers, refused)
        if declined is not None:
            chosen = _choose_another(question, cues, offers, declined)
            if chosen is not None:
                return self._accept(question, cues, conversation, offers, chosen, at)
            return self.decline(question, cues, conversation, offers, declined, at)
        indifferent = [cue for cue in cues if cue.kind == "indifferent"]
        # "Either one": the first.
        cues = [*cues, *(replace(cue, kind="ordinal", number=1) for cue in indifferent)]
        selection = select_bundles(offers, cues, said)
        if len(offers.bundles) > 1 and _asks_for_comparison(question, selection):
            return _ask_which(question, conversation, offers, selection)
        others = [one for one in said if one not in selection.entities]
        if any(contradicts(one, offers) for one in others) and (
            last_answer(cues) == "accept" or not points_at_bundle(question, cues, selection, offers)
        ):
            return None  # "okay, how about Oakland?", "the one in Oakland"
        if (
            last_answer(cues) != "accept"
            and (
                any(contradicts(one, offers) for one in others)
                or not self._names_next_intent(question, others, conversation, offers)
            )
            and (
                not selection.is_explicit
                or asks_about(question, cues)
                or not self._only_selects(question, others, selection, conversation, offers, at)
            )
        ):
            is_closing = not said and any(cue.value in _CLOSING for cue in cues)
            if is_closing and len(offers.bundles) == 1:
                accepted = offers.bundles[0]
                act = DialogAct("accepted", accepted=accepted)
                return acknowledge(question, clear_offers(conversation), act)
            if len(selection.bundles) > 1 and _only_refers(question, cues):
                return _ask_which(question, conversation, offers, selection)
            return None
        if len(selection.bundles) > 1:
            return _ask_which(question, conversation, offers, selection)
        return self._accept(question, cues, conversation, offers, selection, at)

    def take_another(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        offers: Offers,
        at: datetime,
    ) -> Decision | None:
        """Resolve a sentence that takes another bundle than the one that is taken; None for
        others."""
        question, cues, refused = read_refusals(question, cues, offers)
        said = find_new(question)
        selection = select_bundles(offers, cues, said, refused)
        wants_other = any(cue.kind == "other" for cue in cues) or offers.taken in refused
        if wants_other and not (said or selection.cues or question.variants[0].uncovered):
            return self._offer_rest(question, cues, conversation, offers, at)
        if not selection.is_explicit or len(selection.bundles) != 1:
            return None
        if selection.bundles[0] == offers.taken or (
            asks_about(question, cues)
            and (conversation.pending is None or any(one not in selection.entities for one in said))
        ):
            return None
        if not points_at_bundle(question, cues, selection, offers):
            return None  # "the blue hall": a correction of that value alone
        return self._accept(question, cues, conversation, offers, selection, at)

    def _offer_rest(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        offers: Offers,
        at: datetime,
    ) -> Decision:
        """Take the only other bundle than the one that is taken, or offer the rest again."""
        assert offers.taken is not None
        rest = [index for index in range(len(offers.bundles)) if index != offers.taken]
        if len(rest) == 1:
            other = tuple([cue for cue in cues if cue.kind == "other"])
            selection = Selection((rest[0],), other)
            return self._accept(question, cues, conversation, offers, selection, at)
        declined = [offers.bundles[offers.taken]]
        open_again = replace(put_back(conversation), pending=None)
        return self.decline(question, cues, open_again, offers, declined, at)

    def mean_offered(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        offers: Offers,
    ) -> ParsedQuestion:
        """Let a question about the offers see the one that it means; what it points at ("the second
        one") is as good as said."""
        selection = select_bundles(offers, cues, find_new(question))
        if len(selection.bundles) != 1:
            return question
        bundle = offers.bundles[selection.bundles[0]]
        if selection.cues:
            tokens = [index for cue in selection.cues for index in cue.tokens]
            named = [stand_in(one, tokens, question.utterance) for one in bundle]
            named = [one for one in named if not _replaces(find_new(question), one)]
            pointed = add_entities(question, named)
            found = match_question(self._indexed, pointed, conversation).matches
            if found and any(one in named for one in found[0].entities):
                return pointed
        return replace(question, offered=bundle)

    def ask_which(
        self, question: ParsedQuestion, conversation: Conversation, offers: Offers, at: datetime
    ) -> Decision | None:
        """Ask which offer a question is about; None if it is about none of them."""
        about = replace(question, offered=offers.bundles[0])
        found = decide(self._indexed, about, conversation, at)
        if not found.matches:
            return None
        filling = found.matches[0].filling
        if not any(one.offered for one in filling.taken):
            return None
        missing = tuple(
            [one.term for one in filling.terms if any(taken.offered for taken in one.taken)]
        )
        terms = tuple(
            [
                replace(one, taken=tuple([taken for taken in one.taken if not taken.offered]))
                for one in filling.terms
            ]
        )
        taken = tuple([one for one in filling.taken if not one.offered])
        incomplete = replace(filling, terms=terms, taken=taken, missing=missing)
        act = DialogAct("unclear", choices=offers.bundles)
        return replace(found, matches=(), incomplete=incomplete, act=act)

    def _names_next_intent(
        self,
        question: ParsedQuestion,
        others: Sequence[Entity],
        conversation: Conversation,
        offers: Offers,
    ) -> bool:
        """Whether the sentence asks for the intent that the offers are for, with something besides
        the names of offers. A bare value among unknown words ("7 is too early") does not."""
        intent = self._indexed.intents_by_id.get(offers.then)
        if intent is None or offers.then == offers.intent:
            return False
        if is_other_question(self._indexed, question, conversation, offers.then):
            return False
        required = [term for term in intent.terms if term.min > 0]
        bare = replace(conversation, remembered=(), flow=conversation.flow)
        single = self._indexed.with_only(intent)
        question = replace(question, offered=(), variants=question.variants[:1])
        decision = match_question(single, question, bare)
        decision = decision if decision.matches else find_incomplete(single, decision)
        filling = decision.matches[0].filling if decision.matches else decision.nearest
        if filling is None:
            return False
        offering = self._indexed.intents_by_id.get(offers.intent)
        own = {key for term in required for key in term.predicate.requires or ()}
        if offering is not None:
            own -= {key for term in offering.terms for key in term.predicate.requires or ()}
        own -= {("element", one.element) for bundle in offers.bundles for one in bundle}
        is_clear = not question.variants[0].uncovered
        return any(
            ("element", one.entity.element) in own
            and one.entity in others
            and (is_clear or one.entity.element not in self._bare_values)
            for one in filling.from_sentence
        )

    def _only_selects(
        self,
        question: ParsedQuestion,
        others: Sequence[Entity],
        selection: Selection,
        conversation: Conversation,
        offers: Offers,
        at: datetime,
    ) -> bool:
        """Whether a sentence without a yes selects an offer, rather than asks about it: it has no
        entities but those of the selection (``others``), or they ask for what was offered."""
        if not others:
            return True
        if len(selection.bundles) > 1:
            return False
        about = replace(question, offered=offers.bundles[selection.bundles[0]])
        decision = decide(self._indexed, about, conversation, at)
        return not decision.matches or decision.matches[0].intent.id == offers.intent

    def _accept(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        offers: Offers,
        selection: Selection,
        at: datetime,
    ) -> Decision:
        """Go on with the question as if the user had said the accepted bundle (rule 13)."""
        index = selection.bundles[0]
        tokens = {i for cue in cues if cue.kind == "accept" for i in cue.tokens}
        tokens.update(i for cue in selection.cues for i in cue.tokens)
        tokens.update(i for one in selection.entities for i in one.tokens)
        named = selection.entities

        def others(own: Sequence[Entity]) -> list[Entity]:
            return [one for one in own if one not in named]

        question = change_entities(question, others)
        said = find_new(question)
        accepted = tuple(
            [
                stand_in(one, tokens, question.utterance)
                for one in offers.bundles[index]
                if find_replacement(one.groups, said) is None
            ]
        )
        after = take_bundle(conversation, index)
        question = add_entities(question, accepted)
        act = DialogAct("accepted", accepted=accepted)
        goal = offers.intents[index] if offers.intents else offers.then
        decision = None
        if (intent := self._indexed.intents_by_id.get(goal)) is not None:
            naming = self._name_intent(intent, question, tokens)
            decision = continue_with(self._indexed, intent, add_entities(question, naming), after)
        decision = decision or decide(self._indexed, question, after, at)
        if not (decision.matches or decision.incomplete) and (
            intent := self._indexed.intents_by_id.get(offers.intent)
        ):
            decision = continue_with(self._indexed, intent, question, after) or decision
        if not (decision.matches or decision.incomplete):
            return acknowledge(question, after, act)
        return replace(decision, act=act)

    def _name_intent(
        self, intent: Intent, question: ParsedQuestion, tokens: Collection[int]
    ) -> list[Entity]:
        """The entities that only name the intent ("book"), as its offers have already done: those
        of required terms without a prompt."""
        prompts = self._indexed.model.prompts.get(intent.id, {})
        said = {one.element for one in find_new(question)}
        named = []
        for term in intent.terms:
            elements = term.predicate.elements or ()
            if term.min == 0 or term.id in prompts or len(elements) != 1 or said & set(elements):
                continue
            element = self._indexed.model.element(next(iter(elements)))
            if element is None or element.values or element.recognition is not None:
                continue
            entity = Entity(
                element.id,
                element.groups,
                element.id,
                ancestors=element.ancestors,
                meta=element.meta,
                topic=element.topic,
            )
            named.append(stand_in(entity, tokens, question.utterance))
        return named

    def decline(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        offers: Offers,
        declined: Sequence[tuple[Entity, ...]],
        at: datetime,
    ) -> Decision:
        """Take the bundles from the table, and ask the intent that offered them again (rule 14)."""
        after = remove_bundles(conversation, declined)
        compared = (cue.value for cue in cues if cue.kind == "comparison" and not cue.number)
        wanted = next(compared, "")
        act = DialogAct("declined", declined=(*offers.declined, *declined), comparison=wanted)
        asked = self._indexed.intents_by_id.get(offers.intent)
        said = find_new(question)
        if said and not any(cue.kind in ("other", "comparison") for cue in cues):
            after = clear_offers(conversation)  # "no, in Oakland": it looks for something else
            act = DialogAct("corrected")
        if said and is_other_question(self._indexed, question, after, offers.intent):
            return decide(self._indexed, question, after, at)
        if asked is not None:
            frame = keep_unreplaced([held.entity for held in after.remembered], said)
            decision = ask_again(self._indexed, asked, question, after, frame)
            if decision.matches:
                return replace(decision, act=act)
        if said:
            decision = decide(self._indexed, question, after, at)
            return replace(decision, act=act)
        return acknowledge(question, after, act)


def _ask_which(
    question: ParsedQuestion, conversation: Conversation, offers: Offers, selection: Selection
) -> Decision:
    choices = tuple([offers.bundles[index] for index in selection.bundles])
    return acknowledge(question, conversation, DialogAct("unclear", choices=choices))


def _asks_for_comparison(question: ParsedQuestion, selection: Selection) -> bool:
    """Whether a sentence only asks which offer is the cheapest and the like."""
    is_compared = any(cue.kind == "comparison" for cue in selection.cues)
    return is_compared and not find_new(question) and _is_question(question)


def _is_question(question: ParsedQuestion) -> bool:
    return question.utterance.text.rstrip().endswith(("?", "？", "؟"))


def _count_contrasts(question: ParsedQuestion) -> int:
    """How many words of a sentence are such as "but"."""
    utterance = question.utterance
    _, matches = load_cue_words(utterance.language).read(utterance.text)
    return sum(match.reading.kind == "contrast" for match in matches)


def _only_refers(question: ParsedQuestion, cues: Sequence[Cue]) -> bool:
    """Whether a sentence says no more than "both" or "them"."""
    kinds = {cue.kind for cue in cues}
    is_reference = "reference" in kinds and kinds <= {"reference", "social", "filler", "only"}
    return is_reference and not find_new(question) and not question.variants[0].uncovered


def _choose_another(
    question: ParsedQuestion,
    cues: Sequence[Cue],
    offers: Offers,
    declined: Collection[tuple[Entity, ...]],
) -> Selection | None:
    """The one offer that a sentence chooses instead of what it declines; None if it chooses
    none."""
    said = find_new(question)
    refused = [index for index, one in enumerate(offers.bundles) if one in declined]
    if len(refused) == len(offers.bundles):  # "no, the first one"
        refused = []
    selection = select_bundles(offers, cues, said, refused)
    if (
        len(selection.bundles) == 1
        and selection.is_explicit
        and all(one in selection.entities for one in said)
        and points_at_bundle(question, cues, selection, offers)
        and not _is_question(question)
        and question.variants[0].uncovered <= _count_contrasts(question)
        and not any(cue.kind == "other" for cue in cues)
    ):
        return selection
    return None


def _replaces(said: Sequence[Entity], entity: Entity) -> bool:
    return find_replacement(entity.groups, said) is not None
