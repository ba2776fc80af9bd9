"""Holds intents against the variants of an utterance and against the memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from anaphora.errors import EvaluationError
from anaphora.grammar.code import FlowCode
from anaphora.grammar.context import Context, Surroundings
from anaphora.grammar.intent import Intent, Options, Term
from anaphora.grammar.patterns import Pattern
from anaphora.intents.index import IntentIndex
from anaphora.intents.match import Candidate, ContentWords, Filling, Match, TermMatch
from anaphora.intents.ranking import rank, rank_of_reading
from anaphora.models.utterance import Entity, Utterance, Variant
from anaphora.stm.conversation import Conversation, FlowStep, Remembered
from anaphora.stm.rules import offered

__all__ = [
    "Question",
    "Scene",
    "content_words",
    "entities_at_hand",
    "exact_phrases",
    "fillings",
    "not_replaced",
    "reads_a_part",
    "scenes",
    "solve",
]


_RANK = attrgetter("rank")


class Question(Struct, frozen=True, gc=False):
    """An utterance, its variants (best first), and what predicates may ask about it. ``fallback``
    is the same question with the entities that count only where an intent needs them; ``notes`` say
    what an explanation should tell of how it was read."""

    utterance: Utterance
    variants: tuple[Variant, ...]
    surroundings: Surroundings
    fallback: Question | None = None
    notes: tuple[str, ...] = ()


class Scene(Struct, frozen=True, gc=False):
    """One variant with the memory that is offered beside it.

    ``sentence`` holds the pending entities and, behind them, those of the variant;
    ``hidden`` the remembered ones that an entity of the sentence stands in for, each with the
    groups of that entity. ``utterance`` is the sentence.
    """

    variant: Variant
    sentence: tuple[Candidate, ...]
    memory: tuple[Candidate, ...]
    hidden: tuple[tuple[Remembered, frozenset[str]], ...]
    flow: tuple[FlowStep, ...]
    surroundings: Surroundings
    utterance: Utterance | None = None


def solve(
    intents: Sequence[Intent], index: IntentIndex, scenes: Iterable[Scene]
) -> tuple[Match, ...]:
    """Every match of every intent in every scene, best first (docs/how-it-works.md, the ranking).

    Raises :class:`EvaluationError`, naming intent and term, for a predicate that cannot be
    evaluated.
    """
    scenes = tuple(scenes)
    found = [
        [
            filling
            for filling in _planned(intents, index, scene)
            if not filling.obstacle and not filling.missing
        ]
        for scene in scenes
    ]
    phrases = exact_phrases(scenes) if len(scenes) > 1 else ()
    if phrases:
        found = [
            [filling for filling in each if not reads_a_part(filling, intents, phrases)]
            for each in found
        ]
    if sum(map(len, found)) <= 1:  # as most often: nothing to compare it with
        return tuple([Match(one, rank(one, ContentWords())) for each in found for one in each])
    words = content_words(scenes[0].utterance)
    if len(scenes) > 1:
        return _over_readings(found, words)
    matches = [Match(filling, rank(filling, words)) for filling in found[0]]
    matches.sort(key=_RANK)
    return tuple(matches)


def _over_readings(found: Iterable[Sequence[Filling]], words: ContentWords) -> tuple[Match, ...]:
    """The matches of several readings, those of the best one first."""
    matches = []
    for place, fillings in enumerate(found):
        if fillings:
            reading = rank_of_reading(fillings, words, place)
            matches += [Match(filling, rank(filling, words, reading)) for filling in fillings]
    matches.sort(key=_RANK)
    # Readings that differ in what an intent leaves give the same match: the first one stays.
    kept: dict[tuple[object, ...], Match] = {}
    for match in matches:
        kept.setdefault(_identity(match), match)
    return tuple(kept.values())


def exact_phrases(scenes: Iterable[Scene]) -> list[tuple[Scene, list[Entity]]]:
    """The scenes in whose sentence entities of several words stand, spelled exactly, and those
    entities."""
    found = []
    for scene in scenes:
        phrases = [one for one in scene.variant.entities if len(one.tokens) > 1 and one.exact]
        if phrases:
            found.append((scene, phrases))
    return found


def reads_a_part(
    filling: Filling, intents: Sequence[Intent], phrases: Iterable[tuple[Scene, Sequence[Entity]]]
) -> bool:
    """Whether the intent takes a part of a longer entity, one of the exact ``phrases``, which in
    another scene it would take as a whole, with all words that it takes here: the 5 of "May 5"
    for an amount."""
    variant = filling.variant
    others = [one for one in phrases if one[0].variant is not variant]
    if not others:
        return False
    used = [set(one.entity.tokens) for one in filling.from_sentence]
    for scene, entities in others:
        longer = [entity for entity in entities if any(map(set(entity.tokens).__gt__, used))]
        if longer:
            (other,) = fillings(intents, (filling.order,), scene)
            taken = [one.entity for one in other.from_sentence]
            read = {index for entity in taken for index in entity.tokens}
            if any(one is entity for one in taken for entity in longer) and read.issuperset(
                set().union(*used)
            ):
                return True
    return False


def scenes(
    question: Question, conversation: Conversation, pending: Sequence[Entity] = ()
) -> tuple[Scene, ...]:
    """The variants of the question beside what ``conversation`` may offer to each.

    Pending entities count as part of the sentence, and stand before it: they were said first.
    """
    return tuple(
        [_scene(variant, question, conversation, pending) for variant in question.variants]
    )


def content_words(said: Utterance | None) -> ContentWords:
    """The content words of what was said that are in no reset phrase."""
    if said is None:
        return ContentWords()
    reset = {index for one in said.resets for index in one}
    return ContentWords([index for index in said.free if index not in reset], _turning(said))


def _turning(said: Utterance) -> Sequence[int]:
    """The words that turn or bound the sense of others as some entity has them ("not send"): a
    bare no may just be an answer."""
    return [
        index
        for index in said.qualifiers
        if any(index in entity.tokens and len(entity.tokens) > 1 for entity in said.entities)
    ]


def not_replaced(pending: Iterable[Entity], variant: Variant) -> tuple[Entity, ...]:
    """The pending entities for which no entity of the variant stands in: one whose groups are
    all among their own."""
    return tuple(
        held for held in pending if not any(new.groups <= held.groups for new in variant.entities)
    )


def fillings(intents: Sequence[Intent], orders: Iterable[int], scene: Scene) -> Iterator[Filling]:
    """The intents at these places of the model, each held against the scene."""
    for order in orders:
        yield _fill(intents[order], order, scene)


def _identity(match: Match) -> tuple[object, ...]:
    """What tells a match from others: variants that differ in what it leaves give the same."""
    terms = match.filling.terms
    return match.filling.order, *(tuple(id(c.entity) for c in term.taken) for term in terms)


def _scene(
    variant: Variant,
    question: Question,
    conversation: Conversation,
    pending: Sequence[Entity],
) -> Scene:
    offers: Sequence[Remembered] = ()
    hidden: tuple[tuple[Remembered, frozenset[str]], ...] = ()
    if conversation.remembered:
        groups = [entity.groups for entity in (*pending, *variant.entities)]
        offers, hidden = offered(conversation, groups)
    number = conversation.questions + 1
    said = [Candidate(entity, pending=True) for entity in pending] if pending else []
    return Scene(
        variant=variant,
        sentence=(*said, *map(Candidate, variant.entities)),
        memory=tuple(
            [
                Candidate(offer.entity, remembered=offer, ago=number - offer.question)
                for offer in offers
            ]
        ),
        hidden=hidden,
        flow=conversation.flow,
        surroundings=question.surroundings.among(variant.entities),
        utterance=question.utterance,
    )


def entities_at_hand(scene: Scene) -> list[Entity]:
    """The entities of the scene, of the sentence and of the memory."""
    entities = [candidate.entity for candidate in scene.sentence]
    return entities + [candidate.entity for candidate in scene.memory] if scene.memory else entities


def _planned(intents: Sequence[Intent], index: IntentIndex, scene: Scene) -> Iterator[Filling]:
    """The intents that may match the scene, held against it."""
    everything = (*scene.sentence, *scene.memory) if scene.memory else scene.sentence
    said = range(len(scene.sentence) - len(scene.variant.entities), len(scene.sentence))
    plans = index.plans(
        [candidate.entity for candidate in everything], said=said, in_sentence=said.stop
    )
    for plan in plans:
        intent = intents[plan.order]
        if plan.takes is None:
            yield _fill(intent, plan.order, scene)
            continue
        matched: list[TermMatch] = []
        all_taken: list[Candidate] = []
        for term, places in zip(intent.terms, plan.takes, strict=True):
            taken = tuple([everything[place] for place in places]) if places else ()
            matched.append(TermMatch(term, taken, len(taken)))
            all_taken += taken
        yield _filling(intent, plan.order, scene, matched, all_taken, ())


def _fill(intent: Intent, order: int, scene: Scene) -> Filling:
    """Term by term, greedily, first from the sentence, then from memory."""
    everything = (*scene.sentence, *scene.memory) if scene.memory else scene.sentence
    context: Context | None = None
    taken_before: set[int] = set()
    matched: list[TermMatch] = []
    all_taken: list[Candidate] = []
    missing: list[Term] = []
    for term in intent.terms:
        candidates = everything if term.conversational else scene.sentence
        if (elements := term.predicate.elements) is not None:  # as most predicates are
            taken = [
                candidate
                for candidate in candidates
                if candidate.entity.element in elements and id(candidate) not in taken_before
            ]
            del taken[term.max :]
            hits = len(taken)
        else:
            context = context or Context(None, _around(intent, scene))
            taken, hits = _taken(term, intent, candidates, taken_before, context)
        if taken:
            taken_before.update(map(id, taken))
            all_taken += taken
        matched.append(TermMatch(term, tuple(taken), hits))
        if hits < term.min:
            missing.append(term)
    return _filling(intent, order, scene, matched, all_taken, tuple(missing))


def _filling(
    intent: Intent,
    order: int,
    scene: Scene,
    matched: Sequence[TermMatch],
    taken: Sequence[Candidate],
    missing: tuple[Term, ...],
) -> Filling:
    filling = Filling(intent, order, scene.variant, tuple(matched), tuple(taken), missing)
    obstacle = _obstacle(filling, scene)
    return replace(filling, obstacle=obstacle) if obstacle else filling


def _around(intent: Intent, scene: Scene) -> Surroundings:
    return scene.surroundings.of_intent(intent.meta) if intent.meta else scene.surroundings


def _taken(
    term: Term,
    intent: Intent,
    candidates: Iterable[Candidate],
    taken_before: Set[int],
    context: Context,
) -> tuple[list[Candidate], int]:
    """What the term takes of the candidates that no term before it took, and how many fit."""
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


def _obstacle(filling: Filling, scene: Scene) -> str:
    intent = filling.intent
    options = intent.options
    if intent.flow is not None and (obstacle := _against_flow(intent, intent.flow, scene)):
        return obstacle
    if not filling.taken and not any(match.hits for match in filling.terms):
        return "nothing in the sentence concerns it"
    if filling.missing:
        return ""
    new = [one.entity for one in filling.taken if not one.pending and one.remembered is None]
    recalled = filling.taken or not scene.variant.entities
    if recalled and not new and not options.allow_stm_only:
        return "all its entities would come from memory"
    if options.ordered and not _in_order(filling):
        return "its terms stand in another order in the sentence"
    all_may_stay = options.unused_user_entities and options.unused_system_entities
    if not all_may_stay and (unused := _unused(scene.variant, new, options)):
        return f"it leaves '{unused.text}' ({unused}) unused"
    if not options.unused_free_words and scene.variant.uncovered:
        return "it leaves words of the sentence unused"
    return ""


def _against_flow(intent: Intent, flow: Pattern | FlowCode, scene: Scene) -> str:
    """Why the dialog so far is not one after which the intent may come ('' if it is)."""
    if isinstance(flow, FlowCode):
        try:
            allowed = flow.allows(scene.flow)
        except EvaluationError as error:
            raise EvaluationError(f"intent {intent.id}, flow: {error}") from error
        return "" if allowed else f"its flow {flow.text} does not allow it here"
    dialog = " ".join(step.intent for step in scene.flow)
    if flow.occurs_in(dialog):
        return ""
    return f"its flow /{flow.text}/ is not found in the dialog '{dialog}'"


def _unused(variant: Variant, used: Sequence[Entity], options: Options) -> Entity | None:
    """An entity of the sentence that the intent leaves, though its options forbid that."""
    taken = {id(entity) for entity in used}
    for entity in variant.entities:
        allowed = options.unused_user_entities if entity.own else options.unused_system_entities
        if not allowed and id(entity) not in taken:
            return entity
    return None


def _in_order(filling: Filling) -> bool:
    ends = [
        max(taken.entity.tokens[-1] for taken in match.taken if taken.source == "sentence")
        for match in filling.terms
        if any(taken.source == "sentence" for taken in match.taken)
    ]
    return ends == sorted(ends)
