"""Errors of the API, as RFC 9457 describes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import not_

from anaphora.api.values import Value, doc

__all__ = ["FieldError", "ProblemDetails"]


@dataclass(frozen=True, slots=True)
class FieldError(Value):
    """An error in one field of a request."""

    where: str = field(metadata={"examples": ["texts.0"]})
    message: str = field(metadata={"examples": ["Input should be a valid string"]})


@dataclass(frozen=True, slots=True)
class ProblemDetails(Value):
    """An error, as RFC 9457 describes it."""

    type: str = field(
        metadata=doc(
            "The kind of the problem, for programs to compare.",
            examples=["urn:anaphora:problem:invalid-request"],
        )
    )
    title: str = field(metadata=doc("The kind in words.", examples=["Invalid request"]))
    status: int = field(metadata=doc("The HTTP status.", examples=[422]))
    detail: str = field(
        metadata=doc(
            "What is wrong, and how to correct it.",
            examples=["text: Input should be a valid string"],
        )
    )
    errors: tuple[FieldError, ...] = field(
        default=(), metadata=doc("The errors of single fields.", exclude_if=not_)
    )
