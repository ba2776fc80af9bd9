"""Combine a date or a duration with what corrects it in the same sentence: "tomorrow at ten, no
wait, eleven" is tomorrow at eleven."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Token, Utterance
from anaphora.entities.cues.clauses import COMMAS
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.negation import is_no, stands_behind
from anaphora.intents.combination.combiners import Combiners
from anaphora.intents.combination.completed_entity import place_entity
from anaphora.intents.combination.completion import is_number

__all__ = ["CorrectedUtterance", "correct_itself"]

_MAX_WORDS = 2  # between a cue and a date: sorry, *on the* 5th


class CorrectedUtterance(NamedTuple):
    """An utterance and its cues."""

    utterance: Utterance
    cues: tuple[Cue, ...]


def correct_itself(
    utterance: Utterance, cues: Sequence[Cue], combiners: Combiners, at: datetime
) -> CorrectedUtterance:
    """The utterance with each date that one of the ``cues`` corrects behind it as it is meant. A
    "no" between two dates is such a cue, also without a comma ("at ten no at eleven"), and what
    rejects the first of them ("at ten doesn't work, at eleven")."""
    read = list(cues)
    for place, cue in enumerate(read):
        if not cue.tokens or not cue.tokens[0]:
            continue
        is_negation = cue.kind == "negate" and (
            is_no(cue, utterance) or stands_behind(cue, utterance)
        )
        if not is_negation and not _corrects(cue, utterance):
            continue
        following = [other.tokens[0] for other in read if other.tokens > cue.tokens]
        end = min(following, default=len(utterance.tokens))
        corrected = _correct(utterance, cue, combiners, at, end)
        if corrected is not None:
            utterance = corrected
            read[place] = replace(cue, kind="correct")
    return CorrectedUtterance(utterance, tuple(read))


def _corrects(cue: Cue, utterance: Utterance) -> bool:
    """Whether a cue corrects what stands before it; "better" does behind a comma."""
    if cue.kind == "instead":
        return not cue.value and utterance.tokens[cue.tokens[0] - 1].text in COMMAS
    return cue.kind in ("correct", "decline")


def _correct(
    utterance: Utterance, cue: Cue, combiners: Combiners, at: datetime, end: int
) -> Utterance | None:
    """The utterance with the last date or duration before a cue and what is behind the cue, up to
    the ``end`` of a token, as one."""
    last: dict[str, Entity] = {}  # of each kind, the newest first
    for one in reversed(utterance.entities):
        if one.tokens and one.tokens[-1] < cue.tokens[0] and _is_time(one, combiners):
            last.setdefault(one.element, one)
    found = (_correct_value(utterance, old, cue, combiners, at, end) for old in last.values())
    return next(filter(None, found), None) or _correct_number(utterance, cue)


def _correct_number(utterance: Utterance, cue: Cue) -> Utterance | None:
    """The utterance without a number that another one behind a "no" replaces: "for 3 no 4"."""
    if cue.kind != "negate" or not is_no(cue, utterance):
        return None
    numbers = [one for one in utterance.entities if one.tokens and is_number(one)]
    old = [one for one in numbers if one.tokens[-1] + 1 == cue.tokens[0]]
    new = {one.element for one in numbers if one.tokens[0] == cue.tokens[-1] + 1}
    replaced = [one for one in old if one.element in new]
    return _without(utterance, *replaced) if replaced else None


def _is_time(entity: Entity, combiners: Combiners) -> bool:
    return entity.element in combiners.dates or (
        "seconds" in entity.meta and entity.element in combiners.completing
    )


def _correct_value(
    utterance: Utterance, old: Entity, cue: Cue, combiners: Combiners, at: datetime, end: int
) -> Utterance | None:
    """The utterance with an ``old`` value before a cue and what is behind the cue as one."""
    said = [one for one in utterance.entities if one.tokens]
    before = [one for one in said if one.tokens[-1] < cue.tokens[0]]
    combiner = combiners.by_element[old.element]
    if old.meta.get("assumed") and cue.kind == "negate" and not is_no(cue, utterance):
        return None  # "at 10 is too early, at 11": of the day that is remembered
    behind = [one for one in said if one.tokens[0] > cue.tokens[-1]]
    new: Entity | None = None
    replaced: list[Entity] = [old]
    same = [one for one in behind if one.element == old.element]
    if same and not _follows(utterance, cue, same[0], at):
        # Sorry for the trouble on Monday, no lunch at twelve
        return None if cue.kind == "negate" else _without(utterance, same[0])
    if same:
        new = combiner.combine(old, same[0], at)
        if new is None and (cue.kind != "negate" or is_no(cue, utterance)):
            new = same[0]
        replaced.append(same[0])
    elif not any(one.tokens[0] > old.tokens[-1] for one in before if is_number(one)):
        rest = _strip_marks(utterance.tokens[cue.tokens[-1] + 1 : end])
        if rest:
            text = utterance.text[rest[0].start : rest[-1].end]
            found = combiner.complete(old, text, utterance.language, at)
            if found is not None and found.end >= len(text):
                new = place_entity(replace(old, value=found.value, meta=found.meta), rest, text)
    if new is None:
        return None
    others = _without(utterance, *replaced, new)
    entities = tuple(sorted([*others.entities, new], key=lambda one: one.tokens))
    return replace(others, entities=entities)


def _without(utterance: Utterance, *dates: Entity) -> Utterance:
    """The utterance without some dates, and without the numbers in them."""
    covered = {index for one in dates for index in one.tokens}
    kept = [
        one
        for one in utterance.entities
        if one not in dates and (one.is_from_phrase or covered.isdisjoint(one.tokens))
    ]
    return replace(utterance, entities=tuple(kept), fallback_entities=())


def _follows(utterance: Utterance, cue: Cue, date: Entity, at: datetime) -> bool:
    """Whether a date that is not over is right behind a cue, but for function words."""
    between = [
        token
        for token in utterance.tokens[cue.tokens[-1] + 1 : date.tokens[0]]
        if token.text[0].isalnum()
    ]
    end = date.meta.get("end")
    is_over = end is not None and datetime.fromisoformat(end) <= at
    is_near = len(between) <= _MAX_WORDS and not any(one.is_content_word for one in between)
    return is_near and not is_over


def _strip_marks(tokens: Sequence[Token]) -> Sequence[Token]:
    words = [at for at, token in enumerate(tokens) if token.text[0].isalnum()]
    return tokens[words[0] : words[-1] + 1] if words else ()
