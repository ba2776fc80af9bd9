"""The intents of a file → compiled intents, checked against the elements of the model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.compiler import compile_intents
from anaphora.grammar.intent import Intent
from anaphora.models.domain import Element
from anaphora.models.draft import Draft
from anaphora.models.hints import closest, did_you_mean
from anaphora.models.nodes import Path

__all__ = ["KnownIntents", "read_intents"]

_ID = re.compile(r"\b(?:intent|id)\s*=\s*[\"']?([\w:.-]+)")


@dataclass(frozen=True, slots=True)
class KnownIntents:
    """The intents of a model by id, and the names of those that could not be read.

    ``complete`` says that the names of all that the file declares are known.
    """

    by_id: Mapping[str, Intent]
    broken: frozenset[str]
    complete: bool

    @property
    def names(self) -> list[str]:
        return sorted(self.broken.union(self.by_id))

    def get(self, name: str) -> Intent | None:
        """The intent of that id, unless it is unknown or could not be read."""
        return None if name in self.broken else self.by_id.get(name)

    def is_unknown(self, name: str) -> bool:
        """Whether no intent of the file bears that name.

        An intent whose very name could not be read may be the one that is meant, unless the
        name looks like that of another one.
        """
        if name in self.broken or name in self.by_id:
            return False
        return self.complete or closest(name, self.names) is not None


def read_intents(draft: Draft, elements: Iterable[Element]) -> KnownIntents:
    """The intents of the file; what is wrong with them is reported."""
    nameless = draft.is_spoilt("intents")
    if not draft.file.intents and not nameless:
        draft.complain(("intents",), "the model declares no intents")
    found: dict[str, Intent] = {}
    lines: dict[str, int] = {}
    broken: set[str] = set()
    known = _known_names(draft, elements)
    for index, text in enumerate(draft.file.intents):
        path = ("intents", index)
        try:
            compiled = _compile(text)
        except GrammarError as error:
            draft.complain_inside(path, error.problems)
            names = _ID.findall(text)
            broken.update(names)
            nameless = nameless or not names
            continue
        for intent in compiled:
            _check_mentions(draft, path, intent, known)
            if found.setdefault(intent.id, intent) is intent:
                lines[intent.id] = draft.line_at(path, intent.at)
                continue
            first = f"first on line {lines[intent.id]}"
            message = f"the intent '{intent.id}' is declared twice; {first}"
            draft.complain_at(path, intent.at, message)
    return KnownIntents(found, frozenset(broken), complete=not nameless)


def _compile(text: str) -> tuple[Intent, ...]:
    if not text.strip():
        raise GrammarError(Problem("the intent is empty"))
    try:
        return compile_intents(text)
    except RecursionError:
        raise GrammarError(Problem("the intent is nested too deeply")) from None


def _known_names(draft: Draft, elements: Iterable[Element]) -> dict[str, AbstractSet[str]]:
    """What a predicate can speak of, by kind; a kind of which not all is known is left out."""
    written = draft.file.elements
    if not written and draft.is_spoilt("elements"):
        return {}
    names = draft.element_names
    known: dict[str, AbstractSet[str]] = {"element": names, "ancestor": names}
    if not any(draft.is_spoilt("elements", at, "groups") for at in range(len(written))):
        known["group"] = {group for element in elements for group in element.groups}
    return known


def _check_mentions(
    draft: Draft, path: Path, intent: Intent, known: Mapping[str, AbstractSet[str]]
) -> None:
    for (kind, name), at in intent.mentions.items():
        names = known.get(kind)
        if names is None or name in names:
            continue
        what = "group" if kind == "group" else "element"
        message = f"the intent '{intent.id}' speaks of the unknown {what} '{name}'"
        hint = did_you_mean(name, sorted(names), what=f"the {what}s are")
        draft.complain_at(path, at, message, hint)
