"""Sections parse what imports, files and programs report."""

from __future__ import annotations

import shutil

import pytest

from benchmarks.peers.stores import stores
from benchmarks.report.data import (
    Output,
    Text,
)
from benchmarks.report.options import ReportOptions
from benchmarks.report.sections import building, files, scripts, start

each = pytest.mark.parametrize


def test_import_times_are_summed_by_package():
    said = (
        "import time: self [us] | cumulative | imported package\n"
        "import time:       100 |        300 |   spacy.tokens\n"
        "import time:      2000 |       2300 | spacy\n"
        "import time:       500 |        500 | re\n"
    )
    assert start.imported(said) == (("spacy", 0.0021, 2), ("re", 0.0005, 1), ("in all", 0.0026, 3))


def test_a_big_model_is_the_same_from_a_file(tmp_path):
    file = tmp_path / "names.yaml"
    file.write_text(building.yaml_of(30), encoding="utf-8")
    (from_file,) = building.from_yaml(str(file))
    (from_names,) = building.from_names(30)
    assert from_file.keys() == from_names.keys()


@each(
    ("docstring", "question"),
    [
        ('"""How long?\n\nMore of it."""', "How long?"),
        ('"""What it costs: time\nand memory."""', "What it costs"),
        ('"""What\na store costs."""', "What a store costs"),
    ],
)
def test_the_heading_of_a_file_is_the_question_it_asks(docstring, question, tmp_path):
    (tmp_path / "test_it.py").write_text(docstring, encoding="utf-8")
    assert files.question_of(tmp_path / "test_it.py") == question


def test_a_printed_table_becomes_a_table():
    (table,) = scripts.printed("Stores", "note\n| a | b |\n| --- | ---: |\n| x | 1 |\n")
    assert (table.rows, table.note) == ((("x", "1"),), "note")


def test_other_output_is_kept_verbatim():
    heading, output = scripts.printed("Stores", "so many\n")
    assert (heading, output) == (Text("### Stores"), Output("so many\n"))


def test_programs_name_missing_options_and_files(tmp_path):
    lacking = {one.name: one.missing(ReportOptions()) for one in scripts.SCRIPTS}
    assert "--script ltm.bart" in lacking["ltm.bart"]
    assert "--locomo" in lacking["ltm.recall_quality"]
    assert "--sgd" in lacking["sgd"]
    given = ReportOptions(locomo=tmp_path / "none.json")
    assert "no file" in next(
        one for one in scripts.SCRIPTS if one.name == "ltm.recall_quality"
    ).missing(given)


def test_missing_programs_are_named(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    lacking = {one.name: one.missing(ReportOptions()) for one in scripts.SCRIPTS}
    assert lacking["server.load"] == "it needs wrk and redis-server"
    assert lacking["stm.idle_conversations"] == "it needs redis-server"


def test_without_redis_the_other_stores_are_measured(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    rows = {row.store: row for row in stores(20, rounds=1)}
    assert rows["memory"].median > 0
    assert rows["redis"].skipped == "there is no redis-server on this machine"
