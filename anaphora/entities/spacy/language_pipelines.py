"""The spaCy pipeline of a model in one language: built here, or given by the user."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from spacy.language import Language

from anaphora.entities.spacy.pipeline_factory import add_recognizers
from anaphora.entities.spacy.tagger import FACTORY, ElementTagger
from anaphora.entities.tokens.tokenizers import blank
from anaphora.errors import ModelError, Problem
from anaphora.models.building.recognizer_signature import accepts_parameter
from anaphora.models.domain import Element, Model
from anaphora.storage.cache import Cache

__all__ = [
    "OwnPipeline",
    "PipelineSource",
    "UserPipeline",
    "build_pipeline",
    "get_tagger",
    "needs_doc",
]

_NEW_STRINGS = 20_000  # in a vocabulary, until a new memory zone is opened
_ZONES = 100  # until a new pipeline is created
_MAX_TEXT_LENGTH = 1 << 30  # characters, the most that spaCy's tokenizer takes


def build_pipeline(
    model: Model, language: str, nlp: Language | None = None, cache: Cache | None = None
) -> Language:
    """Build a spaCy pipeline that finds the elements of ``model`` in texts in ``language``.

    A given ``nlp`` keeps its components and gets the tagger as its last one; a tagger that it
    already has is configured for this model. With a ``cache``, the phrase index of a blank pipeline
    and data of recognizers are loaded from it or stored in it. Raises :class:`ModelError` when
    spaCy does not have the language or lacks a package for it.
    """
    is_blank = nlp is None
    if nlp is None:
        nlp = _create_blank_pipeline(language, model.source)
    elif FACTORY not in nlp.pipe_names:
        nlp.add_pipe(FACTORY)
    add_recognizers(nlp, model, language, cache=cache)
    get_tagger(nlp).configure(model, language, cache if is_blank else None)
    return nlp


PipelineSource: TypeAlias = Callable[[], Language]
"""Returns the spaCy pipeline for the next text. To be called while no Doc is in use."""


class OwnPipeline:
    """A blank pipeline with a bounded vocabulary.

    The vocabulary of the first texts stays, since everyday words are among it. After that a memory
    zone is opened, which is closed and opened anew each time it is full (1.5 ms). spaCy's hash
    tables keep 24 bytes of each word even so; after many zones a new blank pipeline replaces the
    old one (20 to 80 ms). If user-defined code may keep a Doc or parts of it, no zone is used, as
    it would free their memory: then the new pipeline comes at once.
    """

    def __init__(self, model: Model, language: str, cache: Cache | None) -> None:
        self._language = language
        self._model = model
        self._most_zones = 0 if any(map(needs_doc, model.elements)) else _ZONES
        self._start(build_pipeline(model, language, cache=cache))

    def __call__(self) -> Language:
        if self._is_changing or len(self._nlp.vocab.strings) >= self._max_strings:
            self._release_vocabulary()
        return self._nlp

    def _start(self, nlp: Language) -> None:
        self._nlp = nlp
        self._zone: AbstractContextManager[Any] | None = None
        self._zones = 0
        self._max_strings = len(nlp.vocab.strings) + _NEW_STRINGS
        self._is_changing = False

    def _release_vocabulary(self) -> None:
        # Another thread was here when the process was forked: its zone is
        # neither open nor closed.
        was_interrupted, self._is_changing = self._is_changing, True
        if self._zone is not None and not was_interrupted:
            self._zone.__exit__(None, None, None)
        if was_interrupted or self._zones == self._most_zones:
            fresh = _create_blank_pipeline(self._language, self._model.source)
            add_recognizers(fresh, self._model, self._language, template=self._nlp)
            get_tagger(fresh).copy_from(get_tagger(self._nlp))
            self._start(fresh)
            return
        self._zone = self._nlp.memory_zone()
        self._zone.__enter__()
        self._zones += 1
        self._max_strings = len(self._nlp.vocab.strings) + _NEW_STRINGS
        self._is_changing = False


class UserPipeline:
    """A pipeline of the user, unchanged."""

    def __init__(self, model: Model, language: str, nlp: Language) -> None:
        self._nlp = build_pipeline(model, language, nlp)
        self._tagger = get_tagger(nlp)
        self._phrase_index = self._tagger.phrase_index
        self._model = model

    def __call__(self) -> Language:
        if (
            self._nlp.get_pipe(FACTORY) is self._tagger
            and self._tagger.phrase_index is self._phrase_index
        ):
            return self._nlp
        raise ModelError(
            Problem(
                f"the spaCy pipeline of the model '{self._model.id}' now serves another model",
                self._model.source,
                hint="give each model a pipeline of its own",
            )
        )


def _create_blank_pipeline(language: str, source: str) -> Language:
    nlp = blank(language, source=source)
    nlp.max_length = _MAX_TEXT_LENGTH  # spaCy's own limit is for parsers
    nlp.add_pipe(FACTORY)
    return nlp


def get_tagger(nlp: Language) -> ElementTagger:
    tagger = nlp.get_pipe(FACTORY)
    if not isinstance(tagger, ElementTagger):
        raise ModelError(Problem(f"the component '{FACTORY}' is no tagger of Anaphora"))
    return tagger


def needs_doc(element: Element) -> bool:
    """Whether the element is found by something that reads a Doc: labels of spaCy, or a
    user-defined function with such a parameter."""
    recognition = element.recognition
    if recognition is None or recognition.kind == "built-in":
        return False
    function = recognition.function
    return function is None or accepts_parameter(function, "doc")
