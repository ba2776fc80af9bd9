"""Find the words of flows that name no intent, so that these flows never match what they should."""

from __future__ import annotations

import re

__all__ = ["find_unknown_words"]

_TOKEN = re.compile(
    r"(?P<letter>[\w:-])|(?P<quantifier>[?*+]|\{\d+,?\d*\})"
    r"|\\(?:[pP]\{[^}]*\}|.)|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?::|P?<[^>]*>)|.",
    re.DOTALL,
)
_FLAGS = re.compile(r"\(\?[a-zA-Z-]+[:)]")


def find_unknown_words(flow: str, intents: str) -> list[str]:
    """The literal words of a flow, a regular expression, that are no part of any id in ``intents``,
    a text with one on each line. None if flags such as ``(?i)`` give the words another meaning."""
    if _FLAGS.search(flow):
        return []
    words = [""]
    for token in _TOKEN.finditer(flow):
        if token["letter"]:
            words[-1] += token["letter"]
            continue
        if token["quantifier"]:  # it is about the last letter only
            words[-1] = words[-1][:-1]
        words.append("")
    return [word for word in dict.fromkeys(words) if word.strip(":") not in intents]
