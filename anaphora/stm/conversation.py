"""The conversation as an immutable value: remembered entities, dialog flow, pending question.

:mod:`anaphora.stm.rules` computes new conversations from old ones, and
:mod:`anaphora.stm.records` serializes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from anaphora.core.html import build_card, build_rows, build_table
from anaphora.core.plurals import pluralize
from anaphora.core.utterance import Entity
from anaphora.frozen import EMPTY

__all__ = [
    "Conversation",
    "ConversationKey",
    "FlowStep",
    "ForgetRule",
    "ForgottenEntity",
    "Offers",
    "PendingQuestion",
    "RecallOffer",
    "RememberedEntity",
    "Speaker",
]


class ConversationKey(NamedTuple):
    """Identifies a conversation: a user, of a tenant, with a model. Users of different tenants
    are different, whatever their ids; ``tenant`` is '' if there is only one."""

    user: str
    model: str
    tenant: str = ""


class ForgetRule(StrEnum):
    """The rule by which an entity left the memory."""

    TIMEOUT = "timeout"
    AGE = "age"
    DEPTH = "depth"
    REJECTIONS = "rejections"
    EVICTED = "evicted"
    TOPIC = "topic"
    RESET = "reset"
    AFRESH = "afresh"


Speaker: TypeAlias = Literal["user", "bot"]


class RememberedEntity(Struct, frozen=True, gc=False):
    """An entity that the conversation remembers.

    ``question_number`` is that of the question that said it (of what was said before a question
    that it completes, one less than that), ``used_match`` that of the matched question that last
    used it; both count from 1 in their conversation. An entity restored from an
    earlier conversation keeps its distance, so its ``question_number`` may be below 1. ``by`` tells
    who said it.
    """

    entity: Entity
    question_number: int
    stored_at: datetime
    used_at: datetime
    used_match: int
    by: Speaker = "user"


class PendingQuestion(Struct, frozen=True, gc=False):
    """What was understood of an incomplete question, kept until it is completed or dropped.

    ``unused`` are the unused parts of its text, if the bot asks about them. If nothing is missing,
    the bot asks whether to go on without them or, if it ``confirms``, whether to carry the intent
    out, or if it may begin ``afresh``, whether to set aside what was filled before. ``asked`` are
    the optional terms that the bot has asked for. It ``corrects`` a question that was answered
    before. ``suspended`` is the question that waited when this one was asked; it waits again once
    this one is answered or dropped, and suspends none itself.
    """

    intent: str
    entities: tuple[Entity, ...]
    missing: tuple[str, ...]
    at: datetime
    unused: tuple[str, ...] = ()
    confirms: bool = False
    asked: tuple[str, ...] = ()
    afresh: bool = False
    corrects: bool = False
    suspended: PendingQuestion | None = None


class Offers(Struct, frozen=True, gc=False):
    """What the bot has proposed and the user has neither accepted nor declined: it lies on the
    table, beside the memory.

    ``bundles`` are the proposals in the order in which the bot named them, each with its entities.
    ``intent`` is the one that offered them, at the time ``at``. ``idle`` counts the questions since
    then that had nothing to do with them, ``declined`` are the bundles that were declined before.
    ``then`` is the intent to go on with once a bundle is accepted ('' if they do not say); until it
    is carried out, ``taken`` is the index of that bundle, so that the user may still take another.
    ``meant`` is the index of the bundle that a question was about, and the number of that question:
    right after it a mere yes accepts that bundle.
    If the bot asks which of several intents is meant, ``intents`` has that of each bundle.
    """

    intent: str
    bundles: tuple[tuple[Entity, ...], ...]
    at: datetime
    idle: int = 0
    declined: tuple[tuple[Entity, ...], ...] = ()
    intents: tuple[str, ...] = ()
    then: str = ""
    taken: int | None = None
    meant: tuple[int, int] | None = None


class RecallOffer(Struct, frozen=True, gc=False):
    """An offer to restore the entities of a past exchange, valid until the next sentence.

    ``question`` is the text that they would complete, asked at ``at`` in ``language``.
    ``entities`` are newest first; ``ages`` tells for each how many questions before the end of its
    conversation it was stored, and ``speakers`` who said it. ``exchange`` and ``said_at`` are the
    number and the time of the exchange. A ``declined`` offer stays until it expires and suppresses
    further offers.
    """

    question: str
    language: str
    at: datetime
    entities: tuple[Entity, ...]
    ages: tuple[int, ...]
    speakers: tuple[Speaker, ...]
    exchange: int
    said_at: datetime
    declined: bool = False


class FlowStep(Struct, frozen=True, gc=False):
    """An intent that answered a question, and the time."""

    intent: str
    at: datetime


class ForgottenEntity(Struct, frozen=True, gc=False):
    """An entity that left the memory, the rule, and the new entity that evicted it, if any."""

    remembered: RememberedEntity
    rule: ForgetRule
    by: Entity | None = None


class Conversation(Struct, frozen=True):
    """The conversation of one user (of one tenant) with one model.

    ``remembered`` is newest first and, within one question, in the order of its terms; ``flow`` is
    oldest first. ``questions`` counts all questions, ``matches`` those that matched,
    ``rejections`` those rejected in a row. ``last`` and ``language`` are the time and the language
    of the last question (None and '' before the first). ``model_fingerprint`` identifies the
    version of the model that the entities belong to ('' if unknown). ``recall_offer`` is what the
    long-term memory could restore, ``offers`` what lies on the table, ``earlier`` what a question
    that began afresh has set aside (newest first). ``clock`` is the logical time of the last
    question (0 before the first), which orders the exchanges that are recorded elsewhere;
    ``forgotten_clock`` is that at which something was last forgotten on purpose: nothing older may
    be restored.
    """

    user: str
    model: str
    remembered: tuple[RememberedEntity, ...] = ()
    flow: tuple[FlowStep, ...] = ()
    pending: PendingQuestion | None = None
    data: Mapping[str, Any] = EMPTY
    last: datetime | None = None
    questions: int = 0
    matches: int = 0
    rejections: int = 0
    language: str = ""
    tenant: str = ""
    model_fingerprint: str = ""
    recall_offer: RecallOffer | None = None
    clock: int = 0
    forgotten_clock: int = 0
    offers: Offers | None = None
    earlier: tuple[RememberedEntity, ...] = ()

    @classmethod
    def empty(cls, key: ConversationKey) -> Conversation:
        """Create the conversation of ``key`` before its first question."""
        return cls(key.user, key.model, tenant=key.tenant)

    @property
    def open_offers(self) -> Offers | None:
        """What lies on the table, unless the user has taken one of it; None if nothing does."""
        offers = self.offers
        return offers if offers and offers.bundles and offers.taken is None else None

    @property
    def is_empty(self) -> bool:
        """Whether it is empty, so that no store needs to keep it."""
        return not self.questions and replace(self, clock=0) == Conversation.empty(self.key)

    @property
    def key(self) -> ConversationKey:
        return ConversationKey(self.user, self.model, self.tenant)

    def __repr__(self) -> str:
        tenant = f", tenant={self.tenant!r}" if self.tenant else ""
        remembered = ", ".join(str(held.entity) for held in self.remembered)
        counted = pluralize(self.questions, "question")
        waiting, asked = self.pending, ""
        while waiting is not None:
            asked += f", waits for {', '.join(waiting.missing) or 'a yes'} of {waiting.intent}"
            waiting = waiting.suspended
        return (
            f"Conversation({self.user!r}, {self.model!r}{tenant}, {counted}, [{remembered}]{asked})"
        )

    def _repr_html_(self) -> str:
        """The conversation as HTML, for notebooks: what is remembered, and what is open."""
        remembered = (
            (
                held.entity.element,
                held.entity.value_or_text,
                ", ".join(sorted(held.entity.groups)),
                held.by,
                f"question {held.question_number}",
            )
            for held in self.remembered
        )
        rows = [("flow", " → ".join(step.intent for step in self.flow))] if self.flow else []
        if self.pending is not None:
            missing = ", ".join(self.pending.missing)
            waits = f"{self.pending.intent}, without {missing}" if missing else self.pending.intent
            rows.append(("pending", waits))
        if self.open_offers is not None:
            rows += (("offers", ", ".join(map(str, one))) for one in self.open_offers.bundles)
        return build_card(
            "conversation",
            f"{self.user} with {self.model}",
            build_table(("remembered", "value", "groups", "by", "since"), remembered),
            build_rows(rows),
            subtitle=pluralize(self.questions, "question"),
        )
