"""Complete what is no whole sentence by what was said before.

"Turn on the lights in the kitchen" is a whole sentence: an intent, an area and a domain. "And in
the bedroom?" names one slot; the others come from the memory, if together they are a combination
that the sentences of some intent have. The intent is the last one, or an earlier one if the last
one has no such slots; a value ("20 percent") may lead to any intent that takes it from what is
remembered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, SentenceReading, Utterance, Variant
from anaphora.entities.sentences.reader import ANY_WORDS
from anaphora.intents.decision.sentences.completion import (
    Completion,
    Filling,
    build_candidates,
    fill_combination,
)
from anaphora.intents.decision.sentences.fragments.fragment import (
    NO_VALUES,
    find_ambiguous,
    find_commanded,
    find_other_words,
    find_states,
    is_about_more,
    negates_next,
    sets_named,
    without_function_words,
    without_linking_words,
    without_negated,
)
from anaphora.intents.decision.sentences.fragments.relative_values import (
    PLUS_WORDS,
    change_by,
    find_relative,
)
from anaphora.intents.decision.sentences.fragments.timers import change_timer, prolong_timer
from anaphora.intents.decision.sentences.fragments.values import read_values
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents, is_word_of
from anaphora.intents.decision.sentences.slots import (
    NAME,
    NUMBER,
    PLACES,
    STATE,
    SWITCHING,
    TARGETS,
    USUAL_VALUES,
    find_last_domain,
    find_last_domains,
    property_of,
    remembered_by_slot,
    sets_otherwise,
    switches_otherwise,
)
from anaphora.intents.decision.sentences.steps import find_quality
from anaphora.models.hassil.elements import ACTION, AMOUNT
from anaphora.models.hassil.inverse_intents import (
    INCREASING_INTENTS,
    INVERSE_INTENTS,
    TIMER_INTENTS,
)
from anaphora.stm.conversation import Conversation

__all__ = ["complete_fragment", "complete_value"]

_MAX_VARIANTS = 6
_HALF = 50  # percent
_MIN_ASKED = 2  # words of questions, of which single ones may be others: the German "noch"


class _Fragment(NamedTuple):
    """What a fragment says, the intents that its other words belong to, and those of which it is a
    ``whole`` command that no sentence says in this way; the ``states`` of its words."""

    variant: Variant
    intents: Collection[str]
    whole: Collection[str] = ()
    states: Sequence[frozenset[str]] = ()


def complete_fragment(
    model: SentenceIntents,
    utterance: Utterance,
    variants: Sequence[Variant],
    conversation: Conversation,
) -> Completion | None:
    """The best completion of an utterance that is no whole sentence; None if there is none."""
    spoken = {token.lower for token in utterance.tokens}
    linked = [without_linking_words(model, utterance, one) for one in variants[:_MAX_VARIANTS]]
    is_another = _is_for_another_timer(model, utterance, conversation)
    for words, sign in ((model.increases, 1), (model.decreases, -1)):
        if not is_another and not spoken.isdisjoint(words):
            known = [
                Variant(tuple(two for two in one.entities if two.text.lower() not in words))
                for one in linked
                if len(find_other_words(model, utterance, one, words)) < 2  # "ZIEH 2 Minuten ab"
            ]
            prolonged = _prolong(model, utterance, known, conversation, sign)
            if prolonged is not None:
                return prolonged
    if not spoken.isdisjoint(model.changes - model.increases):
        return None  # "warmer by about 2 degrees" is not 2 degrees
    fragments, states = [], find_states(model, utterance)
    if not utterance.qualifiers:  # "not on" is no "on the ground floor"
        bare = [without_function_words(utterance, one) for one in linked]
        linked += [one for one, before in zip(bare, linked, strict=True) if one is not before]
    for variant in linked:
        others = find_other_words(model, utterance, variant, PLUS_WORDS)
        if others and negates_next(model, utterance):
            continue  # "nie wyłączaj ogrzewania"
        kept = without_negated(model, utterance, variant)
        if kept is not None and not is_about_more(model, utterance, variant, others):
            possible = _find_possible(model, utterance, kept, others, conversation)
            if is_another:
                possible = INCREASING_INTENTS.keys() & possible
            is_whole = kept.entities == variant.entities
            whole = _find_whole(model, utterance, kept) if is_whole else ()
            if is_whole and all(map(model.is_verb, others)) and sets_named(model, utterance, kept):
                possible = whole = model.combinations.keys() - model.asking_intents
            fragments.append(_Fragment(kept, possible, whole, states))
    found = _complete_best(model, utterance, fragments, conversation)
    if found is None or _leaves_number(utterance, found):
        return None
    if not is_another and (amount := find_relative(model, utterance, found)) is not None:
        return change_by(model, utterance, conversation, found, amount)
    if is_another or not spoken.isdisjoint(model.increases):
        return found
    return change_timer(model, utterance, conversation, found)


def _is_for_another_timer(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation
) -> bool:
    """Whether a time that is said after a timer is for another one: "and another one for 3"."""
    if not conversation.flow or conversation.flow[-1].intent not in TIMER_INTENTS:
        return False
    return bool(model.another and model.another.search(utterance.text.lower()))


def _leaves_number(utterance: Utterance, completion: Completion) -> bool:
    """Whether a completion leaves out a number that is said: "set the heating to 300" does not
    repeat 19 degrees."""
    said = [one.entity for one in completion.candidates if one.remembered is None]
    return any(
        any(map(str.isdigit, token.text))
        and not any(one.start <= token.start and token.end <= one.end for one in said)
        for token in utterance.tokens
    )


def _find_possible(
    model: SentenceIntents,
    utterance: Utterance,
    variant: Variant,
    others: Iterable[str],
    conversation: Conversation,
) -> Collection[str]:
    """The intents that a fragment with ``others`` may be about: those whose sentences have these
    words, unless they belong to the opposite as well ("turn of the light"); without a value only
    the last one; only those that ask for something, if it begins like a question, and only those of
    its verb."""
    known = [found for one in others if (found := model.find_intents_by_parts(one))]
    values = [one for one in variant.entities if one.element not in NO_VALUES]
    named = any(not any(map(str.isdigit, one.text)) for one in values)  # "how BRIGHT is it"
    commanded = find_commanded(model, utterance)
    asked = _count_asking_words(model, utterance)
    if not known and not named and (values or asked < _MIN_ASKED):
        return commanded or model.combinations.keys()
    possible = (commanded or frozenset(model.combinations)).intersection(*known)
    if asked:
        possible &= model.asking_intents
    if not known:
        return possible
    if not values:
        possible &= {one.intent for one in conversation.flow[-1:]}
        possible -= {one for one in possible if INVERSE_INTENTS.get(one) in known[0]}
    return possible


def _count_asking_words(model: SentenceIntents, utterance: Utterance) -> int:
    """How many words of questions an utterance has, if it begins with one; else 0."""
    words = [one.lower for one in utterance.tokens if one.lower not in model.openings]
    asked = [one for one in words if one in model.asking_words]
    return len(asked) if asked and asked[0] == words[0] else 0


def _find_whole(model: SentenceIntents, utterance: Utterance, variant: Variant) -> Collection[str]:
    """The intents that a fragment with a device may be a command of: those whose sentences have all
    of its words, if one of them is a word of no question. "Set the fan to 50 percent" is one, "why
    did you set the fan to 50 percent" is none."""
    if not any(one.element == NAME for one in variant.entities):
        return ()
    named = {index for one in variant.entities for index in one.tokens}
    said = {
        one.lower
        for one in utterance.tokens
        if one.index not in named and any(map(str.isalpha, one.text))
    }
    said -= model.courtesies | model.openings
    asked = frozenset().union(*(model.words[intent] for intent in model.asking_intents))
    if all(is_word_of(one, asked) for one in said):
        return ()
    return [
        intent
        for intent, words in model.words.items()
        if all(is_word_of(one, words) for one in said)
    ]


