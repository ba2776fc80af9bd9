"""The smart-home work for adapt: a vocabulary of entities, and intents that require them.

As its skills do: a keyword for each action ("turn" and "on" are two, so that words may stand
between them), values registered as aliases of their canonical names. adapt has no stems, so
plurals and the other forms of verbs are registered, too.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

from benchmarks.peers.engines.answers import NO_ANSWER, Answer
from benchmarks.peers.smart_home.english import gerund, past, plural
from benchmarks.peers.smart_home.work import Intent, Verb, Work

with warnings.catch_warnings():
    # adapt reads the README.md of the folder that it is imported in, and leaves it open.
    warnings.simplefilter("ignore", ResourceWarning)
    from adapt.engine import IntentDeterminationEngine  # type: ignore[import-untyped]
    from adapt.intent import IntentBuilder  # type: ignore[import-untyped]

__all__ = ["AdaptHome"]

_IGNORED = "Ignored"  # the intent of texts that mention actions without requesting one
# In adapt's tokens, of which "don't" is two.
_TALK = ("do n't", "do not", "never", "why", "who", "when did", "when was")


class AdaptHome:
    """Answers with the best of the first ``readings`` interpretations of adapt."""

    def __init__(self, work: Work, *, readings: int = 1) -> None:
        self.name = "adapt" if readings == 1 else f"adapt ({readings} readings)"
        self._engine = IntentDeterminationEngine()
        self._readings = readings
        self._slots = {_slot(slot): slot for slot in work.lists()}
        self._types: dict[str, None] = {}  # of entities, in order
        for slot, values in work.lists().items():
            for value in values:
                texts = list(value.phrases)
                if slot == "name":
                    texts += map(plural, value.phrases)
                self._register(_slot(slot), texts, value.value)
        self._register("Talk", _TALK, "talk")
        ways = [(intent, needs) for intent in work.intents for needs in self._keywords(intent)]
        # Of two that say as much of a text the first wins. "On" comes last, alone and in
        # questions, and after "off", for it is also in "on the porch".
        for intent, needs in sorted(ways, key=lambda way: _turn(*way)):
            self._add(intent, needs)
        ignored = IntentBuilder(_IGNORED).require("Talk")
        for type in self._types:
            ignored.optionally(type)
        self._engine.register_intent_parser(ignored.build())

    def __call__(self, text: str) -> Answer:
        found = self._engine.determine_intent(text, num_results=self._readings)
        best: dict[str, Any] | None = max(found, key=itemgetter("confidence"), default=None)
        if best is None or best["intent_type"] == _IGNORED:
            return NO_ANSWER
        slots = {ours: best[theirs] for theirs, ours in self._slots.items() if best.get(theirs)}
        return Answer(best["intent_type"].partition(".")[0], slots)

    def _register(self, type: str, texts: Iterable[str], value: str) -> None:
        self._types[type] = None
        for text in dict.fromkeys(texts):
            # An alias of itself: without one adapt makes the type's own name a word, too.
            self._engine.register_entity(text, type, alias_of=value)

    def _add(self, intent: Intent, needs: tuple[str, ...]) -> None:
        """One parser for a device, optionally in an area, and one for an area alone."""
        option = (_slot(intent.option),) if intent.option else ()
        targets = [("name", "area")] if intent.kinds else []
        targets += [("area", "")] if intent.takes_area else []
        for required, optional in targets:
            builder = IntentBuilder(f"{intent.id}.{required}")
            for type in (*needs, *option, _slot(required)):
                builder.require(type)
            if optional:
                builder.optionally(_slot(optional))
            if not intent.needs_topic and intent.family == "setting":
                builder.optionally(_keyword(intent, "topic")).optionally("Set")
            if intent.family == "question" and intent.topics:
                builder.optionally("Is")
            self._engine.register_intent_parser(builder.build())

    def _keywords(self, intent: Intent) -> Iterator[tuple[str, ...]]:
        """The required word types, for each way to ask for the intent."""
        if intent.topics:
            self._register(_keyword(intent, "topic"), intent.topics, intent.topics[0])
        if intent.family == "setting":
            for verb in intent.verbs:
                self._register("Set", _forms(verb), "set")
            yield (_keyword(intent, "topic"),) if intent.needs_topic else ()
        elif intent.family == "question":
            if intent.states:
                self._register("Is", ("is", "are", "isn't", "aren't"), "is")
                self._register(_keyword(intent, "state"), intent.states, intent.states[0])
                yield "Is", _keyword(intent, "state")
            if intent.topics:
                yield (_keyword(intent, "topic"),)
        else:
            yield from self._of_verbs(intent)
        if intent.family == "request":
            yield ()

    def _of_verbs(self, intent: Intent) -> Iterator[tuple[str, ...]]:
        particles = dict.fromkeys(verb.particle for verb in intent.verbs)
        for particle in particles:
            verbs = [verb for verb in intent.verbs if verb.particle == particle]
            for verb in verbs:
                self._register(_keyword(intent, particle), _forms(verb), verb.word)
            if not particle:
                yield (_keyword(intent, ""),)
                continue
            self._register(_particle(particle), [particle], particle)
            yield _keyword(intent, particle), _particle(particle)
            if particle in ("on", "off"):
                yield (_particle(particle),)


def _turn(intent: Intent, needs: tuple[str, ...]) -> int:
    if len(needs) < 2 and needs in [(_particle("off"),), (_particle("on"),)]:
        return 3
    if "on" in intent.states:
        return 2
    return _particle("on") in needs


def _forms(verb: Verb) -> tuple[str, ...]:
    return tuple(dict.fromkeys((verb.word, gerund(verb.word), past(verb.word))))


def _slot(name: str) -> str:
    return f"{name.title()}Value"


def _keyword(intent: Intent, what: str) -> str:
    return f"{intent.id}{what.title()}Keyword"


def _particle(particle: str) -> str:
    return f"{particle.title()}Particle"
