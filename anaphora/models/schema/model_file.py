"""The schema of model files: keys, types and descriptions.

These classes check single values; the relations between them are checked when the model is
built. The descriptions become the JSON Schema for editors.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from anaphora.models.domain import DEFAULT_MAX_GAP, BridgeMode, ResetScope, Status
from anaphora.models.reading.nodes import SourceFloat, SourceInt
from anaphora.models.schema.builtin_entities import BUILTIN_ENTITIES, NLPCRAFT_ENTITIES
from anaphora.models.schema.durations import parse_duration

__all__ = [
    "ALTERNATIVE_TAG",
    "AskSchema",
    "BridgeSchema",
    "ConversationSchema",
    "DialogSchema",
    "ElementSchema",
    "ElementValuesField",
    "LanguageCodes",
    "LocalizedTextField",
    "LocalizedTextLists",
    "ModelSchema",
    "PauseSchema",
    "ResetSchema",
    "describe_value",
]

ALTERNATIVE_TAG = "·"
"""The prefix of the tags of alternatives in the locations of errors."""

_IDENTIFIER = re.compile(r"[^\W\d][\w:.-]*")
_LANGUAGE = re.compile(r"[a-z]{2,3}")


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


def _validate_language(value: Any) -> str:
    text: str = _validate_text(value)
    if not _LANGUAGE.fullmatch(text):
        raise _schema_error(f"'{text}' is not the code of a language", "write it as en, fr or ru")
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


def _validate_integer(value: Any) -> int:
    """Accept a whole number, also as ``3.0``, which JSON Schema allows."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1:
        raise _schema_error(f"expected a whole number, not {describe_value(value)}")
    return int(value)


def _validate_depth(value: Any) -> int:
    whole = _validate_integer(value)
    if whole < 1:
        raise _schema_error(f"expected at least 1, not {whole}")
    return whole


def _validate_amount(value: Any) -> int:
    whole = _validate_integer(value)
    if whole < 0:
        raise _schema_error(f"expected at least 0, not {whole}")
    return whole


def _validate_typos(value: Any) -> int:
    amount = _validate_amount(value)
    if amount > 2:
        raise _schema_error(
            f"expected at most 2, not {amount}", "more wrong letters make another word"
        )
    return amount


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


