"""Generated models for the benchmarks, the same in every run."""

from __future__ import annotations

from random import Random

from anaphora import Model
from anaphora.grammar.idl.compiler import compile_intents
from anaphora.models.domain import ANY_LANGUAGE, Element, ElementValue

SYLLABLES = [first + second for first in "bcdfghklmnprstvz" for second in "aeiou"]


def names(count: int, seed: int = 7) -> list[str]:
    """``count`` distinct made-up names of two words."""
    random = Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        words = ("".join(random.choices(SYLLABLES, k=3)) for _ in range(2))
        found[" ".join(words)] = None
    return list(found)


def phrases(*texts: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {ANY_LANGUAGE: tuple((text,) for text in texts)}


def element(id: str, *synonyms: str, values: list[str] | None = None) -> Element:
    return Element(
        id,
        frozenset({id}),
        phrases(id, *synonyms),
        tuple(ElementValue(name, phrases(name)) for name in values or ()),
    )


def model_of_synonyms(count: int) -> Model:
    """A model with one intent and one element, whose values have ``count`` names in total."""
    return Model(
        id=f"names-{count}",
        elements=(element("order"), element("name", values=names(count))),
        intents=compile_intents("intent=order term={# == 'order'} term(name)~{# == 'name'}"),
    )


def model_of_intents(count: int) -> Model:
    """A model with ``count`` intents, each with its own topic and a shared city."""
    topics = [name.replace(" ", "-") for name in names(count)]
    texts = (
        f"intent={topic} term(topic)~{{# == '{topic}'}} term(city)~{{# == 'city'}}"
        for topic in topics
    )
    return Model(
        id=f"intents-{count}",
        elements=(
            element("city", values=["Tokyo", "Kyoto"]),
            *(element(topic, topic.replace("-", " ")) for topic in topics),
        ),
        intents=tuple(intent for text in texts for intent in compile_intents(text)),
    )
