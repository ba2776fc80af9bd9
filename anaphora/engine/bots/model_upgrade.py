"""Migrate a stored conversation to the current version of its model, after a reload or an
upgrade."""

from __future__ import annotations

from hashlib import blake2b

from msgspec.structs import replace

from anaphora.models.domain import Model
from anaphora.models.element_values import value_names
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, ForgottenEntity, PendingQuestion

__all__ = ["ModelUpgrade"]


class ModelUpgrade:
    """Migrates conversations to one version of a model. ``fingerprint`` identifies the version: it
    is equal in all processes, and depends on everything that conversations store of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.fingerprint = _compute_fingerprint(model)

    def __call__(self, conversation: Conversation) -> Conversation:
        """Return the conversation, migrated if it belongs to another version."""
        if conversation.model_fingerprint == self.fingerprint:
            return conversation
        return self.migrate(conversation)[0]

    def migrate(
        self, conversation: Conversation
    ) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
        """Migrate the conversation. Returns it with the entities that are forgotten because the
        model no longer has them."""
        migrated, forgotten = rules.migrate(conversation, self._model.elements)
        pending = self._drop_unknown(migrated.pending)
        migrated = replace(migrated, pending=pending, model_fingerprint=self.fingerprint)
        return migrated, forgotten

    def _drop_unknown(self, pending: PendingQuestion | None) -> PendingQuestion | None:
        """Drop a pending question whose intent the model no longer has: nothing could complete
        it."""
        if pending is None:
            return None
        suspended = self._drop_unknown(pending.suspended)
        known = self._model.intent(pending.intent) is not None
        return replace(pending, suspended=suspended) if known else suspended


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
            element.recognition is not None,
        )
        for element in model.elements
    ]
    intents = sorted(intent.id for intent in model.intents)
    return blake2b(repr((facts, intents)).encode("utf-8", "replace"), digest_size=6).hexdigest()
