"""The smart-home work as a model of Anaphora: elements with values, one intent per action.

Stems do what the others need plurals and verb forms for (but for a few, which are listed: "sent",
"tvs"); sparse elements find "turn the lamp on".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count
from typing import Any

import yaml
from Stemmer import Stemmer

from anaphora import Engine, Model, parse_model
from benchmarks.peers.engines.answers import NO_ANSWER, Answer
from benchmarks.peers.smart_home.english import past, plural
from benchmarks.peers.smart_home.work import Intent, Value, Work

__all__ = ["AnaphoraHome", "model_of"]

_STEMMER = Stemmer("english")
_IGNORED = "ignored"  # the intent of texts that mention actions without requesting one
_BARE = ("on", "off")
_NOTHING_ELSE = "options={'unused_free_words': false}"
_NOTHING_AT_ALL = "options={'unused_free_words': false, 'unused_entities': false}"
_TALK_OF_ACTIONS = (
    f"intent={_IGNORED} term={{# == 'talk'}} term={{has(ent_groups, 'action')}}[0,3] "
    "term={# == 'name'}? term={# == 'area'}?"
)
_TALK = ["{do|does|did} {not|n't}", "never", "why", "who", "when {did|was}"]


class AnaphoraHome:
    """Answers each text as the first one of a user of its own, unless a ``user`` is given, whose
    conversation then goes on and on."""

    def __init__(self, work: Work, *, user: str = "") -> None:
        self.name = "anaphora" if not user else "anaphora (one conversation)"
        self._engine = Engine(model_of(work))
        self._user = user
        self._users = count()

    def __call__(self, text: str) -> Answer:
        reply = self._engine.ask(text, user=self._user or str(next(self._users)))
        if reply.status != "matched" or reply.intent == _IGNORED:
            return NO_ANSWER
        assert reply.intent is not None
        slots = {name: str(slot.value) for name, slot in reply.slots.items() if slot.value}
        return Answer(reply.intent.partition("-")[0], slots)


def model_of(work: Work) -> Model:
    """The model, through the loader, as from a file."""
    return parse_model(yaml.safe_dump(_document(work), sort_keys=False, width=1_000))


def _document(work: Work) -> dict[str, Any]:
    values = [
        _element(slot, values={value.value: _others(slot, value) for value in values})
        for slot, values in work.lists().items()
    ]
    words = [
        _element("talk", synonyms=_TALK),
        *(_element(verb, synonyms=[verb], groups=["action"]) for verb in _verbs_of_settings(work)),
        _element("what", synonyms=["what {is|are}", "how {is|are|about}"]),
        *(_element(word, synonyms=[word]) for word in _BARE),
    ]
    # Of two that say as much of a text the first wins: "is … on" is also in "is the door on the
    # porch locked".
    intents = sorted(work.intents, key=lambda intent: "on" in intent.states)
    return {
        "id": "home",
        "elements": [*values, *words, *chain.from_iterable(map(_elements, work.intents))],
        "intents": [*chain.from_iterable(map(_intents, intents)), _TALK_OF_ACTIONS],
    }


def _element(id: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "id_synonym": False, **more}


def _others(slot: str, value: Value) -> list[str]:
    phrases = [
        phrase
        for each in value.phrases
        for phrase in (_with_strangers(each, plural(each)) if slot == "name" else [each])
    ]
    return phrases[1:]


def _verbs_of_settings(work: Work) -> list[str]:
    verbs = (verb for intent in work.intents if intent.family == "setting" for verb in intent.verbs)
    return list(dict.fromkeys(verb.text for verb in verbs))


def _elements(intent: Intent) -> Iterator[dict[str, Any]]:
    """What is said of an intent beside the values of its slots. It replaces what another intent has
    left in memory."""
    if intent.verbs and intent.family != "setting":
        verbs = (
            _with_strangers(verb.text, f"{past(verb.word)} {verb.particle}".strip())
            for verb in intent.verbs
        )
        synonyms = list(chain.from_iterable(verbs))
        yield _element(
            intent.id,
            synonyms=synonyms,
            groups=["action"],
            sparse=any(verb.particle for verb in intent.verbs),
        )
    if intent.states:
        states = [f"{{is|are}} {state}" for state in intent.states]
        yield _element(intent.id, synonyms=states, groups=["action"], sparse=True)
    if intent.topics:
        yield _element(_topic(intent), synonyms=list(intent.topics), groups=["action"])


def _with_strangers(text: str, other: str) -> list[str]:
    """A text, and a form of it whose stem is another one, if it is: "sent", "tvs"."""
    return [text] if _stems(text) == _stems(other) else [text, other]


def _stems(text: str) -> list[str]:
    return [str(stem) for stem in _STEMMER.stemWords(text.split())]


def _intents(intent: Intent) -> Iterator[str]:
    """For a device, perhaps in an area, and for an area alone. Where the verb is left out ("lamp
    on", "kitchen lamp red"), nothing else may be said."""
    name, area = "term(name)~{# == 'name'}", "term(area)~{# == 'area'}"
    if intent.states:
        # The state comes last: "there is a spider on the camera" asks for none.
        state = f"term={{# == '{intent.id}'}}"
        for number, terms in enumerate([(f"{area}?", name, state), (name, area, state)]):
            yield f"intent={intent.id}-{number} options={{'ordered': true}} {' '.join(terms)}"
        return
    targets = [f"{name} {area}?"] if intent.kinds else []
    targets += [area] if intent.takes_area else []
    option = f" term({intent.option})~{{# == '{intent.option}'}}" if intent.option else ""
    for number, target in enumerate(targets):
        for way, (options, action) in enumerate(_ways(intent)):
            yield f"intent={intent.id}-{number}-{way} {options} {action}{option} {target}"


def _ways(intent: Intent) -> Iterator[tuple[str, str]]:
    """The options of an intent, and the terms for its action."""
    topic = _topic(intent)
    if intent.family == "setting":
        is_verb = " || ".join(f"# == '{verb.text}'" for verb in intent.verbs)
        if intent.needs_topic:
            yield "", f"term~{{# == '{topic}'}} term={{{is_verb}}}?"
        else:
            yield "", f"term~{{{is_verb} || # == '{topic}'}}[1,2]"
            yield _NOTHING_ELSE, ""
        return
    if intent.family != "question":
        yield "", f"term~{{# == '{intent.id}'}}"
    elif intent.topics:
        yield "", f"term~{{# == '{topic}'}} term={{# == 'what'}}?"
    if intent.family == "request":
        yield _NOTHING_ELSE, ""
    for verb in intent.verbs:
        if verb.particle in _BARE and intent.family == "command":
            yield _NOTHING_AT_ALL, f"term={{# == '{verb.particle}'}}"
            return


def _topic(intent: Intent) -> str:
    return f"{intent.id}_topic"
