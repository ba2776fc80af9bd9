"""The built-in entity ``email``: e-mail addresses.

The value is the address with its domain in lower case; the metadata has the two parts under
``local`` and ``domain``. Addresses may have letters of any script, but letters of scripts without
spaces only before the last dot of the domain: elsewhere they may be the text around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import regex
from spacy.tokens import Doc

from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.entities.words.scripts import UNSPACED

__all__ = ["create"]

_SPACED = rf"[[\p{{L}}\p{{M}}\p{{Nd}}]--[{UNSPACED}]]"
_UNSPACED_LABEL = rf"[{UNSPACED}\p{{Nd}}]{{1,30}}"
_LABEL = rf"(?:{_SPACED}(?:[{_SPACED}-]{{0,61}}{_SPACED})?|{_UNSPACED_LABEL})"
_LAST = rf"(?:xn--[a-z0-9-]{{2,59}}|[[\p{{L}}\p{{M}}]--[{UNSPACED}]]{{2,63}})"

_LOCAL = regex.compile(rf"(?r)[{_SPACED}_][{_SPACED}_.%+'’-]{{0,63}}", regex.V1)  # backwards
_DOMAIN = regex.compile(
    rf"(?:{_LABEL}\.){{1,8}}{_LAST}(?![{_SPACED}_@])(?!-{_SPACED})", regex.V1 | regex.I
)


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """Create the recognizer of e-mail addresses, the same for all languages; it has no options."""
    return _find_emails


def _find_emails(doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
    text = get_text(doc)
    found: list[Mention] = []
    reach = 0
    sign = text.find("@")
    while sign != -1:
        mention = _parse_around(text, sign, reach)
        if mention is not None:
            found.append(mention)
            reach = mention.end
        sign = text.find("@", sign + 1)
    return found


def _parse_around(text: str, sign: int, reach: int) -> Mention | None:
    """The address around the ``@`` at ``sign``; it starts at ``reach`` or later."""
    domain = _DOMAIN.match(text, sign + 1)
    local = domain and _LOCAL.match(text, reach, sign)
    if not domain or not local or ".." in local.group() or local.group().endswith("."):
        return None
    host = domain.group().lower()
    meta = {"local": local.group(), "domain": host}
    return Mention(local.start(), domain.end(), f"{local.group()}@{host}", meta)
