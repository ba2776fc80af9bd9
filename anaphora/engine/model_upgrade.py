"""A conversation taken up by another state of its model than the one it was left with: after a
reload, or when a new version of a bot finds what the old one has stored."""

from __future__ import annotations

from hashlib import blake2b

from msgspec.structs import replace

from anaphora.models.domain import Model
from anaphora.models.element_values import value_names
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, ForgottenEntity

__all__ = ["ModelUpgrade"]


class ModelUpgrade:
    """Fits conversations to one state of a model. ``mark`` tells it from other states: it is the
    same in every process, and changes with whatever a remembered entity has of its model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.fingerprint = _compute_fingerprint(model)

    def __call__(self, conversation: Conversation) -> Conversation:
        """The conversation as it goes on with the model."""
        if conversation.fits == self.fingerprint:
            return conversation
        return self.migrate(conversation)[0]

    def migrate(
        self, conversation: Conversation
    ) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
        """The same, with what is forgotten because it is no longer in the model."""
        fitted, forgotten = rules.migrate(conversation, self._model.elements)
        pending = fitted.pending
        if pending is not None and self._model.intent(pending.intent) is None:
            fitted = replace(fitted, pending=None)  # nothing could complete it
        return replace(fitted, fits=self.fingerprint), forgotten


def _compute_fingerprint(model: Model) -> str:
    facts = [
        (
            element.id,
            sorted(element.groups),
            element.ancestors,
            element.topic,
            element.abstract,
            element.meta,
            value_names(element.values),
        )
        for element in model.elements
    ]
    intents = sorted(intent.id for intent in model.intents)
    return blake2b(repr((facts, intents)).encode("utf-8", "replace"), digest_size=6).hexdigest()
