"""Dialogs of users with bots, made up for the tests of summaries: a file a language."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from anaphora.ltm.exchange import Exchange

__all__ = ["NAMES", "dialog", "kept"]

NAMES = ("hotel", "umzug", "poezdka", "chumon")


def dialog(name: str) -> tuple[Exchange, ...]:
    """The exchanges of a dialog, five minutes apart."""
    read = _read(name)
    begin = datetime.fromisoformat(read["at"])
    return tuple(
        Exchange(
            question=one["user"],
            answer=one["bot"],
            at=begin + timedelta(minutes=5 * place, days=one.get("days", 0)),
            slots={name: (value,) for name, value in one.get("slots", {}).items()},
            language=read["language"],
            number=place,
        )
        for place, one in enumerate(read["exchanges"], 1)
    )


def kept(name: str) -> list[str]:
    """What of a dialog has to be in a summary of a third of its words."""
    texts: list[str] = _read(name)["kept"]
    return texts


def _read(name: str) -> dict[str, Any]:
    path = Path(__file__).with_name(f"{name}.yaml")
    read: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return read
