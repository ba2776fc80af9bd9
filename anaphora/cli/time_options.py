"""The options ``--at`` and ``--time-zone``, and the local time of this machine."""

from __future__ import annotations

import warnings
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from typing import Annotated

import typer

from anaphora.cli.terminal import value_option

__all__ = ["AtOption", "ZoneOption", "local_now", "parse_time"]

_EARLIEST, _LATEST = 1000, 9000  # years, with room for date arithmetic on both sides

AtOption = Annotated[
    str | None,
    value_option(
        "TIME",
        "The time of the first question, such as 2026-11-21T10:00 or, with a zone, "
        "2026-11-21T10:00+01:00. Default: now.",
        "--at",
    ),
]
ZoneOption = Annotated[
    str | None,
    value_option(
        "NAME",
        "The time zone of the questions, such as Europe/Berlin. Default: that of this machine.",
        "--time-zone",
    ),
]


def local_now() -> datetime:
    """Now, in the time zone of this machine."""
    return datetime.now(_local_zone())


def parse_time(at: str | None = None, time_zone: str | None = None) -> datetime:
    """Parse the options ``--at`` and ``--time-zone``.

    A time without a zone is in ``time_zone``; a time with a zone is converted to it.
    Raises ``typer.BadParameter`` for an invalid time or time zone.
    """
    zone = _parse_zone(time_zone) if time_zone else None
    if at is None:
        return datetime.now(zone or _local_zone())
    time = None
    with suppress(ValueError):
        time = datetime.fromisoformat(at)
    if time is None or not _EARLIEST <= time.year <= _LATEST:
        raise typer.BadParameter(
            f"'{at}' is not a time; write 2026-11-21T10:00 or 2026-11-21T10:00+01:00",
            param_hint="--at",
        )
    if time.tzinfo is None:
        return time.replace(tzinfo=zone or _local_zone())
    return time.astimezone(zone) if zone else time


def _parse_zone(name: str) -> tzinfo:
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):  # an invalid name, no such file, a folder
        raise typer.BadParameter(
            f"'{name}' is not a time zone; write a name such as Europe/Berlin, Asia/Tokyo or UTC",
            param_hint="--time-zone",
        ) from None


def _local_zone() -> tzinfo:
    """The machine's time zone with its daylight-saving rules, or the current UTC offset where the
    machine does not name its zone."""
    from tzlocal import get_localzone

    try:
        with warnings.catch_warnings():  # configuration files may contradict each other
            warnings.simplefilter("ignore")
            return get_localzone()
    except Exception:  # a misconfigured machine must not keep a chat from starting
        return datetime.now().astimezone().tzinfo or UTC
