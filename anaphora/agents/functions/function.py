"""Functions that an agent's model can call."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError

from anaphora.agents.state.messages import FunctionCall
from anaphora.chat_model.messages import ToolSchema
from anaphora.core.name_hints import did_you_mean
from anaphora.errors import AgentError

__all__ = [
    "HEARTBEAT",
    "AgentFunction",
    "CallError",
    "FunctionContext",
    "FunctionSet",
    "parse_arguments",
]

HEARTBEAT = "request_heartbeat"
_HEARTBEAT_SCHEMA = {
    "type": "boolean",
    "description": "Run again to use the result.",
}
_MAX_REASON_LENGTH = 300  # characters of an error that the model is shown


class CallError(AgentError):
    """A call that fails; the message is meant for the model."""


@dataclass(frozen=True, slots=True)
class FunctionContext:
    """What a function can know of the event that it is called for. A function that has a parameter
    with this annotation gets it; the model does not see that parameter.

    ``at`` is the time of the event. ``call_id`` is unique, and the same when a call is repeated
    after a crash.
    """

    user: str
    tenant: str
    agent: str
    at: datetime
    call_id: str


@dataclass(frozen=True, slots=True)
class AgentFunction:
    """A function with its ``name``, ``description`` and the JSON Schema of its ``parameters``.

    ``call`` takes the context and the arguments as plain JSON values, and returns anything that can
    be shown as text; an exception becomes a failed result. ``repeatable``: after a crash in the
    middle of a call it is safe to call it again; otherwise the model is told that it may have run.
    ``reads``: its result is of use to the model, so it is run again unless it declines.
    ``heartbeat`` is whether the model is asked for ``request_heartbeat``.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    call: Callable[[FunctionContext, Mapping[str, Any]], object]
    repeatable: bool = False
    reads: bool = True
    heartbeat: bool = True

    @classmethod
    def from_callable(
        cls,
        function: Callable[..., object],
        *,
        name: str | None = None,
        repeatable: bool = False,
        reads: bool = True,
        heartbeat: bool = True,
    ) -> AgentFunction:
        """Make a function of the model from a Python function. The schema comes from its signature
        (``Annotated[int, Field(description=…)]`` describes a parameter), the description from its
        docstring.

        Raises :class:`AgentError` for parameters that have no JSON Schema.
        """
        known = name or function.__name__
        arguments, context_name = _build_arguments_model(known, function)
        schema = arguments.model_json_schema()
        schema.pop("title", None)
        for parameter in schema.get("properties", {}).values():
            parameter.pop("title", None)

        def call(context: FunctionContext, values: Mapping[str, Any]) -> object:
            try:
                checked = arguments.model_validate(dict(values))
            except ValidationError as error:
                raise CallError(_describe_validation(error)) from error
            given = {field: getattr(checked, field) for field in arguments.model_fields}
            if context_name:
                given[context_name] = context
            return function(**given)

        description = inspect.cleandoc(function.__doc__ or known.replace("_", " "))
        return cls(known, description, schema, call, repeatable, reads, heartbeat)

    @property
    def schema(self) -> ToolSchema:
        """The schema as the model sees it."""
        if not self.heartbeat:
            return ToolSchema(self.name, self.description, self.parameters)
        properties = {**self.parameters.get("properties", {}), HEARTBEAT: _HEARTBEAT_SCHEMA}
        required = [*self.parameters.get("required", ()), HEARTBEAT]
        parameters = {**self.parameters, "properties": properties, "required": required}
        return ToolSchema(self.name, self.description, parameters)

    def wants_heartbeat(self, call: FunctionCall) -> bool:
        """Whether the model shall run again after a successful call."""
        if not self.heartbeat:
            return False
        try:
            asked = parse_arguments(call).get(HEARTBEAT)
        except CallError:
            return True
        return asked if isinstance(asked, bool) else self.reads


