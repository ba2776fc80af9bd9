"""The schema of agent files."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import Discriminator, Field

from anaphora.agents.execution.limits import AgentLimits, TextKind
from anaphora.agents.memories.state_schema import FieldType
from anaphora.models.schema.field_types import (
    MAP_TAG,
    ONE_TAG,
    Count,
    Duration,
    Flag,
    FreeData,
    Identifier,
    Language,
    Name,
    PositiveInteger,
    SchemaBase,
    Text,
    choose_by_type,
)

__all__ = ["MEMORY_TYPES", "AgentSchema", "agent_schema"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_LIMITS = AgentLimits()


def _key(description: str, default: Any = None, **more: Any) -> Any:
    return Field(default, description=description, **more)


class ModelSettings(SchemaBase):
    """The chat-completions endpoint."""

    url: Text = _key("The base URL of the endpoint, such as http://localhost:8080/v1.", "")
    name: Text = _key("The name of the model at the endpoint.", "")
    window: PositiveInteger = _key("The tokens of a prompt and its answer together.", 8192)
    max_tokens: PositiveInteger | None = _key(
        "The tokens of an answer. Default: 1024, or a quarter of a smaller window."
    )
    calls: Literal["auto", "tools", "json", "text"] = _key(
        "How functions are called: by the protocol (tools), as constrained JSON or as text.", "auto"
    )
    timeout: Duration | None = _key("The longest time for an answer, such as 60s.")
    api_key_env: Name | None = _key("The environment variable that holds the API key.")
    options: FreeData = _key("Further fields of each request, such as temperature.", {})


class BlockSchema(SchemaBase):
    """A block of core memory."""

    value: Text = _key("What it contains at first.", "")
    description: Text = _key("What it is for.", "")
    limit: PositiveInteger = _key("How many characters it may have.", 2_000)
    read_only: Flag = _key("Whether the model cannot edit it.", False)


class FieldSchema(SchemaBase):
    """A field of a state memory."""

    type: FieldType = _key("The type of the value.", "text")
    description: Text = _key("What it means.", "")
    choices: list[Name] = _key("The texts that it is chosen from.", [])
    required: Flag = _key("Whether a complete value has it.", True)


class ConversationSchema(SchemaBase):
    """The last exchanges of the dialog."""

    type: Literal["conversation"]
    last: PositiveInteger | None = _key("How many exchanges; all that fit if left out.")


class SemanticSchema(SchemaBase):
    """The earlier exchanges that are most similar to what the user says."""

    type: Literal["semantic"]
    k: PositiveInteger = _key("How many exchanges.", 4)


_Weight: TypeAlias = Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)]


class WeightsSchema(SchemaBase):
    """The weights of the score of a generative memory."""

    recency: _Weight = _key("Of the time since the last access.", 1.0)
    relevance: _Weight = _key("Of the similarity to what the user says.", 1.0)
    importance: _Weight = _key("Of the importance that the model gave it.", 1.0)


class ReflectionSchema(SchemaBase):
    """When to reflect."""

    after_importance: PositiveInteger | None = _key(
        "The sum of importance of new entries after which the model reflects.", 150
    )
    every: PositiveInteger | None = _key("The number of turns after which the model reflects.")


class GenerativeSchema(SchemaBase):
    """Memories retrieved by recency, relevance and importance, with reflection."""

    type: Literal["generative"]
    k: PositiveInteger = _key("How many memories the model sees.", 8)
    weights: WeightsSchema = _key("The weights of the score.", WeightsSchema())
    reflect: ReflectionSchema = _key("When to reflect.", ReflectionSchema())


_FieldValue: TypeAlias = Annotated[
    Annotated[FieldSchema, MAP_TAG] | Annotated[FieldType, ONE_TAG],
    choose_by_type("the type of a field, or a mapping with its type", map=dict, one=object),
]
_StateValue: TypeAlias = Annotated[
    Annotated[dict[Identifier, _FieldValue], Field(min_length=1), MAP_TAG]
    | Annotated[Literal["text"], ONE_TAG],
    choose_by_type("text, or a mapping from fields to types", map=dict, one=object),
]


class StateSchemaFile(SchemaBase):
    """A value that the model writes."""

    type: Literal["state"]
    value: _StateValue = _key("text, or the fields with their types.", "text", alias="schema")
    update: Literal["once", "every_turn", "on_demand"] = _key(
        "When it is updated: until it is complete, after each turn, or whenever the model wants.",
        "on_demand",
    )
    when: Literal["complete"] | None = _key("complete: an incomplete value is refused.")
    after: Name | None = _key("The memory that must be complete before.")
    prompt: Text = _key("What belongs in it.", "")
    limit: PositiveInteger = _key("How many characters it may have.", 2_000)


class CoreSchema(SchemaBase):
    """The blocks of core memory, and the functions that edit them."""

    type: Literal["core"]


class RecallSchema(SchemaBase):
    """The functions that search the whole conversation."""

    type: Literal["recall"]


class ArchiveSchema(SchemaBase):
    """The functions that search and extend archival memory."""

    type: Literal["archive"]


class GraphSchema(SchemaBase):
    """The knowledge graph: facts about what the user names, and the function that queries it."""

    type: Literal["graph"]


MemorySchema: TypeAlias = Annotated[
    ConversationSchema
    | SemanticSchema
    | GenerativeSchema
    | StateSchemaFile
    | CoreSchema
    | RecallSchema
    | ArchiveSchema
    | GraphSchema,
    Discriminator("type"),
]


MEMORY_TYPES: tuple[str, ...] = tuple(
    [
        get_args(one.model_fields["type"].annotation)[0]
        for one in get_args(get_args(MemorySchema)[0])
    ]
)


class MachineStateSchema(SchemaBase):
    """A state of the agent."""

    prompt: Text = _key("What is added to the instructions in this state.", "")
    until: Name | None = _key("The state memory whose completion ends this state.")
    next: Name | None = _key("The state after it; the next one of the file if left out.")
    uses: list[Name] | None = _key("The memories that the model sees; all if left out.")
    tools: list[Name] | None = _key("The functions, or memories with functions, that it can call.")


class FilesSchema(SchemaBase):
    """Reading and writing files."""

    root: Name = _key("The folder that they lie in, relative to the agent file.", ...)
    writable: Flag = _key("Whether the model may append to them.", False)


class HttpSchema(SchemaBase):
    """Requests to web services."""

    hosts: list[Name] = _key("The hosts that may be called.", ..., min_length=1)


class PackSchema(SchemaBase):
    """Bundled functions; each needs to be allowed."""

    files: FilesSchema | None = _key("Functions for files.")
    http: HttpSchema | None = _key("Functions for requests.")


_FunctionValue: TypeAlias = Annotated[
    Annotated[PackSchema, MAP_TAG] | Annotated[Name, ONE_TAG],
    choose_by_type("module#function, or files or http with its options", map=dict, one=object),
]


class LimitsSchema(SchemaBase):
    """Limits of one event."""

    steps: PositiveInteger = _key("Answers of the model.", _LIMITS.steps)
    equal_calls: PositiveInteger = _key("Equal calls in a row.", _LIMITS.equal_calls)
    seconds: _Weight = _key("Seconds.", _LIMITS.seconds, gt=0, le=86_400)
    tokens: PositiveInteger = _key("Tokens of all prompts and answers.", _LIMITS.tokens)
    result: PositiveInteger = _key("Characters of a function result at once.", _LIMITS.result)
    summary_words: PositiveInteger = _key("Words of the summary.", _LIMITS.summary_words)
    tokens_per_day: Count | None = _key("Tokens of one user in a day.")


class AgentSchema(SchemaBase):
    """An agent file."""

    agent: Identifier = _key("The id of the agent.", ...)
    name: Text = _key("Its name for people.", "")
    description: Text = _key("What it is for.", "")
    language: Language | None = _key("The language it speaks unless the user speaks another.")
    model: ModelSettings = _key("The language model.", ModelSettings())
    persona: Text = _key("Who the agent is.", "You are a helpful assistant.")
    human: Text = _key("What it knows of each user at first.", "")
    blocks: dict[Identifier, BlockSchema] = _key("Further blocks of core memory.", {})
    instructions: Text | None = _key("Replaces the built-in standing instructions.")
    prompt: Text = _key("Is added to the instructions.", "")
    memories: dict[Identifier, MemorySchema] = _key(
        "What the agent remembers; if left out, it manages core, recall and archival memory.", {}
    )
    states: dict[Identifier, MachineStateSchema] = _key("The states of the agent, in order.", {})
    functions: list[_FunctionValue] = _key("Functions that the model can call.", [])
    engines: list[Name] = _key("Models of the engine whose intents the model can call.", [])
    documents: list[Name] = _key("Files and folders to load into archival memory.", [])
    limits: LimitsSchema = _key("Limits of one event.", LimitsSchema())
    texts: dict[TextKind, Text] = _key("What the user is told when the model says nothing.", {})


def agent_schema() -> dict[str, Any]:
    """Return the JSON Schema of agent files, with a description for every key."""
    return {
        "$schema": _DIALECT,
        **_tidy(AgentSchema.model_json_schema(by_alias=True)),
        "title": "Anaphora agent",
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
    return {**tidied, "additionalProperties": False} if "patternProperties" in tidied else tidied
