"""Recognizers backed by user-defined functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.recognizers.recognizer import Mention, TokenizedText
from anaphora.errors import GrammarError, HandlerError, ModelError, Problem
from anaphora.grammar.function_errors import describe_failure
from anaphora.grammar.python_functions import FunctionLoader
from anaphora.models.building.recognizer_signature import accepts_parameter, find_mismatches

__all__ = ["FunctionRecognizer", "import_function"]


class FunctionRecognizer:
    """Calls a function, whose parameters are filled by name: ``text``, ``doc``, ``at``,
    ``language``, ``options``, and each of the options.

    The function returns mentions (an iterable, a single one, or None). If it fails or returns an
    invalid mention, a call raises :class:`HandlerError`. Raises :class:`ModelError` for a function
    with other parameters.
    """

    def __init__(
        self, name: str, function: Callable[..., Any], language: str, options: Mapping[str, Any]
    ) -> None:
        if found := list(find_mismatches(name, function, options)):
            raise ModelError(Problem(one.message, hint=one.hint) for one in found)
        self._name = name
        self._function = function
        self._fixed_arguments = self._accepted_arguments(
            {"language": language, "options": options, **options}
        )
        self._argument_names = tuple(
            self._accepted_arguments({"text": "", "doc": None, "at": None})
        )

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        text = doc.text
        given = {"text": text, "doc": doc, "at": at}
        try:
            found = self._function(
                **self._fixed_arguments, **{key: given[key] for key in self._argument_names}
            )
            listed = [found] if isinstance(found, Mention) else list(found or ())
        except Exception as error:
            said = describe_failure(error, self._function)
            raise HandlerError(f"the recognizer {self._name} failed: {said}") from error
        for one in listed:
            if wrong := _describe_problem(one, text):
                raise HandlerError(f"the recognizer {self._name} returned {wrong}")
        return listed

    def _accepted_arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {
            key: value for key, value in given.items() if accepts_parameter(self._function, key)
        }


def import_function(name: str) -> Callable[..., Any]:
    """Import the function ``module#function`` without a model, whose folder would be searched as
    well.

    Raises :class:`ModelError` if it is not found.
    """
    module, _, attribute = name.rpartition("#")
    try:
        return FunctionLoader().find(module, attribute)
    except GrammarError as error:
        raise ModelError(
            Problem(
                f"the recognizer {name} cannot be found: {error.message}",
                hint="without its model, only a module that Python can import is found: install "
                "it, or put its folder on the path",
            )
        ) from error


def _describe_problem(found: Any, text: str) -> str:
    """Describe why the result of a function is no valid mention ('' if it is)."""
    if not isinstance(found, Mention):
        return f"{_describe_type(found)} instead of a Mention"
    place: tuple[Any, Any] = found.start, found.end
    if not all(isinstance(one, int) for one in place):
        return f"a Mention whose offsets are not two numbers: {found.start!r}, {found.end!r}"
    if not 0 <= found.start <= found.end <= len(text):
        there = f"{found.start}:{found.end}"
        return f"a Mention at {there}, which is not a range in a text of {len(text)} characters"
    value: Any = found.value
    if not (value is None or isinstance(value, str)):
        return f"a Mention whose value is not a text but {_describe_type(value)}"
    meta: Any = found.meta
    if not isinstance(meta, Mapping):
        return f"a Mention whose metadata is not a mapping but {_describe_type(meta)}"
    try:
        json.dumps([value, dict(meta)], allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return f"a Mention whose value or metadata cannot be written as JSON: {error}"
    return ""


def _describe_type(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
