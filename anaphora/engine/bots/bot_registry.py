"""The bots of an engine: loaded once, selected by their models, reloaded with their callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anaphora.core.name_hints import did_you_mean
from anaphora.engine.bots.bot import Bot
from anaphora.engine.callbacks.fallback_handler import FallbackHandler
from anaphora.engine.callbacks.hooks import HookName
from anaphora.errors import AnaphoraError, HandlerError, ModelError, Problem, UnknownModel
from anaphora.gc_control import gc_paused
from anaphora.models.domain import Model
from anaphora.models.loader import load_model
from anaphora.storage.cache import Cache
from anaphora.storage.forks import fork_safe_lock, forks_delayed

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["BotRegistry"]


class BotRegistry:
    """Bots by the ids of their models; the first is the default. Thread-safe.

    Copies of an engine share it: a reloaded model and a registered callback are those of all.
    Raises what loading a model raises.
    """

    def __init__(
        self,
        models: Iterable[Model | str | Path],
        *,
        nlp: Language | Mapping[str, Language] | None,
        max_characters: int,
        random: Callable[[], float],
        cache: Cache | None,
    ) -> None:
        self._cache = cache
        self._create_bot = partial(
            Bot, nlp=nlp, max_characters=max_characters, random=random, cache=cache
        )
        self._lock = fork_safe_lock()  # which bots there are, and what they call
        with gc_paused(), forks_delayed():
            loaded = [
                model if isinstance(model, Model) else load_model(model, cache=cache)
                for model in models
            ]
            _check_models(loaded, nlp)
            self._bots = {model.id: self._create_bot(model) for model in loaded}
        self._reload_locks = {id: fork_safe_lock() for id in self._bots}
        self._default = loaded[0].id

    def __iter__(self) -> Iterator[Bot]:
        return iter(tuple(self._bots.values()))

    def __len__(self) -> int:
        return len(self._bots)

    def get(self, model: str | None = None) -> Bot:
        """The bot of a model; of the default one if left out. Raises :class:`UnknownModel`."""
        id = self._default if model is None else model
        if id not in self._bots:
            raise UnknownModel(f"this engine has no model '{id}'{_format_hint(id, self._bots)}")
        return self._bots[id]

    def get_or_default(self, model: str | None) -> Bot:
        """The bot of a model, or the default one if there is none."""
        return self._bots.get(model or self._default) or self._bots[self._default]

    def select(self, model: str | None) -> list[Bot]:
        """The bot of a model, or all bots. Raises :class:`UnknownModel`."""
        return list(self) if model is None else [self.get(model)]

    def check_intent(self, intent: str, model: str | None) -> None:
        """Raise :class:`HandlerError` if no model (or not this one) has the intent."""
        known = dict.fromkeys(one.id for bot in self.select(model) for one in bot.model.intents)
        if intent not in known:
            raise HandlerError(f"no model has an intent '{intent}'{_format_hint(intent, known)}")

    def set_handler(self, intent: str, function: Callable[..., Any], model: str | None) -> None:
        """Set the handler of an intent of one model, or of all. Raises :class:`HandlerError` for an
        unknown intent or a parameter that is not a slot."""
        with self._lock:  # a reload must not miss the function
            self.check_intent(intent, model)
            for bot in self.select(model):
                if declared := bot.model.intent(intent):
                    bot.on(declared, function)

    def set_hook(self, name: HookName, function: Callable[..., Any], model: str | None) -> None:
        """Set a hook of one model, or of all. Raises :class:`HandlerError` for an unknown name."""
        with self._lock:
            for bot in self.select(model):
                bot.hooks.set(name, function)

    def set_fallback_handler(self, handler: FallbackHandler, model: str | None) -> None:
        """Set the handler of questions that nothing fits, of one model or of all."""
        with self._lock:
            for bot in self.select(model):
                bot.on_fallback(handler)

    def reload(self, model: str | None) -> Model:
        """Load the file of a model again; its bot keeps the registered callbacks. Concurrent calls
        for one model run in turn.

        Raises :class:`ModelError` or :class:`HandlerError` if the new model is invalid; the old
        one stays in use.
        """
        id = self.get(model).model.id
        with self._reload_locks[id], forks_delayed():
            source = self._bots[id].model.source
            if not source:
                raise AnaphoraError(f"the model '{id}' does not come from a file")
            reloaded = load_model(source, cache=self._cache)
            if reloaded.id != id:
                raise ModelError(
                    Problem(
                        f"the id of this model was '{id}' and is '{reloaded.id}' now",
                        source,
                        hint="conversations are kept by the model's id; start anew to change it",
                    )
                )
            bot = self._create_bot(reloaded)
            with self._lock:
                bot.adopt_callbacks(self._bots[id])
                self._bots[id] = bot
        return reloaded


def _check_models(models: list[Model], nlp: object) -> None:
    ids = [model.id for model in models]
    if twice := next((id for id in ids if ids.count(id) > 1), None):
        raise AnaphoraError(f"two models have the id '{twice}': give each model an id of its own")
    if nlp is not None and len(models) > 1:
        raise AnaphoraError(
            "a spaCy pipeline of your own serves one model: use one engine per model"
        )


def _format_hint(name: str, known: Iterable[str]) -> str:
    names = list(known)
    hint = did_you_mean(name, names) or f"there are: {', '.join(names)}"
    return f"; {hint}"
