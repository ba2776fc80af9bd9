"""Translate NLPCraft's limits on sentences and models."""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.models.nlpcraft.rules.rule import (
    NO_LIMIT,
    Rule,
    SourceEntry,
    TranslationTarget,
    ignore_key,
    is_unlimited,
    map_to,
)
from anaphora.models.reading.nodes import to_data
from anaphora.models.schema.field_types import describe_value

__all__ = ["LIMIT_RULES", "add_default_limits"]

_TOKEN_COUNT_NOTE = "NLPCraft counts free words as tokens; limits.{} counts only entities"
_SWEAR_WORDS_NOTE = "there is no list of swear words here: give your own as limits.swear_words"

_DEFAULT_LIMITS = {
    "minWords": ("min_words", "1", ""),
    "maxWords": ("max_words", "50", "more than 50 words are too many: limits.max_words: 50"),
    "notLatinCharsetAllowed": (
        "latin_only",
        "true",
        "letters of other scripts are forbidden: limits.latin_only: true; "
        "notLatinCharsetAllowed: true allows them",
    ),
    "swearWordsAllowed": (
        "swear_words_allowed",
        "false",
        f"swear words are forbidden: limits.swear_words_allowed: false; {_SWEAR_WORDS_NOTE}",
    ),
}


def add_default_limits(context: TranslationTarget) -> None:
    """Add the default limits of 0.9, which differ from Anaphora's."""
    at = context.source.start
    for key, (ours, value, meaning) in _DEFAULT_LIMITS.items():
        if context.has_key(f"limits.{ours}") or context.source_value(key) is not None:
            continue
        context.set_scalar(f"limits.{ours}", at, value)
        if meaning:
            context.notes.add("changed", key, at, f"not in the file; by default {meaning}")
    if context.has_key("limits.suspicious_words") and not context.has_key(
        "limits.max_suspicious_words"
    ):
        context.set_scalar("limits.max_suspicious_words", at, "0")


def _map_to_limit(key: str) -> Rule:
    """The rule for a number that maps to ``key``, unless it means no limit."""

    def rule(context: TranslationTarget, entry: SourceEntry) -> None:
        if is_unlimited(entry.node):
            context.add_note("mapped", entry, "there is no limit without it")
        else:
            map_to(key)(context, entry)

    return rule


def _translate_latin_only(context: TranslationTarget, entry: SourceEntry) -> None:
    allowed = to_data(entry.node)
    if not isinstance(allowed, bool):
        context.set_node("limits.latin_only", entry.at, entry.node)
        return
    only = "false" if allowed else "true"
    context.set_scalar("limits.latin_only", entry.at, only)
    context.add_note("mapped", entry, f"→ limits.latin_only: {only}")


def _translate_swear_words(context: TranslationTarget, entry: SourceEntry) -> None:
    context.set_node("limits.swear_words_allowed", entry.at, entry.node)
    if to_data(entry.node) is False:
        context.add_note("changed", entry, f"→ limits.swear_words_allowed; {_SWEAR_WORDS_NOTE}")
    else:
        context.add_note("mapped", entry, "→ limits.swear_words_allowed")


def _translate_no_user_tokens(context: TranslationTarget, entry: SourceEntry) -> None:
    allowed = to_data(entry.node)
    if allowed is False:
        context.set_scalar("limits.min_entities", entry.at, "1")
        context.add_note("mapped", entry, "false → limits.min_entities: 1")
    elif allowed is not True:
        context.add_note("ignored", entry, f"expected true or false, not {describe_value(allowed)}")


def _translate_max_synonyms(context: TranslationTarget, entry: SourceEntry) -> None:
    if is_unlimited(entry.node) or context.source_value("maxSynonymsThresholdError") is True:
        _map_to_limit("max_synonyms")(context, entry)
        return
    reason = "without maxSynonymsThresholdError it only warns; max_synonyms is a strict limit"
    context.add_note("ignored", entry, reason)


LIMIT_RULES: Mapping[str, Rule] = {
    "minWords": map_to("limits.min_words"),
    "maxWords": map_to("limits.max_words"),
    "minTokens": ignore_key(_TOKEN_COUNT_NOTE.format("min_entities"), silent_values=[0]),
    "maxTokens": ignore_key(_TOKEN_COUNT_NOTE.format("max_entities"), silent_values=[50, NO_LIMIT]),
    "minNonStopwords": map_to("limits.min_content_words"),
    "maxFreeWords": _map_to_limit("limits.max_free_words"),
    "maxUnknownWords": ignore_key(
        "there is no dictionary of known words", silent_values=[NO_LIMIT]
    ),
    "suspiciousWords": map_to("limits.suspicious_words"),
    # Even if unlimited: without the key, listed suspicious words are not allowed at all.
    "maxSuspiciousWords": map_to("limits.max_suspicious_words"),
    "nonEnglishAllowed": ignore_key(
        "there is no dictionary of English words", silent_values=[True]
    ),
    "notLatinCharsetAllowed": _translate_latin_only,
    "swearWordsAllowed": _translate_swear_words,
    "noNounsAllowed": ignore_key("nouns are not detected", silent_values=[True]),
    "noUserTokensAllowed": _translate_no_user_tokens,
    "maxElementSynonyms": _translate_max_synonyms,
    "maxTotalSynonyms": ignore_key(
        "the synonyms of a model have a fixed limit", silent_values=[NO_LIMIT]
    ),
    "maxSynonymsThresholdError": ignore_key(
        "it only matters together with maxElementSynonyms", silent_values=[False, True]
    ),
    "dupSynonymsAllowed": ignore_key(
        "elements may always share a synonym: each of them is found", silent_values=[True]
    ),
}
"""The translation rule of each limit."""
