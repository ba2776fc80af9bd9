"""What goes wrong in the background: counted, logged, and tried again a little later each time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from anaphora.errors import AnaphoraError

__all__ = ["Failures", "reason_of"]

_FIRST = timedelta(seconds=1)
_LONGEST = timedelta(minutes=10)

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Failures:
    """The failures of one kind of ``work``: it may be tried at once, and after n failures in a
    row 2ⁿ⁻¹ seconds later, at most ten minutes. ``count`` counts all of them."""

    work: str
    clock: Callable[[], datetime]
    count: int = 0
    last: str = ""
    in_a_row: int = 0
    retry_at: datetime | None = None

    @property
    def may_try(self) -> bool:
        if self.retry_at is None:
            return True
        left = self.retry_at - self.clock()
        return not timedelta() < left <= _LONGEST  # it is longer where the clock was set back

    def failed(self, error: Exception) -> None:
        """Note a failure. One of a kind that nobody foresaw is logged with its traceback."""
        self.count += 1
        self.in_a_row += 1
        self.last = reason_of(error)
        pause = min(_FIRST * 2 ** min(self.in_a_row - 1, 20), _LONGEST)
        self.retry_at = self.clock() + pause
        _log.warning(
            "the long-term memory could not %s; it tries again in %g s",
            self.work,
            pause.total_seconds(),
            extra={"reason": self.last},
            exc_info=None if isinstance(error, AnaphoraError) else error,
        )

    def refused(self, error: Exception) -> None:
        """Note that one item could not be processed. Others can, so there is no pause."""
        self.count += 1
        self.last = reason_of(error)
        _log.error(
            "the long-term memory could not %s: an item was put in quarantine",
            self.work,
            extra={"reason": self.last},
            exc_info=None if isinstance(error, AnaphoraError) else error,
        )

    def succeeded(self) -> None:
        """Note that it works."""
        self.in_a_row, self.retry_at = 0, None


def reason_of(error: Exception) -> str:
    return str(error) or type(error).__name__
