"""Made-up dialogs in the format of the Schema-Guided Dialogue data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GARDEN = {
    "service_name": "Garden_1",
    "slots": [{"name": name} for name in ("kind", "plant", "pots", "day", "height")],
    "intents": [
        {
            "name": "FindPlant",
            "is_transactional": False,
            "required_slots": ["kind"],
            "optional_slots": {},
        },
        {
            "name": "OrderPlant",
            "is_transactional": True,
            "required_slots": ["plant", "day"],
            "optional_slots": {"pots": "1"},
        },
    ],
}
LIBRARY = {
    "service_name": "Library_1",
    "slots": [{"name": "title"}],
    "intents": [
        {
            "name": "FindBook",
            "is_transactional": False,
            "required_slots": ["title"],
            "optional_slots": {},
        }
    ],
}


def act(name: str, slot: str = "", text: str = "", value: str = "") -> dict[str, Any]:
    """An action; ``value`` is the canonical form of ``text`` if it differs."""
    values, canonical = ([text], [value or text]) if text else ([], [])
    return {"act": name, "slot": slot, "values": values, "canonical_values": canonical}


def turn(
    text: str,
    *actions: dict[str, Any],
    state: Mapping[str, list[str]] | None = None,
    service: str = "Garden_1",
) -> dict[str, Any]:
    """A turn of the user if it has a state, else of the system. All values that stand in the text
    have spans."""
    spans = [
        {
            "slot": action["slot"],
            "start": text.index(action["values"][0]),
            "exclusive_end": text.index(action["values"][0]) + len(action["values"][0]),
        }
        for action in actions
        if action["values"] and action["values"][0] in text
    ]
    frame = {"service": service, "actions": list(actions), "slots": spans}
    if state is not None:
        frame["state"] = {"slot_values": state}
    return {
        "speaker": "SYSTEM" if state is None else "USER",
        "utterance": text,
        "frames": [frame],
    }


def garden_dialog(id: str = "1_00000") -> dict[str, Any]:
    """A user who accepts a plant, corrects the day, and accepts again."""
    fern = {"kind": ["shade"]}
    order = {**fern, "plant": ["Lady Fern"], "day": ["Friday"]}
    corrected = {**order, "day": ["Sunday"]}
    confirmed = {**corrected, "pots": ["1"]}
    turns = [
        turn(
            "I want something green for the shade.",
            act("INFORM_INTENT", "intent", "FindPlant"),
            act("INFORM", "kind", "shade"),
            state=fern,
        ),
        turn(
            "How about Lady Fern? It grows to 90 cm.",
            act("OFFER", "plant", "Lady Fern"),
            act("OFFER", "height", "90 cm"),
        ),
        turn("Does it need a pot?", act("REQUEST", "pots"), state=fern),
        turn("No, it doesn't.", act("INFORM", "pots", "0")),
        turn(
            "That sounds good. Please order it for Friday.",
            act("SELECT"),
            act("INFORM_INTENT", "intent", "OrderPlant"),
            act("INFORM", "day", "Friday"),
            state=order,
        ),
        turn(
            "One Lady Fern on Friday, is that right?",
            act("CONFIRM", "plant", "Lady Fern"),
            act("CONFIRM", "day", "Friday"),
            act("CONFIRM", "pots", "One", "1"),
        ),
        turn("No, on Sunday.", act("NEGATE"), act("INFORM", "day", "Sunday"), state=corrected),
        turn("On Sunday, is that right?", act("CONFIRM", "day", "Sunday")),
        turn("Yes, it is.", act("AFFIRM"), state=confirmed),
        turn("I have ordered it.", act("NOTIFY_SUCCESS"), act("REQ_MORE")),
        turn("No, that's all.", act("NEGATE"), act("THANK_YOU"), state=confirmed),
        turn("Have a nice day.", act("GOODBYE")),
    ]
    return {"id": id, "services": ["Garden_1"], "turns": turns}


def library_dialog(id: str = "2_00000") -> dict[str, Any]:
    """A user who asks for a book."""
    turns = [
        turn(
            "Do you have Emma?",
            act("INFORM_INTENT", "intent", "FindBook"),
            act("INFORM", "title", "Emma"),
            state={"title": ["Emma"]},
            service="Library_1",
        ),
        turn("We do.", act("NOTIFY_SUCCESS"), service="Library_1"),
    ]
    return {"id": id, "services": ["Library_1"], "turns": turns}


def mixed_dialog(id: str = "3_00000") -> dict[str, Any]:
    """A user who accepts a plant and asks for a book in one sentence."""
    garden, library = garden_dialog(), library_dialog()
    both = turn(
        "That sounds good. And do you have Emma?",
        act("SELECT"),
        state={"kind": ["shade"], "plant": ["Lady Fern"]},
    )
    asked = turn(
        both["utterance"],
        act("INFORM_INTENT", "intent", "FindBook"),
        act("INFORM", "title", "Emma"),
        state={"title": ["Emma"]},
        service="Library_1",
    )
    both["frames"] += asked["frames"]
    return {
        "id": id,
        "services": ["Garden_1", "Library_1"],
        "turns": [*garden["turns"][:2], both, library["turns"][1]],
    }


def data_set() -> dict[str, Any]:
    """A file with both dialogs."""
    return {"schema": [GARDEN, LIBRARY], "dialogues": [garden_dialog(), library_dialog()]}
