"""The conversation as a handler or a hook sees it while it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anaphora.core.utterance import Entity
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, FlowStep, ForgottenEntity, RememberedEntity

__all__ = ["LiveConversation"]


class LiveConversation:
    """What the conversation held before the question, and what may be forgotten of it.

    Nothing is stored until the question is answered: if the handler fails, nothing was
    forgotten. ``is_reset`` says whether something was forgotten on purpose, or all of it though
    nothing was remembered any more.
    """

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._forgotten: tuple[ForgottenEntity, ...] = ()
        self.is_reset = False

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
        """The intents that answered so far, oldest first."""
        return self._conversation.flow

    def forget(self, where: Callable[[Entity], bool] | None = None) -> None:
        """Forget the entities for which ``where`` is true; without it, all of them."""
        self._conversation, forgotten = rules.forget(
            self._conversation, where or (lambda entity: True)
        )
        self._forgotten += forgotten
        self.is_reset = self.is_reset or where is None or bool(forgotten)

    def forget_flow(self, where: Callable[[FlowStep], bool] | None = None) -> None:
        """Forget the steps of the dialog for which ``where`` is true; without it, all."""
        self._conversation = rules.forget_flow(self._conversation, where)

    def replace_data(self, data: Mapping[str, Any]) -> None:
        """Let ``data`` be what handlers keep in the conversation."""
        self._conversation = rules.replace_data(self._conversation, data)

    def collect_changes(self) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
        """The conversation as it is now, and what was forgotten of it."""
        return self._conversation, self._forgotten
