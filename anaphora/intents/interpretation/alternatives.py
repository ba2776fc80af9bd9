"""Ask which of several is meant: of the values for a term that takes one ("Wednesday or Thursday at
7?"), or of two intents that fit almost as well (rule 19)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Token, Utterance
from anaphora.entities.cues.clauses import COMMAS
from anaphora.entities.cues.cue_words import CueWords
from anaphora.intents.decision.decision import Decision
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.index import may_take
from anaphora.intents.match import Candidate, Match, SlotFilling, TermMatch
from anaphora.intents.ranking_steps import is_close
from anaphora.models.domain import Model
from anaphora.stm.conversation import Offers
from anaphora.stm.offers import is_same_meaning

__all__ = ["ask_if_alternatives", "ask_if_close", "find_joints"]

_MOMENT = timedelta(microseconds=1)
_MAX_BETWEEN = 3  # tokens between two values: or, on the


def ask_if_alternatives(decision: Decision, words: CueWords, at: datetime) -> Decision:
    """Ask which value is meant if the sentence names several, with "or" between them, for a term
    that takes one; ``words`` are those of its language. The rest of the question waits for the
    answer."""
    filling = decision.matches[0].filling if decision.matches else decision.incomplete
    utterance = decision.question.utterance
    if filling is None or len(filling.from_sentence) == 0 or len(utterance.entities) < 2:
        return decision
    joints = find_joints(utterance.text, words)
    if not joints:
        return decision
    for one in filling.terms:
        if one.term.max != 1 or not one.taken or one.taken[0].source != "sentence":
            continue
        alike = _find_alike(one, filling, utterance)
        values = _find_alternatives(one.taken[0].entity, alike, utterance, joints)
        if len(values) > 1:
            return _ask(decision, filling, one, values, at)
    return decision


def find_joints(text: str, words: CueWords) -> list[tuple[int, int]]:
    """Return the offsets of the words for "or" in a text, and of commas if there is such a word;
    ``words`` are those of its language."""
    atoms, matches = words.read(text)
    joints = [
        (atoms[one.first].start, atoms[one.last - 1].end)
        for one in matches
        if one.reading.kind == "or"
    ]
    commas = [(one.start, one.end) for one in atoms if one.text in COMMAS]
    return [*joints, *commas] if joints else []


def _find_alike(filled: TermMatch, filling: SlotFilling, utterance: Utterance) -> Sequence[Entity]:
    """What the term may take as well, but for the parts of longer entities that are taken."""
    taken = [set(one.entity.tokens) for one in filling.from_sentence]
    return [
        one
        for one in utterance.entities
        if one.element == filled.taken[0].entity.element
        and not one.negated
        and may_take(filled.term, one)
        and not any(set(one.tokens) < tokens for tokens in taken)
    ]


def _find_alternatives(
    entity: Entity,
    alike: Sequence[Entity],
    utterance: Utterance,
    joints: Sequence[tuple[int, int]],
) -> list[Entity]:
    """An entity, and what the sentence says instead of it, in its order."""
    values = [entity]
    while True:
        first, last = values[0], values[-1]
        before = [one for one in alike if _are_joined(one, first, utterance, joints)]
        behind = [one for one in alike if _are_joined(last, one, utterance, joints)]
        if not (before or behind):
            return values
        if before:
            values.insert(0, max(before, key=_length))
        if behind:
            values.append(max(behind, key=_length))


def _are_joined(
    one: Entity, other: Entity, utterance: Utterance, joints: Sequence[tuple[int, int]]
) -> bool:
    """Whether nothing but "or" and words such as "on" stand between two entities."""
    if one.end > other.start or is_same_meaning(one, other):
        return False
    between = [token for token in utterance.tokens if one.end <= token.start < other.start]
    inside = [(start, end) for start, end in joints if one.end <= start and end <= other.start]
    rest = [
        token
        for token in between
        if not any(start <= token.start and token.end <= end for start, end in inside)
    ]
    return bool(inside) and len(between) <= _MAX_BETWEEN and not any(map(_is_content, rest))


def _is_content(token: Token) -> bool:
    return token.is_content_word and token.text.isalnum()


def _length(entity: Entity) -> int:
    return entity.end - entity.start


def _ask(
    decision: Decision,
    filling: SlotFilling,
    filled: TermMatch,
    values: Sequence[Entity],
    at: datetime,
) -> Decision:
    """Offer the ``values`` for the term that one of them has ``filled``; what else the question
    says is kept, and its missing terms are asked for afterwards."""
    indices = {index for one in values for index in one.tokens}

    def keep(taken: Iterable[Candidate]) -> tuple[Candidate, ...]:
        return tuple(
            [
                one
                for one in taken
                if one.source != "sentence" or indices.isdisjoint(one.entity.tokens)
            ]
        )

    terms = tuple([replace(one, taken=keep(one.taken)) for one in filling.terms])
    missing = [
        one.term
        for one, before in zip(terms, filling.terms, strict=True)
        if one.term in filling.missing
        or before is filled
        or (before.taken and not one.taken and one.term.min > 0)
    ]
    missing.sort(key=lambda term: term is not filled.term)  # that one is asked for first
    kept = replace(filling, terms=terms, taken=keep(filling.taken), missing=tuple(missing))
    bundles = tuple([(one,) for one in values])
    asked_at = at.astimezone(UTC) + _MOMENT  # newer than the pending question, so answered first
    intent = filling.intent.id
    offers = Offers(intent, bundles, asked_at, then=intent)
    return replace(
        decision,
        conversation=replace(decision.conversation, offers=offers),
        matches=(),
        incomplete=kept,
        pending_action="",
        act=DialogAct("unclear", choices=bundles),
    )


def ask_if_close(model: Model, decision: Decision, at: datetime) -> Decision:
    """Ask which of the best two matches is meant if only the last steps of the ranking tell them
    apart, and the model wants to be asked."""
    settings = model.dialog_acts
    if settings is None or not settings.ask_if_close or len(decision.matches) < 2:
        return decision
    best = decision.matches[0].rank
    close = [one for one in decision.matches if is_close(best, one.rank)]
    bundles = tuple([_taken_now(match) for match in close])
    intents = tuple([match.intent.id for match in close])
    if len(close) < 2 or len(set(zip(map(_values_of, bundles), intents, strict=True))) < 2:
        return decision
    offers = Offers(intents[0], bundles, at.astimezone(UTC), intents=intents)
    conversation = replace(decision.conversation, offers=offers)
    act = DialogAct("unclear", choices=bundles)
    return replace(decision, conversation=conversation, matches=(), act=act)


def _taken_now(match: Match) -> tuple[Entity, ...]:
    """What a match takes from the sentence and from the question that it completes."""
    return tuple([one.entity for one in match.filling.taken if one.remembered is None])


def _values_of(bundle: Iterable[Entity]) -> tuple[tuple[str, str], ...]:
    return tuple([(one.element, one.value_or_text) for one in bundle])
