"""Models, and the results of their samples."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from anaphora.api.values import Resource, Status, Value, doc

__all__ = [
    "CheckReport",
    "CheckedDialog",
    "CheckedTurn",
    "ElementInfo",
    "IntentInfo",
    "ModelInfo",
    "ModelList",
    "ModelSummary",
    "TermInfo",
]


@dataclass(frozen=True, slots=True)
class ModelHeader(Resource):
    """The fields that :class:`ModelSummary` and :class:`ModelInfo` share."""

    id: str
    name: str = ""
    version: str = ""
    description: str = ""
    languages: tuple[str, ...] = ()
    default: bool = field(default=False, metadata=doc("Whether it is the default model."))


@dataclass(frozen=True, slots=True)
class ModelSummary(ModelHeader):
    """A model in short."""

    elements: int = field(default=0, metadata=doc("The number of elements."))
    intents: int = field(default=0, metadata=doc("The number of intents."))


@dataclass(frozen=True, slots=True)
class ModelList(Resource):
    """The models of this service, the default one first."""

    models: tuple[ModelSummary, ...]


@dataclass(frozen=True, slots=True)
class ElementInfo(Value):
    """An element of a model."""

    id: str
    groups: tuple[str, ...] = ()
    topic: bool = False
    values: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class TermInfo(Value):
    """A term of an intent."""

    name: str
    required: bool = True
    conversational: bool = field(
        default=False, metadata=doc("Whether it may take entities from memory.")
    )


@dataclass(frozen=True, slots=True)
class IntentInfo(Value):
    """An intent of a model."""

    id: str
    terms: tuple[TermInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelInfo(ModelHeader):
    """A model."""

    timeout: timedelta = field(
        default=timedelta(minutes=5),
        metadata=doc("The longest pause of a conversation, in seconds."),
    )
    depth: int = 3
    elements: tuple[ElementInfo, ...] = ()
    intents: tuple[IntentInfo, ...] = ()
    samples: tuple[tuple[str, ...], ...] = field(
        default=(), metadata=doc("The questions of its sample dialogs.")
    )
    warnings: tuple[str, ...] = field(
        default=(), metadata=doc("What in its file looks like a mistake.")
    )


@dataclass(frozen=True, slots=True)
class CheckedTurn(Value):
    """One step of a sample dialog."""

    said: str
    status: Status | None = field(default=None, metadata=doc("None for a pause or a reset."))
    text: str = ""
    failures: tuple[str, ...] = field(
        default=(), metadata=doc("Where the result differs from the expected one.")
    )


@dataclass(frozen=True, slots=True)
class CheckedDialog(Value):
    """A sample dialog that was run."""

    name: str
    line: int = 0
    passed: bool = False
    turns: tuple[CheckedTurn, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckReport(Resource):
    """Whether the samples of a model pass."""

    passed: bool
    dialogs: tuple[CheckedDialog, ...] = ()
