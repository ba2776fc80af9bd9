"""A mutable view of a conversation for handlers and hooks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from anaphora.core.utterance import Entity
from anaphora.errors import HandlerError
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, FlowStep, ForgottenEntity, RememberedEntity

__all__ = ["LiveConversation", "to_json_data"]


class LiveConversation:
    """The conversation before the question, of which a callback can forget entities and flow.

    Changes are stored when the question is answered: if the handler fails, nothing is forgotten.
    ``forgets_on_purpose`` is True if a callback forgot an entity, or everything, even if nothing
    was remembered.
    """

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._forgotten: tuple[ForgottenEntity, ...] = ()
        self.forgets_on_purpose = False

    @property
    def user(self) -> str:
        """The id of the user."""
        return self._conversation.user

    @property
    def remembered(self) -> tuple[RememberedEntity, ...]:
        """The remembered entities with their times, newest first."""
        return self._conversation.remembered

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The remembered entities, newest first."""
        return tuple(held.entity for held in self._conversation.remembered)

    @property
    def flow(self) -> tuple[FlowStep, ...]:
        """The intents that have answered so far, oldest first."""
        return self._conversation.flow

    def forget(self, where: Callable[[Entity], bool] | None = None) -> None:
        """Forget the entities for which ``where`` is true; by default all of them."""
        self._conversation, forgotten = rules.forget(
            self._conversation, where or (lambda entity: True)
        )
        self._forgotten += forgotten
        self.forgets_on_purpose = self.forgets_on_purpose or where is None or bool(forgotten)

    def forget_flow(self, where: Callable[[FlowStep], bool] | None = None) -> None:
        """Forget the steps of the dialog flow for which ``where`` is true; by default all."""
        self._conversation = rules.forget_flow(self._conversation, where)

    def replace_data(self, data: Mapping[str, Any]) -> None:
        """Replace the data that handlers keep in the conversation."""
        self._conversation = rules.replace_data(self._conversation, data)

    def collect_changes(self) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
        """Return the changed conversation and the forgotten entities."""
        return self._conversation, self._forgotten


def to_json_data(data: dict[str, Any], role: str) -> dict[str, Any]:
    """Copy the data that a handler left; ``role`` is what messages call the handler. Raises
    :class:`HandlerError` if it is not JSON."""
    if not data:
        return {}
    try:
        kept: dict[str, Any] = json.loads(json.dumps(data, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise HandlerError(f"{role} left something in 'data' that is not JSON: {error}") from error
    return kept
