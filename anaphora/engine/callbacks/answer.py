"""The answer of a handler that also tells which entities it mentions and offers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Answer"]


@dataclass(frozen=True, slots=True)
class Answer:
    """A text with the entities in it, for a handler to return. Without a ``text``, the model's
    response answers; ``result`` is what the caller gets besides.

    ``mentions`` are the facts that the text tells: a mapping from elements to values, or a list of
    such mappings, of entities and of slots. ``offers`` are bundles of entities that it proposes,
    each given as ``mentions`` are; ``then`` is the intent that goes on once the user accepts one.
    None leaves them to the model's own keys; no offers at all say that there is nothing to offer.

    A value is a text (as users would say it, or the name of a value), a number, a date, a time, a
    duration, an entity, a list of these, or a mapping with ``value``, ``text`` and ``meta``.

    Raises TypeError for a text that is none.
    """

    text: str = ""
    mentions: Any = field(default=None, kw_only=True)
    offers: Any = field(default=None, kw_only=True)
    then: str = field(default="", kw_only=True)
    result: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"the text of an answer is not {self.text!r}: put it into 'result'")
