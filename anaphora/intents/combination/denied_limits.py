"""Read a limit of time that is denied as the one that is left: "I can't before four" is from four
on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.negation import find_negated, is_no
from anaphora.intents.combination.combiners import Combiners
from anaphora.intents.combination.self_corrections import CorrectedUtterance

if TYPE_CHECKING:
    from anaphora.core.utterance import Utterance
    from anaphora.entities.builtin.dates.combining.combiner import DateCombiner

__all__ = ["turn_denied_limits"]


def turn_denied_limits(
    utterance: Utterance, cues: Sequence[Cue], combiners: Combiners, at: datetime
) -> CorrectedUtterance:
    """The utterance with its only date as what is left if that is a limit and denied. The cue that
    denies it corrects what was said before."""
    unchanged = CorrectedUtterance(utterance, tuple(cues))
    denying = [cue for cue in cues if cue.kind == "negate" and not is_no(cue, utterance)]
    dates = [one for one in utterance.entities if one.element in combiners.dates]
    if len(denying) != 1 or len(dates) != 1 or not find_negated(dates, utterance, denying):
        return unchanged
    between = range(denying[0].tokens[-1] + 1, dates[0].tokens[0])
    if any(one.is_from_phrase and one.tokens[0] in between for one in utterance.entities):
        return unchanged  # "don't wake me before nine" denies what is done
    combiner = cast("DateCombiner", combiners.by_element[dates[0].element])
    turned = combiner.turn_limit(dates[0], at)
    if turned is None:
        return unchanged
    entities = tuple([turned if one is dates[0] else one for one in utterance.entities])
    read = [replace(cue, kind="correct") if cue is denying[0] else cue for cue in cues]
    return CorrectedUtterance(replace(utterance, entities=entities), tuple(read))
