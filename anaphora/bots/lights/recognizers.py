"""The recognizer of the model ``lights`` (see docs/entities.md): how bright a light is, in percent.
A number in the metadata lets what follows change it: "10 less", "half of that"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["percentages"]

# Without a unit only what can hardly count anything else in a house.
_PERCENTAGE = re.compile(
    r"\b(?:(100|\d{1,2})\s?(?:%|(?:percent|pour cent|процент\w*)\b)|(100|[1-9]\d)(?![\w.,]*\d))",
    re.IGNORECASE,
)


def percentages(text: str) -> Iterator[Mention]:
    """Recognize percentages from 0 to 100: "35%", "20 percent", "to 50"."""
    for match in _PERCENTAGE.finditer(text):
        number = match[1] or match[2]
        yield Mention(*match.span(), number, {"value": float(number)})
