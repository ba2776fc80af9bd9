"""Build the texts of a model and its validators; check intents, terms, languages and templates."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from anaphora.core.name_hints import did_you_mean
from anaphora.grammar.diagnostics import offset_at
from anaphora.grammar.idl.intent import Intent
from anaphora.models.building.entity_checks import build_entity_check
from anaphora.models.building.intents import IntentTable
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.domain import ANY_LANGUAGE, LocalizedText, Validator, Validators
from anaphora.models.reading.nodes import NodePath
from anaphora.models.schema.intents import ValidatorSchema
from anaphora.models.templates.expressions import as_template, sole_expression
from anaphora.models.templates.formatting.filters import FILTERS

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.nodes import Getattr, Node, Template

__all__ = ["NO_INTENT", "REFUSED_VALUE", "TEMPLATE_VARIABLES", "ResponseBuilder"]

TEMPLATE_VARIABLES = frozenset(
    {
        "accepted",
        "comparison",
        "correction",
        "declined",
        "intent",
        "slots",
        "text",
        "unused",
        "user",
    }
)
"""The variables of a template, besides the slots of its intent."""

REFUSED_VALUE = "value"
"""The variable of the texts of validators that holds the refused value."""

NO_INTENT = Intent("", ())
"""For texts that belong to no intent: they have no variables but their own."""

_VARIABLES = {"choices": ("choices",), "responses": ("result",)}  # of the texts under a key
_ANY_INTENT = Intent("", ())  # has no slots that a text for all intents could use
_ENTITY_ATTRIBUTES = frozenset({"quantity", "negated"})  # besides those of its text
_MAX_DEPTH = 100
_MAX_LISTED = 12  # names in a hint
_JINJA_NAMES = frozenset({"caller", "kwargs", "loop", "self", "super", "varargs"})

_TextOrTranslations = str | Mapping[str, str]

PartNames: TypeAlias = Mapping[str, frozenset[str] | None]
"""The names of possible parts by element; None if unknown."""


@dataclass(frozen=True, slots=True)
class ResponseBuilder:
    """Builds the texts of a model; errors are reported to ``draft``."""

    draft: ModelDraft
    intents: IntentTable
    parts: PartNames

    def build(
        self, key: Literal["responses", "recall_offers", "unused", "choices", "confirm"]
    ) -> dict[str, LocalizedText]:
        """The texts by intent under this key of the file."""
        texts: Mapping[str, _TextOrTranslations] = getattr(self.draft.file, key)
        variables = _VARIABLES.get(key, ())
        return {
            name: self.localize(
                (key, name), written, self.check_intent((key, name), name), variables
            )
            for name, written in texts.items()
        }

    def build_unused(self) -> dict[str, LocalizedText]:
        """The texts, by intent, that ask about the unused rest of a sentence; empty for the default
        text of the language."""
        written = self.draft.file.unused
        if isinstance(written, str):
            return {id: {} for id in self.intents.by_id} if written == "ask" else {}
        return self.build("unused")

    def build_prompts(self) -> dict[str, dict[str, LocalizedText]]:
        """The prompts by intent and term."""
        read: dict[str, dict[str, LocalizedText]] = {}
        for name, terms in self.draft.file.prompts.items():
            intent = self.check_intent(("prompts", name), name)
            read[name] = {}
            for term, written in terms.items():
                path = ("prompts", name, term)
                if intent is not None:
                    self._check_term(path, intent, term)
                read[name][term] = self.localize(path, written, intent)
        return read

    def build_validators(self) -> Validators:
        """The validators of the elements and of the terms."""
        elements = {
            element.id: self._build_validator(
                ("elements", index, "validate"), element.validate_, _ANY_INTENT
            )
            for index, element in enumerate(self.draft.file.elements)
            if element.validate_ is not None
        }
        terms: dict[str, dict[str, Validator]] = {}
        for name, validators in self.draft.file.validate_.items():
            intent = self.check_intent(("validate", name), name)
            terms[name] = {}
            for term, written in validators.items():
                path = ("validate", name, term)
                if intent is not None:
                    self._check_term(path, intent, term)
                terms[name][term] = self._build_validator(path, written, intent)
        return Validators(elements, terms)

    def _build_validator(
        self, path: NodePath, written: ValidatorSchema, intent: Intent | None
    ) -> Validator:
        return Validator(
            check=written.check,
            text=self.localize((*path, "text"), written.text, intent, (REFUSED_VALUE,)),
            test=build_entity_check(self.draft, (*path, "check"), written.check),
        )

    def check_intent(self, path: NodePath, name: str, *, in_key: bool = True) -> Intent | None:
        """The intent, if it is known and has no errors."""
        if self.intents.is_unknown(name):
            self.draft.add_unknown_name(path, "intent", name, self.intents.names, in_key=in_key)
        return self.intents.get(name)

    def _check_term(self, path: NodePath, intent: Intent, name: str) -> None:
        term = intent.term(name)
        if term is None:
            known = [term.id for term in intent.terms if term.id]
            what = f"term of the intent '{intent.id}':"
            self.draft.add_unknown_name(path, what, name, known, in_key=True)

    def check_text(
        self, path: NodePath, text: str, intent: Intent | None, variables: Sequence[str] = ()
    ) -> None:
        """Check a text, which may be a template. ``variables`` exist besides the usual ones."""
        if not text.strip():
            self.draft.add_error(path, "the text is empty")
        elif "{" in text:
            self._check_template(path, text, text, intent, variables)

    def check_expression(
        self, path: NodePath, text: str, intent: Intent | None, variables: Sequence[str] = ()
    ) -> None:
        """Check an expression of the template language."""
        tree = self._check_template(path, text, as_template(text), intent, variables)
        if tree is not None and sole_expression(tree) is None:
            self.draft.add_error(path, f"'{text}' is no expression")

    def localize(
        self,
        path: NodePath,
        written: _TextOrTranslations,
        intent: Intent | None,
        variables: Sequence[str] = (),
    ) -> LocalizedText:
        """The text at ``path`` by language: a template over the slots of ``intent`` (None if it
        has errors) and further ``variables``; for ``NO_INTENT`` over these alone."""
        texts = {ANY_LANGUAGE: written} if isinstance(written, str) else written
        for language, text in texts.items():
            place = (*path, language) if language else path
            if language:
                self.draft.check_language(place, language)
            self.check_text(place, text, intent, variables)
        return texts

    def _check_template(
        self,
        path: NodePath,
        text: str,
        template: str,
        intent: Intent | None,
        variables: Sequence[str],
    ) -> Template | None:
        """Check the template that is made of ``text``; returns its tree, if it can be read."""
        from jinja2 import TemplateSyntaxError

        try:
            tree = _environment().parse(template)
            nodes = _collect_nodes(tree)
        except TemplateSyntaxError as error:
            reason = error.message or "it cannot be read"
            message = f"not a valid template: {reason[0].lower()}{reason[1:]}"
            index = min(offset_at(text, error.lineno), len(text) - 1)
            self.draft.add_error(path, message, index=index)
            return None
        except RecursionError:
            self.draft.add_error(path, "the template is nested too deeply")
            return None
        for unknown in (
            *_find_unknown_names(nodes, intent, variables),
            *_find_unknown_parts(nodes, intent, self.parts),
        ):
            hint = did_you_mean(unknown.name, unknown.known, label="there is")
            if not hint and (some := list(unknown.known)[:_MAX_LISTED]):
                hint = f"there is: {', '.join(some)} …"
            at = text.find(unknown.name, offset_at(text, unknown.line))
            message = f"unknown {unknown.kind} '{unknown.name}' in the template"
            self.draft.add_error(path, message, hint, index=max(at, 0))
        return tree


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


def _find_unknown_names(
    tree: Sequence[Node], intent: Intent | None, additional: Sequence[str]
) -> Iterator[_UnknownName]:
    """Undefined filters, tests, variables and slots in a template."""
    from jinja2 import nodes

    environment = _environment()
    filters = list(dict.fromkeys((*FILTERS, *sorted(environment.filters))))  # ours first
    for node in tree:
        if isinstance(node, nodes.Filter) and node.name not in filters:
            yield _UnknownName(node.name, node.lineno, "filter", filters)
        if isinstance(node, nodes.Test) and node.name not in environment.tests:
            yield _UnknownName(node.name, node.lineno, "test", sorted(environment.tests))
    if intent is None:
        return
    # jinja2.meta finds variables too, but evaluates constants such as `9 ** 9 ** 9`.
    variables = additional
    if intent is not NO_INTENT:
        variables = [*_slot_names(intent), *additional, *sorted(TEMPLATE_VARIABLES)]
        yield from _find_unknown_slots(tree, intent)
    names = [node for node in tree if isinstance(node, nodes.Name)]
    known = {*variables, *environment.globals, *_JINJA_NAMES, *_assigned_names(tree)}
    known.update(node.name for node in tree if isinstance(node, nodes.Macro))
    for name in names:
        if name.name not in known:
            known.add(name.name)
            yield _UnknownName(name.name, name.lineno, "variable", variables)


def _find_unknown_slots(tree: Sequence[Node], intent: Intent) -> Iterator[_UnknownName]:
    """Attributes of ``slots`` that are no slots of the intent."""
    if intent.term("slots") is not None:
        return
    slots = _slot_names(intent)
    for node, variable in _iter_attributes(tree):
        if variable == "slots" and node.attr not in slots:
            yield _UnknownName(node.attr, node.lineno, "slot", slots)


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
        is_other = node.attr in _ENTITY_ATTRIBUTES or hasattr(str, node.attr)
        if known is None or node.attr in known or is_other:
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


def _slot_names(intent: Intent | None) -> list[str]:
    return [term.id for term in intent.terms if term.id] if intent else []


@cache
def _environment() -> Environment:
    from jinja2 import Environment  # lazily: a slow import, and many models have no template

    return Environment(autoescape=False)
