"""Utterances to a smart home with known answers, generated from sentence shapes.

No engine's sentences are made from these shapes, nor these from theirs; all share the words of
:mod:`benchmarks.peers.smart_home.work` alone. A text whose words could be read in another way (the
longest name counts, as everywhere: "kitchen lamp" is that lamp, if there is one) is never said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Literal, get_args

from benchmarks.peers.smart_home.english import gerund, past, plural
from benchmarks.peers.smart_home.longest_reading import LongestReading
from benchmarks.peers.smart_home.out_of_scope import out_of_scope_text
from benchmarks.peers.smart_home.vocabulary import NICKNAMES
from benchmarks.peers.smart_home.work import Intent, Value, Verb, Work

__all__ = ["KINDS", "SHARES", "Kind", "Utterance", "utterances"]

Kind = Literal[
    "plain", "fronted", "polite", "filled", "compound", "inflected", "telegraphic", "none"
]
KINDS: tuple[Kind, ...] = get_args(Kind)

# Of all utterances.
SHARES: dict[Kind, float] = {
    "plain": 0.28,  # "turn on the lamp in the kitchen", "turn the lamp on in the kitchen"
    "fronted": 0.15,  # "in the kitchen, turn on the lamp", "the lamp in the kitchen, turn it on"
    "polite": 0.16,  # "would you mind turning on the lamp", "can you tell me if the lamp is on"
    "filled": 0.13,  # "uh, turn on the, um, lamp right now"
    "compound": 0.08,  # "turn on the kitchen lamp", which is a lamp and an area here
    "inflected": 0.08,  # "turn on the lamps", "I want the lamp turned on"
    "telegraphic": 0.07,  # "lamp on", "dim lamp kitchen"
    "none": 0.05,  # what no intent should answer: see out_of_scope.py
}
_TARGETS = {"name": 0.45, "both": 0.40, "area": 0.15}  # where the intent takes an area at all
_SHARE_OF_CAPITALS = 0.05  # THE WHOLE TEXT
_SHARE_OF_CAPITALIZED = 0.35
_SHARE_OF_PUNCTUATED = 0.5
_SHARE_OF_SYNONYMS = 0.5  # of names, areas and options
_BARE_VERBS = frozenset({"make", "paint"})  # "make it red", not "to red"
_OUTDOORS_ON = frozenset({"balcony", "terrace", "patio", "porch", "veranda", "stairs", "stairway"})

_POLITE = (
    "please {}",
    "{} please",
    "could you please {}",
    "can you {} for me",
    "would you kindly {}",
    "I would like you to {}",
    "I need you to {} please",
    "do me a favour and {}",
    "be so kind as to {}",
    "if it is no trouble, {}",
    "{}, would you",
    "{}, thanks",
    "you may {} now, thank you",
)
_POLITE_GERUND = ("would you mind {}", "how about {}", "thanks for {}")
_POLITE_STATE = (
    "can you tell me whether {thing} {is_} {state}",
    "please check if {thing} {is_} {state}",
    "I would like to know if {thing} {is_} {state}",
    "{thing} {is_} {state}, {isnt} it",
)
_POLITE_TOPIC = (
    "can you tell me the {topic} {of} {thing}",
    "please check the {topic} {of} {thing}",
    "I would like to know the {topic} {of} {thing}",
    "any idea what the {topic} {of} {thing} is",
)
_FIRST = ("uh", "um", "well", "ok", "hey", "so", "oh", "listen", "alright", "you know what")
_MIDDLE = ("uh", "um", "er", "you know", "hmm", "what's it called")
_LAST = (
    "right now",
    "now",
    "quickly",
    "at once",
    "immediately",
    "as soon as you can",
    "before I forget",
    "when you get a chance",
    "again",
    "for a while",
)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text, and the answer that is right: no intent and no slots if none should answer.

    ``kind`` is the kind of sentence; ``shape`` is how it was made, with the values left out.
    """

    text: str
    intent: str | None
    slots: dict[str, str]
    kind: Kind
    shape: str


