"""Their limits on the sentence and on the model → ours."""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.models.nlpcraft.rules import (
    NO_LIMIT,
    Rule,
    SourceEntry,
    TranslationTarget,
    ignore_key,
    is_unlimited,
    map_to,
)
from anaphora.models.reading.nodes import to_data
from anaphora.models.schema.model_file import describe_value

__all__ = ["LIMIT_RULES", "add_default_limits"]

_TOKEN_COUNT_NOTE = "theirs counts free words among the tokens; limits.{} counts entities alone"
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


def add_default_limits(sheet: TranslationTarget) -> None:
    """Writes out the limits that a file of 0.9 has without saying so, where ours has none."""
    at = sheet.source.start
    for key, (ours, value, meaning) in _DEFAULT_LIMITS.items():
        if sheet.has_key(f"limits.{ours}") or sheet.source_value(key) is not None:
            continue
        sheet.set_scalar(f"limits.{ours}", at, value)
        if meaning:
            sheet.notes.add("changed", key, at, f"not in the file; by default {meaning}")
    if sheet.has_key("limits.suspicious_words") and not sheet.has_key(
        "limits.max_suspicious_words"
    ):
        sheet.set_scalar("limits.max_suspicious_words", at, "0")


def _map_to_limit(key: str) -> Rule:
    """The rule of a number of theirs that is ``key`` of ours, unless it means no limit."""

    def rule(sheet: TranslationTarget, entry: SourceEntry) -> None:
        if is_unlimited(entry.node):
            sheet.add_note("mapped", entry, "there is no limit without it")
        else:
            map_to(key)(sheet, entry)

    return rule


def _translate_latin_only(sheet: TranslationTarget, entry: SourceEntry) -> None:
    allowed = to_data(entry.node)
    if not isinstance(allowed, bool):
        sheet.set_node("limits.latin_only", entry.at, entry.node)
        return
    only = "false" if allowed else "true"
    sheet.set_scalar("limits.latin_only", entry.at, only)
    sheet.add_note("mapped", entry, f"→ limits.latin_only: {only}")


def _translate_swear_words(sheet: TranslationTarget, entry: SourceEntry) -> None:
    sheet.set_node("limits.swear_words_allowed", entry.at, entry.node)
    if to_data(entry.node) is False:
        sheet.add_note("changed", entry, f"→ limits.swear_words_allowed; {_SWEAR_WORDS_NOTE}")
    else:
        sheet.add_note("mapped", entry, "→ limits.swear_words_allowed")


def _translate_no_user_tokens(sheet: TranslationTarget, entry: SourceEntry) -> None:
    allowed = to_data(entry.node)
    if allowed is False:
        sheet.set_scalar("limits.min_entities", entry.at, "1")
        sheet.add_note("mapped", entry, "false → limits.min_entities: 1")
    elif allowed is not True:
        sheet.add_note("ignored", entry, f"expected true or false, not {describe_value(allowed)}")


def _translate_max_synonyms(sheet: TranslationTarget, entry: SourceEntry) -> None:
    if is_unlimited(entry.node) or sheet.source_value("maxSynonymsThresholdError") is True:
        _map_to_limit("max_synonyms")(sheet, entry)
        return
    reason = "without maxSynonymsThresholdError it only warns; max_synonyms is a strict limit"
    sheet.add_note("ignored", entry, reason)


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
    # Endless or not: where suspicious words are listed, ours allows none without the key.
    "maxSuspiciousWords": map_to("limits.max_suspicious_words"),
    "nonEnglishAllowed": ignore_key(
        "there is no dictionary of English words", silent_values=[True]
    ),
    "notLatinCharsetAllowed": _translate_latin_only,
    "swearWordsAllowed": _translate_swear_words,
    "noNounsAllowed": ignore_key(
        "nothing here tells the nouns of a sentence", silent_values=[True]
    ),
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
"""What becomes of each limit."""
