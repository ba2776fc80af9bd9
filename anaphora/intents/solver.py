"""Match intents against each variant of an utterance and the visible short-term memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.entities.variants.free_words import (
    find_free_words,
    is_free_word,
    is_sign,
    merge_free_words,
)
from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext, QuestionContext
from anaphora.grammar.idl.intent import Intent, IntentOptions, Term
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.python_functions import FlowFunction
from anaphora.intents.index import IntentIndex
from anaphora.intents.match import Candidate, ContentWords, Match, SlotFilling, TermMatch
from anaphora.intents.ranking import rank_match, rank_reading
from anaphora.stm.conversation import Conversation, FlowStep, RememberedEntity
from anaphora.stm.offers import takes_back
from anaphora.stm.rules import find_replacement, split_visible

if TYPE_CHECKING:
    from anaphora.entities.builtin.boolean import Confirmation

__all__ = [
    "MatchContext",
    "ParsedQuestion",
    "build_match_contexts",
    "fill_intents",
    "find_content_words",
    "find_exact_multiword_entities",
    "match_intents",
    "uses_part_of_longer_entity",
]


_RANK = attrgetter("rank")


class ParsedQuestion(Struct, frozen=True, gc=False):
    """An utterance with its variants (best first) and the values that predicates can access.

    ``fallback`` is the same question with the entities that count only if an intent needs them;
    ``notes`` are texts for the explanation. ``offered`` are entities that lie on the table and may
    be meant, ``referred`` are entities that reference words stand for in them; neither are
    remembered. A question with an ``open_reference`` ("there") leans on what was said before: it is
    not complete by itself. ``confirmation`` says what it answers to a yes/no question, if that is
    known from its cues; ``small_talk`` is the kind of a sentence that says nothing else ("thanks").
    ``is_indifferent``: it says that any will do ("I don't mind"). ``has_negated``: it negates an
    entity, or the memory may have a negated one. ``free_words``: words that no entity covers are
    entities, too, for the terms of intents.
    """

    utterance: Utterance
    variants: tuple[Variant, ...]
    question_context: QuestionContext
    fallback: ParsedQuestion | None = None
    notes: tuple[str, ...] = ()
    offered: tuple[Entity, ...] = ()
    referred: tuple[Entity, ...] = ()
    open_reference: bool = False
    confirmation: Confirmation | None = None
    small_talk: str = ""
    is_indifferent: bool = False
    has_negated: bool = False
    free_words: bool = False


class MatchContext(Struct, frozen=True, gc=False):
    """One variant with the memory that is visible beside it.

    ``sentence_candidates`` are the pending entities and, after them, those of the variant;
    ``hidden`` are the remembered entities that an entity of the sentence replaces, each with the
    groups of that entity. ``free_words`` are those of the variant, among the candidates, if they
    count. ``has_negated``: the sentence or the memory may have a negated entity.
    """

    variant: Variant
    sentence_candidates: tuple[Candidate, ...]
    memory: tuple[Candidate, ...]
    hidden: tuple[tuple[RememberedEntity, frozenset[str]], ...]
    flow: tuple[FlowStep, ...]
    question_context: QuestionContext
    utterance: Utterance | None = None
    has_negated: bool = False
    free_words: tuple[Entity, ...] = ()


_ContextEntities: TypeAlias = tuple[MatchContext, Mapping[int, Sequence[Entity]]]


def match_intents(
    intents: Sequence[Intent], index: IntentIndex, contexts: Iterable[MatchContext]
) -> tuple[Match, ...]:
    """Return all matches of all intents in all contexts, best first (see "The ranking" in
    docs/how-it-works.md).

    Raises :class:`EvaluationError`, with intent and term, if a predicate cannot be evaluated.
    """
    contexts = tuple(contexts)
    found = [
        [
            filling
            for filling in _fill_candidates(intents, index, context)
            if not filling.blocking_reason and not filling.missing
        ]
        for context in contexts
    ]
    longer = find_exact_multiword_entities(contexts) if len(contexts) > 1 else ()
    if longer:
        found = [
            [
                filling
                for filling in each
                if not uses_part_of_longer_entity(filling, intents, longer)
            ]
            for each in found
        ]
    if sum(map(len, found)) <= 1:  # the usual case: there is nothing to compare
        return tuple(
            [Match(one, rank_match(one, ContentWords())) for each in found for one in each]
        )
    words = find_content_words(contexts[0].utterance)
    if len(contexts) > 1:
        return _rank_readings(found, words)
    matches = [Match(filling, rank_match(filling, words)) for filling in found[0]]
    matches.sort(key=_RANK)
    return tuple(matches)


def _rank_readings(
    found: Iterable[Sequence[SlotFilling]], words: ContentWords
) -> tuple[Match, ...]:
    """Rank the matches of several readings; those of the best reading come first."""
    matches = []
    for place, fillings in enumerate(found):
        if fillings:
            reading = rank_reading(fillings, words, place)
            matches += [Match(filling, rank_match(filling, words, reading)) for filling in fillings]
    matches.sort(key=_RANK)
    # Readings that differ only in unused entities give equal matches: keep the first one.
    kept: dict[tuple[object, ...], Match] = {}
    for match in matches:
        kept.setdefault(_match_key(match), match)
    return tuple(kept.values())


def find_exact_multiword_entities(contexts: Iterable[MatchContext]) -> Sequence[_ContextEntities]:
    """Return the contexts with exactly spelled entities of several words, and these entities by
    each of their tokens."""
    found = []
    for context in contexts:
        entities: dict[int, list[Entity]] = {}
        for entity in context.variant.entities:
            if len(entity.tokens) > 1 and entity.exact:
                for token in entity.tokens:
                    entities.setdefault(token, []).append(entity)
        if entities:
            found.append((context, entities))
    return found


def uses_part_of_longer_entity(
    filling: SlotFilling,
    intents: Sequence[Intent],
    multiword_entities: Iterable[_ContextEntities],
) -> bool:
    """Whether the intent takes a part of an exact entity that it would take as a whole, with all
    words that it takes here, in another context: the 5 of "May 5" as an amount."""
    variant = filling.variant
    others = [
        (other, entities) for other, entities in multiword_entities if other.variant is not variant
    ]
    if not others:
        return False
    used = [set(one.entity.tokens) for one in filling.from_sentence if one.entity.tokens]
    for context, entities in others:
        longer = [
            entity
            for own in used
            for entity in entities.get(min(own), ())
            if own < {*entity.tokens}
        ]
        if longer:
            (whole,) = fill_intents(intents, (filling.intent_index,), context)
            taken = [one.entity for one in whole.from_sentence]
            covered = {index for entity in taken for index in entity.tokens}
            if any(one is entity for one in taken for entity in longer) and covered.issuperset(
                set().union(*used)
            ):
                return True
    return False


def build_match_contexts(
    question: ParsedQuestion, conversation: Conversation, pending: Sequence[Entity] = ()
) -> tuple[MatchContext, ...]:
    """Combine each variant of the question with the memory that is visible beside it.

    Pending entities count as part of the sentence and come first, as they were said earlier.
    """
    return tuple(
        [
            _build_match_context(variant, question, conversation, pending)
            for variant in question.variants
        ]
    )


def find_content_words(utterance: Utterance | None) -> ContentWords:
    """Return the content words of the utterance outside its reset phrases."""
    if utterance is None:
        return ContentWords()
    reset = {index for one in utterance.resets for index in one}
    # Within an entity ("not send"): a bare "no" may just be an answer.
    qualifiers = [
        index
        for index in utterance.qualifiers
        if any(index in entity.tokens and len(entity.tokens) > 1 for entity in utterance.entities)
    ]
    return ContentWords(
        [index for index in utterance.content_words if index not in reset], qualifiers
    )


def fill_intents(
    intents: Sequence[Intent], intent_indexes: Iterable[int], context: MatchContext
) -> Iterator[SlotFilling]:
    """Evaluate the intents with these indexes in the context."""
    for intent_index in intent_indexes:
        yield _fill_intent(intents[intent_index], intent_index, context)


def _match_key(match: Match) -> tuple[object, ...]:
    """Identify a match by its intent and the entities of its terms, whatever it leaves unused."""
    terms = match.filling.terms
    return match.filling.intent_index, *(tuple(id(c.entity) for c in term.taken) for term in terms)


def _build_match_context(
    variant: Variant,
    question: ParsedQuestion,
    conversation: Conversation,
    pending: Sequence[Entity],
) -> MatchContext:
    visible: Sequence[RememberedEntity] = ()
    hidden: tuple[tuple[RememberedEntity, frozenset[str]], ...] = ()
    if conversation.remembered:
        said: Sequence[Entity] = variant.entities
        if question.has_negated:
            said = [one for one in said if not one.negated]
        void = question.utterance.void
        visible, hidden = split_visible(conversation, (*pending, *said, *void))
        if len(said) < len(variant.entities):
            visible = [one for one in visible if not _is_taken_back(one.entity, variant)]
    number = conversation.questions + 1
    pending_candidates = [Candidate(entity, pending=True) for entity in pending] if pending else []
    free = find_free_words(question.utterance, variant) if question.free_words else ()
    entities = merge_free_words(variant.entities, free) if free else variant.entities
    in_sentence = (*pending_candidates, *map(Candidate, entities))
    memory = [
        Candidate(held.entity, remembered=held, distance=number - held.question_number)
        for held in visible
    ]
    if question.offered:
        said_now = (*pending, *variant.entities)
        memory = [*_offer_candidates(question.offered, said_now), *memory]
    return MatchContext(
        variant=variant,
        sentence_candidates=in_sentence,
        memory=tuple(memory),
        hidden=hidden,
        flow=conversation.flow,
        question_context=question.question_context.with_entities(entities),
        utterance=question.utterance,
        has_negated=question.has_negated,
        free_words=free,
    )


def _is_taken_back(held: Entity, variant: Variant) -> bool:
    """Whether a sentence negates all of what is remembered: "no sushi"."""
    return not held.negated and any(
        one.negated and one.quantity is None and takes_back(one, held) for one in variant.entities
    )


def _offer_candidates(offered: Sequence[Entity], said: Sequence[Entity]) -> list[Candidate]:
    """The offered entities that nothing that is said replaces."""
    return [
        Candidate(entity, pending=True, offered=True)
        for entity in offered
        if find_replacement(entity.groups, said) is None
    ]


def _fill_candidates(
    intents: Sequence[Intent], index: IntentIndex, context: MatchContext
) -> Iterator[SlotFilling]:
    """Evaluate the intents that may match the context, by their plans where possible."""
    sentence = context.sentence_candidates
    everything = (*sentence, *context.memory) if context.memory else sentence
    if context.has_negated or context.free_words:  # plans do not tell them from others
        found = index.candidates([candidate.entity for candidate in everything])
        yield from fill_intents(intents, found, context)
        return
    current = range(len(sentence) - len(context.variant.entities), len(sentence))
    plans = index.plans(
        [candidate.entity for candidate in everything], current=current, in_sentence=current.stop
    )
    for plan in plans:
        intent = intents[plan.intent_index]
        if plan.term_positions is None:
            yield _fill_intent(intent, plan.intent_index, context)
            continue
        matched: list[TermMatch] = []
        all_taken: list[Candidate] = []
        for term, indexes in zip(intent.terms, plan.term_positions, strict=True):
            taken = tuple([everything[index] for index in indexes]) if indexes else ()
            matched.append(TermMatch(term, taken, len(taken)))
            all_taken += taken
        yield _build_filling(intent, plan.intent_index, context, matched, all_taken, ())


def _fill_intent(intent: Intent, intent_index: int, context: MatchContext) -> SlotFilling:
    """Fill the terms one by one, greedily, first from the sentence, then from memory."""
    sentence, memory = context.sentence_candidates, context.memory
    everything = (*sentence, *memory) if memory else sentence
    entity_context: EntityContext | None = None
    taken_before: set[int] = set()
    matched: list[TermMatch] = []
    all_taken: list[Candidate] = []
    missing: list[Term] = []
    for term in intent.terms:
        candidates = everything if term.conversational else sentence
        if context.has_negated and not term.predicate.reads_negation:
            candidates = tuple([one for one in candidates if not one.entity.negated])
        if (elements := term.predicate.elements) is not None:  # true for most predicates
            taken = [
                candidate
                for candidate in candidates
                if candidate.entity.element in elements and id(candidate) not in taken_before
            ]
            del taken[term.max :]
            hits = len(taken)
        else:
            if entity_context is None:
                question_context = context.question_context
                if intent.meta:
                    question_context = question_context.with_intent_meta(intent.meta)
                entity_context = EntityContext(None, question_context)
            taken, hits = _take_candidates(term, intent, candidates, taken_before, entity_context)
        if taken:
            taken_before.update(map(id, taken))
            all_taken += taken
        matched.append(TermMatch(term, tuple(taken), hits))
        if hits < term.min:
            missing.append(term)
    return _build_filling(intent, intent_index, context, matched, all_taken, tuple(missing))


def _build_filling(
    intent: Intent,
    intent_index: int,
    context: MatchContext,
    matched: Sequence[TermMatch],
    taken: Sequence[Candidate],
    missing: tuple[Term, ...],
) -> SlotFilling:
    filling = SlotFilling(
        intent, intent_index, context.variant, tuple(matched), tuple(taken), missing
    )
    reason = _find_blocking_reason(filling, context)
    return replace(filling, blocking_reason=reason) if reason else filling


def _take_candidates(
    term: Term,
    intent: Intent,
    candidates: Iterable[Candidate],
    taken_before: Set[int],
    context: EntityContext,
) -> tuple[list[Candidate], int]:
    """Return the candidates that the term takes, without those ``taken_before``, and the number
    of those that fit."""
    context.arguments = term.arguments
    test = term.predicate.test
    taken: list[Candidate] = []
    hits = 0
    for candidate in candidates:
        if id(candidate) in taken_before:
            continue
        context.entity = candidate.entity
        context.used = False
        try:
            fits = test(context)
        except EvaluationError as error:
            name = f"{term.id}, " if term.id else ""
            raise EvaluationError(
                f"intent {intent.id}, term {name}{{{term.predicate.text}}} "
                f"for {candidate.entity}: {error}"
            ) from error
        if not fits:
            continue
        hits += 1
        if context.used:
            taken.append(candidate)
        if len(taken) == term.max or hits - len(taken) >= term.max:
            break
    return taken, hits


def _find_blocking_reason(filling: SlotFilling, context: MatchContext) -> str:
    intent = filling.intent
    options = intent.options
    if intent.flow is not None and (reason := _find_flow_mismatch(intent, intent.flow, context)):
        return reason
    if not filling.taken and not any(one.hits for one in filling.terms):
        return "nothing in the sentence concerns it"
    if filling.missing:
        return ""
    new = [one.entity for one in filling.taken if not one.pending and one.remembered is None]
    recalled = filling.taken or not (context.variant.entities or context.free_words)
    if recalled and not new and not options.allow_stm_only:
        return "all its entities would come from memory"
    if options.ordered and not _is_in_order(filling):
        return "its terms are in another order in the sentence"
    all_may_stay = options.unused_user_entities and options.unused_system_entities
    if not all_may_stay and (unused := _find_unused_entity(context.variant, new, options)):
        return f"it leaves '{unused.text}' ({unused}) unused"
    taken_words = sum(is_free_word(one) and not is_sign(one.text) for one in new)
    if not options.unused_free_words and context.variant.uncovered > taken_words:
        return "it leaves words of the sentence unused"
    return ""


def _find_flow_mismatch(intent: Intent, flow: Pattern | FlowFunction, context: MatchContext) -> str:
    """Explain why the dialog flow so far does not allow the intent ('' if it does)."""
    if isinstance(flow, FlowFunction):
        try:
            allowed = flow.allows(context.flow)
        except EvaluationError as error:
            raise EvaluationError(f"intent {intent.id}, flow: {error}") from error
        return "" if allowed else f"its flow {flow.text} does not allow it here"
    dialog = " ".join(step.intent for step in context.flow)
    if flow.search(dialog):
        return ""
    return f"its flow /{flow.text}/ is not found in the dialog '{dialog}'"


def _find_unused_entity(
    variant: Variant, used: Sequence[Entity], options: IntentOptions
) -> Entity | None:
    """Return an entity of the sentence that the intent leaves unused against its options."""
    taken = {id(entity) for entity in used}
    for entity in variant.entities:
        allowed = (
            options.unused_user_entities
            if entity.is_from_phrase
            else options.unused_system_entities
        )
        if not allowed and id(entity) not in taken:
            return entity
    return None


def _is_in_order(filling: SlotFilling) -> bool:
    ends = [
        max(taken.entity.tokens[-1] for taken in one.taken if taken.source == "sentence")
        for one in filling.terms
        if any(taken.source == "sentence" for taken in one.taken)
    ]
    return ends == sorted(ends)