@dataclass(frozen=True, slots=True)
class _Said:
    """The content of an utterance in the chosen words."""

    intent: Intent
    slots: dict[str, str] = field(default_factory=dict)
    name: str = ""
    area: str = ""
    option: str = ""
    place: str = ""  # "in the kitchen"
    thing: str = ""  # "the lamp", or the area if there is no name
    is_plural: bool = False


def utterances(work: Work, count: int = 2_000, *, seed: int = 1) -> list[Utterance]:
    """``count`` different utterances, the same for the same work and seed."""
    made: dict[str, Utterance] = {}
    for utterance in _endless(work, Random(seed)):
        made.setdefault(utterance.text.lower(), utterance)
        if len(made) == count:
            break
    return list(made.values())


def _endless(work: Work, random: Random) -> Iterator[Utterance]:
    reader = LongestReading(work)
    while True:
        kind = random.choices(list(SHARES), list(SHARES.values()))[0]
        utterance = None
        while utterance is None:
            utterance = _idle(work, random) if kind == "none" else _said(work, kind, reader, random)
        yield utterance


def _idle(work: Work, random: Random) -> Utterance:
    shape, text = out_of_scope_text(work, random)
    return Utterance(_written(text, random), None, {}, "none", shape)


def _said(work: Work, kind: Kind, reader: LongestReading, random: Random) -> Utterance | None:
    """Draw an utterance; None if it has no sentence of that kind, or is ambiguous."""
    intent = random.choice(work.intents)
    said = _chosen(work, intent, kind, random)
    template = _SHAPES[kind](said, random)
    if template is None:
        return None
    text = " ".join(_filled(template, said).split()).replace(" ,", ",")
    if reader.slots(text) != said.slots:
        return None
    return Utterance(_written(text, random), intent.id, said.slots, kind, template)


def _chosen(work: Work, intent: Intent, kind: Kind, random: Random) -> _Said:
    """Choose the words: a device of a kind that suits the intent, an area, an option."""
    target = random.choices(list(_TARGETS), list(_TARGETS.values()))[0]
    if not intent.kinds:
        target = "area"
    elif target == "area" and not intent.takes_area:
        target = "name"
    slots, name, area, option = {}, "", "", ""
    is_plural = False
    if target != "area":
        device = _device(work, intent, target, random)
        name = _word(device, random)
        slots["name"] = device.value
        if kind == "inflected" and name not in NICKNAMES:
            is_plural = plural(name) != name and random.random() < 0.7
            name = plural(name) if is_plural else name
    if target != "name":
        room = random.choice(work.areas)
        area = _word(room, random)
        slots["area"] = room.value
    if intent.option:
        value = random.choice(work.options[intent.option])
        option = _word(value, random)
        slots[intent.option] = value.value
    the = random.choices(["the", "my", "our"], [0.86, 0.09, 0.05])[0]
    thing = (name if name in NICKNAMES else f"{the} {name}") if name else f"the {area}"
    ways = ["in"] * 6 + ["inside"] + ["of"] * (kind != "fronted")
    at = "on" if area in _OUTDOORS_ON else random.choice(ways)
    place = f"{at} the {area}" if area and name else ""
    return _Said(intent, slots, name, area, option, place, thing, is_plural)


def _device(work: Work, intent: Intent, target: str, random: Random) -> Value:
    """A device that suits the intent; with an area, seldom one that is named after an area."""
    suitable = [one for one in work.names if one.kind in intent.kinds]
    if target == "both" and random.random() < 0.8:
        areas = tuple(area.value for area in work.areas)
        suitable = [one for one in suitable if not one.value.startswith(areas)]
    return random.choice(suitable)


def _word(value: Value, random: Random) -> str:
    return random.choice(value.others) if random.random() < _SHARE_OF_SYNONYMS else value.value


