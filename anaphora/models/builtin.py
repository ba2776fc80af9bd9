"""The built-in entities by name, with the options that a model may give them.

What they find and how is in :mod:`anaphora.entities`; a model only names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from anaphora.models.hints import did_you_mean

__all__ = [
    "BUILT_IN",
    "NLPCRAFT",
    "BuiltIn",
    "Option",
    "WrongOption",
    "known_entity",
    "options_of",
    "wrong_options",
]


@dataclass(frozen=True, slots=True)
class Option:
    """One option. ``default`` has the kind of all its values: a whole number (at least
    ``least``), a text, or a list of texts; ``choices`` are all texts that it may be or hold
    (any, if there are none). ``example`` is a code, which all others have the length of; it may
    be left empty."""

    description: str
    default: int | str | tuple[str, ...]
    choices: tuple[str, ...] = ()
    least: int = 0
    example: str = ""

    def read(self, value: Any) -> int | str | tuple[str, ...]:
        """The value as the entity gets it. Raises ValueError, in words for the user, for one
        that it cannot be."""
        match self.default:
            case int():
                if isinstance(value, bool) or not isinstance(value, int):
                    raise ValueError(f"expected a whole number, not {value!r}")
                if value < self.least:
                    raise ValueError(f"expected at least {self.least}, not {value}")
                return value
            case str():
                return self._text(value)
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, Sequence) or (self.default and not listed):
            raise ValueError(f"expected a text or a list of texts, not {value!r}")
        return tuple(self._text(one) for one in listed)

    def _text(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError(f"expected a text, not {value!r}")
        if self.choices and value not in self.choices:
            raise ValueError(f"'{value}' is none of {', '.join(self.choices)}")
        if self.example and value and not re.fullmatch(f"[A-Za-z]{{{len(self.example)}}}", value):
            raise ValueError(
                f"'{value}' is no code of {len(self.example)} letters, as {self.example}"
            )
        return value


class WrongOption(NamedTuple):
    """A mistake in the option ``key``."""

    key: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A built-in entity. One of NLPCraft is another one of ours, ``wraps``, whose options in
    ``fixed`` cannot be chosen."""

    name: str
    description: str
    options: Mapping[str, Option] = field(default_factory=dict)
    wraps: str = ""
    fixed: Mapping[str, Any] = field(default_factory=dict)


_OF = Option("The groups or elements that it may refer to; all, if none is named.", ())

BUILT_IN: Mapping[str, BuiltIn] = {
    one.name: one
    for one in (
        BuiltIn(
            "date",
            "A day, a week, a time of the day, a range …: tomorrow at 5pm, last 3 days.",
            {
                "prefer": Option(
                    "Whether a date that does not tell (Friday, May 1) lies ahead or behind.",
                    "future",
                    ("future", "past"),
                ),
                "order": Option(
                    "How 1/2/2024 is read (DMY, MDY, YMD): as in the language, if left out.",
                    "",
                    ("", "DMY", "MDY", "YMD"),
                ),
                "week": Option("The first day of the week.", "monday", ("monday", "sunday")),
            },
        ),
        BuiltIn("duration", "A length of time: two and a half hours, 90 minutes."),
        BuiltIn(
            "number",
            "A number in digits or words, with its unit, or a range: more than 5 km.",
        ),
        BuiltIn(
            "place",
            "A city, a region, a country or a continent.",
            {
                "kinds": Option(
                    "What is looked for.",
                    ("city", "region", "country", "continent"),
                    ("city", "region", "country", "continent"),
                ),
                "population": Option(
                    "How many people a city has at least; below 15,000 more memory is needed.",
                    15_000,
                ),
                "ambiguity": Option("The most places of one name.", 4, least=1),
            },
        ),
        BuiltIn(
            "limit",
            "How many of something, from which end: top 10 cities, the last few orders.",
            {"of": _OF, "default": Option("How many are meant by 'top cities'.", 10, least=1)},
        ),
        BuiltIn("sort", "In which order: sorted by price, descending.", {"of": _OF}),
        BuiltIn("relation", "What is compared or correlated with what.", {"of": _OF}),
        BuiltIn("coordinate", "A point on the earth: 55.75, 37.62 or 48°51'N 2°21'E."),
        BuiltIn("email", "An e-mail address."),
        BuiltIn("url", "The address of a page: https://example.com/a or example.com."),
        BuiltIn(
            "phone",
            "A telephone number.",
            {
                "region": Option(
                    "The country (US, DE) of numbers without a country code; that of the "
                    "language, if left out.",
                    "",
                    example="US",
                )
            },
        ),
        BuiltIn(
            "money",
            "An amount of money: $5, 20 euros, 300 рублей.",
            {
                "currency": Option(
                    "The currency (USD) of a bare number (none, if left out), and of a sign that "
                    "several share (that of the language, if left out).",
                    "",
                    example="USD",
                ),
                "bare": Option(
                    "Whether a number without a currency is an amount, where an intent needs one.",
                    "allowed",
                    ("allowed", "never"),
                ),
            },
        ),
        BuiltIn("boolean", "Yes or no: sure, of course, no way."),
    )
}


def _of_nlpcraft(id: str, wraps: str, **fixed: Any) -> BuiltIn:
    base = BUILT_IN[wraps]
    options = {key: option for key, option in base.options.items() if key not in fixed}
    name = f"nlpcraft:{id}"
    return BuiltIn(name, f"As '{wraps}', with NLPCraft's metadata.", options, wraps, fixed)


NLPCRAFT: Mapping[str, BuiltIn] = {
    one.name: one
    for one in (
        _of_nlpcraft("date", "date"),
        _of_nlpcraft("num", "number"),
        _of_nlpcraft("coordinate", "coordinate"),
        _of_nlpcraft("limit", "limit"),
        _of_nlpcraft("sort", "sort"),
        _of_nlpcraft("relation", "relation"),
        *(
            _of_nlpcraft(kind, "place", kinds=(kind,))
            for kind in ("continent", "country", "region", "city")
        ),
    )
}
"""Those of NLPCraft that files of its own may switch on, under its names for them."""


def known_entity(name: str) -> BuiltIn | None:
    """The built-in entity of that name, one of NLPCraft's among them; None if there is none."""
    return BUILT_IN.get(name) or NLPCRAFT.get(name)


def options_of(name: str, written: Mapping[str, Any]) -> dict[str, int | str | tuple[str, ...]]:
    """The options of a built-in entity, those that are not written with their defaults.

    Raises ValueError, in words for the user, for an unknown option and for a wrong value; KeyError
    for an unknown entity.
    """
    for wrong in wrong_options(name, written):
        raise ValueError(f"{wrong.message}: {wrong.hint}" if wrong.hint else wrong.message)
    return {
        key: option.read(written[key]) if key in written else option.default
        for key, option in _entity(name).options.items()
    }


def wrong_options(name: str, written: Mapping[str, Any]) -> Iterator[WrongOption]:
    """What is wrong with the options that are written for a built-in entity. Raises KeyError for
    an unknown entity."""
    known = _entity(name).options
    for key, value in written.items():
        if key not in known:
            hint = did_you_mean(key, sorted(known), what="there are") if known else "it has none"
            yield WrongOption(key, f"'{name}' has no option '{key}'", hint)
            continue
        try:
            known[key].read(value)
        except ValueError as error:
            yield WrongOption(key, f"the option '{key}': {error}")


def _entity(name: str) -> BuiltIn:
    return (NLPCRAFT if name in NLPCRAFT else BUILT_IN)[name]
