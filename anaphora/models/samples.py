"""The sample dialogs of a file, checked against the intents that they name."""

from __future__ import annotations

from collections.abc import Iterable

from anaphora.models.domain import AskStep, Dialog, PauseStep, ResetStep, Step
from anaphora.models.draft import Draft
from anaphora.models.intents import KnownIntents
from anaphora.models.nodes import Path
from anaphora.models.schema import AskSchema, PauseSchema, ResetSchema

__all__ = ["read_samples"]


def read_samples(draft: Draft, intents: KnownIntents) -> tuple[Dialog, ...]:
    """The sample dialogs; what is wrong with them is reported."""
    dialogs = []
    for index, sample in enumerate(draft.file.samples):
        path = ("samples", index)
        steps = tuple(
            _step(draft, (*path, "dialog", number), step, intents)
            for number, step in enumerate(sample.dialog)
        )
        dialogs.append(Dialog(steps, sample.name, draft.line(path)))
    return tuple(dialogs)


def _step(
    draft: Draft,
    path: Path,
    written: AskSchema | PauseSchema | ResetSchema,
    intents: KnownIntents,
) -> Step:
    line = draft.line(path)
    match written:
        case PauseSchema():
            return PauseStep(written.pause, line)
        case ResetSchema():
            return ResetStep(written.reset, line)
        case AskSchema():
            _check_question(draft, path, written, intents)
            return _question(written, line)


def _question(written: AskSchema, line: int) -> AskStep:
    return AskStep(
        text=written.ask,
        status=written.status,
        intent=written.intent,
        slots={
            name: tuple(value) if isinstance(value, list) else value
            for name, value in written.slots.items()
        },
        from_memory=None if written.from_memory is None else tuple(written.from_memory),
        missing=None if written.missing is None else tuple(written.missing),
        language=written.language,
        line=line,
    )


def _check_question(draft: Draft, path: Path, written: AskSchema, intents: KnownIntents) -> None:
    if written.language and written.language not in draft.languages:
        draft.check_language((*path, "language"), written.language)
    if written.intent is not None and intents.is_unknown(written.intent):
        draft.complain_of_unknown((*path, "intent"), "intent", written.intent, intents.names)
    terms = _terms(written.intent, intents)
    if terms is None:
        return
    for name in written.slots:
        if name not in terms:
            draft.complain_of_unknown((*path, "slots", name), "slot", name, terms, in_key=True)
    for key, names in (("from_memory", written.from_memory), ("missing", written.missing)):
        _check_terms(draft, (*path, key), names or (), terms)


def _check_terms(draft: Draft, path: Path, names: Iterable[str], terms: list[str]) -> None:
    for index, name in enumerate(names):
        if name not in terms:
            draft.complain_of_unknown((*path, index), "term", name, terms)


def _terms(intent: str | None, intents: KnownIntents) -> list[str] | None:
    """The terms that a step can speak of; None where they are not known for certain."""
    if intent is None and (intents.broken or not intents.complete):
        return None
    if intent is not None and intents.get(intent) is None:
        return None
    chosen = [intents.by_id[intent]] if intent is not None else intents.by_id.values()
    return list(dict.fromkeys(term.id for each in chosen for term in each.terms if term.id))
