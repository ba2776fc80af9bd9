"""The declarative model as the engine uses it: validated, frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal, TypeAlias

from anaphora.grammar.intent import Intent
from anaphora.grammar.patterns import Pattern

__all__ = [
    "ANY_LANGUAGE",
    "AskStep",
    "ConversationSettings",
    "Dialog",
    "Element",
    "ElementValue",
    "Localized",
    "Model",
    "PauseStep",
    "Phrase",
    "Phrases",
    "ResetStep",
    "ResetWhat",
    "Status",
    "Step",
    "in_language",
]

Phrase: TypeAlias = tuple[str | Pattern, ...]
"""One way to say something: texts (of one or more words) and patterns (of one word each)."""

Phrases: TypeAlias = Mapping[str, tuple[Phrase, ...]]
"""Phrases by language; those under :data:`ANY_LANGUAGE` serve every language."""

Localized: TypeAlias = Mapping[str, str]
"""A text by language, or one text for all under :data:`ANY_LANGUAGE`."""

ANY_LANGUAGE = ""

Status = Literal["matched", "incomplete", "rejected", "reset"]
ResetWhat = Literal["all", "flow", "entities"]


@dataclass(frozen=True, slots=True)
class ElementValue:
    """One value that an element can have. Its name is among its phrases."""

    name: str
    phrases: Phrases


@dataclass(frozen=True, slots=True)
class Element:
    """Something that an utterance can mention.

    ``phrases`` are its own synonyms (with its id, unless that is switched off); ``groups`` is
    never empty; ``ancestors`` are the ids of its parent, the parent's parent and so on.
    """

    id: str
    groups: frozenset[str]
    phrases: Phrases = field(default_factory=dict)
    values: tuple[ElementValue, ...] = ()
    ancestors: tuple[str, ...] = ()
    topic: bool = False
    description: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConversationSettings:
    """How long and how far back a conversation remembers."""

    timeout: timedelta = timedelta(minutes=5)
    depth: int = 3


@dataclass(frozen=True, slots=True)
class AskStep:
    """A question of a sample dialog, and what must come of it (None: whatever it is)."""

    text: str
    status: Status = "matched"
    intent: str | None = None
    slots: Mapping[str, str | tuple[str, ...] | None] = field(default_factory=dict)
    from_memory: tuple[str, ...] | None = None
    missing: tuple[str, ...] | None = None
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

    what: ResetWhat
    line: int = 0


Step: TypeAlias = AskStep | PauseStep | ResetStep


@dataclass(frozen=True, slots=True)
class Dialog:
    """A sample conversation: its steps, and the line of the file on which it begins."""

    steps: tuple[Step, ...]
    name: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Model:
    """What a bot understands. ``languages`` is never empty; the first one is the default."""

    id: str
    elements: tuple[Element, ...]
    intents: tuple[Intent, ...]
    name: str = ""
    version: str = ""
    description: str = ""
    languages: tuple[str, ...] = ("en",)
    conversation: ConversationSettings = ConversationSettings()
    responses: Mapping[str, Localized] = field(default_factory=dict)
    prompts: Mapping[str, Mapping[str, Localized]] = field(default_factory=dict)
    reset: Phrases = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    samples: tuple[Dialog, ...] = ()
    source: str = ""

    def element(self, id: str) -> Element | None:
        """The element of that id, or None."""
        return next((element for element in self.elements if element.id == id), None)

    def intent(self, id: str) -> Intent | None:
        """The intent of that id, or None."""
        return next((intent for intent in self.intents if intent.id == id), None)


def in_language(texts: Localized, language: str) -> str | None:
    """The text for ``language``, else the one for any language, else any that there is."""
    for key in (language, ANY_LANGUAGE):
        if key in texts:
            return texts[key]
    return next(iter(texts.values()), None)
