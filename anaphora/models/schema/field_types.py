"""The types of values in model files, which validate single values with readable messages."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from anaphora.models.domain import Referent
from anaphora.models.reading.nodes import SourceFloat, SourceInt
from anaphora.models.schema.builtin_entities import BUILTIN_ENTITIES, NLPCRAFT_ENTITIES
from anaphora.models.schema.durations import parse_duration

__all__ = [
    "ALTERNATIVE_TAG",
    "LIST_TAG",
    "MAP_TAG",
    "NONE_TAG",
    "ONE_TAG",
    "Count",
    "Duration",
    "ElementValuesField",
    "EntityName",
    "Flag",
    "FreeData",
    "FreshStartField",
    "Identifier",
    "IntentData",
    "IntentName",
    "Language",
    "LanguageTags",
    "LocalizedTextField",
    "LocalizedTextLists",
    "MacroName",
    "Name",
    "PositiveInteger",
    "Recognizer",
    "Referents",
    "SchemaBase",
    "SlotTexts",
    "Text",
    "Typos",
    "ZonedTime",
    "choose_by_type",
    "describe_value",
    "is_language",
]

ALTERNATIVE_TAG = "·"
"""The prefix of the tags of alternatives in the locations of errors."""

LIST_TAG, MAP_TAG, NONE_TAG, ONE_TAG = (
    Tag(ALTERNATIVE_TAG + kind) for kind in ("list", "map", "none", "one")
)

_IDENTIFIER = re.compile(r"[^\W\d][\w:.-]*")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_REGION_PATTERN = "(?:-[A-Z]{2})?"


def describe_value(value: Any) -> str:
    """Describe a value for messages: "text", "a list", "the number 5", "nothing"."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            return "text"
        case int() | float():
            return f"the number {getattr(value, 'written', value)}"
        case list():
            return "a list"
        case dict():
            return "a mapping"
    return type(value).__name__


def is_language(key: str) -> bool:
    """Whether ``key`` has the form of the code of a language."""
    return bool(_LANGUAGE.fullmatch(key))


def _schema_error(message: str, hint: str = "") -> PydanticCustomError:
    # Through the context, so that braces in the text are not parsed as a template.
    return PydanticCustomError("custom", "{message}", {"message": message, "hint": hint})


def _validate_text(value: Any) -> Any:
    """Accept text, and numbers as they are written (``version: 1.10``)."""
    if isinstance(value, str):
        return value
    if isinstance(value, SourceInt | SourceFloat):
        return value.written
    hint = ""
    if isinstance(value, bool):
        hint = f'put it in quotes to make it text: "{describe_value(value)}"'
    elif isinstance(value, dict):
        hint = "a ': ' makes a mapping in YAML: put the text in quotes, or behind >-"
    raise _schema_error(f"expected text, not {describe_value(value)}", hint)


def _validate_name(value: Any) -> str:
    text: str = _validate_text(value)
    if not text.strip():
        raise _schema_error("expected a name, not an empty text")
    return text


def _validate_identifier(value: Any) -> str:
    text = _validate_name(value)
    if not _IDENTIFIER.fullmatch(text):
        raise _schema_error(
            f"'{text}' cannot be an id",
            "an id begins with a letter and goes on with letters, digits, '_', '-', ':' and '.'",
        )
    return text


def _validate_intent_name(value: Any) -> str:
    text = _validate_identifier(value)
    if "." in text:
        raise _schema_error(
            f"'{text}' cannot be an id in an intent", "the intent language has no ids with points"
        )
    return text


def _validate_language(value: Any) -> str:
    text: str = _validate_text(value)
    if not is_language(text):
        raise _schema_error(f"'{text}' is not the code of a language", "write it as en, fr or ru")
    return text


def _validate_language_tag(value: Any) -> str:
    text: str = _validate_text(value)
    language, _, region = text.partition("-")
    if not is_language(language) or not re.fullmatch(_REGION_PATTERN, text[len(language) :]):
        shown = f"{language.lower()}-{region.upper()}" if region else ""
        hint = "write it as en, fr or ru, or with a region: en-GB"
        known = is_language(shown.partition("-")[0]) and region.isalpha() and len(region) == 2
        raise _schema_error(
            f"'{text}' is not the code of a language", f"did you mean {shown}?" if known else hint
        )
    return text


def _validate_entity(value: Any) -> str:
    if isinstance(value, dict):
        name = next(iter(value), "")
        hint = f"what has options is an element: {{id: {name}, recognizer: {name}, config: {{…}}}}"
        if name in ("spacy", "nlpcraft"):
            hint = f"write it without a blank behind the colon: '{name}:{value[name]}'"
        raise _schema_error(f"expected the name of an entity, not {describe_value(value)}", hint)
    return _validate_name(value).strip()


def _validate_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _schema_error(f"expected true or false, not {describe_value(value)}")
    return value


def _validate_fresh_start(value: Any) -> Any:
    if isinstance(value, bool) or value == "ask":
        return value
    shown = f"'{value}'" if isinstance(value, str) else describe_value(value)
    raise _schema_error(f"expected true, false or ask, not {shown}")


