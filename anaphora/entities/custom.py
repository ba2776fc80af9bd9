"""Recognizers that are functions of the user's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.recognition import Mention, Passage
from anaphora.errors import GrammarError, HandlerError, ModelError, Problem
from anaphora.grammar.code import Code
from anaphora.models.failures import described
from anaphora.models.functions import misfits, takes

__all__ = ["FunctionRecognizer", "found_by_name"]


class FunctionRecognizer:
    """Calls a function, whose parameters are filled by name: ``text``, ``doc``, ``at``,
    ``language``, ``options``, and each of the options.

    It gives mentions (an iterable of them, a single one, or None). What it raises, and what no
    entity can be made of, comes as :class:`HandlerError`. Raises :class:`ModelError` for a
    function that cannot be called so.
    """

    def __init__(
        self, name: str, function: Callable[..., Any], language: str, options: Mapping[str, Any]
    ) -> None:
        if found := list(misfits(name, function, options)):
            raise ModelError(Problem(one.message, hint=one.hint) for one in found)
        self._name = name
        self._function = function
        self._always = self._taken({"language": language, "options": options, **options})
        self._each = tuple(self._taken({"text": "", "doc": None, "at": None}))

    def __call__(self, doc: Doc | Passage, at: datetime) -> Iterable[Mention]:
        text = doc.text
        given = {"text": text, "doc": doc, "at": at}
        try:
            found = self._function(**self._always, **{key: given[key] for key in self._each})
            listed = [found] if isinstance(found, Mention) else list(found or ())
        except Exception as error:
            said = described(error, self._function)
            raise HandlerError(f"the recognizer {self._name} failed: {said}") from error
        for one in listed:
            if wrong := _wrong(one, text):
                raise HandlerError(f"the recognizer {self._name} gave {wrong}")
        return listed

    def _taken(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in given.items() if takes(self._function, key)}


def found_by_name(name: str) -> Callable[..., Any]:
    """The function ``module#function``, without a model that could tell where else to look.

    Raises :class:`ModelError` when there is none.
    """
    module, _, attribute = name.rpartition("#")
    try:
        return Code().find(module, attribute)
    except GrammarError as error:
        raise ModelError(
            Problem(
                f"the recognizer {name} cannot be found: {error.message}",
                hint="without its model, only a module that Python can import is found: install "
                "it, or put its folder on the path",
            )
        ) from error


def _wrong(found: Any, text: str) -> str:
    """What is wrong with something that a function gave ('' if nothing)."""
    if not isinstance(found, Mention):
        return f"{_kind(found)} where a Mention belongs"
    place: tuple[Any, Any] = found.start, found.end
    if not all(isinstance(one, int) for one in place):
        return f"a Mention whose place is not two numbers: {found.start!r}, {found.end!r}"
    if not 0 <= found.start <= found.end <= len(text):
        there = f"{found.start}:{found.end}"
        return f"a Mention at {there}, which is no place in a text of {len(text)} characters"
    value: Any = found.value
    if not (value is None or isinstance(value, str)):
        return f"a Mention whose value is no text but {_kind(value)}"
    meta: Any = found.meta
    if not isinstance(meta, Mapping):
        return f"a Mention whose metadata is no mapping but {_kind(meta)}"
    try:
        json.dumps([value, dict(meta)], allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return f"a Mention whose value or metadata cannot be written as JSON: {error}"
    return ""


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
