"""The replies to several questions, as the client returns them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anaphora.api.replies import Reply
from anaphora.api.values import decode
from anaphora.client.errors import ApiError, build_error

__all__ = ["Dialog", "decode_dialog"]


@dataclass(frozen=True, slots=True)
class Dialog:
    """The replies to several questions, and the problem that ended the dialog early, if any."""

    replies: tuple[Reply, ...]
    problem: ApiError | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


def decode_dialog(plain: object) -> Dialog:
    """Decode the response to several questions.

    Raises ``ValueError`` for data of another shape.
    """
    if not isinstance(plain, dict) or not isinstance(plain.get("replies"), list):
        raise ValueError("expected a list of replies")
    problem = plain.get("problem")
    error = None
    if isinstance(problem, dict):
        status = problem.get("status")
        error = build_error(status if isinstance(status, int) else 0, problem)
    return Dialog(tuple(decode(Reply, one) for one in plain["replies"]), error, plain)
