"""The built-in entities by name, with their options.

Their recognizers are in :mod:`anaphora.entities`; a model only names them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from anaphora.core.name_hints import did_you_mean
from anaphora.models.domain import Referent
from anaphora.models.schema.day_parts import parse_day_part, parse_hours
from anaphora.models.schema.holiday_countries import check_holiday_country

__all__ = [
    "BUILTIN_ENTITIES",
    "NLPCRAFT_ENTITIES",
    "BuiltinEntity",
    "EntityOption",
    "InvalidOption",
    "find_builtin",
    "find_invalid_options",
    "is_builtin_name",
    "resolve_options",
]


@dataclass(frozen=True, slots=True)
class EntityOption:
    """An option of a built-in entity. All its values have the type of ``default``: an integer (at
    least ``minimum``), a text, or a list of texts. ``choices`` are the allowed texts (any text if
    empty). With ``example`` the option is a code with as many letters. ``check`` raises ValueError,
    with a message for users, for a text that is not allowed."""

    description: str
    default: int | str | tuple[str, ...]
    choices: tuple[str, ...] = ()
    minimum: int = 0
    example: str = ""
    check: Callable[[str], object] | None = None

    def parse(self, value: Any) -> int | str | tuple[str, ...]:
        """Validate and convert a value. Raises ValueError, with a message for users."""
        match self.default:
            case int():
                if isinstance(value, bool) or not isinstance(value, int):
                    raise ValueError(f"expected a whole number, not {value!r}")
                if value < self.minimum:
                    raise ValueError(f"expected at least {self.minimum}, not {value}")
                return value
            case str():
                return self._parse_text(value)
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, Sequence) or (self.default and not listed):
            raise ValueError(f"expected a text or a list of texts, not {value!r}")
        return tuple(self._parse_text(one) for one in listed)

    def _parse_text(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError(f"expected a text, not {value!r}")
        if self.choices and value not in self.choices:
            raise ValueError(f"'{value}' is not one of {', '.join(filter(None, self.choices))}")
        if self.example and value and not re.fullmatch(f"[A-Za-z]{{{len(self.example)}}}", value):
            raise ValueError(
                f"'{value}' is not a code of {len(self.example)} letters such as {self.example}"
            )
        if self.check is not None and value:
            self.check(value)
        return value


class InvalidOption(NamedTuple):
    """An error in the option ``key``."""

    key: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class BuiltinEntity:
    """A built-in entity. One of NLPCraft wraps the entity ``base_entity``, with ``fixed_options``
    that a model cannot change. ``refers``: the words that can refer to it."""

    name: str
    description: str
    options: Mapping[str, EntityOption] = field(default_factory=dict)
    base_entity: str = ""
    fixed_options: Mapping[str, Any] = field(default_factory=dict)
    refers: Referent | None = None


_REFERENCE_OPTION = EntityOption(
    "The groups or elements that it may refer to; all, if none is named.", ()
)
_EXCEPTION_OPTION = EntityOption("The groups or elements that it must not refer to.", ())
# fmt: off
_ORDER_OPTION = EntityOption(
    "How 1/2/2024 is read (DMY, MDY, YMD): as in the region (en-GB) or the language, if left out.",
    "", ("", "DMY", "MDY", "YMD"))
_WEEK_OPTION = EntityOption(
    "The first day of the week; that of the region (en-US), otherwise Monday, if left out.",
    "", ("", "monday", "saturday", "sunday"))
_WEEKEND_OPTION = EntityOption(
    "Saturday and Sunday, Friday and Saturday, or from Friday evening on; that of the "
    "region or the language, if left out.",
    "", ("", "saturday", "friday", "friday-evening"))
_NEXT_OPTION = EntityOption(
    "Whether 'next Friday' is that of the next week, or the first one from tomorrow on.",
    "week", ("week", "first"))
_PARTS_OPTION = EntityOption(
    "Hours of parts of the day: 'morning 8-12', 'evening 17-22'.", (), check=parse_day_part)
# fmt: on
_PLACE_KINDS = ("city", "region", "country", "continent")

# fmt: off
_ENTITIES = (
    BuiltinEntity(
        "date", "A day, a week, a time of the day, a range …: tomorrow at 5pm, last 3 days.", {
        "prefer": EntityOption(
            "Whether a date that does not tell (Friday, May 1) lies ahead or behind.",
            "future", ("future", "past")),
        "order": _ORDER_OPTION,
        "week": _WEEK_OPTION,
        "weekend": _WEEKEND_OPTION,
        "next": _NEXT_OPTION,
        "parts": _PARTS_OPTION,
        "hours": EntityOption(
            "The usual hours: '8-20'. A time that may be in either half of the day is within them.",
            "", check=parse_hours),
        "holidays": EntityOption(
            "The countries (US, DE) and parts of countries (DE-BY) whose official days are known.",
            (), check=check_holiday_country),
    }, refers="time"),
    BuiltinEntity(
        "duration", "A length of time: two and a half hours, 90 minutes.", refers="time"),
    BuiltinEntity(
        "recurrence", "Recurring times: every Monday at 9, twice a day.", {
        "order": _ORDER_OPTION,
        "week": _WEEK_OPTION,
        "weekend": _WEEKEND_OPTION,
        "next": _NEXT_OPTION,
        "parts": _PARTS_OPTION,
    }, refers="time"),
    BuiltinEntity(
        "number", "A number in digits or words, with its unit, or a range: more than 5 km."),
    BuiltinEntity("place", "A city, a region, a country or a continent.", {
        "kinds": EntityOption("What is looked for.", _PLACE_KINDS, _PLACE_KINDS),
        "population": EntityOption(
            "How many people a city has at least; below 15,000 more memory is needed.", 15_000),
        "ambiguity": EntityOption("The most places of one name.", 4, minimum=1),
    }, refers="place"),
    BuiltinEntity(
        "limit", "How many of something, from which end: top 10 cities, the last few orders.", {
        "of": _REFERENCE_OPTION,
        "except": _EXCEPTION_OPTION,
        "default": EntityOption("How many are meant by 'top cities'.", 10, minimum=1),
    }),
    BuiltinEntity(
        "sort", "In which order: sorted by price, descending.", {
        "of": _REFERENCE_OPTION, "except": _EXCEPTION_OPTION}),
    BuiltinEntity(
        "relation", "What is compared or correlated with what.", {
        "of": _REFERENCE_OPTION, "except": _EXCEPTION_OPTION}),
    BuiltinEntity(
        "coordinate", "A point on the earth: 55.75, 37.62 or 48°51'N 2°21'E.", refers="place"),
    BuiltinEntity("email", "An e-mail address."),
    BuiltinEntity("url", "The address of a page: https://example.com/a or example.com."),
    BuiltinEntity("phone", "A telephone number.", {
        "region": EntityOption(
            "The country (US, DE) of numbers without a country code; that of the language, if left "
            "out.", "", example="US"),
    }),
    BuiltinEntity("money", "An amount of money: $5, 20 euros, 300 рублей.", {
        "currency": EntityOption(
            "The currency (USD) of a bare number (none, if left out), and of a sign that several "
            "share (that of the language, if left out).", "", example="USD"),
        "bare": EntityOption(
            "Whether a number without a currency is an amount, where an intent needs one; "
            "'compared' allows it in a comparison (under 30).",
            "allowed", ("allowed", "compared", "never")),
    }),
    BuiltinEntity("boolean", "Yes or no: sure, of course, no way."),
)
# fmt: on
BUILTIN_ENTITIES: Mapping[str, BuiltinEntity] = {one.name: one for one in _ENTITIES}


def _nlpcraft_entity(id: str, wraps: str, **fixed: Any) -> BuiltinEntity:
    base = BUILTIN_ENTITIES[wraps]
    options = {key: option for key, option in base.options.items() if key not in fixed}
    name = f"nlpcraft:{id}"
    description = f"As '{wraps}', with NLPCraft's metadata."
    return BuiltinEntity(name, description, options, wraps, fixed, base.refers)


NLPCRAFT_ENTITIES: Mapping[str, BuiltinEntity] = {
    one.name: one
    for one in (
        _nlpcraft_entity("date", "date"),
        _nlpcraft_entity("num", "number"),
        *(_nlpcraft_entity(id, id) for id in ("coordinate", "limit", "sort", "relation")),
        *(_nlpcraft_entity(kind, "place", kinds=(kind,)) for kind in reversed(_PLACE_KINDS)),
    )
}
"""The built-in entities of NLPCraft, under its names."""


def find_builtin(name: str) -> BuiltinEntity | None:
    """The built-in entity with that name, including those of NLPCraft; None if unknown."""
    return BUILTIN_ENTITIES.get(name) or NLPCRAFT_ENTITIES.get(name)


def is_builtin_name(name: str) -> bool:
    """Whether a model can list ``name`` under ``entities``, without declaring an element."""
    return name.startswith("spacy:") or find_builtin(name) is not None


def resolve_options(
    name: str, written: Mapping[str, Any]
) -> dict[str, int | str | tuple[str, ...]]:
    """The options of a built-in entity, with defaults for those that are not given.

    Raises ValueError, with a message for users, for an unknown option or an invalid value, and
    KeyError for an unknown entity.
    """
    for wrong in find_invalid_options(name, written):
        raise ValueError(f"{wrong.message}: {wrong.hint}" if wrong.hint else wrong.message)
    return {
        key: option.parse(written[key]) if key in written else option.default
        for key, option in _get_builtin(name).options.items()
    }


def find_invalid_options(name: str, written: Mapping[str, Any]) -> Iterator[InvalidOption]:
    """The errors in the options of a built-in entity. Raises KeyError for an unknown entity."""
    known = _get_builtin(name).options
    for key, value in written.items():
        if key not in known:
            hint = did_you_mean(key, sorted(known), label="there are") if known else "it has none"
            yield InvalidOption(key, f"'{name}' has no option '{key}'", hint)
            continue
        try:
            known[key].parse(value)
        except ValueError as error:
            yield InvalidOption(key, f"the option '{key}': {error}")


def _get_builtin(name: str) -> BuiltinEntity:
    return (NLPCRAFT_ENTITIES if name in NLPCRAFT_ENTITIES else BUILTIN_ENTITIES)[name]
