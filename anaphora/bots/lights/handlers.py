"""The handlers of the model ``lights``. They keep how bright the light of each room is with the
conversation, so that "half" and "a bit more" start from there; the texts are those of the model.

``data`` holds ``levels``, by room a level in percent, "on" or "off", ``step``, by which the last
one was changed, ``direction``, which "a bit more" goes on with, and what
:mod:`anaphora.bots.undo` remembers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anaphora.bots.ordinals import has_cue
from anaphora.bots.tables import load_texts
from anaphora.bots.undo import remember, take_back
from anaphora.engine.callbacks.answer import Answer
from anaphora.engine.callbacks.handlers import Reject
from anaphora.entities.cues.cue_words import load_cue_words

if TYPE_CHECKING:
    from anaphora.intents.match import Match

__all__ = ["night", "set_level", "switch", "undo"]

_EVERYWHERE = "everywhere"
_CORRECTING = ("correct", "decline", "instead", "negate")
_STEP = 10
_NAMED = {"low": 20.0, "halfway": 50.0, "full": 100.0}
_SIGNS = {"brighter": 1, "darker": -1, "less": -1}


def switch(
    match: Match,
    action: str,
    room: Sequence[str],
    data: dict[str, Any],
    language: str,
    *,
    text: str = "",
) -> None:
    """Switch the lights on or off. Raises :class:`Reject` if a sentence says both, of which only
    one would be done: "the nursery on and the hall off"."""
    said = {one.value for one in match.filling.variant.entities if one.element == "switch"}
    if len(said) > 1 and not has_cue(text, language, *_CORRECTING):
        raise Reject(str(load_texts("lights", language)["one_by_one"]))
    _store(data, room, action)


def night(data: dict[str, Any]) -> None:
    """Switch off all the lights."""
    _store(data, [_EVERYWHERE], "off")


def set_level(
    match: Match,
    level: str,
    room: Sequence[str],
    data: dict[str, Any],
    language: str,
    *,
    action: str = "",
    text: str = "",
    correction: bool = False,
) -> Answer:
    """Set how bright the lights are. What changes that ("half of it", "a bit more", "10 % less")
    starts from the level that is known; in a correction ("no, darker"), from the one before. The
    result is the level, or its name; "brighter" or "darker", if it was unknown."""
    direction = _find_direction(level, action, data.get("direction", "brighter"))
    step = _SIGNS[direction] * _STEP if direction else _find_step(match, text, language)
    if correction and step and data.get("step"):
        take_back(data)
    base = _find_base(data.get("levels", {}), room)
    if step and base is None:
        remember(data)
        data.update(step=step, direction=_name_direction(direction))
        return Answer(result="brighter" if step > 0 else "darker")
    known = 0.0 if base is None else base
    if level == "halved":
        new = (known or 100) / 2
    elif level in _NAMED:
        new = _NAMED[level]
    else:
        new = known + step if step else float(level)
    new = min(max(new, 0.0), 100.0)
    _store(data, room, new, step=step, direction=_name_direction(direction))
    if level in _NAMED:
        return Answer(result=level)
    # "And the hall?" is about the level, but after "brighter" about what changed it.
    is_relative = level == "halved" or (step and not direction)
    mentions = {"percent": f"{new:g}%"} if is_relative else None
    return Answer(result=f"{new:g}", mentions=mentions)


def undo(data: dict[str, Any]) -> Answer:
    """Take back the last change; the result says whether there was one."""
    now = data.get("levels", {})
    if not take_back(data):
        return Answer(result=False)
    before = data.get("levels", {})
    changed = [one for one in (*now, *before) if now.get(one) != before.get(one)]
    levels = [level for one in changed if isinstance(level := before.get(one), float)]
    return Answer(result=True, mentions={"percent": f"{levels[0]:g}%"} if levels else None)


def _find_direction(level: str, action: str, last: str) -> str:
    """The direction in which a level changes the brightness; '' if it names one."""
    if level == "more":
        return last
    if level == "slight":  # "turn it up a bit"
        return "brighter" if action == "up" else "darker"
    return level if level in _SIGNS else ""


def _find_step(match: Match, text: str, language: str) -> float:
    """By how many percent an amount changes a level that the memory does not have: "10 % less"
    after "darker"; 0 if it changes none."""
    (level,) = match.slots["level"].entities
    _, phrases = load_cue_words(language).read(text)
    changes = [one.reading.value for one in phrases if one.reading.kind == "change"]
    if level.element != "percent" or "changed_from" in level.meta or not changes:
        return 0.0
    return float(level.value_or_text) * (1 if changes[0] == "more" else -1)


def _find_base(levels: Mapping[str, Any], rooms: Sequence[str]) -> float | None:
    """The known level of the first room that has one."""
    known = (levels.get(room, levels.get(_EVERYWHERE)) for room in rooms)
    found = next((level for level in known if level is not None and level != "on"), None)
    return 0.0 if found == "off" else found


def _name_direction(direction: str) -> str:
    """The direction of "a bit more" after a change: after "less", it is no further in that one."""
    return "darker" if direction == "darker" else "brighter"


def _store(data: dict[str, Any], rooms: Sequence[str], level: Any, **change: Any) -> None:
    remember(data)
    before = {} if _EVERYWHERE in rooms else data.get("levels", {})
    data["levels"] = {**before, **dict.fromkeys(rooms, level)}
    data.update({"step": 0, "direction": "brighter"}, **change)
