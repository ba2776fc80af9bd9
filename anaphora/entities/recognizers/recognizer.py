"""What finds entities that no list of phrases could hold: recognizers, and what they find.

A recognizer is made for one language, and asked about one text after the other. It must be
deterministic, keep nothing of a text but in bounded caches, find nothing (and raise nothing)
where a text makes no sense, and may be asked by many threads at a time.
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
    """A place in a text where something is mentioned, and what is meant.

    ``start`` and ``end`` are offsets of characters (half open). ``value`` is what is meant as a
    text ("2026-11-22" for "tomorrow"), None where nothing but the words is known; ``meta`` says
    more of it, in JSON-able data. Several mentions of one place are several ways to understand
    it, the likeliest first; they must differ in ``value`` or ``meta``.

    A ``fallback`` counts only where an intent needs it that nothing else completes. One that is
    ``void`` is no entity: it says that nothing in its place is one, as of the number and the month
    of "February 30".
    """

    start: int
    end: int
    value: str | None = None
    meta: Mapping[str, Any] = {}
    fallback: bool = False
    void: bool = False


class TokenizedText:
    """A text that has been cut into tokens, where nothing but what is ours looks at it: for less
    than a Doc takes. ``texts`` are those of the tokens, ``starts`` where each begins."""

    __slots__ = ("_starts", "_texts", "text")

    def __init__(self, text: str, texts: Sequence[str], starts: Sequence[int]) -> None:
        self.text = text
        self._texts = texts
        self._starts = starts

    def covering_tokens(self, start: int, end: int) -> TokenSpan:
        """The tokens that the characters from ``start`` up to ``end`` lie in, of which neither the
        first nor the last is a blank."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        return TokenSpan(
            first, last + 1, self._starts[first], self._starts[last] + len(self._texts[last])
        )


class TokenSpan(NamedTuple):
    """Tokens, the first one and the one behind the last, and the characters that they have."""

    first: int
    last: int
    start: int
    end: int


class Recognizer(Protocol):
    """Finds what a text mentions of one kind."""

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        """The mentions in ``doc``, in any order. ``at`` is the local time of the one who asks,
        with a time zone."""
        ...


RecognizerFactory: TypeAlias = Callable[[str, Mapping[str, Any]], Recognizer]
"""Makes a recognizer for a language (a code such as ``en``), with the options that
:func:`anaphora.models.schema.builtin_entities.resolve_options` gives. Raises ModelError where
something is missing that it needs, such as a package."""

TEXT_KEY = "anaphora_text"


def get_text(doc: Doc | TokenizedText) -> str:
    """The text of ``doc``, put together once for all recognizers (by spaCy anew at each call,
    which takes 4 µs)."""
    if isinstance(doc, TokenizedText):
        return doc.text
    text: str | None = doc.user_data.get(TEXT_KEY)
    if text is None:
        text = doc.user_data[TEXT_KEY] = doc.text
    return text
