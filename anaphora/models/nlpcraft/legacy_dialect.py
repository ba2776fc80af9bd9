"""Rewrite the predicate dialect of NLPCraft 0.5 to 0.7 in the intent language.

``intent=buy conv=false term={id == 'buy' && groups @@ 'act'}`` becomes ``intent=buy term={# ==
'buy' && has(ent_groups(), 'act')}``. Later versions have no words in common with the dialect, so
that a text that parses in it is one.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

from msgspec.structs import replace

from anaphora.errors import GrammarError
from anaphora.grammar.idl.parsing.parser import parse_idl, parse_legacy_idl, parse_legacy_predicate
from anaphora.grammar.idl.printer import print_predicate, print_statements
from anaphora.grammar.idl.syntax import IntentNode, TermNode
from anaphora.grammar.synonyms.error_messages import LITERAL

__all__ = ["LegacyIntents", "prefer_legacy_error", "rewrite_parts"]

_WORD_OF_PARSER = re.compile(r"""(?<=['"])nlp:entity(?=['":])""")
_LEGACY_INTENT = re.compile(r"\bintent\s*=|\bconv\s*=")
_TILDE = re.compile(r"term\s*(?:\([^()]*\)\s*)?~")
_PART = re.compile(r"\^\^\s*(\[[^\[\]{}]*\])?\s*(.*?)\s*\^\^", re.DOTALL)
_QUANTIFIER = re.compile(r"\[\s*(\d+)\s*,\s*(\d+)\s*\]")
_FLOW_TOKEN = re.compile(rf"\s*(?:([\w$:-]+)|>>|([()|])|([?*+]|{_QUANTIFIER.pattern}))")
_MINI_FLOW = re.compile(rf">>|{_QUANTIFIER.pattern}")


class LegacyIntents:
    """Rewrites the intents of one model; ``texts`` are all of them.

    0.6 and older have no ``~``: all terms use the conversation, unless ``conv=false``. In 0.7 only
    terms with ``~`` do. So in texts without any ``~`` all terms use it.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.uses_conversation = not any(map(_TILDE.search, texts))

    def rewrite(self, text: str) -> str:
        """The intents of ``text`` in the intent language. Those in the dialect are translated, and
        words have the element that they had before 1.0."""
        text = _WORD_OF_PARSER.sub("nlpcraft:nlp", text)
        if not _LEGACY_INTENT.search(text):
            return text
        try:
            intents = parse_legacy_idl(text)
        except GrammarError:
            return text  # the compiler reports it, see `prefer_legacy_error`
        return print_statements(map(self._rewrite_intent, intents))

    def _rewrite_intent(self, intent: IntentNode) -> IntentNode:
        options = {key: value for key, value in intent.options.items() if key != "conv"}
        conversational = intent.options.get("conv", self.uses_conversation) is True
        terms = [
            replace(term, conversational=term.conversational or conversational)
            if isinstance(term, TermNode)
            else term
            for term in intent.terms
        ]
        flow = _rewrite_flow(intent.flow) if isinstance(intent.flow, str) else intent.flow
        return replace(intent, options=options, terms=tuple(terms), flow=flow)


def prefer_legacy_error(text: str, error: GrammarError) -> GrammarError:
    """The syntax error of the dialect in ``text`` if its parser comes further than that of the
    intent language, whose ``error`` is given."""
    try:
        parse_idl(text)
    except GrammarError as own:
        try:
            parse_legacy_idl(text)
        except GrammarError as legacy:
            if (legacy.line, legacy.column) > (own.line, own.column):
                return GrammarError(
                    dataclasses.replace(one, source=error.source) for one in legacy.problems
                )
    return error


def rewrite_parts(text: str) -> str:
    """A synonym whose predicates are written as ``^^[alias]{predicate}^^``: theirs may also have
    parentheses, or nothing around them, and be in the dialect."""
    return LITERAL.sub(_rewrite_literal, text) if "^^" in text else text


def _rewrite_literal(literal: re.Match[str]) -> str:
    found = _PART.fullmatch(literal[0])
    if found is None:
        return literal[0]
    alias, written = found[1] or "", found[2]
    inner = written
    if written.startswith("{") and written.endswith("}"):
        inner = written[1:-1].strip()
    try:
        predicate = print_predicate(parse_legacy_predicate(inner))
    except GrammarError:
        if written.startswith("{"):
            return found[0]
        predicate = inner
    return f"^^{alias}{{{predicate}}}^^"


def _rewrite_flow(flow: str) -> str:
    """The regular expression for a flow of 0.6 and older: ``a >> (b|c)[1,2] >> d?``."""
    if not _MINI_FLOW.search(flow):
        return flow
    written, at = "", 0
    while at < len(flow.rstrip()):
        token = _FLOW_TOKEN.match(flow, at)
        if token is None:
            return flow
        id, bracket, quantifier, *_ = token.groups()
        at = token.end()
        if id:
            written += rf"(?:{re.escape(id)}(?: |$))"
        elif bracket:
            written += "(?:" if bracket == "(" else bracket
        elif quantifier:
            written += _QUANTIFIER.sub(r"{\1,\2}", quantifier)
    return rf"(?:^| ){written}"
