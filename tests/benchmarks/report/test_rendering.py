"""A report as Markdown, plots and JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.report.data import (
    Column,
    LeftOut,
    Output,
    Table,
    Text,
    Verdict,
    Verdicts,
)
from benchmarks.report.rendering.files import plain, write
from benchmarks.report.rendering.numbers import format_number
from tests.benchmarks.report.sample_report import PLOTS, report_of

ROOT = Path(__file__).parent.parent.parent.parent
each = pytest.mark.parametrize


@each(
    ("value", "unit", "text"),
    [
        (0.00123, "s", "1.23 ms"),
        (12.34, "s", "12.3 s"),
        (4.5e-8, "s", "45.0 ns"),
        (0, "s", "0"),
        (999, "B", "999 B"),
        (1_234_567, "B", "1.23 MB"),
        (1.5, "×", "1.50 ×"),
        (0.00412, "×", "0.0041 ×"),
        (0.256, "%", "25.6 %"),
        (12_345.6, "1/s", "12,346 /s"),
        (100_000, "", "100,000"),
        (7, "", "7"),
    ],
)
def test_numbers_have_three_digits_and_a_unit(value, unit, text):
    assert format_number(value, unit) == text


@pytest.fixture
def page(tmp_path):
    """A function that writes a report with the given parts and returns its lines."""

    def made(*parts, **more):
        return write(report_of(*parts, **more), tmp_path).read_text("utf-8").splitlines()

    return made


def test_a_table_has_units_and_right_aligned_numbers(page):
    columns = (Column("way"), Column("time", "s"), Column("share", "%"))
    lines = page(Table("Ways", columns, (("a | b", 0.002, 0.5), ("c", None, 1.0)), "A note."))
    at = lines.index("### Ways")
    assert lines[at + 2 : at + 8] == [
        "| way | time | share |",
        "| --- | ---: | ---: |",
        "| a \\| b | 2.00 ms | 50.0 % |",
        "| c | – | 100.0 % |",
        "",
        "A note.",
    ]


def test_verdicts_texts_and_outputs_are_written(page):
    verdict = Verdict("time", "flat", "1.20 ×", "met")
    lines = page(Verdicts("Growth", (verdict,)), Text("So it is."), Output("| no table\n\n"))
    assert "| time | flat | 1.20 × | ✓ met |" in lines
    assert "So it is." in lines
    assert lines[lines.index("```text") :][:3] == ["```text", "| no table", "```"]


def test_skipped_measurements_are_listed_at_the_end(page):
    lines = page(left_out=(LeftOut("a", "no time"), LeftOut("c", "no disk")))
    assert lines[-4:] == ["## Not run", "", "- a: no time", "- c, b: no disk"]


def test_the_short_form_has_a_warning(page):
    assert any("short form" in line for line in page(is_whole=False))
    assert not any("short form" in line for line in page())


@each("plot", PLOTS, ids=lambda plot: plot.name)
def test_every_kind_of_plot_is_drawn(plot, tmp_path):
    page = write(report_of(plot), tmp_path).read_text("utf-8")
    (file,) = re.findall(r"!\[.*\]\((.*)\)", page)
    drawn = (tmp_path / file).read_bytes()
    assert drawn.startswith(b"\x89PNG" if file.endswith("png") else b"<?xml")
    assert len(drawn) > 2_000


def test_an_icicle_is_searchable_and_contains_no_paths(tmp_path):
    write(report_of(PLOTS[-1]), tmp_path)
    svg = (tmp_path / "icicle.svg").read_text("utf-8")
    assert ">Bot.read<" in svg
    assert str(ROOT) not in svg


def test_the_same_report_gives_the_same_files(tmp_path):
    for name in ("first", "second"):
        write(report_of(*PLOTS), tmp_path / name)
    first = {file.name: file.read_bytes() for file in (tmp_path / "first").iterdir()}
    assert first == {file.name: file.read_bytes() for file in (tmp_path / "second").iterdir()}


def test_all_figures_are_in_the_json(tmp_path):
    report = report_of(Table("Ways", (Column("time", "s"),), ((0.25,),)), *PLOTS)
    write(report, tmp_path)
    data = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert data == json.loads(json.dumps(plain(report)))
    kinds = [part["kind"] for part in data["sections"][0]["parts"]]
    assert kinds == ["table", "curves", "distributions", "histogram", "bars", "icicle"]
    assert data["sections"][0]["parts"][0]["rows"] == [[0.25]]
