"""Compile texts in the intent language to intents: parse, check, link, generate code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import GrammarError, Problem
from anaphora.grammar.context import EntityContext
from anaphora.grammar.diagnostics import Diagnostics, Level
from anaphora.grammar.functions import QUESTION_FUNCTIONS
from anaphora.grammar.idl.checker import check_predicate, check_statements
from anaphora.grammar.idl.codegen.translator import translate_expression, translate_predicate
from anaphora.grammar.idl.imports import ImportReader, read_import
from anaphora.grammar.idl.intent import EntitySelector, Intent, IntentOptions, Predicate, Term
from anaphora.grammar.idl.parsing.parser import parse_idl, parse_predicate
from anaphora.grammar.idl.requirements import (
    find_elements,
    find_mentions,
    find_neighbours,
    find_requirements,
    reads_negation,
    reads_position,
)
from anaphora.grammar.idl.syntax import (
    FragmentNode,
    FragmentReference,
    ImportNode,
    IntentNode,
    IntentPartNode,
    PredicateNode,
    PythonFunctionNode,
    Statement,
    TermNode,
)
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.python_functions import FlowFunction, FunctionLoader, build_term_predicate

__all__ = [
    "CompilationResult",
    "Compiler",
    "build_options",
    "compile_entity_part",
    "compile_expression",
    "compile_intents",
    "compile_predicate",
]

MAX_IMPORTS = 100  # per model
MAX_TERMS = 1_000  # per intent: nested fragments may grow exponentially
MAX_FRAGMENT_TERMS = 100_000  # that fragments add to all intents of a model

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class CompilationResult:
    """The intents of a text and of its imports, with the warnings."""

    intents: tuple[Intent, ...]
    warnings: tuple[Problem, ...] = ()


class Compiler:
    """Compiles the texts of one model one after the other; each can use the fragments of those
    before it.

    ``defaults`` are the options of intents that do not set them. ``code`` finds the Python
    functions that intents name; with ``lenient``, an intent that names an unknown one is skipped
    with a warning, and values of a wrong type are warnings. ``read`` reads imports, relative to
    ``folder``.
    """

    def __init__(
        self,
        *,
        defaults: IntentOptions = IntentOptions(),  # noqa: B008 - frozen
        code: FunctionLoader = FunctionLoader(),  # noqa: B008 - frozen
        folder: Path | None = None,
        read: ImportReader = read_import,
        lenient: bool = False,
    ) -> None:
        self._lenient = lenient
        self._defaults = defaults
        self._code = code
        self._folder = folder
        self._read = read
        self._fragments: dict[str, tuple[_CompiledTerm, ...]] = {}
        self._imported: set[str] = set()
        self._importing: list[str] = []
        self._fragment_term_count = 0
        self._has_unread_fragments = False  # an invalid text may declare any fragment

    @property
    def imported_files(self) -> tuple[Path, ...]:
        """The files that the texts have imported so far."""
        return tuple(map(Path, sorted(self._imported)))

    def compile(self, text: str, source: str = "") -> CompilationResult:
        """Compile ``text``; imported intents take the place of the import. ``source`` names the
        text in messages.

        Raises GrammarError with all errors of the text and of its imports.
        """
        return self._compile(text, source, self._folder)

    def compile_tree(self, node: IntentNode, text: str, source: str = "") -> CompilationResult:
        """Compile an intent whose offsets are those of ``text``, which need not be in the intent
        language.

        Raises GrammarError with all errors of the intent.
        """
        return self._compile_statements((node,), Diagnostics(text, source), self._folder)

    def _compile(self, text: str, source: str, folder: Path | None) -> CompilationResult:
        try:
            statements = parse_idl(text, source)
        except GrammarError:
            self._has_unread_fragments = True
            raise
        return self._compile_statements(statements, Diagnostics(text, source), folder)

    def _compile_statements(
        self, statements: Sequence[Statement], diagnostics: Diagnostics, folder: Path | None
    ) -> CompilationResult:
        check_statements(statements, diagnostics, lenient=self._lenient)
        is_valid = not diagnostics  # only valid statements can be compiled
        intents: dict[str, Intent] = {}
        for statement in statements:
            match statement:
                case FragmentNode():
                    self._declare_fragment(statement, diagnostics, is_valid=is_valid)
                case IntentNode() if is_valid:
                    intent = self._compile_intent(statement, diagnostics)
                    if self._lenient and _lacks_function(statement, intent):
                        message = f"the intent '{intent.id}' is skipped: it needs that function"
                        diagnostics.add_warning(statement.at, message)
                        continue
                    intents.setdefault(intent.id, intent)
                case ImportNode():
                    for intent in self._compile_import(statement, folder, diagnostics):
                        if intents.setdefault(intent.id, intent) is not intent:
                            message = (
                                f"the intent '{intent.id}' is already declared before this import"
                            )
                            diagnostics.add_error(statement.at, message)
        diagnostics.raise_if_any()
        return CompilationResult(tuple(intents.values()), diagnostics.warnings)

    def _compile_import(
        self, node: ImportNode, folder: Path | None, diagnostics: Diagnostics
    ) -> Iterator[Intent]:
        """The intents of an imported text; none if it was imported before."""
        try:
            found = self._read(node.location, folder)
        except GrammarError as error:
            diagnostics.add_error(node.at, error.message, error.hint)
            self._has_unread_fragments = True
            return
        key = found.source if found.folder is None else str(Path(found.source).resolve())
        if key in self._importing:
            circle = [Path(one).name for one in self._importing[self._importing.index(key) :]]
            names = " → ".join((*circle, circle[0]))
            diagnostics.add_error(node.at, f"the imports form a cycle: {names}")
        if key in self._imported:
            return
        if len(self._imported) >= MAX_IMPORTS:
            diagnostics.add_error(node.at, f"a model imports {MAX_IMPORTS} texts at most")
            return
        self._imported.add(key)
        self._importing.append(key)
        try:
            compiled = self._compile(found.text, found.source, found.folder)
        except GrammarError as error:
            diagnostics.add_imported("error", node.at, error.problems)
            return
        finally:
            self._importing.pop()
        diagnostics.add_imported("warning", node.at, compiled.warnings)
        for intent in compiled.intents:
            yield replace(intent, at=node.at, mentions=dict.fromkeys(intent.mentions, node.at))

    def _declare_fragment(
        self, node: FragmentNode, diagnostics: Diagnostics, *, is_valid: bool
    ) -> None:
        if node.id in self._fragments:
            diagnostics.add_error(node.at, f"there is already a fragment '{node.id}'")
            return
        self._fragments[node.id] = (
            tuple(self._compile_terms(node.terms, diagnostics)) if is_valid else ()
        )

    def _compile_intent(self, node: IntentNode, diagnostics: Diagnostics) -> Intent:
        placed = tuple(self._compile_terms(node.terms, diagnostics))
        mentioned: dict[EntitySelector, int] = {}
        for one in placed:
            for key, at in one.mentions.items():
                mentioned[key] = min(at, mentioned.get(key, at))
        return Intent(
            id=node.id,
            terms=tuple(replace(one.term, position=at) for at, one in enumerate(placed)),
            options=build_options(node.options, self._defaults),
            flow=self._compile_flow(node, diagnostics),
            meta=node.meta,
            mentions=mentioned,
            at=node.at,
            flow_at=node.flow_at,
        )

    def _compile_terms(
        self, parts: Sequence[IntentPartNode], diagnostics: Diagnostics
    ) -> Iterator[_CompiledTerm]:
        """The terms of an intent or fragment, with the fragments in it expanded."""
        ids = {part.id for part in parts if isinstance(part, TermNode)}
        count = 0
        for part in parts:
            if isinstance(part, TermNode):
                count += 1
                yield self._compile_term(part, diagnostics)
                continue
            for one in self._expand_fragment(part, diagnostics):
                count += 1
                self._fragment_term_count += 1
                if count > MAX_TERMS:
                    diagnostics.add_error(part.at, f"more than {MAX_TERMS:,} terms here")
                    return
                if self._fragment_term_count > MAX_FRAGMENT_TERMS:
                    message = f"fragments add more than {MAX_FRAGMENT_TERMS:,} terms into the model"
                    diagnostics.add_error(part.at, message)
                    return
                if one.term.id is not None and one.term.id in ids:
                    message = f"with the fragment '{part.id}' there are two terms '{one.term.id}'"
                    diagnostics.add_error(part.at, message)
                ids.add(one.term.id)
                yield one

    def _expand_fragment(
        self, node: FragmentReference, diagnostics: Diagnostics
    ) -> Iterator[_CompiledTerm]:
        """The terms of a referenced fragment. The arguments that it passes to an inner fragment
        take precedence over its own."""
        known = self._fragments.get(node.id)
        if known is None and not self._has_unread_fragments:
            hint = did_you_mean(node.id, self._fragments) or "a fragment is declared before its use"
            diagnostics.add_error(
                node.at, f"there is no fragment '{node.id}' before this place", hint
            )
        for term, found in known or ():
            arguments = {**node.arguments, **term.arguments}
            yield _CompiledTerm(replace(term, arguments=arguments), dict.fromkeys(found, node.at))

    def _compile_term(self, node: TermNode, diagnostics: Diagnostics) -> _CompiledTerm:
        if isinstance(node.predicate, PredicateNode):
            predicate = _compile_predicate(node.predicate)
            mentioned = find_mentions(node.predicate)
        else:
            test = self._resolve_function(node.predicate, diagnostics, build_term_predicate)
            predicate = Predicate(test or _always_false, str(node.predicate))
            mentioned = {}
        term = Term(
            id=node.id,
            predicate=predicate,
            conversational=node.conversational,
            min=node.min,
            max=node.max,
            position=0,
        )
        return _CompiledTerm(term, mentioned)

    def _compile_flow(
        self, node: IntentNode, diagnostics: Diagnostics
    ) -> Pattern | FlowFunction | None:
        if isinstance(node.flow, PythonFunctionNode):
            return self._resolve_function(node.flow, diagnostics, FlowFunction)
        return None if node.flow is None else Pattern(node.flow)

    def _resolve_function(
        self,
        node: PythonFunctionNode,
        diagnostics: Diagnostics,
        make: Callable[[Callable[..., Any], str], _Result],
    ) -> _Result | None:
        """Apply ``make`` to the Python function; None, with a diagnostic, if that fails."""
        try:
            return make(self._code.find(node.module, node.name), str(node))
        except GrammarError as error:
            level: Level = "warning" if self._lenient else "error"
            diagnostics.add(level, node.at, error.message, error.hint)
            return None


class _CompiledTerm(NamedTuple):
    """A compiled term, and the offset at which the text mentions each selector."""

    term: Term
    mentions: Mapping[EntitySelector, int]


def compile_intents(text: str, source: str = "") -> tuple[Intent, ...]:
    """The intents that ``text`` declares, in order. Imports are relative to the working folder.

    ``source`` names the text in messages. Raises GrammarError with all errors of the text.
    """
    return Compiler().compile(text, source).intents


def compile_predicate(node: PredicateNode, text: str = "", source: str = "") -> Predicate:
    """Compile a parsed predicate of ``text``. Raises GrammarError with all its errors."""
    check_predicate(node, text, source)
    return _compile_predicate(node)


def compile_entity_part(text: str, source: str = "") -> Predicate:
    """Compile the predicate of an entity part in a synonym.

    Raises GrammarError with all its errors. A predicate that reads the question is an error:
    synonyms are matched before the sentence is known.
    """
    node = parse_predicate(text, source)
    check_predicate(node, text, source, forbidden=QUESTION_FUNCTIONS)
    return _compile_predicate(node)


def compile_expression(text: str, source: str = "") -> Callable[[EntityContext], Any]:
    """Compile an expression (after its variables) to a function that returns its value, of any
    kind. The function raises nothing but EvaluationError.

    Raises GrammarError for an invalid text.
    """
    node = parse_predicate(text, source)
    check_predicate(node, text, source, boolean=False)
    return translate_expression(node)


def build_options(values: Mapping[str, Any], defaults: IntentOptions) -> IntentOptions:
    """Options from their names (also those of NLPCraft 0.9 and 1.0), over ``defaults``."""
    options = defaults
    if isinstance(both := values.get("unused_entities"), bool):
        options = replace(options, unused_user_entities=both, unused_system_entities=both)
    named = {
        _FIELD_BY_OPTION.get(name, name): value is True
        for name, value in values.items()
        if name != "unused_entities" and value is not None
    }
    return replace(options, **named)


_FIELD_BY_OPTION = {
    "unused_usr_toks": "unused_user_entities",
    "unused_sys_toks": "unused_system_entities",
}


def _compile_predicate(node: PredicateNode) -> Predicate:
    return Predicate(
        test=translate_predicate(node),
        text=node.text,
        requires=find_requirements(node),
        elements=find_elements(node),
        reads_negation=reads_negation(node),
        reads_position=reads_position(node),
        neighbours=find_neighbours(node),
    )


def _lacks_function(node: IntentNode, intent: Intent) -> bool:
    return (isinstance(node.flow, PythonFunctionNode) and intent.flow is None) or any(
        term.predicate.test is _always_false for term in intent.terms
    )


def _always_false(context: EntityContext) -> bool:
    return False
