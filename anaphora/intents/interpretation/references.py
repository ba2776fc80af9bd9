"""Bind reference words: it, there, then, the same (rule 17)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from msgspec.structs import replace

from anaphora.core.plurals import pluralize
from anaphora.core.utterance import Entity
from anaphora.entities.cues.cue import Cue
from anaphora.intents.interpretation.dialog_turn import DialogTurn, stand_in
from anaphora.models.domain import Element
from anaphora.stm.conversation import Conversation
from anaphora.stm.offers import is_same_meaning
from anaphora.stm.rules import find_replacement

__all__ = ["References"]

_OFFERED = -1  # questions ago


class References:
    """Binds reference words to the elements that may be referred to."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self._several = frozenset(one.id for one in elements if one.several)
        self._elements: defaultdict[str, set[str]] = defaultdict(set)  # by kind of reference
        for element in elements:
            for kind in element.refers:
                self._elements[kind].add(element.id)

    def bind(self, turn: DialogTurn, offered: Sequence[Entity] = ()) -> DialogTurn:
        """Let the question say the entities that its reference words stand for.

        ``offered`` are the entities of the one bundle on the table, and of the question that waits,
        which are newer than anything remembered but what another question has said since. A word
        binds the newest entity that fits and that no entity of the sentence replaces, and all of
        one question of an element of which there may be several; "the same" also brings back what
        a question that began afresh has set aside.
        """
        bound: list[Entity] = []
        referred: list[Entity] = []  # to an offer, so they are not remembered
        notes: list[str] = []
        is_open = False
        for cue in turn.cues:
            if cue.kind != "reference":
                continue
            said = (*turn.said, *bound)
            found = self._find(turn, cue, said, offered)
            if not found:
                is_open = is_open or not self._is_answered(cue, said)
                continue
            for entity, ago in found:
                one = stand_in(entity, cue.tokens, turn.question.utterance)
                if ago == _OFFERED:
                    referred.append(one)
                bound.append(one)
                if entity in turn.waiting:
                    when = "from the question that waits"
                else:
                    when = "offered" if ago == _OFFERED else f"{pluralize(ago, 'question')} ago"
                notes.append(f"{turn.words_of(cue)!r} stands for {entity}, {when}")
        if not (bound or is_open):
            return turn
        question = replace(
            turn.question,
            open_reference=True,
            notes=(*turn.question.notes, *notes),
            referred=(*turn.question.referred, *referred),
        )
        return replace(turn, question=question).add(bound)

    def negate(self, turn: DialogTurn) -> DialogTurn:
        """Read "not him" and "not there" as the negation of what the question that waits has."""
        for before, cue in pairwise(turn.cues):
            is_negated = before.kind == "negate" and cue.tokens[0] == before.tokens[-1] + 1
            if cue.kind != "reference" or cue.value in ("thing", "same") or not is_negated:
                continue
            elements = self._elements.get(cue.value, ())
            found = [one for one in turn.waiting if one.element in elements]
            named = [stand_in(one, cue.tokens, turn.question.utterance) for one in found]
            turn = turn.add([replace(one, negated=True) for one in named])
        return turn

    def _find(
        self, turn: DialogTurn, cue: Cue, said: Sequence[Entity], offered: Sequence[Entity]
    ) -> list[tuple[Entity, int]]:
        """What a word stands for, each with the number of questions since then."""
        if cue.value != "same":
            return self._find_newest(turn.conversation, cue, said, offered)
        joined = {one.element for one in said}.intersection(self._several)  # "with olives"
        name = _word_behind(turn, cue)
        return _find_same(turn.conversation, (*said, *turn.waiting), name, joined)

    def _find_newest(
        self,
        conversation: Conversation,
        cue: Cue,
        said: Sequence[Entity],
        offered: Sequence[Entity],
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
        elements = self._elements.get(cue.value, ())
        fitting = [
            (entity, ago)
            for entity, ago in known
            if entity.element in elements and find_replacement(entity.groups, said) is None
        ]
        if not fitting:
            return []
        first, ago = fitting[0]
        if first.element not in self._several:
            return [(first, ago)]
        return [one for one in fitting if one[0].element == first.element and one[1] == ago]

    def _is_answered(self, cue: Cue, said: Sequence[Entity]) -> bool:
        """Whether the sentence itself says what the word may stand for ("that hotel")."""
        elements = self._elements.get(cue.value, ())
        return any(entity.element in elements for entity in said)


def _is_other_value(entity: Entity, offered: Sequence[Entity]) -> bool:
    """Whether it is another value of an element that is offered."""
    alike = [one for one in offered if one.element == entity.element]
    return bool(alike) and not _is_said(entity, alike)


def _word_behind(turn: DialogTurn, cue: Cue) -> str:
    """The word behind "the same", which may name an element ("the same date")."""
    tokens, behind = turn.question.utterance.tokens, cue.tokens[-1] + 1
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
