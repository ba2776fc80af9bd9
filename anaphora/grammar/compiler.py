"""From a text in the intent language to intents that run: parsed, checked, translated."""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.grammar.checker import check, check_predicate
from anaphora.grammar.idl import parse
from anaphora.grammar.intent import Intent, Key, Options, Predicate, Term
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.requirements import mentions, requires
from anaphora.grammar.syntax import IntentNode, PredicateNode, TermNode
from anaphora.grammar.translator import translate

__all__ = ["compile_intent", "compile_intents", "compile_predicate"]


def compile_intents(text: str, source: str = "") -> tuple[Intent, ...]:
    """The intents that ``text`` declares, in its order.

    ``source`` names the text in messages. Raises GrammarError with every problem of the text.
    """
    nodes = parse(text, source)
    check(nodes, text, source)
    return tuple(_intent(node) for node in nodes)


def compile_intent(node: IntentNode, text: str = "", source: str = "") -> Intent:
    """One parsed intent of ``text``, ready to run. Raises GrammarError as above."""
    check((node,), text, source)
    return _intent(node)


def compile_predicate(node: PredicateNode, text: str = "", source: str = "") -> Predicate:
    """One parsed predicate of ``text``, ready to run. Raises GrammarError as above."""
    check_predicate(node, text, source)
    return _predicate(node)


def _intent(node: IntentNode) -> Intent:
    return Intent(
        id=node.id,
        terms=tuple(_term(term, position) for position, term in enumerate(node.terms)),
        options=Options(**{name: value is True for name, value in node.options.items()}),
        flow=None if node.flow is None else Pattern(node.flow),
        meta=node.meta,
        mentions=_mentions(node.terms),
        at=node.at,
    )


def _term(node: TermNode, position: int) -> Term:
    return Term(
        id=node.id,
        predicate=_predicate(node.predicate),
        conversational=node.conversational,
        min=node.min,
        max=node.max,
        position=position,
    )


def _predicate(node: PredicateNode) -> Predicate:
    return Predicate(test=translate(node), text=node.text, requires=requires(node))


def _mentions(terms: Sequence[TermNode]) -> dict[Key, int]:
    found: dict[Key, int] = {}
    for term in terms:
        for key, at in mentions(term.predicate).items():
            found[key] = min(at, found.get(key, at))
    return found
