"""English inflection, as far as the sentences of the smart home need it."""

from __future__ import annotations

__all__ = ["gerund", "past", "plural"]

_DOUBLED = frozenset({"dim", "flip", "mop", "shut", "skip", "stop", "run", "put", "set"})
_PAST = {
    "find": "found",
    "light": "lit",
    "make": "made",
    "put": "put",
    "run": "run",
    "send": "sent",
    "set": "set",
    "shut": "shut",
    "sweep": "swept",
}
_VOWELS = "aeiou"


def plural(text: str) -> str:
    """The plural of ``text``: "kitchen lamps"; unchanged if it ends in "s"."""
    if text.endswith("s"):
        return text
    if text.endswith(("ch", "sh", "x", "z")):
        return text + "es"
    if text.endswith("y") and text[-2] not in _VOWELS:
        return text[:-1] + "ies"
    return text + "s"


def gerund(verb: str) -> str:
    """ "turning" of "turn"."""
    if verb in _DOUBLED:
        return verb + verb[-1] + "ing"
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return verb + "ing"


def past(verb: str) -> str:
    """ "turned" of "turn"; also the participle, which is the same for all verbs used."""
    if verb in _PAST:
        return _PAST[verb]
    if verb in _DOUBLED:
        return verb + verb[-1] + "ed"
    if verb.endswith("e"):
        return verb + "d"
    return verb + "ed"
