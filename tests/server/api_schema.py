"""Compare JSON of the service with the description of its type in OpenAPI."""

from __future__ import annotations

from functools import cache

from jsonschema import Draft202012Validator

from anaphora.api.values import adapter

__all__ = ["assert_described"]


def assert_described(kind: type[object], plain: object) -> None:
    """Fail unless ``plain`` has all the required fields of ``kind``, of the right types, and no
    other ones."""
    _validator(kind).validate(plain)


@cache
def _validator(kind: type[object]) -> Draft202012Validator:
    return Draft202012Validator(adapter(kind).json_schema(mode="serialization"))
