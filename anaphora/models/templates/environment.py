"""The Jinja environment of responses, prompts and offers: a sandbox with Anaphora's filters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import ChainableUndefined, pass_context
from jinja2.runtime import Context

from anaphora.models.templates.entity_text import EntityText
from anaphora.models.templates.formatting.filters import (
    FILTERS,
    FORMAT_LOCALE_KEY,
    Filter,
    FormatLocale,
)
from anaphora.models.templates.sandbox import TemplateSandbox

__all__ = ["TemplateEnvironment"]


class TemplateEnvironment(TemplateSandbox):
    """A sandbox with the filters ``date``, ``money`` …

    The parts of an entity take precedence over the methods of its text (``{{ book.title }}``);
    the parts of an empty slot are empty.
    """

    def __init__(self) -> None:
        super().__init__(autoescape=False, undefined=ChainableUndefined)
        self.filters.update({name: _with_locale(filter) for name, filter in FILTERS.items()})

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, EntityText) and (part := obj.part(attribute)) is not None:
            return part
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        is_part = isinstance(argument, str) and isinstance(obj, EntityText)
        if is_part and (part := obj.part(argument)) is not None:
            return part
        return super().getitem(obj, argument)


def _with_locale(filter: Filter) -> Callable[..., str]:
    @pass_context
    def format_value(context: Context, value: Any, *arguments: Any, **options: Any) -> str:
        return filter(FormatLocale(*context[FORMAT_LOCALE_KEY]), value, *arguments, **options)

    return format_value