def _integer_validator(minimum: int, maximum: float = math.inf, hint: str = "") -> BeforeValidator:
    """Accept a whole number within the bounds, also as ``3.0``, which JSON Schema allows."""

    def validate(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float) or value % 1:
            raise _schema_error(f"expected a whole number, not {describe_value(value)}")
        if value < minimum:
            raise _schema_error(f"expected at least {minimum}, not {int(value)}")
        if value > maximum:
            raise _schema_error(f"expected at most {maximum}, not {int(value)}", hint)
        return int(value)

    return BeforeValidator(validate)


def _validate_duration(value: Any) -> timedelta:
    if isinstance(value, SourceInt | SourceFloat):
        raise _schema_error(
            f"the duration {value.written} needs a unit", f"write {value.written}s for seconds"
        )
    text: str = _validate_text(value)
    try:
        duration = parse_duration(text)
    except ValueError as error:
        raise _schema_error(str(error)) from None
    if not duration:
        raise _schema_error("a duration must be longer than nothing")
    return duration


def _validate_moment(value: Any) -> datetime:
    text: str = _validate_text(value)
    with suppress(ValueError):
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment
    raise _schema_error(
        f"'{text}' is no time with a time zone", "write it as 2026-01-05T09:00+01:00"
    )


def _to_plain_numbers(value: Any) -> Any:
    """Convert the numbers in free data to plain ones."""
    match value:
        case SourceInt():
            return int(value)
        case SourceFloat():
            return float(value)
        case list():
            return [_to_plain_numbers(item) for item in value]
        case dict():
            return {key: _to_plain_numbers(item) for key, item in value.items()}
    return value


def choose_by_type(expected: str, **kinds: type) -> Discriminator:
    """Choose among the alternatives of a type by the class of the value."""
    tags = {kind: f"{ALTERNATIVE_TAG}{tag}" for tag, kind in kinds.items()}

    def tag_of(value: Any) -> str | None:
        return next((tag for kind, tag in tags.items() if isinstance(value, kind)), None)

    return Discriminator(
        tag_of,
        custom_error_type="expected",
        custom_error_message=f"expected {expected}",
    )


