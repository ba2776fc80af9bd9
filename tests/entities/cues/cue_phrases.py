"""Tables of what people say, by language (``phrases/<language>.yaml``), and the cues in it.

A row has a text, ``say``, with entities in brackets (``[cola:drink]`` is one of the element
``drink``), and what is found in it: ``cues`` as "kind value number: words", without fillers unless
there are no other cues, and the words that are ``negated``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.cue_finder import find_cues
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.cues.negation import find_negated
from anaphora.entities.pipeline import Pipeline
from tests.entities.helpers.model_builders import element, model
from tests.support.gathered import Case

__all__ = ["load_phrases", "read_phrase", "utterance_of"]

_MARKED = re.compile(r"\[([^\[\]:]+)(?::(\w+))?\]")


def load_phrases(folder: Path) -> Iterator[Case]:
    """A case (language, text, cues, negated) of each row of the tables; what a row says to fail is
    expected to."""
    for path in sorted(folder.glob("*.yaml")):
        for row in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader):
            values = path.stem, row["say"], row.get("cues", []), row.get("negated", [])
            yield Case(path.stem, row["say"], values, row.get("fails", ""))


def read_phrase(language: str, text: str) -> tuple[list[str], list[str]]:
    """The cues and the negated words of a text with marked entities, as the tables have them."""
    utterance, entities = utterance_of(language, text)
    cues = find_cues(utterance, load_cue_words(language))
    important = [cue for cue in cues if cue.kind != "filler"] or cues
    negated = find_negated(entities, utterance, cues)
    return (
        [_describe(cue, utterance) for cue in important],
        [entities[index].text for index in sorted(negated)],
    )


def utterance_of(language: str, text: str) -> tuple[Utterance, list[Entity]]:
    """The utterance of a text with marked entities, and these entities."""
    plain = _MARKED.sub(r"\1", text)
    utterance = _pipeline(language)(plain)
    entities = []
    removed = 0
    for match in _MARKED.finditer(text):
        start = match.start() - removed
        removed += len(match.group()) - len(match[1])
        end = start + len(match[1])
        tokens = tuple(
            token.index for token in utterance.tokens if token.start < end and start < token.end
        )
        kind = match[2] or "thing"
        value = None if kind == "topic" else match[1]  # a topic has no other values
        entities.append(Entity(kind, frozenset({kind}), match[1], tokens, start, end, value))
    return utterance, entities


def _describe(cue: Cue, utterance: Utterance) -> str:
    words: list[str] = []
    last = None
    for index in cue.tokens:
        token = utterance.tokens[index]
        if last is None:
            words.append(token.text)
        elif index == last.index + 1:
            words[-1] += utterance.text[last.end : token.end]
        else:
            words.append(token.text)
        last = token
    kind = " ".join(filter(None, (cue.kind, cue.value, str(cue.number or ""))))
    return f"{kind}: {' … '.join(words)}"


@cache
def _pipeline(language: str) -> Pipeline:
    return Pipeline(model(element("thing", "qqq", language=language), languages=(language,)))
