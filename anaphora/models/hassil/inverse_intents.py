"""What the intents of Home Assistant do to each other."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = [
    "CALLING_OFF_INTENTS",
    "INCREASING_INTENTS",
    "INVERSE_INTENTS",
    "REMOVING_INTENTS",
    "TIMER_INTENTS",
]

_PAIRS = (
    ("HassTurnOn", "HassTurnOff"),
    ("HassMediaPause", "HassMediaUnpause"),
    ("HassMediaPlayerMute", "HassMediaPlayerUnmute"),
    ("HassMediaNext", "HassMediaPrevious"),
    ("HassPauseTimer", "HassUnpauseTimer"),
    ("HassIncreaseTimer", "HassDecreaseTimer"),
    ("HassVacuumStart", "HassVacuumReturnToBase"),
    ("HassLawnMowerStartMowing", "HassLawnMowerDock"),
    ("HassListAddItem", "HassListRemoveItem"),
    ("HassShoppingListAddItem", "HassShoppingListCompleteItem"),
)

INVERSE_INTENTS: Mapping[str, str] = MappingProxyType(
    dict(_PAIRS)
    | {after: before for before, after in _PAIRS}
    | {"HassStartTimer": "HassCancelTimer"}
)
"""The intent that undoes each of those that can be undone with the same slots."""

REMOVING_INTENTS: Mapping[str, str] = MappingProxyType(
    {added: removed for added, removed in _PAIRS if added.endswith("AddItem")}
)
"""The intent that takes an item off the list to which each of these adds it."""

CALLING_OFF_INTENTS = frozenset(("HassNevermind",))
"""The intents that call off what is left to do."""

INCREASING_INTENTS: Mapping[str, str] = MappingProxyType({"HassStartTimer": "HassIncreaseTimer"})
"""The intent that adds an amount to what each of these has set: "and 5 more minutes"."""

TIMER_INTENTS = frozenset(
    (
        "HassStartTimer",
        "HassCancelTimer",
        "HassIncreaseTimer",
        "HassDecreaseTimer",
        "HassPauseTimer",
        "HassUnpauseTimer",
        "HassTimerStatus",
    )
)
"""The intents about one timer. No slot names it, but "it" may stand for it."""
