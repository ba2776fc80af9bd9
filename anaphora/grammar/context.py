"""The context in which a predicate is evaluated: the entity under test and the question."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from anaphora.core.request import Request, User
from anaphora.core.utterance import Entity
from anaphora.frozen import EMPTY

__all__ = ["EntityContext", "ModelInfo", "QuestionContext"]


_NOBODY = User("")
_NOTHING = Request()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ModelInfo(Struct, frozen=True):
    """The attributes of the model that predicates can read."""

    id: str = ""
    name: str = ""
    version: str = ""
    origin: str = ""
    meta: Mapping[str, Any] = EMPTY


_NO_MODEL = ModelInfo()


class QuestionContext(Struct, frozen=True):
    """Everything about a question that predicates can read, apart from the entity under test.

    ``entities`` are those of the sentence. ``slots`` are the filled slots of the intent, for a
    check of what fills one; it may be a ``correction`` of one that was answered before.
    ``environment`` holds the variables for ``meta_sys``; ``random``
    returns numbers in [0, 1).
    """

    entities: Sequence[Entity] = ()
    text: str = ""
    language: str = ""
    at: datetime = _EPOCH
    request: Request = _NOTHING
    user: User = _NOBODY
    model: ModelInfo = _NO_MODEL
    intent_meta: Mapping[str, Any] = EMPTY
    slots: Mapping[str, Any] = EMPTY
    correction: bool = False
    conversation_data: Mapping[str, Any] = EMPTY
    environment: Mapping[str, str] = {}
    random: Callable[[], float] = random.random

    @property
    def normal_text(self) -> str:
        """The text in lower case, with single blanks."""
        return " ".join(self.text.lower().split())

    def with_entities(self, entities: Sequence[Entity]) -> QuestionContext:
        """A copy with the entities of one variant of the sentence."""
        return replace(self, entities=entities)

    def with_intent_meta(self, meta: Mapping[str, Any]) -> QuestionContext:
        """A copy for an intent with this metadata."""
        return replace(self, intent_meta=meta)


class EntityContext:
    """The entity under test and its question.

    ``used`` is set when the predicate reads the entity: a predicate that is true without
    reading it fills its term without consuming the entity. ``variables`` caches the values of
    the predicate's variables; ``arguments`` are the arguments of the fragment reference that the
    term comes from.
    """

    __slots__ = ("arguments", "entity", "question", "used", "variables")

    def __init__(self, entity: Entity | None, question: QuestionContext) -> None:
        self.entity = entity
        self.question = question
        self.used = False
        self.variables: dict[str, Any] = {}
        self.arguments: Mapping[str, Any] = {}
