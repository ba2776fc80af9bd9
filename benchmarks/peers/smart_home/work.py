"""The smart-home work as plain data, from which the format of each engine is generated.

200 devices, 30 areas and 40 intents, each with several phrasings. A device has one to three
synonyms; it may be named after an area ("kitchen lamp"), and its name may contain that of another
device ("lamp"). There are no numbers, so that no engine needs a parser for them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Literal

from benchmarks.peers.smart_home.english import plural
from benchmarks.peers.smart_home.vocabulary import (
    AREAS,
    COMMANDS,
    MODIFIERS,
    NICKNAMES,
    NOUNS,
    OPTIONS,
    QUESTIONS,
    REQUESTS,
    SETTINGS,
)

__all__ = ["Family", "Intent", "Value", "Verb", "Work", "clashes", "smart_home"]

Family = Literal["command", "setting", "request", "question"]

_NAMES = 200
_SHARE_AFTER_AREA = 0.65  # of the names that are more than a noun
_SHARE_WITH_TWO_NOUNS = 0.4  # of those whose noun has two synonyms


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a slot, with synonyms; a device has a ``kind``."""

    value: str
    others: tuple[str, ...]
    kind: str = ""

    @property
    def phrases(self) -> tuple[str, ...]:
        return (self.value, *self.others)


@dataclass(frozen=True, slots=True)
class Verb:
    """ "turn … on": the particle may follow the verb or the object."""

    word: str
    particle: str = ""

    @property
    def text(self) -> str:
        return f"{self.word} {self.particle}".strip()


@dataclass(frozen=True, slots=True)
class Intent:
    """An intent of the user.

    A ``command`` has only verbs. A ``setting`` sets an ``option`` ("set the volume of the radio to
    low"); its topics name the property, one of which is required if ``needs_topic``. A ``request``
    asks a device for an ``option`` ("play jazz on the radio", with ``link`` before the device). A
    ``question`` asks for a state ("is … locked") or for a topic ("what is the temperature of …").
    ``kinds`` are the kinds of devices, none for an intent about areas; with ``takes_area``, an area
    without a device is enough.
    """

    id: str
    family: Family
    kinds: tuple[str, ...]
    takes_area: bool
    verbs: tuple[Verb, ...] = ()
    option: str = ""
    topics: tuple[str, ...] = ()
    needs_topic: bool = False
    link: str = ""
    states: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """The devices, the areas, the options by name, and the intents."""

    names: tuple[Value, ...]
    areas: tuple[Value, ...]
    options: dict[str, tuple[Value, ...]]
    intents: tuple[Intent, ...]

    def lists(self) -> dict[str, tuple[Value, ...]]:
        """The lists of values by slot."""
        return {"name": self.names, "area": self.areas, **self.options}


def smart_home(seed: int = 1) -> Work:
    """Generate the work for a seed; another seed gives other names to the devices."""
    return Work(
        names=tuple(_names(Random(seed))),
        areas=tuple(Value(area, others) for area, others in AREAS.items()),
        options={
            option: tuple(Value(value, others) for value, others in values.items())
            for option, values in OPTIONS.items()
        },
        intents=tuple(chain(_commands(), _settings(), _requests(), _questions())),
    )


def clashes(work: Work) -> list[str]:
    """Find ambiguities: phrases, including plurals, of two values, and verbs of two intents that
    nothing else distinguishes. There should be none."""
    owners: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for slot, values in work.lists().items():
        for value in values:
            for phrase in value.phrases:
                owners[phrase].add((slot, value.value))
                if slot == "name":
                    owners[plural(phrase)].add((slot, value.value))
    found = [f"'{phrase}': {sorted(said)}" for phrase, said in owners.items() if len(said) > 1]
    told = Counter(
        (verb, intent.option, intent.topics if intent.needs_topic else ())
        for intent in work.intents
        for verb in intent.verbs
    )
    return found + [f"'{key[0].text}' of two intents" for key, count in told.items() if count > 1]


def _names(random: Random) -> Iterator[Value]:
    nouns = [(noun, kind) for kind, group in NOUNS.items() for noun in group]
    taken = {*chain.from_iterable((area, *others) for area, others in AREAS.items())}
    nicknames = list(NICKNAMES)
    for noun, kind in nouns:
        synonyms = NOUNS[kind][noun]
        taken.update(map(plural, (noun, *synonyms)), (noun, *synonyms))
        yield Value(noun, synonyms, kind)
    count = len(nouns)
    while count < _NAMES:
        noun, kind = random.choice(nouns)
        after_area = random.random() < _SHARE_AFTER_AREA
        modifier = random.choice(tuple(AREAS) if after_area else MODIFIERS)
        if set(modifier.split()) & set(noun.split()):
            continue
        others = [f"{modifier} {other}" for other in NOUNS[kind][noun]]
        if random.random() > _SHARE_WITH_TWO_NOUNS:
            others = others[:1]
        phrases = [f"{modifier} {noun}", *others]
        if taken.intersection(chain(phrases, map(plural, phrases))):
            continue
        taken.update(phrases, map(plural, phrases))
        if nicknames and random.random() < len(NICKNAMES) / (_NAMES - len(nouns)):
            others.append(nicknames.pop(0))
        count += 1
        yield Value(phrases[0], tuple(others), kind)


def _commands() -> Iterator[Intent]:
    for id, text in COMMANDS.items():
        verbs, whom = text.split("|")
        kinds, takes_area = _whom(whom)
        yield Intent(id, "command", kinds, takes_area, _verbs(verbs))


def _settings() -> Iterator[Intent]:
    for id, text in SETTINGS.items():
        how, topics, whom = text.split("|")
        option, verbs = how.split(":")
        kinds, takes_area = _whom(whom)
        yield Intent(
            id,
            "setting",
            kinds,
            takes_area,
            _verbs(verbs),
            option.strip(),
            _listed(topics.replace("?", "")),
            needs_topic="?" not in topics,
        )


def _requests() -> Iterator[Intent]:
    for id, text in REQUESTS.items():
        how, link, whom = text.split("|")
        option, verbs = how.split(":")
        kinds, takes_area = _whom(whom)
        yield Intent(
            id, "request", kinds, takes_area, _verbs(verbs), option.strip(), link=link.strip()
        )


def _questions() -> Iterator[Intent]:
    for id, text in QUESTIONS.items():
        states, topics, whom = text.split("|")
        kinds, takes_area = _whom(whom)
        yield Intent(
            id,
            "question",
            kinds,
            takes_area,
            topics=_listed(topics),
            states=_listed(states),
        )


def _verbs(text: str) -> tuple[Verb, ...]:
    return tuple(Verb(*verb.split("/")) for verb in text.split())


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _whom(text: str) -> tuple[tuple[str, ...], bool]:
    kinds = tuple(word for word in text.split() if word not in "-+")
    return kinds, "+" in text.split()
