"""The fields of a conversation that an earlier version knew: it cannot read a record with more."""

from __future__ import annotations

from typing import TypedDict


class EarlierFields(TypedDict):
    format: int
    user: str
    model: str
