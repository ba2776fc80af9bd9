"""The intents of a file → compiled intents, checked against the elements of the model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import NamedTuple

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.code import Code
from anaphora.grammar.compiler import Compiled, Compiler, options_of
from anaphora.grammar.intent import Intent, Options
from anaphora.grammar.places import problem_at
from anaphora.models.domain import Element
from anaphora.models.draft import Draft
from anaphora.models.hints import closest
from anaphora.models.mentions import KnownNames, known_names, not_switched_on, unknown
from anaphora.models.nodes import Path

__all__ = ["KnownIntents", "read_intents"]

_ID = re.compile(r"\b(?:intent|id)\s*=\s*[\"']?([\w:.-]+)")


@dataclass(frozen=True, slots=True)
class KnownIntents:
    """The intents of a model by id, and the names of those that could not be read.

    ``complete`` says that the names of all that the file declares are known; ``imports`` are the
    files that it imports.
    """

    by_id: Mapping[str, Intent]
    broken: frozenset[str]
    complete: bool
    imports: tuple[FilePath, ...] = ()

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


def read_intents(
    draft: Draft, elements: Iterable[Element], code: Code, further: Iterable[str] = ()
) -> KnownIntents:
    """The intents of the file and of ``further`` texts; what is wrong with them is reported."""
    nameless = draft.is_spoilt("intents")
    compiler = Compiler(
        defaults=options_of(draft.file.options.model_dump(), Options()),
        code=code,
        folder=code.folder,
        forgiving=draft.imported,
    )
    found: dict[str, Intent] = {}
    places: dict[str, tuple[Path, int]] = {}
    broken: set[str] = set()
    known = known_names(draft, elements)
    abstract = frozenset(element.id for element in elements if element.abstract)
    for index, text in enumerate(draft.file.intents):
        path = ("intents", index)
        try:
            compiled = _compile(compiler, text)
        except GrammarError as error:
            draft.complain_inside(path, error.problems)
            names = _ID.findall(text)
            broken.update(names)
            nameless = nameless or not names
            continue
        draft.warn_inside(path, compiled.warnings)
        for intent in compiled.intents:
            _tell(draft, path, _doubts(intent, known, abstract, imported=draft.imported))
            if found.setdefault(intent.id, intent) is intent:
                places[intent.id] = path, intent.at
                continue
            first = f"first on line {draft.line_at(*places[intent.id])}"
            message = f"the intent '{intent.id}' is declared twice; {first}"
            draft.complain_at(path, intent.at, message)
    for index, text in enumerate(further):
        try:
            compiled = _compile(compiler, text, f"intents[{index}]")
        except GrammarError as error:
            draft.complain_inside((), error.problems)
            nameless = True
            continue
        draft.warn_inside((), compiled.warnings)
        for intent in compiled.intents:
            doubts = _doubts(intent, known, abstract, imported=draft.imported)
            _tell_elsewhere(draft, text, f"intents[{index}]", doubts)
            if found.setdefault(intent.id, intent) is not intent:
                draft.complain((), f"intents[{index}] declares the intent '{intent.id}' again")
    return KnownIntents(found, frozenset(broken), not nameless, compiler.imported)


def _compile(compiler: Compiler, text: str, source: str = "") -> Compiled:
    if not text.strip():
        raise GrammarError(Problem("the intent is empty", source=source))
    try:
        return compiler.compile(text, source)
    except RecursionError:
        raise GrammarError(Problem("the intent is nested too deeply")) from None


class _Doubt(NamedTuple):
    """What an intent speaks of and the model lacks, at an offset of the intent's text."""

    at: int
    message: str
    hint: str
    is_mistake: bool


def _doubts(
    intent: Intent, known: KnownNames, abstract: AbstractSet[str], *, imported: bool
) -> Iterator[_Doubt]:
    for (kind, name), at in intent.mentions.items():
        if kind == "element" and name in abstract:
            hint = "an abstract element only serves others as a part: see tok_find_part"
            yield _Doubt(at, f"no intent is given the element '{name}'", hint, is_mistake=False)
        if missing := not_switched_on((kind, name), known):
            yield _Doubt(at, f"nothing here finds '{name}'", missing, is_mistake=False)
        if problem := unknown((kind, name), known):
            what, hint = problem
            message = f"the intent '{intent.id}' speaks of {what}"
            yield _Doubt(at, message, hint, is_mistake=not imported)


def _tell(draft: Draft, path: Path, doubts: Iterable[_Doubt]) -> None:
    for doubt in doubts:
        say = draft.complain_at if doubt.is_mistake else draft.warn_at
        say(path, doubt.at, doubt.message, doubt.hint)


def _tell_elsewhere(draft: Draft, text: str, source: str, doubts: Iterable[_Doubt]) -> None:
    """As :func:`_tell`, of a text that does not stand in the file."""
    for doubt in doubts:
        problem = problem_at(text, source, doubt.at, doubt.message, doubt.hint)
        say = draft.complain_inside if doubt.is_mistake else draft.warn_inside
        say((), (problem,))
