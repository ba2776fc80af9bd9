"""Varied questions to the generated models, the same in every run."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

_COMMON = """
    a again all also always and any around at because before but by come day did do down each
    early every few find first for from give good great had have hear here home how just keep
    know last later let little long look made make many maybe more most much must my need never
    new now of off often old on once one only other our out over own people perhaps quite really
    right same see some soon still such take tell than that the then there they thing think this
    those time to together too under until up us use very was way week well went when while who
    why will with work would year yet you young your
"""
COMMON = tuple(_COMMON.split())
"""Common words, which are in no generated name."""


def pad_words(words: Sequence[str], length: int, random: Random) -> str:
    """The words in order with common words around and between them, ``length`` in all; a name of
    two words is not split."""
    fillers = max(0, length - sum(len(word.split()) for word in words))
    places = sorted(random.randrange(len(words) + 1) for _ in range(fillers))
    said: list[str] = []
    for place in range(len(words) + 1):
        said.extend(random.choices(COMMON, k=places.count(place)))
        said.extend(words[place : place + 1])
    return " ".join(said)


def orders(names: Sequence[str], count: int, *, length: int = 9, seed: int = 1) -> list[str]:
    """Questions of ``length`` words to a model of synonyms. Every fourth omits its topic, which the
    memory fills in."""
    random = Random(seed)
    return [
        pad_words(
            [*(("order",) if number % 4 else ()), random.choice(names)],
            length,
            random,
        )
        for number in range(count)
    ]


def long_orders(names: Sequence[str], count: int, *, length: int, seed: int = 1) -> list[str]:
    """Questions of any length: the word "order" first, and a name in every ten words."""
    random = Random(seed)
    if length < 3:
        return [" ".join(["order", *random.choices(COMMON, k=length - 1)]) for _ in range(count)]
    texts = []
    for _ in range(count):
        chosen = [random.choice(names) for _ in range(max(1, length // 10))]
        texts.append(pad_words(["order", *chosen], length, random))
    return texts


def topics(names: Sequence[str], count: int, *, seed: int = 1) -> list[str]:
    """Questions to a model of intents; every third is a follow-up without a topic."""
    random = Random(seed)
    cities = ("Tokyo", "Kyoto")
    return [
        pad_words(
            [*((random.choice(names),) if number % 3 else ()), random.choice(cities)], 8, random
        )
        for number in range(count)
    ]
