"""The declarative model as the engine uses it: validated, frozen values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias

from anaphora.errors import Problem
from anaphora.frozen import freeze
from anaphora.grammar.context import ModelInfo
from anaphora.grammar.idl.intent import Intent
from anaphora.models.element_values import ANY_LANGUAGE, ElementValue, Phrase, Phrases, pack_values

__all__ = [
    "ANY_LANGUAGE",
    "DEFAULT_MAX_GAP",
    "AskStep",
    "BridgeMode",
    "BridgeSettings",
    "ConversationSettings",
    "Dialog",
    "Element",
    "ElementValue",
    "LocalizedText",
    "Model",
    "PauseStep",
    "Phrase",
    "Phrases",
    "RecognizerSpec",
    "ResetScope",
    "ResetStep",
    "Status",
    "Step",
    "StopWords",
    "UtteranceLimits",
    "choose_translation",
]

DEFAULT_MAX_GAP = 6
"""How many other words may stand between two words of a sparse phrase."""

LocalizedText: TypeAlias = Mapping[str, str]
"""A text by language, or one text for all under :data:`ANY_LANGUAGE`."""

Status = Literal["matched", "incomplete", "rejected", "reset"]
ResetScope = Literal["all", "flow", "entities"]
BridgeMode = Literal["off", "offered", "automatic"]


@dataclass(frozen=True, slots=True)
class RecognizerSpec:
    """Who finds an element beside its phrases, or instead of any.

    ``name`` is that of a built-in entity (``date``), the label of an entity of spaCy
    (``PERSON``), the name of a component that is registered with spaCy, or that of a
    ``function``; ``options`` are for a built-in entity, a component or a function.
    """

    kind: Literal["built-in", "spacy", "component", "function"]
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    function: Callable[..., Any] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", freeze(self.options))


@dataclass(frozen=True, slots=True)
class Element:
    """Something that an utterance can mention.

    ``phrases`` are its own synonyms (with its id, unless that is switched off); ``groups`` is
    never empty; ``ancestors`` are the ids of its parent, the parent's parent and so on.
    ``sparse`` lets other words stand between those of a phrase, at most ``max_gap`` between two
    of them; ``permute`` lets neighbouring words change places; a ``greedy`` element is found in its
    longest phrase only; an ``abstract`` one is for other elements to be composed of, and no intent
    sees it. ``typos`` is how many wrong letters a word of its phrases may have, with ``compounds``
    such a word is found as the head of a compound too; ``recognition`` tells who else finds it.
    Where there are many ``values``, they are packed.
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", pack_values(self.values))
        object.__setattr__(self, "meta", freeze(self.meta))


@dataclass(frozen=True, slots=True)
class StopWords:
    """Words that mean nothing by themselves, beside those of the language.

    ``skipped`` says that such words may stand between the words of any phrase.
    """

    additional: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class UtteranceLimits:
    """What an utterance must keep to in order to be answered; None stands for no limit.

    Words are tokens that are no punctuation; free words are those that neither an entity nor
    the list of stop words covers.
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
class ConversationSettings:
    """How long and how far back a conversation remembers."""

    timeout: timedelta = timedelta(minutes=5)
    depth: int = 3


@dataclass(frozen=True, slots=True)
class BridgeSettings:
    """Whether the long-term memory completes a question that the short-term memory cannot, and
    how far back it is looked: at the last ``exchanges`` that are no older than ``within``."""

    mode: BridgeMode = "offered"
    within: timedelta = timedelta(days=30)
    exchanges: int = 20


@dataclass(frozen=True, slots=True)
class AskStep:
    """A question of a sample dialog, and what must come of it (None: whatever it is).

    ``memory`` is what is remembered after it, each as ``element`` or ``element=value``.
    """

    text: str
    status: Status = "matched"
    intent: str | None = None
    slots: Mapping[str, str | tuple[str, ...] | None] = field(default_factory=dict)
    from_memory: tuple[str, ...] | None = None
    missing: tuple[str, ...] | None = None
    memory: tuple[str, ...] | None = None
    language: str | None = None
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


Step: TypeAlias = AskStep | PauseStep | ResetStep


@dataclass(frozen=True, slots=True)
class Dialog:
    """A sample conversation: its steps, and the line of the file on which it begins.

    ``at`` is the local time of its first question; None for a time that is the same for all.
    ``long_term`` gives it a long-term memory, empty at first.
    """

    steps: tuple[Step, ...]
    name: str = ""
    line: int = 0
    at: datetime | None = None
    long_term: bool = False


@dataclass(frozen=True, slots=True)
class Model:
    """What a bot understands. ``languages`` is never empty; the first one is the default.

    ``source`` names the file, ``origin`` whatever the file says of where it comes from;
    ``warnings`` are things in the file that are allowed and yet look like mistakes, ``imports``
    the files with intents that it imports. ``pipelines`` are the spaCy pipelines (packages or
    folders) that read its texts, by language; ``handlers`` the functions that answer its intents.
    ``offers`` are what it says, by intent, to ask whether what an earlier conversation was about
    still holds. The intents in ``unused`` ask about what they leave of a sentence, in these words
    or, if there are none, in those of the language.
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
    offers: Mapping[str, LocalizedText] = field(default_factory=dict)
    unused: Mapping[str, LocalizedText] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "meta", freeze(self.meta))

    @staticmethod
    def load(source: str | Path, *, intents: str | Iterable[str] = ()) -> Model:
        """The model in a file, or the bundled one of that name: as
        :func:`~anaphora.models.loader.load_model`."""
        # By name: the loader makes models, so that it is built on this module.
        loader = import_module("anaphora.models.loader")
        model: Model = loader.load_model(source, intents=intents)
        return model

    @property
    def info(self) -> ModelInfo:
        """What predicates may ask of the model."""
        return ModelInfo(self.id, self.name, self.version, self.origin, self.meta)

    def element(self, id: str) -> Element | None:
        """The element of that id, or None."""
        return next((element for element in self.elements if element.id == id), None)

    def intent(self, id: str) -> Intent | None:
        """The intent of that id, or None."""
        return next((intent for intent in self.intents if intent.id == id), None)


def choose_translation(texts: LocalizedText, language: str) -> str | None:
    """The text for ``language``, else the one for any language, else any that there is."""
    for key in (language, ANY_LANGUAGE):
        if key in texts:
            return texts[key]
    return next(iter(texts.values()), None)
