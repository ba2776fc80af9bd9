"""The spaCy component that lets one recognizer loose on a text.

``nlp.add_pipe("anaphora_entity", name="date", config={"recognizer": "date"})`` is all that it
needs. It writes ``doc.spans["anaphora:date"]`` (the id of the element is its name, unless the
configuration has another): the label of a span is that id, its ``kb_id_`` the value; in the
group's ``attrs["mentions"]`` stands for each span, in their order, its value and its metadata.

The time of the question is ``doc.user_data["anaphora_at"]``, a datetime with a time zone; now, in
UTC, where there is none.
"""

from __future__ import annotations

import inspect
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from anaphora.entities.recognition import Mention, Recognizer, built_in
from anaphora.errors import HandlerError
from anaphora.grammar.code import Code
from anaphora.models.builtin import options_of

__all__ = ["ENTITY_FACTORY", "TIME_KEY", "EntityComponent", "create_entity_component", "key_of"]

ENTITY_FACTORY = "anaphora_entity"
TIME_KEY = "anaphora_at"

# Scripts that put no blanks between words: their tokens may be longer than what is found.
_UNSPACED = frozenset({"ja", "zh", "th", "lo", "km", "my"})


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
    """A component that looks for ``recognizer``: a built-in entity (``date``), an entity of spaCy
    (``spacy:PERSON``), or a Python function (``module#function``), with its options; for nothing
    until it is told to, if that is empty."""
    component = EntityComponent(element or name)
    if recognizer:
        component.configure(recognizer, language=language or nlp.lang or "xx", options=options)
    return component


def key_of(element: str) -> str:
    """Under which the spans of an element stand in ``doc.spans``."""
    return f"anaphora:{element}"


class EntityComponent:
    """A spaCy component ``Doc → Doc`` around one recognizer."""

    def __init__(self, element: str) -> None:
        self.element = element
        self._recognize: Recognizer = _nothing
        self._unspaced = False

    def configure(
        self,
        recognizer: str,
        *,
        language: str,
        options: Mapping[str, Any],
        function: Callable[..., Any] | None = None,
    ) -> None:
        """Looks from now on for ``recognizer`` in texts in ``language``; ``function`` is the one
        that it names, if it has been found already.

        Raises :class:`~anaphora.errors.ModelError` where something is missing that it needs.
        """
        self._recognize = _recognizer(recognizer, language, options, function)
        self._unspaced = language.partition("-")[0] in _UNSPACED

    def take_over(self, other: EntityComponent) -> None:
        """Looks from now on for what ``other`` looks for."""
        self._recognize, self._unspaced = other._recognize, other._unspaced

    def __call__(self, doc: Doc) -> Doc:
        """Writes the group of spans into ``doc`` and returns it."""
        at = doc.user_data.get(TIME_KEY) or datetime.now(UTC)
        spans, mentions = [], []
        for mention, first, last in self._placed(doc, self._recognize(doc, at)):
            spans.append(Span(doc, first, last, label=self.element, kb_id=mention.value or ""))
            mentions.append({"value": mention.value, "meta": dict(mention.meta)})
        key = key_of(self.element)
        doc.spans[key] = SpanGroup(doc, name=key, spans=spans, attrs={"mentions": mentions})
        return doc

    def _placed(self, doc: Doc, mentions: Iterable[Mention]) -> Iterable[tuple[Mention, int, int]]:
        """The mentions by tokens, those left out that are parts of longer words."""
        found = list(mentions)
        if not found:
            return
        text = doc.text
        starts = [token.idx for token in doc]
        ends = [token.idx + len(token) for token in doc]
        for mention in found:
            first = bisect_right(starts, mention.start) - 1
            last = bisect_left(ends, mention.end)
            if not (0 <= first <= last < len(starts)):
                continue
            rest = text[starts[first] : mention.start] + text[mention.end : ends[last]]
            if self._unspaced or not any(map(str.isalnum, rest)):
                yield mention, first, last + 1


def _nothing(doc: Doc, at: datetime) -> Iterable[Mention]:
    return ()


def _recognizer(
    name: str, language: str, options: Mapping[str, Any], function: Callable[..., Any] | None
) -> Recognizer:
    if "#" in name:
        return _OfFunction(name, language, options, function)
    if name.startswith("spacy:"):
        return _OfLabel(name.removeprefix("spacy:"))
    return built_in(name, language, options_of(name, options))


class _OfLabel:
    """The entities of a label that other components have found; the case of it does not count."""

    def __init__(self, label: str) -> None:
        self._label = label.casefold()

    def __call__(self, doc: Doc, at: datetime) -> Iterable[Mention]:
        groups = [group for key, group in doc.spans.items() if not key.startswith("anaphora")]
        spans = [span for group in (doc.ents, *groups) for span in group]
        distinct: dict[tuple[int, int, str], Mention] = {}
        for span in spans:
            if span.label_.casefold() != self._label:
                continue
            meta = {"label": span.label_}
            if span.kb_id_:
                meta["kb_id"] = span.kb_id_
            mention = Mention(span.start_char, span.end_char, span.kb_id_ or None, meta)
            distinct.setdefault((mention.start, mention.end, span.kb_id_), mention)
        return list(distinct.values())


class _OfFunction:
    """A function of the user's, whose parameters are filled by name: ``text``, ``doc``, ``at``,
    ``language``, and the options of the element."""

    def __init__(
        self,
        name: str,
        language: str,
        options: Mapping[str, Any],
        function: Callable[..., Any] | None,
    ) -> None:
        module, _, attribute = name.rpartition("#")
        self._name = name
        self._function = function or Code().find(module, attribute)
        self._given = {"language": language, **options}
        self._takes = frozenset(inspect.signature(self._function).parameters)
        self._takes_all = any(
            parameter.kind is parameter.VAR_KEYWORD
            for parameter in inspect.signature(self._function).parameters.values()
        )

    def __call__(self, doc: Doc, at: datetime) -> Iterable[Mention]:
        given = {"text": doc.text, "doc": doc, "at": at, **self._given}
        if not self._takes_all:
            given = {key: value for key, value in given.items() if key in self._takes}
        try:
            found = list(self._function(**given) or ())
        except Exception as error:
            raise HandlerError(
                f"the recognizer {self._name} failed: {type(error).__name__}: {error}"
            ) from error
        for one in found:
            if not isinstance(one, Mention):
                raise HandlerError(
                    f"the recognizer {self._name} must give Mentions, not {type(one).__name__}"
                )
        return found
