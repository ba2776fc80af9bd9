"""Compile the intents of a model and check them against its elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import NamedTuple

from anaphora.core.name_hints import closest_match, did_you_mean
from anaphora.errors import GrammarError, Problem
from anaphora.grammar.diagnostics import Level, problem_at
from anaphora.grammar.idl.compiler import CompilationResult, Compiler, build_options
from anaphora.grammar.idl.imports import ImportedText, ImportReader, read_import
from anaphora.grammar.idl.intent import Intent, IntentOptions
from anaphora.grammar.idl.parsing.parser import parse_idl
from anaphora.grammar.idl.printer import print_statements
from anaphora.grammar.idl.syntax import Statement
from anaphora.grammar.patterns import Pattern
from anaphora.models.building.mapping_intents.trees import build_intent_tree
from anaphora.models.checking.flows import find_unknown_words
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.checking.references import (
    KnownNames,
    collect_known_names,
    describe_unknown,
    missing_recognizer_hint,
)
from anaphora.models.checking.validation import is_placeholder
from anaphora.models.domain import Element
from anaphora.models.nlpcraft.intent_texts import read_resource
from anaphora.models.nlpcraft.legacy_dialect import prefer_legacy_error
from anaphora.models.reading.nodes import NodePath
from anaphora.models.schema.intents import IntentSchema

__all__ = ["IntentTable", "build_intents", "print_intents"]

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
        read=_create_reader(draft),
    )
    found: dict[str, Intent] = {}
    places: dict[str, tuple[NodePath, int | None]] = {}
    flows: list[tuple[_Declaration, Intent, str]] = []
    broken: set[str] = set()
    known = collect_known_names(draft, elements)
    abstract = frozenset(element.id for element in elements if element.abstract)
    for one in _list_declarations(draft, extra_texts):
        compiled = one.compile(compiler)
        if compiled is None:
            broken.update(one.names)
            nameless = nameless or not one.names
            continue
        for intent in compiled:
            for each in _find_reference_problems(intent, known, abstract, imported=draft.imported):
                one.report(each.level, each.at, each.message, each.hint)
            if found.setdefault(intent.id, intent) is intent:
                places[intent.id] = one.place_of(intent)
            elif one.source:
                draft.add_error((), f"{one.source} declares the intent '{intent.id}' again")
            else:
                line = draft.line_of(*places[intent.id])
                message = f"the intent '{intent.id}' is declared twice; first on line {line}"
                one.report("error", intent.at, message)
            if isinstance(intent.flow, Pattern):
                flows.append((one, intent, intent.flow.text))
    table = IntentTable(found, frozenset(broken), not nameless, compiler.imported_files)
    _check_flows(flows, table)
    return table


def _check_flows(flows: Iterable[tuple[_Declaration, Intent, str]], table: IntentTable) -> None:
    """Warn of flows with words that are no part of the id of an intent."""
    if not table.complete:
        return
    names = table.names
    text = "\n".join(names)
    for declaration, intent, flow in flows:
        for word in find_unknown_words(flow, text):
            message = f"the flow of '{intent.id}' names no intent: '{word}'"
            declaration.report("warning", intent.flow_at, message, did_you_mean(word, names))


def _create_reader(draft: ModelDraft) -> ImportReader:
    """The reader of imports, which may be in the dialect of old versions of NLPCraft."""
    legacy = draft.legacy_intents
    if legacy is None:
        return read_import

    def read(location: str, folder: FilePath | None) -> ImportedText:
        found = read_resource(location, folder)
        return found._replace(text=legacy.rewrite(found.text))

    return read


def print_intents(draft: ModelDraft) -> str:
    """The intents of a valid file as text in the intent language."""
    statements: list[Statement] = []
    for index, written in enumerate(draft.file.intents):
        if isinstance(written, str):
            statements += parse_idl(written)
        elif tree := build_intent_tree(draft, ("intents", index), written):
            statements.append(tree)
    return print_statements(statements)


def _list_declarations(draft: ModelDraft, extra_texts: Iterable[str]) -> Iterator[_Declaration]:
    for index, written in enumerate(draft.file.intents):
        yield _Declaration(draft, ("intents", index), written)
    legacy = draft.legacy_intents
    for index, text in enumerate(
        extra_texts if legacy is None else map(legacy.rewrite, extra_texts)
    ):
        yield _Declaration(draft, (), text, f"intents[{index}]")


@dataclass(frozen=True, slots=True)
class _Declaration:
    """A text in the intent language, or an intent that is written as a mapping.

    ``source`` names a text that is not in the file. Offsets are those in the text, and in the file
    for a mapping.
    """

    draft: ModelDraft
    path: NodePath
    written: str | IntentSchema
    source: str = ""

    @property
    def names(self) -> list[str]:
        """The ids of the intents, as far as they can be found in spite of errors."""
        if self.source:
            return []
        if isinstance(self.written, str):
            return _INTENT_ID.findall(self.written)
        return [] if is_placeholder(self.written.id) else [self.written.id]

    def compile(self, compiler: Compiler) -> tuple[Intent, ...] | None:
        """The intents; None after errors, which are reported."""
        try:
            compiled = self._compile(compiler)
        except GrammarError as error:
            if self.draft.imported and isinstance(self.written, str):
                error = prefer_legacy_error(self.written, error)
            self.draft.add_nested("error", self.path, error.problems)
            return None
        if compiled is None:
            return None
        self.draft.add_nested("warning", self.path, compiled.warnings)
        return compiled.intents

    def _compile(self, compiler: Compiler) -> CompilationResult | None:
        if not isinstance(self.written, str):
            tree = build_intent_tree(self.draft, self.path, self.written)
            if tree is None or is_placeholder(tree.id):
                return None
            source = self.draft.diagnostics.source
            return compiler.compile_tree(tree, source.text, source.name)
        if not self.written.strip():
            raise GrammarError(Problem("the intent is empty", source=self.source))
        try:
            return compiler.compile(self.written, self.source)
        except RecursionError:
            raise GrammarError(Problem("the intent is nested too deeply")) from None

    def report(self, level: Level, at: int, message: str, hint: str = "") -> None:
        """Report a problem at an offset."""
        if not isinstance(self.written, str):
            self.draft.diagnostics.add(level, at, message, hint)
        elif self.source:
            problem = problem_at(self.written, self.source, at, message, hint)
            self.draft.add_nested(level, (), (problem,))
        else:
            self.draft.add(level, self.path, message, hint, index=at)

    def place_of(self, intent: Intent) -> tuple[NodePath, int | None]:
        """The path of the text of the intent, and the offset there."""
        if isinstance(self.written, str):
            return self.path, intent.at
        return (*self.path, "id"), None


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
