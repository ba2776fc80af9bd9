"""The built-in entity ``phone``: telephone numbers.

The package ``phonenumbers``, a port of Google's library, finds them; a number must be possible in
its country. The country of numbers without a country code is the option ``region``, or else the
region of the language tag (``en-GB``), or else ``phone_country`` in ``locale.yaml`` of the
language. The value is the number in E.164 (``+16502530000``), which the metadata has under
``number``, beside ``country`` (``US``), ``national`` (the national format), ``type`` (``mobile``,
``fixed_line`` …) and ``extension``, if there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from types import ModuleType
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.builtin.language_region import region_of
from anaphora.entities.languages import cached_table
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.entities.words.normalization import base_code
from anaphora.errors import ModelError, Problem
from anaphora.storage.forks import forks_delayed

__all__ = ["create"]

_MAX_TRIES = 500  # candidates that are no valid numbers
_PREFILTER = re.compile(r"\d(?:\W{0,3}\d){4}")  # the matcher takes 25 to 100 µs for any text


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """Create the recognizer of telephone numbers.

    Raises :class:`ModelError` if the package ``phonenumbers`` is missing, or if the option
    ``region`` is no supported country.
    """
    try:
        import phonenumbers  # here: an extra of the package
    except ImportError as error:
        hint = "pip install 'anaphora[phones]'"
        problem = Problem("the entity 'phone' needs the package phonenumbers", hint=hint)
        raise ModelError(problem) from error
    given = str(options.get("region", ""))
    locale = cached_table(base_code(language), "locale")
    region = given.upper() or region_of(language) or locale.get("phone_country")
    if given and region not in phonenumbers.SUPPORTED_REGIONS:
        message = f"the option 'region' of 'phone': unknown region '{given}'"
        raise ModelError(Problem(message, hint="use a code of two letters, such as US or DE"))
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
        with forks_delayed():  # the library imports its data of a country under a lock of its own
            matches = self._library.PhoneNumberMatcher(text, self._region, max_tries=_MAX_TRIES)
            return [self._to_mention(one.start, one.end, one.number) for one in matches]

    def _to_mention(self, start: int, end: int, number: Any) -> Mention:
        forms = self._library.PhoneNumberFormat
        value = self._library.format_number(number, forms.E164)
        meta = {
            "number": value,
            "national": self._library.format_number(number, forms.NATIONAL),
            "type": self._kinds[self._library.number_type(number)],
        }
        country = self._library.region_code_for_number(number)
        if country:
            meta["country"] = country
        if number.extension:
            meta["extension"] = number.extension
        return Mention(start, end, value, meta)
