"""Match a question by the sentences of a model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, SentenceReading, Utterance
from anaphora.entities.sentences.entity_forms import load_excluding
from anaphora.entities.sentences.reader import ANY_WORDS, WITHOUT_SPACES
from anaphora.entities.sentences.repairs import ALL, EVERYTHING, OTHER
from anaphora.intents.decision.sentences.completion import Completion
from anaphora.intents.decision.sentences.continuation import (
    continue_last,
    continue_named,
    continue_with_number,
    continue_with_words,
)
from anaphora.intents.decision.sentences.fragments.follow_up import (
    complete_fragment,
    complete_value,
)
from anaphora.intents.decision.sentences.fragments.fragment import (
    NO_VALUES,
    denies_noun,
    find_linking_words,
    says_only,
    without_corrected,
)
from anaphora.intents.decision.sentences.history.answers import find_accepted_rest, says_yes
from anaphora.intents.decision.sentences.history.not_understood import refuse_older
from anaphora.intents.decision.sentences.history.recording import build_action
from anaphora.intents.decision.sentences.history.rest import (
    Task,
    complete_rest,
    note_tasks,
)
from anaphora.intents.decision.sentences.history.rooms import (
    complete_here,
    fill_here,
    keep_memory,
    leaves_place,
    move_to_room,
    name_here,
)
from anaphora.intents.decision.sentences.history.undo import complete_undo
from anaphora.intents.decision.sentences.refusals import (
    find_refusal,
    refuse_stopping,
    refuse_value,
)
from anaphora.intents.decision.sentences.repetition.lists import complete_list, set_for_both
from anaphora.intents.decision.sentences.repetition.other_devices import (
    complete_all,
    complete_by_part_of_name,
    complete_other,
    set_by_part_of_name,
)
from anaphora.intents.decision.sentences.repetition.several import (
    complete_both,
    complete_kind,
    complete_plural,
    complete_several,
    keep_place_of_all,
)
from anaphora.intents.decision.sentences.repetition.wildcards import complete_wildcard, plays_thing
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    NUMBER,
    PLACES,
    STATE,
    TARGETS,
    find_devices,
    find_last_domains,
    find_last_used,
)
from anaphora.intents.decision.sentences.steps import (
    complete_step,
    direct_response,
    find_amount,
    find_quality,
    names_no_quality,
    step_here,
)
from anaphora.intents.decision.sentences.whole_sentence import complete_sentence
from anaphora.intents.match import Candidate, ContentWords, Match, SlotFilling, TermMatch
from anaphora.intents.ranking import rank_match
from anaphora.intents.solver import ParsedQuestion
from anaphora.models.hassil import elements
from anaphora.models.hassil.elements import ACTION
from anaphora.models.hassil.inverse_intents import (
    INCREASING_INTENTS,
    INVERSE_INTENTS,
    TIMER_INTENTS,
)
from anaphora.stm.conversation import Conversation

__all__ = ["SentenceAnswer", "match_fragment", "match_sentence"]

_REFERRING = frozenset((elements.UNDO, elements.OTHER, elements.ALL, elements.REMAINING))
"""The intents about what was meant last, in whatever room."""

_MOVING = frozenset(("cover", "lawn_mower", "vacuum", "valve"))  # domains


_ASKED = re.compile(r"[?？؟]\s*$")


class SentenceAnswer(NamedTuple):
    """The match of a question, if there is one; else the reason why its command is impossible, for
    the user ('' if it is no command about the last one)."""

    match: Match | None
    refusal: str = ""


def match_sentence(
    model: SentenceIntents, question: ParsedQuestion, conversation: Conversation
) -> SentenceAnswer:
    """The match of the best whole sentence that needs nothing else, or finds it in the memory."""
    refusal = ""
    room = _find_room(question)
    moved = move_to_room(model, conversation, room)
    accepted = find_accepted_rest(model, question.utterance, conversation)
    for reading in fill_here(model, question.utterance, room):
        if reading.elliptical or reading.quantity:
            continue
        if accepted and reading.references:  # "yes, open it" is about what is left to do
            if reading.intent == accepted.intent:
                return _answer(model, question, accepted, conversation)
            return SentenceAnswer(None, model.refusals["which"])
        refers = bool(reading.references) or reading.intent in _REFERRING
        own = conversation if refers else moved
        if (
            (reading.missing or leaves_place(model, reading, question.utterance))
            and own.flow
            and names_no_quality(model, question.utterance, reading, own)
        ):
            continue  # *plus haut* is no volume after a question for a temperature
        if plays_thing(model, question.utterance, reading):
            refusal = refusal or model.refusals["which"]
            continue
        completion = continue_named(model, reading, own, room) if own.flow else None
        if completion is not None:
            pass
        elif reading.is_bare and _is_about_another_kind(model, question, reading, own):
            completion = _complete_elliptical(model, question.utterance, own)
            if completion is None:
                refusal = refusal or model.refusals["which"]
                continue
        elif reading.missing:
            completion = _continue_elliptical(
                model, question.utterance, reading, own
            ) or continue_with_words(model, question, reading, own)
        elif reading.names_only and own.flow:
            completion = _complete_name(model, question, own)
            if completion is None and find_linking_words(model, question.utterance):
                refusal = refusal or model.refusals["which"]
                continue  # "also the tv" after a blind was closed turns nothing on
        elif reading.value_only and own.flow:
            completion = _complete_fragment(model, question, own)
        elif own.flow and leaves_place(model, reading, question.utterance):
            completion = (
                (_change_timer(model, question, own) if reading.is_bare else None)
                or continue_with_words(model, question, reading, own)
                or continue_with_number(model, question, reading, own)
                or continue_last(model, question.utterance, reading, own)
            )
        elif reading.references or _is_undone_otherwise(reading, own):
            completion = _change_timer(model, question, own)
        if reading.intent == elements.SET:
            completion = complete_value(model, question.utterance, reading, own)
        elif completion is None:
            completion = (
                _complete_plural(model, question.utterance, reading, own)
                or _complete(model, reading, own)
                or step_here(model, own, reading, room)
            )
            if completion is None and reading.references == {NAME} and not reading.entities:
                completion = complete_kind(model, own, reading)
        if completion is not None and reading.rest:
            tasks = note_tasks(_find_following(reading))
            completion = completion._replace(meta={**completion.meta, **tasks})
        if completion is not None:
            return _answer(model, question, completion, conversation)
        refusal = refusal or find_refusal(model, reading, own)
    return SentenceAnswer(None, refusal)


def _find_room(question: ParsedQuestion) -> str:
    """The area of the satellite that a question comes from; '' if it is not known."""
    return str(question.question_context.request.data.get("area") or "")


def _find_following(reading: SentenceReading) -> Iterable[Task]:
    """The commands for the other things that a sentence is about."""
    words = reading.rest
    for one in reading.following:
        if one.needs_memory:
            yield Task(words)
        else:
            yield Task(words, one.intent, one.entities)
        words = one.rest


def match_fragment(
    model: SentenceIntents, question: ParsedQuestion, conversation: Conversation
) -> SentenceAnswer:
    """The match of the best completion of what is no whole sentence."""
    room = _find_room(question)
    corrected = without_corrected(model, question)
    if corrected is None:
        return SentenceAnswer(None, model.refusals["which"])
    if _denies_thing(model, question.utterance):
        return SentenceAnswer(None, model.refusals["which"])
    if _asks_for_state(model, question.utterance):
        found = complete_fragment(model, question.utterance, question.variants, conversation)
        if found is None or found.intent not in model.asking_intents:
            return SentenceAnswer(None)
        return _answer(model, question, found, conversation)
    written, question = corrected, name_here(model, corrected, room)
    utterance = question.utterance
    text = utterance.text.lower()
    stops = bool(model.stop and model.stop.search(text))
    quantified = [
        one
        for one in utterance.sentences
        if one.quantity and not (stops and one.quantity == EVERYTHING)  # not only the mower
    ]
    refers = any(one.lower in model.pronouns for one in utterance.tokens)
    if not conversation.flow and not refers:  # nothing was meant before: "all" is everything
        quantified = [
            replace(one, quantity=EVERYTHING) if one.elliptical and one.quantity == ALL else one
            for one in quantified
        ]
    is_about_several = bool(model.several and model.several.search(text))
    accepted = find_accepted_rest(model, utterance, conversation)
    if accepted is not None and says_yes(model, utterance):
        return _answer(model, question, accepted, conversation)
    if quantified or (conversation.flow and is_about_several):
        completion = complete_several(model, conversation, quantified)
        if completion is None and refers:
            completion = _complete_group(model, quantified, conversation)
        if not quantified and says_only(model, utterance, model.several):
            completion = complete_both(model, conversation)
        if completion is None and is_about_several:
            completion = set_for_both(model, utterance, question.variants, conversation)
        if completion is None:
            is_other = any(one.quantity == OTHER for one in quantified)
            return SentenceAnswer(None, model.refusals["which" if is_other else "all"])
        return _answer(model, question, completion, conversation)
    if not refers and question is written:
        own = move_to_room(model, conversation, room)
    else:
        own = conversation
    completion = (
        _switch_instead(model, utterance, own)
        or set_by_part_of_name(model, utterance, question.variants, own)
        or _complete_fragment(model, question, own)
        or complete_by_part_of_name(model, utterance, own)
        or _complete_elliptical(model, utterance, own)
        or complete_wildcard(model, utterance, own)
    )
    is_about_all = bool(model.everything and model.everything.search(text))
    is_unclear = is_about_all and completion and _is_about_device(completion)
    if is_about_all and _excludes(model, utterance):
        is_unclear = True
    if completion is not None and not is_unclear:
        completion = keep_place_of_all(model, own, completion)
        return _answer(model, question, completion, conversation)
    names_kind = any(one.element in NO_VALUES for one in utterance.entities)
    is_refused = names_kind and (is_about_all or is_about_several)
    if is_refused:
        return SentenceAnswer(None, model.refusals["all"])
    if conversation.flow and says_only(model, utterance, model.here):
        return SentenceAnswer(None, model.refusals["which"])
    refusal = refuse_stopping(model, utterance, conversation)
    return SentenceAnswer(None, refusal or refuse_value(model, question, own))


def _asks_for_state(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance asks for or tells a state or a value of a thing that it names, which no
    sentence does: "is the tv on", "the tv is on"."""
    slots = {one.element for one in utterance.entities}
    says_state = not slots.isdisjoint((STATE, NUMBER)) and not slots.isdisjoint(TARGETS)
    first = next((one for one in utterance.tokens if one.lower not in model.openings), None)
    is_asked = first is not None and first.lower in model.asking_starts
    small = (one.lower for one in utterance.tokens if not one.is_content_word)
    is_told = bool(_ASKED.search(utterance.text)) or not model.telling_words.isdisjoint(small)
    return says_state and (is_asked or is_told)


