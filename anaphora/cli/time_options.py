"""The local time of whoever sits at the terminal."""

from __future__ import annotations

import warnings
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from typing import Annotated

import typer

__all__ = ["AtOption", "ZoneOption", "local_now", "parse_time"]

_EARLIEST, _LATEST = 1000, 9000  # years; nothing overflows within them

AtOption = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="TIME",
        help="When the first question is asked, as 2026-11-21T10:00 or with its zone, "
        "2026-11-21T10:00+01:00; now, if left out.",
        show_default=False,
    ),
]
ZoneOption = Annotated[
    str | None,
    typer.Option(
        "--time-zone",
        metavar="NAME",
        help="The time zone of the questions, as Europe/Berlin; that of this machine, if left out.",
        show_default=False,
    ),
]


def local_now() -> datetime:
    """Now, in the time zone of this machine."""
    return datetime.now(_local_zone())


def parse_time(at: str | None = None, time_zone: str | None = None) -> datetime:
    """The time that the options ``--at`` and ``--time-zone`` tell.

    A time without a zone is one of ``time_zone``; one with a zone is shown in it. Raises
    ``typer.BadParameter`` for what is no time or no time zone.
    """
    zone = _parse_zone(time_zone) if time_zone else None
    if at is None:
        return datetime.now(zone or _local_zone())
    read = None
    with suppress(ValueError):
        read = datetime.fromisoformat(at)
    if read is None or not _EARLIEST <= read.year <= _LATEST:
        raise typer.BadParameter(
            f"'{at}' is no time; write 2026-11-21T10:00 or 2026-11-21T10:00+01:00",
            param_hint="--at",
        )
    if read.tzinfo is None:
        return read.replace(tzinfo=zone or _local_zone())
    return read.astimezone(zone) if zone else read


def _parse_zone(name: str) -> tzinfo:
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):  # no name, no file, a folder
        raise typer.BadParameter(
            f"'{name}' is no time zone; they are called Europe/Berlin, Asia/Tokyo, UTC",
            param_hint="--time-zone",
        ) from None


def _local_zone() -> tzinfo:
    """The zone with its changes to summer time, where the machine tells its name; otherwise
    what holds now."""
    from tzlocal import get_localzone

    try:
        with warnings.catch_warnings():  # of files that contradict each other
            warnings.simplefilter("ignore")
            return get_localzone()
    except Exception:  # whatever is wrong with the settings, a chat can begin
        return datetime.now().astimezone().tzinfo or UTC
