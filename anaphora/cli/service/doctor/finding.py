"""What a check has found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias

__all__ = ["Finding", "Status", "check_clock", "error", "ok", "utc_now", "warning"]

Status: TypeAlias = Literal["ok", "warning", "error"]

# Retention, expiry and logs of several machines are comparable within some seconds.
_MAX_OFFSET = timedelta(seconds=2)
_MAX_WRONG = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check: of what (``subject``), how it is, and how to mend it (``hint``)."""

    subject: str
    status: Status
    message: str
    hint: str = ""


def ok(subject: str, message: str) -> Finding:
    """A finding without a fault."""
    return Finding(subject, "ok", message)


def warning(subject: str, message: str, hint: str) -> Finding:
    """A fault with which the service runs."""
    return Finding(subject, "warning", message, hint)


def error(subject: str, message: str, hint: str = "") -> Finding:
    """A fault with which the service does not run, or loses data."""
    return Finding(subject, "error", message, hint)


def utc_now() -> datetime:
    """The time of this machine."""
    return datetime.now(UTC)


def check_clock(subject: str, server: datetime, before: datetime, after: datetime) -> Finding:
    """Compare the time of a server with that of this machine ``before`` and ``after`` it was
    asked."""
    ahead, behind = server - after, before - server
    offset = max(ahead, behind, timedelta())
    if offset <= _MAX_OFFSET:
        return ok(subject, "its clock agrees with that of this machine")
    where = "ahead of" if ahead > behind else "behind"
    message = f"its clock is {offset.total_seconds():.0f} s {where} that of this machine"
    hint = "synchronize the clocks of both machines (chrony, systemd-timesyncd)"
    return (error if offset >= _MAX_WRONG else warning)(subject, message, hint)
