"""The named days of the world by id, each with its rule.

The rules are in ``tables/*.yaml``; :mod:`.rule_parser` documents them. Days that no such rule can
describe are in :mod:`.computed_days`. A day that differs from country to country has an id for each
(``mothers_day_uk``); which one a name means is decided by the table of the language.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from anaphora.entities.builtin.dates.named_days.computed_days import COMPUTED_DAYS
from anaphora.entities.builtin.dates.named_days.rule_parser import parse_rule
from anaphora.entities.builtin.dates.named_days.rules import NamedDay
from anaphora.entities.builtin.dates.named_days.table_cache import load_cached
from anaphora.entities.languages import load_yaml
from anaphora.errors import AnaphoraError

__all__ = ["check_rules", "find_named_day", "load_day_ids"]

_FOLDER = "tables"


@lru_cache(maxsize=512)
def find_named_day(id: str) -> NamedDay:
    """The rule of a named day. Raises KeyError for an unknown id."""
    return COMPUTED_DAYS[id] if id in COMPUTED_DAYS else parse_rule(_load_tables()[id])


def load_day_ids() -> frozenset[str]:
    """The ids of all named days."""
    return frozenset({*COMPUTED_DAYS, *_load_tables()})


@lru_cache(maxsize=1)
def _load_tables() -> dict[str, str]:
    return load_cached("days", (), dict[str, str], _read_tables)


def _read_tables() -> dict[str, str]:
    rules: dict[str, str] = {}
    for table in sorted(file.name for file in files(__package__).joinpath(_FOLDER).iterdir()):
        found = load_yaml(__package__, f"{_FOLDER}/{table}", as_text=True)
        check_rules(table, found)
        if twice := found.keys() & (rules.keys() | COMPUTED_DAYS.keys()):
            raise AnaphoraError(f"{table}: there are other rules for {', '.join(sorted(twice))}")
        rules |= found
    return rules


def check_rules(table: str, rules: Mapping[str, object]) -> None:
    """Raise AnaphoraError, with the name of the table and the id, if one of its rules is wrong."""
    for id, rule in rules.items():
        try:
            parse_rule(str(rule))
        except ValueError as error:
            raise AnaphoraError(f"{table}: {id}: {error}") from error
