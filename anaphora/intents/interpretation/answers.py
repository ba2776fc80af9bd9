"""What a sentence says to the bot: yes or no, which offers it does not want, which one it means."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.boolean import Confirmation, parse_yes_no
from anaphora.entities.cues.cue import Cue
from anaphora.intents.interpretation.rewriting import (
    add_entities,
    find_negated_entities,
    find_new,
    stand_in,
)
from anaphora.intents.interpretation.selection import Selection, is_same_value, select_bundles
from anaphora.intents.solver import ParsedQuestion
from anaphora.stm.conversation import (
    Conversation,
    Offers,
    PendingQuestion,
)
from anaphora.stm.offers import is_same_meaning

__all__ = [
    "asks_about",
    "contradicts",
    "denies",
    "find_declined",
    "is_pending_newer",
    "last_answer",
    "points_at_bundle",
    "read_confirmation",
    "read_demonstratives",
    "say_selected",
]

_CONTRARY = frozenset({"decline", "other", "cancel", "correct", "negate", "instead"})


def read_confirmation(
    question: ParsedQuestion, cues: Sequence[Cue], pending: PendingQuestion | None = None
) -> Confirmation | None:
    """The yes or the no of a sentence that says nothing else; None for any other. To a question for
    what cannot be left out, more than a mere "no" drops it: "no, thanks"."""
    if find_new(question) or question.variants[0].uncovered:
        return None
    kinds = [cue.kind for cue in cues if cue.kind in _CONTRARY or cue.kind == "accept"]
    answer = last_answer(cues)
    if answer == "accept" and not (_CONTRARY - {"decline"}).intersection(kinds):
        return Confirmation(is_yes=True)
    if answer == "decline" or kinds[-1:] == ["cancel"]:  # "yes, cancel it"
        is_form = pending is not None and pending.missing and not pending.asked
        words = sum(len(cue.tokens) for cue in cues if cue.kind in ("decline", "social"))
        is_command = "cancel" in kinds or bool(is_form and words > 1)
        return Confirmation(is_yes=False, is_command=is_command)
    return None


def read_demonstratives(question: ParsedQuestion, cues: Sequence[Cue]) -> tuple[Cue, ...]:
    """Read what accepts without a word for yes ("dann das") as a reference to a thing."""
    if any(cue.kind == "reference" for cue in cues):
        return tuple(cues)
    utterance = question.utterance

    def is_yes(cue: Cue) -> bool:
        words = " ".join([utterance.tokens[index].text for index in cue.tokens])
        return parse_yes_no(words, utterance.language) is True

    return tuple(
        [
            replace(cue, kind="reference", value="thing")
            if cue.kind == "accept" and not is_yes(cue)
            else cue
            for cue in cues
        ]
    )


def denies(question: ParsedQuestion, repeated: Sequence[Entity]) -> bool:
    """Whether a sentence negates what the user is to confirm as a whole: "don't book it"."""
    negated = find_negated_entities(question)
    return not find_new(question) and any(
        one.value is None and is_same_meaning(one, held) for one in negated for held in repeated
    )


def last_answer(cues: Iterable[Cue]) -> str:
    """The last yes or no of a sentence: "okay, no" is a no, "no, that's fine" is a yes ('' for
    neither)."""
    answers = [cue.kind for cue in cues if cue.kind in ("accept", "decline")]
    return answers[-1] if answers else ""


def is_pending_newer(conversation: Conversation, offers: Offers) -> bool:
    """Whether the bot has asked something after it made its offers."""
    pending = conversation.pending
    return pending is not None and pending.at >= offers.at


def find_declined(
    question: ParsedQuestion, cues: Sequence[Cue], offers: Offers, refused: Collection[int] = ()
) -> tuple[tuple[Entity, ...], ...] | None:
    """The bundles that the sentence declines, those with the ``refused`` indexes among them; None
    if it declines nothing."""
    kinds = {cue.kind for cue in cues}
    negated = find_negated_entities(question)
    named = [
        bundle
        for index, bundle in enumerate(offers.bundles)
        if index in refused
        or any(is_same_value(one, offered) for one in negated for offered in bundle)
    ]
    if named:
        return tuple(named)
    if not offers.bundles:  # there was nothing to offer, so this asks for something else
        return () if kinds & {"other", "comparison"} else None
    if "other" in kinds:
        return offers.bundles
    says_no = last_answer(cues) == "decline"
    if says_no and len(offers.bundles) == 1:
        said = find_new(question)
        if any(contradicts(one, offers) for one in said):
            return None  # "no, for three": a correction of what was offered
    if says_no or ({"negate", "reference"} <= kinds and not find_new(question)):
        return offers.bundles
    compared = [cue for cue in cues if cue.kind == "comparison" and not cue.number]
    return offers.bundles if compared else None


def points_at_bundle(
    question: ParsedQuestion, cues: Iterable[Cue], selection: Selection, offers: Offers
) -> bool:
    """Whether a sentence means an offer as a whole: by its place, by comparison, by what it is
    named by, or by a value of "the one"; not by some value alone."""
    if selection.cues:
        return True
    said = [one for one in selection.entities if one not in question.referred]
    names = {bundle[0].element for bundle in offers.bundles}
    is_one = any(cue.kind == "reference" for cue in cues)
    return any(one.element in names or is_one for one in said)


def asks_about(question: ParsedQuestion, cues: Sequence[Cue]) -> bool:
    """Whether a sentence that names an offer, without a yes, says more or asks something."""
    if any(cue.kind == "accept" for cue in cues):
        return False
    text = question.utterance.text.rstrip()
    return text.endswith(("?", "？", "؟")) or bool(question.variants[0].uncovered)


def contradicts(entity: Entity, offers: Offers) -> bool:
    """Whether the entity would replace one that is offered."""
    return any(entity.groups <= one.groups for bundle in offers.bundles for one in bundle)


def say_selected(question: ParsedQuestion, cues: Sequence[Cue], offers: Offers) -> ParsedQuestion:
    """Answer what the bot asks with an offer that is selected by its place or by comparison."""
    selection = select_bundles(offers, cues, ())
    if not selection.cues or len(selection.bundles) != 1:
        return question
    tokens = [index for cue in selection.cues for index in cue.tokens]
    bundle = offers.bundles[selection.bundles[0]]
    return add_entities(question, [stand_in(one, tokens, question.utterance) for one in bundle])
