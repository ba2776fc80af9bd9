"""Responses, prompts and offers: intents, terms, languages and the syntax of their templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from anaphora.grammar.intent import Intent
from anaphora.models.domain import ANY_LANGUAGE, Localized
from anaphora.models.draft import Draft
from anaphora.models.hints import did_you_mean
from anaphora.models.intents import KnownIntents
from anaphora.models.nodes import Path

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.nodes import Node

__all__ = ["TEMPLATE_VARIABLES", "read_offers", "read_prompts", "read_responses"]

TEMPLATE_VARIABLES = frozenset({"intent", "slots", "text", "user"})
"""What a template can use beside the slots of its intent."""

_DEEPEST = 100
_OWN_NAMES = frozenset({"caller", "kwargs", "loop", "self", "super", "varargs"})

_Written = str | Mapping[str, str]


def read_responses(draft: Draft, intents: KnownIntents) -> dict[str, Localized]:
    """The responses by intent; what is wrong with them is reported."""
    return _by_intent(draft, "responses", draft.file.responses, intents)


def read_offers(draft: Draft, intents: KnownIntents) -> dict[str, Localized]:
    """The offers by intent; what is wrong with them is reported."""
    return _by_intent(draft, "offers", draft.file.offers, intents)


def read_prompts(draft: Draft, intents: KnownIntents) -> dict[str, dict[str, Localized]]:
    """The prompts by intent and term; what is wrong with them is reported."""
    read: dict[str, dict[str, Localized]] = {}
    for name, terms in draft.file.prompts.items():
        _check_intent(draft, ("prompts", name), name, intents)
        intent = intents.get(name)
        read[name] = {}
        for term, written in terms.items():
            path = ("prompts", name, term)
            if intent is not None:
                _check_term(draft, path, intent, term)
            read[name][term] = _localized(draft, path, written, intent)
    return read


def _by_intent(
    draft: Draft, key: str, texts: Mapping[str, _Written], intents: KnownIntents
) -> dict[str, Localized]:
    read = {}
    for name, written in texts.items():
        path = (key, name)
        _check_intent(draft, path, name, intents)
        read[name] = _localized(draft, path, written, intents.get(name))
    return read


def _check_intent(draft: Draft, path: Path, name: str, intents: KnownIntents) -> None:
    if intents.is_unknown(name):
        draft.complain_of_unknown(path, "intent", name, intents.names, in_key=True)


def _check_term(draft: Draft, path: Path, intent: Intent, name: str) -> None:
    term = intent.term(name)
    if term is None:
        known = [term.id for term in intent.terms if term.id]
        what = f"term of the intent '{intent.id}':"
        draft.complain_of_unknown(path, what, name, known, in_key=True)
    elif term.min == 0:
        draft.complain_of_key(
            path,
            f"the term '{name}' of the intent '{intent.id}' is optional: nobody will be asked "
            "for it",
        )


def _localized(draft: Draft, path: Path, written: _Written, intent: Intent | None) -> Localized:
    texts = {ANY_LANGUAGE: written} if isinstance(written, str) else written
    for language, text in texts.items():
        place = (*path, language) if language else path
        if language:
            draft.check_language(place, language)
        if not text.strip():
            draft.complain(place, "the text is empty")
        elif "{" in text:
            _check_template(draft, place, text, intent)
    return texts


def _check_template(draft: Draft, path: Path, text: str, intent: Intent | None) -> None:
    from jinja2 import TemplateSyntaxError

    try:
        parts = _parts(_environment().parse(text))
    except TemplateSyntaxError as error:
        at = _start_of_line(text, error.lineno)
        message = error.message or "it cannot be read"
        draft.complain_at(path, at, f"not a valid template: {message[0].lower()}{message[1:]}")
        return
    except RecursionError:
        draft.complain(path, "the template is nested too deeply")
        return
    for name, line, what in _unknown_parts(parts, intent):
        known = {"variable": _known_variables(intent), "slot": _slots(intent)}.get(what, [])
        hint = did_you_mean(name, known, what="there is")
        at = text.find(name, _start_of_line(text, line))
        draft.complain_at(path, max(at, 0), f"unknown {what} '{name}' in the template", hint)


def _parts(tree: Node) -> list[Node]:
    """All nodes of a template, in no order; ``RecursionError`` for one that nobody could run."""
    level = [tree]
    found = []
    for _ in range(_DEEPEST):
        found += level
        level = [child for node in level for child in node.iter_child_nodes()]
        if not level:
            return found
    raise RecursionError


def _unknown_parts(parts: Sequence[Node], intent: Intent | None) -> Iterator[tuple[str, int, str]]:
    """Names, lines and kinds of what a template uses and will not find."""
    from jinja2 import nodes

    environment = _environment()
    for part in parts:
        if isinstance(part, nodes.Filter) and part.name not in environment.filters:
            yield part.name, part.lineno, "filter"
        if isinstance(part, nodes.Test) and part.name not in environment.tests:
            yield part.name, part.lineno, "test"
    if intent is None:
        return
    # jinja2.meta could tell the variables, but on its way it would compute `9 ** 9 ** 9`.
    if intent.term("slots") is None:
        slots = _slots(intent)
        for part in parts:
            if (
                isinstance(part, nodes.Getattr)
                and isinstance(part.node, nodes.Name)
                and part.node.name == "slots"
                and part.attr not in slots
            ):
                yield part.attr, part.lineno, "slot"
    names = [part for part in parts if isinstance(part, nodes.Name)]
    known = {*_known_variables(intent), *environment.globals, *_OWN_NAMES}
    known.update(name.name for name in names if name.ctx != "load")
    known.update(part.name for part in parts if isinstance(part, nodes.Macro))
    for name in names:
        if name.name not in known:
            known.add(name.name)
            yield name.name, name.lineno, "variable"


def _known_variables(intent: Intent | None) -> list[str]:
    return [*_slots(intent), *sorted(TEMPLATE_VARIABLES)]


def _slots(intent: Intent | None) -> list[str]:
    return [term.id for term in intent.terms if term.id] if intent else []


def _start_of_line(text: str, line: int) -> int:
    lines = text.split("\n")[: max(line - 1, 0)]
    return min(sum(len(each) + 1 for each in lines), max(len(text) - 1, 0))


@cache
def _environment() -> Environment:
    from jinja2 import Environment  # here: it is slow to import, and many models have no template

    return Environment(autoescape=False)
