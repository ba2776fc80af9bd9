"""Bare values in the roles that a model has for them: "Hull" after "Where to?", "not York" after
"from York to Leeds"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.grammar.context import EntityContext, QuestionContext
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.intents.decision.matching import IndexedModel
from anaphora.intents.interpretation.dialog_turn import DialogTurn
from anaphora.intents.interpretation.repetition import find_asked_term
from anaphora.models.composition import iter_phrases
from anaphora.models.domain import Element
from anaphora.stm.offers import is_same_meaning

__all__ = ["Roles"]


class Roles:
    """Finds the role that a bare value has in a dialog.

    The roles of a model are its elements that consist of one part and other words, such as
    ``to ^^[city]{# == 'town'}^^``.
    """

    def __init__(self, indexed: IndexedModel) -> None:
        self._indexed = indexed
        found = [(one, _find_sole_parts(one)) for one in indexed.model.elements]
        self._roles = {element.id: (element, parts) for element, parts in found if parts}

    def assign(self, turn: DialogTurn) -> DialogTurn:
        """Let the bare values of a sentence have the role that the bot asks for, that of the value
        they replace, or that of the same value if they are negated."""
        if not self._roles:
            return turn
        held = [
            *turn.waiting,
            *[one.entity for one in turn.conversation.remembered],
        ]
        held = [one for one in held if one.element in self._roles]
        asked = self._find_asked(turn)
        if not held and asked is None:
            return turn
        changed: dict[int, Entity] = {}
        context = turn.question.question_context
        bare = [one for one in (*turn.negated, *turn.said) if one.element not in self._roles]
        said = {one.element for one in turn.said}
        for one in bare:
            ids = self._iter_candidates(one, turn, held, asked, changed.values())
            free = (id for id in ids if one.negated or id not in said)
            made = next(filter(None, (self._make(id, one, context) for id in free)), None)
            if made is not None:
                changed[id(one)] = made
                if not one.negated:
                    said.add(made.element)
        return turn.change(lambda own: [changed.get(id(one), one) for one in own])

    def _find_asked(self, turn: DialogTurn) -> str | None:
        """The role that the bot asks for; None if it asks for something else."""
        term = find_asked_term(self._indexed, turn)
        elements = term.predicate.elements if term is not None else None
        return next((id for id in elements or () if id in self._roles), None)

    def _iter_candidates(
        self,
        entity: Entity,
        turn: DialogTurn,
        held: Sequence[Entity],
        asked: str | None,
        assigned: Iterable[Entity],
    ) -> Iterator[str]:
        """The roles that a bare value may have, the likeliest first."""
        if entity.negated:
            for one in held:
                if any(is_same_meaning(part, entity) for part in one.parts):
                    yield one.element
            return
        replaced = [one.element for one in assigned if one.negated]
        yield from replaced
        if asked is not None:
            yield asked
        elif turn.has("correct", "decline", "instead") or any(
            one.element in self._roles for one in turn.said
        ):
            yield from [one.element for one in reversed(held) if one.element not in replaced]

    def _make(self, id: str, entity: Entity, context: QuestionContext) -> Entity | None:
        """The entity of a role with a value; None if it does not take that."""
        element, parts = self._roles[id]
        bare = replace(entity, negated=False)
        for part in parts:
            if part.predicate.test(EntityContext(bare, context)):
                named = replace(bare, aliases=(part.alias,)) if part.alias else bare
                return replace(
                    entity,
                    element=element.id,
                    groups=element.groups,
                    ancestors=element.ancestors,
                    meta=element.meta,
                    topic=element.topic,
                    value=None,
                    is_from_phrase=True,
                    parts=(named,),
                )
        return None


def _find_sole_parts(element: Element) -> tuple[EntityPart, ...]:
    """The parts of an element that has one in each of its phrases, and no values; () for others."""
    phrases = list(iter_phrases(element))
    parts = [[one for one in phrase if isinstance(one, EntityPart)] for phrase in phrases]
    if element.values or not parts or any(len(one) != 1 for one in parts):
        return ()
    return tuple(dict.fromkeys([one for (one,) in parts]))
