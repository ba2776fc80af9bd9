"""Parse entities and their context from the JSON options of ``anaphora eval``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import typer

from anaphora.core.request import Company, Request, User
from anaphora.core.utterance import Entity
from anaphora.grammar.context import EntityContext, ModelInfo, QuestionContext
from anaphora.grammar.suggestions import did_you_mean
from anaphora.grammar.values import describe_value

__all__ = ["parse_context"]

_EXAMPLES = {
    "--entity": """'{"element": "city", "value": "Tokyo"}'""",
    "--meta": """'{"model": {"unit": 2.5}}'""",
}
_MARKS = (
    "abstract", "bracketed", "compound", "misspelt", "permuted", "quoted", "stem", "swear",
)  # fmt: skip


def parse_context(entities: str | None = None, meta: str | None = None) -> EntityContext:
    """Build the evaluation context from two JSON texts.

    ``entities`` is an object with the attributes of one entity, or a list of such objects: the
    first is the entity to evaluate for, all of them are the sentence's. ``meta`` is an object of
    objects: model, intent, conversation, request, user, company, fragment.

    Raises ``typer.BadParameter`` for invalid JSON or attributes.
    """
    listed = _parse_entities(entities)
    sections = _parse_sections(meta)
    at = sections["request"].get("at")
    text = _select_texts("request", sections, "text")["text"] or ""
    model = {key: found or "" for key, found in _select_texts("model", sections, *_MODEL).items()}
    question = QuestionContext(
        entities=tuple(sorted(listed, key=lambda entity: entity.start)),
        text=text,
        at=datetime.now(UTC) if at is None else _parse_time("request", "at", at),
        request=Request(
            **_select_texts("request", sections, "id", "address", "agent"), data=sections["request"]
        ),
        user=_build_user(sections),
        model=ModelInfo(**model, meta=sections["model"]),
        intent_meta=sections["intent"],
        conversation_data=sections["conversation"],
        environment=os.environ,
    )
    context = EntityContext(listed[0] if listed else None, question)
    context.arguments = sections["fragment"]
    return context


_SECTIONS = ("model", "intent", "conversation", "request", "user", "company", "fragment")
_MODEL = ("id", "name", "version", "origin")
_COMPANY = ("name", "website", "country", "region", "city", "address", "postcode")


def _parse_sections(text: str | None) -> Mapping[str, Mapping[str, Any]]:
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


def _build_user(sections: Mapping[str, Mapping[str, Any]]) -> User:
    user = sections["user"]
    known = _select_texts("user", sections, "first_name", "last_name", "email")
    signed_up, admin = user.get("signed_up"), user.get("admin", False)
    if not isinstance(admin, bool):
        raise _bad_option(
            "--meta", f"'admin' of 'user' must be a boolean, not {describe_value(admin)}"
        )
    company = None
    if sections["company"]:
        company = Company(
            _select_texts("company", sections, "id")["id"] or "",
            **_select_texts("company", sections, *_COMPANY),
            meta=sections["company"],
        )
    return User(
        _select_texts("user", sections, "id")["id"] or "",
        **known,
        admin=admin,
        signed_up=None if signed_up is None else _parse_time("user", "signed_up", signed_up),
        company=company,
        meta=user,
    )


def _select_texts(
    section: str, sections: Mapping[str, Mapping[str, Any]], *keys: str
) -> Mapping[str, Any]:
    """The values of the keys in a section: texts, or None where missing.

    Raises ``typer.BadParameter`` for other values.
    """
    found = {key: sections[section].get(key) for key in keys}
    for key, value in found.items():
        if not isinstance(value, str | None):
            message = f"'{key}' of '{section}' must be a text, not {describe_value(value)}"
            raise _bad_option("--meta", message)
    return found


def _parse_time(section: str, key: str, value: object) -> datetime:
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
        fits, needed = _ATTRIBUTES[name]
        if not fits(value):
            raise _bad_option("--entity", f"'{name}' must be {needed}, not {describe_value(value)}")
    if "element" not in found:
        raise _bad_option("--entity", "an entity needs an 'element', the id of its element")
    text, start = found.get("text", ""), found.get("start", 0)
    given = {
        name: found[name] for name in ("value", "meta", "stem", "pos", "gaps") if name in found
    }
    return Entity(
        element=found["element"],
        groups=frozenset(found.get("groups") or [found["element"]]),
        text=text,
        start=start,
        end=found.get("end", start + len(text)),
        ancestors=tuple(found.get("ancestors", ())),
        lemma=found.get("lemma", text.lower()),
        aliases=tuple(found.get("aliases", ())),
        parts=tuple(_parse_entity(part) for part in found.get("parts", ())),
        marks=frozenset(found.get("marks", ())),
        own=found.get("own", True),
        **given,
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_TEXT = (_is_text, "a text")
_TEXTS = (_are_texts, "a list of texts")
_COUNT = (_is_count, "a non-negative integer")

_ATTRIBUTES: Mapping[str, tuple[Callable[[Any], bool], str]] = MappingProxyType(
    {
        "element": _TEXT,
        "value": (lambda value: isinstance(value, str | None), "a text or null"),
        "text": _TEXT,
        "groups": _TEXTS,
        "ancestors": _TEXTS,
        "meta": (lambda value: isinstance(value, dict), "an object"),
        "parts": (lambda value: isinstance(value, list), "a list of entities"),
        "aliases": _TEXTS,
        "start": _COUNT,
        "end": _COUNT,
        "stem": _TEXT,
        "lemma": _TEXT,
        "pos": _TEXT,
        "gaps": _COUNT,
        "marks": (
            lambda value: _are_texts(value) and set(value) <= set(_MARKS),
            f"a list of some of {', '.join(_MARKS)}",
        ),
        "own": (lambda value: isinstance(value, bool), "a boolean"),
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