def _denies_thing(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance begins with a word that negates a thing: "no radio"."""
    first, *others = utterance.tokens or (None,)
    if first is None or not others or first.index not in utterance.qualifiers:
        return False
    named = {min(one.tokens) for one in utterance.entities if one.exact and one.element in TARGETS}
    return others[0].index in named and denies_noun(model, utterance, others[0])


def _switch_instead(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation
) -> Completion | None:
    """The command of a mere state after a question: who hears that the oven is on and says "off"
    wants it off. None for a further question: "and off?"."""
    if not conversation.flow or conversation.flow[-1].intent not in model.asking_intents:
        return None
    states = [one for one in utterance.entities if one.element == STATE]
    if not says_only(model, utterance, None, states):
        return None
    if _ASKED.search(utterance.text) or utterance.tokens[0].lower in model.joiners:
        return None
    found = _complete_elliptical(model, utterance, conversation)
    return found if found is not None and found.intent not in model.asking_intents else None


def _complete_group(
    model: SentenceIntents, readings: Iterable[SentenceReading], conversation: Conversation
) -> Completion | None:
    """The command for all things that were meant together, such as the blinds in a room: "open them
    all"."""
    if any(one.entity.element == NAME for one in find_last_used(conversation)):
        return None
    found = (
        complete_sentence(model, one, conversation)
        for one in readings
        if one.elliptical and one.quantity == ALL
    )
    return next((one for one in found if one is not None), None)


def _excludes(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance leaves something out of all things: "turn off everything but the
    radio"."""
    excluding = load_excluding(model.language)
    return any(one.text.casefold() in excluding for one in utterance.tokens)


def _is_about_device(completion: Completion) -> bool:
    """Whether a completion is about one device that was not named, but meant before."""
    return any(one.remembered and one.entity.element == NAME for one in completion.candidates)


def _is_about_another_kind(
    model: SentenceIntents,
    question: ParsedQuestion,
    reading: SentenceReading,
    conversation: Conversation,
) -> bool:
    """Whether a command that does not say what it is about is for another kind of things than those
    that were meant last, though its words may be for these as well: "stop" after a blind pauses no
    music in its room."""
    if reading.references or reading.intent in model.asking_intents:
        return False
    wanted, last = model.domains.get(reading.intent), find_last_domains(model, conversation)
    is_stopped = bool(model.stop and model.stop.search(question.utterance.text.lower()))
    if not wanted or wanted & last or not (last & _MOVING or (last and is_stopped)):
        return False  # "next" after a lamp means the music
    return not any(
        model.is_only_about(one, wanted) for one in _find_words(model, question, reading)
    )


def _find_words(
    model: SentenceIntents, question: ParsedQuestion, reading: SentenceReading
) -> Iterable[str]:
    if model.language not in WITHOUT_SPACES:
        return (one.lower for one in question.utterance.tokens)
    text = question.utterance.text
    return (one for one in model.words[reading.intent] if one in text)


def _is_undone_otherwise(reading: SentenceReading, conversation: Conversation) -> bool:
    """Whether "cancel it" may mean the timer rather than the last command about it."""
    is_undo = reading.intent == elements.UNDO and bool(conversation.flow)
    return is_undo and conversation.flow[-1].intent not in INCREASING_INTENTS


def _change_timer(
    model: SentenceIntents, question: ParsedQuestion, conversation: Conversation
) -> Completion | None:
    """The command about the timer that was set last, to which "it" refers rather than to what was
    meant before: "make it 10", "cancel it". None if the question is none."""
    if not conversation.flow or conversation.flow[-1].intent not in TIMER_INTENTS:
        return None
    found = complete_fragment(
        model, question.utterance, question.variants, conversation
    ) or _complete_elliptical(model, question.utterance, conversation)
    return found if found is not None and found.intent in TIMER_INTENTS else None


def _complete(
    model: SentenceIntents, reading: SentenceReading, conversation: Conversation
) -> Completion | None:
    match reading.intent:
        case elements.UNDO:
            return complete_undo(model, conversation)
        case elements.DENIAL:
            return None  # nothing was meant yet
        case elements.MORE | elements.LESS:
            sign = 1 if reading.intent == elements.MORE else -1
            quality, amount = find_quality(reading), find_amount(reading)
            return complete_step(model, conversation, sign, quality, amount)
        case elements.OTHER:
            return complete_other(model, conversation)
        case elements.ALL:
            return complete_all(model, conversation) or complete_kind(model, conversation)
        case elements.REMAINING:
            return complete_rest(model, conversation)
    return complete_sentence(model, reading, conversation)


def _complete_plural(
    model: SentenceIntents,
    utterance: Utterance,
    reading: SentenceReading,
    conversation: Conversation,
) -> Completion | None:
    if reading.references != {NAME} or model.plural is None:
        return None
    if not model.plural.search(utterance.text.lower()):
        return None
    return complete_plural(model, conversation, reading)


def _complete_elliptical(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation
) -> Completion | None:
    """The sentence that lacks only its object, with what was meant last: "turn off"."""
    if not conversation.flow:
        return None
    readings = (one for one in utterance.sentences if one.elliptical and not one.quantity)
    found = (complete_sentence(model, one, conversation) for one in readings)
    return next((one for one in found if one is not None), None)


def _continue_elliptical(
    model: SentenceIntents,
    utterance: Utterance,
    reading: SentenceReading,
    conversation: Conversation,
) -> Completion | None:
    """The sentence without its object that repeats the last command or undoes it, or any such one
    instead of a ``reading`` with any words; None if there is none."""
    completion = _complete_elliptical(model, utterance, conversation)
    if completion is None or any(ANY_WORDS in one.marks for one in reading.entities):
        return completion
    last = conversation.flow[-1].intent
    return completion if completion.intent in (last, INVERSE_INTENTS.get(last)) else None


def _complete_fragment(
    model: SentenceIntents, question: ParsedQuestion, conversation: Conversation
) -> Completion | None:
    """The completion of an utterance that is no sentence. One for a whole kind of things, wherever
    they are, is for one device if that is all that has this name: "the lamp too"."""
    utterance = question.utterance
    found = complete_fragment(model, utterance, question.variants, conversation)
    if found is None:
        found = complete_list(model, utterance, question.variants, conversation)
    if found is not None:
        slots = {one.entity.element: one.entity for one in found.candidates}
    else:
        variants = question.variants[:1]
        slots = {one.element: one for variant in variants for one in variant.entities}
    domain = slots.get("domain")
    if domain is None or not slots.keys() <= {"domain", ACTION}:
        return found
    kind = domain.value_or_text
    one = complete_by_part_of_name(model, utterance, conversation, kind)
    here = _find_room(question)
    candidates = one.candidates if one is not None else ()
    names = [two.entity.value_or_text for two in candidates if two.entity.element == NAME]
    is_here = any(model.areas.get(name, here) == here for name in names)
    is_there = here and find_devices(model, {PLACES[0]: here, "domain": kind})
    if is_here or not is_there or not says_only(model, utterance, None, [domain]):
        return one or found
    return complete_here(model, conversation, domain, here) or one or found


def _complete_name(
    model: SentenceIntents, question: ParsedQuestion, conversation: Conversation
) -> Completion | None:
    """The command that the name of a thing goes on with: the last one, or after a word that links
    it to what was said ("and the radio") any earlier one."""
    found = _complete_fragment(model, question, conversation)
    is_linked = bool(find_linking_words(model, question.utterance))
    known = found is not None and found.intent == conversation.flow[-1].intent
    return found if is_linked or known else None


def _answer(
    model: SentenceIntents,
    question: ParsedQuestion,
    completion: Completion,
    conversation: Conversation,
) -> SentenceAnswer:
    completion = refuse_older(completion, conversation)
    if completion.refusal:
        text = model.refusals[completion.refusal]
        return SentenceAnswer(None, text.format(thing=completion.thing))
    completion = direct_response(model, keep_memory(completion, conversation))
    entities = [one.entity for one in completion.candidates]
    area = _find_room(question)
    action = build_action(model, question.utterance, completion, conversation, entities, area)
    return SentenceAnswer(_build_match(model, completion, action))


def _build_match(model: SentenceIntents, completion: Completion, action: Entity) -> Match:
    index, intent = model.intents[completion.intent]
    by_element = {one.entity.element: one for one in completion.candidates}
    by_element[ACTION] = Candidate(action)
    terms = []
    for term in intent.terms:
        elements: Iterable[str] = term.predicate.elements or ()
        taken = tuple(by_element[one] for one in elements if one in by_element)
        terms.append(TermMatch(term, taken, len(taken)))
    filling = SlotFilling(
        intent=intent,
        intent_index=index,
        variant=completion.variant,
        terms=tuple(terms),
        taken=tuple(one for term in terms for one in term.taken),
    )
    return Match(filling, rank_match(filling, ContentWords()))
