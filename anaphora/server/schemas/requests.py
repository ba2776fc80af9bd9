"""The bodies and query parameters of requests, and their parsing.

Parsing is strict: an unknown name, a number instead of text, a repeated key and a ``NaN`` are
errors. Each error has a position and never quotes the request.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, NoReturn, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from anaphora.core.name_hints import did_you_mean
from anaphora.models.reading.source import replace_unprintable
from anaphora.server.problems import FieldError, ProblemError

__all__ = [
    "AtTime",
    "ConversationQuery",
    "Dialog",
    "ForgetQuery",
    "Id",
    "ModelChoice",
    "ModelQuery",
    "Question",
    "QuestionFields",
    "RecallQuery",
    "StrictModel",
    "UserQuery",
    "read_json",
    "to_validation_problem",
]

_SUPPORTED_YEARS = range(1970, 2900)  # years that datetime supports in every time zone
_MAX_NAME_LENGTH = 100  # of an unknown key, in messages
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}")
_MAX_SLOTS = 20  # of a search
_MAX_SLOT_LENGTH = 500  # characters of a name or a value
_MAX_ERRORS = 50  # reported per request

_Body = TypeVar("_Body", bound=BaseModel)


def read_json(body: bytes, kind: type[_Body]) -> _Body:
    """Parse the body of a request as a ``kind``.

    Raises :class:`ProblemError`: ``not-json``, or ``invalid-request`` with all errors.
    """
    try:
        return kind.model_validate(_parse_json(body))
    except ValidationError as error:
        known = [field.alias or name for name, field in kind.model_fields.items()]
        errors = error.errors(include_url=False, include_input=False)
        raise to_validation_problem(errors, known) from None


def to_validation_problem(
    errors: Iterable[Mapping[str, Any]], known: Iterable[str]
) -> ProblemError:
    """Convert pydantic's errors about a request to a problem that quotes nothing of the request and
    has a limited number of errors. ``known`` are the valid names."""
    names, found = tuple(known), list(errors)
    mistakes = [_field_error(error, names) for error in found[:_MAX_ERRORS]]
    first = mistakes[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    where = f"{first.where}: " if first.where else ""
    return ProblemError("invalid-request", f"{where}{first.message}{more}", errors=mistakes)


def _field_error(error: Mapping[str, Any], known: tuple[str, ...]) -> FieldError:
    where = ".".join(replace_unprintable(str(part)[:_MAX_NAME_LENGTH]) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        name = replace_unprintable(str(error["loc"][-1])[:_MAX_NAME_LENGTH])
        hint = did_you_mean(name, known, label="there are")
        return FieldError(where, f"There is no '{name}'; {hint}".rstrip("; "))
    if error["type"] == "model_type":
        return FieldError(where, 'It must be a JSON object, such as {"text": "…"}')
    if error["type"] == "too_short":
        return FieldError(where, f"There must be at least {error['ctx']['min_length']}")
    return FieldError(where, error["msg"])


def _parse_json(body: bytes) -> Any:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProblemError("not-json", f"The body is not UTF-8 at byte {error.start}.") from None
    try:
        plain = json.loads(
            text,
            object_pairs_hook=_reject_duplicate_keys,
            parse_constant=_reject_constant,
            parse_float=_parse_float,
        )
        if "\\u" in text:
            json.dumps(plain, ensure_ascii=False).encode()  # half of a surrogate pair is not text
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ProblemError("not-json", f"The body is not JSON: {error.msg} at {place}.") from None
    except RecursionError:
        raise ProblemError("not-json", "The body is nested too deeply.") from None
    except UnicodeEncodeError:
        raise ProblemError("not-json", "The body contains half of a surrogate pair.") from None
    except ValueError:  # Python's limit on digits
        raise ProblemError("not-json", "The body contains a number with too many digits.") from None
    return plain


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counted = Counter(name for name, _ in pairs)
        twice = next(name for name, times in counted.items() if times > 1)
        name = replace_unprintable(twice[:_MAX_NAME_LENGTH])
        raise ProblemError("not-json", f"The key '{name}' is repeated in an object.")
    return found


def _reject_constant(name: str) -> NoReturn:
    raise ProblemError("not-json", f"{name} is not valid JSON.")


def _parse_float(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ProblemError("not-json", "The body contains a number that is too large.")
    return number


def _parse_time(written: object) -> datetime:
    if not isinstance(written, str):
        raise PydanticCustomError("moment", "Expected a string such as 2026-01-05T09:30:00+01:00")
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        raise PydanticCustomError(
            "moment", "This is not a time; write 2026-01-05T09:30:00+01:00"
        ) from None
    if moment.tzinfo is None:
        raise PydanticCustomError(
            "moment", "This time has no time zone; write 2026-01-05T09:30:00+01:00, or Z for UTC"
        )
    if moment.year not in _SUPPORTED_YEARS:
        raise PydanticCustomError(
            "moment",
            "The year must be from {first} to {last}",
            {"first": _SUPPORTED_YEARS[0], "last": _SUPPORTED_YEARS[-1]},
        )
    return moment


def _check_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # not a name, no such file, a folder
        raise PydanticCustomError(
            "time_zone", "This is not a time zone; write Europe/Berlin, Asia/Tokyo or UTC"
        ) from None
    return name


Id = Annotated[str, Field(min_length=1, max_length=500)]
_User = Annotated[
    Id | None,
    Field(
        description="The user of the conversation. Default: the user of the key, else `user`.",
        examples=["ann"],
    ),
]
_Model = Annotated[
    Id | None,
    Field(description="The id of a model. Default: the user's active one.", examples=["weather"]),
]
_NamedModel = Annotated[Id, Field(description="The id of a model.", examples=["weather"])]
AtTime = Annotated[
    datetime,
    BeforeValidator(_parse_time),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
_At = Annotated[
    AtTime | None,
    Field(
        description="The time of the question, with its zone. Default: now.",
        examples=["2026-01-05T09:30:00+01:00"],
    ),
]
_Language = Annotated[
    Annotated[str, Field(max_length=100)] | None,
    Field(description="One of the model's languages. Default: detected.", examples=["en"]),
]
_Zone = Annotated[
    Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_check_zone)] | None,
    Field(
        description="The user's time zone, for words like today. Default: that of `at`, else UTC.",
        examples=["Europe/Berlin"],
    ),
]


class StrictModel(BaseModel):
    """A body or query parameters: values are not converted, and unknown names are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class QuestionFields(StrictModel):
    """The common fields of questions: user, model, time, language, data, and whether to explain."""

    user: _User = None
    model: _Model = None
    at: _At = None
    language: _Language = None
    time_zone: _Zone = None
    data: dict[str, Any] = Field(
        default={},
        description="Data that predicates read with `meta_req('key')`.",
        examples=[{"channel": "phone"}],
    )
    explain: bool = Field(default=False, description="Whether to explain the reply.")


