"""The JSON Schema of model files, for editors."""

from __future__ import annotations

from typing import Any

from anaphora.models.schema.builtin_entities import BUILTIN_ENTITIES, BuiltinEntity
from anaphora.models.schema.model_file import ModelSchema

__all__ = ["json_schema"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """The JSON Schema of model files, with a description for every key."""
    schema = ModelSchema.model_json_schema(by_alias=True)
    schema["$defs"]["ElementSchema"]["allOf"] = [
        _config_rule(entity) for entity in BUILTIN_ENTITIES.values() if entity.options
    ]
    return {"$schema": _DIALECT, **_tidy(schema), "title": "Anaphora model"}


def _config_rule(entity: BuiltinEntity) -> dict[str, Any]:
    """The rule for the options of an element whose recognizer is this built-in entity."""
    options = {
        name: {"description": option.description, "default": option.default}
        for name, option in entity.options.items()
    }
    recognizer = {"recognizer": {"const": entity.name}}
    return {
        "if": {"required": ["recognizer"], "properties": recognizer},
        "then": {"properties": {"config": {"properties": options}}},
    }


def _tidy(schema: Any) -> Any:
    """Remove titles that repeat keys; forbid further keys where they follow a pattern."""
    if isinstance(schema, list):
        return [_tidy(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    tidied = {
        key: _tidy(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }
    if "patternProperties" in tidied:
        tidied["additionalProperties"] = False
    return tidied
