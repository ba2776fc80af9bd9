"""What the API answers, described for OpenAPI and nothing else: answers are written as JSON
straight from the engine's values (:mod:`anaphora.server.schemas.serializers`), and tests hold them
against these descriptions."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

__all__ = [
    "ActiveModelAnswer",
    "CheckAnswer",
    "ConversationAnswer",
    "DialogAnswer",
    "ErasedAnswer",
    "Explanation",
    "Health",
    "HistoryAnswer",
    "KeyAnswer",
    "ModelAnswer",
    "ModelsAnswer",
    "ProblemDetails",
    "Readiness",
    "RecallAnswer",
    "Reply",
]

Status = Literal["matched", "incomplete", "rejected", "reset"]
Source = Literal["sentence", "memory"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Mistake(_Answer):
    """One mistake, and where it stands."""

    where: str = Field(examples=["texts.0"])
    message: str = Field(examples=["Input should be a valid string"])


class ProblemDetails(_Answer):
    """An error, as RFC 9457 describes it."""

    type: str = Field(
        description="The kind of the problem, by which programs tell it.",
        examples=["urn:anaphora:problem:invalid-request"],
    )
    title: str = Field(description="The kind in words.", examples=["Invalid request"])
    status: int = Field(description="The HTTP status.", examples=[422])
    detail: str = Field(
        description="What is wrong here, and what to do.",
        examples=["text: Input should be a valid string"],
    )
    errors: list[Mistake] = Field(default=[], description="Every single mistake, if there are any.")


class Slot(_Answer):
    """What fills a slot: texts, or lists of them where a slot may take several."""

    value: str | list[str] = Field(description="The element's value, else the text.")
    text: str | list[str] = Field(description="The words of the user.")
    element: str | list[str]
    source: Source | list[Source] = Field(description="Where it came from.")
    meta: dict[str, Any] | list[dict[str, Any]] = Field(
        default={}, description="What else is known of it, such as the days of a date."
    )


class RememberedElement(_Answer):
    """An entity that the conversation remembers after the question."""

    element: str
    value: str
    groups: list[str]


class Entity(_Answer):
    """An entity, and where it stands in the text."""

    element: str
    value: str | None
    text: str
    groups: list[str]
    start: int
    end: int
    misspelt: bool


class OfferedEntity(Entity):
    """A remembered entity that intents could take."""

    ago: int = Field(description="How many questions ago it was stored.")


class HiddenEntity(Entity):
    """A remembered entity that was held back."""

    by: list[str] = Field(description="The groups of the entity of the sentence in its stead.")


class TakenEntity(Entity):
    """An entity that a term took."""

    term: str
    source: Source


class RankedMatch(_Answer):
    """An intent that matched."""

    intent: str
    taken: list[TakenEntity]
    why: str = Field(description="Why it stands before the next one.")
    skipped: bool = Field(description="Whether its handler left the question to the next one.")


class Miss(_Answer):
    """An intent that did not match."""

    intent: str
    reason: str


class ForgottenEntity(Entity):
    """An entity that left the memory."""

    rule: Literal["timeout", "age", "depth", "rejections", "evicted", "topic", "reset"]
    by: str | None = Field(description="What pushed it out.")


class Explanation(_Answer):
    """How a reply came about."""

    text: str
    language: str
    status: Status
    reason: str
    entities: list[Entity] = Field(description="All that could stand in the sentence.")
    reading: list[Entity] = Field(description="Those of the reading that was answered.")
    unused: list[Entity] = Field(description="Those of it that the answer took nothing from.")
    unknown: list[str] = Field(description="The words that nothing in the model covers.")
    offered: list[OfferedEntity] = Field(description="What the memory held ready.")
    hidden: list[HiddenEntity] = Field(description="What the memory held back.")
    matches: list[RankedMatch] = Field(description="The intents that matched, best first.")
    misses: list[Miss] = Field(description="Those that did not, nearest first.")
    untouched: int = Field(description="How many more intents there are.")
    forgotten: list[ForgottenEntity] = Field(description="What left the memory.")
    notes: list[str] = Field(description="What else happened.")


class Reply(_Answer):
    """The answer to one question."""

    status: Status
    intent: str | None = Field(description="The intent that answered, or is to be completed.")
    slots: dict[str, Slot]
    missing: list[str] = Field(description="The terms that an incomplete question lacks.")
    prompt: str | None = Field(description="What asks for the first of them.")
    text: str = Field(description="What the bot says.")
    reason: str = Field(
        description="Why the question was rejected, or what it says that nothing uses."
    )
    memory: list[RememberedElement] = Field(description="What is remembered now, newest first.")
    unused: list[UnusedPart] = Field(description="What of the sentence the answer did not use.")
    model: str = Field(description="The model that was asked.")
    user: str
    result: Any = Field(default=None, description="What the handler returned, if it is JSON.")
    explanation: Explanation | None = Field(default=None, description="If it was asked for.")


class UnusedEntity(_Answer):
    """An entity that an answer did not use."""

    element: str
    value: str = Field(description="The element's value, else the text.")
    text: str


class UnusedPart(_Answer):
    """A stretch of the sentence that the answer did not use."""

    text: str
    start: int
    end: int
    entities: list[UnusedEntity]
    words: list[str] = Field(description="Those that nothing in the model covers.")


class DialogAnswer(_Answer):
    """The answers to several questions."""

    replies: list[Reply] = Field(description="One for each question that was answered.")
    problem: ProblemDetails | None = Field(
        description="What kept the next question from being answered; the rest was not asked."
    )


class ConversationEntity(_Answer):
    """An entity that a conversation remembers, or that waits in an incomplete question."""

    element: str
    value: str = Field(description="The element's value, else the text.")
    text: str
    groups: list[str]
    meta: dict[str, Any]


class Remembered(ConversationEntity):
    """An entity that a conversation remembers."""

    stored_at: AwareDatetime
    used_at: AwareDatetime
    expires_at: AwareDatetime = Field(description="When it is forgotten if nothing uses it.")
    questions_ago: int = Field(description="0 if the last question stored it.")
    matches_left: int = Field(
        description="After how many matched questions that don't use it it is forgotten."
    )


class FlowStep(_Answer):
    """An intent that answered."""

    intent: str
    at: AwareDatetime


class Pending(_Answer):
    """An incomplete question that waits for what it lacks."""

    intent: str
    missing: list[str]
    entities: list[ConversationEntity]
    at: AwareDatetime


class Offer(_Answer):
    """What the long-term memory would bring back: a yes lets the question be answered with it."""

    question: str
    entities: list[ConversationEntity]
    said_at: AwareDatetime = Field(description="When they were remembered.")
    at: AwareDatetime


class ConversationAnswer(_Answer):
    """What a conversation holds now."""

    user: str
    model: str
    language: str = Field(description="Of the last question, '' before the first.")
    questions: int
    matches: int
    rejections: int = Field(description="How many questions in a row were rejected.")
    now: AwareDatetime = Field(description="The time of the server.")
    last: AwareDatetime | None = Field(description="The time of the last question.")
    expires: AwareDatetime | None = Field(description="When everything is forgotten.")
    timeout: float = Field(description="The longest pause, in seconds.")
    depth: int
    remembered: list[Remembered] = Field(description="Newest first.")
    flow: list[FlowStep] = Field(description="Oldest first.")
    pending: Pending | None
    offer: Offer | None


class ActiveModelAnswer(_Answer):
    """The model that is asked when a question of the user names none."""

    user: str
    model: str


class ModelSummary(_Answer):
    """A model in short."""

    id: str
    name: str
    version: str
    description: str
    languages: list[str]
    default: bool = Field(description="Whether it is asked by default.")
    elements: int = Field(description="How many there are.")
    intents: int = Field(description="How many there are.")


class ModelsAnswer(_Answer):
    """The models of this service."""

    models: list[ModelSummary]


class ElementAnswer(_Answer):
    """Something that an utterance can mention."""

    id: str
    groups: list[str]
    topic: bool
    values: list[str]
    description: str


class TermAnswer(_Answer):
    """A term of an intent."""

    name: str
    required: bool
    conversational: bool = Field(description="Whether it may take entities from memory.")


class IntentAnswer(_Answer):
    """An intent."""

    id: str
    terms: list[TermAnswer]


class ModelAnswer(_Answer):
    """A model."""

    id: str
    name: str
    version: str
    description: str
    languages: list[str]
    default: bool
    timeout: float = Field(description="The longest pause of a conversation, in seconds.")
    depth: int
    elements: list[ElementAnswer]
    intents: list[IntentAnswer]
    samples: list[list[str]] = Field(description="The questions of its sample dialogs.")
    warnings: list[str] = Field(description="What in its file looks like a mistake.")


class CheckedTurn(_Answer):
    """One step of a sample dialog."""

    said: str
    status: Status | None = Field(description="None for a pause or a reset.")
    text: str
    failures: list[str] = Field(description="What came otherwise than expected.")


class CheckedDialog(_Answer):
    """A sample dialog that was run."""

    name: str
    line: int
    passed: bool
    turns: list[CheckedTurn]


class CheckAnswer(_Answer):
    """Whether the samples of a model come out as they say."""

    passed: bool
    dialogs: list[CheckedDialog]


class ExchangeAnswer(_Answer):
    """A question and its answer."""

    number: int = Field(description="Its place in the conversation, from 1.")
    question: str
    answer: str
    at: AwareDatetime
    status: Status
    intent: str | None
    slots: dict[str, list[str]]
    language: str
    truncated: dict[str, int] = Field(
        description="What was too long to be kept in full, and how long it was."
    )


class SummaryAnswer(_Answer):
    """What stands for exchanges that were said a while ago."""

    id: int
    text: str
    first: int = Field(description="The number of the first exchange it stands for.")
    last: int = Field(description="The number of the last one.")
    since: AwareDatetime
    until: AwareDatetime
    level: int = Field(description="1 if it was made of exchanges, else of summaries.")
    of: list[int] = Field(description="The ids of the summaries that it was made of.")
    by: str = Field(description="What made it.")


class HistoryAnswer(_Answer):
    """The working history of a conversation, oldest first."""

    user: str
    model: str
    size: int = Field(description="How long it is, in the unit of the memory.")
    unit: str = Field(examples=["words"])
    summaries: list[SummaryAnswer]
    exchanges: list[ExchangeAnswer]


class PassageAnswer(_Answer):
    """An exchange that was found, and its neighbours."""

    model: str
    score: float = Field(description="The greater the better; 0 where nothing was searched for.")
    exchange: ExchangeAnswer
    before: list[ExchangeAnswer]
    after: list[ExchangeAnswer]


class RecallAnswer(_Answer):
    """What was found, best first."""

    user: str
    passages: list[PassageAnswer]
    page: int
    more: bool = Field(description="Whether another page follows.")


class ErasedAnswer(_Answer):
    """What was erased of a user."""

    user: str
    exchanges: int = Field(description="How many exchanges the long-term memory had.")


class KeyAnswer(_Answer):
    """What the key in use may do."""

    id: str | None = Field(description="None where the service has no keys.")
    tenant: str
    scopes: list[Literal["ask", "read", "write", "admin"]]
    user: str | None = Field(description="The only user that it speaks for.")
    expires: AwareDatetime | None


class Health(_Answer):
    """The process is there."""

    status: Literal["ok"]
    version: str
    quarantined: int = Field(
        description="Items that the long-term memory could not process and has put aside."
    )
    quarantined_conversations: int = Field(
        description="Damaged conversations that the store has put aside."
    )


class Readiness(_Answer):
    """Whether questions can be answered now."""

    status: Literal["ok", "failed"]
    checks: dict[str, Literal["ok", "failed"]]
