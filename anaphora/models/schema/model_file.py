"""The schema of model files: keys, types and descriptions.

These classes check single values; the relations between them are checked when the model is
built. The descriptions become the JSON Schema for editors.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field

from anaphora.models.domain import DEFAULT_MAX_GAP, BridgeMode
from anaphora.models.schema.dialog_acts import (
    DialogActsOrFlag,
    DialogActsSchema,
    MentionsField,
    OfferSchema,
    OffersField,
)
from anaphora.models.schema.fallback import FallbackField, FallbackSchema
from anaphora.models.schema.field_types import (
    ALTERNATIVE_TAG,
    MAP_TAG,
    ONE_TAG,
    Count,
    Duration,
    ElementValuesField,
    EntityName,
    Flag,
    FreeData,
    FreshStartField,
    Identifier,
    LanguageTags,
    LocalizedTextField,
    LocalizedTextLists,
    MacroName,
    Name,
    PositiveInteger,
    Recognizer,
    Referents,
    SchemaBase,
    Text,
    Typos,
    choose_by_type,
)
from anaphora.models.schema.intents import (
    IntentField,
    IntentSchema,
    OptionsSchema,
    SlotSchema,
    ValidatorSchema,
)
from anaphora.models.schema.samples import (
    AskSchema,
    BotSchema,
    DialogSchema,
    PauseSchema,
    ResetSchema,
)

__all__ = [
    "BridgeSchema",
    "ConversationSchema",
    "ElementSchema",
    "LimitsSchema",
    "ModelSchema",
    "StopWordsSchema",
    "section_keys",
]


class ConversationSchema(SchemaBase):
    """How long and how far back a conversation remembers."""

    timeout: Duration = Field(
        default=timedelta(minutes=5),
        description="The silence after which everything is forgotten: 5m, 90s, 1h30m, PT5M.",
        json_schema_extra={"default": "5m"},
    )
    depth: PositiveInteger = Field(
        default=3, description="The number of matched questions that an unused entity survives."
    )


class BridgeSchema(SchemaBase):
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
    exchanges: PositiveInteger = Field(
        default=20, description="The number of recent exchanges to consider."
    )


BridgeOrMode: TypeAlias = Annotated[
    Annotated[BridgeSchema, MAP_TAG] | Annotated[BridgeMode, ONE_TAG],
    choose_by_type(
        "off, offered or automatic, or a mapping with one of them as its mode", map=dict, one=str
    ),
]


UnusedOrTexts: TypeAlias = Annotated[
    Annotated[dict[str, LocalizedTextField], MAP_TAG]
    | Annotated[Literal["ignore", "ask"], ONE_TAG],
    choose_by_type("ignore or ask, or a mapping from intents to texts", map=dict, one=str),
]


class ElementSchema(SchemaBase):
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
    meta: FreeData = Field(default={}, description="Free data, for predicates and handlers.")
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
    config: FreeData = Field(default={}, description="The options of its recognizer.")
    sparse: Flag | None = Field(
        default=None, description="Whether other words may occur between those of a synonym."
    )
    max_gap: Count | None = Field(
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
    refers: Referents | None = Field(
        default=None,
        description="Which words can refer to it: those for a thing (it, this one), a place "
        "(there), a time (then) or a person (her). By default, what its recognizer finds.",
    )
    several: Flag = Field(
        default=False, description="Whether a question may name several, to which users add more."
    )
    fresh: FreshStartField = Field(
        default=False,
        description="Whether each mention of this topic begins a new question; with 'ask', the "
        "bot asks.",
    )
    counts: Name | None = Field(
        default=None,
        description="The id of the element whose numbers say how many of it: two pizzas.",
    )
    validate_: ValidatorSchema | None = Field(
        default=None, alias="validate", description="A check of what the user names."
    )
    combine: Text | None = Field(
        default=None,
        description="A Python function that combines an old and a new entity that are parts of one "
        "value: module#function.",
    )


class StopWordsSchema(SchemaBase):
    """Changes to the stop words of the language."""

    add: list[Text] = Field(default=[], description="Further stop words.")
    remove: list[Text] = Field(default=[], description="Words that are not stop words.")
    skip: Flag = Field(
        default=False, description="Whether stop words may occur between the words of any synonym."
    )
    commas: Flag = Field(
        default=False,
        description="Whether commas may occur between the words of any synonym, like stop words.",
    )


class LimitsSchema(SchemaBase):
    """The limits for utterances, which are rejected beyond them."""

    min_words: Count | None = Field(default=None, description="The minimum number of words.")
    max_words: Count | None = Field(default=None, description="The maximum number of words.")
    min_entities: Count | None = Field(default=None, description="The minimum number of entities.")
    max_entities: Count | None = Field(default=None, description="The maximum number of entities.")
    min_content_words: Count | None = Field(
        default=None, description="The minimum number of words that are not stop words."
    )
    max_free_words: Count | None = Field(
        default=None, description="The maximum number of content words outside of entities."
    )
    suspicious_words: list[Text] = Field(default=[], description="The suspicious words.")
    max_suspicious_words: Count | None = Field(
        default=None, description="The maximum number of suspicious words; 0 if any are listed."
    )
    swear_words: list[Text] = Field(default=[], description="The swear words.")
    swear_words_allowed: Flag = Field(default=True, description="Whether swear words are allowed.")
    latin_only: Flag = Field(
        default=False, description="Whether letters of other scripts are forbidden."
    )


class ModelSchema(SchemaBase):
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
    language: LanguageTags = Field(
        default="en",
        description="The ISO code of its language, with a region if the dates and amounts need one "
        "(en-GB), or a list of them; the first is the default.",
    )
    meta: FreeData = Field(default={}, description="Free data, for predicates and handlers.")
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
    sentences: LocalizedTextLists | Text = Field(
        default=[],
        description="Templates of whole sentences in the format of hassil: files or folders, or "
        "home-assistant for the collection of Home Assistant in the language of the model.",
    )
    home: FreeData | Text = Field(
        default={},
        description="The areas, floors and devices that the sentences name: a mapping, or a file.",
    )
    sparse: Flag = Field(default=False, description="The default of 'sparse' for all elements.")
    max_gap: Count = Field(
        default=DEFAULT_MAX_GAP, description="The default of 'max_gap' for all elements."
    )
    permute: Flag = Field(default=False, description="The default of 'permute'.")
    greedy: Flag = Field(default=True, description="The default of 'greedy'.")
    max_synonyms: Count | None = Field(
        default=None, description="The maximum number of phrases per element."
    )
    stop_words: StopWordsSchema = Field(
        default=StopWordsSchema(), description="Words to add to or remove from the stop words."
    )
    limits: LimitsSchema = Field(default=LimitsSchema(), description="The limits for utterances.")
    free_words: Flag = Field(
        default=False,
        description="Whether the terms of intents may take words that no entity covers, as "
        "entities of the element 'nlpcraft:nlp'.",
    )
    options: OptionsSchema = Field(
        default=OptionsSchema(), description="The default options of intents."
    )
    macros: dict[MacroName, Text] = Field(
        default={}, description='Parts of synonyms by name: "<ASK>": "{what|how} {is|_}".'
    )
    elements: list[ElementSchema] = Field(
        default=[], description="The elements: what an utterance can mention."
    )
    intents: list[IntentField] = Field(
        default=[],
        json_schema_extra={"minItems": 1},
        description="The intents: texts in the intent definition language, or mappings.",
    )
    responses: dict[str, LocalizedTextField] = Field(
        default={}, description="The answer of each intent: a Jinja template over its slots."
    )
    prompts: dict[str, dict[str, LocalizedTextField]] = Field(
        default={},
        description="The question that asks for a missing term, by intent and term.",
    )
    validate_: dict[str, dict[str, ValidatorSchema]] = Field(
        default={},
        alias="validate",
        description="The check of what the user names, by intent and term.",
    )
    confirm: dict[str, LocalizedTextField] = Field(
        default={},
        description="The question whether to carry an intent out: a Jinja template by intent.",
    )
    bridge: BridgeOrMode = Field(
        default="offered",
        description="Whether the long-term memory, if there is one, completes questions that the "
        "short-term memory cannot: off, offered or automatic.",
    )
    recall_offers: dict[str, LocalizedTextField] = Field(
        default={},
        description="The text by intent that offers to reuse entities of an earlier conversation.",
    )
    unused: UnusedOrTexts = Field(
        default="ignore",
        description="What to do if an intent does not use a part of the sentence: ignore, or ask "
        "before the intent is carried out; or a mapping from the intents that ask to their texts.",
    )
    dialog_acts: DialogActsOrFlag | None = Field(
        default=None,
        description="Whether the bot understands users who accept, decline, correct, refer, add "
        "and take away: true, false, or the settings; by default, if the model uses a key that "
        "needs it.",
    )
    mentions: MentionsField = Field(
        default={},
        description="The entities that the answer of an intent mentions: a template by element, "
        "or a list of slots.",
    )
    offers: OffersField = Field(
        default={},
        description="The bundles of entities that the answer of an intent offers: a list of "
        "templates by element, or such templates for each item of a list.",
    )
    choices: dict[str, LocalizedTextField] = Field(
        default={},
        description="The text of each intent that asks which of several values is meant.",
    )
    fallback: FallbackField | None = Field(
        default=None,
        description="What the bot says when nothing fits: a text, one per language, or a mapping "
        "with texts by reason and examples of what the bot can do.",
    )
    reset: LocalizedTextLists = Field(
        default=[], description="Phrases that make the bot forget the conversation."
    )
    samples: list[DialogSchema] = Field(default=[], description="Dialogs to test the model with.")


_MAP = f"{ALTERNATIVE_TAG}map"
_ANY_KEY = "*"
_SECTIONS: Mapping[tuple[str, ...], type[SchemaBase]] = {
    (): ModelSchema,
    ("conversation",): ConversationSchema,
    ("bridge", _MAP): BridgeSchema,
    ("dialog_acts", _MAP): DialogActsSchema,
    ("fallback", _MAP): FallbackSchema,
    ("offers", _ANY_KEY, _MAP): OfferSchema,
    ("elements",): ElementSchema,
    ("elements", "validate"): ValidatorSchema,
    ("intents", _MAP): IntentSchema,
    ("intents", _MAP, "options"): OptionsSchema,
    ("intents", _MAP, "slots", _ANY_KEY, _MAP): SlotSchema,
    ("validate", _ANY_KEY, _ANY_KEY): ValidatorSchema,
    ("stop_words",): StopWordsSchema,
    ("limits",): LimitsSchema,
    ("options",): OptionsSchema,
    ("samples",): DialogSchema,
    ("samples", "dialog", f"{ALTERNATIVE_TAG}ask"): AskSchema,
    ("samples", "dialog", f"{ALTERNATIVE_TAG}bot"): BotSchema,
    ("samples", "dialog", f"{ALTERNATIVE_TAG}pause"): PauseSchema,
    ("samples", "dialog", f"{ALTERNATIVE_TAG}reset"): ResetSchema,
}


def section_keys(path: tuple[str, ...]) -> list[str]:
    """The keys of a section of the file, in the order of the schema; none for free data.

    ``path`` has the keys that lead to it and the tags of alternatives.
    """
    for section, schema in _SECTIONS.items():
        if len(section) == len(path) and all(
            step in (_ANY_KEY, key) for step, key in zip(section, path, strict=True)
        ):
            return [field.alias or name for name, field in schema.model_fields.items()]
    return []
