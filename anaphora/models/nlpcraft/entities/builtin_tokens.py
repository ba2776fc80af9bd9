"""Translate NLPCraft's built-in tokens to built-in entities of the same names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import GrammarError
from anaphora.grammar.idl.parsing.parser import parse_idl, parse_predicate
from anaphora.grammar.idl.requirements import find_requirements
from anaphora.grammar.idl.syntax import (
    FragmentNode,
    IntentNode,
    PredicateNode,
    PythonFunctionNode,
    TermNode,
)
from anaphora.grammar.synonyms.error_messages import LITERAL
from anaphora.models.nlpcraft.entities.target_elements import (
    add_element,
    append_to_list,
    enabled_names,
)
from anaphora.models.nlpcraft.entities.third_party_tokens import find_substitute
from anaphora.models.nlpcraft.intent_texts import iter_synonym_texts
from anaphora.models.nlpcraft.legacy_dialect import rewrite_parts
from anaphora.models.nlpcraft.rules.rule import SourceEntry, TranslationTarget
from anaphora.models.nlpcraft.version_detection import NlpcraftVersion
from anaphora.models.reading.nodes import (
    ScalarNode,
    SequenceNode,
    scalars_in,
    to_data,
)
from anaphora.models.schema.builtin_entities import NLPCRAFT_ENTITIES, find_builtin
from anaphora.models.schema.field_types import describe_value

__all__ = ["add_builtin_entities", "add_free_words", "add_named_substitutes"]

_TOKENS_KEY = "enabledBuiltInTokens"
_NAME = re.compile(r"\bnlpcraft:[a-z]+\b")
_FREE_WORD = re.compile(r"\bnlpcraft:nlp\b(?!:)|\bnlp:entity\b")
_NAME_OF_PARSER = re.compile(r"""(['"])((?:google|opennlp|spacy|stanford):[\w-]+)\1""")
_PART = re.compile(r"\^\^(?:\[[^\[\]{}]*\])?\{(.*)\}\^\^", re.DOTALL)
_EXTERNAL_PREFIXES = ("google:", "opennlp:", "stanford:")
_UNSUPPORTED_TOKENS = ("nlpcraft:metro", "nlpcraft:subcontinent")


def add_builtin_entities(
    context: TranslationTarget, version: NlpcraftVersion, intents: Iterable[str]
) -> None:
    """Enable the built-in entities that the file enables, as far as they exist here.

    A file of 0.9 without a list enables all of them; here only those are enabled that its
    synonyms and its texts with ``intents`` can use.
    """
    node = context.source.items.get(_TOKENS_KEY)
    if node is not None:
        _add_listed(
            context, SourceEntry(_TOKENS_KEY, context.source.key_offsets[_TOKENS_KEY], node)
        )
    elif version == "0.9":
        _add_usable(context, list(iter_synonym_texts(context.source)), list(intents))


def add_free_words(
    context: TranslationTarget, version: NlpcraftVersion, intents: Iterable[str]
) -> None:
    """Let terms take free words if one of them may: in 0.9 any that is true for them, in 1.0 one
    that names the entities of NCNLPEntityParser."""
    if context.has_key("free_words"):
        return
    texts = list(intents)
    reason = next(_iter_open_predicates(context, (), texts), "") if version == "0.9" else ""
    if not reason and not any(map(_FREE_WORD.search, texts)):
        return
    at = context.source.start
    context.set_scalar("free_words", at, "true")
    what = f"{{{reason}}} may be true for free words" if reason else "terms name free words"
    context.notes.add("changed", "free words", at, f"{what}, as in {version}: free_words: true")


def add_named_substitutes(context: TranslationTarget, intents: Iterable[str]) -> None:
    """Add elements for the entities of other programs that intents name: a file of 1.0 cannot
    enable them, as the code of its bot has their parsers."""
    at = context.source.start
    named = dict.fromkeys(name for text in intents for _, name in _NAME_OF_PARSER.findall(text))
    for name in named:
        if name in enabled_names(context) or not (substitute := find_substitute(name)):
            continue
        node = ScalarNode(at, at, name, '"')
        add_element(context, node, substitute.recognizer, substitute.options)
        context.notes.add("changed", name, at, substitute.hint)


def _add_listed(context: TranslationTarget, entry: SourceEntry) -> None:
    if not isinstance(entry.node, SequenceNode):
        found = describe_value(to_data(entry.node))
        context.add_note("ignored", entry, f"expected a list of tokens, not {found}")
        return
    enabled: list[ScalarNode] = []
    for index, node in enumerate(entry.node.items):
        name = node.text if isinstance(node, ScalarNode) else ""
        if name in NLPCRAFT_ENTITIES:
            enabled.append(ScalarNode(node.start, node.start, name, '"'))
            continue
        where = SourceEntry(f"{_TOKENS_KEY}[{index}]", node.start, node)
        if substitute := find_substitute(name):
            if name not in enabled_names(context):
                add_element(
                    context,
                    ScalarNode(node.start, node.start, name, '"'),
                    substitute.recognizer,
                    substitute.options,
                )
            context.add_note("changed", where, f"{name}: {substitute.hint}")
            continue
        shown = f"'{name}'" if name else describe_value(to_data(node))
        context.add_note("ignored", where, _explain_unsupported(name, shown))
    if enabled:
        _enable_entities(context, enabled)
        names = ", ".join(node.text for node in enabled)
        context.add_note("mapped", entry, f"→ entities: {names}")


def _explain_unsupported(name: str, shown: str) -> str:
    if name.startswith(_EXTERNAL_PREFIXES):
        return f"nothing here finds {shown}; spaCy has labels of its own: spacy:person"
    if find_builtin(f"nlpcraft:{name}"):
        return f"there is no {shown}; did you mean 'nlpcraft:{name}'?"
    hint = did_you_mean(name, NLPCRAFT_ENTITIES) if name and name not in _UNSUPPORTED_TOKENS else ""
    return f"nothing here finds {shown}{'; ' if hint else ''}{hint}"


def _add_usable(context: TranslationTarget, synonyms: list[str], intents: list[str]) -> None:
    """Enable the entities that a predicate names, or all of them if a predicate may be true for
    any entity."""
    at = context.source.start
    mentioned = {name for text in (*synonyms, *intents) for name in _NAME.findall(text)}
    names = [name for name in NLPCRAFT_ENTITIES if name in mentioned]
    reason = "not in the file; by default all are on, but it can use none of them"
    if any_text := next(_iter_open_predicates(context, synonyms, intents), ""):
        names = list(NLPCRAFT_ENTITIES)
        reason = f"not in the file; by default all are on, and {{{any_text}}} may be true for any"
    elif names:
        reason = "not in the file; by default all are on, and it mentions these: entities: "
        reason += ", ".join(names)
    if names:
        _enable_entities(context, [ScalarNode(at, at, name, '"') for name in names])
    context.notes.add("changed", _TOKENS_KEY, at, reason)


def _iter_open_predicates(
    context: TranslationTarget, synonyms: Iterable[str], intents: Iterable[str]
) -> Iterator[str]:
    """The texts of the predicates that may be true for entities of any element."""
    for text in intents:
        try:
            statements = parse_idl(context.intents.rewrite(text))
        except GrammarError:
            continue  # reported by the compiler
        terms = (
            term
            for one in statements
            if isinstance(one, IntentNode | FragmentNode)
            for term in one.terms
        )
        for term in terms:
            match term:
                case TermNode(predicate=PredicateNode() as predicate):
                    if find_requirements(predicate) is None:
                        yield predicate.text
                case TermNode(predicate=PythonFunctionNode() as function):
                    yield str(function)
    for text in synonyms:
        for literal in LITERAL.finditer(rewrite_parts(text)):
            if found := _PART.fullmatch(literal[0]):
                try:
                    predicate = parse_predicate(found[1])
                except GrammarError:
                    continue
                if find_requirements(predicate) is None:
                    yield predicate.text


def _enable_entities(context: TranslationTarget, named: Iterable[ScalarNode]) -> None:
    """Add entities to the target: abstract ones as elements, others under ``entities``; existing
    ones are skipped."""
    abstract = scalars_in(context.source.items.get("abstractTokens"))
    taken = enabled_names(context)
    for node in named:
        if node.text in taken:
            continue
        taken.add(node.text)
        if node.text in abstract:
            add_element(context, node, node.text)
        else:
            append_to_list(context, "entities", node)
