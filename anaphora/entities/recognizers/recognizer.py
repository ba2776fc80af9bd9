"""The recognizer protocol, for entities that no list of phrases can cover.

A recognizer is created for one language and called for one text after the other. It must be
deterministic and thread-safe, keep parts of texts in bounded caches alone, and find nothing (and
raise nothing) in a text that makes no sense.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol, TypeAlias

from msgspec import Struct
from spacy.tokens import Doc

__all__ = [
    "TEXT_KEY",
    "Mention",
    "Recognizer",
    "RecognizerFactory",
    "TokenSpan",
    "TokenizedText",
    "get_text",
]


class Mention(Struct, frozen=True):
    """A range of a text that mentions something, and its meaning.

    ``start`` and ``end`` are offsets of characters (half-open). ``value`` is the meaning as a text
    ("2026-11-22" for "tomorrow"), None if only the words are known; ``meta`` has details, as
    JSON-able data. Several mentions of one range are alternatives, the likeliest first; they must
    differ in ``value`` or ``meta``.

    A ``fallback`` counts only if an intent needs it that nothing else completes. One that is
    ``void`` is no entity: it says that nothing in its range is one, such as the number and the
    month of "February 30". The words in its ``gap``, offsets of characters too, are no part of it:
    "every Monday remind me at 9".
    """

    start: int
    end: int
    value: str | None = None
    meta: Mapping[str, Any] = {}
    fallback: bool = False
    void: bool = False
    gap: tuple[int, int] | None = None


class TokenizedText:
    """A tokenized text, cheaper than a Doc: the ``texts`` of its tokens and their offsets
    ``starts``. It is used where no user-defined code looks at the text."""

    __slots__ = ("starts", "text", "texts")

    def __init__(self, text: str, texts: Sequence[str], starts: Sequence[int]) -> None:
        self.text = text
        self.texts = texts
        self.starts = starts

    def covering_tokens(self, start: int, end: int) -> TokenSpan:
        """Return the tokens that contain the characters from ``start`` up to ``end``, the first and
        the last of which are not blank."""
        starts = self.starts
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
        return TokenSpan(first, last + 1, starts[first], starts[last] + len(self.texts[last]))


class TokenSpan(NamedTuple):
    """A range of tokens, ``last`` exclusive, and the offsets of its characters."""

    first: int
    last: int
    start: int
    end: int


class Recognizer(Protocol):
    """Finds the mentions of one kind in a text."""

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        """Return the mentions in ``doc``, in any order. ``at`` is the local time of the user, with
        a time zone."""
        ...


RecognizerFactory: TypeAlias = Callable[[str, Mapping[str, Any]], Recognizer]
"""Makes a recognizer for a language (a code such as ``en``), with the options that
:func:`anaphora.models.schema.builtin_entities.resolve_options` gives. Raises ModelError where
something is missing that it needs, such as a package."""

TEXT_KEY = "anaphora_text"


def get_text(doc: Doc | TokenizedText) -> str:
    """Return the text of ``doc``, cached for all recognizers (spaCy joins it anew at each call,
    which takes 4 µs)."""
    if isinstance(doc, TokenizedText):
        return doc.text
    text: str | None = doc.user_data.get(TEXT_KEY)
    if text is None:
        text = doc.user_data[TEXT_KEY] = doc.text
    return text
