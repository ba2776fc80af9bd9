"""Examples of intents with annotated entities: ``[Rome](city)``, ``[nyc]{"entity": …}``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import TypeAlias

__all__ = [
    "Annotation",
    "EntityKey",
    "ExampleError",
    "IntentExample",
    "parse_example",
    "without_articles",
    "without_role_markers",
]

EntityKey: TypeAlias = tuple[str, str]
"""An entity and its role ('' if it has none)."""


_ANNOTATION = re.compile(r"\[(?P<text>[^\[\]]+)\](?:\((?P<entity>[^()]+)\)|(?P<json>\{[^{}]*\}))")
_BROKEN = re.compile(r"\[[^\[\]]*\](?:\([^()]*$|\{[^{}]*$|\(\))")
_LAST_WORD = re.compile(r"([^\W\d_]+)\s*$")
_EDGES = ' \t.,;:!?"“”«»…'
_ARTICLES = {
    "ca": "el la els les un una l'",
    "de": "der die das den dem des ein eine einen einem einer eines",
    "en": "a an the",
    "es": "el la los las un una unos unas",
    "fr": "le la les un une des l' l’",
    "it": "il lo la i gli le un uno una l' l’ un' un’",
    "nl": "de het een",
    "pt": "o a os as um uma uns umas",
}
_CONJUNCTIONS = {
    "ca": "i o",
    "de": "und oder",
    "en": "and or",
    "es": "y e o u",
    "fr": "et ou",
    "it": "e ed o",
    "nl": "en of",
    "pt": "e ou",
    "ru": "и или",
    "uk": "і й та або",
}


class ExampleError(ValueError):
    """An annotation that is wrong; ``position`` is its offset in the example."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True, slots=True)
class Annotation:
    """An entity in an example; ``before`` is the word directly before it."""

    text: str
    entity: str
    value: str
    role: str = ""
    group: str = ""
    before: str = ""

    @property
    def key(self) -> EntityKey:
        return self.entity, self.role


@dataclass(frozen=True, slots=True)
class IntentExample:
    """An example: the ``words`` around its entities, and whether an entity stands between them.
    ``text`` is the example itself, ``said`` what a user says, ``pieces`` the texts before, between
    and behind the entities."""

    words: str
    annotations: tuple[Annotation, ...]
    is_split: bool
    text: str = ""
    said: str = ""
    pieces: tuple[str, ...] = ()


def parse_example(text: str) -> IntentExample:
    """Parse an example. Raises :class:`ExampleError` for a broken annotation."""
    if broken := _BROKEN.search(_ANNOTATION.sub(lambda found: " " * len(found[0]), text)):
        raise ExampleError("this annotation is not closed", broken.start())
    annotations = []
    end = 0
    for found in _ANNOTATION.finditer(text):
        word = _LAST_WORD.search(text, end, found.start())
        before = word[1].casefold() if word else ""
        annotations.append(replace(_parse_annotation(found), before=before))
        end = found.end()
    pieces = [piece.strip(_EDGES) for piece in _ANNOTATION.sub("\0", text).split("\0")]
    pieces = [" ".join(piece.split()) for piece in pieces]
    words = [piece for piece in pieces if piece]
    said = _ANNOTATION.sub(lambda found: found["text"], text)
    is_split = len(words) > 1
    return IntentExample(" ".join(words), tuple(annotations), is_split, text, said, tuple(pieces))


def without_articles(example: IntentExample, language: str) -> IntentExample:
    """The example without the articles before and in its entities, in lower case: "show me the
    [city bike](bike)", "[a small](size)", but "[The Hague](city)"; and without the conjunctions
    between its entities: "with [ham](topping) and [olives](topping)"."""
    code = language.partition("-")[0]
    articles = _ARTICLES.get(code, "").split()
    either = "|".join(one if one[-1] in "'’" else rf"{one}\s" for one in articles)
    bare = example.text
    if either:
        bare = re.sub(rf"(?<!\w)(?:{either})\s*(?=\[)", "", bare)
        bare = re.sub(rf"\[(?:{either})\s*(?=[^\s\]])", "[", bare)
    if words := _CONJUNCTIONS.get(code, "").split():
        bare = re.sub(rf"(?<=[)}}])\s*,?\s+(?:{'|'.join(words)})\s+(?=\[)", ", ", bare)
    return example if bare == example.text else replace(parse_example(bare), said=example.said)


def without_role_markers(
    example: IntentExample, markers: Mapping[EntityKey, Set[str]]
) -> IntentExample:
    """The example without the words that mark the roles of its entities: "fly [from] Rome"."""
    pieces, end = [], 0
    for found, one in zip(_ANNOTATION.finditer(example.text), example.annotations, strict=True):
        before = example.text[end : found.start()]
        if one.before in markers.get(one.key, ()):
            before = _LAST_WORD.sub("", before)
        pieces += [before, found[0]]
        end = found.end()
    bare = "".join((*pieces, example.text[end:]))
    return example if bare == example.text else replace(parse_example(bare), said=example.said)


def _parse_annotation(found: re.Match[str]) -> Annotation:
    text = found["text"].strip()
    if found["entity"]:
        entity, _, value = found["entity"].partition(":")
        return Annotation(text, entity.strip(), value.strip() or text)
    try:
        data = json.loads(found["json"])
    except ValueError:
        message = 'this is not JSON: write {"entity": "city", "value": "New York"}'
        raise ExampleError(message, found.start("json")) from None
    if not isinstance(data.get("entity"), str):
        raise ExampleError('the annotation does not name its "entity"', found.start("json"))
    role, group = (str(data.get(key) or "") for key in ("role", "group"))
    return Annotation(text, data["entity"], str(data.get("value", text)), role, group)