def _filled(template: str, said: _Said) -> str:
    is_many = said.is_plural or said.thing.endswith("s")
    return template.format(
        name=said.name,
        area=said.area,
        option=said.option,
        place=said.place,
        thing=said.thing,
        a="an" if said.option[:1] in "aeiou" and said.option else "a",
        is_="are" if is_many else "is",
        isnt="aren't" if is_many else "isn't",
    )


def _plain(said: _Said, random: Random) -> str | None:
    """Verb first, area last or just before the final words."""
    return random.choice(list(_sentences(said.intent, "{thing} {place}", said)))


def _fronted(said: _Said, random: Random) -> str | None:
    """The area first, or the object, which "it" then replaces."""
    if said.intent.family == "question":
        if not said.place:
            return None
        return "{place}, " + random.choice(list(_sentences(said.intent, "{thing}", said)))
    if said.place and random.random() < 0.75:
        return "{place}, " + random.choice(list(_sentences(said.intent, "{thing}", said)))
    if not said.name:
        if said.intent.family == "request" or random.random() < 0.5:
            return None
        rest = random.choice(list(_sentences(said.intent, "everything", said)))
        return "in the {area}, " + rest
    it = "them" if said.is_plural or said.thing.endswith("s") else "it"
    return "{thing} {place}, " + random.choice(list(_sentences(said.intent, it, said)))


def _polite(said: _Said, random: Random) -> str | None:
    if said.intent.family == "question":
        return _asked_politely(said, random)
    sentence = random.choice(list(_sentences(said.intent, "{thing} {place}", said)))
    if random.random() < 0.2:
        verb, _, rest = sentence.partition(" ")
        return random.choice(_POLITE_GERUND).replace("{}", f"{gerund(verb)} {rest}")
    return random.choice(_POLITE).replace("{}", sentence)


def _asked_politely(said: _Said, random: Random) -> str:
    if said.intent.states:
        template = random.choice(_POLITE_STATE)
        template = template.replace("{state}", random.choice(said.intent.states))
    else:
        template = random.choice(_POLITE_TOPIC)
        template = template.replace("{topic}", random.choice(said.intent.topics))
        template = template.replace("{of}", "of" if said.name else "in")
    return template.replace("{thing}", "{thing} {place}")


def _filled_up(said: _Said, random: Random) -> str | None:
    """One to three fillers: at the beginning, before a name, at the end."""
    thing = "{thing} {place}"
    where = random.sample(["first", "middle", "last"], random.choice([1, 1, 2, 3]))
    if "middle" in where:
        article, _, rest = said.thing.partition(" ")
        inside = f"{article}, {random.choice(_MIDDLE)}, {rest}" if rest else said.thing
        thing = f"{inside} {{place}}"
    text = random.choice(list(_sentences(said.intent, thing, said)))
    if "first" in where:
        text = f"{random.choice(_FIRST)}, {text}"
    if "last" in where:
        last = _LAST[:2] if said.intent.family == "question" else _LAST
        text = f"{text} {random.choice(last)}"
    return text


def _compound(said: _Said, random: Random) -> str | None:
    """The area before the name, like a part of it."""
    if not said.place or said.name in NICKNAMES:
        return None
    return random.choice(list(_sentences(said.intent, "the {area} {name}", said)))


def _inflected(said: _Said, random: Random) -> str | None:
    """The plural of a device, or another form of the verb."""
    if said.intent.family in ("command", "setting") and random.random() < 0.5:
        verb = random.choice(said.intent.verbs)
        done = f"{past(verb.word)} {verb.particle}"
        if said.intent.family == "setting":
            done += " {option}" if verb.word in _BARE_VERBS else " to {option}"
            if said.intent.needs_topic:
                done = f"with the {random.choice(said.intent.topics)} {done}"
        shape = random.choice(["I want {} {}", "I would like to have {} {}", "get {} {}"])
        return shape.format("{thing} {place}", done)
    if not said.is_plural:
        return None
    return _plain(said, random)


