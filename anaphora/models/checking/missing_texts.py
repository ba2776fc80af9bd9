"""Find the texts of a model that lack one of its languages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from anaphora.models.domain import ANY_LANGUAGE, LocalizedText, Model

__all__ = ["find_missing_texts"]


def find_missing_texts(model: Model) -> Mapping[str, list[str]]:
    """The names of the texts that the model has in other languages, by the missing language."""
    missing: defaultdict[str, list[str]] = defaultdict(list)
    for name, text in _iter_texts(model):
        if not text or ANY_LANGUAGE in text:
            continue
        for language in model.languages:
            if language not in text:
                missing[language].append(name)
    return missing


def _iter_texts(model: Model) -> Iterator[tuple[str, LocalizedText]]:
    for key, texts in (
        ("responses", model.responses),
        ("confirm", model.confirmations),
        ("choices", model.choices),
        ("recall_offers", model.recall_offers),
        ("unused", model.unused),
    ):
        for intent, text in texts.items():
            yield f"{key}.{intent}", text
    for intent, prompts in model.prompts.items():
        for term, text in prompts.items():
            yield f"prompts.{intent}.{term}", text
    for element, validator in model.validators.elements.items():
        yield f"validate of {element}", validator.text
    for intent, validators in model.validators.terms.items():
        for term, validator in validators.items():
            yield f"validate.{intent}.{term}", validator.text
    if (fallback := model.fallback) is not None:  # its text stands in for the more specific ones
        yield "fallback.text", fallback.text
        yield "fallback.escalation", _either(fallback.escalation, fallback.text)
        for kind, text in fallback.texts.items():
            yield f"fallback.{kind}", _either(text, fallback.text)
        for intent, text in fallback.intents.items():
            yield f"fallback.intents.{intent}", _either(text, fallback.text)


def _either(text: LocalizedText, other: LocalizedText) -> LocalizedText:
    return {**other, **text} if text else {}
