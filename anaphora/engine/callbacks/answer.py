"""The answer of a handler, with the entities that it mentions and offers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Answer"]


@dataclass(frozen=True, slots=True)
class Answer:
    """A text with the entities in it, for a handler to return. Without a ``text``, the model's
    response answers; ``result`` is returned to the caller.

    ``mentions`` are the facts in the text: a mapping from elements to values, or a list of
    such mappings, of entities and of slots. ``offers`` are bundles of entities that it proposes,
    each given as ``mentions`` are; ``then`` is the intent that goes on once the user accepts one.
    None leaves them to the keys of the model; an empty list of offers clears the table.

    A value is a text (as users would say it, or the name of a value), a number, a date, a time, a
    duration, an entity, a list of these, or a mapping with ``value``, ``text`` and ``meta``.

    Raises TypeError if ``text`` is not a string.
    """

    text: str = ""
    mentions: Any = field(default=None, kw_only=True)
    offers: Any = field(default=None, kw_only=True)
    then: str = field(default="", kw_only=True)
    result: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"the text of an answer is not {self.text!r}: put it into 'result'")
