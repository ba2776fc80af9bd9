"""Build the sample dialogs of a file and check the names in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from anaphora.core.name_hints import did_you_mean
from anaphora.models.building.intents import IntentTable
from anaphora.models.building.responses import NO_INTENT, ResponseBuilder
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.domain import (
    AskStep,
    BotStep,
    Dialog,
    Element,
    PauseStep,
    ResetStep,
    Step,
)
from anaphora.models.reading.nodes import NodePath
from anaphora.models.schema.samples import AskSchema, BotSchema, PauseSchema, ResetSchema

__all__ = ["build_samples"]

_ValuesByElement: TypeAlias = Mapping[str, frozenset[str] | None]


@dataclass(frozen=True, slots=True)
class _KnownNames:
    """The names that a sample can refer to.

    ``values`` are the values by element, None for an element whose values are not all known; None
    altogether if the elements are unknown.
    """

    intents: IntentTable
    values: _ValuesByElement | None


def build_samples(
    draft: ModelDraft, intents: IntentTable, elements: Iterable[Element]
) -> tuple[Dialog, ...]:
    """Build the sample dialogs; errors are reported to ``draft``."""
    dialogs = []
    known = _KnownNames(intents, _find_known_values(draft, elements))
    for index, sample in enumerate(draft.file.samples):
        path = ("samples", index)
        steps = tuple(
            _build_step(draft, (*path, "dialog", number), step, known)
            for number, step in enumerate(sample.dialog)
        )
        line = draft.line_of(path)
        dialogs.append(Dialog(steps, sample.name, line, sample.at, sample.long_term))
    return tuple(dialogs)


def _build_step(
    draft: ModelDraft,
    path: NodePath,
    written: AskSchema | BotSchema | PauseSchema | ResetSchema,
    known: _KnownNames,
) -> Step:
    line = draft.line_of(path)
    match written:
        case PauseSchema():
            return PauseStep(written.pause, line)
        case ResetSchema():
            return ResetStep(written.reset, line)
        case BotSchema():
            _check_statement(draft, path, written, known)
            return BotStep(
                written.bot,
                written.mentions or {},
                tuple(written.offers or ()),
                written.intent or "",
                written.then or "",
                line,
            )
        case AskSchema():
            _check_question(draft, path, written, known.intents)
            for key in ("memory", "by_bot", "offers"):
                entries = getattr(written, key) or ()
                _check_entities(draft, (*path, key), entries, known.values)
            return _build_ask_step(written, line)


def _to_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _build_ask_step(written: AskSchema, line: int) -> AskStep:
    return AskStep(
        text=written.ask,
        status=written.status,
        intent=written.intent,
        slots={name: _to_tuple(value) for name, value in written.slots.items()},
        from_memory=_to_tuple(written.from_memory),
        missing=_to_tuple(written.missing),
        memory=_strip_entries(written.memory),
        by_bot=_strip_entries(written.by_bot),
        offers=_strip_entries(written.offers),
        language=written.language,
        line=line,
    )


def _check_statement(
    draft: ModelDraft, path: NodePath, written: BotSchema, known: _KnownNames
) -> None:
    texts = ResponseBuilder(draft, known.intents, {})
    bundles = [((*path, "mentions"), written.mentions or {})]
    bundles += [((*path, "offers", at), one) for at, one in enumerate(written.offers or ())]
    for place, templates in bundles:
        for element, template in templates.items():
            if known.values is not None and element not in known.values:
                names = sorted(known.values)
                draft.add_unknown_name((*place, element), "element", element, names, in_key=True)
            texts.check_text((*place, element), template, NO_INTENT)
    for key, name in (("intent", written.intent), ("then", written.then)):
        if name is not None:
            texts.check_intent((*path, key), name, in_key=False)
    if written.offers and written.intent is None:
        hint = "name the intent that is asked again if the user declines: intent: …"
        draft.add_key_error((*path, "offers"), "the offers have no intent", hint)
    if written.then and not written.offers:
        draft.add_key_error((*path, "then"), "'then' is for offers, and there are none")


def _check_question(
    draft: ModelDraft, path: NodePath, written: AskSchema, intents: IntentTable
) -> None:
    if written.language and written.language not in draft.languages:
        draft.check_language((*path, "language"), written.language)
    if written.intent is not None and intents.is_unknown(written.intent):
        draft.add_unknown_name((*path, "intent"), "intent", written.intent, intents.names)
    terms = _find_terms(written.intent, intents)
    if terms is None:
        return
    for name in written.slots:
        if name not in terms:
            draft.add_unknown_name((*path, "slots", name), "slot", name, terms, in_key=True)
    for key, names in (("from_memory", written.from_memory), ("missing", written.missing)):
        _check_terms(draft, (*path, key), names or (), terms)


def _check_terms(draft: ModelDraft, path: NodePath, names: Iterable[str], terms: list[str]) -> None:
    for index, name in enumerate(names):
        if name not in terms:
            draft.add_unknown_name((*path, index), "term", name, terms)


def _check_entities(
    draft: ModelDraft, path: NodePath, entries: Iterable[str], values: _ValuesByElement | None
) -> None:
    if values is None:
        return
    for index, entry in enumerate(entries):
        written, sign, value = entry.partition("=")
        name = written.strip()
        if name not in values:
            draft.add_unknown_name((*path, index), "element", name, sorted(values))
            continue
        known = values[name]
        if not sign or known is None or value.strip() in known:
            continue
        message = f"the element '{name}' has no value '{value.strip()}'"
        hint = did_you_mean(value.strip(), sorted(known), label="it has")
        hint = hint or f"write '{name}' alone"
        draft.add_error((*path, index), message, hint, index=len(written) + 1)


def _strip_entries(entries: Iterable[str] | None) -> tuple[str, ...] | None:
    if entries is None:
        return None
    return tuple("=".join(part.strip() for part in entry.split("=", 1)) for entry in entries)


def _find_known_values(draft: ModelDraft, elements: Iterable[Element]) -> _ValuesByElement | None:
    written = draft.file.elements
    if not written and draft.is_removed("elements"):
        return None
    found: dict[str, frozenset[str] | None] = {}
    for element in elements:
        known = found.get(element.id) or frozenset()
        found[element.id] = known | {value.name for value in element.values}
    # Errors in the values of an element are already reported.
    unsure = {
        element.id
        for index, element in enumerate(written)
        if draft.is_removed("elements", index, "values")
        or (element.value_loader is not None and draft.diagnostics)
    }
    unsure |= {element.id for element in elements if element.recognition}  # may have any value
    return found | dict.fromkeys(draft.element_ids - found.keys() | unsure)


def _find_terms(intent: str | None, intents: IntentTable) -> list[str] | None:
    """The terms that a step can refer to; None if unknown."""
    if intent is None and (intents.broken or not intents.complete):
        return None
    if intent is not None and intents.get(intent) is None:
        return None
    chosen = [intents.by_id[intent]] if intent is not None else intents.by_id.values()
    return list(dict.fromkeys(term.id for each in chosen for term in each.terms if term.id))
