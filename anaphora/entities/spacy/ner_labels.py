"""Entities that other components of a spaCy pipeline find, by their labels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.tokens.underscore import Underscore

from anaphora.entities.recognizers.recognizer import Mention, TokenizedText

__all__ = ["LabelRecognizer", "list_labels"]

_OWN_PREFIX = "anaphora"  # of the keys of our own groups of spans
_ENTITY_ATTRIBUTES = ("doc.ents", "doc.spans", "token.ent_type", "token.ent_iob")


class LabelRecognizer:
    """Finds the spans with a label, in any case, in ``doc.ents`` and in all groups of spans.

    The value is the knowledge base id of the span, else the id that its pattern has in an entity
    ruler. The metadata has the label, both ids, and JSON-able extension attributes with a value.
    """

    def __init__(self, label: str) -> None:
        self._label = label.casefold()

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        assert isinstance(doc, Doc)  # other components have processed the text
        groups = [group for key, group in doc.spans.items() if not key.startswith(_OWN_PREFIX)]
        found = (span for group in (doc.ents, *groups) for span in group)
        return [_mention(span) for span in found if span.label_.casefold() == self._label]


def list_labels(nlp: Language, before: str) -> Iterator[frozenset[str] | None]:
    """Yield the labels of each component before the one called ``before`` that may find entities;
    None for a component that does not list them."""
    for known, pipe in nlp.pipeline:
        if known == before:
            return
        assigns = nlp.get_pipe_meta(known).assigns
        if not any(one.startswith(_ENTITY_ATTRIBUTES) for one in assigns):
            owner = getattr(pipe, "__module__", None) or type(pipe).__module__
            if assigns or owner.startswith(("spacy.", "anaphora.")):
                continue
        yield frozenset(getattr(pipe, "labels", ())) or None


def _mention(span: Span) -> Mention:
    ids = {"kb_id": span.kb_id_, "id": span.id_}
    meta = {
        "label": span.label_,
        **{key: id for key, id in ids.items() if id},
        **_custom_attributes(span),
    }
    return Mention(span.start_char, span.end_char, span.kb_id_ or span.id_ or None, meta)


def _custom_attributes(span: Span) -> Mapping[str, Any]:
    """Return the extension attributes of the span that have a value of their own."""
    found = {}
    for name, (default, method, getter, _) in Underscore.span_extensions.items():
        if method is None and getter is None:
            value = span._.get(name)
            if value is not default and value != default and _is_json(value):
                found[name] = value
    return found


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