def _by_type(expected: str, **kinds: type) -> Discriminator:
    """Choose among the alternatives of a type by the class of the value."""
    tags = {kind: f"{ALTERNATIVE_TAG}{tag}" for tag, kind in kinds.items()}

    def tag_of(value: Any) -> str | None:
        return next((tag for kind, tag in tags.items() if isinstance(value, kind)), None)

    return Discriminator(
        tag_of,
        custom_error_type="expected",
        custom_error_message=f"expected {expected}",
    )


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
Language: TypeAlias = Annotated[
    str,
    BeforeValidator(_validate_language),
    WithJsonSchema({"type": "string", "pattern": "^[a-z]{2,3}$"}),
]
Flag: TypeAlias = Annotated[bool, BeforeValidator(_validate_flag)]
Depth: TypeAlias = Annotated[
    int, BeforeValidator(_validate_depth), WithJsonSchema({"type": "integer", "minimum": 1})
]
Amount: TypeAlias = Annotated[
    int, BeforeValidator(_validate_amount), WithJsonSchema({"type": "integer", "minimum": 0})
]
Typos: TypeAlias = Annotated[
    int,
    BeforeValidator(_validate_typos),
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
Moment: TypeAlias = Annotated[
    datetime,
    BeforeValidator(_validate_moment),
    WithJsonSchema(
        {"type": "string", "pattern": _MOMENT_PATTERN, "examples": ["2026-01-05T09:00+01:00"]}
    ),
]
Data: TypeAlias = Annotated[dict[str, Any], BeforeValidator(_to_plain_numbers)]

LanguageCodes: TypeAlias = Annotated[
    Annotated[Language, Tag(f"{ALTERNATIVE_TAG}one")]
    | Annotated[
        list[Language],
        Field(json_schema_extra={"uniqueItems": True, "minItems": 1}),
        Tag(f"{ALTERNATIVE_TAG}list"),
    ],
    _by_type("the code of a language or a list of codes", list=list, one=object),
]
LocalizedTextField: TypeAlias = Annotated[
    Annotated[dict[Language, Text], Tag(f"{ALTERNATIVE_TAG}map")]
    | Annotated[Text, Tag(f"{ALTERNATIVE_TAG}one")],
    _by_type("a text, or a mapping from languages to texts", map=dict, one=object),
]
LocalizedTextLists: TypeAlias = Annotated[
    Annotated[list[Text], Tag(f"{ALTERNATIVE_TAG}list")]
    | Annotated[dict[Language, list[Text]], Tag(f"{ALTERNATIVE_TAG}map")],
    _by_type("a list of texts, or a mapping from languages to lists", list=list, map=dict),
]
ValueTexts: TypeAlias = Annotated[
    Annotated[list[Text], Tag(f"{ALTERNATIVE_TAG}list")]
    | Annotated[dict[Language, list[Text]], Tag(f"{ALTERNATIVE_TAG}map")]
    | Annotated[None, Tag(f"{ALTERNATIVE_TAG}none")],
    _by_type(
        "a list of texts, a mapping from languages to lists, or nothing",
        list=list,
        map=dict,
        none=type(None),
    ),
]
ElementValuesField: TypeAlias = Annotated[
    Annotated[list[Name], _UNIQUE_ITEMS, Tag(f"{ALTERNATIVE_TAG}list")]
    | Annotated[dict[Name, ValueTexts], Tag(f"{ALTERNATIVE_TAG}map")],
    _by_type("a mapping from names to synonyms, or a list of names", list=list, map=dict),
]
SlotTexts: TypeAlias = Annotated[
    Annotated[list[Text], Tag(f"{ALTERNATIVE_TAG}list")]
    | Annotated[None, Tag(f"{ALTERNATIVE_TAG}none")]
    | Annotated[Text, Tag(f"{ALTERNATIVE_TAG}one")],
    _by_type("a text, a list of texts, or null", list=list, none=type(None), one=object),
]


class _Schema(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ConversationSchema(_Schema):
    """How long and how far back a conversation remembers."""

    timeout: Duration = Field(
        default=timedelta(minutes=5),
        description="The silence after which everything is forgotten: 5m, 90s, 1h30m, PT5M.",
        json_schema_extra={"default": "5m"},
    )
    depth: Depth = Field(
        default=3, description="The number of matched questions that an unused entity survives."
    )


class BridgeSchema(_Schema):
    """Whether the long-term memory completes questions that the short-term memory cannot."""

    mode: BridgeMode = Field(
        default="offered",
        description="off: never; offered: if the user confirms; automatic: without asking.",
    )
    within: Duration = Field(
        default=timedelta(days=30),
        description="The maximum age of an exchange: 30d, 12h.",
        json_schema_extra={"default": "30d"},
    )
    exchanges: Depth = Field(default=20, description="The number of recent exchanges to consider.")


BridgeOrMode: TypeAlias = Annotated[
    Annotated[BridgeSchema, Tag(f"{ALTERNATIVE_TAG}map")]
    | Annotated[BridgeMode, Tag(f"{ALTERNATIVE_TAG}one")],
    _by_type(
        "off, offered or automatic, or a mapping with one of them as its mode", map=dict, one=str
    ),
]


UnusedOrTexts: TypeAlias = Annotated[
    Annotated[dict[str, LocalizedTextField], Tag(f"{ALTERNATIVE_TAG}map")]
    | Annotated[Literal["ignore", "ask"], Tag(f"{ALTERNATIVE_TAG}one")],
    _by_type("ignore or ask, or a mapping from intents to texts", map=dict, one=str),
]


class ElementSchema(_Schema):
    """An element: something that an utterance can mention."""

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"required": ["config"], "properties": {"config": {"minProperties": 1}}},
            "then": {
                "required": ["recognizer"],
                "properties": {"recognizer": {"not": {"type": "null"}}},
            },
        }
    )

    id: Identifier = Field(description="The name of the element in intents.")
    description: Text = Field(default="", description="What the element is, for readers.")
    groups: list[Name] = Field(
        default=[],
        description="The groups, which determine what it replaces in memory; by default its id.",
    )
    synonyms: LocalizedTextLists = Field(
        default=[],
        description="Words, phrases and macros for it: a list, or one list per language.",
    )
    values: ElementValuesField = Field(
        default={},
        description="Its values with their synonyms: a mapping from names to lists (or to "
        "nothing), or a list of names.",
    )
    parent: Name | None = Field(default=None, description="The id of its more general element.")
    topic: Flag = Field(
        default=False, description="Whether a change of this element changes the topic."
    )
    meta: Data = Field(default={}, description="Free data, for predicates and handlers.")
    id_synonym: Flag | None = Field(
        default=None,
        description="Whether the id is a synonym as well; by default, unless it has a recognizer.",
    )
    typos: Typos = Field(
        default=0,
        description="The maximum number of wrong letters in a word of its synonyms: 0 to 2.",
    )
    compounds: Flag = Field(
        default=False,
        description="Whether a compound matches by its last word, in languages that write "
        "compounds as one word: Deckenlampe as Lampe.",
    )
    recognizer: Recognizer | None = Field(
        default=None,
        description="What recognizes it in addition to its synonyms: a built-in entity (date), an "
        "entity of spaCy (spacy:PERSON), a component of spaCy (component:name), or a Python "
        "function (module#function).",
    )
    config: Data = Field(default={}, description="The options of its recognizer.")
    sparse: Flag | None = Field(
        default=None, description="Whether other words may occur between those of a synonym."
    )
    max_gap: Amount | None = Field(
        default=None,
        description="The maximum number of other words between two words of a sparse synonym: "
        "by default 6, or the 'max_gap' of the model.",
    )
    permute: Flag | None = Field(
        default=None, description="Whether adjacent words of a synonym may change places."
    )
    greedy: Flag | None = Field(
        default=None,
        description="Whether only the longest of several matching synonyms counts (the default).",
    )
    abstract: Flag = Field(
        default=False,
        description="Whether it is only a part of other elements, hidden from intents.",
    )
    value_loader: Text | None = Field(
        default=None,
        description="A Python function that returns further values: module#function.",
    )


