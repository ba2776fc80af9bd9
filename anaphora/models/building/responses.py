"""Build responses, prompts and offers; check their intents, terms, languages and templates."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from anaphora.grammar.idl.intent import Intent
from anaphora.grammar.suggestions import did_you_mean
from anaphora.models.building.intents import IntentTable
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.domain import ANY_LANGUAGE, LocalizedText
from anaphora.models.reading.nodes import NodePath
from anaphora.models.templates.formatting.filters import FILTERS

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.nodes import Getattr, Node

__all__ = [
    "TEMPLATE_VARIABLES",
    "build_offers",
    "build_prompts",
    "build_responses",
    "build_unused_texts",
]

TEMPLATE_VARIABLES = frozenset({"intent", "slots", "text", "unused", "user"})
"""The variables of a template, besides the slots of its intent."""

_MAX_DEPTH = 100
_JINJA_NAMES = frozenset({"caller", "kwargs", "loop", "self", "super", "varargs"})

_TextOrTranslations = str | Mapping[str, str]

PartNames: TypeAlias = Mapping[str, frozenset[str] | None]
"""The names of possible parts by element; None if unknown."""


def build_responses(
    draft: ModelDraft, intents: IntentTable, parts: PartNames
) -> dict[str, LocalizedText]:
    """The responses by intent; errors are reported to ``draft``."""
    return _build_texts(draft, "responses", draft.file.responses, intents, parts)


def build_offers(
    draft: ModelDraft, intents: IntentTable, parts: PartNames
) -> dict[str, LocalizedText]:
    """The offers by intent; errors are reported to ``draft``."""
    return _build_texts(draft, "offers", draft.file.offers, intents, parts)


def build_unused_texts(
    draft: ModelDraft, intents: IntentTable, parts: PartNames
) -> dict[str, LocalizedText]:
    """The texts, by intent, that ask about the unused rest of a sentence; empty for the default
    text of the language. Errors are reported to ``draft``."""
    written = draft.file.unused
    if isinstance(written, str):
        return {id: {} for id in intents.by_id} if written == "ask" else {}
    return _build_texts(draft, "unused", written, intents, parts)


def build_prompts(
    draft: ModelDraft, intents: IntentTable, parts: PartNames
) -> dict[str, dict[str, LocalizedText]]:
    """The prompts by intent and term; errors are reported to ``draft``."""
    read: dict[str, dict[str, LocalizedText]] = {}
    for name, terms in draft.file.prompts.items():
        _check_intent(draft, ("prompts", name), name, intents)
        intent = intents.get(name)
        read[name] = {}
        for term, written in terms.items():
            path = ("prompts", name, term)
            if intent is not None:
                _check_term(draft, path, intent, term)
            read[name][term] = _build_localized(draft, path, written, intent, parts)
    return read


def _build_texts(
    draft: ModelDraft,
    key: str,
    texts: Mapping[str, _TextOrTranslations],
    intents: IntentTable,
    parts: PartNames,
) -> dict[str, LocalizedText]:
    read = {}
    for name, written in texts.items():
        path = (key, name)
        _check_intent(draft, path, name, intents)
        read[name] = _build_localized(draft, path, written, intents.get(name), parts)
    return read


def _check_intent(draft: ModelDraft, path: NodePath, name: str, intents: IntentTable) -> None:
    if intents.is_unknown(name):
        draft.add_unknown_name(path, "intent", name, intents.names, in_key=True)


def _check_term(draft: ModelDraft, path: NodePath, intent: Intent, name: str) -> None:
    term = intent.term(name)
    if term is None:
        known = [term.id for term in intent.terms if term.id]
        what = f"term of the intent '{intent.id}':"
        draft.add_unknown_name(path, what, name, known, in_key=True)
    elif term.min == 0:
        draft.add_key_error(
            path,
            f"the term '{name}' of the intent '{intent.id}' is optional: nobody will be asked "
            "for it",
        )


def _build_localized(
    draft: ModelDraft,
    path: NodePath,
    written: _TextOrTranslations,
    intent: Intent | None,
    parts: PartNames,
) -> LocalizedText:
    texts = {ANY_LANGUAGE: written} if isinstance(written, str) else written
    for language, text in texts.items():
        place = (*path, language) if language else path
        if language:
            draft.check_language(place, language)
        if not text.strip():
            draft.add_error(place, "the text is empty")
        elif "{" in text:
            _check_template(draft, place, text, intent, parts)
    return texts


def _check_template(
    draft: ModelDraft, path: NodePath, text: str, intent: Intent | None, parts: PartNames
) -> None:
    from jinja2 import TemplateSyntaxError

    try:
        nodes = _collect_nodes(_environment().parse(text))
    except TemplateSyntaxError as error:
        reason = error.message or "it cannot be read"
        message = f"not a valid template: {reason[0].lower()}{reason[1:]}"
        draft.add_error(path, message, index=_line_offset(text, error.lineno))
        return
    except RecursionError:
        draft.add_error(path, "the template is nested too deeply")
        return
    for unknown in (
        *_find_unknown_names(nodes, intent),
        *_find_unknown_parts(nodes, intent, parts),
    ):
        hint = did_you_mean(unknown.name, unknown.known, label="there is")
        at = text.find(unknown.name, _line_offset(text, unknown.line))
        message = f"unknown {unknown.kind} '{unknown.name}' in the template"
        draft.add_error(path, message, hint, index=max(at, 0))


def _collect_nodes(tree: Node) -> list[Node]:
    """All nodes of a template, unordered; raises ``RecursionError`` if it is too deep to run."""
    level = [tree]
    found = []
    for _ in range(_MAX_DEPTH):
        found += level
        level = [child for node in level for child in node.iter_child_nodes()]
        if not level:
            return found
    raise RecursionError


class _UnknownName(NamedTuple):
    """An undefined name in a template, with the defined names of its kind."""

    name: str
    line: int
    kind: str
    known: Collection[str] = ()


def _find_unknown_names(tree: Sequence[Node], intent: Intent | None) -> Iterator[_UnknownName]:
    """Undefined filters, tests, variables and slots in a template."""
    from jinja2 import nodes

    environment = _environment()
    filters = environment.filters.keys() | FILTERS.keys()
    for node in tree:
        if isinstance(node, nodes.Filter) and node.name not in filters:
            yield _UnknownName(node.name, node.lineno, "filter")
        if isinstance(node, nodes.Test) and node.name not in environment.tests:
            yield _UnknownName(node.name, node.lineno, "test")
    if intent is None:
        return
    # jinja2.meta finds variables too, but evaluates constants such as `9 ** 9 ** 9`.
    if intent.term("slots") is None:
        slots = _slot_names(intent)
        for node, variable in _iter_attributes(tree):
            if variable == "slots" and node.attr not in slots:
                yield _UnknownName(node.attr, node.lineno, "slot", slots)
    names = [node for node in tree if isinstance(node, nodes.Name)]
    variables = _known_variables(intent)
    known = {*variables, *environment.globals, *_JINJA_NAMES, *_assigned_names(tree)}
    known.update(node.name for node in tree if isinstance(node, nodes.Macro))
    for name in names:
        if name.name not in known:
            known.add(name.name)
            yield _UnknownName(name.name, name.lineno, "variable", variables)


def _find_unknown_parts(
    tree: Sequence[Node], intent: Intent | None, parts: PartNames
) -> Iterator[_UnknownName]:
    """Attributes of a slot (``{{ from.account }}``) that cannot be parts of its entities."""
    assigned = _assigned_names(tree)
    for node, name in _iter_attributes(tree):
        term = intent.term(name) if intent and name not in assigned else None
        elements = term.predicate.elements if term and term.max == 1 else None
        known: set[str] | None = None if elements is None else set()
        for element in elements or ():
            names = parts.get(element)
            known = None if known is None or names is None else known | names
        if known is None or node.attr in known or hasattr(str, node.attr):
            continue
        yield _UnknownName(node.attr, node.lineno, "part", sorted(known))


def _iter_attributes(tree: Sequence[Node]) -> Iterator[tuple[Getattr, str]]:
    """The attribute nodes of variables, with the names of the variables."""
    from jinja2 import nodes

    for node in tree:
        if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name):
            yield node, node.node.name


def _assigned_names(tree: Sequence[Node]) -> set[str]:
    """The variables that the template itself assigns."""
    from jinja2 import nodes

    names = (node for node in tree if isinstance(node, nodes.Name))
    return {name.name for name in names if name.ctx != "load"}


def _known_variables(intent: Intent | None) -> list[str]:
    return [*_slot_names(intent), *sorted(TEMPLATE_VARIABLES)]


def _slot_names(intent: Intent | None) -> list[str]:
    return [term.id for term in intent.terms if term.id] if intent else []


def _line_offset(text: str, line: int) -> int:
    lines = text.split("\n")[: max(line - 1, 0)]
    return min(sum(len(each) + 1 for each in lines), max(len(text) - 1, 0))


@cache
def _environment() -> Environment:
    from jinja2 import Environment  # lazily: a slow import, and many models have no template

    return Environment(autoescape=False)
