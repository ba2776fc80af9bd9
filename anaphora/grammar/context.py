"""What a predicate can see while it is evaluated."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from msgspec import Struct

from anaphora.core.request import Request, User
from anaphora.frozen import EMPTY

__all__ = ["EntityContext", "EntityView", "ModelInfo", "QuestionContext"]


class EntityView(Protocol):
    """An entity as the language sees it, whoever found it."""

    @property
    def element(self) -> str: ...
    @property
    def groups(self) -> frozenset[str]: ...
    @property
    def ancestors(self) -> tuple[str, ...]:
        """The ids of its element's parent, the parent's parent and so on."""
        ...

    @property
    def tokens(self) -> tuple[int, ...]:
        """The indexes of its tokens in the utterance, in their order."""
        ...

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def value(self) -> str | None: ...
    @property
    def meta(self) -> Mapping[str, Any]: ...
    @property
    def stem(self) -> str:
        """The stems of its words, joined by blanks."""
        ...

    @property
    def lemma(self) -> str:
        """The lemmas of its words, where the pipeline finds them; else the words in lower case."""
        ...

    @property
    def pos(self) -> str:
        """The parts of speech of its words, where the pipeline finds them; else ''."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """What the synonyms that are made of it call it."""
        ...

    @property
    def parts(self) -> Sequence[EntityView]:
        """The entities that it is composed of."""
        ...

    @property
    def gaps(self) -> int:
        """How many words stand between its own."""
        ...

    @property
    def marks(self) -> frozenset[str]:
        """What is known of how it stands in the text: "abstract", "bracketed", "compound",
        "misspelt", "permuted", "quoted", "stem", "swear"."""
        ...

    @property
    def own(self) -> bool:
        """Whether the model itself declares its element."""
        ...


_NOBODY = User("")
_NOTHING = Request()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ModelInfo(Struct, frozen=True):
    """What predicates may ask of the model itself."""

    id: str = ""
    name: str = ""
    version: str = ""
    origin: str = ""
    meta: Mapping[str, Any] = EMPTY


_NO_MODEL = ModelInfo()


class QuestionContext(Struct, frozen=True):
    """What stays the same for all the entities of one question and one intent.

    ``entities`` is None where there is no sentence around the entity, as in a synonym.
    ``environment`` holds what ``meta_sys`` reads; ``random`` gives numbers from 0 up to 1.
    """

    entities: Sequence[EntityView] | None = ()
    text: str = ""
    at: datetime = _EPOCH
    request: Request = _NOTHING
    user: User = _NOBODY
    model: ModelInfo = _NO_MODEL
    intent_meta: Mapping[str, Any] = EMPTY
    conversation_data: Mapping[str, Any] = EMPTY
    environment: Mapping[str, str] = {}
    random: Callable[[], float] = random.random

    @property
    def normal_text(self) -> str:
        """The text in lower case, with single blanks."""
        return " ".join(self.text.lower().split())

    # Made on every question: dataclasses.replace takes 5 µs, which these spare.

    def with_entities(self, entities: Sequence[EntityView]) -> QuestionContext:
        """The same around the entities of one way to read the sentence."""
        return QuestionContext(
            entities, self.text, self.at, self.request, self.user, self.model,
            self.intent_meta, self.conversation_data, self.environment, self.random,
        )  # fmt: skip

    def with_intent_meta(self, meta: Mapping[str, Any]) -> QuestionContext:
        """The same for an intent with this metadata."""
        return QuestionContext(
            self.entities, self.text, self.at, self.request, self.user, self.model,
            meta, self.conversation_data, self.environment, self.random,
        )  # fmt: skip


class EntityContext:
    """The entity in question and what surrounds it.

    ``used`` becomes true as soon as the predicate reads the entity: a predicate that is true
    without having looked at it makes its term match without consuming the entity.
    ``variables`` keeps what the variables of the predicate have been found to be; ``arguments``
    is the metadata with which the fragment was named that the term comes from.
    """

    __slots__ = ("arguments", "entity", "question", "used", "variables")

    def __init__(self, entity: EntityView | None, question: QuestionContext) -> None:
        self.entity = entity
        self.question = question
        self.used = False
        self.variables: dict[str, Any] = {}
        self.arguments: Mapping[str, Any] = {}
