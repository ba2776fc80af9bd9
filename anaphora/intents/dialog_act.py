"""What a question does to what was said before."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from anaphora.core.utterance import Entity

__all__ = ["DialogAct"]


class DialogAct(Struct, frozen=True):
    """What a question does to what the bot, or the user, said before.

    - ``accepted``: ``accepted`` has the entities of the bundle that the user takes;
    - ``declined``: ``declined`` has the bundles that the user does not want; the intent that
      offered them is asked again. ``comparison`` tells what is wanted instead ("price:less");
    - ``unclear``: the user takes one of ``choices``, but does not say which;
    - ``corrected``: the last question is asked again with other values;
    - ``changed``: the same, with something added or taken away;
    - ``cancelled``: nothing of what the bot proposed is wanted;
    - ``afresh``: the user may begin a new question or change the last one, and is asked.
    """

    kind: Literal["accepted", "declined", "unclear", "corrected", "changed", "cancelled", "afresh"]
    accepted: tuple[Entity, ...] = ()
    declined: tuple[tuple[Entity, ...], ...] = ()
    choices: tuple[tuple[Entity, ...], ...] = ()
    comparison: str = ""
