"""The docs take their tables and plots from a report."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.report import docs
from benchmarks.report.data import (
    Column,
    Table,
)
from benchmarks.report.rendering.files import write
from tests.benchmarks.report.sample_report import PLOTS, report_of

ROOT = Path(__file__).parent.parent.parent.parent


def report_file(folder, *, again="make bench"):
    parts = (
        Table("Time of one question by stage", (Column("stage"), Column("time", "s")), (("a", 1),)),
        PLOTS[-1],
    )
    facts = (("processor", "fast"), ("load before", "0.1"))
    write(report_of(*parts, head=facts, again=again), folder)
    (folder / "ask-flame.svg").write_text("<svg/>", "utf-8")


@pytest.fixture
def docs_page(tmp_path):
    """A page with a place for each block."""
    file = tmp_path / "docs" / "performance.md"
    file.parent.mkdir()
    places = (f"<!-- {name} -->\nold\n<!-- end of {name} -->\n" for name in docs.BLOCKS)
    file.write_text("Before.\n" + "".join(places) + "After.\n", "utf-8")
    return file


def test_the_docs_take_their_tables_and_the_flame_graph_from_a_report(tmp_path, docs_page):
    report_file(tmp_path)
    taken = docs.update_docs(tmp_path, docs_page)
    said = docs_page.read_text("utf-8")
    assert taken == ["the machine", "the aims", "the profile", "ask-flame.svg"]
    assert said.startswith("Before.\n")
    assert said.endswith("After.\n")
    assert (
        "<!-- the profile -->\n| stage | time |\n| --- | ---: |\n| a | 1.00 s |\n<!-- end" in said
    )
    assert "| processor | fast |" in said
    assert "load before" not in said
    assert "<!-- the curves -->\nold\n<!-- end of the curves -->" in said
    assert (docs_page.parent / "figures" / "ask-flame.svg").read_text("utf-8") == "<svg/>"


def test_a_report_of_some_sections_does_not_judge_the_aims_in_the_docs(tmp_path, docs_page):
    report_file(tmp_path, again="python -m benchmarks.report --only profile")
    assert docs.update_docs(tmp_path, docs_page) == ["the profile", "ask-flame.svg"]
    assert "<!-- the aims -->\nold\n" in docs_page.read_text("utf-8")


def test_a_report_of_the_short_form_is_rejected(tmp_path, docs_page):
    write(report_of(is_whole=False), tmp_path)
    with pytest.raises(docs.MissingFigureError, match="short form"):
        docs.update_docs(tmp_path, docs_page)


def test_a_missing_report_names_the_command(tmp_path, docs_page):
    with pytest.raises(docs.MissingFigureError, match=r"python -m benchmarks\.report writes it"):
        docs.update_docs(tmp_path / "none", docs_page)


def test_the_page_has_a_place_for_each_block():
    said = docs.PAGE.read_text("utf-8")
    assert docs.insert_blocks(said, {}) == said
    assert "\nnew\n" in docs.insert_blocks(said, dict.fromkeys(docs.BLOCKS, "new"))


def test_the_headings_of_the_blocks_exist_in_the_sections():
    titles = {heading.lstrip("# ") for heading in docs.BLOCKS.values()} - {"Benchmarks", "Aims"}
    sections = ROOT / "benchmarks" / "report" / "sections"
    said = "".join(file.read_text("utf-8") for file in sections.glob("*.py"))
    assert [title for title in titles if f'"{title}"' not in said] == []
