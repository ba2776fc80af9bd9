"""spaCy component that runs one recognizer.

``nlp.add_pipe("anaphora_entity", name="date", config={"recognizer": "date"})`` adds it. It writes
``doc.spans["anaphora:date"]`` (the name is the id of the element, unless the configuration has
another): the label of a span is that id, its ``kb_id_`` the value. The group's
``attrs["mentions"]`` lists the value and the metadata of each span, and ``fallback`` for a mention
that is one.

The time of the question is ``doc.user_data["anaphora_at"]``, a datetime with a time zone; by
default the current time in UTC.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from anaphora.core.name_hints import did_you_mean
from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.function_recognizer import FunctionRecognizer, import_function
from anaphora.entities.recognizers.recognizer import (
    Mention,
    Recognizer,
    TokenizedText,
    TokenSpan,
    get_text,
)
from anaphora.entities.spacy.ner_labels import LabelRecognizer
from anaphora.entities.spacy.stored_component import StoredComponent
from anaphora.entities.words.scripts import UNSPACED_RANGES, is_hangul
from anaphora.errors import ModelError, Problem
from anaphora.models.schema.builtin_entities import BUILTIN_ENTITIES, find_builtin, resolve_options
from anaphora.storage.cache import Cache

__all__ = [
    "ENTITY_FACTORY",
    "TIME_KEY",
    "EntityComponent",
    "create_entity_component",
    "spans_key",
    "tokens_without",
]

ENTITY_FACTORY = "anaphora_entity"
TIME_KEY = "anaphora_at"

# In scripts without blanks a token may be longer than the mention in it.
_UNSPACED_LETTER = re.compile(f"[{UNSPACED_RANGES}]")
# What an apostrophe may join to a word: l'Aquila, Ankara'da.
_ELISION_BEFORE = re.compile(r"\w{1,5}['’ʼ]")
_SUFFIX_BEHIND = re.compile(r"['’ʼ]\w{1,5}")


@Language.factory(
    ENTITY_FACTORY,
    default_config={"recognizer": "", "element": None, "language": None, "options": {}},
)
def create_entity_component(
    nlp: Language,
    name: str,
    recognizer: str,
    element: str | None,
    language: str | None,
    options: dict[str, Any],
) -> EntityComponent:
    """Create a component for ``recognizer``: a built-in entity (``date``), an entity of spaCy
    (``spacy:PERSON``), or a Python function (``module#function``), with its options. If it is
    empty, the component finds nothing until it is configured."""
    component = EntityComponent(element or name)
    if recognizer:
        component.configure(recognizer, language=language or nlp.lang or "xx", options=options)
    return component


def spans_key(element: str) -> str:
    """Return the key of the spans of an element in ``doc.spans``."""
    return f"anaphora:{element}"


class EntityComponent(StoredComponent):
    """A spaCy component ``Doc → Doc`` with one recognizer."""

    stored_format = "a recognizer", 1
    stored_file = "recognizer.msgpack"

    def __init__(self, element: str) -> None:
        self.element = element
        self._config: dict[str, Any] = {}
        self._recognize: Recognizer = lambda doc, at: ()

    def configure(
        self,
        recognizer: str,
        *,
        language: str,
        options: Mapping[str, Any],
        function: Callable[..., Any] | None = None,
        cache: Cache | None = None,
    ) -> None:
        """Use ``recognizer`` for texts in ``language`` from now on.

        ``function`` is the function that it names, if it is already imported. Data that takes long
        to load is kept in ``cache``. Raises :class:`~anaphora.errors.ModelError` for an unknown
        recognizer, wrong options, and missing requirements.
        """
        self._recognize = _create_recognizer(recognizer, language, options, function, cache)
        self._config = {"recognizer": recognizer, "language": language, "options": dict(options)}

    def copy_from(self, other: EntityComponent) -> None:
        """Use the recognizer of ``other`` from now on."""
        self._recognize, self._config = other._recognize, other._config

    def __call__(self, doc: Doc) -> Doc:
        """Write the group of spans into ``doc`` and return it.

        Raises :class:`~anaphora.errors.HandlerError` if a user-defined function fails.
        """
        spans, mentions, void = [], [], []
        at = doc.user_data.get(TIME_KEY) or datetime.now(UTC)
        for mention, first, last in self.find(doc, at):
            if mention.void:
                void.append([first, last])
                continue
            spans.append(Span(doc, first, last, label=self.element, kb_id=mention.value or ""))
            said: dict[str, Any] = {"value": mention.value, "meta": dict(mention.meta)}
            if mention.gap is not None:
                said["gap"] = mention.gap
            mentions.append({**said, "fallback": True} if mention.fallback else said)
        key = spans_key(self.element)
        attrs: dict[str, Any] = {"mentions": mentions}
        if void:
            attrs["void"] = void
        doc.spans[key] = SpanGroup(doc, name=key, spans=spans, attrs=attrs)
        return doc

    def find(self, doc: Doc | TokenizedText, at: datetime) -> list[tuple[Mention, int, int]]:
        """Return the mentions in ``doc``, each with its first token and the one behind the last.
        ``at`` is the local time of the user. Raises what a call raises."""
        found = list(self._recognize(doc, at))
        if not found:
            return []
        # A function may find a part of a word.
        is_function = isinstance(self._recognize, FunctionRecognizer)
        return list(_deduplicate(_align_to_tokens(doc, found, whole_words=not is_function)))

    def _to_data(self) -> dict[str, Any]:
        return {"element": self.element, **self._config}  # of a function only its name

    def _restore(self, data: Mapping[str, Any]) -> None:
        """Restore the configuration. Raises :class:`~anaphora.errors.ModelError` as
        :meth:`configure` does, also for a function that Python cannot import."""
        self.element = data["element"]
        if "recognizer" in data:
            self.configure(data["recognizer"], language=data["language"], options=data["options"])


_CONTEXT_LENGTH = 50  # characters; text farther from a mention is never part of the same word


def _create_recognizer(
    name: str,
    language: str,
    options: Mapping[str, Any],
    function: Callable[..., Any] | None,
    cache: Cache | None,
) -> Recognizer:
    if "#" in name:
        return FunctionRecognizer(name, function or import_function(name), language, options)
    if name.startswith("spacy:"):
        return LabelRecognizer(name.removeprefix("spacy:"))
    if find_builtin(name) is None:
        hint = did_you_mean(name, BUILTIN_ENTITIES) or f"there are: {', '.join(BUILTIN_ENTITIES)}"
        raise ModelError(Problem(f"there is no built-in entity '{name}'", hint=hint))
    try:
        chosen = resolve_options(name, options)
    except ValueError as error:
        raise ModelError(Problem(str(error))) from error
    return create_builtin(name, language, chosen, cache=cache)


def tokens_without(
    doc: Doc | TokenizedText, first: int, last: int, gap: tuple[int, int]
) -> tuple[int, ...]:
    """Return the tokens from ``first`` up to ``last``, without those that begin in the ``gap``, a
    range of characters."""
    start, end = gap
    starts = [token.idx for token in doc] if isinstance(doc, Doc) else doc.starts
    return tuple([one for one in range(first, last) if not start <= starts[one] < end])


def _align_to_tokens(
    doc: Doc | TokenizedText, mentions: Iterable[Mention], *, whole_words: bool
) -> Iterator[tuple[Mention, int, int]]:
    """Yield the mentions with the tokens that contain them, except empty ones and, if only
    ``whole_words`` count, those that are a part of a word."""
    text = get_text(doc)
    for mention in mentions:
        start, end = max(mention.start, 0), min(mention.end, len(text))
        while start < end and text[start].isspace():
            start += 1
        while start < end and text[end - 1].isspace():
            end -= 1
        if start >= end:
            continue
        place = (
            _expand_to_tokens(doc, start, end)
            if isinstance(doc, Doc)
            else doc.covering_tokens(start, end)
        )
        if place is None:
            continue
        before = text[max(place.start, start - _CONTEXT_LENGTH) : start]
        behind = text[end : min(place.end, end + _CONTEXT_LENGTH)]
        if not whole_words or _is_whole_word(before, behind):
            yield mention, place.first, place.last


def _expand_to_tokens(doc: Doc, start: int, end: int) -> TokenSpan | None:
    """Return the tokens that contain these characters."""
    span = doc.char_span(start, end, alignment_mode="expand")
    if span is None:
        return None
    return TokenSpan(span.start, span.end, span.start_char, span.end_char)


def _is_whole_word(before: str, behind: str) -> bool:
    """Whether the text in between is not just a part of a longer word."""
    if not (before or behind):
        return True
    return (not _has_letters(before) or _ELISION_BEFORE.fullmatch(before) is not None) and (
        not _has_letters(behind)
        or _SUFFIX_BEHIND.fullmatch(behind) is not None
        or is_hangul(behind)  # what finds a word knows its particles: 내일|부터
    )


def _has_letters(text: str) -> bool:
    """Whether the text has letters or digits of a script with blanks between words."""
    return any(char.isalnum() and not _UNSPACED_LETTER.match(char) for char in text)


def _deduplicate(
    placed: Iterable[tuple[Mention, int, int]],
) -> Iterator[tuple[Mention, int, int]]:
    """Drop mentions that repeat a value and metadata on the same tokens."""
    listed = list(placed)
    counts = Counter((first, last, mention.value) for mention, first, last in listed)
    seen = set()
    for mention, first, last in listed:
        key = (first, last, mention.value)
        if counts[key] > 1:
            with_meta = (key, json.dumps(mention.meta, default=str))
            if with_meta in seen:
                continue
            seen.add(with_meta)
        yield mention, first, last
