"""A description of a model as a page for agents (and people)."""

from __future__ import annotations

from collections.abc import Iterator

from anaphora.models.domain import AskStep, Dialog, Element, Model

__all__ = ["describe_model"]

_MAX_VALUES = 30
_MAX_DIALOGS = 10


def describe_model(model: Model) -> str:
    """Return the page of a model: its intents, its elements with their values, and sample
    dialogs."""
    return "\n".join(_lines(model))


def _lines(model: Model) -> Iterator[str]:
    yield f"# {model.name or model.id}"
    yield from ("", model.description) if model.description else ()
    yield from ("", f"Languages: {', '.join(model.languages)}")
    yield from ("", "## What it answers", "")
    yield from _intents(model)
    yield from ("", "## What it knows", "")
    yield from (_element(element) for element in model.elements if not element.abstract)
    for dialog in model.samples[:_MAX_DIALOGS]:
        yield from _dialog(dialog)


def _intents(model: Model) -> Iterator[str]:
    for intent in model.intents:
        terms = [
            _term(term.label, optional=not term.min, recalled=term.conversational)
            for term in intent.terms
        ]
        yield f"- `{intent.id}`" + (f": {', '.join(terms)}" if terms else "")


def _term(name: str, *, optional: bool, recalled: bool) -> str:
    notes = ["optional"] if optional else []
    if not recalled:
        notes.append("must be in the sentence")
    return f"{name} ({', '.join(notes)})" if notes else name


def _element(element: Element) -> str:
    values = [value.name for value in element.values[:_MAX_VALUES]]
    if more := len(element.values) - len(values):
        values.append(f"… {more} more")
    notes = (element.description, ", ".join(values))
    return f"- `{element.id}`" + "".join(f": {note}" for note in notes if note)


def _dialog(dialog: Dialog) -> Iterator[str]:
    yield from ("", f"## {dialog.name or 'A dialog'}", "")
    for step in dialog.steps:
        if isinstance(step, AskStep):
            yield f"- {step.text}"
