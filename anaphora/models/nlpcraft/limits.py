"""Their limits on the sentence and on the model → ours."""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.models.nlpcraft.rules import (
    NO_LIMIT,
    Entry,
    Rule,
    Sheet,
    ignored,
    is_endless,
    moved,
)
from anaphora.models.nodes import plain
from anaphora.models.schema import kind_of

__all__ = ["LIMIT_RULES", "add_limits_of_0_9"]

_TOKENS = "theirs counts free words among the tokens; limits.{} counts entities alone"
_SWEAR_WORDS = "there is no list of swear words here: give your own as limits.swear_words"

_DEFAULTS = {
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
        f"swear words are forbidden: limits.swear_words_allowed: false; {_SWEAR_WORDS}",
    ),
}


def add_limits_of_0_9(sheet: Sheet) -> None:
    """Writes out the limits that a file of 0.9 has without saying so, where ours has none."""
    at = sheet.source.start
    for key, (ours, value, meaning) in _DEFAULTS.items():
        if sheet.has(f"limits.{ours}") or sheet.theirs(key) is not None:
            continue
        sheet.set(f"limits.{ours}", at, value)
        if meaning:
            sheet.notes.add("changed", key, at, f"not in the file; by default {meaning}")
    if sheet.has("limits.suspicious_words") and not sheet.has("limits.max_suspicious_words"):
        sheet.set("limits.max_suspicious_words", at, "0")


def _bound(key: str) -> Rule:
    """The rule of a number of theirs that is ``key`` of ours, unless it means no limit."""

    def rule(sheet: Sheet, entry: Entry) -> None:
        if is_endless(entry.node):
            sheet.note("mapped", entry, "there is no limit without it")
        else:
            moved(key)(sheet, entry)

    return rule


def _not_latin(sheet: Sheet, entry: Entry) -> None:
    allowed = plain(entry.node)
    if not isinstance(allowed, bool):
        sheet.put("limits.latin_only", entry.at, entry.node)
        return
    only = "false" if allowed else "true"
    sheet.set("limits.latin_only", entry.at, only)
    sheet.note("mapped", entry, f"→ limits.latin_only: {only}")


def _swear_words(sheet: Sheet, entry: Entry) -> None:
    sheet.put("limits.swear_words_allowed", entry.at, entry.node)
    if plain(entry.node) is False:
        sheet.note("changed", entry, f"→ limits.swear_words_allowed; {_SWEAR_WORDS}")
    else:
        sheet.note("mapped", entry, "→ limits.swear_words_allowed")


def _no_user_tokens(sheet: Sheet, entry: Entry) -> None:
    allowed = plain(entry.node)
    if allowed is False:
        sheet.set("limits.min_entities", entry.at, "1")
        sheet.note("mapped", entry, "false → limits.min_entities: 1")
    elif allowed is not True:
        sheet.note("ignored", entry, f"expected true or false, not {kind_of(allowed)}")


def _max_element_synonyms(sheet: Sheet, entry: Entry) -> None:
    if is_endless(entry.node) or sheet.theirs("maxSynonymsThresholdError") is True:
        _bound("max_synonyms")(sheet, entry)
        return
    reason = "without maxSynonymsThresholdError it only warns; max_synonyms is a strict limit"
    sheet.note("ignored", entry, reason)


LIMIT_RULES: Mapping[str, Rule] = {
    "minWords": moved("limits.min_words"),
    "maxWords": moved("limits.max_words"),
    "minTokens": ignored(_TOKENS.format("min_entities"), unless=[0]),
    "maxTokens": ignored(_TOKENS.format("max_entities"), unless=[50, NO_LIMIT]),
    "minNonStopwords": moved("limits.min_content_words"),
    "maxFreeWords": _bound("limits.max_free_words"),
    "maxUnknownWords": ignored("there is no dictionary of known words", unless=[NO_LIMIT]),
    "suspiciousWords": moved("limits.suspicious_words"),
    # Endless or not: where suspicious words are listed, ours allows none without the key.
    "maxSuspiciousWords": moved("limits.max_suspicious_words"),
    "nonEnglishAllowed": ignored("there is no dictionary of English words", unless=[True]),
    "notLatinCharsetAllowed": _not_latin,
    "swearWordsAllowed": _swear_words,
    "noNounsAllowed": ignored("nothing here tells the nouns of a sentence", unless=[True]),
    "noUserTokensAllowed": _no_user_tokens,
    "maxElementSynonyms": _max_element_synonyms,
    "maxTotalSynonyms": ignored("the synonyms of a model have a fixed limit", unless=[NO_LIMIT]),
    "maxSynonymsThresholdError": ignored(
        "it only matters together with maxElementSynonyms", unless=[False, True]
    ),
    "dupSynonymsAllowed": ignored(
        "elements may always share a synonym: each of them is found", unless=[True]
    ),
}
"""What becomes of each limit."""
