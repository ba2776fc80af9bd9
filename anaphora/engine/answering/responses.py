"""Response templates: a bot's answers without a line of Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from anaphora.errors import HandlerError
from anaphora.intents.match import Slot
from anaphora.models.domain import LocalizedText, Model, choose_translation
from anaphora.storage.forks import forks_delayed

__all__ = ["Responses", "SlotView"]


TemplateValues: TypeAlias = Callable[[], Mapping[str, Any]]
"""What a template may name, made for those that name something."""


class SlotView:
    """The slots as a template sees them: ``slots.date.text``, ``slots.date.meta.grain``.

    No dictionary, whose methods would hide slots of their names (``items``, ``values``).
    """

    __slots__ = ("_slots",)

    def __init__(self, slots: Mapping[str, Slot]) -> None:
        self._slots = slots

    def __getitem__(self, name: str) -> Slot:
        return self._slots[name]

    def __contains__(self, name: object) -> bool:
        return name in self._slots

    def __iter__(self) -> Iterator[str]:
        return iter(self._slots)


class Responses:
    """The responses, prompts and offers of a model as sandboxed Jinja templates, compiled when
    first used."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._environment: Any = None
        self._compiled: dict[str, Any] = {}

    def render_response(self, intent: str, language: str, values: TemplateValues) -> str | None:
        """The response of ``intent`` with the ``values`` in it, None if the model has none.

        Raises :class:`HandlerError` when the template cannot be filled.
        """
        return self._render(self._model.responses.get(intent), language, values)

    def render_prompt(self, intent: str, term: str, language: str, values: TemplateValues) -> str:
        """The question for a missing term of ``intent``; raises as :meth:`response` does."""
        text = self._model.prompts.get(intent, {}).get(term)
        return self._render(text, language, values) or ""

    def render_offer(self, intent: str, language: str, values: TemplateValues) -> str | None:
        """What asks whether it is still about the same, None if the model has no words for it;
        raises as :meth:`response` does."""
        return self._render(self._model.offers.get(intent), language, values)

    def render_unused_question(
        self, intent: str, language: str, values: TemplateValues
    ) -> str | None:
        """What asks about the rest of a sentence that ``intent`` leaves unused, None if the model
        has no words for it; raises as :meth:`response` does."""
        return self._render(self._model.unused.get(intent), language, values)

    def _render(
        self, texts: LocalizedText | None, language: str, values: TemplateValues
    ) -> str | None:
        text = choose_translation(texts, language) if texts else None
        if text is None or "{" not in text:
            return text
        try:
            template = self._compiled.get(text)
            if template is None:
                with forks_delayed():
                    template = self._compiled[text] = self._get_environment().from_string(text)
            return str(template.render(values()))
        except Exception as error:
            raise HandlerError(f"the response {text!r} cannot be filled: {error}") from error

    def _get_environment(self) -> Any:
        if self._environment is None:
            from anaphora.models.templates.environment import TemplateEnvironment

            self._environment = TemplateEnvironment()
        return self._environment
