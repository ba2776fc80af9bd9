"""What of the report is wanted, and in which form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")


class Form(StrEnum):
    """Whole: sizes that count. Short: small ones, to see that everything runs."""

    WHOLE = "whole"
    SHORT = "short"


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """``locomo`` is a file with LoCoMo's dialogs, if there is one; ``scripts`` are those that
    take minutes and run only when they are named."""

    form: Form = Form.WHOLE
    locomo: Path | None = None
    scripts: tuple[str, ...] = ()

    def pick(self, *, whole: _T, short: _T) -> _T:
        """One or the other, by the form."""
        return whole if self.form is Form.WHOLE else short