def _validate_intent_data(value: Any) -> Any:
    """Refuse numbers that the intent language cannot write."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case list() as items:
                waiting += items
            case dict() as items:
                waiting += items.values()
            case int() | float() as number if not -(2**63) <= number < 2**63:
                if isinstance(number, int) or not math.isfinite(number):
                    raise _schema_error(f"the number {number} does not fit into 64 bits")
    return value


_TEXT_OR_NUMBER = WithJsonSchema({"type": ["string", "number"]})
_NAME_OR_NUMBER = WithJsonSchema({"type": ["string", "number"], "pattern": r"\S"})
_UNIQUE_ITEMS = Field(json_schema_extra={"uniqueItems": True})

# In some JSON Schema validators \w matches only ASCII: the pattern excludes all other characters
# instead, ASCII punctuation and the common blocks of symbols.
_NON_IDENTIFIER_CHARACTERS = (
    r"\s\x00-\x20!-,/;-@\[-^`{-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u2000-\u2070\u207a-\u207e"
    r"\u20a0-\u20cf\u2190-\u245f\u2500-\u2bff\u3000-\u3004\u3008-\u3020\ufe50-\ufe6f\uff00-\uff0f"
)
_IDENTIFIER_PATTERN = rf"^[^{_NON_IDENTIFIER_CHARACTERS}.:0-9-][^{_NON_IDENTIFIER_CHARACTERS}]*$"
_INTENT_NAME_PATTERN = rf"^[^{_NON_IDENTIFIER_CHARACTERS}.:0-9-][^{_NON_IDENTIFIER_CHARACTERS}.]*$"

_AMOUNT = r"[0-9]{1,9}(\.[0-9]{1,6})?"
_DURATION_PATTERN = (
    rf"^(?=.*[1-9])\s*(({_AMOUNT}\s*[dD]\s*)?({_AMOUNT}\s*[hH]\s*)?({_AMOUNT}\s*[mM]\s*)?"
    rf"({_AMOUNT}\s*[sS])?|[pP]({_AMOUNT}[dD])?([tT]({_AMOUNT}[hH])?({_AMOUNT}[mM])?"
    rf"({_AMOUNT}[sS])?)?)\s*$"
)
_MOMENT_PATTERN = r"^[0-9]{4}-?[0-9W].*[^0-9].*([zZ]|[+-][0-9]{2}(:?[0-9]{2}.*)?)$"

Text: TypeAlias = Annotated[str, BeforeValidator(_validate_text), _TEXT_OR_NUMBER]
Name: TypeAlias = Annotated[str, BeforeValidator(_validate_name), _NAME_OR_NUMBER]
MacroName: TypeAlias = Annotated[
    str,
    BeforeValidator(_validate_text),
    WithJsonSchema({"type": "string", "pattern": "^<[A-Za-z0-9_-]+>$"}),
]
_BUILTIN_NAME = {"enum": [*BUILTIN_ENTITIES, *NLPCRAFT_ENTITIES]}
_SPACY_LABEL = {"type": "string", "pattern": r"^spacy:\S+$", "examples": ["spacy:PERSON"]}
EntityName: TypeAlias = Annotated[
    str, BeforeValidator(_validate_entity), WithJsonSchema({"anyOf": [_BUILTIN_NAME, _SPACY_LABEL]})
]
Recognizer: TypeAlias = Annotated[
    str,
    BeforeValidator(_validate_name),
    WithJsonSchema(
        {
            "anyOf": [
                _BUILTIN_NAME,
                _SPACY_LABEL,
                {"type": "string", "pattern": r"^component:\S+$"},
                {"type": "string", "pattern": r"^[\w.]*#[\w.]+$"},
            ]
        }
    ),
]
Identifier: TypeAlias = Annotated[
    str,
    BeforeValidator(_validate_identifier),
    WithJsonSchema({"type": "string", "pattern": _IDENTIFIER_PATTERN}),
]
IntentName: TypeAlias = Annotated[
    str,
    BeforeValidator(_validate_intent_name),
    WithJsonSchema({"type": "string", "pattern": _INTENT_NAME_PATTERN}),
]
Language: TypeAlias = Annotated[
    str,
    BeforeValidator(_validate_language),
    WithJsonSchema({"type": "string", "pattern": "^[a-z]{2,3}$"}),
]
LanguageTag: TypeAlias = Annotated[
    str,
    BeforeValidator(_validate_language_tag),
    WithJsonSchema({"type": "string", "pattern": f"^[a-z]{{2,3}}{_REGION_PATTERN}$"}),
]
Flag: TypeAlias = Annotated[bool, BeforeValidator(_validate_flag)]
FreshStartField: TypeAlias = Annotated[
    bool | Literal["ask"],
    BeforeValidator(_validate_fresh_start),
    WithJsonSchema({"enum": [True, False, "ask"]}),
]
PositiveInteger: TypeAlias = Annotated[
    int, _integer_validator(1), WithJsonSchema({"type": "integer", "minimum": 1})
]
Count: TypeAlias = Annotated[
    int, _integer_validator(0), WithJsonSchema({"type": "integer", "minimum": 0})
]
Typos: TypeAlias = Annotated[
    int,
    _integer_validator(0, 2, "more wrong letters make another word"),
    WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 2}),
]
Duration: TypeAlias = Annotated[
    timedelta,
    BeforeValidator(_validate_duration),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": _DURATION_PATTERN,
            "examples": ["5m", "90s", "1h30m", "PT5M"],
        }
    ),
]
ZonedTime: TypeAlias = Annotated[
    datetime,
    BeforeValidator(_validate_moment),
    WithJsonSchema(
        {"type": "string", "pattern": _MOMENT_PATTERN, "examples": ["2026-01-05T09:00+01:00"]}
    ),
]
FreeData: TypeAlias = Annotated[dict[str, Any], BeforeValidator(_to_plain_numbers)]
IntentData: TypeAlias = Annotated[FreeData, AfterValidator(_validate_intent_data)]

LanguageTags: TypeAlias = Annotated[
    Annotated[LanguageTag, ONE_TAG]
    | Annotated[
        list[LanguageTag],
        Field(json_schema_extra={"uniqueItems": True, "minItems": 1}),
        LIST_TAG,
    ],
    choose_by_type("the code of a language or a list of codes", list=list, one=object),
]
LocalizedTextField: TypeAlias = Annotated[
    Annotated[dict[Language, Text], MAP_TAG] | Annotated[Text, ONE_TAG],
    choose_by_type("a text, or a mapping from languages to texts", map=dict, one=object),
]
LocalizedTextLists: TypeAlias = Annotated[
    Annotated[list[Text], LIST_TAG] | Annotated[dict[Language, list[Text]], MAP_TAG],
    choose_by_type("a list of texts, or a mapping from languages to lists", list=list, map=dict),
]
ValueTexts: TypeAlias = Annotated[
    Annotated[list[Text], LIST_TAG]
    | Annotated[dict[Language, list[Text]], MAP_TAG]
    | Annotated[None, NONE_TAG],
    choose_by_type(
        "a list of texts, a mapping from languages to lists, or nothing",
        list=list,
        map=dict,
        none=type(None),
    ),
]
ElementValuesField: TypeAlias = Annotated[
    Annotated[list[Name], _UNIQUE_ITEMS, LIST_TAG] | Annotated[dict[Name, ValueTexts], MAP_TAG],
    choose_by_type("a mapping from names to synonyms, or a list of names", list=list, map=dict),
]
Referents: TypeAlias = Annotated[
    Annotated[list[Referent], LIST_TAG] | Annotated[Referent, ONE_TAG],
    choose_by_type("thing, place, time or person, or a list of them", list=list, one=str),
]
SlotTexts: TypeAlias = Annotated[
    Annotated[list[Text], LIST_TAG] | Annotated[None, NONE_TAG] | Annotated[Text, ONE_TAG],
    choose_by_type("a text, a list of texts, or null", list=list, none=type(None), one=object),
]


class SchemaBase(BaseModel):
    """The base of all schemas: no other keys are allowed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