def _telegraphic(said: _Said, random: Random) -> str | None:
    """No article, no preposition, often no verb."""
    intent = said.intent
    if not said.name:
        return None
    target = random.choice(["{name} {area}", "{area} {name}"]) if said.area else "{name}"
    if intent.family == "command":
        verb = random.choice(intent.verbs)
        if verb.particle in ("on", "off"):
            return f"{target} {verb.particle}"
        return f"{verb.text} {target}"
    if intent.family == "setting":
        topic = random.choice(intent.topics) if intent.needs_topic else ""
        return f"{target} {topic} {{option}}"
    if intent.family == "request":
        return f"{{option}} {intent.link} {target}"
    if intent.states:
        return None  # "lamp on" is a command
    return f"{random.choice(intent.topics)} {target}"


_SHAPES = {
    "plain": _plain,
    "fronted": _fronted,
    "polite": _polite,
    "filled": _filled_up,
    "compound": _compound,
    "inflected": _inflected,
    "telegraphic": _telegraphic,
}


def _sentences(intent: Intent, thing: str, said: _Said) -> Iterator[str]:
    """All plain sentences for an intent of ``thing``."""
    if intent.family == "command":
        for verb in intent.verbs:
            yield from _of_verb(verb, thing, said)
    elif intent.family == "setting":
        yield from _of_setting(intent, thing, said)
    elif intent.family == "request":
        in_it = f"{intent.link} {thing}" if said.name else f"in {thing}"
        if thing in ("it", "them"):
            in_it = f"{intent.link} {thing}"
        article = "{a} " if intent.id == "brew" else ""
        for verb in intent.verbs:
            yield f"{verb.text} {article}{{option}} {in_it}"
    else:
        for state in intent.states:
            yield f"{{is_}} {thing} {state}"
        of = "of" if said.name else "in"
        for topic in intent.topics:
            yield f"what is the {topic} {of} {thing}"
            yield f"how about the {topic} {of} {thing}"


def _of_verb(verb: Verb, thing: str, said: _Said) -> Iterator[str]:
    if not said.name and thing != "everything":
        thing = thing.replace("{thing}", "everything in {thing}")
    if thing not in ("it", "them"):
        yield f"{verb.text} {thing}"
    if not verb.particle:
        if thing in ("it", "them"):
            yield f"{verb.word} {thing}"
        return
    yield f"{verb.word} {thing} {verb.particle}"
    before, _, place = thing.partition(" {place}")
    if said.place and "{place}" in thing:
        yield f"{verb.word} {before} {verb.particle} {{place}}{place}"


def _of_setting(intent: Intent, thing: str, said: _Said) -> Iterator[str]:
    of = "of" if said.name else "in"
    for verb in intent.verbs:
        if verb.word in _BARE_VERBS:
            yield f"{verb.word} {thing} {{option}}"
            continue
        if not intent.needs_topic:
            yield f"{verb.word} {thing} to {{option}}"
        for topic in intent.topics:
            if thing in ("it", "them", "everything"):
                continue
            yield f"{verb.word} the {topic} {of} {thing} to {{option}}"
            if said.name and said.place and "{place}" in thing:
                yield f"{verb.word} {thing} to {{option}} {topic}"
    if intent.needs_topic and thing in ("it", "them", "everything"):
        yield f"set {thing} to {{option}} {intent.topics[0]}"


def _written(text: str, random: Random) -> str:
    drawn = random.random()
    if drawn < _SHARE_OF_CAPITALS:
        text = text.upper()
    elif drawn < _SHARE_OF_CAPITALS + _SHARE_OF_CAPITALIZED:
        text = text[0].upper() + text[1:]
    if random.random() < _SHARE_OF_PUNCTUATED:
        is_question = re.match(r"(is|are|what|how|can|could|would|any)\b", text, re.IGNORECASE)
        text += "?" if is_question else random.choice(".!")
    return text
