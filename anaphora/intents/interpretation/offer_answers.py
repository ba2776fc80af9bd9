"""Answers to offers: accepting, declining, asking about them (rules 12 to 14)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.decision.decide import decide
from anaphora.intents.decision.decision import Decision
from anaphora.intents.decision.matching import (
    IndexedModel,
    ask_again,
    find_incomplete,
    match_question,
)
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.interpretation.answers import (
    asks_about,
    contradicts,
    find_declined,
    points_at_bundle,
)
from anaphora.intents.interpretation.dialog_turn import DialogTurn, stand_in
from anaphora.intents.interpretation.refusals import read_refusals
from anaphora.intents.interpretation.repetition import (
    continue_intent,
    decide_without_intent,
    is_other_question,
    keep_unreplaced,
)
from anaphora.intents.interpretation.selection import Selection, names_offer, select_bundles
from anaphora.stm.conversation import Offers
from anaphora.stm.offers import (
    clear_offers,
    is_same_meaning,
    mark_meant,
    remove_bundles,
    reopen_offers,
    take_bundle,
)
from anaphora.stm.rules import find_replacement

__all__ = ["OfferAnswers"]


class OfferAnswers:
    """Resolves what users say to what lies on the table."""

    def __init__(self, indexed: IndexedModel) -> None:
        self._indexed = indexed
        self._bare_values = frozenset(  # numbers, dates and the like say little by themselves
            one.id
            for one in indexed.model.elements
            if one.recognition and one.recognition.kind == "built-in"
        )

    def look_further(self, turn: DialogTurn) -> Decision | None:
        """Resolve a sentence that wants another offer where none is left, or than the one that is
        taken. None for others."""
        offers = turn.conversation.offers
        if offers is None:
            return None
        if offers.taken is not None:
            return self._take_another(turn, offers, offers.taken)
        if offers.bundles:
            return None
        declined = find_declined(turn, offers)
        return None if declined is None else self._decline(turn, offers, declined)

    def answer(self, turn: DialogTurn, offers: Offers) -> Decision | None:
        """Resolve an answer to what lies on the table. None for another question."""
        turn, refused = read_refusals(
            turn.read_bare_values(lambda one: names_offer(one, offers)), offers
        )
        if turn.has("cancel") and not turn.said:
            cleared = replace(clear_offers(turn.conversation), pending=None)
            return decide_without_intent(
                replace(turn, conversation=cleared), DialogAct("cancelled")
            )
        declined = find_declined(turn, offers, refused)
        if declined is not None:
            chosen = _choose_another(turn, offers, declined)
            if chosen is not None:
                return self._accept(turn, offers, chosen)
            return self._decline(turn, offers, declined)
        # "Either one": the first.
        either = [
            replace(cue, kind="ordinal", number=1) for cue in turn.cues if cue.kind == "indifferent"
        ]
        turn = replace(turn, cues=(*turn.cues, *either))
        selection = select_bundles(offers, turn.cues, turn.said)
        if (
            turn.meant_before is not None
            and not selection.is_explicit
            and turn.last_answer == "accept"
        ):
            selection = Selection((turn.meant_before,))
        if len(offers.bundles) > 1 and _asks_back(turn, selection):
            return _ask_which(turn, offers, selection)
        if _points_beyond(turn, offers):
            note = f"the list ends before that place, with {len(offers.bundles)} in it"
            question = replace(turn.question, notes=(*turn.question.notes, note))
            turn = replace(turn, question=question)
            return _ask_which(turn, offers, Selection(tuple(range(len(offers.bundles)))))
        if not self._takes(turn, offers, selection):
            return _close(turn, offers, selection)
        if len(selection.bundles) > 1:
            return _ask_which(turn, offers, selection)
        return self._accept(turn, offers, selection)

    def complete_asking(self, turn: DialogTurn, offers: Offers) -> Decision | None:
        """Ask the intent that has just made the offers again, with what says how many of them are
        meant rather than which: "all of them" to "Which one?". None for what it does not take."""
        flow, said = turn.conversation.flow, turn.said
        intent = self._indexed.intents_by_id.get(offers.intent)
        if intent is None or not (flow and said) or turn.has_unknown_words:
            return None
        if flow[-1].intent != intent.id or flow[-1].at != turn.conversation.last:
            return None
        decision = continue_intent(self._indexed, intent, turn)
        if decision is None or not decision.matches:
            return None
        taken = [one.entity for one in decision.matches[0].filling.from_sentence]
        return decision if all(one in taken for one in said) else None

    def _takes(self, turn: DialogTurn, offers: Offers, selection: Selection) -> bool:
        """Whether a sentence takes an offer, rather than asks about it or for something else."""
        others = [one for one in turn.said if one not in selection.entities]
        is_yes = turn.last_answer == "accept"
        if any(contradicts(one, offers) for one in others):
            # Not "okay, how about Oakland?" and "the one in Oakland".
            if is_yes or not points_at_bundle(turn, selection, offers):
                return False
        elif is_yes or self._names_next_intent(turn, others, offers):
            return True
        return (
            selection.is_explicit
            and not asks_about(turn)
            and self._only_selects(turn, others, selection, offers)
        )

    def _take_another(self, turn: DialogTurn, offers: Offers, taken: int) -> Decision | None:
        """Resolve a sentence that takes another bundle than the ``taken`` one; None for others."""
        turn, refused = read_refusals(turn, offers)
        selection = select_bundles(offers, turn.cues, turn.said, refused)
        denies = turn.has("negate") and turn.has("reference")  # "not that one"
        wants_other = turn.has("other") or denies or taken in refused
        if wants_other and not (turn.said or selection.cues or turn.has_unknown_words):
            return self._offer_rest(turn, offers, taken)
        if not selection.is_explicit or selection.bundles in ((), (taken,)):
            return None
        if len(selection.bundles) > 1 or not points_at_bundle(turn, selection, offers):
            return None  # "the blue hall": a correction of that value alone
        if turn.is_asking and _follows_side_question(turn, offers):
            return None  # "and boxing?" after "how much is yoga?"
        if asks_about(turn) and (
            turn.pending is None or any(one not in selection.entities for one in turn.said)
        ):
            return None
        return self._accept(turn, offers, selection)

    def _offer_rest(self, turn: DialogTurn, offers: Offers, taken: int) -> Decision:
        """Take the only other bundle than the ``taken`` one, or offer the rest again."""
        rest = [index for index in range(len(offers.bundles)) if index != taken]
        if len(rest) == 1:
            other = tuple([cue for cue in turn.cues if cue.kind == "other"])
            return self._accept(turn, offers, Selection((rest[0],), other))
        reopened, forgotten = reopen_offers(turn.conversation)
        turn = replace(turn, conversation=replace(reopened, pending=None))
        decision = self._decline(turn, offers, [offers.bundles[taken]])
        return replace(decision, forgotten=(*forgotten, *decision.forgotten))

    def resolve_offered(self, turn: DialogTurn, offers: Offers) -> DialogTurn:
        """Let a question about the offers see the one that it means; what it points at ("the second
        one") is as good as said."""
        selection = select_bundles(offers, turn.cues, turn.said)
        if len(selection.bundles) != 1:
            return turn
        turn, named = self.point_at(turn, offers)
        if named:
            pointed = turn.add(named)
            found = match_question(self._indexed, pointed.question, turn.conversation).matches
            if found and any(one in named for one in found[0].entities):
                return pointed
        bundle = offers.bundles[selection.bundles[0]]
        return replace(turn, question=replace(turn.question, offered=bundle))

    def point_at(self, turn: DialogTurn, offers: Offers) -> tuple[DialogTurn, list[Entity]]:
        """Note the one offer that a question is about, and find its entities if the sentence points
        at its place in the list."""
        selection = select_bundles(offers, turn.cues, turn.said)
        if len(selection.bundles) != 1:
            return turn, []
        index = selection.bundles[0]
        tokens = [index for cue in selection.cues for index in cue.tokens]
        pointed = [
            stand_in(one, tokens, turn.question.utterance)
            for one in offers.bundles[index]
            if tokens and find_replacement(one.groups, turn.said) is None
        ]
        conversation = mark_meant(turn.conversation, index)
        return replace(turn, conversation=conversation), pointed

    def ask_which(self, turn: DialogTurn, offers: Offers) -> Decision | None:
        """Ask which offer a question is about; None if it is about none of them."""
        found = self._decide_about(turn, offers.bundles[0])
        if not found.matches:
            return None
        filling = found.matches[0].filling
        if not any(one.offered for one in filling.taken):
            return None
        missing = [one.term for one in filling.terms if any(taken.offered for taken in one.taken)]
        terms = [
            replace(one, taken=tuple([taken for taken in one.taken if not taken.offered]))
            for one in filling.terms
        ]
        taken = [one for one in filling.taken if not one.offered]
        incomplete = replace(
            filling, terms=tuple(terms), taken=tuple(taken), missing=tuple(missing)
        )
        act = DialogAct("unclear", choices=offers.bundles)
        return replace(found, matches=(), incomplete=incomplete, act=act)

    def _decide_about(self, turn: DialogTurn, bundle: tuple[Entity, ...]) -> Decision:
        about = replace(turn.question, offered=bundle)
        return decide(self._indexed, about, turn.conversation, turn.at)

    def _names_next_intent(
        self, turn: DialogTurn, others: Sequence[Entity], offers: Offers
    ) -> bool:
        """Whether the sentence asks for the intent that the offers are for, with something besides
        the names of offers. A bare value among unknown words ("7 is too early") does not."""
        intent = self._indexed.intents_by_id.get(offers.then)
        if intent is None or offers.then == offers.intent:
            return False
        if is_other_question(self._indexed, turn, offers.then):
            return False
        required = [term for term in intent.terms if term.min > 0]
        bare = replace(turn.conversation, remembered=())
        single = self._indexed.with_only(intent)
        question = replace(turn.question, offered=(), variants=turn.question.variants[:1])
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
        is_clear = not turn.has_unknown_words
        return any(
            ("element", one.entity.element) in own
            and one.entity in others
            and (is_clear or one.entity.element not in self._bare_values)
            for one in filling.from_sentence
        )

    def _only_selects(
        self, turn: DialogTurn, others: Sequence[Entity], selection: Selection, offers: Offers
    ) -> bool:
        """Whether a sentence without a yes selects an offer, rather than asks about it: it has no
        entities but those of the selection (``others``), or they ask for what was offered."""
        if not others:
            return True
        if len(selection.bundles) > 1 or any(
            find_replacement(held.entity.groups, [one]) and not is_same_meaning(held.entity, one)
            for held in turn.conversation.remembered
            for one in others
        ):
            return False  # "the Heron to Jena", of those to Bonn
        decision = self._decide_about(turn, offers.bundles[selection.bundles[0]])
        return not decision.matches or decision.matches[0].intent.id == offers.intent

    def _accept(self, turn: DialogTurn, offers: Offers, selection: Selection) -> Decision:
        """Go on with the question as if the user had said the accepted bundle (rule 13)."""
        index, named = selection.bundles[0], selection.entities
        tokens = {i for cue in turn.cues if cue.kind == "accept" for i in cue.tokens}
        tokens.update(i for cue in selection.cues for i in cue.tokens)
        tokens.update(i for one in named for i in one.tokens)
        turn = turn.change(lambda own: [one for one in own if one not in named])
        said = turn.said
        accepted = [
            stand_in(one, tokens, turn.question.utterance)
            for one in offers.bundles[index]
            if find_replacement(one.groups, said) is None
        ]
        after, forgotten = take_bundle(turn.conversation, index)
        turn = replace(turn.add(accepted), conversation=after)
        act = DialogAct("accepted", accepted=tuple(accepted))
        goal = offers.intents[index] if offers.intents else offers.then
        decision = None
        if (intent := self._indexed.intents_by_id.get(goal)) is not None:
            naming = self._name_intent(intent, turn, tokens)
            decision = continue_intent(self._indexed, intent, turn.add(naming))
        decision = decision or decide(self._indexed, turn.question, after, turn.at)
        if not (decision.matches or decision.incomplete) and (
            intent := self._indexed.intents_by_id.get(offers.intent)
        ):
            decision = continue_intent(self._indexed, intent, turn) or decision
        if not (decision.matches or decision.incomplete):
            decision = decide_without_intent(turn, act)
        return replace(decision, act=act, forgotten=(*forgotten, *decision.forgotten))

    def _name_intent(
        self, intent: Intent, turn: DialogTurn, tokens: Collection[int]
    ) -> list[Entity]:
        """The entities that only name the intent ("book"), as its offers have already done: those
        of required terms without a prompt."""
        prompts = self._indexed.model.prompts.get(intent.id, {})
        said = {one.element for one in turn.said}
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
            named.append(stand_in(entity, tokens, turn.question.utterance))
        return named

    def _decline(
        self, turn: DialogTurn, offers: Offers, declined: Sequence[tuple[Entity, ...]]
    ) -> Decision:
        """Take the bundles from the table, and ask the intent that offered them again (rule 14)."""
        after, said = remove_bundles(turn.conversation, declined), turn.said
        compared = (cue.value for cue in turn.cues if cue.kind == "comparison" and not cue.number)
        wanted = next(compared, "")
        act = DialogAct("declined", declined=(*offers.declined, *declined), comparison=wanted)
        if said and not turn.has("other", "comparison"):
            after = clear_offers(turn.conversation)  # "no, in Oakland": it looks for something else
            act = DialogAct("corrected")
        turn = replace(turn, conversation=after)
        if said and is_other_question(self._indexed, turn, offers.intent):
            return decide(self._indexed, turn.question, after, turn.at)
        asked = self._indexed.intents_by_id.get(offers.intent)
        if asked is not None:
            frame = keep_unreplaced([held.entity for held in after.remembered], said)
            decision = ask_again(self._indexed, asked, turn.question, after, frame)
            if decision.matches:
                return replace(decision, act=act)
        if said:
            return replace(decide(self._indexed, turn.question, after, turn.at), act=act)
        return decide_without_intent(turn, act)


def _close(turn: DialogTurn, offers: Offers, selection: Selection) -> Decision | None:
    """Resolve what takes no offer, but is about them: "thanks" takes the only one, and "both" is to
    be told apart. None for another question."""
    is_closing = not turn.said and any(cue.value == "thanks" for cue in turn.cues)
    if is_closing and len(offers.bundles) == 1:
        cleared = replace(turn, conversation=clear_offers(turn.conversation))
        return decide_without_intent(cleared, DialogAct("accepted", accepted=offers.bundles[0]))
    if len(selection.bundles) > 1 and _only_refers(turn):
        return _ask_which(turn, offers, selection)
    return None


def _follows_side_question(turn: DialogTurn, offers: Offers) -> bool:
    """Whether the last question was neither the one that waits nor the one that made offers."""
    flow, pending = turn.conversation.flow, turn.pending
    if not flow or flow[-1].at != turn.conversation.last:
        return False
    return pending is not None and flow[-1].intent not in (pending.intent, offers.intent)


def _ask_which(turn: DialogTurn, offers: Offers, selection: Selection) -> Decision:
    choices = tuple([offers.bundles[index] for index in selection.bundles])
    if len(choices) == 1:
        meant = mark_meant(turn.conversation, selection.bundles[0])
        turn = replace(turn, conversation=meant)
    return decide_without_intent(turn, DialogAct("unclear", choices=choices))


def _asks_back(turn: DialogTurn, selection: Selection) -> bool:
    """Whether a sentence only asks which offer is the cheapest and the like, or only names one:
    "Kiku?"."""
    is_compared = any(cue.kind == "comparison" for cue in selection.cues)
    is_named = len(selection.bundles) == 1 and not turn.has_unknown_words
    others = [one for one in turn.said if one not in selection.entities]
    return turn.is_asking and not others and (is_compared or is_named)


def _points_beyond(turn: DialogTurn, offers: Offers) -> bool:
    """Whether a sentence says no more than a place in a list that is shorter: "the second one" of
    a single offer."""
    places = [cue.number for cue in turn.cues if cue.kind == "ordinal"]
    is_beyond = bool(places) and all(abs(place) > len(offers.bundles) for place in places)
    return is_beyond and not turn.said and not turn.has_unknown_words


def _only_refers(turn: DialogTurn) -> bool:
    """Whether a sentence says no more than "both" or "them"."""
    kinds = {cue.kind for cue in turn.cues}
    is_reference = "reference" in kinds and kinds <= {"reference", "social", "filler", "only"}
    return is_reference and not turn.said and not turn.has_unknown_words


def _choose_another(
    turn: DialogTurn, offers: Offers, declined: Collection[tuple[Entity, ...]]
) -> Selection | None:
    """The one offer that a sentence chooses instead of what it declines; None if it chooses
    none."""
    refused = [index for index, one in enumerate(offers.bundles) if one in declined]
    if len(refused) == len(offers.bundles):  # "no, the first one"
        refused = []
    selection = select_bundles(offers, turn.cues, turn.said, refused)
    if (
        len(selection.bundles) == 1
        and selection.is_explicit
        and all(one in selection.entities for one in turn.said)
        and points_at_bundle(turn, selection, offers)
        and not turn.is_asking
        and turn.question.variants[0].uncovered <= _count_contrasts(turn)
        and not turn.has("other")
    ):
        return selection
    return None


def _count_contrasts(turn: DialogTurn) -> int:
    """How many words of a sentence are such as "but"."""
    utterance = turn.question.utterance
    _, matches = load_cue_words(utterance.language).read(utterance.text)
    return sum(match.reading.kind == "contrast" for match in matches)
