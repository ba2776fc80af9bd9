"""Build the texts for questions that nothing fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from anaphora.models.building.responses import NO_INTENT, ResponseBuilder
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.domain import (
    ANY_LANGUAGE,
    Fallback,
    FallbackKind,
    LocalizedText,
)
from anaphora.models.reading.nodes import NodePath
from anaphora.models.schema.fallback import FallbackSchema

__all__ = ["FALLBACK_VARIABLES", "build_fallback"]

FALLBACK_VARIABLES = ("examples", "failures", "kind", "reason", "text", "unknown", "user")
"""The variables of its templates."""


def build_fallback(draft: ModelDraft, texts: ResponseBuilder) -> Fallback | None:
    """The fallback of the model, None if it has none; errors are reported to ``draft``."""
    written = draft.file.fallback
    if written is None:
        return None
    if not isinstance(written, FallbackSchema):
        return Fallback(text=texts.localize(("fallback",), written, NO_INTENT, FALLBACK_VARIABLES))

    def localize(key: str) -> LocalizedText:
        text = getattr(written, key)
        if text is None:
            return {}
        return texts.localize(("fallback", key), text, NO_INTENT, FALLBACK_VARIABLES)

    fallback = Fallback(
        text=localize("text"),
        texts={kind: text for kind in get_args(FallbackKind) if (text := localize(kind))},
        examples=_build_examples(draft, written.examples),
        after=_check_after(draft, written),
        escalation=localize("escalation"),
        intents={
            id: _build_of_intent(texts, ("fallback", "intents", id), text)
            for id, text in written.intents.items()
        },
    )
    spoken = (
        *(fallback.text, fallback.texts, fallback.escalation, fallback.intents),
        written.handler,
    )
    if not any(spoken) and not draft.is_removed("fallback"):
        draft.add_error(("fallback",), "the fallback has no text", "write one: text: Sorry?")
    return fallback


def _build_of_intent(
    texts: ResponseBuilder, path: NodePath, written: str | LocalizedText
) -> LocalizedText:
    texts.check_intent(path, str(path[-1]))
    return texts.localize(path, written, NO_INTENT, FALLBACK_VARIABLES)


def _build_examples(
    draft: ModelDraft, written: Sequence[str] | Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    by_language = written if isinstance(written, Mapping) else {ANY_LANGUAGE: written}
    for language, texts in by_language.items():
        path: NodePath = ("fallback", "examples")
        if language:
            path = (*path, language)
            draft.check_language(path, language)
        for index, text in enumerate(texts):
            if not text.strip():
                draft.add_error((*path, index), "the text is empty")
    return {language: tuple(texts) for language, texts in by_language.items() if texts}


def _check_after(draft: ModelDraft, written: FallbackSchema) -> int:
    """The number of failures in a row from which the bot escalates. More than ``depth`` of them
    forget the conversation, and with it their number."""
    limit = draft.file.conversation.depth + 1
    if written.after > limit and "after" in written.model_fields_set:
        draft.add_error(
            ("fallback", "after"),
            f"after {limit} failures in a row the bot forgets everything and counts anew",
            f"write at most {limit}, or raise the 'depth' of the conversation",
        )
    return min(written.after, limit)
