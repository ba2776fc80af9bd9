"""A bot: a model with its pipeline, intent index, handlers and response templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from random import random
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from anaphora.core.utterance import SentenceReading, Utterance
from anaphora.engine.bots.model_upgrade import ModelUpgrade
from anaphora.engine.callbacks.fallback_handler import FallbackHandler, bind_fallback_handler
from anaphora.engine.callbacks.handlers import Handler, bind_handlers
from anaphora.engine.callbacks.hooks import Hooks
from anaphora.engine.responses import Responses
from anaphora.entities.cues.cue_words import load_cue_phrases
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.prefetch import PrefetchedUtterances, UnreadText
from anaphora.entities.sentences.reader import SentenceReader
from anaphora.entities.tokens.tokenizers import is_package_free
from anaphora.frozen import EMPTY
from anaphora.gc_control import gc_paused
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.combination.combiners import create_combiners
from anaphora.intents.decision.matching import IndexedModel
from anaphora.intents.interpretation.interpreter import Interpreter
from anaphora.models.domain import Model
from anaphora.storage.cache import Cache
from anaphora.storage.forks import LazyProperty, forks_delayed

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["DATE_ELEMENTS", "Bot"]

DATE_ELEMENTS = frozenset(("date", "nlpcraft:date"))  # the built-in elements

_GRACE_PERIOD = timedelta(minutes=1)


class Bot:
    """A model with all that is derived from it once; its conversations share it.

    ``nlp`` is a spaCy pipeline to extend instead of a blank one (or one for each language);
    ``random`` gives the numbers of ``rand``; ``cache`` stores the compiled phrase index. Raises
    :class:`ModelError` for a handler that the model names and that does not fit its intent.
    """

    def __init__(
        self,
        model: Model,
        *,
        nlp: Language | Mapping[str, Language] | None = None,
        max_characters: int = 10_000,
        random: Callable[[], float] = random,
        cache: Cache | None = None,
    ) -> None:
        self.model = model
        self._nlp, self._cache = nlp, cache
        self.sentences = (
            None if model.sentences is None else SentenceReader(model, model.sentences, cache=cache)
        )
        self.has_dates = any(element.id in DATE_ELEMENTS for element in model.elements)
        self.responses = Responses(model.locales)
        self.model_upgrade = ModelUpgrade(model)
        self.handlers = bind_handlers(model)
        self.fallback_handler = bind_fallback_handler(model)
        self.hooks = Hooks()
        self.model_info = model.info
        self._registered: dict[str, Callable[..., Any]] = {}
        self._registered_fallback: FallbackHandler | None = None
        # A user who comes back a little too late still gets to know what was forgotten, and why.
        self.time_to_live = (
            min(model.conversation.timeout, timedelta.max - _GRACE_PERIOD) + _GRACE_PERIOD
        )
        self.has_memory_only_intents = any(one.options.allow_stm_only for one in model.intents)
        self.indexed_model = IndexedModel.from_model(model)
        self.asks_before_answer = _asks_before_answer(model)
        self.interpreter = None if model.dialog_acts is None else Interpreter(self.indexed_model)
        self.combiners = create_combiners(model)
        self.random = random
        self.max_characters = max_characters
        self._reads_without_blocking = not model.pipelines and all(
            element.recognition is None or element.recognition.kind == "built-in"
            for element in model.elements
        )
        if not self._may_read_later():
            self.prepare()

    @LazyProperty
    def pipeline(self) -> Pipeline:
        """The pipeline of the model."""
        return Pipeline(self.model, self._nlp, cache=self._cache)

    def prepare(self) -> None:
        """Build what would else be built for the first question that is no whole sentence."""
        with gc_paused(), forks_delayed():
            assert self.pipeline is not None
            if self._cache is not None and self.interpreter is not None:
                for language in self.model.languages:
                    load_cue_phrases(language, self._cache)

    def _may_read_later(self) -> bool:
        """Whether the pipeline may be built later: whole sentences don't need it, and nothing in
        the model can make it fail."""
        return (
            self.sentences is not None
            and self._nlp is None
            and self._reads_without_blocking
            and all(map(is_package_free, self.model.languages))
        )

    @property
    def answers_without_blocking(self) -> bool:
        """Whether answers call no function that may be slow, and no statistical pipeline."""
        return (
            self._reads_without_blocking
            and not self.handlers
            and self.fallback_handler is None
            and self.hooks.is_empty
        )

    def on(self, intent: Intent, function: Callable[..., Any]) -> None:
        """Register ``function`` as the handler of ``intent``. Raises :class:`HandlerError` if its
        parameters do not fit the intent."""
        self.handlers[intent.id] = Handler.bind(function, intent)
        self._registered[intent.id] = function

    def on_fallback(self, handler: FallbackHandler) -> None:
        """Register the handler of rejected questions, which takes precedence over that of the
        model."""
        self.fallback_handler = self._registered_fallback = handler

    def adopt_callbacks(self, other: Bot) -> None:
        """Adopt the handlers and hooks registered with ``other``, the bot before a reload. A
        handler whose intent is gone is kept until the intent returns.

        Raises :class:`HandlerError` for a handler that no longer fits its intent.
        """
        self.hooks = other.hooks
        if other._registered_fallback is not None:
            self.on_fallback(other._registered_fallback)
        self._registered = dict(other._registered)
        for id, function in other._registered.items():
            if intent := self.model.intent(id):
                self.on(intent, function)

    def read(
        self,
        text: str,
        language: str | None = None,
        *,
        preferred_language: str = "",
        at: datetime | None = None,
        prefetched: PrefetchedUtterances | None = None,
        context: Mapping[str, Any] = EMPTY,
        goes_on: bool = True,
    ) -> Utterance:
        """Find the entities in ``text``; a text that is too long is not read.

        Without a ``language`` it is detected, and ``preferred_language`` wins a tie. ``at`` is the
        local time of the user. ``prefetched`` utterances are used if this bot's pipeline made them.
        ``context`` is what sentences of the model may require: the area that the text comes from.
        ``goes_on`` tells whether the text may go on with what was said before.
        Raises :class:`ModelError` for a language that the model lacks.
        """
        too_long = len(text) > self.max_characters
        sentences: tuple[SentenceReading, ...] = ()
        if self.sentences is not None and not too_long:
            sentences = self.sentences.read(text, context)
            best = sentences[0] if sentences else None
            # Any words may be other ones: "mets le volume à 20"
            is_open = best is not None and any(one.marks for one in best.entities)
            if best and not (best.needs_memory or ((goes_on or is_open) and best.leaves_place)):
                return Utterance(text, self.model.languages[0], (), sentences=sentences)
        if prefetched is not None and prefetched.pipeline is self.pipeline:
            utterance = prefetched.select_likeliest(preferred_language)
        else:
            utterance = self.pipeline(
                "" if too_long else text, language, preferred=preferred_language, at=at
            )
        if too_long:
            return replace(utterance, text=text)
        if self.sentences is not None:
            sentences = (*self.sentences.read_entities(utterance), *sentences)
        if sentences:
            everything = frozenset(range(len(utterance.tokens)))
            utterance = replace(utterance, sentences=sentences, understood=everything)
        return _drop_reset_entities(utterance) if utterance.resets else utterance

    def prefetch(self, texts: Sequence[UnreadText]) -> list[PrefetchedUtterances | None]:
        """Read texts as one batch, for :meth:`read` to use later; None for a text that must be read
        in its turn."""
        fitting = [one for one in texts if len(one.text) <= self.max_characters]
        read = iter(self.pipeline.prefetch(fitting))
        return [next(read) if len(one.text) <= self.max_characters else None for one in texts]


def _asks_before_answer(model: Model) -> bool:
    """Whether the bot may ask something of a question that is complete: for another value, for an
    optional term, or whether to carry it out."""
    return bool(model.validators or model.confirmations) or any(
        term.min == 0 and term.id in prompts
        for id, prompts in model.prompts.items()
        if (intent := model.intent(id)) is not None
        for term in intent.terms
    )


def _drop_reset_entities(utterance: Utterance) -> Utterance:
    """Drop the entities inside a reset phrase: "enough of the weather" asks for no weather."""
    resets = {index for reset in utterance.resets for index in reset}
    entities = (entity for entity in utterance.entities if resets.isdisjoint(entity.tokens))
    return replace(utterance, entities=tuple(entities), fallback_entities=())
