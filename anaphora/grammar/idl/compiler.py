"""From texts in the intent language to intents that run: parsed, checked, linked, translated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions import QUESTION_FUNCTIONS
from anaphora.grammar.idl.checker import check_predicate, check_statements
from anaphora.grammar.idl.codegen.translator import translate_expression, translate_predicate
from anaphora.grammar.idl.diagnostics import Diagnostics
from anaphora.grammar.idl.imports import ImportReader, read_import
from anaphora.grammar.idl.intent import EntitySelector, Intent, IntentOptions, Predicate, Term
from anaphora.grammar.idl.parsing.parser import parse_idl, parse_predicate
from anaphora.grammar.idl.requirements import find_elements, find_mentions, find_requirements
from anaphora.grammar.idl.syntax import (
    FragmentNode,
    FragmentReference,
    ImportNode,
    IntentNode,
    IntentPartNode,
    PredicateNode,
    PythonFunctionNode,
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

MAX_IMPORTS = 100  # of one model
MAX_TERMS = 1_000  # of one intent: fragments may name each other twice, and so on
MAX_FRAGMENT_TERMS = 100_000  # by fragments, into all that one model declares

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class CompilationResult:
    """The intents of a text and of what it imports, and what looks wrong in it."""

    intents: tuple[Intent, ...]
    warnings: tuple[Problem, ...] = ()


class Compiler:
    """Compiles the texts of one model, one after the other: each knows the fragments of those
    before it.

    ``defaults`` are the options of an intent that does not set them; ``code`` finds the Python
    functions that intents name, and if ``forgiving``, an intent that names one which is not
    there is left out with a warning; imports are read by ``read``, relative to ``folder``.
    """

    def __init__(
        self,
        *,
        defaults: IntentOptions = IntentOptions(),  # noqa: B008 - it is frozen
        code: FunctionLoader = FunctionLoader(),  # noqa: B008 - as well
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
        self._has_unread_fragments = False  # whether a text that cannot be read may have some

    @property
    def imported_files(self) -> tuple[Path, ...]:
        """The files that the texts have imported so far."""
        return tuple(map(Path, sorted(self._imported)))

    def compile(self, text: str, source: str = "") -> CompilationResult:
        """The intents that ``text`` declares, in its order, those of its imports where it names
        them. ``source`` names the text in messages.

        Raises GrammarError with every mistake of the text and of what it imports.
        """
        return self._compile(text, source, self._folder)

    def _compile(self, text: str, source: str, folder: Path | None) -> CompilationResult:
        findings = Diagnostics(text, source)
        try:
            statements = parse_idl(text, source)
        except GrammarError:
            self._has_unread_fragments = True
            raise
        check_statements(statements, findings)
        sound = not findings  # what is not sound cannot be translated
        intents: dict[str, Intent] = {}
        for statement in statements:
            match statement:
                case FragmentNode():
                    self._declare_fragment(statement, findings, sound=sound)
                case IntentNode() if sound:
                    intent = self._compile_intent(statement, findings)
                    if self._lenient and _lacks_function(statement, intent):
                        message = f"the intent '{intent.id}' is left out: it needs that function"
                        findings.add_warning(statement.at, message)
                        continue
                    intents.setdefault(intent.id, intent)
                case ImportNode():
                    for intent in self._compile_import(statement, folder, findings):
                        if intents.setdefault(intent.id, intent) is not intent:
                            message = f"there is already an intent '{intent.id}' before this import"
                            findings.add_error(statement.at, message)
        findings.raise_if_any()
        return CompilationResult(tuple(intents.values()), findings.warnings)

    def _compile_import(
        self, node: ImportNode, folder: Path | None, findings: Diagnostics
    ) -> Iterator[Intent]:
        """The intents of an imported text; one that is imported already brings nothing new."""
        try:
            found = self._read(node.location, folder)
        except GrammarError as error:
            findings.add_exception(node.at, error)
            self._has_unread_fragments = True
            return
        key = found.source if found.folder is None else str(Path(found.source).resolve())
        if key in self._importing:
            circle = [Path(one).name for one in self._importing[self._importing.index(key) :]]
            names = " → ".join((*circle, circle[0]))
            findings.add_error(node.at, f"the imports run in a circle: {names}")
        if key in self._imported:
            return
        if len(self._imported) >= MAX_IMPORTS:
            findings.add_error(node.at, f"a model imports {MAX_IMPORTS} texts at most")
            return
        self._imported.add(key)
        self._importing.append(key)
        try:
            compiled = self._compile(found.text, found.source, found.folder)
        except GrammarError as error:
            findings.add_imported(node.at, error.problems, ())
            return
        finally:
            self._importing.pop()
        findings.add_imported(node.at, (), compiled.warnings)
        for intent in compiled.intents:
            yield replace(intent, at=node.at, mentions=dict.fromkeys(intent.mentions, node.at))

    def _declare_fragment(self, node: FragmentNode, findings: Diagnostics, *, sound: bool) -> None:
        if node.id in self._fragments:
            findings.add_error(node.at, f"there is already a fragment '{node.id}'")
            return
        self._fragments[node.id] = tuple(self._compile_terms(node.terms, findings)) if sound else ()

    def _compile_intent(self, node: IntentNode, findings: Diagnostics) -> Intent:
        placed = tuple(self._compile_terms(node.terms, findings))
        mentioned: dict[EntitySelector, int] = {}
        for one in placed:
            for key, at in one.mentions.items():
                mentioned[key] = min(at, mentioned.get(key, at))
        return Intent(
            id=node.id,
            terms=tuple(replace(one.term, position=at) for at, one in enumerate(placed)),
            options=build_options(node.options, self._defaults),
            flow=self._compile_flow(node, findings),
            meta=node.meta,
            mentions=mentioned,
            at=node.at,
        )

    def _compile_terms(
        self, parts: Sequence[IntentPartNode], findings: Diagnostics
    ) -> Iterator[_CompiledTerm]:
        """The terms of an intent or of a fragment, those of its fragments among them."""
        ids = {part.id for part in parts if isinstance(part, TermNode)}
        count = 0
        for part in parts:
            if isinstance(part, TermNode):
                count += 1
                yield self._compile_term(part, findings)
                continue
            for one in self._expand_fragment(part, findings):
                count += 1
                self._fragment_term_count += 1
                if count > MAX_TERMS:
                    findings.add_error(part.at, f"here are more than {MAX_TERMS:,} terms")
                    return
                if self._fragment_term_count > MAX_FRAGMENT_TERMS:
                    message = (
                        f"fragments bring more than {MAX_FRAGMENT_TERMS:,} terms into the model"
                    )
                    findings.add_error(part.at, message)
                    return
                if one.term.id is not None and one.term.id in ids:
                    message = f"with the fragment '{part.id}' there are two terms '{one.term.id}'"
                    findings.add_error(part.at, message)
                ids.add(one.term.id)
                yield one

    def _expand_fragment(
        self, node: FragmentReference, findings: Diagnostics
    ) -> Iterator[_CompiledTerm]:
        """The terms of a fragment where it is named. What it hands on to a fragment of its own
        goes before what it is given."""
        known = self._fragments.get(node.id)
        if known is None and not self._has_unread_fragments:
            close = get_close_matches(node.id, self._fragments, n=1)
            hint = (
                f"did you mean '{close[0]}'?" if close else "a fragment is declared before its use"
            )
            findings.add_error(node.at, f"there is no fragment '{node.id}' before this place", hint)
        for term, found in known or ():
            arguments = {**node.arguments, **term.arguments}
            yield _CompiledTerm(replace(term, arguments=arguments), dict.fromkeys(found, node.at))

    def _compile_term(self, node: TermNode, findings: Diagnostics) -> _CompiledTerm:
        if isinstance(node.predicate, PredicateNode):
            predicate = _compile_predicate(node.predicate)
            mentioned = find_mentions(node.predicate)
        else:
            test = self._resolve_function(node.predicate, findings, build_term_predicate)
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
        self, node: IntentNode, findings: Diagnostics
    ) -> Pattern | FlowFunction | None:
        if isinstance(node.flow, PythonFunctionNode):
            return self._resolve_function(node.flow, findings, FlowFunction)
        return None if node.flow is None else Pattern(node.flow)

    def _resolve_function(
        self,
        node: PythonFunctionNode,
        findings: Diagnostics,
        make: Callable[[Callable[..., Any], str], _Result],
    ) -> _Result | None:
        """What ``make`` makes of the function in Python; None if something is wrong with it."""
        try:
            return make(self._code.find(node.module, node.name), str(node))
        except GrammarError as error:
            if self._lenient:
                findings.add_warning(node.at, error.message, error.hint)
            else:
                findings.add_exception(node.at, error)
            return None


class _CompiledTerm(NamedTuple):
    """A compiled term, and where the text that is being compiled speaks of which key."""

    term: Term
    mentions: Mapping[EntitySelector, int]


def compile_intents(text: str, source: str = "") -> tuple[Intent, ...]:
    """The intents that ``text`` declares, in its order. Imports are relative to the working
    folder.

    ``source`` names the text in messages. Raises GrammarError with every problem of the text.
    """
    return Compiler().compile(text, source).intents


def compile_predicate(node: PredicateNode, text: str = "", source: str = "") -> Predicate:
    """One parsed predicate of ``text``, ready to run. Raises GrammarError as above."""
    check_predicate(node, text, source)
    return _compile_predicate(node)


def compile_entity_part(text: str, source: str = "") -> Predicate:
    """The predicate of a part of a synonym, ready to run. Raises GrammarError, also for one that
    asks about the question around the part: a synonym is found before that is known."""
    node = parse_predicate(text, source)
    check_predicate(node, text, source, forbidden=QUESTION_FUNCTIONS)
    return _compile_predicate(node)


def compile_expression(text: str, source: str = "") -> Callable[[EntityContext], Any]:
    """An expression (with the variables before it) as a function of a context that gives its
    value, of whatever kind, and raises nothing but EvaluationError.

    Raises GrammarError for anything that is not in the language.
    """
    node = parse_predicate(text, source)
    check_predicate(node, text, source, boolean=False)
    return translate_expression(node)


def build_options(values: Mapping[str, Any], defaults: IntentOptions) -> IntentOptions:
    """The options with these names (of either version of NLPCraft); the others by default."""
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
    )


def _lacks_function(node: IntentNode, intent: Intent) -> bool:
    return (isinstance(node.flow, PythonFunctionNode) and intent.flow is None) or any(
        term.predicate.test is _always_false for term in intent.terms
    )


def _always_false(context: EntityContext) -> bool:
    return False
