"""Read LoCoMo (ACL 2024, CC BY-NC 4.0), long dialogs of two people with questions about them.

The file ``locomo10.json`` is not part of this repository: download it from
https://github.com/snap-research/locomo and pass its path to the benchmarks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
    """A turn of one speaker; ``caption`` describes an attached picture. ``id`` is the ``dia_id`` of
    the data set ("D3:7": the seventh turn of the third session)."""

    id: str
    speaker: str
    text: str
    caption: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Session:
    """The turns of one session; ``date`` is its time in the format of the data set."""

    number: int
    date: str
    at: datetime
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a dialog, and the ids of the turns with its answer.

    Questions of category 5 ("adversarial") have no answer in the dialog; their ``answer`` is the
    wrong one that the turns suggest.
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
    """The ten dialogs of the file. Malformed evidence ("D8:6; D9:17", "D:11:26", "D30:05") is
    corrected; evidence that names no turn of the dialog is dropped."""
    return tuple(_parse_dialog(item) for item in json.loads(path.read_text("utf-8")))


def load_paraphrases(path: Path, dialogs: Sequence[Dialog]) -> tuple[Dialog, ...]:
    """The dialogs with questions in other words instead of their own. A line of the file is an
    object with the id of the ``dialog``, the index of the ``question`` and its ``paraphrase``.

    Raises KeyError or IndexError if there is no such dialog or question."""
    known = {dialog.id: dialog for dialog in dialogs}
    found: dict[str, list[Question]] = {dialog.id: [] for dialog in dialogs}
    for line in path.read_text("utf-8").splitlines():
        item = json.loads(line)
        question = known[item["dialog"]].questions[item["question"]]
        found[item["dialog"]].append(replace(question, text=item["paraphrase"]))
    return tuple(replace(dialog, questions=tuple(found[dialog.id])) for dialog in dialogs)


def split_dialogs(dialogs: Sequence[Dialog]) -> tuple[tuple[Dialog, ...], tuple[Dialog, ...]]:
    """The dialogs with odd and with even numbers: one half to fit weights, the other to report
    on."""
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
