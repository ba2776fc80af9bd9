"""The JSON Schema that editors use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anaphora.models.schema.json_schema import json_schema
from anaphora.models.schema.model_file import ModelSchema


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Every part of a schema that describes an object with fixed keys."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from objects(item)


def test_the_schema_names_itself_and_its_dialect() -> None:
    schema = json_schema()
    assert schema["title"] == "Anaphora model"
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["required"] == ["id"]


def test_every_key_is_described_and_no_other_is_allowed() -> None:
    found = list(objects(json_schema()))
    assert len(found) == 18
    for each in found:
        assert each["additionalProperties"] is False
        assert all(value.get("description") for value in each["properties"].values())


def test_the_schema_has_the_keys_of_a_model_file() -> None:
    assert set(json_schema()["properties"]) == {
        *("$schema", "id", "name", "version", "language", "description", "meta", "entities"),
        *("conversation", "macros", "elements", "intents", "responses", "prompts", "reset"),
        *("samples", "origin", "code", "sparse", "max_gap", "permute", "greedy"),
        *("max_synonyms", "validate", "confirm", "fallback", "free_words"),
        *("sentences", "home"),
        *("stop_words", "limits", "options", "pipeline", "handlers", "bridge", "recall_offers"),
        *("unused", "dialog_acts", "mentions", "offers", "choices"),
    }
    assert set(json_schema()["$defs"]["ElementSchema"]["properties"]) == {
        *("id", "description", "groups", "synonyms", "values", "parent", "topic", "meta"),
        *("id_synonym", "sparse", "max_gap", "permute", "greedy", "abstract", "value_loader"),
        *("recognizer", "config", "typos", "compounds", "refers", "several", "fresh", "counts"),
        *("validate", "combine"),
    }


def test_texts_may_be_written_as_numbers_and_languages_are_closed() -> None:
    schema = json_schema()
    assert schema["properties"]["version"]["type"] == ["string", "number"]
    by_language = schema["properties"]["reset"]["oneOf"][1]
    assert by_language["additionalProperties"] is False


def test_the_defaults_can_be_written_into_a_file() -> None:
    defaults = json_schema()["$defs"]["ConversationSchema"]["properties"]
    assert defaults["timeout"]["default"] == "5m"
    assert ModelSchema.model_fields["conversation"].default.depth == defaults["depth"]["default"]
