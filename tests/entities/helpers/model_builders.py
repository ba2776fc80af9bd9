"""Small models for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from anaphora.entities.tokens.token_runs import PatternEnds, TokenRuns
from anaphora.entities.words.lexicon import Word
from anaphora.grammar.idl.compiler import compile_entity_part
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.domain import Element, ElementValue, Model, Phrase

Said = str | Phrase


def element(
    id: str,
    *said: Said,
    values: Mapping[str, Iterable[Said]] | None = None,
    groups: Iterable[str] = (),
    language: str = "",
    **more: Any,
) -> Element:
    """An element whose phrases (and those of its values) are as listed, and no others; ``more``
    is what it has beside them."""
    return Element(
        id,
        frozenset(groups) or frozenset({id}),
        {language: _phrases(said)},
        tuple(
            ElementValue(name, {language: _phrases(phrases)})
            for name, phrases in (values or {}).items()
        ),
        **more,
    )


def model(
    *elements: Element,
    languages: tuple[str, ...] = ("en",),
    reset: Iterable[Said] = (),
    **more: Any,
) -> Model:
    return Model("test", elements, (), languages=languages, reset={"": _phrases(reset)}, **more)


def pattern(text: str) -> Phrase:
    return (Pattern(text),)


def pattern_ends(words: Sequence[Word], texts: Sequence[str]) -> PatternEnds:
    """What patterns match in words with spaces between them."""
    return TokenRuns(words, texts, token_starts(texts)).ends


def token_starts(texts: Sequence[str]) -> list[int]:
    """Where words begin in a text with spaces between them."""
    return list(accumulate((len(text) + 1 for text in texts[:-1]), initial=0))


def part(predicate: str, alias: str = "") -> EntityPart:
    return EntityPart(alias, predicate, compile_entity_part(predicate))


def _phrases(said: Iterable[Said]) -> tuple[Phrase, ...]:
    return tuple((one,) if isinstance(one, str) else one for one in said)


WEATHER = model(
    element("weather", "weather", "weather forecast", groups=["topic"], topic=True),
    element("city", values={"Tokyo": ["Tokyo"], "New York": ["New York", "big apple"]}),
    element("date", values={"now": ["now"], "tomorrow": ["tomorrow"]}),
    reset=["forget it"],
)