class Question(QuestionFields):
    """One question."""

    text: str = Field(
        description="The user's words. More than 10,000 characters are rejected unread.",
        examples=["What is the weather in Tokyo today?"],
    )


class Dialog(QuestionFields):
    """Several questions of one conversation, in their order."""

    texts: list[str] = Field(
        min_length=1,
        max_length=100,
        description="The user's questions, in their order.",
        examples=[["What is the weather in Tokyo today?", "And in Kyoto?"]],
    )


class ModelChoice(StrictModel):
    """The model for questions of the user that name none."""

    user: _User = None
    model: _NamedModel


class UserQuery(StrictModel):
    """The query parameter for a user."""

    user: _User = None


class ModelQuery(StrictModel):
    """The query parameter for a model."""

    id: _NamedModel


class ConversationQuery(UserQuery):
    """The query parameters for a conversation."""

    model: _Model = None


class ForgetQuery(ConversationQuery):
    """The query parameters for what to forget."""

    what: Literal["all", "entities", "flow"] = Field(
        default="all",
        description="The whole conversation, the remembered entities, or the dialog flow.",
    )
    group: Id | None = Field(
        default=None,
        description="Only the remembered entities of this group (regardless of `what`).",
        examples=["city"],
    )


def _parse_slots(written: object) -> dict[str, str]:
    """Parse a query parameter with a JSON object of names and values."""
    if not isinstance(written, str):  # the default of the parameter
        return {}
    try:
        found = json.loads(written, object_pairs_hook=_reject_duplicate_keys)
    except (ValueError, RecursionError, ProblemError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise PydanticCustomError("slots", 'Expected a JSON object of strings: {"city": "Tokyo"}')
    if len(found) > _MAX_SLOTS:
        raise PydanticCustomError(
            "slots",
            "There are {number} slots; at most {limit} are allowed",
            {"number": len(found), "limit": _MAX_SLOTS},
        )
    if any(len(text) > _MAX_SLOT_LENGTH for pair in found.items() for text in pair):
        raise PydanticCustomError(
            "slots",
            "A name or a value is longer than {limit} characters",
            {"limit": _MAX_SLOT_LENGTH},
        )
    return found


def _check_language_tag(text: str) -> str:
    if not _LANGUAGE_TAG.fullmatch(text):
        raise PydanticCustomError("language", "This is not a language tag; write en, de or pt-BR")
    return text


class RecallQuery(UserQuery):
    """The query parameters of a search."""

    text: Annotated[str, Field(max_length=10_000)] = Field(
        default="",
        description="The text to search for. Default: everything, newest first.",
        examples=["the weather in Tokyo"],
    )
    how: Literal["text", "meaning", "hybrid", "rrf"] | None = Field(
        default=None,
        description="By words, by meaning, or by both. Default: by both if there is an embedder.",
    )
    language: Annotated[str, AfterValidator(_check_language_tag)] | None = Field(
        default=None, description="The language of the text. Default: any language of the models."
    )
    at: _At = None
    time_zone: _Zone = None
    model: Id | None = Field(
        default=None, description="Only exchanges with this model. Default: with any model."
    )
    since: AtTime | None = Field(
        default=None,
        description="Only exchanges at this time or later.",
        examples=["2026-01-05T09:30:00+01:00"],
    )
    until: AtTime | None = Field(
        default=None,
        description="Only exchanges before this time.",
        examples=["2026-01-06T09:30:00+01:00"],
    )
    intent: Id | None = Field(default=None, description="Only exchanges of this intent.")
    slots: Annotated[
        dict[str, str],
        BeforeValidator(_parse_slots),
        WithJsonSchema({"type": "string", "contentMediaType": "application/json"}),
    ] = Field(
        default={},
        description="Only exchanges with these slot values: a JSON object of at most 20 strings, "
        '`{"city": "Tokyo"}`.',
    )
    page: Annotated[int, Field(strict=False, ge=1, le=1_000)] = Field(
        default=1, description="The number of the page, from 1."
    )
    size: Annotated[int, Field(strict=False, ge=1, le=100)] = Field(
        default=10, description="The number of passages on a page."
    )
    neighbours: Annotated[int, Field(strict=False, ge=0, le=10)] = Field(
        default=1, description="The number of exchanges shown before and after each passage."
    )
