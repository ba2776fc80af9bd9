"""What the cues of a sentence mean for its entities, before it is held against the dialog: which of
them are words of the model, what is negated, and what the sentence itself corrects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.boolean import parse_yes_no
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.negation import find_negated, has_negation, is_no
from anaphora.grammar.idl.intent import Term
from anaphora.intents.index import may_take
from anaphora.intents.interpretation.answers import read_confirmation
from anaphora.intents.interpretation.dialog_turn import DialogTurn
from anaphora.stm.offers import is_same_meaning, takes_back
from anaphora.stm.rules import find_replacement

__all__ = ["drop_names", "normalize"]

_MAX_DIGITS = 3  # of a place in a list
_ANSWERS = frozenset({"accept", "decline", "cancel"})
_COURTESIES = frozenset({"social", "filler"})
_WITH_ONE = frozenset({"other", "reference", "ordinal", "comparison", "indifferent", "filler"})


def normalize(
    turn: DialogTurn,
    asked: Term | None = None,
    excluding: Collection[Term] = (),
    listing: Collection[Term] = (),
) -> DialogTurn:
    """Read the cues of a sentence and its entities together; ``asked`` is the term that the bot
    asks for, ``excluding`` are the terms that take what is negated, and ``listing`` those that take
    several values. Each step builds on those before it."""
    turn = _tell_cues_from_entities(_read_bare_place(turn), asked)
    turn = _read_bare_no(_mark_negated(turn), excluding)
    turn = _read_no_between(turn, (*excluding, *listing))
    return _read_demonstratives(_drop_corrected(turn))


def _read_bare_place(turn: DialogTurn) -> DialogTurn:
    """A bare number that answers a list of offers is a place in it: "2"."""
    offers, tokens = turn.offers, turn.question.utterance.tokens
    if offers is None or turn.answers_pending or len(offers.bundles) < 2:
        return turn
    if any(cue.kind not in ("filler", "social") for cue in turn.cues):
        return turn
    polite = {index for cue in turn.cues for index in cue.tokens}
    words = [one for one in tokens if one.index not in polite and one.text.isalnum()]
    if len(words) != 1 or not words[0].text.isdecimal() or len(words[0].text) > _MAX_DIGITS:
        return turn
    number = int(words[0].text)
    if not 1 <= number <= len(offers.bundles):
        return turn
    understood = [replace(one, uncovered=0) for one in turn.question.variants]
    question = replace(turn.question, variants=tuple(understood))
    place = Cue("ordinal", (words[0].index,), number=number)
    return replace(turn, question=question, cues=(*turn.cues, place))


def _tell_cues_from_entities(turn: DialogTurn, asked: Term | None) -> DialogTurn:
    """Drop the cues that are words of the model, and the entities that are no more than a cue.

    What the model's own phrases cover means what the model says. Of a built-in entity and a cue on
    the same words, a yes, a no or a courtesy is the cue, and so is the place of an offer in its
    list ("the second"), unless the bot asks for such an entity. What only repeats an entity that
    the user is to confirm ("book it"), or one of any question that waits in a refusal ("don't book
    it"), is a cue as well, and "cancel" drops a question that waits, whatever else the model
    cancels.
    """
    entities = turn.question.variants[0].entities
    dropped: list[Entity] = []
    owned: list[Cue] = []
    for cue in turn.cues:
        covering = _find_covering(cue, entities)
        if cue.kind in _WITH_ONE:  # "another one": no number
            dropped += [
                one for one in covering if _is_one(one) and set(cue.tokens) > set(one.tokens)
            ]
            covering = [one for one in covering if not any(one is gone for gone in dropped)]
        if _is_courteous_no(turn, cue, covering):
            dropped += covering
        elif _is_own(turn, cue, covering):
            owned.append(cue)
        elif _wins(turn, cue, covering, asked):
            dropped += covering
    left = [one for one in entities if not any(one is gone for gone in dropped)]
    settled = []
    for cue in turn.cues:
        covering = _find_covering(cue, left)
        # "Two more boxes": the words belong to the number, which is added.
        is_more = cue.kind == "add" and any(one.quantity is not None for one in covering)
        is_inside = any(set(cue.tokens).issubset(one.tokens) for one in covering)
        negation = _find_negation(turn, cue, covering)
        if cue in owned and negation is not None:
            settled.append(negation)
            continue
        if (cue in owned and cue.kind in _ANSWERS) or (is_inside and not is_more):
            continue
        settled.append(cue)
    if dropped:  # also what another reading finds in those words: "thanks" in "no thanks"
        turn = turn.change(lambda own: [one for one in own if not _is_among(one, dropped)])
    if any(cue.kind == "indifferent" for cue in settled):
        turn = replace(turn, question=replace(turn.question, is_indifferent=True))
    return replace(turn, cues=tuple(settled))


def _is_among(entity: Entity, dropped: Iterable[Entity]) -> bool:
    """Whether an entity is one of these, or has a part of the words of one; a recognizer may also
    have found it in all of them."""
    tokens = set(entity.tokens)
    return any(
        entity is one
        or (tokens and tokens < set(one.tokens))
        or (not entity.is_from_phrase and entity.tokens == one.tokens)
        for one in dropped
    )


def _is_courteous_no(turn: DialogTurn, cue: Cue, covering: Sequence[Entity]) -> bool:
    """Whether a refusal is a "no" and words of the model that go with it: "no, thanks"."""
    negation = _find_negation(turn, cue, covering)
    if negation is None or not is_no(negation, turn.question.utterance):
        return False
    return all(set(one.tokens).issubset(cue.tokens) for one in covering)


def _find_negation(turn: DialogTurn, cue: Cue, covering: Sequence[Entity]) -> Cue | None:
    """The negation with which a refusal begins whose other words are the model's: "not great" of a
    mood."""
    if cue.kind != "decline" or not covering:
        return None
    start = min(one.tokens[0] for one in covering)
    negation = Cue("negate", tuple([token for token in cue.tokens if token < start]))
    return negation if has_negation(negation, turn.question.utterance) else None


def _find_covering(cue: Cue, entities: Iterable[Entity]) -> list[Entity]:
    return [one for one in entities if not set(cue.tokens).isdisjoint(one.tokens)]


def _is_own(turn: DialogTurn, cue: Cue, covering: Iterable[Entity]) -> bool:
    """Whether a cue is a word of the model, and no repetition of what waits."""
    pending = turn.pending
    if pending is not None and cue.kind == "cancel":
        return False
    confirms = pending is not None and pending.confirms
    repeated = turn.waiting if confirms or cue.kind == "decline" else ()
    return any(
        one.is_from_phrase and not any(is_same_meaning(one, other) for other in repeated)
        for one in covering
    )


def _wins(turn: DialogTurn, cue: Cue, covering: Sequence[Entity], asked: Term | None) -> bool:
    """Whether the words of the entities on a cue are no more than that cue."""
    offers = turn.conversation.offers
    is_place = (
        cue.kind == "ordinal"
        and abs(cue.number) <= _length_of_list(turn)
        and not _is_asked_for(turn, asked, cue, covering)
    )
    if cue.kind in _ANSWERS | _COURTESIES:
        waits = turn.pending is not None or offers is not None
        counts = waits or not _is_phrase_elsewhere(turn, covering)
        counts = counts and not _is_asked_for(turn, asked, cue, covering)
    else:
        is_of_list = offers is not None and bool(offers.bundles)
        counts = is_place or (is_of_list and cue.kind in ("comparison", "other"))
    if not counts:
        return False
    covered = {index for cue in turn.cues for index in cue.tokens}
    if is_place:  # "the 2nd", not "March 2nd"
        content = turn.question.utterance.content_words
        covered |= {one.tokens[0] for one in covering if one.tokens[0] not in content}
    return all(covered.issuperset(one.tokens) for one in covering)


def _is_phrase_elsewhere(turn: DialogTurn, covering: Collection[Entity]) -> bool:
    """Whether the words of an entity are a phrase of the model in another reading."""
    spans = {one.tokens for one in covering}
    return any(
        one.is_from_phrase and one.tokens in spans
        for variant in turn.question.variants
        for one in variant.entities
    )


def _length_of_list(turn: DialogTurn) -> int:
    """How many offers there are, or options in the question that waits, or of how many like things
    it has a list."""
    offers = turn.conversation.offers
    alike = Counter(one.element for one in turn.waiting)
    count = len(offers.bundles) if offers is not None else 0
    return max(count, len(turn.options), *alike.values(), 0)


def _is_asked_for(
    turn: DialogTurn, asked: Term | None, cue: Cue, covering: Collection[Entity]
) -> bool:
    """Whether what the bot asks for stands on all words of a cue: "the 2nd", not "the second one".
    Beside a list of offers or options, an ordinal is no number."""
    if asked is None or not turn.answers_pending:
        return False
    is_listed = turn.conversation.offers is not None or bool(turn.options)
    spans = {one.tokens for one in covering}
    readings = [
        one for variant in turn.question.variants for one in variant.entities if one.tokens in spans
    ]
    return any(
        may_take(asked, one)
        and set(cue.tokens).issubset(one.tokens)
        and not (is_listed and cue.kind == "ordinal" and "grain" not in one.meta)
        for one in readings
    )


def _is_one(entity: Entity) -> bool:
    return (
        not entity.is_from_phrase and entity.meta.get("value") == 1 and not entity.text.isdecimal()
    )


def _mark_negated(turn: DialogTurn) -> DialogTurn:
    """Mark what the sentence negates: by its cues, and values that a recognizer read as "not"."""
    has_cue = any(cue.kind == "negate" or cue.value == "of" for cue in turn.cues)
    if not has_cue and not any(map(_is_inequality, turn.question.variants[0].entities)):
        return turn

    def mark(entities: Sequence[Entity]) -> Sequence[Entity]:
        utterance = turn.question.utterance
        negated = find_negated(entities, utterance, turn.cues) if has_cue else ()
        return [
            _negate(entity) if index in negated or _is_inequality(entity) else entity
            for index, entity in enumerate(entities)
        ]

    marked = turn.change(mark)
    return replace(marked, question=replace(marked.question, has_negated=True))


def _read_bare_no(turn: DialogTurn, excluding: Collection[Term]) -> DialogTurn:
    """Read a negation of a value that nobody has named, with the word for "no" in front, as a no
    and that value: "no Carla" after "with Bruno". What a term takes with a negation needs no
    mention before: "no fish"."""
    first, negated = next(iter(turn.cues), None), turn.negated
    if first is None or first.kind != "negate" or first.tokens[0] != 0 or not negated:
        return turn
    held = [*[one.entity for one in turn.conversation.remembered], *turn.waiting]
    offered = [one for bundle in turn.offers.bundles for one in bundle] if turn.offers else []
    if not is_no(first, turn.question.utterance) or any(
        any(may_take(term, one) for term in excluding)
        or find_replacement(one.groups, held) is None
        or any(takes_back(one, other) for other in (*held, *offered))
        for one in negated
    ):
        return turn
    affirmed = turn.change(lambda own: [replace(one, negated=False) for one in own])
    return replace(affirmed, cues=(replace(first, kind="decline"), *turn.cues[1:]))


def _read_no_between(turn: DialogTurn, listing: Collection[Term]) -> DialogTurn:
    """Read a "no" before a function word as a correction, if that is another value than one before
    it, and one is all that is taken: "turn it on no off"."""
    for cue in turn.cues:
        if cue.kind != "negate" or not cue.tokens or not is_no(cue, turn.question.utterance):
            continue
        new = [one for one in turn.negated if one.tokens[:1] == (cue.tokens[-1] + 1,)]
        # Before a name, "no" may negate that: "book Mars no Venus".
        if any(set(one.tokens) & {*turn.question.utterance.content_words} for one in new):
            continue
        if len(new) == 1 and _corrects_earlier(new[0], turn.said, listing):
            affirmed = _affirm(turn, new[0])
            cues = [replace(one, kind="decline") if one is cue else one for one in turn.cues]
            turn = replace(affirmed, cues=tuple(cues))
    return turn


def _affirm(turn: DialogTurn, negated: Entity) -> DialogTurn:
    return turn.change(
        lambda own: [replace(one, negated=False) if one == negated else one for one in own]
    )


def _corrects_earlier(new: Entity, said: Sequence[Entity], listing: Collection[Term]) -> bool:
    """Whether an earlier value of the same element is said, and only one of them is taken."""
    return not any(may_take(term, new) for term in listing) and any(
        one.element == new.element and one.start < new.start and one.value != new.value
        for one in said
    )


def _is_inequality(entity: Entity) -> bool:
    return not entity.is_from_phrase and (entity.value or "").startswith("!=")


def _negate(entity: Entity) -> Entity:
    value = entity.value
    if value is not None and _is_inequality(entity):
        value = value.removeprefix("!=")
    return replace(entity, value=value, negated=True)


def _drop_corrected(turn: DialogTurn) -> DialogTurn:
    """Drop what the sentence itself corrects: "in the kitchen, no, in the hall"."""
    middle = [cue for cue in turn.cues if cue.kind in ("correct", "decline") and cue.tokens]
    if not middle:
        return turn

    def keep(entities: Sequence[Entity]) -> Sequence[Entity]:
        kept = list(entities)
        for cue in middle:
            after = [one for one in kept if one.tokens and one.tokens[0] > cue.tokens[-1]]
            kept = [
                one
                for one in kept
                if not one.tokens
                or one.tokens[-1] > cue.tokens[0]
                or find_replacement(one.groups, after) is None
            ]
        return kept

    return turn.change(keep)


def drop_names(turn: DialogTurn) -> DialogTurn:
    """Drop the names of elements beside a value of them: "the stylist Anna"."""
    said = turn.said
    names = {one.element for one in said if _is_name(one)}
    valued = {one.element for one in said if one.value is not None}
    if names.isdisjoint(valued):
        return turn
    return turn.change(
        lambda own: [one for one in own if not (_is_name(one) and one.element in valued)]
    )


def _is_name(entity: Entity) -> bool:
    is_bare = entity.value is None and not entity.parts and entity.quantity is None
    return is_bare and entity.is_from_phrase and not entity.negated


def _read_demonstratives(turn: DialogTurn) -> DialogTurn:
    """Read "book it" and "I'll take that" at a confirmation: a yes to all that is to be confirmed,
    unless a question in between was about another thing. Then what accepts without a word for yes
    ("dann das") refers to that."""
    pending = turn.pending
    if pending is None or not (pending.confirms and pending.entities and read_confirmation(turn)):
        return turn
    if not _has_asked_about_another(turn):
        return replace(turn, cues=tuple([cue for cue in turn.cues if cue.kind != "reference"]))
    if turn.has("reference"):
        return turn
    language = turn.question.utterance.language
    read = [
        replace(cue, kind="reference", value="thing")
        if cue.kind == "accept" and parse_yes_no(turn.words_of(cue), language) is not True
        else cue
        for cue in turn.cues
    ]
    return replace(turn, cues=tuple(read))


def _has_asked_about_another(turn: DialogTurn) -> bool:
    """Whether the last question was about another value of what waits."""
    return any(
        held.question_number == turn.conversation.questions
        and any(
            held.entity.element == one.element and not is_same_meaning(held.entity, one)
            for one in turn.waiting
        )
        for held in turn.conversation.remembered
    )
