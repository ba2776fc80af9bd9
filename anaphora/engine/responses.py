"""Render the response, prompt and offer templates of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from anaphora.errors import HandlerError
from anaphora.intents.match import Slot
from anaphora.models.domain import LocalizedText, choose_translation
from anaphora.models.templates.formatting.filters import FORMAT_LOCALE_KEY
from anaphora.storage.forks import forks_delayed

__all__ = ["Responses", "SlotView"]


TemplateValues: TypeAlias = Callable[[], Mapping[str, Any]]
"""Returns the variables of a template; called only for templates that use one."""


class SlotView:
    """The slots for templates: ``slots.date.text``, ``slots.date.meta.grain``.

    Not a dictionary, whose methods would hide slots with their names (``items``, ``values``).
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
    """The texts of a model as sandboxed Jinja templates, compiled when first used.

    The templates are in ``model.responses``, ``prompts``, ``recall_offers``, ``unused`` and
    ``fallback``. ``locales`` are the tags of the languages that have a region in the model.
    """

    def __init__(self, locales: Mapping[str, str] = MappingProxyType({})) -> None:
        self._regional = {code: tag for code, tag in locales.items() if tag != code}
        self._environment: Any = None
        self._compiled: dict[str, Any] = {}
        self._values: dict[str, Callable[[Mapping[str, Any]], Any]] = {}

    def render(
        self, texts: LocalizedText | None, language: str, values: TemplateValues
    ) -> str | None:
        """Render a text of the model in a language; None if there is no text.

        Raises :class:`HandlerError` if the template cannot be rendered.
        """
        text = choose_translation(texts, language) if texts else None
        if text is None or "{" not in text:
            return text
        try:
            template = self._compiled.get(text)
            if template is None:
                with forks_delayed():
                    template = self._compiled[text] = self._get_environment().from_string(text)
            return str(template.render(self._localize(values())))
        except Exception as error:
            raise HandlerError(f"the response {text!r} cannot be rendered: {error}") from error

    def evaluate(self, template: str, values: Mapping[str, Any]) -> Any:
        """Evaluate a template: the value of its expression, or its text if it is more than one.

        Raises :class:`HandlerError` if that fails.
        """
        if "{" not in template:
            return template
        try:
            compiled = self._values.get(template)
            if compiled is None:
                with forks_delayed():
                    compiled = self._get_environment().compile_value(template)
                    self._values[template] = compiled
            return compiled(self._localize(values))
        except Exception as error:
            message = f"the template {template!r} cannot be evaluated: {error}"
            raise HandlerError(message) from error

    def _localize(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values with the region of the model in their locale."""
        if not self._regional or FORMAT_LOCALE_KEY not in values:
            return values
        language, *rest = values[FORMAT_LOCALE_KEY]
        return {**values, FORMAT_LOCALE_KEY: (self._regional.get(language, language), *rest)}

    def _get_environment(self) -> Any:
        if self._environment is None:
            from anaphora.models.templates.environment import TemplateEnvironment

            self._environment = TemplateEnvironment()
        return self._environment
