"""The context in which a predicate is evaluated: the entity under test and the question."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from anaphora.core.request import Request, User
from anaphora.frozen import EMPTY

__all__ = ["EntityContext", "EntityView", "ModelInfo", "QuestionContext"]


class EntityView(Protocol):
    """An entity as the intent language sees it, independent of its recognizer."""

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
        """The ascending indexes of its tokens in the utterance."""
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
        """The stems of its words, separated by blanks."""
        ...

    @property
    def lemma(self) -> str:
        """The lemmas of its words if the pipeline has a lemmatizer; else the lower-case words."""
        ...

    @property
    def pos(self) -> str:
        """The parts of speech of its words if the pipeline has a tagger; else ''."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Its names in the synonyms that contain it as a part."""
        ...

    @property
    def parts(self) -> Sequence[EntityView]:
        """The entities that it is composed of."""
        ...

    @property
    def gaps(self) -> int:
        """The number of other words between its own."""
        ...

    @property
    def marks(self) -> frozenset[str]:
        """Flags of the mention: "abstract", "bracketed", "compound", "misspelt", "permuted",
        "quoted", "stem", "swear"."""
        ...

    @property
    def own(self) -> bool:
        """Whether the model itself declares its element: it is not a built-in one."""
        ...


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

    ``entities`` are those of the sentence; None while synonyms are matched, before a variant is
    chosen. ``environment`` holds the variables for ``meta_sys``; ``random`` returns numbers in
    [0, 1).
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

    def with_entities(self, entities: Sequence[EntityView]) -> QuestionContext:
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

    def __init__(self, entity: EntityView | None, question: QuestionContext) -> None:
        self.entity = entity
        self.question = question
        self.used = False
        self.variables: dict[str, Any] = {}
        self.arguments: Mapping[str, Any] = {}
