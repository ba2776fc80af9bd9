"""From texts in the intent language to intents that run: parsed, checked, linked, translated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.checker import check_predicate, check_statements
from anaphora.grammar.code import Code, FlowCode, term_test
from anaphora.grammar.context import Context
from anaphora.grammar.findings import Findings
from anaphora.grammar.functions import OF_A_QUESTION
from anaphora.grammar.idl import parse, parse_predicate
from anaphora.grammar.imports import Reader, read_import
from anaphora.grammar.intent import Intent, Key, Options, Predicate, Term
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.requirements import elements, mentions, requires
from anaphora.grammar.syntax import (
    FragmentNode,
    FragmentReference,
    ImportNode,
    IntentNode,
    MethodNode,
    PartNode,
    PredicateNode,
    TermNode,
)
from anaphora.grammar.translator import translate, translate_value

__all__ = [
    "Compiled",
    "Compiler",
    "compile_expression",
    "compile_intents",
    "compile_part",
    "compile_predicate",
    "options_of",
]

MOST_IMPORTS = 100  # of one model
MOST_TERMS = 1_000  # of one intent: fragments may name each other twice, and so on
MOST_BROUGHT_TERMS = 100_000  # by fragments, into all that one model declares

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Compiled:
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
        defaults: Options = Options(),  # noqa: B008 - it is frozen
        code: Code = Code(),  # noqa: B008 - as well
        folder: Path | None = None,
        read: Reader = read_import,
        forgiving: bool = False,
    ) -> None:
        self._forgiving = forgiving
        self._defaults = defaults
        self._code = code
        self._folder = folder
        self._read = read
        self._fragments: dict[str, tuple[_Placed, ...]] = {}
        self._imported: set[str] = set()
        self._importing: list[str] = []
        self._brought_terms = 0
        self._lost_fragments = False  # whether a text that cannot be read may have some

    @property
    def imported(self) -> tuple[Path, ...]:
        """The files that the texts have imported so far."""
        return tuple(map(Path, sorted(self._imported)))

    def compile(self, text: str, source: str = "") -> Compiled:
        """The intents that ``text`` declares, in its order, those of its imports where it names
        them. ``source`` names the text in messages.

        Raises GrammarError with every mistake of the text and of what it imports.
        """
        return self._compile(text, source, self._folder)

    def _compile(self, text: str, source: str, folder: Path | None) -> Compiled:
        findings = Findings(text, source)
        try:
            statements = parse(text, source)
        except GrammarError:
            self._lost_fragments = True
            raise
        check_statements(statements, findings)
        sound = not findings  # what is not sound cannot be translated
        intents: dict[str, Intent] = {}
        for statement in statements:
            match statement:
                case FragmentNode():
                    self._declare(statement, findings, sound=sound)
                case IntentNode() if sound:
                    intent = self._intent(statement, findings)
                    if self._forgiving and _lacks_code(statement, intent):
                        message = f"the intent '{intent.id}' is left out: it needs that function"
                        findings.warn(statement.at, message)
                        continue
                    intents.setdefault(intent.id, intent)
                case ImportNode():
                    for intent in self._import(statement, folder, findings):
                        if intents.setdefault(intent.id, intent) is not intent:
                            message = f"there is already an intent '{intent.id}' before this import"
                            findings.report(statement.at, message)
        findings.raise_if_any()
        return Compiled(tuple(intents.values()), findings.warnings)

    def _import(
        self, node: ImportNode, folder: Path | None, findings: Findings
    ) -> Iterator[Intent]:
        """The intents of an imported text; one that is imported already brings nothing new."""
        try:
            found = self._read(node.location, folder)
        except GrammarError as error:
            findings.report_of(node.at, error)
            self._lost_fragments = True
            return
        key = found.source if found.folder is None else str(Path(found.source).resolve())
        if key in self._importing:
            circle = [Path(one).name for one in self._importing[self._importing.index(key) :]]
            names = " → ".join((*circle, circle[0]))
            findings.report(node.at, f"the imports run in a circle: {names}")
        if key in self._imported:
            return
        if len(self._imported) >= MOST_IMPORTS:
            findings.report(node.at, f"a model imports {MOST_IMPORTS} texts at most")
            return
        self._imported.add(key)
        self._importing.append(key)
        try:
            compiled = self._compile(found.text, found.source, found.folder)
        except GrammarError as error:
            findings.adopt(node.at, error.problems, ())
            return
        finally:
            self._importing.pop()
        findings.adopt(node.at, (), compiled.warnings)
        for intent in compiled.intents:
            yield replace(intent, at=node.at, mentions=dict.fromkeys(intent.mentions, node.at))

    def _declare(self, node: FragmentNode, findings: Findings, *, sound: bool) -> None:
        if node.id in self._fragments:
            findings.report(node.at, f"there is already a fragment '{node.id}'")
            return
        self._fragments[node.id] = tuple(self._terms(node.terms, findings)) if sound else ()

    def _intent(self, node: IntentNode, findings: Findings) -> Intent:
        placed = tuple(self._terms(node.terms, findings))
        mentioned: dict[Key, int] = {}
        for one in placed:
            for key, at in one.mentions.items():
                mentioned[key] = min(at, mentioned.get(key, at))
        return Intent(
            id=node.id,
            terms=tuple(replace(one.term, position=at) for at, one in enumerate(placed)),
            options=options_of(node.options, self._defaults),
            flow=self._flow(node, findings),
            meta=node.meta,
            mentions=mentioned,
            at=node.at,
        )

    def _terms(self, parts: Sequence[PartNode], findings: Findings) -> Iterator[_Placed]:
        """The terms of an intent or of a fragment, those of its fragments among them."""
        ids = {part.id for part in parts if isinstance(part, TermNode)}
        count = 0
        for part in parts:
            if isinstance(part, TermNode):
                count += 1
                yield self._term(part, findings)
                continue
            for one in self._brought(part, findings):
                count += 1
                self._brought_terms += 1
                if count > MOST_TERMS:
                    findings.report(part.at, f"here are more than {MOST_TERMS:,} terms")
                    return
                if self._brought_terms > MOST_BROUGHT_TERMS:
                    message = (
                        f"fragments bring more than {MOST_BROUGHT_TERMS:,} terms into the model"
                    )
                    findings.report(part.at, message)
                    return
                if one.term.id is not None and one.term.id in ids:
                    message = f"with the fragment '{part.id}' there are two terms '{one.term.id}'"
                    findings.report(part.at, message)
                ids.add(one.term.id)
                yield one

    def _brought(self, node: FragmentReference, findings: Findings) -> Iterator[_Placed]:
        """The terms of a fragment where it is named. What it hands on to a fragment of its own
        goes before what it is given."""
        known = self._fragments.get(node.id)
        if known is None and not self._lost_fragments:
            close = get_close_matches(node.id, self._fragments, n=1)
            hint = (
                f"did you mean '{close[0]}'?" if close else "a fragment is declared before its use"
            )
            findings.report(node.at, f"there is no fragment '{node.id}' before this place", hint)
        for term, found in known or ():
            arguments = {**node.arguments, **term.arguments}
            yield _Placed(replace(term, arguments=arguments), dict.fromkeys(found, node.at))

    def _term(self, node: TermNode, findings: Findings) -> _Placed:
        if isinstance(node.predicate, PredicateNode):
            predicate = _predicate(node.predicate)
            mentioned = mentions(node.predicate)
        else:
            test = self._function(node.predicate, findings, term_test)
            predicate = Predicate(test or _never, str(node.predicate))
            mentioned = {}
        term = Term(
            id=node.id,
            predicate=predicate,
            conversational=node.conversational,
            min=node.min,
            max=node.max,
            position=0,
        )
        return _Placed(term, mentioned)

    def _flow(self, node: IntentNode, findings: Findings) -> Pattern | FlowCode | None:
        if isinstance(node.flow, MethodNode):
            return self._function(node.flow, findings, FlowCode)
        return None if node.flow is None else Pattern(node.flow)

    def _function(
        self,
        node: MethodNode,
        findings: Findings,
        make: Callable[[Callable[..., Any], str], _Made],
    ) -> _Made | None:
        """What ``make`` makes of the function in Python; None if something is wrong with it."""
        try:
            return make(self._code.find(node.module, node.name), str(node))
        except GrammarError as error:
            if self._forgiving:
                findings.warn(node.at, error.message, error.hint)
            else:
                findings.report_of(node.at, error)
            return None


class _Placed(NamedTuple):
    """A compiled term, and where the text that is being compiled speaks of which key."""

    term: Term
    mentions: Mapping[Key, int]


def compile_intents(text: str, source: str = "") -> tuple[Intent, ...]:
    """The intents that ``text`` declares, in its order. Imports are relative to the working
    folder.

    ``source`` names the text in messages. Raises GrammarError with every problem of the text.
    """
    return Compiler().compile(text, source).intents


def compile_predicate(node: PredicateNode, text: str = "", source: str = "") -> Predicate:
    """One parsed predicate of ``text``, ready to run. Raises GrammarError as above."""
    check_predicate(node, text, source)
    return _predicate(node)


def compile_part(text: str, source: str = "") -> Predicate:
    """The predicate of a part of a synonym, ready to run. Raises GrammarError, also for one that
    asks about the question around the part: a synonym is found before that is known."""
    node = parse_predicate(text, source)
    check_predicate(node, text, source, refused=OF_A_QUESTION)
    return _predicate(node)


def compile_expression(text: str, source: str = "") -> Callable[[Context], Any]:
    """An expression (with the variables before it) as a function of a context that gives its
    value, of whatever kind, and raises nothing but EvaluationError.

    Raises GrammarError for anything that is not in the language.
    """
    node = parse_predicate(text, source)
    check_predicate(node, text, source, boolean=False)
    return translate_value(node)


def options_of(written: Mapping[str, Any], defaults: Options) -> Options:
    """The options with these names (of either version of NLPCraft); the others by default."""
    options = defaults
    if isinstance(both := written.get("unused_entities"), bool):
        options = replace(options, unused_user_entities=both, unused_system_entities=both)
    named = {
        _FIELDS.get(name, name): value is True
        for name, value in written.items()
        if name != "unused_entities" and value is not None
    }
    return replace(options, **named)


_FIELDS = {"unused_usr_toks": "unused_user_entities", "unused_sys_toks": "unused_system_entities"}


def _predicate(node: PredicateNode) -> Predicate:
    return Predicate(
        test=translate(node),
        text=node.text,
        requires=requires(node),
        elements=elements(node),
    )


def _lacks_code(node: IntentNode, intent: Intent) -> bool:
    return (isinstance(node.flow, MethodNode) and intent.flow is None) or any(
        term.predicate.test is _never for term in intent.terms
    )


def _never(context: Context) -> bool:
    return False
