"""Expressions of the template language, whose values keep their type."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import nodes

__all__ = ["as_template", "sole_expression", "strip_braces"]


def as_template(expression: str) -> str:
    """The template that consists of ``expression`` alone."""
    return "{{ " + expression + " }}"


def strip_braces(expression: str) -> str:
    """An expression without the braces around it, if it has any."""
    stripped = expression.strip()
    if stripped.startswith("{{") and stripped.endswith("}}"):
        return stripped[2:-2].strip()
    return stripped


def sole_expression(tree: nodes.Template) -> nodes.Expr | None:
    """The expression that a template consists of; None for a template with more than one part."""
    from jinja2 import nodes  # lazily: a slow import

    match tree.body:
        case [nodes.Output(nodes=[nodes.Expr() as expression])]:
            return None if isinstance(expression, nodes.TemplateData) else expression
    return None