def complete_value(
    model: SentenceIntents,
    utterance: Utterance,
    reading: SentenceReading,
    conversation: Conversation,
) -> Completion | None:
    """The completion of a sentence that only names the value to set: "turn it up to 50". None if
    nothing that was meant takes it."""
    said = next(one for one in reading.entities if one.element == AMOUNT)
    number = next(
        (one for one in utterance.entities if one.element == NUMBER and one.start == said.start),
        replace(said, element=NUMBER, groups=frozenset((NUMBER,))),
    )
    quality = find_quality(reading)
    fragment = _Fragment(Variant((number,)), model.combinations.keys())
    found = _complete_best(model, utterance, [fragment], conversation, quality)
    if found and said.meta.get("value") == _HALF and not any(map(str.isdigit, said.text)):
        slots = {one.entity.element for one in found.candidates if one.entity.start == said.start}
        if not any("%" in model.units.get(slot, ()) for slot in slots):
            return None  # half of a timer
    return found and change_timer(model, utterance, conversation, found)


def _complete_best(
    model: SentenceIntents,
    utterance: Utterance,
    fragments: Sequence[_Fragment],
    conversation: Conversation,
    quality: str = "",
) -> Completion | None:
    best: tuple[tuple[object, ...], Completion] | None = None
    is_command = any(token.lower in model.pronouns for token in utterance.tokens)
    lacks_thing = any(NAME in one.references for one in utterance.sentences)
    ambiguous = find_ambiguous(utterance)
    for place, fragment in enumerate(fragments):
        for said in read_values(model, utterance, fragment.variant, conversation, quality):
            if is_command and any(one.element == STATE for one in said):
                continue  # "close it" is no question
            if is_command and lacks_thing and any(one.element in TARGETS for one in said):
                continue  # "lock it" is about no lock, if nothing with a lock was meant
            for key, completion in _completions(model, said, fragment, conversation, ambiguous):
                if best is None or (*key, place) < best[0]:
                    best = ((*key, place), completion)
    return best and best[1]


