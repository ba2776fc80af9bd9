"""Add the recognizers of a model to a spaCy pipeline, in front of the tagger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from spacy.language import Language
from spacy.util import registry

from anaphora.core.name_hints import closest_match
from anaphora.entities.spacy.entity_component import ENTITY_FACTORY, EntityComponent
from anaphora.entities.spacy.ner_labels import list_labels
from anaphora.entities.spacy.pipeline_loader import format_error
from anaphora.entities.spacy.tagger import FACTORY
from anaphora.errors import ModelError, Problem
from anaphora.models.domain import Element, Model, RecognizerSpec
from anaphora.storage.cache import Cache

__all__ = ["add_recognizers", "check_labels"]

_NAME_PREFIX = "anaphora:"  # of the names of components that are added here
_MAX_LABELS = 30  # in a hint


def add_recognizers(
    nlp: Language,
    model: Model,
    language: str,
    *,
    template: Language | None = None,
    cache: Cache | None = None,
) -> None:
    """Add a component for each element of ``model`` with a recognizer, replacing those of another
    model.

    Recognizers are shared with the pipeline ``template``, if there is one; data that takes long to
    load is kept in ``cache``. Raises :class:`ModelError` for a component that is not registered
    with spaCy, and for a missing requirement of a recognizer.
    """
    for name in [name for name in nlp.component_names if name.startswith(_NAME_PREFIX)]:
        nlp.remove_pipe(name)
    for element in model.elements:
        if element.recognition is None:
            continue
        if element.recognition.kind == "component":
            _add_user_component(nlp, element, element.recognition, model.source)
        name = f"{_NAME_PREFIX}{element.id}"
        config = {"element": element.id}
        component = nlp.add_pipe(ENTITY_FACTORY, name=name, config=config, before=FACTORY)
        assert isinstance(component, EntityComponent)
        if template is not None:
            twin = template.get_pipe(name)
            assert isinstance(twin, EntityComponent)
            component.copy_from(twin)
        else:
            locale = model.locale_of(language)
            _configure(component, element, element.recognition, locale, model.source, cache)


def check_labels(model: Model, pipelines: Mapping[str, Language]) -> None:
    """Raise :class:`ModelError` for entities of spaCy that no pipeline of the model produces,
    unless they are optional."""
    known = [labels for nlp in pipelines.values() for labels in list_labels(nlp, FACTORY)]
    if problems := list(_unknown_labels(model, known)):
        raise ModelError(problems)


def _unknown_labels(model: Model, known: list[frozenset[str] | None]) -> Iterator[Problem]:
    labels = sorted(frozenset().union(*(some for some in known if some is not None)))
    folded = {label.casefold() for label in labels}
    for element in model.elements:
        recognition = element.recognition
        if recognition is None or recognition.kind != "spacy":
            continue
        if recognition.options.get("optional"):
            continue
        name = recognition.name
        if not known:
            yield Problem(
                f"no component of the spaCy pipeline finds entities, so nothing is found "
                f"for 'spacy:{name}'",
                model.source,
                hint="name a pipeline that does, as 'pipeline: en_core_web_sm' (once: python -m "
                "spacy download en_core_web_sm), or give one: Engine(…, nlp=nlp)",
            )
        elif None not in known and name.casefold() not in folded:
            meant = closest_match(name, labels)
            listed = f"it has {', '.join(labels[:_MAX_LABELS])}"
            yield Problem(
                f"the spaCy pipeline has no label '{name}'",
                model.source,
                hint=f"did you mean 'spacy:{meant}'?" if meant else listed,
            )


def _configure(
    component: EntityComponent,
    element: Element,
    recognition: RecognizerSpec,
    language: str,
    source: str,
    cache: Cache | None,
) -> None:
    name, options = recognition.name, recognition.options
    if recognition.kind == "component":
        name, options = f"spacy:{element.id}", {}
    elif recognition.kind == "spacy":
        name, options = f"spacy:{name}", {}
    try:
        component.configure(
            name,
            language=language,
            options=options,
            function=recognition.function,
            cache=cache,
        )
    except ModelError as error:
        raise ModelError(
            replace(one, source=one.source or source) for one in error.problems
        ) from error


def _add_user_component(
    nlp: Language, element: Element, recognition: RecognizerSpec, source: str
) -> None:
    """Add a user-defined component, which labels its entities with the id of the element.

    A component in the pipeline serves all elements that name it without options.
    """
    factory, options = recognition.name, dict(recognition.options)
    name = f"{factory} of {element.id}" if options else factory
    if not options and _has_component(nlp, factory):
        return
    if name in nlp.component_names:  # of another model, or behind the tagger
        nlp.remove_pipe(name)
    if not nlp.has_factory(factory):
        known = [one for one in registry.factories.get_all() if not one.startswith("anaphora_")]
        meant = closest_match(factory, known, min_similarity=0.8)
        raise ModelError(
            Problem(
                f"spaCy has no component '{factory}', which the element '{element.id}' names",
                source,
                hint=f"did you mean '{meant}'?"
                if meant
                else "register it with @Language.component or @Language.factory, and name its "
                "module under 'code:' so that it is imported",
            )
        )
    try:
        nlp.add_pipe(factory, name=name, config=options, before=FACTORY)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            Problem(
                f"the component '{factory}' of the element '{element.id}' cannot be created: "
                f"{format_error(error)}",
                source,
                hint="'config' is passed to its factory",
            )
        ) from error


def _has_component(nlp: Language, factory: str) -> bool:
    before = nlp.pipe_names[: nlp.pipe_names.index(FACTORY)]
    return any(nlp.get_pipe_meta(name).factory == factory for name in before)