@dataclass(frozen=True, slots=True)
class FunctionSet:
    """Functions by name.

    Raises :class:`AgentError` if two have the same name.
    """

    functions: tuple[AgentFunction, ...]
    _by_name: Mapping[str, AgentFunction] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name: dict[str, AgentFunction] = {}
        for function in self.functions:
            if function.name in by_name:
                raise AgentError(f"two functions have the name '{function.name}': rename one")
            by_name[function.name] = function
        object.__setattr__(self, "_by_name", by_name)

    @classmethod
    def of(cls, functions: Iterable[AgentFunction | Callable[..., object]]) -> FunctionSet:
        """Collect functions, Python functions among them."""
        return cls(
            tuple(
                [
                    one if isinstance(one, AgentFunction) else AgentFunction.from_callable(one)
                    for one in functions
                ]
            )
        )

    def __iter__(self) -> Iterator[AgentFunction]:
        return iter(self.functions)

    def get(self, name: str) -> AgentFunction | None:
        return self._by_name.get(name)

    def find(self, name: str) -> AgentFunction:
        """Return a function by name. Raises :class:`CallError` for an unknown one."""
        function = self._by_name.get(name)
        if function is None:
            hint = did_you_mean(name, self._by_name, label="the functions are")
            raise CallError(f"there is no function '{name}'; {hint}".rstrip("; "))
        return function

    @property
    def schemas(self) -> list[ToolSchema]:
        return [function.schema for function in self.functions]


def parse_arguments(call: FunctionCall) -> dict[str, Any]:
    """Parse the arguments of a call. Raises :class:`CallError` if they are no JSON object."""
    if not call.arguments.strip():
        return {}
    try:
        values = json.loads(call.arguments)
    except (ValueError, RecursionError) as error:
        if not call.arguments.rstrip().endswith(("}", "]")):
            raise CallError(
                f"the arguments of {call.name} are not JSON, they break off after "
                f"{len(call.arguments):,} characters: write one JSON object, and less in one answer"
            ) from error
        raise CallError(
            f"the arguments of {call.name} are not JSON ({error}): write one JSON object"
        ) from error
    if not isinstance(values, dict):
        raise CallError(f"the arguments of {call.name} must be one JSON object")
    return values


def describe_failure(error: Exception) -> str:
    """Describe an exception of a function for the model: short, and without a traceback."""
    said = " ".join(str(error).split())[:_MAX_REASON_LENGTH]
    return said if isinstance(error, AgentError) else f"{type(error).__name__}: {said}".rstrip(": ")


def _build_arguments_model(
    name: str, function: Callable[..., object]
) -> tuple[type[BaseModel], str]:
    """Build a model of the parameters, and find the parameter that takes the context ("" if
    none)."""
    context_name = ""
    try:
        hints = get_type_hints(function, include_extras=True)
    except NameError as error:
        raise AgentError(
            f"an annotation of the function {name} cannot be read: {error}; use names that its "
            "module knows"
        ) from error
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        annotation = hints.get(parameter.name, Any)
        plain = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
        if isinstance(plain, type) and issubclass(plain, FunctionContext):
            context_name = parameter.name
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise AgentError(
                f"the function {name} must name its parameters, instead of {parameter}"
            )
        if parameter.kind is parameter.POSITIONAL_ONLY or parameter.name == HEARTBEAT:
            raise AgentError(f"the parameter '{parameter.name}' of {name} cannot be passed by name")
        is_required = parameter.default is parameter.empty
        fields[parameter.name] = (annotation, ... if is_required else parameter.default)
    try:
        model = create_model(name, __config__=ConfigDict(extra="ignore"), **fields)
        model.model_json_schema()
    except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema) as error:
        raise AgentError(
            f"a parameter of the function {name} has no JSON Schema: "
            f"{str(error).splitlines()[0]}; annotate it with a plain type"
        ) from error
    return model, context_name


def _describe_validation(error: ValidationError) -> str:
    return "; ".join(
        [
            f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg'].lower()}"
            for one in error.errors(include_url=False)
        ]
    )
