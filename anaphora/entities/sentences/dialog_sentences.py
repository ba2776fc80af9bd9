"""Sentences about the last command, from the tables ``home``: "undo that", "a bit louder"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from anaphora.entities.languages import cached_table
from anaphora.grammar.sentences.normalization import normalize_text
from anaphora.grammar.sentences.parser import parse_sentence
from anaphora.grammar.sentences.syntax import Expression, Text
from anaphora.models.hassil.collection import (
    REFERENCE,
    RangeList,
    SentenceBlock,
    SlotList,
    TextList,
    TextValue,
)
from anaphora.models.hassil.elements import (
    ALL,
    AMOUNT,
    DENIAL,
    LESS,
    MORE,
    OTHER,
    QUALITY,
    REMAINING,
    SET,
    UNDO,
)

__all__ = ["DIALOG_INTENTS", "build_dialog_blocks", "reference_words", "with_references"]

DIALOG_INTENTS = frozenset((UNDO, MORE, LESS, OTHER, ALL, SET, REMAINING, DENIAL))
"""The intents of sentences about the last command."""

_SENTENCES = {
    "undo": UNDO,
    "denial": DENIAL,
    "other": OTHER,
    "all": ALL,
    "remaining": REMAINING,
}
_STEPS = {"more": MORE, "less": LESS}
_DEGREE = "degree"
_TARGET = "target"
_PLAIN = re.compile(r"\{?([^{}()<>\[\]]+)\}?")  # a phrase of a table of cues without context
_AMOUNTS = RangeList(1, 1_000, fractions="halves")
_VALUES = RangeList(0, 1_000, fractions="halves")


def build_dialog_blocks(language: str) -> Iterator[SentenceBlock]:
    """Blocks of the sentences about the last command in a language."""
    table = cached_table(language, "home")
    for key, intent in _SENTENCES.items():
        yield SentenceBlock(intent, tuple(map(parse_sentence, table.get(key) or ())))
    written = dict(table.get("rules") or {})
    steps = table.get("step") or ()
    with_amount = ("<amount> {quality}", *(f"{step} <amount>" for step in steps))
    templates = tuple(map(parse_sentence, (*steps, *with_amount)))
    written[_DEGREE] = f"({written.get(_DEGREE, '')}|<{AMOUNT}>)"
    rules = {name: parse_sentence(body) for name, body in written.items()}
    for key, intent in _STEPS.items():
        words = _build_list(table.get(key) or {})
        if words.values:
            lists: dict[str, SlotList] = {QUALITY: words, AMOUNT: _AMOUNTS}
            yield SentenceBlock(intent, templates, rules=rules, lists=lists)
            if _TARGET in rules:
                lists = {QUALITY: words, AMOUNT: _VALUES}
                yield SentenceBlock(SET, _build_targets(steps), rules=rules, lists=lists)


def _build_targets(steps: Iterable[str]) -> tuple[Expression, ...]:
    """The sentences that name the value to set: "turn it up to 50", "to 50"."""
    target = f"<{_TARGET}>"
    written = [target, *(f"{step} {target}" for step in steps)]
    written += [step.replace(f"[<{_DEGREE}>]", target) for step in steps]
    return tuple(map(parse_sentence, dict.fromkeys(one for one in written if target in one)))


def _build_list(words: Mapping[str, Any]) -> TextList:
    """The list of the words that change a value, each with the quality that it changes."""
    return TextList(
        tuple(
            TextValue(parse_sentence(word), quality)
            for quality, listed in words.items()
            for word in listed
        )
    )


def with_references(listed: TextList, words: tuple[str, ...]) -> SlotList:
    """The list of names with the words that refer to one."""
    known = {value.phrase for value in listed.values}
    phrases = (Text(normalize_text(word)) for word in words)
    added = tuple(TextValue(phrase, REFERENCE) for phrase in phrases if phrase not in known)
    return TextList((*listed.values, *added))


def reference_words(language: str, cue: str) -> tuple[str, ...]:
    """The words of a language that refer to a thing or a place, whatever is around them."""
    written = cached_table(language, "cues").get(cue) or ()
    if isinstance(written, Mapping):
        written = [one for each in written.values() if isinstance(each, list) for one in each]
    written = [*written, *(cached_table(language, "home").get(cue) or ())]
    found = (_PLAIN.fullmatch(str(phrase)) for phrase in written)
    words = (word for one in found if one for word in one[1].split("|"))
    home = cached_table(language, "home")
    several = frozenset((*(home.get("several") or ()), *(home.get("whole") or ())))
    stripped = (word.strip() for word in words if word.strip(" _"))
    return tuple(dict.fromkeys(word for word in stripped if word not in several))
