"""The intents of Home Assistant that undo each other."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["INVERSE_INTENTS"]

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
)

INVERSE_INTENTS: Mapping[str, str] = MappingProxyType(
    dict(_PAIRS)
    | {after: before for before, after in _PAIRS}
    | {"HassStartTimer": "HassCancelTimer"}
)
"""The intent that undoes each of those that can be undone with the same slots."""
