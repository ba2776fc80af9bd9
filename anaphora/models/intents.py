"""The intents of a file → compiled intents, checked against the elements of the model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path as FilePath

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.code import Code
from anaphora.grammar.compiler import Compiled, Compiler, options_of
from anaphora.grammar.intent import Intent, Options
from anaphora.models.domain import Element
from anaphora.models.draft import Draft
from anaphora.models.hints import closest
from anaphora.models.mentions import KnownNames, is_built_in, known_names, unknown
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
            _check_mentions(draft, path, intent, known, abstract)
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
            _check_mentions(draft, (), intent, known, abstract)
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


def _check_mentions(
    draft: Draft, path: Path, intent: Intent, known: KnownNames, abstract: AbstractSet[str]
) -> None:
    for key, at in intent.mentions.items():
        if key[0] == "element" and key[1] in abstract:
            hint = "an abstract element only serves others as a part: see tok_find_part"
            draft.warn_at(path, at, f"no intent is given the element '{key[1]}'", hint)
        if is_built_in(key[1]):
            draft.warn_at(
                path,
                at,
                f"nothing here finds '{key[1]}'",
                "declare an element of this id for what a component of a spaCy pipeline finds",
            )
        if problem := unknown(key, known):
            what, hint = problem
            say = draft.warn_at if draft.imported else draft.complain_at
            say(path, at, f"the intent '{intent.id}' speaks of {what}", hint)