class StopWordsSchema(_Schema):
    """Changes to the stop words of the language."""

    add: list[Text] = Field(default=[], description="Further stop words.")
    remove: list[Text] = Field(default=[], description="Words that are not stop words.")
    skip: Flag = Field(
        default=False, description="Whether stop words may occur between the words of any synonym."
    )


class LimitsSchema(_Schema):
    """The limits for utterances, which are rejected beyond them."""

    min_words: Amount | None = Field(default=None, description="The minimum number of words.")
    max_words: Amount | None = Field(default=None, description="The maximum number of words.")
    min_entities: Amount | None = Field(default=None, description="The minimum number of entities.")
    max_entities: Amount | None = Field(default=None, description="The maximum number of entities.")
    min_content_words: Amount | None = Field(
        default=None, description="The minimum number of words that are not stop words."
    )
    max_free_words: Amount | None = Field(
        default=None, description="The maximum number of content words outside of entities."
    )
    suspicious_words: list[Text] = Field(default=[], description="The suspicious words.")
    max_suspicious_words: Amount | None = Field(
        default=None, description="The maximum number of suspicious words; 0 if any are listed."
    )
    swear_words: list[Text] = Field(default=[], description="The swear words.")
    swear_words_allowed: Flag = Field(default=True, description="Whether swear words are allowed.")
    latin_only: Flag = Field(
        default=False, description="Whether letters of other scripts are forbidden."
    )


class OptionsSchema(_Schema):
    """The options that intents have unless they say otherwise."""

    ordered: Flag | None = Field(default=None, description="Terms must match in sentence order.")
    allow_stm_only: Flag | None = Field(
        default=None, description="Memory alone may fill the intent."
    )
    unused_free_words: Flag | None = Field(default=None, description="Free words may stay unused.")
    unused_entities: Flag | None = Field(default=None, description="Entities may stay unused.")
    unused_usr_toks: Flag | None = Field(
        default=None, description="Entities of the model's own elements may stay unused."
    )
    unused_sys_toks: Flag | None = Field(
        default=None, description="Built-in entities may stay unused."
    )


class AskSchema(_Schema):
    """A question and its expected result."""

    ask: Text = Field(description="The text of the question.")
    intent: Name | None = Field(default=None, description="The expected intent.")
    slots: dict[str, SlotTexts] = Field(
        default={}, description="The expected values of slots; null for an empty slot."
    )
    from_memory: list[Name] | None = Field(
        default=None, description="The exact list of terms that memory fills."
    )
    status: Status = Field(default="matched", description="The expected status of the reply.")
    missing: list[Name] | None = Field(default=None, description="The terms that are missing.")
    memory: list[Name] | None = Field(
        default=None,
        description="The memory afterwards, in any order: elements, or element=value.",
    )
    language: Language | None = Field(
        default=None, description="The language of the question; by default the first of the model."
    )


class PauseSchema(_Schema):
    """A pause between questions."""

    pause: Duration = Field(description="Its duration: 6m, 90s, PT5M.")


class ResetSchema(_Schema):
    """An explicit reset of the memory."""

    reset: ResetScope = Field(description="What to forget.")


