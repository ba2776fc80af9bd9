"""What a sentence refuses of the offers, beside what it chooses: "not the first but the second",
"Ubik instead of Dune", "Dune? No" (rule 14)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.cues.negation import find_negated
from anaphora.intents.interpretation.answers import last_answer
from anaphora.intents.interpretation.rewriting import change_entities, find_new
from anaphora.intents.interpretation.selection import names_offer, select_bundles
from anaphora.intents.solver import ParsedQuestion
from anaphora.stm.conversation import Offers

__all__ = ["read_refusals"]

_Refusals: TypeAlias = tuple[ParsedQuestion, tuple[Cue, ...], frozenset[int]]

_PLACE = "place"


def read_refusals(question: ParsedQuestion, cues: Sequence[Cue], offers: Offers) -> _Refusals:
    """Tell the offers that a sentence refuses from those that it chooses.

    Return the question with the refused names negated, the cues without those of refused places,
    and the indexes of the bundles at those places.
    """
    utterance = question.utterance
    places = [cue for cue in cues if _is_place(cue)]
    points = [_as_entity(cue, utterance) for cue in places]
    named = [one for one in find_new(question) if one.tokens and names_offer(one, offers)]
    chosen = sorted((*points, *named), key=_start)
    refused = [
        *_find_negated(points, question, cues),
        *_find_before_no(chosen, cues),
        *_find_unpreferred(chosen, utterance, cues),
    ]
    if not refused:
        return question, tuple(cues), frozenset()

    def negate(own: Sequence[Entity]) -> list[Entity]:
        return [replace(one, negated=True) if one in refused else one for one in own]

    gone = [cue for cue, point in zip(places, points, strict=True) if point in refused]
    selections = [select_bundles(offers, [cue], ()) for cue in gone]
    return (
        replace(change_entities(question, negate), has_negated=True),
        tuple([cue for cue in cues if cue not in gone]),
        frozenset([one.bundles[0] for one in selections if one.cues]),
    )


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


def _find_negated(
    points: Collection[Entity], question: ParsedQuestion, cues: Sequence[Cue]
) -> list[Entity]:
    entities = sorted((*points, *question.variants[0].entities), key=_start)
    negated = find_negated(entities, question.utterance, cues)
    return [one for index, one in enumerate(entities) if index in negated and one in points]


def _find_before_no(chosen: Sequence[Entity], cues: Sequence[Cue]) -> list[Entity]:
    """What stands before a no: "Dune? No", "the first, no, the second"."""
    if last_answer(cues) != "decline":
        return []
    no = max(cue.tokens[0] for cue in cues if cue.kind == "decline")
    return [one for one in chosen if one.tokens[-1] < no]


def _find_unpreferred(
    chosen: Sequence[Entity], utterance: Utterance, cues: Sequence[Cue]
) -> Sequence[Entity]:
    """The second of two that are compared: "rather Ubik than Dune"."""
    if len(chosen) != 2:
        return ()
    first, second = chosen
    if not any(
        cue.kind in ("instead", "correct") and not cue.value and cue.tokens[-1] < first.tokens[0]
        for cue in cues
    ):
        return ()
    atoms, matches = load_cue_words(utterance.language).read(utterance.text)
    is_joined = any(
        match.reading.kind == "joiner" and first.end <= atoms[match.first].start < second.start
        for match in matches
    )
    return () if is_joined else (second,)
