"""Build the elements of a model and check their references to each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from anaphora.core.name_hints import did_you_mean
from anaphora.models.building.combine_functions import find_combine_function
from anaphora.models.building.phrases import PhraseExpander
from anaphora.models.building.recognizers import (
    build_builtin_elements,
    build_recognizer,
    default_referents,
)
from anaphora.models.building.value_loaders import load_values
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.checking.references import (
    collect_known_names,
    describe_unknown,
    enable_hint,
)
from anaphora.models.checking.validation import is_placeholder
from anaphora.models.composition import CompositionCycleError, composition_levels, find_parts
from anaphora.models.domain import Element, ElementValue, FreshStart, RecognizerSpec, Referent
from anaphora.models.reading.nodes import MappingNode, Node, NodePath, ScalarNode, SequenceNode
from anaphora.models.schema.model_file import ElementSchema

__all__ = ["COMPOUND_LANGUAGES", "build_elements", "check_composition", "find_declared_ids"]

COMPOUND_LANGUAGES = ("da", "de", "fi", "nb", "nl", "no", "nn", "sv")
"""The languages in which compounds are recognized by their heads."""

_MAX_ANCESTORS = 100
_WORD_SEPARATORS = re.compile("[_-]+")


def build_elements(expander: PhraseExpander) -> tuple[Element, ...]:
    """Build the declared elements (with values from their loaders), then the built-in entities;
    errors are reported to the draft."""
    draft = expander.draft
    written = draft.file.elements
    is_empty = not (written or draft.file.entities)
    is_invalid = draft.is_removed("elements") or draft.is_removed("entities")
    if is_empty and not draft.imported and not is_invalid:
        draft.add_error(("elements",), "the model declares no elements")
    _check_ids(draft, written)
    ancestors = _AncestorResolver(draft, written).ancestors
    elements = []
    for index, one in enumerate(written):
        element = _build_element(expander, index, one, ancestors.get(one.id, ()))
        if one.value_loader is not None:
            path = ("elements", index, "value_loader")
            element = load_values(expander, path, one.value_loader, element)
        _check_phrase_count(draft, index, element)
        elements.append(element)
    all_elements = (*elements, *build_builtin_elements(draft, elements))
    _check_counts(draft, all_elements)
    return all_elements


def check_composition(draft: ModelDraft, elements: Sequence[Element]) -> None:
    """Report elements that are composed of unknown elements or of each other."""
    known = collect_known_names(draft, elements)
    for index, element in enumerate(elements):
        for part in sorted(find_parts(element), key=str):
            if part.alias in draft.element_ids:
                message = f"in {part} the name '{part.alias}' is that of an element"
                draft.add_error(("elements", index, "synonyms"), message, "choose another name")
            missing = [describe_unknown(key, known) for key in part.predicate.requires or ()]
            if missing and (problem := missing[0]) and None not in missing:
                what, hint = problem
                message = f"the synonym {part} of '{element.id}' refers to {what}"
                draft.add_error(("elements", index, "synonyms"), message, hint)
    try:
        composition_levels(elements)
    except CompositionCycleError as error:
        index = next(i for i, one in enumerate(elements) if one.id == error.cycle[0])
        draft.add_error(("elements", index), error.message, error.hint)


def find_declared_ids(root: Node) -> frozenset[str]:
    """The ids of all elements in the tree, valid or not.

    Call this before validation, which removes invalid elements: intents may still refer to them.
    """
    listed = root.items.get("elements") if isinstance(root, MappingNode) else None
    items = listed.items if isinstance(listed, SequenceNode) else ()
    nodes = (item.items.get("id") if isinstance(item, MappingNode) else item for item in items)
    return frozenset(node.text for node in nodes if isinstance(node, ScalarNode))


def _build_element(
    expander: PhraseExpander, index: int, written: ElementSchema, ancestors: tuple[str, ...]
) -> Element:
    draft = expander.draft
    path = ("elements", index)
    reference = written.recognizer
    has_id_phrases = reference is None if written.id_synonym is None else written.id_synonym
    own = _id_phrases(written.id) if has_id_phrases and not is_placeholder(written.id) else ()
    phrases = expander.expand((*path, "synonyms"), written.synonyms, own)
    values = tuple(_iter_values(expander, (*path, "values"), written.values))
    has_errors = any(
        draft.is_removed(*path, key) for key in ("id", "id_synonym", "synonyms", "values")
    )
    loaded = (
        written.value_loader is not None
        or reference is not None
        or draft.sentences is not None  # they may fill it
    )
    if written.max_gap is not None and not _value_or_default(written.sparse, draft.file.sparse):
        draft.add_error((*path, "max_gap"), "only a sparse element has gaps", "add 'sparse: true'")
    if reference is None and written.config:
        draft.add_error((*path, "config"), "only a recognizer has options", "name a 'recognizer'")
    if not (
        own or written.synonyms or values or loaded or has_errors or is_placeholder(written.id)
    ):
        draft.add_error(
            path,
            f"the element '{written.id}' has no synonyms or values",
            "give it synonyms or values, or leave 'id_synonym' on",
        )
    if written.compounds:
        _check_compounds(draft, path)
    recognition = (
        None if reference is None else build_recognizer(draft, path, reference, written.config)
    )
    return Element(
        id=written.id,
        groups=frozenset(written.groups) or frozenset({written.id}),
        phrases=phrases,
        values=values,
        ancestors=ancestors,
        topic=written.topic,
        description=written.description,
        meta=written.meta,
        sparse=_value_or_default(written.sparse, draft.file.sparse),
        max_gap=draft.file.max_gap if written.max_gap is None else written.max_gap,
        permute=_value_or_default(written.permute, draft.file.permute),
        greedy=_value_or_default(written.greedy, draft.file.greedy),
        abstract=written.abstract,
        typos=written.typos,
        compounds=written.compounds,
        recognition=recognition,
        refers=_build_referents(written.refers, recognition),
        several=written.several,
        fresh=_build_fresh_start(draft, path, written),
        counts=written.counts or "",
        combine=None
        if written.combine is None
        else find_combine_function(draft, (*path, "combine"), written.combine),
    )


def _build_referents(
    written: Sequence[Referent] | Referent | None, recognition: RecognizerSpec | None
) -> frozenset[Referent]:
    match written:
        case None:
            return default_referents(recognition)
        case str():
            return frozenset({written})
    return frozenset(written)


def _build_fresh_start(draft: ModelDraft, path: NodePath, written: ElementSchema) -> FreshStart:
    if written.fresh and not (written.topic or draft.is_removed(*path, "topic")):
        message = f"'{written.id}' is no topic: 'fresh' has no effect"
        draft.add("warning", (*path, "fresh"), message, "add 'topic: true', or leave 'fresh' out")
    if written.fresh == "ask":
        return "ask"
    return "always" if written.fresh else ""


def _check_counts(draft: ModelDraft, elements: Sequence[Element]) -> None:
    """Report elements that are counted by something else than numbers."""
    written_elements = draft.file.elements
    recognition = {one.id: one.recognition for one in elements}
    numbers = sorted(id for id, one in recognition.items() if one and _finds_numbers(one))
    broken = {one.id for one in written_elements if one.recognizer and not recognition[one.id]}
    for index, written in enumerate(written_elements):
        name, path = written.counts, ("elements", index, "counts")
        if name is None or name in numbers:
            continue
        if name not in draft.element_ids:
            hint = enable_hint(name) or did_you_mean(name, numbers, label="there is")
            draft.add_error(path, f"unknown element '{name}'", hint)
        elif name in recognition.keys() - broken:  # of the others, errors have been reported
            message = f"'{name}' finds no numbers that count '{written.id}'"
            hint = did_you_mean(name, numbers, label="these do") or enable_hint("number")
            draft.add_error(path, message, hint)


def _finds_numbers(recognition: RecognizerSpec) -> bool:
    return recognition.kind == "built-in" and recognition.name in ("number", "nlpcraft:num")


def _value_or_default(own: bool | None, common: bool) -> bool:  # noqa: FBT001 - two values, no switches
    return common if own is None else own


def _check_compounds(draft: ModelDraft, path: NodePath) -> None:
    if draft.is_removed("language"):
        return
    if not set(draft.languages).intersection(COMPOUND_LANGUAGES):
        draft.add_error(
            (*path, "compounds"),
            f"no compounds are known in the languages of the model: {', '.join(draft.languages)}",
            f"leave 'compounds' out: it is for {', '.join(COMPOUND_LANGUAGES)}",
        )


def _check_phrase_count(draft: ModelDraft, index: int, element: Element) -> None:
    most = draft.file.max_synonyms
    if most is None:
        return
    kinds = (element.phrases, *(value.phrases for value in element.values))
    count = sum(len(phrases) for by_language in kinds for phrases in by_language.values())
    if count > most:
        draft.add_error(
            ("elements", index),
            f"the synonyms of '{element.id}' expand to {count:,} phrases; "
            f"'max_synonyms' allows {most:,}",
        )


def _id_phrases(id: str) -> tuple[str, ...]:
    """The phrases for an id: ``best_employee`` and ``best employee``."""
    return tuple(dict.fromkeys((id, _WORD_SEPARATORS.sub(" ", id).strip() or id)))


def _iter_values(
    expander: PhraseExpander,
    path: NodePath,
    written: Sequence[str] | Mapping[str, Sequence[str] | Mapping[str, Sequence[str]] | None],
) -> Iterator[ElementValue]:
    if isinstance(written, Mapping):
        for name, synonyms in written.items():
            yield ElementValue(name, expander.expand((*path, name), synonyms, (name,)))
        return
    first: dict[str, int] = {}
    for index, name in enumerate(written):
        if name in first:
            line = expander.draft.line_of((*path, first[name]))
            expander.draft.add_error(
                (*path, index), f"duplicate value '{name}'; first on line {line}"
            )
            continue
        first[name] = index
        yield ElementValue(name, expander.expand((*path, index), (), (name,)))


def _check_ids(draft: ModelDraft, written: Sequence[ElementSchema]) -> None:
    first: dict[str, int] = {}
    for index, element in enumerate(written):
        if first.setdefault(element.id, index) == index:
            continue
        line = draft.line_of(("elements", first[element.id], "id"))
        draft.add_error(
            ("elements", index, "id"),
            f"the element '{element.id}' is declared twice; first on line {line}",
        )


class _AncestorResolver:
    """Finds the ancestors of all elements; reports unknown and cyclic parents."""

    def __init__(self, draft: ModelDraft, written: Sequence[ElementSchema]) -> None:
        self._draft = draft
        self._parent: dict[str, str] = {}
        self._index: dict[str, int] = {}
        known = draft.element_ids
        for index, element in enumerate(written):
            if element.parent is None or element.id in self._parent:
                continue
            if element.parent in known:
                self._parent[element.id] = element.parent
                self._index[element.id] = index
            elif not draft.is_removed("elements") or draft.file.elements:
                path = ("elements", index, "parent")
                draft.add_unknown_name(path, "parent", element.parent, sorted(known))
        self._cyclic: set[str] = set()
        self._too_deep = False
        self.ancestors = {id: self._find_ancestors(id) for id in self._parent}

    def _find_ancestors(self, id: str) -> tuple[str, ...]:
        chain = [id]
        seen = {id}
        while (parent := self._parent.get(chain[-1])) is not None:
            chain.append(parent)
            if parent in seen:
                self._report_cycle(chain[chain.index(parent) :])
                break
            if len(chain) > _MAX_ANCESTORS:
                if not self._too_deep:
                    path = ("elements", self._index[id], "parent")
                    message = f"more than {_MAX_ANCESTORS} parents above each other"
                    self._draft.add_error(path, message)
                self._too_deep = True
                break
            seen.add(parent)
        return tuple(dict.fromkeys(chain[1:]))

    def _report_cycle(self, cycle: list[str]) -> None:
        if cycle[0] in self._cyclic:
            return
        self._cyclic.update(cycle)
        first = min(cycle, key=lambda id: self._index[id])
        turn = cycle.index(first)
        ordered = [*cycle[turn:-1], *cycle[:turn], first]
        self._draft.add_error(
            ("elements", self._index[first], "parent"),
            f"the parents form a cycle: {' → '.join(ordered)}",
        )
