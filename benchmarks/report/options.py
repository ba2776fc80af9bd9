"""Options of the report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")


class Form(StrEnum):
    """WHOLE uses realistic sizes, SHORT small ones to see that everything runs."""

    WHOLE = "whole"
    SHORT = "short"


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """``locomo`` is a file with LoCoMo's dialogs and ``sgd`` the Schema-Guided Dialogue data, if
    any; ``scripts`` names programs that take minutes and run only on request."""

    form: Form = Form.WHOLE
    locomo: Path | None = None
    scripts: tuple[str, ...] = ()
    sgd: Path | None = None

    def pick(self, *, whole: _T, short: _T) -> _T:
        """The value for the requested form."""
        return whole if self.form is Form.WHOLE else short
