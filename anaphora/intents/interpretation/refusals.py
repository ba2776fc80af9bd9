"""What a sentence refuses of the offers, beside what it chooses: "not the first but the second",
"Ubik instead of Dune", "Dune? No" (rule 14)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.cues.negation import find_negated
from anaphora.intents.interpretation.dialog_turn import DialogTurn
from anaphora.intents.interpretation.selection import names_offer, select_bundles
from anaphora.stm.conversation import Offers

__all__ = ["find_negated_places", "read_refusals"]

_PLACE = "place"


def read_refusals(turn: DialogTurn, offers: Offers) -> tuple[DialogTurn, frozenset[int]]:
    """Tell the offers that a sentence refuses from those that it chooses.

    Return the turn with the refused names negated and without the cues of refused places, and the
    indexes of the bundles at those places.
    """
    utterance = turn.question.utterance
    places = [cue for cue in turn.cues if _is_place(cue)]
    points = [_as_entity(cue, utterance) for cue in places]
    named = [one for one in turn.said if one.tokens and names_offer(one, offers)]
    chosen = sorted((*points, *named), key=_start)
    refused = [
        *_find_negated(points, turn),
        *_find_before_no(chosen, turn),
        *_find_unpreferred(chosen, turn),
    ]
    if not refused:
        return turn, frozenset()

    def negate(own: Sequence[Entity]) -> list[Entity]:
        return [replace(one, negated=True) if one in refused else one for one in own]

    gone = [cue for cue, point in zip(places, points, strict=True) if point in refused]
    selections = [select_bundles(offers, [cue], ()) for cue in gone]
    turn = turn.change(negate)
    turn = replace(
        turn,
        question=replace(turn.question, has_negated=True),
        cues=tuple([cue for cue in turn.cues if cue not in gone]),
    )
    return turn, frozenset([one.bundles[0] for one in selections if one.cues])


def find_negated_places(turn: DialogTurn) -> list[Cue]:
    """The places in a list that a sentence negates: "without the second"."""
    places = [cue for cue in turn.cues if _is_place(cue)]
    points = [_as_entity(cue, turn.question.utterance) for cue in places]
    negated = _find_negated(points, turn)
    return [cue for cue, point in zip(places, points, strict=True) if point in negated]


def _is_place(cue: Cue) -> bool:
    return cue.kind == "ordinal" or (cue.kind == "comparison" and cue.number > 0)


def _as_entity(cue: Cue, utterance: Utterance) -> Entity:
    """A place in the list as an entity, for what negates it."""
    first, last = utterance.tokens[cue.tokens[0]], utterance.tokens[cue.tokens[-1]]
    text = utterance.text[first.start : last.end]
    groups = frozenset({_PLACE})
    return Entity(_PLACE, groups, text, cue.tokens, first.start, last.end, value=text)


def _start(entity: Entity) -> int:
    return entity.start


def _find_negated(points: Collection[Entity], turn: DialogTurn) -> list[Entity]:
    entities = sorted((*points, *turn.question.variants[0].entities), key=_start)
    negated = find_negated(entities, turn.question.utterance, turn.cues)
    return [one for index, one in enumerate(entities) if index in negated and one in points]


def _find_before_no(chosen: Sequence[Entity], turn: DialogTurn) -> list[Entity]:
    """What stands before a no: "Dune? No", "the first, no, the second"."""
    if turn.last_answer != "decline":
        return []
    no = max(cue.tokens[0] for cue in turn.cues if cue.kind == "decline")
    return [one for one in chosen if one.tokens[-1] < no]


def _find_unpreferred(chosen: Sequence[Entity], turn: DialogTurn) -> Sequence[Entity]:
    """The second of two that are compared: "rather Ubik than Dune"."""
    if len(chosen) != 2:
        return ()
    first, second = chosen
    if not any(
        cue.kind in ("instead", "correct")
        and cue.value != "of"
        and cue.tokens[-1] < first.tokens[0]
        for cue in turn.cues
    ):
        return ()
    utterance = turn.question.utterance
    atoms, matches = load_cue_words(utterance.language).read(utterance.text)
    is_joined = any(
        match.reading.kind == "joiner" and first.end <= atoms[match.first].start < second.start
        for match in matches
    )
    return () if is_joined else (second,)
