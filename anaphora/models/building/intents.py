"""Compile the intents of a model and check them against its elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import NamedTuple

from anaphora.core.name_hints import closest_match
from anaphora.errors import GrammarError, Problem
from anaphora.grammar.diagnostics import Level, problem_at
from anaphora.grammar.idl.compiler import CompilationResult, Compiler, build_options
from anaphora.grammar.idl.intent import Intent, IntentOptions
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.checking.references import (
    KnownNames,
    collect_known_names,
    describe_unknown,
    missing_recognizer_hint,
)
from anaphora.models.domain import Element
from anaphora.models.reading.nodes import NodePath

__all__ = ["IntentTable", "build_intents"]

_INTENT_ID = re.compile(r"\b(?:intent|id)\s*=\s*[\"']?([\w:.-]+)")


@dataclass(frozen=True, slots=True)
class IntentTable:
    """The intents of a model by id, and the names of those with errors.

    ``complete``: the names of all declared intents are known. ``imports`` are the imported files.
    """

    by_id: Mapping[str, Intent]
    broken: frozenset[str]
    complete: bool
    imports: tuple[FilePath, ...] = ()

    @property
    def names(self) -> list[str]:
        return sorted(self.broken.union(self.by_id))

    def get(self, name: str) -> Intent | None:
        """The intent with that id; None if it is unknown or has errors."""
        return None if name in self.broken else self.by_id.get(name)

    def is_unknown(self, name: str) -> bool:
        """Whether no intent of the file has that name.

        If the names are incomplete, an unknown name may be valid, unless it looks like a
        misspelling of a known one.
        """
        if name in self.broken or name in self.by_id:
            return False
        return self.complete or closest_match(name, self.names) is not None


def build_intents(
    draft: ModelDraft,
    elements: Iterable[Element],
    extra_texts: Iterable[str] = (),
) -> IntentTable:
    """Compile the intents of the file and of ``extra_texts``; errors are reported to ``draft``."""
    nameless = draft.is_removed("intents")
    compiler = Compiler(
        defaults=build_options(draft.file.options.model_dump(), IntentOptions()),
        code=draft.code,
        folder=draft.code.folder,
        lenient=draft.imported,
    )
    found: dict[str, Intent] = {}
    places: dict[str, tuple[NodePath, int]] = {}
    broken: set[str] = set()
    known = collect_known_names(draft, elements)
    abstract = frozenset(element.id for element in elements if element.abstract)
    texts = [(("intents", index), text, "") for index, text in enumerate(draft.file.intents)]
    extra = [((), text, f"intents[{index}]") for index, text in enumerate(extra_texts)]
    for path, text, source in (*texts, *extra):
        try:
            compiled = _compile(compiler, text, source)
        except GrammarError as error:
            draft.add_nested("error", path, error.problems)
            names = [] if source else _INTENT_ID.findall(text)
            broken.update(names)
            nameless = nameless or not names
            continue
        draft.add_nested("warning", path, compiled.warnings)
        for intent in compiled.intents:
            for one in _find_reference_problems(intent, known, abstract, imported=draft.imported):
                if source:
                    problem = problem_at(text, source, one.at, one.message, one.hint)
                    draft.add_nested(one.level, (), (problem,))
                else:
                    draft.add(one.level, path, one.message, one.hint, index=one.at)
            if found.setdefault(intent.id, intent) is intent:
                places[intent.id] = path, intent.at
            elif source:
                draft.add_error((), f"{source} declares the intent '{intent.id}' again")
            else:
                line = draft.line_of(*places[intent.id])
                message = f"the intent '{intent.id}' is declared twice; first on line {line}"
                draft.add_error(path, message, index=intent.at)
    return IntentTable(found, frozenset(broken), not nameless, compiler.imported_files)


def _compile(compiler: Compiler, text: str, source: str = "") -> CompilationResult:
    if not text.strip():
        raise GrammarError(Problem("the intent is empty", source=source))
    try:
        return compiler.compile(text, source)
    except RecursionError:
        raise GrammarError(Problem("the intent is nested too deeply")) from None


class _ReferenceProblem(NamedTuple):
    """A reference to a name that the model lacks, at an offset of the intent's text."""

    at: int
    message: str
    hint: str
    level: Level


def _find_reference_problems(
    intent: Intent, known: KnownNames, abstract: AbstractSet[str], *, imported: bool
) -> Iterator[_ReferenceProblem]:
    for (kind, name), at in intent.mentions.items():
        if kind == "element" and name in abstract:
            hint = "an abstract element only serves others as a part: see tok_find_part"
            message = f"no intent is given the element '{name}'"
            yield _ReferenceProblem(at, message, hint, "warning")
        if missing := missing_recognizer_hint((kind, name), known):
            yield _ReferenceProblem(at, f"nothing here finds '{name}'", missing, "warning")
        if problem := describe_unknown((kind, name), known):
            what, hint = problem
            message = f"the intent '{intent.id}' refers to {what}"
            yield _ReferenceProblem(at, message, hint, "warning" if imported else "error")
