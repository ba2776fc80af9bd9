"""Fill a slot that takes any words again: "and eggs" after "add milk to the list", and take off
what was added: "remove the eggs"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import dropwhile
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import SentenceReading, Token, Utterance, Variant
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.sentences.reader import ANY_WORDS
from anaphora.intents.decision.sentences.completion import (
    Completion,
    build_candidates,
    fill_combination,
)
from anaphora.intents.decision.sentences.fragments.fragment import denies_noun
from anaphora.intents.decision.sentences.fragments.name_words import is_in_name
from anaphora.intents.decision.sentences.history.commands import find_commands
from anaphora.intents.decision.sentences.history.not_understood import says_nothing_new
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import NAME, NUMBER, build_entity, find_last_used
from anaphora.models.hassil.inverse_intents import (
    INCREASING_INTENTS,
    REMOVING_INTENTS,
    TIMER_INTENTS,
)
from anaphora.stm.conversation import Conversation

__all__ = ["complete_wildcard", "plays_thing"]

_PLAYERS = frozenset(("media_player",))
_WORD = re.compile(r"\w+")
_MAX_WORDS = 6
_CUES = frozenset(("instead", "correct", "filler"))
_CALLING_OFF = frozenset(("cancel", "decline", "none"))
_CORRECTING = frozenset(("instead", "correct", "negate"))


def complete_wildcard(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation
) -> Completion | None:
    """Complete "and eggs" or "eggs too" after "add milk to the list", and "remove the eggs": any
    words may fill a slot that any words filled in the last question."""
    if not conversation.flow or any(one.element != NUMBER for one in utterance.entities):
        return None
    last = conversation.flow[-1].intent
    verbs = _find_verbs(model, last)
    found = _find_words(model, utterance, verbs)
    if found is None:
        return None
    intent = verbs.get(found.verb, last)
    if _is_number(utterance, found) or _calls_off(model, utterance, found):
        return None
    words = utterance.text[found.start : found.end]
    if intent in TIMER_INTENTS:
        words = _find_known_timer(conversation, words)
        if not words or intent in INCREASING_INTENTS:
            return None  # "and a pasta timer for 8 minutes" is no name
    used = find_last_used(conversation)
    for held in used:
        slot = held.entity.element
        if ANY_WORDS not in held.entity.marks:
            continue
        said = replace(build_entity(model, slot, words), text=words, marks=held.entity.marks)
        memory = {one.entity.element: one for one in used if one.entity.element != slot}
        for combination in model.combinations.get(intent, ()):
            filled = fill_combination(model, combination, {slot: said}, memory)
            if filled is not None:
                candidates = build_candidates(conversation, filled.sentence, filled.memory)
                return Completion(combination.intent, Variant(()), candidates, combination.response)
    return None


def plays_thing(model: SentenceIntents, utterance: Utterance, reading: SentenceReading) -> bool:
    """Whether any words that something is to be played by are those for a thing, which a sentence
    about music alone takes (the Russian *включи лампу*), or for a value of one (*le volume à
    20*)."""
    said = [one for one in reading.entities if one.end]
    is_of_player = model.domains.get(reading.intent) == _PLAYERS
    if len(said) != 1 or not is_of_player or ANY_WORDS not in said[0].marks:
        return False
    start, end = said[0].start, said[0].end
    utterance = replace(utterance, understood=frozenset())
    words = [
        one.lower
        for one in (utterance.tokens[index] for index in utterance.content_words)
        if one.start >= start and one.end <= end
    ]
    named = [one for one in words if not one.isdigit()]
    has_number = len(named) < len(words)
    return bool(named) and all(
        model.is_thing(one) or is_in_name(model, one) or (has_number and model.is_verb(one))
        for one in named
    )


def _find_known_timer(conversation: Conversation, words: str) -> str:
    """The name of the timer of an earlier command that some ``words`` have; '' if they have that of
    none, or of more than one, or a number, which a new timer takes."""
    said = _WORD.findall(words.casefold())
    known = {
        packed[0]
        for command in find_commands(conversation)
        if command["intent"] in TIMER_INTENTS and (packed := command["slots"].get(NAME))
    }
    named = [one for one in known if set(_WORD.findall(one.casefold())) <= set(said)]
    is_timed = any(any(map(str.isdigit, one)) for one in said)
    return named[0] if len(named) == 1 and not is_timed else ""


def _is_number(utterance: Utterance, words: _Words) -> bool:
    """Whether words are a number, maybe with a preposition before it: "in 10"."""
    numbers = {index for one in utterance.entities for index in one.tokens}
    return bool(numbers) and numbers.issuperset(
        one.index
        for one in utterance.tokens
        if words.start <= one.start < words.end and one.is_content_word
    )


def _calls_off(model: SentenceIntents, utterance: Utterance, words: _Words) -> bool:
    """Whether words call something off: "actually CANCEL"."""
    atoms, found = load_cue_words(model.language).read(utterance.text[words.start : words.end])
    return any(
        one.reading.kind in _CALLING_OFF and one.first == 0 and one.last == len(atoms)
        for one in found
    )


def _find_verbs(model: SentenceIntents, last: str) -> Mapping[str, str]:
    """The intents by the words that only one of two has, of which the ``last`` adds an item to a
    list and the other takes it off, or the other way round. Empty for any other intent."""
    for adding, removing in REMOVING_INTENTS.items():
        if last in (adding, removing) and removing in model.combinations:
            added, removed = model.words[adding], model.words[removing]
            verbs = dict.fromkeys((removed | model.decreases) - added, removing)
            return verbs | dict.fromkeys(added - removed, adding)
    return {}


class _Words(NamedTuple):
    """The offsets of words, and the ``verb`` before them ('' if there is none)."""

    start: int
    end: int
    verb: str


def _find_words(
    model: SentenceIntents, utterance: Utterance, verbs: Collection[str]
) -> _Words | None:
    """The words between those that link them to the last question or, being ``verbs``, say what to
    do with them; None if there are no such words, or too many others."""
    tokens = [one for one in utterance.tokens if any(map(str.isalnum, one.text))]
    links = model.joiners | model.openings | model.additions
    cues = dict(_find_cues(model, utterance))
    linking = {index for index, links_it in cues.items() if links_it}
    linking.update(one.index for one in tokens if one.lower in links)
    left_out = linking | cues.keys()
    inner = list(dropwhile(lambda one: one.index in left_out, tokens))
    first = tokens[: len(tokens) - len(inner) + 1]
    said = (one.lower for one in first if one.is_content_word and one.lower not in links)
    verb = next((one for one in said if one in verbs), "")
    if verb:
        left_out |= {one.index for one in tokens if one.lower in verbs}
        inner = list(dropwhile(lambda one: one.index in left_out, inner))
    if verbs:  # "the bread" is bread on a list
        inner = list(dropwhile(lambda one: not one.is_content_word, inner))
    while inner and (inner[-1].index in left_out or inner[-1].lower in model.courtesies):
        inner.pop()
    is_linked = bool(verb) or any(one.index in linking for one in tokens if one not in inner)
    if not inner or not is_linked or len(inner) > _MAX_WORDS:
        return None
    if inner[0].index in utterance.qualifiers:
        return None  # "no, not butter" adds nothing
    if says_nothing_new(model, utterance) or denies_noun(model, utterance, inner[0]):
        return None
    if _corrects_item(model, utterance, inner[0], inner[-1]):
        return None
    return _Words(inner[0].start, inner[-1].end, verb)


def _corrects_item(model: SentenceIntents, utterance: Utterance, first: Token, last: Token) -> bool:
    """Whether words from the ``first`` to the ``last`` put one thing in place of another: "butter
    INSTEAD OF bread"."""
    atoms, found = load_cue_words(model.language).read(utterance.text)
    return any(
        one.reading.kind in _CORRECTING and first.start < atoms[one.first].start < last.end
        for one in found
    )


def _find_cues(model: SentenceIntents, utterance: Utterance) -> Iterator[tuple[int, bool]]:
    """The indexes of the tokens of cues, each with whether it links what is said to the last
    question: "actually", "instead", "add". Others are fillers."""
    atoms, found = load_cue_words(model.language).read(utterance.text)
    for match in found:
        kind, first = match.reading.kind, atoms[match.first]
        # "add", but not "extra"
        is_verb = kind == "add" and bool(model.find_intents(first.text))
        if not is_verb and (kind not in _CUES or match.reading.side == "around"):
            continue
        start, end = first.start, atoms[match.last - 1].end
        for token in utterance.tokens:
            if start <= token.start and token.end <= end:
                yield token.index, kind != "filler"
