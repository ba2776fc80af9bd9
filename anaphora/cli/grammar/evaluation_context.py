"""Parse entities and their context from the JSON options of ``anaphora eval``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args

import typer
from msgspec import Meta, ValidationError, convert
from msgspec.structs import fields

from anaphora.core.name_hints import did_you_mean
from anaphora.core.request import Company, Request, User
from anaphora.core.utterance import Entity
from anaphora.grammar.context import EntityContext, ModelInfo, QuestionContext
from anaphora.grammar.values import describe_value

__all__ = ["parse_context"]

_EXAMPLES = {
    "--entity": """'{"element": "city", "value": "Tokyo"}'""",
    "--meta": """'{"model": {"unit": 2.5}}'""",
}
_SECTIONS = ("model", "intent", "conversation", "request", "user", "company", "fragment")
_Mark = Literal[
    "abstract", "bracketed", "compound", "misspelt", "permuted", "quoted", "stem", "swear"
]

_T = TypeVar("_T")
_Sections: TypeAlias = Mapping[str, Mapping[str, Any]]


def parse_context(entities: str | None = None, meta: str | None = None) -> EntityContext:
    """Build the evaluation context from two JSON texts.

    ``entities`` is an object with the attributes of one entity, or a list of such objects: the
    first is the entity to evaluate for, all of them are the sentence's. ``meta`` is an object of
    objects: model, intent, conversation, request, user, company, fragment.

    Raises ``typer.BadParameter`` for invalid JSON or attributes.
    """
    listed = _parse_entities(entities)
    sections = _parse_sections(meta)
    request, user = sections["request"], sections["user"]
    text = request.get("text", "")
    _check_value("request", "text", text, str | None)
    company = None
    if sections["company"]:
        company = _build(Company, "company", sections, meta=sections["company"])
    question = QuestionContext(
        entities=tuple(sorted(listed, key=lambda entity: entity.start)),
        text=text or "",
        at=_parse_time("request", "at", request.get("at")) or datetime.now(UTC),
        request=_build(Request, "request", sections, data=request, time_zone=None),
        user=_build(
            User,
            "user",
            sections,
            signed_up=_parse_time("user", "signed_up", user.get("signed_up")),
            company=company,
            meta=user,
        ),
        model=_build(ModelInfo, "model", sections, meta=sections["model"]),
        intent_meta=sections["intent"],
        conversation_data=sections["conversation"],
        environment=os.environ,
    )
    context = EntityContext(listed[0] if listed else None, question)
    context.arguments = sections["fragment"]
    return context


def _parse_sections(text: str | None) -> _Sections:
    found = {} if text is None else _parse_json(text, "--meta")
    if not isinstance(found, dict):
        raise _bad_option("--meta", f"it must be an object, not {describe_value(found)}")
    for name, section in found.items():
        if name not in _SECTIONS:
            hint = did_you_mean(name, _SECTIONS, label="there are")
            raise _bad_option("--meta", f"there is no '{name}'; {hint}")
        if not isinstance(section, dict):
            raise _bad_option(
                "--meta", f"'{name}' must be an object, not {describe_value(section)}"
            )
    return {name: found.get(name, {}) for name in _SECTIONS}


def _build(kind: type[_T], section: str, sections: _Sections, **values: Any) -> _T:
    """Build a ``kind`` from the section, which has its fields except ``values``.

    Raises ``typer.BadParameter`` for a field of another type.
    """
    for field in fields(kind):  # type: ignore[arg-type]  # a struct
        value = sections[section].get(field.name)
        is_given = field.name in sections[section] and (value is not None or field.type is bool)
        if field.name not in values and is_given:
            _check_value(section, field.name, value, field.type)
            values[field.name] = value
        elif field.required:
            values[field.name] = ""
    return kind(**values)


def _check_value(section: str, key: str, value: object, kind: Any) -> None:
    if not _fits(value, kind):
        needed = "a boolean" if kind is bool else "a text"
        message = f"'{key}' of '{section}' must be {needed}, not {describe_value(value)}"
        raise _bad_option("--meta", message)


def _parse_time(section: str, key: str, value: object) -> datetime | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        message = f"'{key}' of '{section}' must be a time such as 2026-01-05T09:30:00Z"
        raise _bad_option("--meta", f"{message}, not {describe_value(value)}") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _parse_entities(text: str | None) -> Sequence[Entity]:
    if text is None:
        return ()
    found = _parse_json(text, "--entity")
    listed = found if isinstance(found, list) else [found]
    try:
        return [_parse_entity(one) for one in listed]
    except RecursionError:
        raise _bad_option("--entity", "its parts are nested too deeply") from None


def _parse_entity(found: object) -> Entity:
    if not isinstance(found, dict):
        raise _bad_option("--entity", f"an entity must be an object, not {describe_value(found)}")
    for name, value in found.items():
        if name not in _ATTRIBUTES:
            hint = did_you_mean(name, _ATTRIBUTES, label="there are")
            raise _bad_option("--entity", f"an entity has no '{name}'; {hint}".rstrip("; "))
        kind, needed = _ATTRIBUTES[name]
        if not _fits(value, kind):
            raise _bad_option("--entity", f"'{name}' must be {needed}, not {describe_value(value)}")
    if "element" not in found:
        raise _bad_option("--entity", "an entity needs an 'element', the id of its element")
    text, start = found.get("text", ""), found.get("start", 0)
    given = {"text": text, "end": start + len(text), "lemma": text.lower()} | found
    given |= {
        "is_from_phrase": given.pop("own", True),
        "groups": frozenset(found.get("groups") or [found["element"]]),
        "ancestors": tuple(found.get("ancestors", ())),
        "aliases": tuple(found.get("aliases", ())),
        "parts": tuple(_parse_entity(part) for part in found.get("parts", ())),
        "marks": frozenset(found.get("marks", ())),
    }
    return Entity(**given)


def _fits(value: object, kind: Any) -> bool:
    try:
        convert(value, kind)
    except (ValidationError, UnicodeEncodeError):  # a lone surrogate is none of the marks
        return False
    return True


_TEXT = (str, "a text")
_TEXTS = (list[str], "a list of texts")
_COUNT = (Annotated[int, Meta(ge=0)], "a non-negative integer")
_ATTRIBUTES: Mapping[str, tuple[Any, str]] = MappingProxyType(
    {
        "element": _TEXT,
        "value": (str | None, "a text or null"),
        "text": _TEXT,
        "groups": _TEXTS,
        "ancestors": _TEXTS,
        "meta": (dict[str, Any], "an object"),
        "parts": (list[Any], "a list of entities"),
        "aliases": _TEXTS,
        "start": _COUNT,
        "end": _COUNT,
        "stem": _TEXT,
        "lemma": _TEXT,
        "pos": _TEXT,
        "gaps": _COUNT,
        "marks": (list[_Mark], f"a list of some of {', '.join(get_args(_Mark))}"),
        "own": (bool, "a boolean"),
        "negated": (bool, "a boolean"),
        "quantity": (int | float | None, "a number or null"),
    }
)


def _parse_json(text: str, option: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise _bad_option(option, "it is nested too deeply") from None
    except ValueError as error:
        raise _bad_option(
            option, f"it is not JSON: {error}; write it as {_EXAMPLES[option]}"
        ) from None


def _bad_option(option: str, message: str) -> typer.BadParameter:
    return typer.BadParameter(message, param_hint=option)
