"""What the engine remembers after a turn, held against the annotated state.

A turn relies on memory if the state has a slot that the user's turn does not name itself. It is
right if the remembered slots are those of the state, each with one of its values. An error that
nobody mends makes all later turns of its dialog wrong; a turn *adds* an error if it is wrong in a
slot that was not wrong in the same way before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.dialogs.schema_guided import Exchange
from benchmarks.dialogs.service_model import slot_element

__all__ = ["Failure", "PlayedTurn", "Score", "TurnScore", "score_dialog", "summarize"]

_ACCEPTING = frozenset(("SELECT", "AFFIRM"))


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn as it was played: the values ``remembered`` after it and ``offered`` before it, by
    element, and the status of the reply."""

    exchange: Exchange
    remembered: Mapping[str, str]
    offered: Mapping[str, str]
    status: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A slot that is wrong: the state has one of the ``expected`` values (none of them: the slot
    should be empty), the memory the ``remembered`` one (None: it is empty)."""

    element: str
    expected: tuple[str, ...]
    remembered: str | None
    cause: str


@dataclass(frozen=True, slots=True)
class TurnScore:
    """A turn with its failures; ``added`` are those that the turn before did not have."""

    dialog: str
    number: int
    services: tuple[str, ...]
    acts: tuple[str, ...]
    text: str
    status: str
    relies_on_memory: bool
    failures: tuple[Failure, ...]
    added: tuple[Failure, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """How many of ``turns`` are right, and how many add no error."""

    turns: int
    right: int
    added_none: int


def score_dialog(dialog: str, turns: Sequence[PlayedTurn]) -> list[TurnScore]:
    """Score the turns of a dialog."""
    canonical = {
        (slot_element(frame.service, action.slot), action.text): action.value
        for turn in turns
        for frame in (*turn.exchange.frames, *turn.exchange.answer_frames)
        for action in frame.actions
    }
    scores: list[TurnScore] = []
    standing: dict[str, Failure] = {}  # by element
    last: Mapping[str, str] = {}
    for number, turn in enumerate(turns, 1):
        services = tuple(frame.service for frame in turn.exchange.frames)
        expected = _read_state(turn.exchange, canonical)
        said = _find_said(turn.exchange)
        failures = tuple(
            Failure(element, tuple(sorted(values)), held, cause)
            for element in sorted(expected.keys() | _of_services(turn.remembered, services))
            if (held := turn.remembered.get(element)) not in (values := expected.get(element, ()))
            and (cause := _find_cause(element, values, element in said, turn, last))
        )
        added = tuple(
            one
            for one in failures
            if (old := standing.get(one.element)) is None or old.remembered != one.remembered
        )
        scores.append(
            TurnScore(
                dialog,
                number,
                services,
                tuple(sorted(turn.exchange.acts)),
                turn.exchange.text,
                turn.status,
                bool(expected.keys() - said),
                failures,
                added,
            )
        )
        # Errors in a service that this turn is not about are still there when it comes back.
        here = _of_services(standing, services)
        standing = {element: one for element, one in standing.items() if element not in here}
        standing |= {one.element: one for one in failures}
        last = turn.remembered
    return scores


def summarize(
    scores: Iterable[TurnScore], keys: Callable[[TurnScore], Iterable[str]]
) -> dict[str, Score]:
    """The score of the turns with each of the keys that ``keys`` gives them, in order."""
    turns: Counter[str] = Counter()
    right: Counter[str] = Counter()
    added_none: Counter[str] = Counter()
    for score in scores:
        for key in keys(score):
            turns[key] += 1
            right[key] += not score.failures
            added_none[key] += not score.added
    return {key: Score(turns[key], right[key], added_none[key]) for key in sorted(turns)}


def _read_state(
    exchange: Exchange, canonical: Mapping[tuple[str, str], str]
) -> dict[str, frozenset[str]]:
    """The values that each slot may have."""
    state = {}
    for frame in exchange.frames:
        for slot, values in frame.state.items():
            element = slot_element(frame.service, slot)
            forms = (canonical.get((element, value), value) for value in values)
            state[element] = frozenset((*values, *forms))
    return state


def _find_said(exchange: Exchange) -> frozenset[str]:
    """The slots that the user names."""
    return frozenset(
        slot_element(frame.service, action.slot)
        for frame in exchange.frames
        for action in frame.actions
        if action.act == "INFORM"
    )


def _of_services(elements: Iterable[str], services: Iterable[str]) -> set[str]:
    prefixes = tuple(f"{name}." for name in services)
    return {element for element in elements if element.startswith(prefixes)}


def _find_cause(
    element: str,
    expected: Collection[str],
    is_said: bool,  # noqa: FBT001
    turn: PlayedTurn,
    last: Mapping[str, str],
) -> str:
    held, accepts = turn.remembered.get(element), bool(turn.exchange.acts & _ACCEPTING)
    if held is not None and held == turn.offered.get(element) and held != last.get(element):
        return "an offer that the state lacks" if accepts else "an offer that nobody accepted"
    if is_said:
        return "said by the user, not remembered"
    if accepts and turn.offered.get(element) in expected:
        return "accepted, not remembered"
    if last.get(element) in expected:
        return "forgotten" if held is None else "replaced"
    if not expected:
        return "of the user or the bot, not in the state"
    return "neither said nor offered"
