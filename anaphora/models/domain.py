"""The model as the engine uses it: validated, frozen values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from anaphora.core.plurals import pluralize
from anaphora.errors import Problem
from anaphora.frozen import freeze
from anaphora.grammar.context import EntityContext, ModelInfo
from anaphora.grammar.idl.intent import Intent
from anaphora.models.element_values import ANY_LANGUAGE, ElementValue, Phrase, Phrases, pack_values
from anaphora.models.hassil.summary import HomeSentences

__all__ = [
    "ANY_LANGUAGE",
    "DEFAULT_MAX_GAP",
    "AskStep",
    "BotStep",
    "BridgeMode",
    "BridgeSettings",
    "ConversationSettings",
    "CueSection",
    "Dialog",
    "DialogActSettings",
    "Element",
    "ElementValue",
    "Fallback",
    "FallbackKind",
    "FreshStart",
    "LocalizedText",
    "MentionTemplates",
    "Model",
    "OfferTemplate",
    "PauseStep",
    "Phrase",
    "Phrases",
    "RecognizerSpec",
    "Referent",
    "RejectionKind",
    "ResetScope",
    "ResetStep",
    "SocialKind",
    "Status",
    "Step",
    "StopWords",
    "UtteranceLimits",
    "Validator",
    "Validators",
    "choose_translation",
]

DEFAULT_MAX_GAP = 6
"""The maximum number of other words between two words of a sparse phrase."""

LocalizedText: TypeAlias = Mapping[str, str]
"""A text by language; the key :data:`ANY_LANGUAGE` applies to all languages."""

_Item = TypeVar("_Item")

Status = Literal["matched", "incomplete", "rejected", "reset"]
ResetScope = Literal["all", "flow", "entities"]
BridgeMode = Literal["off", "offered", "automatic"]
Referent = Literal["thing", "place", "time", "person"]
FreshStart = Literal["", "always", "ask"]
CueSection = Literal[
    "accept", "take", "decline", "other", "indifferent", "correct", "negate", "remove",
    "instead", "instead_of", "add", "maybe", "only", "thing", "place", "time", "person", "same",
    "cancel", "thanks", "greeting", "farewell", "wellbeing", "filler",
]  # fmt: skip
"""What the words of a section of a table of cues do in a dialog."""

MentionTemplates: TypeAlias = Mapping[str, str] | tuple[str, ...]
"""The entities that an answer mentions: a template by element, or the names of slots."""

SocialKind = Literal["thanks", "greeting", "farewell", "wellbeing"]
RejectionKind = Literal[
    "unknown", "incomplete", "too_long", "refused", "empty", "nothing_asked", SocialKind
]  # fmt: skip
"""Why a question is rejected: nothing in it is known, an intent is near but lacks something, it is
too long, a limit or a handler refuses it, there is nothing in it, it is a yes or a no though
nothing was asked; or it is small talk."""
FallbackKind = Literal[RejectionKind, "reset"]
"""Why a bot says a text of its fallback: a rejection, or a reset phrase."""


@dataclass(frozen=True, slots=True)
class RecognizerSpec:
    """The recognizer of an element, in addition to its phrases or instead of them.

    ``name`` is the name of a built-in entity (``date``), a spaCy label (``PERSON``), the name of
    a component registered with spaCy, or the name of a ``function``. ``options`` are for a
    built-in entity, a component or a function; an entity of spaCy may be ``optional``: without a
    pipeline that finds it, nothing is found.
    """

    kind: Literal["built-in", "spacy", "component", "function"]
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    function: Callable[..., Any] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", freeze(self.options))


@dataclass(frozen=True, slots=True)
class Element:
    """An element: something that an utterance can mention.

    ``phrases`` are its expanded synonyms (with its id, unless that is switched off). ``groups``
    is never empty. ``ancestors`` are the ids of its parent, the parent's parent and so on.
    ``sparse`` allows other words between those of a phrase, at most ``max_gap`` between two of
    them. ``permute`` allows adjacent words to change places. A ``greedy`` element matches only
    its longest phrase. An ``abstract`` element is only a part of others and hidden from intents.
    ``typos`` is the maximum edit distance per word. With ``compounds`` a word also matches as
    the head of a compound. Many ``values`` are stored packed.

    ``refers``: which words can refer to it: those for a thing (it, this one), a place (there), a
    time (then) or a person (her). ``several``: a question may mention several of them, to which
    later ones add. ``fresh``: whether each mention of a topic begins a new question: "always", or
    only after asking the user; "" for never. ``counts`` is the id of the element whose numbers
    count it ("two pizzas"); "" for none. ``combine`` is a function of an old and a new entity that
    are parts of one value.
    """

    id: str
    groups: frozenset[str]
    phrases: Phrases = field(default_factory=dict)
    values: Sequence[ElementValue] = ()
    ancestors: tuple[str, ...] = ()
    topic: bool = False
    description: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    sparse: bool = False
    permute: bool = False
    greedy: bool = True
    abstract: bool = False
    typos: int = 0
    max_gap: int = DEFAULT_MAX_GAP
    compounds: bool = False
    recognition: RecognizerSpec | None = None
    refers: frozenset[Referent] = frozenset()
    several: bool = False
    fresh: FreshStart = ""
    counts: str = ""
    combine: Callable[..., Any] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", pack_values(self.values))
        object.__setattr__(self, "meta", freeze(self.meta))


@dataclass(frozen=True, slots=True)
class StopWords:
    """Changes to the stop words of the language.

    With ``skipped``, stop words may stand between the words of any phrase, and with ``commas``,
    commas as well.
    """

    additional: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    skipped: bool = False
    commas: bool = False


@dataclass(frozen=True, slots=True)
class UtteranceLimits:
    """The limits for utterances, which are rejected beyond them; None means no limit.

    Words are tokens other than punctuation; free words are neither stop words nor covered by an
    entity.
    """

    min_words: int | None = None
    max_words: int | None = None
    min_entities: int | None = None
    max_entities: int | None = None
    min_content_words: int | None = None
    max_free_words: int | None = None
    max_suspicious_words: int | None = None
    suspicious_words: frozenset[str] = frozenset()
    swear_words: frozenset[str] = frozenset()
    swear_words_allowed: bool = True
    latin_only: bool = False


@dataclass(frozen=True, slots=True)
class Validator:
    """A check of what the user names, and the template of the text that refuses it.

    ``check`` is a predicate or the name of a Python function. ``test`` returns whether the entity
    is valid, or a text to say instead of ``text``; it raises ``EvaluationError``.
    """

    check: str
    text: LocalizedText
    test: Callable[[EntityContext], bool | str] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Validators:
    """The validators of a model: by element, and by intent and term."""

    elements: Mapping[str, Validator] = field(default_factory=dict)
    terms: Mapping[str, Mapping[str, Validator]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.elements or self.terms)


@dataclass(frozen=True, slots=True)
class ConversationSettings:
    """The timeout of a conversation and the depth (in matched questions) of its memory."""

    timeout: timedelta = timedelta(minutes=5)
    depth: int = 3


@dataclass(frozen=True, slots=True)
class BridgeSettings:
    """Whether the long-term memory completes a question that the short-term memory cannot.

    It considers the last ``exchanges`` that are not older than ``within``.
    """

    mode: BridgeMode = "offered"
    within: timedelta = timedelta(days=30)
    exchanges: int = 20


@dataclass(frozen=True, slots=True)
class DialogActSettings:
    """How a bot understands users who accept, decline, correct, refer, add and take away.

    With ``ask_if_close`` it asks which of two close matches is meant. ``words`` are phrases by
    kind, in addition to those of the language.
    """

    ask_if_close: bool = False
    words: Mapping[CueSection, Phrases] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OfferTemplate:
    """A bundle of entities that an answer offers: a template by element.

    With ``each``, an expression for a list, there is one bundle for every ``item`` of it. ``then``
    is the intent to go on with once the user accepts it ('' if it does not say).
    """

    entities: Mapping[str, str]
    each: str = ""
    then: str = ""


@dataclass(frozen=True, slots=True)
class Fallback:
    """What the bot says when nothing fits.

    ``intents`` are the texts of intents that a question comes near, ``texts`` those by kind of
    rejection, ``text`` is for all other kinds. ``examples`` are questions that the bot can answer,
    by language. The ``after``-th rejection in a row and later ones are answered with the
    ``escalation``, if there is one.
    """

    text: LocalizedText = field(default_factory=dict)
    texts: Mapping[FallbackKind, LocalizedText] = field(default_factory=dict)
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    after: int = 3
    escalation: LocalizedText = field(default_factory=dict)
    intents: Mapping[str, LocalizedText] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AskStep:
    """A question of a sample dialog and the expected result (None: not checked).

    ``memory`` is the content of the memory afterwards, as ``element`` or ``element=value``; so is
    ``by_bot``, what the bot has said of it. ``offers`` names an entity of each bundle that lies on
    the table, in order.
    """

    text: str
    status: Status = "matched"
    intent: str | None = None
    slots: Mapping[str, str | tuple[str, ...] | None] = field(default_factory=dict)
    from_memory: tuple[str, ...] | None = None
    missing: tuple[str, ...] | None = None
    memory: tuple[str, ...] | None = None
    by_bot: tuple[str, ...] | None = None
    offers: tuple[str, ...] | None = None
    language: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class BotStep:
    """Something that the bot says in a sample dialog without being asked.

    ``mentions`` are the facts in the text, ``offers`` the bundles that it proposes: a template by
    element. ``intent`` says it ('' if none does), and ``then`` goes on once the user accepts.
    """

    text: str
    mentions: Mapping[str, str] = field(default_factory=dict)
    offers: tuple[Mapping[str, str], ...] = ()
    intent: str = ""
    then: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class PauseStep:
    """Time that passes in a sample dialog."""

    duration: timedelta
    line: int = 0


@dataclass(frozen=True, slots=True)
class ResetStep:
    """An explicit reset in a sample dialog."""

    what: ResetScope
    line: int = 0


Step: TypeAlias = AskStep | BotStep | PauseStep | ResetStep


@dataclass(frozen=True, slots=True)
class Dialog:
    """A sample conversation. ``line`` is the line of the file on which it begins.

    ``at`` is the local time of its first question; None for a fixed default. ``long_term``
    adds a long-term memory, which is empty at first.
    """

    steps: tuple[Step, ...]
    name: str = ""
    line: int = 0
    at: datetime | None = None
    long_term: bool = False


@dataclass(frozen=True, slots=True)
class Model:
    """A model: what a bot understands. ``languages`` is never empty; the first is the default.
    ``locales`` are their tags with regions (``en-GB``).

    ``source`` is the name of the file, ``origin`` the origin that the file declares. ``imports``
    are the imported files with intents. ``pipelines`` are the spaCy pipelines (packages or
    folders) by language, ``handlers`` the functions that answer intents. ``recall_offers`` are the
    texts, by intent, that offer to reuse entities of an earlier conversation. The intents in
    ``unused`` ask about the unused rest of a sentence, with these texts or, if there are none,
    those of the language. ``mentions`` and ``offers`` are the entities that the answers of an
    intent tell and propose; ``choices`` are the texts that ask which of several is meant.
    ``dialog_acts`` is None if the bot does not understand answers to what it said, and does not
    combine partial values.
    ``confirmations`` are the texts, by intent, that ask whether to carry the intent out.
    ``validators`` check the entities of the sentence. ``fallback`` has the texts for rejected
    questions (None for the engine's reasons), ``fallback_handler`` the function that may answer
    them instead. ``sentences`` are templates of whole sentences, which are tried first.
    """

    id: str
    elements: tuple[Element, ...]
    intents: tuple[Intent, ...]
    name: str = ""
    version: str = ""
    description: str = ""
    languages: tuple[str, ...] = ("en",)
    conversation: ConversationSettings = ConversationSettings()
    responses: Mapping[str, LocalizedText] = field(default_factory=dict)
    prompts: Mapping[str, Mapping[str, LocalizedText]] = field(default_factory=dict)
    reset: Phrases = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    samples: tuple[Dialog, ...] = ()
    source: str = ""
    origin: str = ""
    stop_words: StopWords = StopWords()
    limits: UtteranceLimits = UtteranceLimits()
    pipelines: Mapping[str, str] = field(default_factory=dict)
    handlers: Mapping[str, Callable[..., Any]] = field(default_factory=dict, compare=False)
    warnings: tuple[Problem, ...] = field(default=(), compare=False)
    imports: tuple[Path, ...] = field(default=(), compare=False)
    bridge: BridgeSettings = BridgeSettings()
    recall_offers: Mapping[str, LocalizedText] = field(default_factory=dict)
    unused: Mapping[str, LocalizedText] = field(default_factory=dict)
    dialog_acts: DialogActSettings | None = None
    confirmations: Mapping[str, LocalizedText] = field(default_factory=dict)
    mentions: Mapping[str, MentionTemplates] = field(default_factory=dict)
    offers: Mapping[str, tuple[OfferTemplate, ...]] = field(default_factory=dict)
    choices: Mapping[str, LocalizedText] = field(default_factory=dict)
    validators: Validators = Validators()
    fallback: Fallback | None = None
    free_words: bool = False
    fallback_handler: Callable[..., Any] | None = field(default=None, compare=False)
    locales: Mapping[str, str] = field(default_factory=dict)
    sentences: HomeSentences | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "meta", freeze(self.meta))

    def __repr__(self) -> str:
        elements, intents = len(self.elements), len(self.intents)
        counted = f"{pluralize(elements, 'element')}, {pluralize(intents, 'intent')}"
        return f"Model({self.id!r}, {counted})"

    @property
    def info(self) -> ModelInfo:
        """The attributes of the model that predicates can read."""
        return ModelInfo(self.id, self.name, self.version, self.origin, self.meta)

    def locale_of(self, language: str) -> str:
        """The tag of a language, with the region of the model if it has one."""
        return self.locales.get(language, language)

    def find_language(self, tag: str) -> str | None:
        """The language of the model that a tag names, whatever its region; None if it has none."""
        for code in (tag, tag.replace("_", "-").partition("-")[0]):
            if code in self.languages:
                return code
        return None

    def element(self, id: str) -> Element | None:
        """The element with that id, or None."""
        return next((element for element in self.elements if element.id == id), None)

    def intent(self, id: str) -> Intent | None:
        """The intent with that id, or None."""
        return next((intent for intent in self.intents if intent.id == id), None)


def choose_translation(texts: Mapping[str, _Item], language: str) -> _Item | None:
    """What ``texts`` have for ``language``, or for any language, or else the first one; None for no
    texts."""
    for key in (language, ANY_LANGUAGE):
        if key in texts:
            return texts[key]
    return next(iter(texts.values()), None)
