"""Failure counters and exponential back-off of background tasks."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from anaphora.errors import AnaphoraError

__all__ = ["Backoff", "describe_error"]

_FIRST_DELAY = timedelta(seconds=1)
_MAX_DELAY = timedelta(minutes=10)

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Backoff:
    """Failure state of one ``task``, described by a verb phrase: after n consecutive failures it
    waits 2ⁿ⁻¹ seconds, at most ten minutes. ``failure_count`` counts all failures."""

    task: str
    clock: Callable[[], datetime]
    failure_count: int = 0
    last_reason: str = ""
    consecutive_failures: int = 0
    retry_at: datetime | None = None

    @property
    def can_try(self) -> bool:
        if self.retry_at is None:
            return True
        left = self.retry_at - self.clock()
        return not timedelta() < left <= _MAX_DELAY  # longer only if the clock was set back

    def record_failure(self, error: Exception) -> None:
        """Record a failure. Unexpected errors are logged with their traceback."""
        self.consecutive_failures += 1
        pause = min(_FIRST_DELAY * 2 ** min(self.consecutive_failures - 1, 20), _MAX_DELAY)
        self.retry_at = self.clock() + pause
        self._record(logging.WARNING, error, f"; it tries again in {pause.total_seconds():g} s")

    def record_rejection(self, error: Exception) -> None:
        """Record an item that could not be processed. Others can, so there is no pause."""
        self._record(logging.ERROR, error, ": an item was put in quarantine")

    def record_success(self) -> None:
        """Reset the back-off."""
        self.consecutive_failures, self.retry_at = 0, None

    def _record(self, level: int, error: Exception, consequence: str) -> None:
        self.failure_count += 1
        self.last_reason = describe_error(error)
        _log.log(
            level,
            "the long-term memory could not %s%s",
            *(self.task, consequence),
            extra={"reason": self.last_reason},
            exc_info=None if isinstance(error, AnaphoraError) else error,
        )


def describe_error(error: Exception) -> str:
    return str(error) or type(error).__name__
