"""The built-in entity ``phone``: telephone numbers.

Google's library finds them, as the package ``phonenumbers``; a number must be possible in its
country. The option ``region`` is the country of numbers without a country code; else that of the
language as the model writes it (``en-GB``), else as ``locale.yaml`` of the language
has it. The value is the number as E.164 has it (``+16502530000``), which is also under ``number``;
further metadata are ``country`` (``US``), ``national`` (as it is written there), ``type``
(``mobile``, ``fixed_line`` …) and ``extension``, where one is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from types import ModuleType
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.languages import cached_table
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.entities.words.normalization import base_code
from anaphora.errors import ModelError, Problem
from anaphora.storage.forks import forks_delayed

__all__ = ["create"]

_MAX_TRIES = 500  # of what only looks like a number
_PREFILTER = re.compile(r"\d(?:\W{0,3}\d){4}")  # the matcher takes 25 to 100 µs for any text


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """The recognizer of telephone numbers.

    Raises :class:`ModelError` without the package ``phonenumbers``, and for an option ``region``
    that is no country.
    """
    try:
        import phonenumbers  # here: an extra of the package
    except ImportError as error:
        hint = "pip install 'anaphora[phones]'"
        problem = Problem("the entity 'phone' needs the package phonenumbers", hint=hint)
        raise ModelError(problem) from error
    given = str(options.get("region", ""))
    region = given.upper() or _region_of(language)
    if given and region not in phonenumbers.SUPPORTED_REGIONS:
        message = f"the option 'region' of 'phone': '{given}' is no country"
        raise ModelError(Problem(message, hint="it is a code of two letters, such as US or DE"))
    return _PhoneRecognizer(phonenumbers, region)


class _PhoneRecognizer:
    def __init__(self, library: ModuleType, region: str | None) -> None:
        self._library = library
        self._region = region
        kinds = vars(library.PhoneNumberType)
        self._kinds = {
            value: name.lower() for name, value in kinds.items() if isinstance(value, int)
        }

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        text = get_text(doc)
        if not _PREFILTER.search(text):
            return []
        with forks_delayed():  # it imports what it knows of a country, under a lock of its own
            matches = self._library.PhoneNumberMatcher(text, self._region, max_tries=_MAX_TRIES)
            return [
                Mention(
                    one.start,
                    one.end,
                    self._format_number(one.number, "E164"),
                    self._build_metadata(one),
                )
                for one in matches
            ]

    def _build_metadata(self, match: Any) -> dict[str, Any]:
        number = match.number
        meta = {
            "number": self._format_number(number, "E164"),
            "national": self._format_number(number, "NATIONAL"),
            "type": self._kinds[self._library.number_type(number)],
        }
        country = self._library.region_code_for_number(number)
        if country:
            meta["country"] = country
        if number.extension:
            meta["extension"] = number.extension
        return meta

    def _format_number(self, number: Any, form: str) -> str:
        plain: str = self._library.format_number(
            number, getattr(self._library.PhoneNumberFormat, form)
        )
        return plain


def _region_of(language: str) -> str | None:
    """The country that the code of a language names (``en-GB``), else the one of the table."""
    for part in language.replace("_", "-").split("-")[1:]:
        if len(part) == 2:
            return part.upper()
    return cached_table(base_code(language), "locale").get("phone_country")
