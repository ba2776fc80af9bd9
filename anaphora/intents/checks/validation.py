"""Check the entities that an intent takes from the sentence by the validators of the model."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.errors import EvaluationError, HandlerError
from anaphora.grammar.context import EntityContext, QuestionContext
from anaphora.grammar.idl.intent import Term
from anaphora.intents.match import SlotFilling, build_slots
from anaphora.models.domain import LocalizedText, Validator, Validators

__all__ = ["InvalidEntity", "find_invalid"]


class InvalidEntity(Struct, frozen=True, gc=False):
    """An entity that a validator refuses, with the term that took it.

    ``text`` is what a Python function says as it is, or else the templates of the validator. One
    that ``depends`` on other slots is valid without them.
    """

    term: Term
    entity: Entity
    text: str | LocalizedText
    depends: bool = False


def find_invalid(
    validators: Validators, filling: SlotFilling, question: QuestionContext
) -> InvalidEntity | None:
    """The first entity that a validator of its term or of its element refuses, in the order of the
    terms; None if all are valid. What was said earlier is checked as well, since it may depend on
    what is said now.

    Raises :class:`EvaluationError`, with intent and term, if a predicate cannot be evaluated, and
    :class:`HandlerError` if a function fails.
    """
    of_terms = validators.terms.get(filling.intent.id, {})
    question = replace(
        question,
        entities=filling.variant.entities,
        intent_meta=filling.intent.meta,
        slots=build_slots(filling),
    )
    for one in filling.terms:
        for taken in one.taken:
            found = (of_terms.get(one.term.label), validators.elements.get(taken.entity.element))
            for validator in filter(None, found):
                context = EntityContext(taken.entity, question)
                context.arguments = one.term.arguments
                try:
                    result = validator.test(context)
                except EvaluationError as error:
                    raise EvaluationError(
                        f"intent {filling.intent.id}, term {one.term.label}, "
                        f"check {validator.check} for {taken.entity}: {error}"
                    ) from error
                if result is not True:
                    text, depends = result or validator.text, _is_valid_alone(validator, context)
                    return InvalidEntity(one.term, taken.entity, text, depends)
    return None


def _is_valid_alone(validator: Validator, context: EntityContext) -> bool:
    """Whether the other slots make an entity invalid; a check that fails without them needs
    them."""
    alone = EntityContext(context.entity, replace(context.question, slots={}))
    alone.arguments = context.arguments
    try:
        return validator.test(alone) is True
    except (EvaluationError, HandlerError):
        return True
