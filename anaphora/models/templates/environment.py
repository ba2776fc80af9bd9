"""The Jinja environment of responses, prompts and offers: a sandbox with Anaphora's filters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import ChainableUndefined, nodes, pass_context
from jinja2.environment import TemplateExpression
from jinja2.runtime import Context

from anaphora.models.templates.entity_text import BundleText, EntityText
from anaphora.models.templates.expressions import sole_expression
from anaphora.models.templates.formatting.filters import (
    FILTERS,
    FORMAT_LOCALE_KEY,
    Filter,
    FormatLocale,
)
from anaphora.models.templates.sandbox import TemplateSandbox

__all__ = ["TemplateEnvironment"]

_WITH_PARTS = (BundleText, EntityText)


class TemplateEnvironment(TemplateSandbox):
    """A sandbox with the filters ``date``, ``money`` …

    The parts of an entity take precedence over the methods of its text (``{{ book.title }}``);
    the parts of an empty slot are empty. A list is written as the language joins it.
    """

    def __init__(self) -> None:
        super().__init__(autoescape=False, undefined=ChainableUndefined, finalize=_join_values)
        self.filters.update({name: _with_locale(filter) for name, filter in FILTERS.items()})

    def compile_value(self, text: str) -> Callable[[Mapping[str, Any]], Any]:
        """Compile a template to a function of its variables. If it consists of one expression, the
        function returns its value (None if undefined), otherwise a text."""
        tree = self.parse(text)
        expression = sole_expression(tree)
        if expression is None:
            return self.from_string(tree).render
        result = nodes.Name("result", "store", lineno=1)
        assigned = nodes.Template([nodes.Assign(result, expression, lineno=1)], lineno=1)
        return TemplateExpression(self.from_string(assigned), undefined_to_none=True)

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, _WITH_PARTS) and (part := obj.part(attribute)) is not None:
            return part
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        is_part = isinstance(argument, str) and isinstance(obj, _WITH_PARTS)
        if is_part and (part := obj.part(argument)) is not None:
            return part
        return super().getitem(obj, argument)


@pass_context
def _join_values(context: Context, value: Any) -> Any:
    """Join a list that a template shows as it is: "tea, milk, and honey"."""
    if type(value) not in (list, tuple):
        return value
    from anaphora.models.templates.formatting.locales import find_locale, join_list

    locale = FormatLocale(*context[FORMAT_LOCALE_KEY])
    return join_list([str(one) for one in value], "standard", find_locale(locale.language))


def _with_locale(filter: Filter) -> Callable[..., str]:
    @pass_context
    def format_value(context: Context, value: Any, *arguments: Any, **options: Any) -> str:
        return filter(FormatLocale(*context[FORMAT_LOCALE_KEY]), value, *arguments, **options)

    return format_value
