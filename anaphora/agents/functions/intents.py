"""The intents of an engine as functions of an agent.

A call is put into words, the shortest phrases of the elements that the intent needs, and asked as
the user's question: so it takes the same path as a question that the user types, with the
short-term memory, prompts for missing slots, confirmations and handlers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from anaphora.agents.functions.function import AgentFunction, CallError, FunctionContext
from anaphora.core.name_hints import did_you_mean
from anaphora.engine.engine import Engine
from anaphora.engine.identity import user_of_tenant
from anaphora.engine.reply import Reply
from anaphora.grammar.idl.intent import Intent, Term
from anaphora.models.domain import ANY_LANGUAGE, Element, Model, Phrases

__all__ = ["intent_functions"]

_MAX_LISTED = 30  # values in the schema of a parameter
_NOT_A_NAME = re.compile(r"\W+")
_MAX_NAME = 64  # characters; what chat-completions endpoints allow


def intent_functions(engine: Engine, model: str | None = None) -> list[AgentFunction]:
    """Build a function for each intent of a model (the engine's default if left out), and one,
    ``ask_MODEL``, that asks any question in words: for a yes after a question, for example.

    A question counts as one of the user for whom the agent works. It never comes back to an agent
    that is the fallback of the engine. Raises :class:`UnknownModel`.
    """
    declared, alone = engine.model(model), engine.with_fallback(None)
    functions = [
        _IntentFunction(alone, declared, intent).build()
        for intent in declared.intents
        if intent.terms
    ]
    return [*functions, _build_ask_function(alone, declared)]


@dataclass(frozen=True, slots=True)
class _Parameter:
    """A term as a parameter: its ``phrases`` by value (none for free text)."""

    term: Term
    description: str
    phrases: Mapping[str, str]

    @property
    def schema(self) -> dict[str, Any]:
        one: dict[str, Any] = {"type": "string"}
        if 0 < len(self.phrases) <= _MAX_LISTED:
            one["enum"] = list(self.phrases)
        if self.term.max > 1:
            one = {"type": "array", "items": one, "maxItems": self.term.max}
        return {**one, "description": self.description}

    def phrase(self, value: Any) -> str:
        values = value if isinstance(value, list) else [value]
        return " ".join([self.phrases.get(str(one), str(one)) for one in values])


@dataclass(frozen=True, slots=True)
class _IntentFunction:
    engine: Engine
    model: Model
    intent: Intent

    def build(self) -> AgentFunction:
        markers, parameters = self._split_terms()
        required = [one.term.label for one in parameters.values() if one.term.min]
        schema = {
            "type": "object",
            "properties": {label: one.schema for label, one in parameters.items()},
            "required": required,
        }

        def call(context: FunctionContext, values: Mapping[str, Any]) -> object:
            missing = [label for label in required if values.get(label) in (None, "", [])]
            if missing:
                raise CallError(f"{', '.join(missing)}: required")
            said = {
                label: parameters[label].phrase(value)
                for label, value in values.items()
                if label in parameters and value not in (None, "", [])
            }
            self._check_values(parameters, values)
            question = " ".join([*markers, *said.values()])
            self._check_understanding(context, question, said)
            reply = _ask(self.engine, self.model, context, question)
            return _describe_reply(reply)

        is_main = self.intent.id == self.model.id
        name = _to_name(self.intent.id if is_main else f"{self.model.id}_{self.intent.id}")
        return AgentFunction(name, self._describe(markers), schema, call)

    def _check_values(
        self, parameters: Mapping[str, _Parameter], values: Mapping[str, Any]
    ) -> None:
        """Raise :class:`CallError` for a value that is none of those listed."""
        for label, value in values.items():
            listed = parameters[label].phrases if label in parameters else {}
            for one in value if isinstance(value, list) else [value]:
                if listed and one not in (None, "") and str(one) not in listed:
                    hint = did_you_mean(str(one), listed, label="the values are")
                    raise CallError(f"{label}: '{one}' is not understood; {hint}".rstrip("; "))

    def _check_understanding(
        self, context: FunctionContext, question: str, said: Mapping[str, str]
    ) -> None:
        """Raise :class:`CallError` unless the question would be understood as this intent, with
        all that is said in it. Nothing is carried out: a handler runs only for what was meant."""
        explained = self.engine.explain(
            question,
            user=user_of_tenant(context.user, context.tenant),
            model=self.model.id,
            at=context.at,
        )
        best = explained.matches[0] if explained.matches else None
        taken = {label for label, one in best.taken if one.source == "sentence"} if best else set()
        if best is not None and best.intent == self.intent.id:
            unknown = [f"{label}: '{said[label]}'" for label in said if label not in taken]
            unknown += [f"'{word}'" for word in explained.unknown]
            unknown += [f"'{entity.text}'" for entity in explained.unused]
            if not unknown:
                return
            raise CallError(f"not understood: {', '.join(unknown)}")
        raise CallError(
            f"'{question}' would be understood as {best.intent if best else 'nothing'}"
            f"{f' ({explained.reason})' if explained.reason else ''}: check the values, or say it "
            f"in words with {_ask_name(self.model)}"
        )

    def _describe(self, markers: Iterable[str]) -> str:
        topic = " ".join(markers)
        name = self.model.name or self.model.id
        return f"{name}: {self.intent.id}{f' ({topic})' if topic else ''}"

    def _split_terms(self) -> tuple[list[str], dict[str, _Parameter]]:
        """Split the terms into phrases that are always said, and parameters."""
        markers: list[str] = []
        parameters: dict[str, _Parameter] = {}
        for term in self.intent.terms:
            elements = [one for one in self.model.elements if _may_fill(term, one)]
            choices = self._find_choices(elements)
            is_plain = not any(one.values or one.recognition for one in elements)
            if is_plain and len(choices) == 1 and term.min:
                markers += choices.values()
            else:
                is_free = any(one.recognition for one in elements)
                described = [one.description or one.id for one in elements]
                parameters[term.label] = _Parameter(
                    term, ", ".join(described) or term.label, {} if is_free else choices
                )
        return markers, parameters

    def _find_choices(self, elements: Iterable[Element]) -> dict[str, str]:
        """Return what can be said for elements: the shortest phrase of each element without
        values, and of each value, by id or name."""
        choices: dict[str, str] = {}
        for element in elements:
            if element.values:
                for value in element.values:
                    choices[value.name] = self._shortest(value.phrases, value.name) or value.name
            elif phrase := self._shortest(element.phrases, element.id):
                choices[element.id] = phrase
        return choices

    def _shortest(self, phrases: Phrases, name: str) -> str:
        """Return the name if it is a phrase in any language, else the shortest phrase that is plain
        words, in the first language that has any."""
        if (name,) in phrases.get(ANY_LANGUAGE, ()):
            return name
        for language in (*self.model.languages, ANY_LANGUAGE):
            plain = [
                " ".join([str(word) for word in words])
                for words in phrases.get(language, ())
                if all(isinstance(word, str) for word in words)
            ]
            if plain:
                return min(plain, key=len)
        return ""


def _build_ask_function(engine: Engine, model: Model) -> AgentFunction:
    schema = {
        "type": "object",
        "properties": {"question": {"type": "string", "description": "in words, as a user asks"}},
        "required": ["question"],
    }

    def call(context: FunctionContext, values: Mapping[str, Any]) -> object:
        question = values.get("question")
        if not isinstance(question, str) or not question.strip():
            raise CallError("question: write a text")
        return _describe_reply(_ask(engine, model, context, question))

    about = model.description or model.name or model.id
    description = f"Ask the bot '{model.id}' a question, or answer one of its questions: {about}"
    return AgentFunction(_ask_name(model), description, schema, call)


def _ask(engine: Engine, model: Model, context: FunctionContext, question: str) -> Reply:
    user = user_of_tenant(context.user, context.tenant)
    return engine.ask(question, user=user, model=model.id, at=context.at)


def _describe_reply(reply: Reply) -> dict[str, Any]:
    """Describe a reply for the model: what was understood, and what the bot says or asks."""
    described = {
        "status": reply.status,
        "intent": reply.intent,
        "slots": {name: slot.value for name, slot in reply.slots.items()},
        "missing": list(reply.missing),
        "text": reply.text,
        "reason": reply.reason,
    }
    return {name: value for name, value in described.items() if value}


def _may_fill(term: Term, element: Element) -> bool:
    requires = term.predicate.requires
    if requires is None:
        return False
    keys = {("element", element.id)}
    keys |= {("group", group) for group in element.groups}
    keys |= {("ancestor", ancestor) for ancestor in element.ancestors}
    return not requires.isdisjoint(keys)


def _ask_name(model: Model) -> str:
    return _to_name(f"ask_{model.id}")


def _to_name(id: str) -> str:
    return _NOT_A_NAME.sub("_", id)[:_MAX_NAME]
