"""Schemas of state memories: one text, or typed fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, create_model

from anaphora.agents.functions.function import CallError
from anaphora.storage.forks import LazyProperty

__all__ = ["FIELD_TYPES", "FieldType", "StateField", "StateSchema"]

FieldType: TypeAlias = Literal["text", "integer", "number", "boolean", "date", "list"]
FIELD_TYPES: tuple[FieldType, ...] = ("text", "integer", "number", "boolean", "date", "list")
_TEXT = "text"  # the name of the only parameter of a schema without fields
_MAX_ITEMS = 100
_LONGEST_ITEM = 500  # characters


@dataclass(frozen=True, slots=True)
class StateField:
    """A field: its type, what it means, the texts it is chosen from, and whether a complete value
    has it."""

    type: FieldType = "text"
    description: str = ""
    choices: tuple[str, ...] = ()
    required: bool = True


@dataclass(frozen=True)
class StateSchema:
    """The fields of a value; without fields it is one text. The value, written as text, has at most
    ``limit`` characters."""

    fields: Mapping[str, StateField] = field(default_factory=dict)
    limit: int = 2_000

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON Schema of the arguments of a function that writes the value."""
        return self._json_schema

    @LazyProperty
    def _json_schema(self) -> Mapping[str, Any]:
        schema = self._model.model_json_schema()
        schema.pop("title", None)
        schema.pop("required", None)
        for parameter in schema.get("properties", {}).values():
            for key in ("title", "default"):
                parameter.pop(key, None)
        return {**schema, "required": [] if self.fields else [_TEXT]}

    @LazyProperty
    def _model(self) -> type[BaseModel]:
        # By alias: a field may have the name of a method of the model, or be no word of Python.
        fields: dict[str, Any] = {
            f"field_{number}": (
                _annotate(one, self.limit) | None,
                Field(None, alias=name, description=one.description or None),
            )
            for number, (name, one) in enumerate((self.fields or {_TEXT: StateField()}).items())
        }
        return create_model("Value", __config__=ConfigDict(extra="forbid"), **fields)

    def merge(self, value: Any, arguments: Mapping[str, Any]) -> Any:
        """Return ``value`` (None: none yet) with the fields in ``arguments``; an empty text or null
        clears a field.

        Raises :class:`CallError`, meant for the model, if an argument does not fit.
        """
        try:
            checked = self._model.model_validate(dict(arguments))
        except ValidationError as error:
            raise CallError(_describe(error)) from None
        given = {
            name: _to_plain(getattr(checked, f"field_{number}"))
            for number, name in enumerate(self._names)
            if f"field_{number}" in checked.model_fields_set
        }
        if not given:
            raise CallError(f"no field is given; the fields are {', '.join(self._names)}")
        if not self.fields:
            merged: Any = given[_TEXT] or ""
        else:
            old = value if isinstance(value, dict) else {}
            both = {**old, **given}
            merged = {name: both[name] for name in self.fields if both.get(name) not in _EMPTY}
        if (size := len(self.format(merged))) > self.limit:
            raise CallError(
                f"the value would have {size:,} characters, more than its limit of "
                f"{self.limit:,}: write it shorter"
            )
        return merged

    def missing(self, value: Any) -> list[str]:
        """Return the required fields that a value lacks."""
        if not self.fields:
            return [] if isinstance(value, str) and value.strip() else [_TEXT]
        known = value if isinstance(value, dict) else {}
        return [
            name for name, one in self.fields.items() if one.required and known.get(name) in _EMPTY
        ]

    def format(self, value: Any) -> str:
        """Return a value as text, with a line for each field."""
        if not isinstance(value, dict):
            return "" if value is None else str(value)
        # A value of several lines must not pose as further fields.
        return "\n".join(
            [f"{name}: {' / '.join(_format(one).splitlines())}" for name, one in value.items()]
        )

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(self.fields) or (_TEXT,)


_EMPTY: tuple[Any, ...] = (None, "", [])


def _annotate(one: StateField, limit: int) -> Any:
    if one.choices:
        return Literal[one.choices]
    match one.type:
        case "text":
            return Annotated[str, StringConstraints(max_length=limit, strip_whitespace=True)]
        case "integer":
            return int
        case "number":
            return Annotated[float, Field(allow_inf_nan=False)]
        case "boolean":
            return bool
        case "date":
            return date
        case "list":
            item = Annotated[str, StringConstraints(max_length=_LONGEST_ITEM)]
            return Annotated[list[item], Field(max_length=_MAX_ITEMS)]


def _to_plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def _format(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(value)
    return value if isinstance(value, str) else json.dumps(value)


def _describe(error: ValidationError) -> str:
    return "; ".join(
        [
            f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg'].lower()}"
            for one in error.errors(include_url=False)
        ]
    )
