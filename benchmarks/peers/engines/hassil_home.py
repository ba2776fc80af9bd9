"""The smart-home work in the language of hassil: sentence templates over lists.

It uses the usual means of such files: optional words, several word orders, expansion rules for
recurring parts, skip words for fillers. Lists hold plain texts including plurals, because texts are
indexed, while templates in a list (``lamp[s]``) are tried one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from hassil import Intents, recognize, recognize_best
from hassil.recognize import RecognizeResult

from benchmarks.peers.engines.answers import NO_ANSWER, Answer
from benchmarks.peers.smart_home.english import gerund, past, plural
from benchmarks.peers.smart_home.work import Intent, Work

__all__ = ["HassilHome", "document"]

_RULES = {
    "the": "(the|my|our|all [the|my|our]|a|an|some)",
    "in": "(in|on|at|of|inside|from)",
    "name": "[<the>] {name}",
    "area": "[<the>] {area}",
    "in_area": "<in> <area>",
    "all": "(everything|all)",
    # A device, perhaps somewhere; all that is somewhere.
    "device": "(<name> [[<in>] <area>]|<area> {name})",
    "whole": "[<all> <in>] <area>",
    "is": "(is|are)",
    "know": "(tell me|check|know|i (want|would like) to know)",
    "mind": "(mind|how about|thanks for)",
    "want": "(i (want|need|would like) [to have]|i'd like [to have]|get|have)",
}
# Dropped at any position, longer ones first.
_SKIP_WORDS = (
    *("please", "kindly", "thanks", "thank you", "for me", "just"),
    *("can you", "could you", "will you", "would you", "do you"),
    *("i want you to", "i need you to", "i would like you to", "i'd like you to"),
    *("do me a favour and", "be so kind as to", "if it is no trouble", "if you don't mind"),
    *("uh", "um", "er", "hmm", "oh", "well", "ok", "okay", "hey", "so", "alright", "listen"),
    *("you know", "you know what", "right now", "now", "quickly", "at once", "immediately"),
    *("again", "for a while", "as soon as you can", "as soon as possible", "when you can"),
)


class HassilHome:
    """Answers by ``recognize``, which takes the first match, or by ``recognize_best``."""

    def __init__(self, work: Work, *, find: Literal["first", "best"] = "first") -> None:
        self.name = "hassil" if find == "first" else f"hassil ({find})"
        self._intents = Intents.from_dict(document(work))
        self._recognize: Callable[[str, Intents], RecognizeResult | None] = (
            recognize_best if find == "best" else recognize
        )

    def __call__(self, text: str) -> Answer:
        result = self._recognize(text, self._intents)
        if result is None:
            return NO_ANSWER
        slots = {name: str(entity.value) for name, entity in result.entities.items()}
        return Answer(result.intent.name, slots)


def document(work: Work) -> dict[str, Any]:
    """The data that a user would write as a YAML file."""
    lists = {
        slot: {
            "values": [
                {"in": text, "out": value.value}
                for value in values
                for phrase in value.phrases
                for text in dict.fromkeys([phrase, plural(phrase)] if slot == "name" else [phrase])
            ]
        }
        for slot, values in work.lists().items()
    }
    return {
        "language": "en",
        "intents": {
            intent.id: {"data": [{"sentences": list(dict.fromkeys(_sentences(intent)))}]}
            for intent in work.intents
        },
        "lists": lists,
        "expansion_rules": _RULES,
        "skip_words": list(_SKIP_WORDS),
    }


def _sentences(intent: Intent) -> Iterator[str]:
    """Plain sentences first, then those that begin with the place or the object."""
    of = _FAMILIES[intent.family]
    if intent.kinds:
        yield from of(intent, "<device>")
        yield from (f"<in_area> {sentence}" for sentence in of(intent, "<name>"))
    if intent.takes_area:
        yield from of(intent, "<whole>")
    if intent.family == "question":
        return
    if intent.kinds:
        yield from (f"<device> {sentence}" for sentence in of(intent, "(it|them)"))
    if intent.takes_area:
        yield from (f"<in_area> {sentence}" for sentence in of(intent, "<all>"))


def _commands(intent: Intent, thing: str) -> Iterator[str]:
    for particle in dict.fromkeys(verb.particle for verb in intent.verbs):
        words = [verb.word for verb in intent.verbs if verb.particle == particle]
        for verb in (_any(words), f"<mind> {_any(map(gerund, words))}"):
            yield f"{verb} {particle} {thing}"
            if particle:
                yield f"{verb} {thing} {particle}"
            if particle and thing == "<device>":
                yield f"{verb} <name> {particle} <in_area>"
        yield f"<want> {thing} {_any(map(past, words))} {particle}"
        if particle in ("on", "off"):
            yield f"{thing} {particle}"


def _settings(intent: Intent, thing: str) -> Iterator[str]:
    option, topic = f"{{{intent.option}}}", _any(intent.topics)
    words = [verb.word for verb in intent.verbs]
    for verb in (_any(words), f"<mind> {_any(map(gerund, words))}"):
        yield f"{verb} [<the>] {topic} <in> {thing} [to] {option}"
        yield f"{verb} {thing} [to] {option} {topic}"
        if not intent.needs_topic:
            yield f"{verb} {thing} [to] {option}"
    with_topic = f"with <the> {topic}" if intent.needs_topic else f"[with <the> {topic}]"
    yield f"<want> {thing} {with_topic} {_any(map(past, words))} [to] {option}"
    yield f"{thing} {topic} {option}" if intent.needs_topic else f"{thing} [{topic}] {option}"


def _requests(intent: Intent, thing: str) -> Iterator[str]:
    option = f"[<the>] {{{intent.option}}}"
    where = f"<in> {thing}" if thing in ("<whole>", "<all>") else f"{intent.link} {thing}"
    for verb in intent.verbs:
        yield f"{verb.text} {option} {where}"
        yield f"<mind> {gerund(verb.word)} {verb.particle} {option} {where}"
    yield f"{option} {where}"


def _questions(intent: Intent, thing: str) -> Iterator[str]:
    if intent.states:
        state = _any(intent.states)
        yield f"<is> {thing} {state}"
        yield f"<know> (if|whether) {thing} <is> {state}"
        if thing == "<device>":
            yield f"<is> <name> {state} <in_area>"
    if intent.topics:
        what = "[(what is|what's|what are|how is|how about|<know>)]"
        yield f"{what} [<the>] {_any(intent.topics)} [<in>] {thing}"
        yield f"{what} {thing} {_any(intent.topics)}"


def _any(words: Iterable[str]) -> str:
    return f"({'|'.join(words)})"


_FAMILIES: dict[str, Callable[[Intent, str], Iterator[str]]] = {
    "command": _commands,
    "setting": _settings,
    "request": _requests,
    "question": _questions,
}