def _prolong(
    model: SentenceIntents,
    utterance: Utterance,
    variants: Iterable[Variant],
    conversation: Conversation,
    sign: int,
) -> Completion | None:
    """The completion that adds a time to a timer (``sign`` 1) or takes it off (-1); None if no time
    is said, or no timer was."""
    found = (
        prolong_timer(model, conversation, said, sign)
        for variant in variants
        for said in read_values(model, utterance, variant, conversation)
    )
    return next((one for one in found if one is not None), None)


def _completions(
    model: SentenceIntents,
    said: tuple[Entity, ...],
    fragment: _Fragment,
    conversation: Conversation,
    ambiguous: Collection[Entity],
) -> Iterator[tuple[tuple[object, ...], Completion]]:
    """The combinations that ``said`` completes, each with its rank (the smallest is the best).
    ``ambiguous`` values lead to no other intent than those before."""
    memory = remembered_by_slot(conversation, said)
    slots = {entity.element: entity for entity in said}
    if len(slots) < len(said):
        return
    order = _intent_order(conversation)
    names_value = any(
        slot not in NO_VALUES and entity not in ambiguous for slot, entity in slots.items()
    )
    last = {slot for slot, held in memory.items() if held.used_match == conversation.matches}
    # Where a device is that is named, need not be known.
    places = () if NAME in slots else PLACES
    for intent, combinations in model.combinations.items():
        if intent not in fragment.intents:
            continue
        recent = order.get(intent)
        if recent is None and not names_value:
            continue
        if recent != 0 and STATE in slots:
            continue  # "on" is no question
        if recent != 0 and intent in TIMER_INTENTS and all(one.text.isalpha() for one in said):
            continue  # "half" of something else
        known = memory
        if intent in TIMER_INTENTS:  # a timer has no place that was not said for it
            is_known = bool(conversation.flow) and conversation.flow[-1].intent in TIMER_INTENTS
            known = {slot: one for slot, one in memory.items() if is_known and slot in last}
        kept = {*TARGETS, *places} | (last - {*PLACES} if recent == 0 else set())
        for combination in combinations:
            filled = fill_combination(model, combination, slots, known)
            if filled is None:
                continue
            is_known = bool(filled.memory) or recent is not None
            if not is_known and not (names_value and intent in fragment.whole):
                continue
            if (
                recent != 0
                and slots.keys() <= {*PLACES}
                and not _goes_on_earlier(model, intent, filled, conversation)
            ):
                continue  # a place alone goes on with the last command
            if recent != 0 and _is_for_another_kind(model, intent, slots, fragment, conversation):
                continue
            if _is_switched_otherwise(model, intent, slots, conversation):
                continue
            if intent in TIMER_INTENTS and _names_device(slots):
                continue  # the radio is no name of a timer
            used_entities = [*filled.sentence, *(one.entity for one in filled.memory)]
            meant = used_entities if intent in SWITCHING else filled.sentence
            if sets_otherwise(model, intent, fragment.states, meant):
                continue
            used = {held.entity.element for held in filled.memory}
            unused = (kept & known.keys()) - used - {ACTION}
            needless = used & {*PLACES} - {*places}
            if not slots.keys().isdisjoint(PLACES):
                needless |= used & {NAME}  # the lights there rather than this lamp there
            candidates = build_candidates(conversation, filled.sentence, filled.memory)
            rank = (
                len(order) if recent is None else recent,
                len(needless),
                len(unused),
                _changes_value(slots, conversation),
                sum(one.distance for one in candidates),
                model.intents[intent][0],
            )
            yield rank, Completion(intent, fragment.variant, candidates, combination.response)


