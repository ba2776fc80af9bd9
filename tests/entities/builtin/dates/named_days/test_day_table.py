"""The tables of named days: complete, unambiguous, read once, and checked with clear messages."""

import re
from importlib.resources import files

import pytest

from anaphora.entities.builtin.dates.named_days import day_table, table_cache
from anaphora.entities.builtin.dates.named_days.computed_days import COMPUTED_DAYS
from anaphora.entities.builtin.dates.named_days.day_table import (
    check_rules,
    find_named_day,
    load_day_ids,
)
from anaphora.errors import AnaphoraError
from anaphora.storage.cache import Cache

TABLES = sorted(
    files("anaphora.entities.builtin.dates.named_days").joinpath("tables").iterdir(),
    key=lambda file: file.name,
)


@pytest.fixture
def fresh(monkeypatch):
    """No table is loaded yet, and none is cached."""
    monkeypatch.setattr(table_cache, "_cache", None)
    day_table._load_tables.cache_clear()
    yield
    day_table._load_tables.cache_clear()


def test_each_day_of_the_tables_is_there_once():
    written = [
        id
        for file in TABLES
        for id in re.findall(r"^(\w+):", file.read_text("utf-8"), re.MULTILINE)
    ]
    assert sorted([*written, *COMPUTED_DAYS]) == sorted(load_day_ids())


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("13-1", "month must be in 1..12"),
        ("2-30", "day is out of range for month"),
        ("christmas", "'christmas' is not a day"),
        ("", "'' is not a rule"),
        ("fifth sunday of may", "'fifth sunday of may' is not a day"),
        ("first sunday of mai", "'first sunday of mai' is not a day"),
        ("first sonntag of may", "'sonntag' is not a weekday"),
        ("sunday from may", "'may' is not a day"),
        ("hebrew nissan 1", "'hebrew nissan 1' is not a day"),
        ("hebrew nisan 31", "'31' is not a number up to 30"),
        ("islamic 13-1", "'13-1' is not a month and a day"),
        ("4-27 (sunday)", "'sunday' is not a weekday and a number of days"),
        ("4-27 for some days", "'4-27 for some days' is not a day"),
        ("solar longitude 360", "'360' is not a number up to 359"),
        ("solar longitude 0 in Nowhere", "'Nowhere' is not a time zone"),
        (["12-25"], "is not a day"),
    ],
)
def test_a_wrong_rule_is_reported_with_its_table_and_day(rule, message):
    with pytest.raises(AnaphoraError, match=re.escape(message)) as caught:
        check_rules("mine.yaml", {"new_year": "1-1", "some_day": rule})
    assert str(caught.value).startswith("mine.yaml: some_day: ")


def test_a_day_has_one_rule(fresh, monkeypatch):
    monkeypatch.setattr(day_table, "load_yaml", lambda *_, **__: {"new_year": "1-1"})
    with pytest.raises(AnaphoraError, match="there are other rules for new_year"):
        load_day_ids()


def test_an_unknown_day_is_an_error():
    with pytest.raises(KeyError):
        find_named_day("no_such_day")


def test_tables_are_read_once_for_all_processes(fresh, monkeypatch, tmp_path):
    table_cache.keep_tables_in(Cache(tmp_path))
    known = load_day_ids()
    day_table._load_tables.cache_clear()  # as in a new process
    monkeypatch.setattr(day_table, "load_yaml", None)
    assert load_day_ids() == known


def test_a_cache_with_other_data_is_not_used(fresh, tmp_path):
    cache = Cache(tmp_path)
    table_cache.keep_tables_in(cache)
    known = load_day_ids()
    (kept,) = tmp_path.iterdir()
    kind, _, key = kept.stem.rpartition("-")
    cache.put(kind, key, [1, 2])
    day_table._load_tables.cache_clear()
    assert load_day_ids() == known
