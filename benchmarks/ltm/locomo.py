"""Reads LoCoMo (ACL 2024, CC BY-NC 4.0), long dialogs of two people with questions about them.

The file ``locomo10.json`` is no part of this repository: the benchmarks take its path. Take it
from https://github.com/snap-research/locomo.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

Category = Literal[1, 2, 3, 4, 5]
CATEGORIES: dict[Category, str] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}

_DATE = "%I:%M %p on %d %B, %Y"
_PLACE = re.compile(r"D:?(\d+):0*(\d+)")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker said; ``caption`` describes a picture that was sent along. ``id`` is the
    data set's ``dia_id`` ("D3:7": the seventh turn of the third session)."""

    id: str
    speaker: str
    text: str
    caption: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Session:
    """The turns of one sitting; ``date`` is its time as the data set writes it."""

    number: int
    date: str
    at: datetime
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a dialog, and the ids of the turns that hold its answer.

    The questions of category 5 have no answer in the dialog ("adversarial": something else is
    asked about those turns); ``answer`` is then the wrong one that the turns suggest.
    """

    text: str
    answer: str
    category: Category
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog of two speakers, and the questions about it."""

    id: str
    speakers: tuple[str, str]
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]

    @property
    def turns(self) -> Iterator[Turn]:
        """All turns of all sessions, oldest first."""
        return (turn for session in self.sessions for turn in session.turns)


def load_dialogs(path: Path) -> tuple[Dialog, ...]:
    """The ten dialogs of the file. Evidence that is written unclearly ("D8:6; D9:17", "D:11:26",
    "D30:05") is read as it is meant; such as names no turn of the dialog is left out."""
    return tuple(_parse_dialog(item) for item in json.loads(path.read_text("utf-8")))


def split_dialogs(dialogs: Sequence[Dialog]) -> tuple[tuple[Dialog, ...], tuple[Dialog, ...]]:
    """The first, third, … dialog, and the others: to choose weights on the one half and to report
    on the other."""
    return tuple(dialogs[::2]), tuple(dialogs[1::2])


def _parse_dialog(item: dict[str, Any]) -> Dialog:
    said = item["conversation"]
    numbers = sorted(
        int(key.removeprefix("session_"))
        for key, value in said.items()
        if key.startswith("session_") and isinstance(value, list) and value
    )
    sessions = tuple(_parse_session(said, number) for number in numbers)
    known = {turn.id for session in sessions for turn in session.turns}
    return Dialog(
        id=item["sample_id"],
        speakers=(said["speaker_a"], said["speaker_b"]),
        sessions=sessions,
        questions=tuple(_parse_question(one, known) for one in item["qa"]),
    )


def _parse_session(said: dict[str, Any], number: int) -> Session:
    date = said[f"session_{number}_date_time"]
    at = datetime.strptime(date, _DATE).replace(tzinfo=UTC)
    turns = tuple(
        Turn(one["dia_id"], one["speaker"], one["text"], one.get("blip_caption", ""), at)
        for one in said[f"session_{number}"]
    )
    return Session(number, date, at, turns)


def _parse_question(item: dict[str, Any], known: set[str]) -> Question:
    places = [
        f"D{session}:{turn}"
        for written in item["evidence"]
        for session, turn in _PLACE.findall(written)
    ]
    return Question(
        text=item["question"],
        answer=str(item.get("answer", item.get("adversarial_answer", ""))),
        category=item["category"],
        evidence=tuple(dict.fromkeys(place for place in places if place in known)),
    )
