"""Read the Schema-Guided Dialogue data (Google, CC BY-SA 4.0): dialogs of a user with a system in
many services, annotated with what each turn does and with what the user wants by then.

The data is not part of this repository: download a split from
https://github.com/google-research-datasets/dstc8-schema-guided-dialogue and pass its folder (with
``schema.json``), or pass one file with the keys ``schema`` and ``dialogues``, compressed or not.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Action", "DataError", "Dialog", "Exchange", "Frame", "Service", "load_data"]


class DataError(Exception):
    """The data cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service: the slots of each of its intents, which of them act (rather than search), and all
    its slots."""

    name: str
    intents: Mapping[str, frozenset[str]]
    acting: frozenset[str]
    slots: tuple[str, ...]

    @property
    def state_slots(self) -> frozenset[str]:
        """The slots that a user can fill: those of some intent."""
        return frozenset().union(*self.intents.values())

    @property
    def offered_slots(self) -> frozenset[str]:
        """The slots that a user takes over from an offer: those with which an intent acts. A
        service that only searches keeps what it searches for."""
        return frozenset().union(*(self.intents[name] for name in self._goals))

    def next_intent(self, intent: str) -> str:
        """The intent that an offer of ``intent`` leads to: the only other one that acts; '' if
        there is none, or several."""
        others = [name for name in self._goals if name != intent]
        return others[0] if len(others) == 1 else ""

    @property
    def _goals(self) -> Iterable[str]:
        return self.acting or self.intents


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a turn does. ``text`` is the value as the turn has it, ``value`` its canonical
    form; both are '' without a value. ``slot`` is '' or 'intent' if it is about no slot."""

    act: str
    slot: str = ""
    text: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a turn does in one service; ``spans`` has the characters of the slots in its text.
    After a turn of the user, ``state`` has the possible values of each slot, and ``intent`` is what
    the user wants done ('NONE' for nothing)."""

    service: str
    actions: tuple[Action, ...]
    spans: Mapping[str, tuple[int, int]]
    state: Mapping[str, tuple[str, ...]]
    intent: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn of the user and the system's answer."""

    text: str
    frames: tuple[Frame, ...]
    answer: str
    answer_frames: tuple[Frame, ...]

    @property
    def acts(self) -> frozenset[str]:
        """The acts of the user."""
        return frozenset(action.act for frame in self.frames for action in frame.actions)


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog with one or several services."""

    id: str
    services: tuple[Service, ...]
    exchanges: tuple[Exchange, ...]


def load_data(path: Path) -> tuple[Dialog, ...]:
    """The dialogs of a file or of a folder. Raises :class:`DataError`."""
    schema, dialogs = _read_folder(path) if path.is_dir() else _read_file(path)
    try:
        services = {item["service_name"]: _parse_service(item) for item in schema}
        return tuple(_parse_dialog(item, services) for item in dialogs)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise DataError(
            f"{path} is not in the format of the Schema-Guided Dialogue data: {error!r}"
        ) from error


def _read_file(path: Path) -> tuple[list[Any], list[Any]]:
    data = _read_json(path)
    if not isinstance(data, dict) or not {"schema", "dialogues"} <= data.keys():
        raise DataError(
            f"{path} has no keys 'schema' and 'dialogues'; for the original files, pass their "
            "folder"
        )
    return data["schema"], data["dialogues"]


def _read_folder(folder: Path) -> tuple[list[Any], list[Any]]:
    files = sorted(folder.glob("dialogues_*.json"))
    if not files:
        raise DataError(f"{folder} has no files dialogues_*.json")
    return (
        _read_json(folder / "schema.json"),
        [item for file in files for item in _read_json(file)],
    )


def _read_json(path: Path) -> Any:
    try:
        content = path.read_bytes()
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
        return json.loads(content)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    except ValueError as error:  # neither UTF-8 nor JSON
        raise DataError(f"{path} is not JSON: {error}") from error


def _parse_service(item: dict[str, Any]) -> Service:
    intents = {
        intent["name"]: frozenset((*intent["required_slots"], *intent["optional_slots"]))
        for intent in item["intents"]
    }
    return Service(
        name=item["service_name"],
        intents=intents,
        acting=frozenset(one["name"] for one in item["intents"] if one["is_transactional"]),
        slots=tuple(slot["name"] for slot in item["slots"]),
    )


def _parse_dialog(item: dict[str, Any], services: Mapping[str, Service]) -> Dialog:
    turns = item["turns"]
    if [turn["speaker"] for turn in turns] != ["USER", "SYSTEM"] * (len(turns) // 2):
        raise ValueError(f"the speakers of {item.get('id', 'a dialog')} do not take turns")
    return Dialog(
        id=item.get("id") or item["dialogue_id"],
        services=tuple(services[name] for name in item["services"]),
        exchanges=tuple(
            Exchange(
                user["utterance"], _parse_frames(user), system["utterance"], _parse_frames(system)
            )
            for user, system in zip(turns[::2], turns[1::2], strict=True)
        ),
    )


def _parse_frames(turn: dict[str, Any]) -> tuple[Frame, ...]:
    return tuple(
        Frame(
            service=frame["service"],
            actions=tuple(action for given in frame["actions"] for action in _parse_actions(given)),
            spans={
                span["slot"]: (span["start"], span["exclusive_end"])
                for span in frame["slots"]
                if "start" in span  # a value copied from another slot has no place
            },
            state={
                slot: tuple(values)
                for slot, values in frame.get("state", {}).get("slot_values", {}).items()
            },
            intent=frame.get("state", {}).get("active_intent", ""),
        )
        for frame in turn["frames"]
    )


def _parse_actions(item: dict[str, Any]) -> Iterator[Action]:
    values = item["values"]
    canonical = item.get("canonical_values") or values
    if not values:
        yield Action(item["act"], item["slot"])
    for text, value in zip(values, canonical, strict=True):
        yield Action(item["act"], item["slot"], text, value)
