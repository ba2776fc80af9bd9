"""Dialogs that change their topic: two dialogs of different services, one after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from benchmarks.dialogs.schema_guided import Dialog, Exchange

__all__ = ["join_dialogs"]

_CLOSING = frozenset(("GOODBYE", "NEGATE", "THANK_YOU"))


def join_dialogs(dialogs: Sequence[Dialog]) -> tuple[Dialog, ...]:
    """Pair dialogs of different services, each used once; the user does not say goodbye in
    between."""
    by_service: dict[str, list[Dialog]] = defaultdict(list)
    for dialog in dialogs:
        by_service[dialog.services[0].name].append(dialog)
    joined = []
    while len(by_service) > 1:
        # The most frequent services first, so that few dialogs are left over.
        first, second = sorted(by_service, key=lambda name: (-len(by_service[name]), name))[:2]
        joined.append(_join(by_service[first].pop(), by_service[second].pop()))
        for name in (first, second):
            if not by_service[name]:
                del by_service[name]
    return tuple(joined)


def _join(first: Dialog, second: Dialog) -> Dialog:
    return Dialog(
        id=f"{first.id}+{second.id}",
        services=first.services + second.services,
        exchanges=_drop_closing(first.exchanges) + second.exchanges,
    )


def _drop_closing(exchanges: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    while len(exchanges) > 1 and exchanges[-1].acts <= _CLOSING:
        exchanges = exchanges[:-1]
    return exchanges
