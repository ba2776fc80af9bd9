"""What a sentence says to the bot: yes or no, which offers it does not want, which one it means,
which of the options that a question names."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.boolean import Confirmation
from anaphora.entities.cues.cue import Cue
from anaphora.grammar.idl.intent import Term
from anaphora.intents.interpretation.dialog_turn import DialogTurn, stand_in
from anaphora.intents.interpretation.selection import Selection, is_same_value, select_bundles
from anaphora.stm.conversation import Offers
from anaphora.stm.offers import is_same_meaning

__all__ = [
    "CHOOSING",
    "answer_with_offer",
    "asks_about",
    "contradicts",
    "find_declined",
    "points_at_bundle",
    "read_confirmation",
    "refuses_whole",
    "take_option",
]

CHOOSING = frozenset({"ordinal", "indifferent"})  # kinds of cues that may choose an option
_PAIR = 2

_CONTRARY = frozenset({"decline", "other", "cancel", "correct", "negate", "instead"})


def read_confirmation(turn: DialogTurn) -> Confirmation | None:
    """The yes or the no of a sentence that says nothing else; None for any other. To a question for
    what cannot be left out, more than a mere "no" drops it: "no, thanks"."""
    if turn.said or turn.has_unknown_words:
        return None
    kinds = [cue.kind for cue in turn.cues if cue.kind in _CONTRARY or cue.kind == "accept"]
    answer, pending = turn.last_answer, turn.pending
    if answer == "accept" and not (_CONTRARY - {"decline"}).intersection(kinds):
        return Confirmation(is_yes=True)
    if answer == "decline" or kinds[-1:] == ["cancel"]:  # "yes, cancel it"
        is_form = pending is not None and pending.missing and not pending.asked
        is_mere = all(len(cue.tokens) == 1 for cue in turn.cues if cue.kind == "decline")
        is_command = "cancel" in kinds or bool(is_form and (turn.has("social") or not is_mere))
        return Confirmation(is_yes=False, is_command=is_command)
    return None


def refuses_whole(turn: DialogTurn) -> bool:
    """Whether a sentence negates the question that waits as a whole: "don't book it"."""
    return not turn.said and any(
        one.value is None and not one.parts and is_same_meaning(one, held)
        for one in turn.negated
        for held in turn.waiting
    )


def find_declined(
    turn: DialogTurn, offers: Offers, refused: Collection[int] = ()
) -> tuple[tuple[Entity, ...], ...] | None:
    """The bundles that the sentence declines, those with the ``refused`` indexes among them; None
    if it declines nothing."""
    named = [
        bundle
        for index, bundle in enumerate(offers.bundles)
        if index in refused
        or any(is_same_value(one, offered) for one in turn.negated for offered in bundle)
    ]
    if named:
        return tuple(named)
    if not offers.bundles:  # there was nothing to offer, so this asks for something else
        return () if turn.has("other", "comparison") else None
    if turn.has("other"):
        return offers.bundles
    says_no = turn.last_answer == "decline"
    if says_no and turn.meant_before is not None and not turn.said:
        return (offers.bundles[turn.meant_before],)
    if says_no and len(offers.bundles) == 1 and any(contradicts(one, offers) for one in turn.said):
        return None  # "no, for three": a correction of what was offered
    if says_no or (turn.has("negate") and turn.has("reference") and not turn.said):
        return offers.bundles
    compared = [cue for cue in turn.cues if cue.kind == "comparison" and not cue.number]
    return offers.bundles if compared else None


def points_at_bundle(turn: DialogTurn, selection: Selection, offers: Offers) -> bool:
    """Whether a sentence means an offer as a whole: by its place, by comparison, by what it is
    named by, or by a value of "the one"; not by some value alone."""
    if selection.cues:
        return True
    named = [one for one in selection.entities if one not in turn.question.referred]
    names = {bundle[0].element for bundle in offers.bundles}
    is_one = turn.has("reference")
    return any(one.element in names or is_one for one in named)


def asks_about(turn: DialogTurn) -> bool:
    """Whether a sentence that names an offer, without a yes, says more or asks something."""
    return not turn.has("accept") and (turn.is_asking or turn.has_unknown_words)


def contradicts(entity: Entity, offers: Offers) -> bool:
    """Whether the entity would replace one that is offered."""
    return any(entity.groups <= one.groups for bundle in offers.bundles for one in bundle)


def answer_with_offer(turn: DialogTurn, offers: Offers) -> DialogTurn:
    """Answer what the bot asks with an offer that is selected by its place or by comparison."""
    selection = select_bundles(offers, turn.cues, ())
    if not selection.cues or len(selection.bundles) != 1:
        return turn
    tokens = [index for cue in selection.cues for index in cue.tokens]
    bundle = offers.bundles[selection.bundles[0]]
    return turn.add([stand_in(one, tokens, turn.question.utterance) for one in bundle])


def take_option(turn: DialogTurn, asked: Term | None) -> DialogTurn:
    """Let the turn say the option that it chooses by its place, or the first of those that are all
    the same to the user if the term ``asked`` for is required. Of two, "not the first one" is the
    other. A turn that names such a value chooses nothing else."""
    options = turn.options
    if asked is None or not options or not turn.answers_pending:
        return turn
    elements = {one.element for one in options}
    if any(one.element in elements for one in turn.question.variants[0].entities):
        return turn
    cues = [cue for cue in turn.cues if cue.kind == "ordinal"]
    if cues:
        index = _find_place(turn, cues, options)
    else:
        cues = [cue for cue in turn.cues if cue.kind == "indifferent"]
        index = 0 if cues and asked.min > 0 and not turn.said else None
    if index is None:
        return turn
    tokens = {token for cue in cues for token in cue.tokens}
    chosen = stand_in(options[index], tokens, turn.question.utterance)
    left = tuple([cue for cue in turn.cues if cue not in cues and cue.kind != "negate"])
    question = replace(turn.question, is_indifferent=False)
    return replace(turn, question=question, cues=left).add([chosen])


def _find_place(turn: DialogTurn, cues: Sequence[Cue], options: Sequence[Entity]) -> int | None:
    """The index of the option at the place that the cues say; None if that is no single one."""
    count = len(options)
    places = {cue.number if cue.number > 0 else count + 1 + cue.number for cue in cues}
    place = places.pop()
    if places or not 1 <= place <= count:
        return None
    if not turn.has("negate"):
        return place - 1
    return _PAIR - place if count == _PAIR else None