def _step_tag(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    return next((ALTERNATIVE_TAG + key for key in ("ask", "pause", "reset") if key in value), None)


StepSchema: TypeAlias = Annotated[
    Annotated[AskSchema, Tag(f"{ALTERNATIVE_TAG}ask")]
    | Annotated[PauseSchema, Tag(f"{ALTERNATIVE_TAG}pause")]
    | Annotated[ResetSchema, Tag(f"{ALTERNATIVE_TAG}reset")],
    Discriminator(
        _step_tag,
        custom_error_type="step",
        custom_error_message="expected a step with one of the keys ask, pause, reset",
    ),
]


class DialogSchema(_Schema):
    """A sample conversation that begins with an empty memory."""

    name: Text = Field(default="", description="Its name in reports.")
    at: Moment | None = Field(
        default=None,
        description="Its start in local time: 2026-01-05T09:00+01:00; by default Monday, 5 January "
        "2026, 9:00 UTC.",
    )
    long_term: Flag = Field(
        default=False,
        description="Whether it has a long-term memory as well, which is empty at first.",
    )
    dialog: list[StepSchema] = Field(min_length=1, description="Its steps, in order.")


class ModelSchema(_Schema):
    """A model of Anaphora: what a bot understands and answers."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": [key], "properties": {key: {"minItems": 1}}}
                for key in ("elements", "entities")
            ]
        }
    )

    schema_: Text = Field(
        default="", alias="$schema", description="The JSON Schema of the file, for editors."
    )
    id: Identifier = Field(description="The name of the model in programs.")
    name: Text = Field(default="", description="The name of the model for people.")
    version: Text = Field(default="", description="The version of the model.")
    origin: Text = Field(default="", description="The origin of the model.")
    description: Text = Field(default="", description="The purpose of the bot.")
    language: LanguageCodes = Field(
        default="en",
        description="The ISO code of its language, or a list of them; the first is the default.",
    )
    meta: Data = Field(default={}, description="Free data, for predicates and handlers.")
    conversation: ConversationSchema = Field(
        default=ConversationSchema(), description="The settings of the short-term memory."
    )
    entities: list[EntityName] = Field(
        default=[],
        json_schema_extra={"uniqueItems": True},
        description="The built-in entities that are switched on, by their names: date, number, "
        "place …, spacy:PERSON.",
    )
    pipeline: LocalizedTextField = Field(
        default="",
        description="The spaCy pipeline for its texts: an installed package or a folder, or one "
        "per language.",
    )
    handlers: dict[str, Text] = Field(
        default={},
        description="The Python function that answers each intent: module#function, or "
        "#function of 'code'.",
    )
    code: Name | None = Field(
        default=None,
        description="The Python module of the functions that intents and elements name as #name.",
    )
    sparse: Flag = Field(default=False, description="The default of 'sparse' for all elements.")
    max_gap: Amount = Field(
        default=DEFAULT_MAX_GAP, description="The default of 'max_gap' for all elements."
    )
    permute: Flag = Field(default=False, description="The default of 'permute'.")
    greedy: Flag = Field(default=True, description="The default of 'greedy'.")
    max_synonyms: Amount | None = Field(
        default=None, description="The maximum number of phrases per element."
    )
    stop_words: StopWordsSchema = Field(
        default=StopWordsSchema(), description="Words to add to or remove from the stop words."
    )
    limits: LimitsSchema = Field(default=LimitsSchema(), description="The limits for utterances.")
    options: OptionsSchema = Field(
        default=OptionsSchema(), description="The default options of intents."
    )
    macros: dict[MacroName, Text] = Field(
        default={}, description='Parts of synonyms by name: "<ASK>": "{what|how} {is|_}".'
    )
    elements: list[ElementSchema] = Field(
        default=[], description="The elements: what an utterance can mention."
    )
    intents: list[Text] = Field(
        default=[],
        json_schema_extra={"minItems": 1},
        description="The intents, in the intent definition language.",
    )
    responses: dict[str, LocalizedTextField] = Field(
        default={}, description="The answer of each intent: a Jinja template over its slots."
    )
    prompts: dict[str, dict[str, LocalizedTextField]] = Field(
        default={},
        description="The question that asks for a missing term, by intent and required term.",
    )
    bridge: BridgeOrMode = Field(
        default="offered",
        description="Whether the long-term memory, if there is one, completes questions that the "
        "short-term memory cannot: off, offered or automatic.",
    )
    offers: dict[str, LocalizedTextField] = Field(
        default={},
        description="The text by intent that offers to reuse entities of an earlier conversation.",
    )
    unused: UnusedOrTexts = Field(
        default="ignore",
        description="What to do if an intent does not use a part of the sentence: ignore, or ask "
        "before the intent is carried out; or a mapping from the intents that ask to their texts.",
    )
    reset: LocalizedTextLists = Field(
        default=[], description="Phrases that make the bot forget the conversation."
    )
    samples: list[DialogSchema] = Field(default=[], description="Dialogs to test the model with.")
