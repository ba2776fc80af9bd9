"""The declarative model: files → validated, frozen values.

The JSON Schema of the files is in :mod:`anaphora.models.json_schema`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anaphora.models.domain import Element, Model
    from anaphora.models.durations import format_duration, parse_duration
    from anaphora.models.loader import load_model, parse_model

__all__ = [
    "Element",
    "Model",
    "format_duration",
    "load_model",
    "parse_duration",
    "parse_model",
]

_HOMES = {
    "Element": "domain",
    "Model": "domain",
    "format_duration": "durations",
    "load_model": "loader",
    "parse_duration": "durations",
    "parse_model": "loader",
}


def __getattr__(name: str) -> Any:
    """Public names load what they need on first use: pydantic and the YAML reader take time."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
