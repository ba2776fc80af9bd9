"""Shared parts of the API types: field descriptions, open enumerations, encoding, decoding.

The types are plain dataclasses. Pydantic, which validates and describes them, takes long to import
and is loaded when the first value is encoded or decoded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = [
    "BY",
    "NEGATED",
    "NOT_NULL",
    "QUANTITY",
    "QUICK_REPLIES",
    "OneOf",
    "Resource",
    "Source",
    "Speaker",
    "Status",
    "Value",
    "adapter",
    "decode",
    "doc",
    "encode",
    "to_plain",
]

_T = TypeVar("_T")


class OneOf:
    """An annotation of text fields: the values that a server sends today.

    OpenAPI lists them. A client accepts others too, since a newer server may send more.
    """

    def __init__(self, *values: str) -> None:
        self.values = values

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema: dict[str, Any] = handler(core_schema)
        return schema | {"enum": list(self.values)}


Status: TypeAlias = Annotated[str, OneOf("matched", "incomplete", "rejected", "reset")]
Source: TypeAlias = Annotated[str, OneOf("sentence", "memory")]
Speaker: TypeAlias = Annotated[str, OneOf("user", "bot")]


NOT_NULL = {"not_null": True}
"""The metadata of a field that servers always send; None is the default of clients."""


def doc(
    description: str, *, omit_none: bool = False, omit_empty: bool = False, **extra: Any
) -> dict[str, Any]:
    """Create the metadata of a field: its OpenAPI description, and whether JSON omits None, or
    whatever is empty or false."""
    omitted: dict[str, Any] = {}
    if omit_none or omit_empty:
        omitted["exclude_if"] = _is_none if omit_none else _is_empty
    return {"description": description} | omitted | extra


def _is_empty(value: object) -> bool:
    return not value


def _is_user(value: object) -> bool:
    return value == "user"


def _is_none(value: object) -> bool:
    return value is None


QUANTITY = doc("The number that counts it in the text, if there is one.", omit_none=True)
"""The metadata of fields with the quantity of an entity."""

NEGATED = doc("Whether the user excludes it; only sent if so.", omit_empty=True)
"""The metadata of fields that say whether an entity is negated."""

QUICK_REPLIES = doc(
    "Texts for buttons: a yes and a no if it waits for one, else one for each of the offers, which "
    "accepts it.",
    omit_empty=True,
)
"""The metadata of fields with the answers that a button may send."""

BY = doc("Who said it first; only sent if it was the bot.", exclude_if=_is_user)
"""The metadata of fields that say who said a remembered entity."""


def _finish_schema(schema: dict[str, Any], kind: type[Any]) -> None:
    """Describe what servers send: no additional fields, and no defaults, which only clients use."""
    schema["additionalProperties"] = False
    for name, described in schema.get("properties", {}).items():
        described.pop("default", None)
        metadata = kind.__dataclass_fields__[name].metadata
        if "anyOf" in described and metadata.keys() & {"exclude_if", "not_null"}:
            kinds = [one for one in described.pop("anyOf") if one != {"type": "null"}]
            described.update(kinds[0] if len(kinds) == 1 else {"anyOf": kinds})


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON object of the API. On the client, missing fields take their defaults."""

    __pydantic_config__ = {  # noqa: RUF012 - Pydantic wants a dictionary
        "json_schema_serialization_defaults_required": True,
        "json_schema_extra": _finish_schema,
        "ser_json_timedelta": "float",
    }


@dataclass(frozen=True, slots=True)
class Resource(Value):
    """The whole response of an endpoint. On the client, ``raw`` is the JSON as received."""

    raw: Mapping[str, Any] = field(
        default_factory=dict, repr=False, compare=False, kw_only=True, metadata={"exclude": True}
    )


def encode(value: Any) -> bytes:
    """Encode ``value`` as JSON; unsupported objects become text.

    Raises :class:`pydantic_core.PydanticSerializationError` for text that isn't Unicode.
    """
    encoded: bytes = adapter(type(value)).serializer.to_json(value, warnings=False, fallback=str)
    return encoded


def to_plain(value: Any) -> Any:
    """Convert ``value`` to JSON-able data, except for objects that recognizers leave in
    metadata."""
    serializer = adapter(type(value)).serializer
    return serializer.to_python(value, mode="json", warnings=False, fallback=str)


def decode(kind: type[_T], plain: object, **extra: Any) -> _T:
    """Decode a JSON object into a ``kind``; ``extra`` are additional fields.

    Unknown fields are ignored. If ``kind`` is a :class:`Resource`, its ``raw`` is ``plain``. Raises
    ``ValueError`` for data of another shape.
    """
    if not isinstance(plain, dict):
        raise ValueError(f"expected a JSON object, not {type(plain).__name__}")
    value: _T = adapter(kind).validate_python({**plain, **extra, "raw": plain})
    return value


def adapter(kind: type[Any]) -> TypeAdapter[Any]:
    """Return the (cached) adapter that validates, encodes and describes values of ``kind``."""
    found = _adapters.get(kind)
    if found is None:
        from pydantic import TypeAdapter

        found = _adapters[kind] = TypeAdapter(kind)
    return found


_adapters: dict[type[Any], TypeAdapter[Any]] = {}
