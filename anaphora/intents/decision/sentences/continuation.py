"""Go on with what was meant last, though what is said is also a sentence of its own: "blue" after
"the bedside lamp to 30 percent", said in a room with lights."""

from __future__ import annotations

from msgspec.structs import replace

from anaphora.core.utterance import SentenceReading, Utterance, Variant
from anaphora.entities.sentences.reader import ANY_WORDS
from anaphora.intents.decision.sentences.completion import Completion, build_candidates
from anaphora.intents.decision.sentences.fragments.follow_up import complete_fragment
from anaphora.intents.decision.sentences.fragments.fragment import find_other_words
from anaphora.intents.decision.sentences.history.commands import find_things
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    NUMBER,
    PLACES,
    TARGETS,
    find_combination,
    find_devices,
    find_last_domains,
    find_last_used,
    fits_device,
    property_of,
)
from anaphora.intents.decision.sentences.whole_sentence import complete_missing
from anaphora.intents.solver import ParsedQuestion
from anaphora.stm.conversation import Conversation

__all__ = ["continue_last", "continue_named", "continue_with_number", "continue_with_words"]


def continue_last(
    model: SentenceIntents,
    utterance: Utterance,
    reading: SentenceReading,
    conversation: Conversation,
) -> Completion | None:
    """A sentence that names nothing, for what was meant last rather than for the room of the
    speaker: "blue" after "the bedside lamp to 30 percent". None for any other, and if it is for
    another kind of things."""
    if not model.domains.get(reading.intent, frozenset()) & find_last_domains(model, conversation):
        return None
    said = tuple(one for one in reading.entities if one.end)
    others = (
        one.lower
        for one in utterance.tokens
        if one.is_content_word and not any(two.start <= one.start < two.end for two in said)
    )
    if any(map(model.is_thing, others)):
        return None
    found = complete_missing(model, replace(reading, entities=said), conversation)
    used = found.candidates if found is not None else ()
    if all(
        one.remembered is None or one.remembered.used_match < conversation.matches for one in used
    ):
        return None
    is_same = find_things([one.entity for one in used]) == find_things(reading.entities)
    return None if is_same else found


def continue_named(
    model: SentenceIntents, reading: SentenceReading, conversation: Conversation, room: str
) -> Completion | None:
    """A sentence about one thing of a kind, for the device that was meant last, which has the word
    in its name: "close the BLIND" after "the left blind". None if it names a place, or if there is
    such a thing in the ``room`` of the speaker, and the device is in another one."""
    last = find_last_used(conversation)
    device = next((one for one in last if one.entity.element == NAME), None)
    said = [one for one in reading.entities if one.end]
    kinds = {one.text.lower() for one in said if one.element in TARGETS}
    if device is None or any(one.element in (NAME, *PLACES) for one in said):
        return None
    name = device.entity.value_or_text
    domain = property_of(model, name, "domain")
    is_other = bool(room) and model.areas.get(name, room) != room
    if is_other and find_devices(model, {PLACES[0]: room, "domain": domain}):
        return None
    if kinds.isdisjoint(name.lower().split()) or not fits_device(model, reading, name):
        return None
    values = tuple(one for one in said if one.element not in TARGETS)
    combination = find_combination(model, reading.intent, [device.entity, *values])
    if combination is None:
        return None
    candidates = build_candidates(conversation, values, (device,))
    return Completion(reading.intent, Variant(()), candidates, combination.response)


def continue_with_words(
    model: SentenceIntents,
    question: ParsedQuestion,
    reading: SentenceReading,
    conversation: Conversation,
) -> Completion | None:
    """The follow-up that says no more than a value, instead of a ``reading`` with any words: the
    French "mets-le à 30" plays no music."""
    if not conversation.flow or not any(ANY_WORDS in one.marks for one in reading.entities):
        return None
    utterance = replace(question.utterance, understood=frozenset())
    said = next(one for one in reading.entities if ANY_WORDS in one.marks)
    if len(said.text.split()) > 1:  # *la à 40*, but not "play 40"
        utterance = _understand_verbs(model, utterance)
    variants = [
        one
        for one in question.variants
        if any(two.element == NUMBER for two in one.entities)
        and not find_other_words(model, utterance, one)
    ]
    return complete_fragment(model, utterance, variants, conversation)


def continue_with_number(
    model: SentenceIntents,
    question: ParsedQuestion,
    reading: SentenceReading,
    conversation: Conversation,
) -> Completion | None:
    """The follow-up that says a number and at most a verb ("set to 12"), instead of a ``reading``
    for the room of the speaker; None for any other."""
    utterance = _understand_verbs(model, question.utterance)
    variants = [
        one
        for one in question.variants
        if [two.element for two in one.entities] == [NUMBER]
        and not find_other_words(model, utterance, one)
    ]
    found = complete_fragment(model, utterance, variants, conversation)
    return found if found is not None and found.intent != reading.intent else None


def _understand_verbs(model: SentenceIntents, utterance: Utterance) -> Utterance:
    """The utterance in which only verbs of commands need no entity: they set what is meant."""
    verbs = (one.index for one in utterance.tokens if model.is_verb(one.lower))
    return replace(utterance, understood=frozenset(verbs))
