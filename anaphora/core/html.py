"""Small HTML cards for notebooks: how values show themselves in Jupyter.

All texts are escaped. Colors are translucent or inherited, so that a card is readable in light and
dark themes; styles are inline, because viewers of notebooks remove style sheets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["build_card", "build_rows", "build_table", "build_text"]

_TONES = {
    "matched": "46,160,67",
    "incomplete": "210,153,34",
    "rejected": "218,54,51",
    "reset": "56,139,201",
}
_NEUTRAL = "128,128,128"
_CELL = "text-align:left;vertical-align:top;padding:1px 14px 1px 0;white-space:pre-wrap"
_QUIET = "opacity:.65;font-weight:normal"


def build_card(badge: str, title: str, *parts: str, subtitle: str = "") -> str:
    """Build a card: a ``badge`` in its color (that of a status, else gray), a ``title`` in bold, a
    quiet ``subtitle``, and below them the ``parts``, which are HTML already; '' is left out."""
    tone = _TONES.get(badge, _NEUTRAL)
    head = [f'<span style="background:rgba({tone},.22);border-radius:3px;padding:0 6px">']
    head.append(f"{escape(badge)}</span>")
    if title:
        head.append(f" <b>{escape(title)}</b>")
    if subtitle:
        head.append(f' <span style="{_QUIET}">{escape(subtitle)}</span>')
    body = "".join(f'<div style="margin-top:4px">{part}</div>' for part in parts if part)
    return (
        f'<div style="border-left:3px solid rgba({tone},.8);padding:2px 0 2px 10px;'
        f'margin:4px 0;color:inherit;background:transparent">{"".join(head)}{body}</div>'
    )


def build_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Build a table with quiet headers; '' if it has no rows."""
    body = [_build_row([escape(cell) for cell in row]) for row in rows]
    if not body:
        return ""
    head = "".join(f'<th style="{_CELL};{_QUIET}">{escape(name)}</th>' for name in headers)
    return _build_body([f'<tr style="background:transparent">{head}</tr>', *body])


def build_rows(rows: Iterable[tuple[str, str]]) -> str:
    """Build a table of labels and texts without headers; '' if it has no rows. A label that
    repeats the one above is left out."""
    body, last = [], ""
    for label, text in rows:
        shown = "" if label == last else escape(label)
        label_html = f'<span style="{_QUIET};white-space:nowrap">{shown}</span>'
        body.append(_build_row([label_html, escape(text)]))
        last = label
    return _build_body(body) if body else ""


def build_text(text: str) -> str:
    """Build a line of text that keeps its line breaks; '' for an empty one."""
    return f'<span style="white-space:pre-wrap">{escape(text)}</span>' if text else ""


def _build_body(rows: Iterable[str]) -> str:
    style = "border-collapse:collapse;border:none;margin:0;color:inherit;font-size:inherit"
    return f'<table style="{style}">{"".join(rows)}</table>'


def _build_row(cells: Iterable[str]) -> str:
    shown = "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells)
    return f'<tr style="background:transparent">{shown}</tr>'
