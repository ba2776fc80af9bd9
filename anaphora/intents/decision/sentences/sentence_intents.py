"""What deciding by sentences needs of a model, computed once."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from anaphora.entities.languages import cached_table
from anaphora.entities.sentences.corrections import CorrectionFinder
from anaphora.entities.sentences.dialog_sentences import reference_words
from anaphora.entities.sentences.number_senses import NumberSenses
from anaphora.entities.sentences.reader import ANY_WORDS, WITHOUT_SPACES
from anaphora.entities.words.function_words import load_qualifiers
from anaphora.grammar.idl.intent import Intent
from anaphora.models.domain import Model
from anaphora.models.hassil.analysis.combinations import Combination
from anaphora.models.hassil.analysis.directed_responses import find_directed_responses
from anaphora.models.hassil.collection import (
    RangeList,
    SlotList,
    TextList,
    TextValue,
    WildcardList,
)
from anaphora.models.hassil.elements import ACTION
from anaphora.models.hassil.inverse_intents import INVERSE_INTENTS
from anaphora.models.hassil.summary import HomeSentences
from anaphora.stm.conversation import RememberedEntity

__all__ = ["SentenceIntents", "is_word_of"]

_MIN_STEM = 3  # letters before an ending
_ASKING = re.compile("Get[A-Z]|Status")
_OPTIONAL = re.compile(r"\[[^\[\]]*\]")


@dataclass(frozen=True, slots=True)
class SentenceIntents:
    """The combinations of slots of each intent, and the lists of the slots.

    ``ranges`` are the ranges of numbers by slot, ``ranges_of`` those of each intent, ``units`` the
    words that may follow them.
    ``devices`` is the context of each device by its name, ``areas`` the area of those that are
    in one, ``floors`` the floor of each area that is known to be on one. ``groups`` are those
    of the slots. ``wildcards`` are the slots of each intent that only any text fills ("the
    pizza timer"), ``joiners`` the words that add something ("and"), ``openings`` those that
    link what follows to what was said ("no"), ``fillers`` further words of follow-ups,
    ``additions`` those behind what is added ("too"), ``restrictions`` those before what alone
    is meant ("only"), ``courtesies`` those of politeness. ``words`` are those of the sentences
    of each intent, ``asking_intents`` those that ask for a state, ``asking_words`` the words
    that only their sentences have ("which"), ``asking_starts`` those that begin a question
    ("is"), ``telling_words`` those of them that no command that sets a number has,
    ``increases`` and ``decreases`` those that add an amount to another ("more") or take it off
    ("less"), ``changes`` those that raise, lower or
    halve a value ("warmer", "half"). ``refusals`` are what a user is told if a command about
    the last one is impossible. ``directions`` are the slots that a direction may fill: up or
    down. ``pronouns`` stand for a thing ("it"), ``rejections`` are the words that reject what
    is before them, ``several`` those that stand for two things ("both"), ``everything``
    those for all things, ``stop`` those that stop what moves,
    ``plural`` the pronouns for several things, ``timer`` is the word for a timer, ``here``
    those for the room of the speaker. With
    ``denials_negate`` the words for no also negate what follows. ``domains`` are those of the
    devices that each intent is about; an intent about anything has none.
    """

    language: str
    combinations: Mapping[str, Sequence[Combination]]
    intents: Mapping[str, tuple[int, Intent]]
    ranges: Mapping[str, Sequence[RangeList]]
    ranges_of: Mapping[str, Mapping[str, Sequence[RangeList]]]
    units: Mapping[str, frozenset[str]]
    devices: Mapping[str, Mapping[str, Any]]
    areas: Mapping[str, str]
    floors: Mapping[str, str]
    groups: Mapping[str, frozenset[str]]
    wildcards: Mapping[str, frozenset[str]]
    joiners: frozenset[str]
    openings: frozenset[str]
    fillers: frozenset[str]
    additions: frozenset[str]
    restrictions: frozenset[str]
    courtesies: frozenset[str]
    words: Mapping[str, frozenset[str]]
    asking_intents: frozenset[str]
    asking_words: frozenset[str]
    asking_starts: frozenset[str]
    telling_words: frozenset[str]
    increases: frozenset[str]
    decreases: frozenset[str]
    changes: frozenset[str]
    refusals: Mapping[str, str]
    directions: frozenset[str]
    directed_responses: Mapping[str, Mapping[int, str]]
    pronouns: frozenset[str]
    rejections: re.Pattern[str] | None
    denials_negate: bool
    several: re.Pattern[str] | None
    everything: re.Pattern[str] | None
    stop: re.Pattern[str] | None
    here: re.Pattern[str] | None
    plural: re.Pattern[str] | None
    thanks: re.Pattern[str] | None
    again: re.Pattern[str] | None
    another: re.Pattern[str] | None
    timer: str
    domains: Mapping[str, frozenset[str]]
    corrections: CorrectionFinder
    senses: NumberSenses
    not_numbers: frozenset[str]

    @classmethod
    def from_model(cls, model: Model) -> SentenceIntents | None:
        """None for a model without sentences."""
        if model.sentences is None:
            return None
        sentences = model.sentences
        table = cached_table(model.languages[0], "home")
        rejections = table.get("rejections") or ()
        bound = "" if model.languages[0] in WITHOUT_SPACES else r"\b"
        by_intent: dict[str, list[Combination]] = {}
        for one in sentences.summary.combinations:
            by_intent.setdefault(one.intent, []).append(one)
        asking = frozenset(filter(_ASKING.search, by_intent))
        directions = frozenset(_find_directions(model, by_intent))
        lists = {intent: sentences.find_lists([intent]) for intent in by_intent}
        commands = [
            intent
            for intent, listed in by_intent.items()
            if intent not in asking and any("name" in one.slots for one in listed)
        ]
        valued = [intent for intent in commands if _find_ranges(lists[intent])]
        starts = _find_asking_starts(sentences, asking, commands)
        return cls(
            language=model.languages[0],
            combinations=by_intent,
            intents={one.id: (index, one) for index, one in enumerate(model.intents)},
            ranges=_find_ranges(sentences.find_lists()),
            ranges_of={intent: _find_ranges(listed) for intent, listed in lists.items()},
            units=sentences.summary.units,
            devices={str(one.value): one.context for one in _listed(sentences, "name")},
            areas=_places(sentences, "name", "area"),
            floors=_places(sentences, "area", "floor"),
            groups={element.id: element.groups for element in model.elements},
            wildcards={intent: _find_wildcards(listed) for intent, listed in lists.items()},
            joiners=frozenset((*_joiners(model.languages[0]), *(table.get("joiners") or ()))),
            openings=frozenset(table.get("opening") or ()),
            fillers=frozenset(table.get("fillers") or ()),
            additions=frozenset(table.get("additions") or ()),
            restrictions=load_qualifiers(model.languages[0], "restriction"),
            courtesies=frozenset(map(str.lower, sentences.collection.skip_words)),
            words=sentences.summary.words,
            asking_intents=asking,
            asking_words=_find_asking_words(sentences, asking, by_intent),
            asking_starts=starts,
            telling_words=starts.difference(*(sentences.summary.words[one] for one in valued)),
            increases=frozenset(table.get("increases") or ()),
            decreases=frozenset(table.get("decreases") or ()),
            changes=frozenset(_find_amount_changes(table)),
            refusals=cached_table("en", "home")["refusals"] | (table.get("refusals") or {}),
            directions=directions,
            directed_responses=find_directed_responses(sentences.collection, directions),
            pronouns=frozenset(reference_words(model.languages[0], "thing")),
            rejections=_compile_words(rejections),
            denials_negate=bool(table.get("denials_negate")),
            several=_compile_words(table.get("several") or (), bound=bound),
            everything=_compile_words(
                [*(table.get("everything") or ()), *(table.get("whole") or ())], bound=bound
            ),
            stop=_compile_words(table.get("stop") or (), bound=bound),
            here=_compile_words(table.get("here") or (), bound=bound),
            plural=_compile_words(table.get("plural") or (), end=bound),
            thanks=_compile_words(table.get("thanks") or (), bound=bound),
            again=_compile_words(
                sorted(table.get("again") or (), key=len, reverse=True), bound=bound
            ),
            another=_compile_words(table.get("another") or (), bound=bound),
            timer=next(iter(table.get("timer") or ()), ""),
            domains={intent: _find_domains(listed) for intent, listed in by_intent.items()},
            corrections=CorrectionFinder(model.languages[0]),
            senses=NumberSenses(model.languages[0], sentences.summary.units),
            not_numbers=frozenset(_find_counting_words(model.languages[0])),
        )

    def group_of(self, slot: str) -> frozenset[str]:
        """The groups of a slot."""
        return self.groups.get(slot, frozenset((slot,)))

    def may_remember(self, intent: str, held: RememberedEntity) -> bool:
        """Whether a remembered entity may fill its slot of an intent: the name of a device is no
        name for a timer, though both are in slots of the same name."""
        entity = held.entity
        return (entity.element in self.wildcards.get(intent, ())) == (ANY_WORDS in entity.marks)

    def find_intents(self, word: str) -> frozenset[str]:
        """The intents whose sentences have a word."""
        return frozenset(intent for intent, words in self.words.items() if word in words)

    def find_intents_by_parts(self, word: str) -> frozenset[str]:
        """The intents whose sentences have a word, or if none has it, its parts: "stell[e]"."""
        found = self.find_intents(word)
        return found or frozenset(
            intent for intent, words in self.words.items() if is_word_of(word, words)
        )

    def is_only_about(self, word: str, domains: frozenset[str]) -> bool:
        """Whether a word is said of things of these ``domains`` alone."""
        intents = self.find_intents(word)
        return bool(intents) and all(self.domains[one] == domains for one in intents)

    def is_thing(self, word: str) -> bool:
        """Whether a word names what is switched, which is also asked about: "lights"."""
        intents = self.find_intents(word)
        return not (intents.isdisjoint(INVERSE_INTENTS) or intents.isdisjoint(self.asking_intents))

    def is_verb(self, word: str) -> bool:
        """Whether a word is one of commands alone: "turn"."""
        intents = self.find_intents(word)
        return bool(intents) and intents.isdisjoint(self.asking_intents)

    @property
    def action_groups(self) -> frozenset[str]:
        """The groups of the element that remembers the intent."""
        return self.group_of(ACTION)


def is_word_of(word: str, words: frozenset[str]) -> bool:
    """Whether a word is one of some ``words``, or two of them in one: "stell[e]"."""
    return word in words or any(
        word[:end] in words and word[end:] in words for end in range(_MIN_STEM, len(word))
    )


def _compile_words(words: Sequence[str], bound: str = "", end: str = "") -> re.Pattern[str] | None:
    """A pattern for any of some words, between ``bound``, or before ``end``; None without any."""
    either = "|".join(map(re.escape, words))
    return re.compile(f"{bound}(?:{either}){bound or end}") if words else None


def _find_amount_changes(table: Mapping[str, Any]) -> Iterator[str]:
    for words in (table.get("more") or {}, table.get("less") or {}):
        for listed in words.values():
            yield from (word.lower() for word in listed if word.isalpha())
    for template in (table.get("half") or {}).get("words") or ():  # "half as bright" is not bright
        yield from _OPTIONAL.sub("", template).lower().split()[-1:]


def _find_counting_words(language: str) -> Iterator[str]:
    """The words that count things, but are no value: "none", "nothing", "a pair"."""
    counted = cached_table(language, "numbers").get("alone") or {}
    yield from load_qualifiers(language, "negation")
    for words in counted.values():
        yield from map(str.lower, words)


def _find_asking_words(
    sentences: HomeSentences,
    asking: frozenset[str],
    combinations: Mapping[str, Sequence[Combination]],
) -> frozenset[str]:
    """The words of sentences that ask for a state ("which"), but of no command about a thing."""
    words = sentences.summary.words
    commands = (
        intent
        for intent, listed in combinations.items()
        if intent not in asking and any("name" in one.slots for one in listed)
    )
    asked = (words[intent] for intent in asking)
    return frozenset().union(*asked).difference(*(words[intent] for intent in commands))


def _find_asking_starts(
    sentences: HomeSentences, asking: frozenset[str], commands: Collection[str]
) -> frozenset[str]:
    """The words that begin questions ("is"), but none of some ``commands``."""
    first = sentences.summary.first_words
    begun = frozenset().union(*(first.get(intent, ()) for intent in commands))
    return frozenset().union(*(first.get(intent, ()) for intent in asking)) - begun


def _find_directions(
    model: Model, combinations: Mapping[str, Sequence[Combination]]
) -> Iterator[str]:
    """The slots whose values, named or fixed by sentences, include up and down."""
    fixed: dict[str, set[str]] = {}
    for one in chain.from_iterable(combinations.values()):
        for slot, value in one.fixed.items():
            fixed.setdefault(slot, set()).add(str(value))
    for element in model.elements:
        named = {value.name for value in element.values}
        if {"up", "down"} <= named | fixed.get(element.id, set()):
            yield element.id


def _find_domains(combinations: Iterable[Combination]) -> frozenset[str]:
    """The domains of the devices that combinations name; none if one of them may have any."""
    found: set[str] = set()
    for one in combinations:
        rule = one.requires.get("domain")
        if "name" in one.slots and (rule is None or rule.values is None):
            return frozenset()
        if rule is not None and rule.values is not None:
            found.update(map(str, rule.values))
        if "domain" in one.fixed:
            found.add(str(one.fixed["domain"]))
    return frozenset(found)


def _find_ranges(lists: Mapping[str, list[SlotList]]) -> dict[str, Sequence[RangeList]]:
    """The ranges of numbers among the lists of each slot that has any."""
    ranges = {
        slot: [one for one in listed if isinstance(one, RangeList)]
        for slot, listed in lists.items()
    }
    return {slot: listed for slot, listed in ranges.items() if listed}


def _find_wildcards(lists: Mapping[str, list[SlotList]]) -> frozenset[str]:
    return frozenset(
        slot
        for slot, listed in lists.items()
        if listed and all(isinstance(one, WildcardList) for one in listed)
    )


def _listed(sentences: HomeSentences, slot: str) -> Sequence[TextValue]:
    listed = sentences.lists.get(slot)
    return listed.values if isinstance(listed, TextList) else ()


def _places(sentences: HomeSentences, slot: str, place: str) -> Mapping[str, str]:
    """The place of each value of a slot that is known to be in one."""
    return {
        str(one.value): str(one.metadata[place])
        for one in _listed(sentences, slot)
        if place in one.metadata
    }


def _joiners(language: str) -> Iterator[str]:
    """The words of a language that join what follows to what was said: "and", "also"."""
    for phrase in cached_table(language, "cues").get("joiners") or ():
        yield from re.findall(r"\w+", str(phrase).replace("_", " "))
