"""Bind reference words: it, there, then, the same (rule 17)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec.structs import replace

from anaphora.core.plurals import pluralize
from anaphora.core.utterance import Entity
from anaphora.entities.cues.cue import Cue
from anaphora.intents.interpretation.rewriting import add_entities, find_new, stand_in
from anaphora.intents.solver import ParsedQuestion
from anaphora.stm.conversation import Conversation
from anaphora.stm.offers import is_same_meaning
from anaphora.stm.rules import find_replacement

__all__ = ["bind_references", "negate_references"]

_OFFERED = -1  # questions ago


def bind_references(
    question: ParsedQuestion,
    cues: Iterable[Cue],
    conversation: Conversation,
    referents: Mapping[str, Collection[str]],
    offered: Sequence[Entity] = (),
    pending: Sequence[Entity] = (),
    several: Collection[str] = (),
) -> ParsedQuestion:
    """Return the question with the entities that its reference words stand for.

    ``referents`` are the elements that a kind of reference may stand for; ``offered`` the entities
    of the one bundle on the table, and of the question that waits, which are newer than anything
    remembered but what another question has said since. A word binds the newest entity that fits
    and that no entity of the sentence replaces, and all of one question of the elements of which it
    may take ``several``; "the same" also brings back what a question that began afresh has set
    aside.
    """
    bound: list[Entity] = []
    referred: list[Entity] = []  # to an offer, so they are not remembered
    notes: list[str] = []
    is_open = False
    for cue in cues:
        if cue.kind != "reference":
            continue
        said = (*find_new(question), *bound)
        if cue.value == "same":
            name = _named_element(question, cue)
            joined = {one.element for one in said}.intersection(several)  # "with olives"
            found = _find_same(conversation, (*said, *pending), name, joined)
        else:
            elements = referents.get(cue.value, ())
            found = _find_newest(conversation, offered, elements, said, several)
        if not found:
            is_open = is_open or not _is_answered(cue, said, referents)
            continue
        words = " ".join(question.utterance.tokens[index].text for index in cue.tokens)
        for entity, ago in found:
            one = stand_in(entity, cue.tokens, question.utterance)
            if ago == _OFFERED:
                referred.append(one)
            bound.append(one)
            when = "offered" if ago == _OFFERED else f"{pluralize(ago, 'question')} ago"
            notes.append(f"{words!r} stands for {entity}, {when}")
    if not (bound or is_open):
        return question
    question = replace(
        question,
        open_reference=True,
        notes=(*question.notes, *notes),
        referred=(*question.referred, *referred),
    )
    return add_entities(question, bound) if bound else question


def negate_references(
    question: ParsedQuestion,
    cues: Sequence[Cue],
    pending: Iterable[Entity],
    referents: Mapping[str, Collection[str]],
) -> ParsedQuestion:
    """Read "not him" and "not there" as the negation of what a question that waits has."""
    for before, cue in pairwise(cues):
        if before.kind != "negate" or cue.kind != "reference" or cue.value in ("thing", "same"):
            continue
        elements = referents.get(cue.value, ())
        if cue.tokens[0] == before.tokens[-1] + 1:
            found = [one for one in pending if one.element in elements]
            named = [stand_in(one, cue.tokens, question.utterance) for one in found]
            question = add_entities(question, [replace(one, negated=True) for one in named])
    return question


def _find_newest(
    conversation: Conversation,
    offered: Sequence[Entity],
    elements: Collection[str],
    said: Sequence[Entity],
    several: Collection[str],
) -> list[tuple[Entity, int]]:
    number = conversation.questions + 1
    # Of one question, what the bot said last is nearest.
    newest = sorted(
        conversation.remembered, key=lambda held: (-held.question_number, held.by == "user")
    )
    remembered = [(held.entity, number - held.question_number) for held in newest]
    since = [one for one in remembered if one[1] == 1 and _is_other_value(one[0], offered)]
    aside = [(held.entity, number - held.question_number) for held in conversation.earlier]
    rest = [one for one in remembered if one not in since]
    known = [*since, *[(one, _OFFERED) for one in offered], *rest, *aside]
    fitting = [
        (entity, ago)
        for entity, ago in known
        if entity.element in elements and find_replacement(entity.groups, said) is None
    ]
    if not fitting:
        return []
    entity, ago = fitting[0]
    if entity.element not in several:
        return [(entity, ago)]
    return [one for one in fitting if one[0].element == entity.element and one[1] == ago]


def _is_other_value(entity: Entity, offered: Sequence[Entity]) -> bool:
    """Whether it is another value of an element that is offered."""
    alike = [one for one in offered if one.element == entity.element]
    return bool(alike) and not _is_said(entity, alike)


def _named_element(question: ParsedQuestion, cue: Cue) -> str:
    """The word behind "the same", which may name an element ("the same date")."""
    tokens, behind = question.utterance.tokens, cue.tokens[-1] + 1
    return tokens[behind].lower if behind < len(tokens) else ""


def _find_same(
    conversation: Conversation, said: Sequence[Entity], name: str, joined: Collection[str]
) -> list[tuple[Entity, int]]:
    """What a question that began afresh set aside, and neither this sentence nor the question that
    waits replaces; only the element of that ``name`` if there is one. What the sentence says of
    the ``joined`` elements is added to it."""
    number = conversation.questions + 1
    named = [held for held in conversation.earlier if held.entity.element == name]
    earlier = named or conversation.earlier
    return [
        (held.entity, number - held.question_number)
        for held in earlier
        if find_replacement(held.entity.groups, said) is None
        or (held.entity.element in joined and not _is_said(held.entity, said))
    ]


def _is_said(entity: Entity, said: Iterable[Entity]) -> bool:
    return any(is_same_meaning(entity, one) for one in said)


def _is_answered(
    cue: Cue, said: Sequence[Entity], referents: Mapping[str, Collection[str]]
) -> bool:
    """Whether the sentence itself says what the word may stand for ("that hotel")."""
    elements = referents.get(cue.value, ())
    return any(entity.element in elements for entity in said)
