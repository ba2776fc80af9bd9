"""What a turn says, as entities: the annotated values at their places in the text.

A value without an annotated span (of a slot with few values, "two tickets" or "I don't mind", or of
an intent) is looked for in the text. Where it is not found, it gets a word that belongs to nothing
else, for recognizers need a place: the longest content word of a sentence with another value, or
else of the longest sentence. What answers the bot ("That sounds good") is rarely there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from spacy.lang.en.stop_words import STOP_WORDS

from anaphora import Mention
from benchmarks.dialogs.schema_guided import Action, Exchange, Frame
from benchmarks.dialogs.service_model import intent_element, question_element, slot_element

__all__ = ["AnnotatedMention", "annotate", "annotated", "current_acts", "find_mentions"]

_WORD = re.compile(r"\w[\w'-]*")
_SENTENCE = re.compile(r"[^.!?]+[.!?]*|[.!?]+")
_NAME_PART = re.compile(r"[A-Z]?[a-z]+")
_MIN_PREFIX = 4  # characters that a word shares with the name of an intent: "booking", "Book"

# The numbers that slots with few values have.
_NUMBER_WORDS = dict(
    zip(
        "0123456789",
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class AnnotatedMention:
    """A value of an element, and its place in the text."""

    element: str
    start: int
    end: int
    value: str


@dataclass(frozen=True, slots=True)
class _AnnotatedText:
    text: str
    mentions: Sequence[AnnotatedMention]
    acts: frozenset[str]


_current: ContextVar[_AnnotatedText] = ContextVar("annotated_text")
_NOTHING = _AnnotatedText("", (), frozenset())


@contextmanager
def annotated(exchange: Exchange) -> Iterator[None]:
    """Let the functions below find what the user says in ``exchange``."""
    token = _current.set(_AnnotatedText(exchange.text, annotate(exchange), exchange.acts))
    try:
        yield
    finally:
        _current.reset(token)


def find_mentions(text: str, element: str) -> Iterator[Mention]:
    """The recognizer of the models: the annotated mentions of an element, if ``text`` is what the
    user says at present."""
    present = _current.get(_NOTHING)
    if text == present.text:
        for one in present.mentions:
            if one.element == element:
                yield Mention(one.start, one.end, one.value)


def current_acts() -> frozenset[str]:
    """The acts of what the user says at present."""
    return _current.get(_NOTHING).acts


def annotate(exchange: Exchange) -> tuple[AnnotatedMention, ...]:
    """The values, the intents and the questions of the user's turn."""
    places = _Places(exchange.text)
    found: list[AnnotatedMention] = []
    without_span: list[tuple[Frame, Action]] = []
    for frame in exchange.frames:
        for action in frame.actions:
            span = frame.spans.get(action.slot)
            if action.act == "INFORM" and span and places.take(*span):
                found.append(AnnotatedMention(_element_of(frame, action), *span, action.value))
            elif action.act in ("INFORM", "INFORM_INTENT", "REQUEST"):
                without_span.append((frame, action))
    # Whatever may be found in the text comes before what takes any word.
    for find in (places.find_words, places.find_any):
        for frame, action in tuple(without_span):
            if place := find(_wordings(action)):
                value = action.value or action.slot
                found.append(AnnotatedMention(_element_of(frame, action), *place, value))
                without_span.remove((frame, action))
    return tuple(found)


def _element_of(frame: Frame, action: Action) -> str:
    if action.act == "INFORM_INTENT":
        return intent_element(frame.service, action.value)
    if action.act == "REQUEST":
        return question_element(frame.service)
    return slot_element(frame.service, action.slot)


def _wordings(action: Action) -> tuple[str, ...]:
    """How a text may say what an action is about: whole, or its parts (the last first: "Book" and
    "Tickets" of "BookTickets")."""
    if action.act == "INFORM":
        number = _NUMBER_WORDS.get(action.value, "")
        return (action.text, action.value, number, *_slot_wordings(action))
    if action.act == "REQUEST":
        return _slot_wordings(action)
    return tuple(reversed(_NAME_PART.findall(action.value)))


def _slot_wordings(action: Action) -> tuple[str, ...]:
    return (action.slot.replace("_", " "), *reversed(action.slot.split("_")))


class _Places:
    """The words of a text that belong to no mention yet."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._free = [found.span() for found in _WORD.finditer(text)]
        self._taken: list[tuple[int, int]] = []
        self._sentences = [found.span() for found in _SENTENCE.finditer(text)]

    def take(self, start: int, end: int) -> bool:
        """Take the words between two characters, unless one of them is taken."""
        words = [word for word in self._free if word[0] < end and word[1] > start]
        if not words or words[0][0] > start or words[-1][1] < end:
            return False
        if len(words) != len(_WORD.findall(self._text[start:end])):
            return False
        self._free = [word for word in self._free if word not in words]
        self._taken += words
        return True

    def find_words(self, wordings: Sequence[str]) -> tuple[int, int] | None:
        """Take the place of one of the wordings, or of a word that begins as it does."""
        for wording in filter(None, wordings):
            for found in re.finditer(rf"\b{re.escape(wording)}\b", self._text, re.IGNORECASE):
                if self.take(*found.span()):
                    return found.span()
        for wording in wordings:
            prefix = wording[:_MIN_PREFIX].lower()
            for start, end in self._free:
                if len(prefix) == _MIN_PREFIX and self._text[start:end].lower().startswith(prefix):
                    self.take(start, end)
                    return start, end
        return None

    def find_any(self, wordings: Sequence[str]) -> tuple[int, int] | None:
        """Take the longest content word (the last of them) of the sentence with another mention,
        or else of the longest one."""
        if not self._free:
            return None

        def rank(word: tuple[int, int]) -> tuple[bool, int, bool, int, int]:
            is_content_word = self._text[slice(*word)].lower() not in STOP_WORDS
            sentence = next(one for one in self._sentences if one[0] <= word[0] < one[1])
            has_mention = any(sentence[0] <= start < sentence[1] for start, _ in self._taken)
            length = sentence[1] - sentence[0]
            return has_mention, length, is_content_word, word[1] - word[0], word[0]

        best = max(self._free, key=rank)
        self.take(*best)
        return best
