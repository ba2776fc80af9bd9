"""Puts the recognizers of a model into a spaCy pipeline, in front of the tagger."""

from __future__ import annotations

from spacy.language import Language

from anaphora.entities.component import ENTITY_FACTORY, EntityComponent
from anaphora.entities.tagger import FACTORY
from anaphora.errors import ModelError, Problem
from anaphora.models.domain import Element, Model

__all__ = ["add_recognizers", "share_recognizers"]


def add_recognizers(nlp: Language, model: Model, language: str) -> None:
    """Adds a component for each element of ``model`` that is not found by its phrases alone.

    Raises :class:`ModelError` for a component that is not registered with spaCy, and where
    something is missing that a recognizer needs.
    """
    for element in model.elements:
        recognition = element.recognition
        if recognition is None:
            continue
        if recognition.kind == "component":
            _add_registered(nlp, element, recognition.name, model.source)
            name = f"spacy:{element.id}"
        else:
            name = f"spacy:{recognition.name}" if recognition.kind == "spacy" else recognition.name
        component = _add(nlp, element.id)
        component.configure(
            name,
            language=language,
            options=recognition.options if recognition.kind != "component" else {},
            function=recognition.function,
        )


def share_recognizers(old: Language, new: Language) -> None:
    """Adds to ``new`` what :func:`add_recognizers` has added to ``old``."""
    for name, pipe in old.pipeline:
        if isinstance(pipe, EntityComponent):
            _add(new, pipe.element, name).take_over(pipe)


def _add(nlp: Language, element: str, name: str = "") -> EntityComponent:
    name = name or f"anaphora:{element}"
    if name in nlp.pipe_names:
        nlp.remove_pipe(name)
    component = nlp.add_pipe(ENTITY_FACTORY, name=name, config={"element": element}, before=FACTORY)
    assert isinstance(component, EntityComponent)
    return component


def _add_registered(nlp: Language, element: Element, factory: str, source: str) -> None:
    """The component of the user's, which labels what it finds with the id of the element."""
    recognition = element.recognition
    assert recognition is not None
    if factory in nlp.pipe_names:
        return
    if not nlp.has_factory(factory):
        raise ModelError(
            Problem(
                f"spaCy knows no component '{factory}', which the element '{element.id}' names",
                source,
                hint="register it with @Language.component or @Language.factory, and name its "
                "module under 'code:' so that it is imported",
            )
        )
    nlp.add_pipe(factory, config=dict(recognition.options), before=FACTORY)
