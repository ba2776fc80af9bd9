"""How the JSON of the service becomes values."""

from __future__ import annotations

from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["decode", "raw_field"]

_T = TypeVar("_T")


def decode(kind: type[_T], plain: object, **extra: Any) -> _T:
    """The value that ``plain`` (of JSON) describes, with what is ``known`` beside it; fields that
    it doesn't know are left alone, and the whole is its ``raw``.

    Raises ``ValueError`` for data of another shape.
    """
    if not isinstance(plain, dict):
        raise ValueError(f"a JSON object should have come, not {type(plain).__name__}")
    adapter = _adapter(kind)  # type: ignore[arg-type]  # mypy doesn't see that a type is hashable
    value: _T = adapter.validate_python({**plain, **extra, "raw": plain})
    return value


def raw_field() -> Any:
    """The field of a value that holds what the service said."""
    return field(default_factory=dict, repr=False, compare=False)


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter  # not before an answer comes: importing it takes time

    return TypeAdapter(kind)