def _goes_on_earlier(
    model: SentenceIntents, intent: str, filled: Filling, conversation: Conversation
) -> bool:
    """Whether a place alone may go on with an earlier command than the last one: with what it set,
    unless another kind of things was switched since, and nothing asked."""
    last = find_last_domains(model, conversation)
    is_asked = conversation.flow[-1].intent in model.asking_intents
    is_alike = is_asked or not last or bool(last & model.domains[intent])
    return bool(filled.memory) and is_alike


def _is_for_another_kind(
    model: SentenceIntents,
    intent: str,
    slots: Mapping[str, Entity],
    fragment: _Fragment,
    conversation: Conversation,
) -> bool:
    """Whether a share that any kind of things may take, or the usual value of what was meant last,
    is set of another kind: "20 percent" after the blinds in a room is no speed of fans there, and
    "make it 21" after "how warm is it" is no color."""
    is_after_timer = any(one.intent in TIMER_INTENTS for one in conversation.flow[-1:])
    if is_after_timer and intent not in TIMER_INTENTS and slots.keys().isdisjoint(TARGETS):
        return all(one.text.isdigit() for one in slots.values())
    if len(fragment.intents) < len(model.combinations) or not slots.keys().isdisjoint(TARGETS):
        return False
    wanted, last = model.domains[intent], find_last_domains(model, conversation)
    usual = {USUAL_VALUES.get(one) for one in last}
    is_share = any("%" in model.units.get(slot, ()) or slot in usual for slot in slots)
    return is_share and bool(wanted and last) and not wanted & last


def _is_switched_otherwise(
    model: SentenceIntents, intent: str, slots: Mapping[str, Entity], conversation: Conversation
) -> bool:
    """Whether on and off mean something else for what is named than for what was meant last: "and
    the front door?" after "turn off the radio" does not unlock it."""
    known = find_last_domain(model, conversation)
    if NAME in slots:
        domain = property_of(model, slots[NAME].value_or_text, "domain")
    elif "domain" in slots:
        domain = slots["domain"].value_or_text
    else:
        return False
    return switches_otherwise(intent, known, domain)


def _names_device(slots: Mapping[str, Entity]) -> bool:
    return NAME in slots and ANY_WORDS not in slots[NAME].marks


def _intent_order(conversation: Conversation) -> dict[str, int]:
    """The intents of the dialog flow, the last one first."""
    order: dict[str, int] = {}
    for step in reversed(conversation.flow):
        order.setdefault(step.intent, len(order))
    return order


def _changes_value(slots: Mapping[str, Entity], conversation: Conversation) -> int:
    """How far a value is from the one that it replaces: 0 for another value of the same slot in the
    same direction, 1 in another direction (up, then down), 2 for another slot."""
    remembered = {held.entity.element: held.entity for held in reversed(conversation.remembered)}
    distance = 0
    for slot, said in slots.items():
        if slot in TARGETS or slot in PLACES:
            continue
        known = remembered.get(slot)
        if known is None:
            distance = max(distance, 2)
            continue
        old, new = known.meta.get("value"), said.meta.get("value")
        if isinstance(old, int | float) and isinstance(new, int | float) and old * new < 0:
            distance = max(distance, 1)
    return distance
